"""Runs of agents that are killed with signal 9 at random moments, and started again: what the records hold then.

    python benchmarks/kills.py --runs 30 --seed 1

Each run has a store of its own: two tasks, three rounds, two xdist workers, and an agent that takes a while. One
victim is killed: the controller, a worker, or an agent in its sandbox. Then the same command runs to its end. A run is
in order where every trial has one record, none has two, no record is of anything else, and every score is the one that
the agent reaches undisturbed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from pytest_talk2agent.execution.record import Ledger
from pytest_talk2agent.execution.usage import processes_of

VICTIMS = ("controller", "worker", "agent")
ROUNDS = 3
TASKS = """\
id: kills/full
instruction: Write 7 into n.txt.
intentions:
  number: {say: "7", kind: number}
  file: {say: n.txt, kind: filename}
value: 0.5*number + 0.5*file
execution:
  checks:
    number: {text: n.txt, equals: "7\\n"}
    file: {exists: n.txt}
  solution: echo 7 > n.txt
---
id: kills/half
instruction: Write 8 into n.txt.
intentions:
  number: {say: "8", kind: number}
  file: {say: n.txt, kind: filename}
value: 0.5*number + 0.5*file
execution:
  checks:
    number: {text: n.txt, equals: "8\\n"}
    file: {exists: n.txt}
  solution: echo 8 > n.txt
"""
AGENT = "touch n.txt\nsleep 0.3\necho 7 > n.txt\n"
SCORES = {"kills/full": "1", "kills/half": "1/2"}


def prepare(folder: Path) -> list[str]:
    """Write the tasks and the agent; returns the command."""
    (folder / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    (folder / "act.sh").write_text(AGENT, encoding="utf-8")
    return [
        *(sys.executable, "-m", "pytest", "tasks.yaml", "-n", "2", "-p", "no:cacheprovider", "-q", "--tb=line"),
        *("--t2a-interface=text", "--t2a-execute", "--t2a-agent=command:sh act.sh", f"--t2a-rounds={ROUNDS}"),
        *("-m", "t2a_execution", "--t2a-min-execution=0"),
    ]


def victim_of(controller: int, kind: str) -> int | None:
    """A process of a run that is of this kind now; None where there is none."""
    if kind == "controller":
        return controller
    for pid in processes_of(controller):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
            if kind == "worker" and "import sys;exec(eval(sys.stdin.readline()))" in words:
                return pid
            # The program in the sandbox, not bubblewrap itself, which names it among its words.
            if kind == "agent" and words[:2] == ["sh", "/agent/act.sh"]:
                return pid
    return None


def killed_run(folder: Path, command: list[str], kind: str, chance: random.Random, latest: float) -> bool:
    """Start a run, kill a victim, and wait for the end; whether one was met.

    The moment is at most ``latest`` seconds after the first record, when the first such victim is there.
    """
    environment = {**os.environ, "TMPDIR": str(folder)}
    with (folder / "output.txt").open("ab") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=output, env=environment, start_new_session=True
        )
        while not list((folder / ".t2a").glob("store/trials/*.jsonl")) and process.poll() is None:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, latest))
        met = False
        while process.poll() is None and not met:
            victim = victim_of(process.pid, kind)
            if victim is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    met = True
            time.sleep(0.01)
        process.wait()
    return met


def faults(folder: Path) -> list[str]:
    """What is wrong with the records of a run that came to its end."""
    ledger = Ledger(folder / ".t2a" / "store" / "trials")
    records = ledger.records()
    lines = sum(path.read_bytes().count(b"\n") for path in ledger.folder.glob("*.jsonl"))
    acted = [record for record in records if record.agent.startswith("command:")]
    found = Counter((record.key.task, record.key.round) for record in acted)
    wanted = Counter((task, round_) for task in SCORES for round_ in range(1, ROUNDS + 1))
    wrong = [f"{key} missing" for key in wanted - found] + [f"{key} not asked for" for key in found - wanted]
    wrong += [
        f"{record.key.task} round {record.key.round}: {record.state} {record.score}"
        for record in acted
        if str(record.score) != SCORES[record.key.task]
    ]
    finished = sum(record.finished for record in records)
    torn = len(ledger.rejected)
    if lines - torn != finished:
        wrong.append(f"{lines - torn} whole lines for {finished} records")
    return wrong


def one(kind: str, chance: random.Random, latest: float = 2.0) -> tuple[bool, list[str]]:
    """A run that is killed and started again: whether a victim was met, and what is wrong with what it left."""
    with tempfile.TemporaryDirectory(prefix="t2a-kills-") as name:
        folder = Path(name)
        command = prepare(folder)
        met = killed_run(folder, command, kind, chance, latest)
        again = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
        wrong = faults(folder)
        if again.returncode:
            wrong.append(f"the run that went on ended with status {again.returncode}: {again.stdout[-400:]}")
        return met, wrong


def main() -> int:
    """Run, print a table, and fail where any record is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    met: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(options.runs):
        kind = VICTIMS[number % len(VICTIMS)]
        was_met, found = one(kind, chance)
        met[kind] += was_met
        wrong += [f"run {number} ({kind}): {each}" for each in found]
        print(
            f"{number + 1:3} {kind:10} {'killed' if was_met else 'not met'}  {'; '.join(found) or 'in order'}",
            flush=True,
        )
    print("\n| victim | runs | killed |\n|---|---|---|")
    for kind in VICTIMS:
        print(f"| {kind} | {sum(VICTIMS[n % 3] == kind for n in range(options.runs))} | {met[kind]} |")
    print(f"{len(wrong)} records or runs wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
