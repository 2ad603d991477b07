"""A newer model and a noisier room, on human speech: what a release gains and what noise costs, in one run.

    python benchmarks/human.py FOLDER

FOLDER holds recordings and ``transcripts.json``: a list of objects with ``file`` and ``text``. Each recording becomes a
task whose intentions are its clauses, verbatim. Three conditions are run: Whisper tiny.en, Whisper base (extra
``whisper-base``), and tiny.en with white noise at 5 dB.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

CONDITIONS = ("tiny=whisper:tiny.en", "base=whisper:base?language=en", "noisy=whisper:tiny.en?audio_snr_db=5")


def task_of(file: Path, text: str) -> dict[str, object]:
    """One task: every clause of the transcript is worth the same."""
    clauses = [clause.strip() for clause in re.split(r"[,.]|\b(?:and|or)\b", text) if clause.strip()]
    names = [f"clause_{number}" for number in range(1, len(clauses) + 1)]
    return {
        "id": f"human/{file.stem}",
        "instruction": text,
        "recordings": [{"audio": str(file.resolve()), "speaker": "human"}],
        "intentions": {name: {"say": clause, "kind": "text"} for name, clause in zip(names, clauses, strict=True)},
        "value": f"({' + '.join(names)}) / {len(names)}",
    }


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", default=None, help="keep the transcripts there")
    arguments = parser.parse_args()
    listed = json.loads((arguments.folder / "transcripts.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as work:
        tasks = [task_of(arguments.folder / row["file"], row["text"]) for row in listed]
        path = Path(work) / "tasks.yaml"
        path.write_text("---\n".join(yaml.safe_dump(task, sort_keys=False) for task in tasks), encoding="utf-8")
        options = [f"--t2a-interface={condition}" for condition in CONDITIONS]
        store = arguments.store or str(Path(work) / "store")
        command = [sys.executable, "-m", "pytest", str(path), "-q", "--tb=no", "-p", "no:cacheprovider", *options]
        done = subprocess.run([*command, f"--t2a-store={store}"], capture_output=True, text=True, cwd=work, check=False)
    lines = done.stdout.splitlines()
    tables = [number for number, line in enumerate(lines) if line.startswith("condition ")]
    if not tables:
        sys.exit(done.stdout + done.stderr)
    print("\n".join(line for line in lines[tables[0] :] if not line.startswith("FAILED")))


if __name__ == "__main__":
    main()
