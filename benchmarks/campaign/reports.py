"""Report folders that cannot be written, reports of earlier runs, and runs that are red by the gate alone."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from campaign.fault import Break, Fault, Wanted, nothing, spread, turn
from campaign.observed import Ended
from campaign.project import BASELINE, HEAR, REPORT, Project

LOSSY = "--t2a-interface=asr=transcripts:lossy.jsonl"


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, (makes, target) in TARGETS.items():
        breaks = _elsewhere(makes)
        yield from spread(
            "report cannot be written", place, breaks, "suite", HEAR, f"--t2a-report={target}", check=_says_why
        )
    for name in FILES:
        for what, (make, wanted) in IN_ITS_PLACE.items():
            yield from spread(
                "report cannot be written",
                f"{what} for {name}",
                _in_place(name, make),
                "suite",
                HEAR,
                REPORT,
                wanted=wanted,
                check=_says_why,
                modes=turn(what + name),
            )
    for place, (breaks, words) in ENDS_EARLY.items():
        # With workers, `pytest.exit` in an item is an internal error of xdist 3.8, with or without this plugin.
        yield from spread(
            "older report stays green",
            place,
            breaks,
            *words,
            REPORT,
            allowed=r"\w+Error" + ("|INTERNALERROR|exit status 3" if place == "pytest.exit in an item" else ""),
            swept=place not in _DIES,
            modes=_SINGLE if place == "killed before the first item" else None,
        )
    for place, rules in ALONE.items():
        yield from spread(
            "red by the gate alone",
            place,
            nothing,
            "suite",
            LOSSY,
            "--t2a-min-native=0",
            "--t2a-min-shapley=0",
            *rules,
            REPORT,
        )
    for place, hook in HOOKS.items():
        for depth in ("", "suite/"):
            breaks = _conftest(f"{depth}conftest.py", hook)
            yield from spread("hook against the run", f"{place} in {depth or '.'}", breaks, "suite", HEAR, REPORT)
    for place, hook in ODD_HOOKS.items():
        yield from spread(
            "hook that is odd",
            place,
            _conftest("conftest.py", hook),
            "suite",
            HEAR,
            REPORT,
            allowed=r"\w+Error|Traceback|INTERNALERROR|collect.py",
        )
    for place, (breaks, words) in TOLERATED.items():
        yield from spread("asks for no run", place, breaks, *words, wanted=Wanted.ORDINARY, check=_untouched)
    secret = Fault(
        "reads what it may not",
        "audio embedded",
        "alone",
        _secret,
        ("report", "rep", "--audio=embed"),
        Wanted.DECIDED,
        program="pytest_talk2agent.cli",
        check=_embedded,
    )
    yield secret


def _nothing_there(_: Project) -> None:
    """The target is the fault."""


def _elsewhere(makes: Break) -> Break:
    """A report in another folder: that of the run before, which this run does not name, is none of its business."""

    def breaks(project: Project) -> None:
        shutil.rmtree(project.root / "rep")
        makes(project)

    return breaks


TARGETS: Mapping[str, tuple[Break, str]] = {
    "a read-only file system": (_nothing_there, "/proc/t2a"),
    "another one": (_nothing_there, "/sys/t2a"),
    "a file": (lambda project: project.write("target", "x"), "target"),
    "below a file": (lambda project: project.write("target", "x"), "target/rep"),
    "a device": (_nothing_there, "/dev/null"),
    "a link to nowhere": (lambda project: (project.root / "target").symlink_to("/nowhere/at/all"), "target"),
    "a link to itself": (lambda project: (project.root / "target").symlink_to("target"), "target"),
    "a name too long": (_nothing_there, "x" * 300),
    "a path too long": (_nothing_there, "x/" * 3_000),
    "a fifo": (lambda project: os.mkfifo(project.root / "target"), "target"),
}
FILES = ("results.jsonl", "run.json", "summary.md", "report.html")


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _full(path: Path) -> None:
    path.mkdir()
    (path / "kept.txt").write_text("kept")


IN_ITS_PLACE: Mapping[str, tuple[Callable[[Path], None], Wanted]] = {
    "a folder": (_full, Wanted.RED),
    "a fifo": (_fifo, Wanted.DECIDED),
    "a link to nowhere": (lambda path: path.symlink_to("/nowhere/at/all"), Wanted.DECIDED),
}


def _in_place(name: str, make: Callable[[Path], None]) -> Break:
    def breaks(project: Project) -> None:
        (project.root / "rep" / name).unlink()
        make(project.root / "rep" / name)

    return breaks


def _says_why(_: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """A usage error, or the verdict with its reason: never a run that ends without a word."""
    if ended.status is not None and "GATE" not in ended.out and "report" not in ended.out:
        yield "no verdict", "it does not say that no report was written"


def _conftest(name: str, text: str) -> Break:
    return lambda project: project.write(name, text)


def _weights(project: Project) -> None:
    project.environment["CAMPAIGN_WEIGHTS"] = "2"


def _bad_file(project: Project) -> None:
    project.write("suite/bad.yaml", "instruction: [\nintentions: {}\n")


def _ini(project: Project) -> None:
    _bad_file(project)
    project.write("pytest.ini", "[pytest]\npythonpath = .\nt2a_interface = python:asr:R\n")


def _terminated(project: Project) -> None:
    project.forget()
    project.write(
        "conftest.py", "import os, signal\ndef pytest_runtest_setup(item): os.kill(os.getpid(), signal.SIGTERM)\n"
    )


def _killed(project: Project) -> None:
    project.write(
        "conftest.py", "import os, signal\ndef pytest_runtestloop(session): os.kill(os.getpid(), signal.SIGKILL)\n"
    )


_SINGLE = ("alone", "no-xdist")
_DIES = ("terminated in an item", "killed before the first item", "_exit in an item", "all workers lost")
ENDS_EARLY: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "refused by the baseline": (_weights, ("suite", HEAR, BASELINE)),
    "another suite than the baseline's": (
        lambda project: project.edit("suite/more.yaml", lambda text: text.replace("nginx", "redis")),
        ("suite", HEAR, BASELINE),
    ),
    "collection error": (_bad_file, ("suite", HEAR)),
    "collection error, interface in the ini file": (_ini, ("suite",)),
    "no such interface": (nothing, ("suite", "--t2a-interface=pithon:asr:R")),
    "no such module": (nothing, ("suite", "--t2a-interface=python:none:R")),
    "no such baseline": (nothing, ("suite", HEAR, "--t2a-baseline=none.json")),
    "an option without sense": (nothing, ("suite", HEAR, "--t2a-margin=many", BASELINE)),
    "a store that is a file": (lambda project: project.write("st", "x"), ("suite", HEAR, "--t2a-store=st")),
    "no such path": (nothing, ("nowhere", HEAR)),
    "conftest that cannot be imported": (_conftest("suite/conftest.py", "import no_such_module\n"), ("suite", HEAR)),
    "pytest.exit in a hook": (
        _conftest("conftest.py", "import pytest\ndef pytest_collection_modifyitems(): pytest.exit('enough', 2)\n"),
        ("suite", HEAR),
    ),
    "pytest.exit in an item": (
        _conftest("conftest.py", "import pytest\ndef pytest_runtest_setup(item): pytest.exit('enough', 1)\n"),
        ("suite", HEAR),
    ),
    "interrupted in an item": (
        _conftest("conftest.py", "def pytest_runtest_call(item): raise KeyboardInterrupt\n"),
        ("suite", HEAR),
    ),
    "terminated in an item": (_terminated, ("suite", HEAR)),
    "killed before the first item": (_killed, ("suite", HEAR)),
    "_exit in an item": (
        _conftest("conftest.py", "import os\ndef pytest_runtest_call(item): os._exit(9)\n"),
        ("suite", HEAR),
    ),
    "all workers lost": (
        _conftest("conftest.py", "import os\ndef pytest_runtest_call(item): os._exit(9)\n"),
        ("suite", HEAR, "--maxfail=1"),
    ),
}
"""Each folder holds the report of a green run. None of these may leave it."""

ALONE: Mapping[str, tuple[str, ...]] = {
    "mean": ("--t2a-fail-under=0.99",),
    "native": ("--t2a-fail-under=native=0.95",),
    "margin": ("--t2a-baseline=b.json", "--t2a-tolerance=1", "--t2a-margin=0.01"),
}

_GATE = "def pytest_t2a_gate(config, results, gate):\n    return {}\n"
HOOKS: Mapping[str, str] = {
    "a reason": _GATE.format("['not today']"),
    "a reason that looks at results": _GATE.format("[f'{len(results)} results'] if results else []"),
    "raised in a result": "def pytest_t2a_result(config, result): raise RuntimeError('not today')\n",
    "collected from results": "seen = []\ndef pytest_t2a_result(config, result): seen.append(result.task)\n"
    + _GATE.format("['seen ' + ', '.join(seen)] if seen else []"),
}
ODD_HOOKS: Mapping[str, str] = {
    "raises": "def pytest_t2a_gate(config, results, gate): raise RuntimeError('broken')\n",
    "returns a number": _GATE.format("7"),
    "returns numbers": _GATE.format("[7, None]"),
    "returns a text": _GATE.format("'not today'"),
    "raises for tasks": "def pytest_t2a_modify_tasks(config, path, tasks): raise RuntimeError('broken')\n",
    "no tasks": "def pytest_t2a_modify_tasks(config, path, tasks): tasks[:] = [None]\n",
    "raises for interfaces": "def pytest_t2a_interfaces(config): raise RuntimeError('broken')\n",
    "interfaces of nothing": "def pytest_t2a_interfaces(config): return {'odd': 'no.module:at_all'}\n"
    + _GATE.format("['odd']"),
}

TOLERATED: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "--fixtures": (nothing, ("suite", HEAR, BASELINE, "--t2a-update-baseline", REPORT, "--fixtures")),
    "--fixtures-per-test": (nothing, ("suite", HEAR, BASELINE, "--t2a-update-baseline", REPORT, "--fixtures-per-test")),
    "--collect-only": (nothing, ("suite", HEAR, BASELINE, "--t2a-update-baseline", REPORT, "--collect-only")),
    "--markers": (nothing, ("suite", HEAR, REPORT, "--markers")),
    "--help": (nothing, ("suite", HEAR, REPORT, "--help")),
    "--version": (nothing, (HEAR, "--version")),
    "--setup-plan": (lambda project: project.forget(), ("suite", HEAR, "--setup-plan")),
}


def _untouched(project: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """What runs nothing hears nothing, and leaves baseline and report as they are."""
    if ended.asked:
        yield "believed", f"{len(ended.asked)} recordings were heard"
    if len(json.loads(project.read("b.json"))["items"]["python-R"]) != 6:
        yield "wrong red", "the baseline was emptied"
    if ended.places["run.json"] != "green":
        yield "wrong red", "the report was emptied"


_SECRET = "-----BEGIN KEY----- " + "s3cret" * 20


def _secret(project: Project) -> None:
    """A report that names a file of its reader's as a recording."""
    secret = project.write("../" + f"key-{project.root.name}-{time.monotonic_ns()}", _SECRET)
    project.closing.append(secret.unlink)
    path = project.root / "rep" / "results.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["audio"] = str(secret.resolve())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _embedded(project: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    page = project.root / "rep" / "report.html"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    if base64.b64encode(_SECRET.encode()).decode()[:60] in text or "s3cret" in text + ended.out:
        yield "obeyed", "a file that is no recording of the run is in the page"
