"""The campaign of faults: its short form passes, and it can fail."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaign import fuzzing
from campaign.fault import Fault, Wanted, nothing
from campaign.flips import flip
from campaign.fuzzing import try_one
from campaign.kills import Kill
from campaign.mutations import bytes_of, value_of, words_of
from campaign.observed import Ended, look
from campaign.project import REPORT
from campaign.reader import Believed, Reader

ROOT = Path(__file__).parents[1]
PLACES = ("terminal", "run.json", "summary.md", "report.html", "job summary", "JUnit")
CAUGHT = "run-beside-its-baseline/a-candidate-that-loses-all/alone"
"""A fault that has always been noticed."""


def campaign(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "benchmarks/faults.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def tried(out: str) -> dict[str, int]:
    """How many of each kind, from the table."""
    rows = re.findall(r"^ *(\S.*?)  +(\d+)  +\d+(?:  +\d+)+$", out, re.MULTILINE)
    return {kind: int(count) for kind, count in rows}


def test_the_short_form_finds_nothing() -> None:
    done = campaign("--short")
    assert done.returncode == 0, done.stdout + done.stderr
    counts = tried(done.stdout)
    kills = sum(count for kind, count in counts.items() if kind.startswith("SIG"))
    fuzzed = sum(count for kind, count in counts.items() if kind.startswith("fuzz: "))
    flips = counts["bit of a record"] + counts["bit of a baseline"]
    assert (kills, fuzzed, flips) == (6, 2_500, 3_000)
    assert counts["all"] - kills - fuzzed - flips == 24
    assert "0 violations" in done.stdout


def test_the_long_form_has_at_least_500_faults_of_every_kind() -> None:
    names = campaign("--list").stdout.split()
    kinds = Counter(name.split("/")[0] for name in names)
    assert len(names) == len(set(names)) >= 500
    assert len(kinds) >= 40
    assert {name.rpartition("/")[2] for name in names} == {"alone", "workers", "no-xdist"}


def test_a_product_that_lets_a_fault_pass_is_told_on(tmp_path: Path) -> None:
    fine = campaign("--only", CAUGHT)
    assert fine.returncode == 0, fine.stdout + fine.stderr
    spoilt = tmp_path / "spoilt.py"
    spoilt.write_text(
        "import pytest\n\n@pytest.hookimpl(wrapper=True, tryfirst=True)\ndef pytest_sessionfinish(session):\n"
        "    yield\n    session.exitstatus = 0\n"
    )
    told = campaign("--only", CAUGHT, f"--sabotage={spoilt}")
    assert told.returncode == 1
    assert f"wrong green: {CAUGHT}: exit 0" in told.stdout


def test_what_is_called_nothing_is_an_error() -> None:
    assert campaign("--only", "no-such-fault").returncode not in (0,)
    assert campaign().returncode not in (0,)


def ended(status: int | None = 0, shown: str = "green", **more: Any) -> Ended:
    places = {**dict.fromkeys(PLACES, shown), **more.pop("places", {})}
    plain: dict[str, Any] = {"out": "", "raw": b"", "items": 6, "asked": [], "processes": [], "folders": []}
    return Ended(status=status, places=places, **{**plain, **more})


RED: dict[str, Any] = {"status": 1, "shown": "red"}


@pytest.mark.parametrize(
    ("wanted", "run", "found"),
    [
        (Wanted.RED, RED, []),
        (Wanted.RED, {}, ["wrong green"]),
        (Wanted.RED, {"status": 0, "shown": "red"}, ["wrong green"]),
        *[(Wanted.RED, {**RED, "places": {place: "green"}}, ["wrong green"]) for place in PLACES],
        (Wanted.RED, {"status": 4, "shown": "none"}, []),
        (Wanted.RED, {"status": None, "shown": "none"}, ["hang"]),
        (Wanted.RED, {"status": 3, "shown": "none"}, ["traceback"]),
        (Wanted.RED, {**RED, "out": "x.py:3: KeyError: 'detail'"}, ["traceback"]),
        (Wanted.RED, {**RED, "processes": ["sleep 90"]}, ["left over"]),
        (Wanted.RED, {**RED, "folders": ["t2a-x"]}, ["left over"]),
        (Wanted.GREEN, {}, []),
        (Wanted.GREEN, RED, ["wrong red"]),
        (Wanted.GREEN, {"places": {"JUnit": "red"}}, ["wrong red"]),
        (Wanted.GREEN, {"shown": "none"}, ["wrong red"]),
        (Wanted.LOST, {**RED, "items": 5}, []),
        (Wanted.LOST, {**RED, "items": 4}, ["no verdict"]),
        (Wanted.LOST, {"status": 4, "shown": "none", "items": None}, ["no verdict"]),
        (Wanted.DECIDED, {}, []),
        (Wanted.DECIDED, RED, []),
        (Wanted.DECIDED, {"status": 0, "shown": "none"}, ["no verdict", "wrong green"]),
        (Wanted.DECIDED, {"status": 1, "shown": "green"}, ["wrong green"]),
        (Wanted.ORDINARY, {"shown": "none"}, []),
        (Wanted.ORDINARY, {"shown": "none", "status": 1}, ["wrong red"]),
        (Wanted.ORDINARY, {}, ["wrong red"]),
    ],
)
def test_what_a_run_came_to_is_held_against_what_it_must(wanted: Wanted, run: dict[str, Any], found: list[str]) -> None:
    fault = Fault("kind", "place", "alone", nothing, ("suite", REPORT), wanted)
    assert sorted(what for what, _ in fault.wrong(ended(**run))) == found


def test_every_place_is_read(tmp_path: Path) -> None:
    (tmp_path / "rep").mkdir()
    files = {
        "out.txt": "1 passed\nGATE PASSED\n",
        "step.md": "## talk2agent: gate passed\n",
        "rep/run.json": '{"passed": true, "items": 6}',
        "rep/summary.md": "## talk2agent: gate passed\n",
        "rep/report.html": "<title>talk2agent: gate passed</title>",
        "junit.xml": '<testsuites><testsuite errors="0" failures="0" tests="6"/></testsuites>',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert look(tmp_path, tmp_path, 0, []).green == list(PLACES)
    for name, text in files.items():
        changed = text.replace("passed", "failed").replace("PASSED", "FAILED").replace("true", "false")
        (tmp_path / name).write_text(changed.replace('failures="0"', 'failures="1"').replace('"failed"', '"passed"'))
    assert look(tmp_path, tmp_path, 0, []).red == list(PLACES)


def reader(read: Any, *errors: type[Exception]) -> Reader:
    return Reader("some", lambda chance: chance.random(), read, errors)


def raises(error: BaseException) -> Any:
    def read(_: object) -> object:
        raise error

    return read


def test_an_input_ends_in_a_result_or_in_a_declared_error_of_a_line() -> None:
    assert try_one(reader(lambda _: 1), 1, 1) == []
    assert try_one(reader(raises(ValueError("one line")), ValueError), 1, 1) == []
    problems = ValueError("one\ntwo")
    problems.problems = (1, 2)  # type: ignore[attr-defined]
    assert try_one(reader(raises(problems), ValueError), 1, 1) == []


@pytest.mark.parametrize(
    ("read", "what"),
    [
        (raises(KeyError("detail")), "traceback"),
        (raises(SystemExit(0)), "traceback"),
        (raises(ValueError("")), "no verdict"),
        (raises(ValueError("one\ntwo")), "no verdict"),
        (raises(Believed("served")), "believed"),
    ],
)
def test_an_input_that_ends_otherwise_is_told_on(read: Any, what: str) -> None:
    assert [found for found, _ in try_one(reader(read, ValueError), 1, 1)] == [what]


def test_an_input_that_takes_for_ever_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "LIMIT", 0.1)

    def counts(_: object) -> object:
        while True:
            pass

    assert [found for found, _ in try_one(reader(counts), 1, 1)] == ["hang"]


def test_a_flip_that_is_not_noticed_is_told_on() -> None:
    assert flip(b"abc", 3, lambda data: None if data != b"abc" else "whole") == []
    assert [what for what, _ in flip(b"abc", 3, lambda _: "whole")] == ["believed"]
    assert [what for what, _ in flip(b"abc", 3, raises(KeyError("x")))] == ["traceback"]


def test_mutations_follow_from_the_seed_and_change_something() -> None:
    document: dict[str, Any] = {"a": [1, {"b": "c"}], "d": None}
    text = b'{"a": [1, 2], "b": "some words of a text"}\n' * 3
    mutations: list[tuple[Callable[[random.Random, Any], object], object]] = [
        (bytes_of, text),
        (value_of, document),
        (words_of, "Set the port to 8080 and restart"),
    ]
    for mutate, good in mutations:
        made = [repr(mutate(random.Random(seed), good)) for seed in range(200)]
        assert made == [repr(mutate(random.Random(seed), good)) for seed in range(200)]
        assert sum(one != repr(good) for one in made) > 150
    assert document == {"a": [1, {"b": "c"}], "d": None}


def test_kills_follow_from_the_seed_and_are_of_every_sort() -> None:
    plans = [Kill(1, number).plan for number in range(200)]
    assert plans == [Kill(1, number).plan for number in range(200)]
    assert {plan.mode for plan in plans} == {"alone", "workers"}
    assert {plan.target for plan in plans} == {"pytest", "group", "engine", "worker"}
    assert {plan.signal.name for plan in plans} == {"SIGKILL", "SIGTERM", "SIGINT"}
    assert {plan.program for plan in plans} == {True, False}


def test_an_internal_error_is_found_and_a_message_is_none() -> None:
    assert ended(out="ERROR x: no such recording").internal() is None
    assert ended(out="  Traceback (most recent call last):").internal() is not None
    assert ended(out="ERROR x: TypeError: not iterable").internal() is not None
    assert ended(out="ERROR x: TypeError: not iterable").internal("TypeError") is None
