"""Workflows held by a cascade over real sound: a recogniser, a clerk behind the chat protocol, a voice.

    python benchmarks/voice_workflows.py [PACKAGE ...] [--only virtual,real,deaf] [--caller SPEC]

The clerk (`tests/workflows/lines/chat_clerk.py`) follows the reference and writes down what it heard, so the work is as
good as the hearing. ``virtual`` and ``real`` are the same call by two clocks, with ``whisper:tiny.en``; ``deaf`` is
``sphinx`` with a television at 0 dB. The table has the four gates of each, and what was written wrongly.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.workflows.lines.chat_clerk import clerk  # noqa: E402 - from the tree that this file is in

PACKAGES = (
    "site-visit-schedule",
    "travel-insurance-advice",
    "reference-interview",
    "label-printer-fault",
    "fire-door-inspection",
    "tenant-repair-intake",
    "card-1-freeze-lost",
    "utility-1-payment-plan",
)
CONDITIONS = {
    "virtual": ("whisper:tiny.en", ["--t2a-clock=virtual"]),
    "real": ("whisper:tiny.en", ["--t2a-clock=real"]),
    "deaf": ("sphinx", ["--t2a-clock=virtual", "--t2a-channel=tv@0dB"]),
}
GATES = ("TS", "PV", "AC", "AV")


def held(folders: Sequence[Path], condition: str, caller: str) -> tuple[dict[str, dict[str, Any]], float]:
    """What came of each package under a condition, by its id, and the seconds that all took."""
    asr, options = CONDITIONS[condition]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place, clerk(*folders) as server:
        spec = f"{condition}=cascade:{asr}+text:clerk?base_url={server.url}&stream=0+piper:joe"
        command = [sys.executable, "-m", "pytest", *map(str, folders), f"--t2a-agent={spec}", f"--t2a-caller={caller}"]
        command += [*options, f"--t2a-report={place}/out", f"--t2a-store={place}/store", "-q", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        path = Path(place) / "out" / "workflows.json"
        if not path.exists():
            raise SystemExit(f"{condition}: no report\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        saved = json.loads(path.read_text(encoding="utf-8"))
    rows = {one["key"]["package"]: one for one in saved["sessions"].values()}
    return rows, time.monotonic() - began


def told(row: dict[str, Any] | None) -> str:
    """The gates of a session, and what was wrong."""
    if row is None:
        return "no result"
    if row["state"] != "finished":
        return f"{row['state']}: {row['reason']}"
    gates = row["mended"]["gates"]
    wrong = [problem["id"] for problem in row["mended"]["problems"]]
    signs = " ".join(f"{gate}{'+' if gates[gate] else '?' if gates[gate] is None else '-'}" for gate in GATES)
    return signs + (f"  {', '.join(dict.fromkeys(wrong))}" if wrong else "")


def main() -> None:
    """Hold the packages under each condition and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES, help="ids of shipped packages")
    parser.add_argument("--only", default=",".join(CONDITIONS), help="conditions, with commas between")
    parser.add_argument("--caller", default="bank", help="who speaks for the user")
    options = parser.parse_args()
    folders = [ROOT / "suites" / "workflows" / name for name in options.packages]
    found = {}
    for condition in options.only.split(","):
        found[condition], seconds = held(folders, condition, options.caller)
        print(f"{condition}: {seconds:.0f} s for {len(folders)} calls", flush=True)
    for folder in folders:
        for condition, rows in found.items():
            print(f"{folder.name:28} {condition:8} {told(rows.get(folder.name))}")
    same = [
        name for name in options.packages if len({told(rows.get(name)).split("  ")[0] for rows in found.values()}) == 1
    ]
    print(f"the same gates under all conditions: {len(same)} of {len(folders)}")


if __name__ == "__main__":
    main()
