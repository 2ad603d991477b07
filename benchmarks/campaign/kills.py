"""Runs that are ended at a random moment: what was stored must be whole, and nothing may be left."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from campaign.observed import GRACE, Ended, left_folders, marked, wait_until_gone, words_of
from campaign.project import COUNT, HEAR, MODES, REPORT, Project, answers

LIMIT = 90.0
"""Seconds after a signal in which a run must end."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
TARGETS: Mapping[str, tuple[str, ...]] = {
    "alone": ("pytest", "pytest", "group", "engine"),
    "workers": ("pytest", "pytest", "group", "engine", "worker"),
}
PROGRAM = """
import os
import sys
import time
from pathlib import Path

stem = Path(sys.argv[1]).stem
with (Path(__file__).parent / "asked.txt").open("a") as stream:
    stream.write(stem + "\\n")
time.sleep(90 if stem in os.environ.get("CAMPAIGN_LONG", "").split() else float(os.environ.get("CAMPAIGN_SLOW", "0")))
print(f"Set the port to {8000 + int(stem[1:])} and restart nginx.")
"""
_REPORTS = ("run.json", "summary.md", "report.html")


@dataclass(frozen=True)
class Kill:
    """One run and its end; everything about it follows from the seed and the number."""

    seed: int
    number: int

    @property
    def name(self) -> str:
        """What ``--only`` takes."""
        return f"kill/{self.seed}/{self.number}"

    @property
    def kind(self) -> str:
        """The row of the table."""
        plan = self.plan
        return f"{plan.signal.name} to {plan.target}"

    @property
    def plan(self) -> Plan:
        """What is done and when."""
        chance = random.Random(self.name)
        mode = chance.choice(tuple(TARGETS))
        target = chance.choice(TARGETS[mode])
        sent = signal.SIGINT if target == "group" else chance.choice(SIGNALS)
        heard = chance.randrange(-4, COUNT)
        return Plan(
            mode=mode,
            target=target,
            signal=sent,
            program=chance.random() < 0.4,
            long=target in ("pytest", "group") and chance.random() < 0.5,
            kept=chance.randrange(3),
            heard=heard,
            wait=chance.uniform(0, 3.0 if heard < 0 else 0.4),
        )

    def violations(self, project: Project) -> list[tuple[str, str]]:
        """Run, end it, look at what is left; run again and look what that made of it."""
        return list(self._violations(project, self.plan))

    def _violations(self, project: Project, plan: Plan) -> Iterator[tuple[str, str]]:
        words = self._prepare(project, plan)
        began = time.time()
        process, mark = project.begin(words)
        _wait_for(project, process, plan)
        before = _records(project)
        begun = b"session starts" in (project.root / "out.txt").read_bytes()
        _send(process, mark, plan)
        try:
            status: int | None = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = None
            yield "hang", f"still running {LIMIT:.0f} s after {plan.signal.name} to {plan.target}"
        left = wait_until_gone(mark, 2 * GRACE)
        if left:
            yield "left over", f"{len(left)} processes after {plan.signal.name} to {plan.target}: {left[0]}"
        ended = project.ended(process, mark, status)
        if status is not None:
            yield from _shown(project, ended, began if begun else 0.0)
        yield from self._afterwards(project, plan, words, before)

    def _prepare(self, project: Project, plan: Plan) -> tuple[str, ...]:
        """Some records stay, the rest is to be heard; slowly, and the last for a long time."""
        for path in project.records()[plan.kept :]:
            path.unlink()
        project.environment.update(CAMPAIGN_SLOW="0.15", PYTHONUNBUFFERED="1")
        if plan.long:
            project.environment["CAMPAIGN_LONG"] = f"r{COUNT - 1} r{COUNT - 2}"
        project.write("hear.py", PROGRAM)
        hear = f"--t2a-interface=command:{sys.executable} hear.py {{audio}}" if plan.program else HEAR
        return ("suite", "-v", hear, REPORT, *MODES[plan.mode])

    def _afterwards(
        self, project: Project, plan: Plan, words: tuple[str, ...], before: Mapping[str, bytes]
    ) -> Iterator[tuple[str, str]]:
        """The next run must be green, use what was stored, and sweep up."""
        kept = _records(project)
        lost = [name for name, data in before.items() if kept.get(name) != data]
        if lost:
            yield "lost", f"{len(lost)} records are gone or altered, such as {lost[0]}"
        broken = [name for name, data in kept.items() if not _is_json(data)]
        if broken:
            yield "lost", f"{len(broken)} records are not whole, such as {broken[0]}"
        project.environment.clear()
        again = project.run(*words)
        if again.status != 0 or again.red or again.places["terminal"] != "green":
            yield "wrong red", f"the next run: exit {again.status}, {_told(again)}"
        stored = {stem for stem, text in answers().items() if any(text.encode() in data for data in kept.values())}
        if not plan.program and (anew := sorted(stored.intersection(again.asked))):
            yield "lost", f"heard again though it was stored: {', '.join(anew)}"
        after = _records(project)
        if changed := [name for name, data in kept.items() if after.get(name) != data and not plan.program]:
            yield "lost", f"the next run altered {changed[0]}"
        if again.processes:
            yield "left over", f"processes after the next run: {again.processes[0]}"
        if folders := left_folders(project.temporary):
            yield "left over", f"temporary after the next run: {', '.join(folders[:3])}"


