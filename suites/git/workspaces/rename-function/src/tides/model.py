"""Water levels and their forecast."""

from __future__ import annotations

import csv
from pathlib import Path

from tides.station import Station, stationByName

HOURS_AHEAD = 12


def loadRows(path: Path) -> list[dict[str, str]]:
    """Read the levels that were measured, one row for each."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def nextHighWater(path: Path, name: str) -> float:
    """Forecast the next high water of a station, in metres."""
    station: Station = stationByName(name)
    levels = [float(row["level"]) for row in loadRows(path) if row["station"] == station.name]
    return max(levels[-HOURS_AHEAD:]) + station.offset
