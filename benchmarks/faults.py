"""The campaign: kills, injected faults and fuzzed inputs against the gate: python benchmarks/faults.py --short | --long.

A small green project is broken in one way at a time, in each of the ways that pytest runs it (alone, two workers,
without xdist), and what comes out is held against what must come out. Runs are killed at random moments; every single
bit of a stored record and of a baseline is flipped; readers of files are fed mutations of good files. All of it follows
from ``--seed``. The table counts how each kind ended. The exit status is 1 where anything was wrong: a pass that should
be none, a lost record, a process or temporary folder left behind, a traceback, a hang.

``--only NAME`` tries one again, by the name that a violation is printed with.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from campaign import baselines, neighbours, recognisers, reports, served, sounds, stored, suites
from campaign.fault import VIOLATIONS, Fault
from campaign.project import Template
from table import print_table

SHORT = {"kills": 4, "faults": 24, "fuzz": 3_000, "flips": 1_500}
LONG = {"kills": 200, "faults": 0, "fuzz": 60_000, "flips": 0}
"""0: all that there are."""
JOBS = 2


@dataclass
class Tally:
    """How many of each kind were tried, what was wrong with how many, and each violation as a line."""

    tried: Counter[str] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    clean: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def add(self, kind: str, name: str, violations: Sequence[tuple[str, str]]) -> None:
        """One that was tried."""
        self.tried[kind] += 1
        self.clean[kind] += not violations
        self.wrong.update((kind, what) for what in {what for what, _ in violations})
        self.lines.extend(f"{what}: {name}: {why}" for what, why in violations)
        for line in self.lines[len(self.lines) - len(violations) :]:
            print(line, flush=True)

    def rows(self) -> list[list[object]]:
        """The table: a row a kind, then all."""
        body: list[list[object]] = [
            [kind, count, self.clean[kind], *(self.wrong[kind, what] for what in VIOLATIONS)]
            for kind, count in self.tried.items()
        ]
        columns = [sum(int(str(row[index])) for row in body) for index in range(1, 3 + len(VIOLATIONS))]
        return [*body, ["all", *columns]]


def injected(template: Template) -> list[Fault]:
    """Every fault there is, in a fixed order."""
    with _copy(template, "fields") as project:
        found = [
            *suites.faults(),
            *stored.faults(project),
            *baselines.faults(project),
            *recognisers.faults(),
            *sounds.faults(),
            *reports.faults(),
            *neighbours.faults(),
            *served.faults(),
        ]
    names = Counter(fault.name for fault in found)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"two faults have one name: {twice[0]}")
    return found


def chosen(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """So many of them, spread over the kinds; 0 for all."""
    if not count or count >= len(faults):
        return list(faults)
    by_kind: dict[str, list[Fault]] = {}
    for fault in faults:
        by_kind.setdefault(fault.kind, []).append(fault)
    chance = random.Random(seed)
    for group in by_kind.values():
        chance.shuffle(group)
    ordered = [fault for turn in range(len(faults)) for group in by_kind.values() for fault in group[turn : turn + 1]]
    wanted = set(map(id, ordered[:count]))
    return [fault for fault in faults if id(fault) in wanted]


@contextlib.contextmanager
def _copy(template: Template, name: str) -> Iterator[object]:
    project = template.copy(name)
    try:
        yield project
    finally:
        project.close()


def attempt(template: Template, number: int, fault: Fault) -> list[tuple[str, str]]:
    """Try one on a fresh copy; a fault of the campaign itself is a violation, too, so that it is seen."""
    with _copy(template, f"p{number}") as project:
        try:
            return fault.violations(project)
        except Exception as error:
            return [("no verdict", f"the campaign could not try it: {type(error).__name__}: {error}"[:300])]


def run_all(template: Template, tries: Sequence[Fault], tally: Tally) -> None:
    """Try all of them, two at a time; results in their order."""
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = [pool.submit(attempt, template, number, fault) for number, fault in enumerate(tries)]
        for fault, job in zip(tries, jobs, strict=True):
            tally.add(fault.kind, fault.name, job.result())


def main() -> int:
    """Run the campaign and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    for name in LONG:
        parser.add_argument(f"--{name}", type=int, metavar="N")
    parser.add_argument("--short", action="store_true", help="the form for CI: about a minute on two cores")
    parser.add_argument("--long", action="store_true", help="the whole of it")
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--mode")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    tally = Tally()
    try:
        template = Template(folder)
        faults = injected(template)
        if options.list:
            print(Counter(f.kind for f in faults), len(faults))
            return 0
        if options.only:
            faults = [f for f in faults if f.name.startswith(options.only)]
        else:
            faults = chosen([f for f in faults if options.mode in (None, f.mode)], options.faults or 0, options.seed)
        began = time.monotonic()
        run_all(template, faults, tally)
        print_table(["kind", "tried", "right", *VIOLATIONS], tally.rows())
        print(f"{time.monotonic() - began:.0f} s")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if tally.lines else 0


if __name__ == "__main__":
    sys.exit(main())
