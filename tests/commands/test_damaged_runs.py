"""Damaged run folders and baselines: whatever stands in them, a command ends with a status and one line."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.cli import main
from pytest_talk2agent.grading.grader_source import GraderSource
from pytest_talk2agent.results.task_result import TaskResult, Visible
from pytest_talk2agent.results.verdict import Limits
from tests.analysis.test_decision import suite
from tests.commands.conftest import Save, Say
from tests.results.builders import baseline


def rows() -> list[TaskResult]:
    """Results in which every optional field is there once."""
    held = [replace(row, limits=Limits({}, own={})) for row in suite(3, 0)]
    heard = replace(
        held[1].transcript,
        raw="a",
        repair={"changes": [], "detail": {"cost": 0.1}},
        detail={"cost": "0.2", "suspect": ["repetition"]},
        silence={"text": "", "terms": 1},
        offered=("nginx",),
        sent=("nginx",),
    )
    held[1] = replace(
        held[1],
        transcript=heard,
        raw=held[1].judgement,
        visible=Visible(("a",), ("b",), Fraction(1, 2), checked=True),
        grader=GraderSource("0.5*port + 0.5*service", {"port": Fraction(0), "service": Fraction(0)}),
    )
    return held


@pytest.fixture
def run(save: Save) -> Path:
    return save("run", rows(), {"f::e": "no audio"})


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.json"
    baseline(path, *rows()).save()
    return path


def commands(run: Path, base: Path) -> list[list[str]]:
    page = f"--out={run.parent / 'page.html'}"
    return [
        ["regate", str(run)],
        ["regate", str(run), f"--baseline={base}", "--margin=0.1"],
        ["compare", str(base), str(run)],
        ["report", str(run), page],
        ["report", str(run), f"--baseline={base}", page],
        ["eval-results", str(run), "--dataset=a/b", f"--out={run.parent / 'eval'}"],
    ]


def an_endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def deep_values(path: Path) -> None:
    path.write_text("[" * 100_000 + "\n", encoding="utf-8")


@pytest.mark.parametrize("file", ["results.jsonl", "run.json", "base.json"])
@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo, an_endless_device, deep_values])
def test_what_is_no_file_of_ours_is_one_line(
    complain: Say, run: Path, base: Path, file: str, put: Callable[[Path], object]
) -> None:
    path = base if file == "base.json" else run / file
    path.unlink()
    put(path)
    for command in commands(run, base):
        if file != "base.json" or any(str(base) in argument for argument in command):
            assert complain(*command).startswith(str(path))


ODD: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "1/0",
        "1e999999999",
        "\ud83d",
        "\n",
        [],
        {},
        [[]],
        {"a": 1},
        ["a"],
        [1],
    ),
    *("9" * 5000, float("nan"), [None], {"": None}, "-5", "a::b", "command:", "whisper:x?y", "port", ["port"], "0.5"),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key)
        yield from places(inner, (*path, key))


def damaged(document: Any, place: int, odd: Any, *, gone: bool) -> Any:
    """A copy with one value gone, or another one in its place."""
    found = copy.deepcopy(document)
    path = (every := list(places(found)))[place % len(every)]
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    if gone:
        del inside[path[-1]]
    else:
        inside[path[-1]] = copy.deepcopy(odd)
    return found


def statuses(arguments: list[list[str]], capsys: pytest.CaptureFixture[str]) -> set[int]:
    found = set()
    for command in arguments:
        status = main(command)
        said = capsys.readouterr().err
        assert (status == 2) == (said.count("\n") == 1), f"{command}: {said}"
        found.add(status)
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.integers(0, 10_000), st.sampled_from(range(len(ODD))), st.booleans(), st.sampled_from(["row", "run", "base"]))
def test_any_odd_value_is_one_line_or_none_at_all(
    run: Path, base: Path, capsys: pytest.CaptureFixture[str], place: int, odd: int, gone: bool, file: str
) -> None:
    path = {"row": run / "results.jsonl", "run": run / "run.json", "base": base}[file]
    whole = path.read_text(encoding="utf-8")
    first, newline, rest = whole.partition("\n") if file == "row" else (whole, "", "")
    changed = json.dumps(damaged(json.loads(first), place, ODD[odd], gone=gone))
    path.write_text(changed + newline + rest, encoding="utf-8")
    try:
        accepted = [["accept", str(base)]] if file == "base" else []
        assert statuses(commands(run, base) + accepted, capsys) <= {0, 1, 2}
    finally:
        path.write_text(whole, encoding="utf-8")