@dataclass(frozen=True)
class Plan:
    """``heard`` is how many recordings are asked for before ``wait`` seconds begin; below nought: none."""

    mode: str
    target: str
    signal: signal.Signals
    program: bool
    long: bool
    kept: int
    heard: int
    wait: float


def _wait_for(project: Project, process: subprocess.Popen[bytes], plan: Plan) -> None:
    asked = project.root / "asked.txt"
    end = time.monotonic() + 30
    while plan.heard >= 0 and process.poll() is None and time.monotonic() < end:
        if asked.exists() and len(asked.read_text().split()) >= min(plan.heard + 1, COUNT - plan.kept):
            break
        time.sleep(0.02)
    time.sleep(plan.wait)


def _send(process: subprocess.Popen[bytes], mark: str, plan: Plan) -> None:
    with contextlib.suppress(ProcessLookupError):
        if plan.target == "group":
            os.killpg(process.pid, plan.signal)
        else:
            os.kill(_victim(process, mark, plan.target), plan.signal)


def _victim(process: subprocess.Popen[bytes], mark: str, target: str) -> int:
    """The process of that part; pytest itself where there is none at this moment."""
    others = {pid: words_of(pid) for pid in marked(mark) if pid != process.pid}
    workers = [pid for pid, words in others.items() if "sys.stdin.readline" in words or "execnet" in words]
    engines = [
        pid for pid, words in others.items() if pid not in workers and "python" in words and "hear.py" not in words
    ]
    found = {"worker": workers, "engine": engines}.get(target, [])
    return sorted(found)[0] if found else process.pid


def _shown(project: Project, ended: Ended, began: float) -> Iterator[tuple[str, str]]:
    """No pass is shown, but by a run that came to its end with all of its items.

    ``began`` is when the run did; 0 where it was ended before pytest had read its options, so that an older report may
    still be there.
    """
    whole = ended.items == COUNT and ended.places["run.json"] == "green"
    if ended.status == 0 and not (whole and ended.places["terminal"] == "green"):
        yield "wrong green", f"exit 0 with {ended.items} items"
    for name in _REPORTS if began else ():
        path = project.root / "rep" / name
        stale = path.exists() and path.stat().st_mtime < began
        if ended.places[name] == "green" and (stale or not whole):
            yield "wrong green", f"{name} passes after the end, {'of an older run' if stale else 'not of all items'}"


def _records(project: Project) -> dict[str, bytes]:
    found = {}
    for path in project.records():
        with contextlib.suppress(FileNotFoundError):
            found[str(path.relative_to(project.store))] = path.read_bytes()
    return found


def _is_json(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except ValueError:
        return False


def kills(count: int, seed: int) -> list[Kill]:
    """So many runs to end."""
    return [Kill(seed, number) for number in range(count)]


def _told(ended: Ended) -> str:
    lines = [line.strip() for line in ended.out.splitlines() if line.startswith(("ERROR", "GATE", "E  "))]
    return "; ".join(lines[:2])[:300] or ended.out.strip()[-200:]
