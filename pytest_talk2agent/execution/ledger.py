"""The records of trials in a folder.

So short because it only says which records they are: how they are kept is `results.ledger`.
"""

from __future__ import annotations

from pathlib import Path

from pytest_talk2agent.execution.record import TrialRecord
from pytest_talk2agent.results import ledger


class Ledger(ledger.Ledger[TrialRecord]):
    """The records of trials below a folder; raises OSError where it cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, TrialRecord.from_json, "trials")
