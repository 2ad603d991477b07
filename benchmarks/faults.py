"""Kills, injected faults and fuzzed inputs against the gate: python benchmarks/faults.py --short | --long.

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
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from campaign import (
    baselines,
    mishearings,
    neighbours,
    others,
    recognisers,
    reports,
    served,
    sounds,
    stored,
    strangers,
    suites,
)
from campaign.fault import VIOLATIONS, Fault
from campaign.flips import flips
from campaign.fuzzing import Sources, again, fuzz, learn
from campaign.kills import Kill
from campaign.project import Project, Template
from table import print_table

ALL = 1_000_000
FORMS = {
    "short": {"kills": 6, "faults": 24, "flips": 1_500, "fuzz": 2_500},
    "long": {"kills": 200, "faults": ALL, "flips": ALL, "fuzz": 60_000},
}
JOBS = 2
SHOWN = 40
"""Violations of one sort and one kind that are printed; the table counts all of them."""


@dataclass
class Tally:
    """How many of each kind were tried, and what was wrong with how many; prints the first violations of a sort."""

    tried: Counter[str] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str]] = field(default_factory=Counter)
    clean: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, name: str, violations: Sequence[tuple[str, str]]) -> None:
        """One that was tried."""
        self.tried[kind] += 1
        self.clean[kind] += not violations
        for what in sorted({what for what, _ in violations}):
            self.wrong[kind, what] += 1
            if self.wrong[kind, what] <= SHOWN:
                told = "; ".join(why for each, why in violations if each == what)
                print(f"{what}: {name}: {told}", flush=True)

    @property
    def violations(self) -> int:
        """How many there were."""
        return sum(self.wrong.values())

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
            *mishearings.faults(),
            *reports.faults(),
            *neighbours.faults(),
            *others.faults(),
            *served.faults(),
            *strangers.faults(),
        ]
    names = Counter(fault.name for fault in found)
    if twice := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"two faults have one name: {twice[0]}")
    return found


def chosen(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """So many of them, spread over the kinds."""
    by_kind: dict[str, list[Fault]] = {}
    for fault in faults:
        by_kind.setdefault(fault.kind, []).append(fault)
    chance = random.Random(seed)
    groups = list(by_kind.values())
    chance.shuffle(groups)
    for group in groups:
        chance.shuffle(group)
    ordered = [fault for turn in range(len(faults)) for group in groups for fault in group[turn : turn + 1]]
    wanted = set(map(id, ordered[:count]))
    return [fault for fault in faults if id(fault) in wanted]


@contextlib.contextmanager
def _copy(template: Template, name: str) -> Iterator[Project]:
    project = template.copy(name)
    try:
        yield project
    finally:
        project.close()


def attempt(template: Template, number: int, fault: Fault | Kill) -> list[tuple[str, str]]:
    """Try one on a fresh copy; where the campaign itself fails, that is a violation, too, so that it is seen."""
    with _copy(template, f"p{number}") as project:
        try:
            return fault.violations(project)
        except Exception as error:
            return [("no verdict", f"the campaign could not try it: {type(error).__name__}: {error}"[:300])]


def run_all(template: Template, tries: Sequence[Fault | Kill], tally: Tally) -> None:
    """Try all of them, two at a time; results in their order."""
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = [pool.submit(attempt, template, number, fault) for number, fault in enumerate(tries)]
        for fault, job in zip(tries, jobs, strict=True):
            tally.add(fault.kind, fault.name, job.result())


def one_again(name: str, template: Template, sources: Sources, tally: Tally) -> None:
    """Try what a violation named, or every fault whose name begins so."""
    first, *rest = name.split("/")
    if first == "kill":
        run_all(template, [Kill(int(rest[0]), int(rest[1]))], tally)
    elif first == "fuzz":
        shown, violations = again(name, sources)
        print(shown)
        tally.add(f"fuzz: {rest[0]}", name, violations)
    elif first == "flip":
        for kind, flip, violations in flips(template.project.root, sources.record, sources.baseline, ALL, 0):
            if flip == name:
                tally.add(kind, flip, violations)
    else:
        run_all(template, [fault for fault in injected(template) if fault.name.startswith(name)], tally)
    if not tally.tried:
        raise SystemExit(f"nothing is called {name}; --list shows the names of the faults")


def campaign(counts: Mapping[str, int], seed: int, template: Template, sources: Sources, tally: Tally) -> None:
    """So many of each part, the part after the other."""
    run_all(template, chosen(injected(template), counts["faults"], seed), tally)
    run_all(template, [Kill(seed, number) for number in range(counts["kills"])], tally)
    if counts["flips"]:
        for kind, name, violations in flips(
            template.project.root, sources.record, sources.baseline, counts["flips"], seed
        ):
            tally.add(kind, name, violations)
    if counts["fuzz"]:
        learn(sources)
        for reader, name, violations in fuzz(counts["fuzz"], seed, JOBS, sources):
            tally.add(f"fuzz: {reader}", name, violations)


def main() -> int:
    """Run the campaign and print its table."""
    # A shell's background job ignores SIGINT, and so would every run that is sent one here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    options = _options()
    counts = dict.fromkeys(FORMS["long"], 0) if options.form is None else dict(FORMS[options.form])
    counts.update({part: value for part in counts if (value := getattr(options, part)) is not None})
    folder = Path(tempfile.mkdtemp(prefix="faults-"))
    tally, began = Tally(), time.monotonic()
    try:
        template = Template(folder, options.sabotage)
        project = template.project
        sources = Sources(project.root / "b.json", project.root / "rep", project.record_of("r2"))
        if options.list:
            print("\n".join(fault.name for fault in injected(template)))
            return 0
        if options.only:
            one_again(options.only, template, sources, tally)
        elif any(counts.values()):
            campaign(counts, options.seed, template, sources, tally)
        else:
            raise SystemExit("nothing to do; name --short, --long, or how many of something")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print_table(["kind", "tried", "right", *VIOLATIONS], tally.rows())
    if counts["faults"] and (missing := others.missing_plugins()):
        print(f"not tried, as they are not installed: {', '.join(missing)}")
    print(f"seed {options.seed}, {time.monotonic() - began:.0f} s, {tally.violations} violations")
    return 1 if tally.violations else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", dest="form", action="store_const", const="short", help="the form for CI")
    form.add_argument("--long", dest="form", action="store_const", const="long", help="all there is")
    parser.add_argument("--seed", type=int, default=1)
    for part in FORMS["long"]:
        parser.add_argument(f"--{part}", type=int, metavar="N", help=f"so many {part} in place of the form's")
    parser.add_argument("--only", metavar="NAME", help="one again, by its name, or all whose names begin so")
    parser.add_argument("--list", action="store_true", help="the names of all faults")
    parser.add_argument("--sabotage", type=Path, metavar="FILE", help="a pytest plugin that spoils every run")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
