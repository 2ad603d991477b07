"""The release as a whole: margin, means, shares, tasks that must pass; the same verdict offline."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_talk2agent.cli import main
from tests.conftest import Run, Transcripts

COUNT = 12
TASK = """\
id: ports/set-{n}
instruction: Set the port to {port} and restart nginx.
intentions:
  port: {{say: "{port}", kind: number}}
  service: {{say: nginx, kind: term}}
value: 0.5*port + 0.5*service
"""
SPEC = "--t2a-interface=rc=transcripts:rc.jsonl"
BASE = "--t2a-baseline=base.json"
Heard = Callable[..., None]


@pytest.fixture
def ports(pytester: pytest.Pytester) -> Path:
    """Twelve tasks with a number each."""
    path = pytester.path / "ports.yaml"
    path.write_text("---\n".join(TASK.format(n=n, port=8100 + n) for n in range(COUNT)), encoding="utf-8")
    return path


@pytest.fixture
def heard(transcripts: Transcripts) -> Heard:
    """What the candidate heard: another number in the tasks that are named."""

    def write(*lossy: int, name: str = "rc.jsonl") -> None:
        texts = {f"ports/set-{n}": f"Set the port to {9100 if n in lossy else 8100 + n} and restart nginx."
                 for n in range(COUNT)}  # fmt: skip
        transcripts(texts, name)

    return write


@pytest.fixture
def base(alone: Run, ports: Path, heard: Heard) -> Path:
    """A baseline that lost one number."""
    heard(0, name="main.jsonl")
    result = alone(ports, "--t2a-interface=main=transcripts:main.jsonl", BASE, "--t2a-update-baseline")
    assert result.ret == 0
    return ports.with_name("base.json")


def test_with_a_margin_an_item_may_fall_while_the_suite_holds(run: Run, ports: Path, base: Path, heard: Heard) -> None:
    heard(1)
    result = run(ports, SPEC, BASE, "--t2a-margin=0.2")
    result.assert_outcomes(passed=COUNT)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "rc against main: means over tasks (12 tasks, 12 items)",
            "metric  *",
            "native  * -0.2 * not regressed",
            "GATE PASSED",
        ]
    )


def test_a_regression_of_the_suite_fails_the_gate_and_no_item(run: Run, ports: Path, base: Path, heard: Heard) -> None:
    heard(*range(COUNT))
    result = run(ports, SPEC, BASE, "--t2a-margin=0.1")
    result.assert_outcomes(passed=COUNT, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "rc against main: intentions lost, by kind",
            "number  12 * 1 * 12 * 11 * regressed",
            "note: rc: all 12 intentions of kind number are lost",
            "GATE FAILED: rc: regressed: native by *",
        ]
    )


def test_what_is_undecided_fails_unless_it_may_pass(alone: Run, ports: Path, base: Path, heard: Heard) -> None:
    heard(1, 2, 3)
    result = alone(ports, SPEC, BASE, "--t2a-margin=0.1")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "note: rc: native, shapley, lost undecided: about * tasks (12 now) would decide if the difference stays",
            "GATE FAILED: rc: undecided: native by * against main, margin 0.1; *",
        ]
    )
    assert alone(ports, SPEC, BASE, "--t2a-margin=0.1", "--t2a-inconclusive=pass").ret == 0


def test_a_margin_needs_a_baseline(alone: Run, ports: Path) -> None:
    result = alone(ports, "--t2a-interface=text", "--t2a-margin=0.1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --t2a-margin needs --t2a-baseline=FILE: what the run is compared with"])


def test_setting_a_baseline_compares_nothing(alone: Run, ports: Path, base: Path, heard: Heard) -> None:
    heard(*range(COUNT))
    assert alone(ports, SPEC, BASE, "--t2a-margin=0.1", "--t2a-update-baseline").ret == 0


def test_new_items_are_added_and_the_others_compared(alone: Run, ports: Path, base: Path, heard: Heard) -> None:
    heard(*range(COUNT))
    assert alone(ports, SPEC, BASE, "--t2a-margin=0.1", "--t2a-update-baseline=new").ret == 0
    heard(*range(COUNT), name="main.jsonl")
    main_spec = "--t2a-interface=main=transcripts:main.jsonl"
    assert alone(ports, main_spec, BASE, "--t2a-margin=0.1", "--t2a-update-baseline=new").ret == 1


@pytest.mark.parametrize("how", ["tag", "ini"])
def test_a_task_that_must_pass_is_held_to_its_baseline(
    alone: Run, pytester: pytest.Pytester, ports: Path, base: Path, heard: Heard, how: str
) -> None:
    if how == "tag":
        ports.write_text(
            ports.read_text(encoding="utf-8").replace("id: ports/set-1\n", "id: ports/set-1\ntags: [must-pass]\n"),
            encoding="utf-8",
        )
    else:
        pytester.makeini("[pytest]\nt2a_must_pass = ports/set-1\n")
    heard(1)
    result = alone(ports, SPEC, BASE, "--t2a-margin=0.2", "--t2a-tolerance=0.5")
    result.assert_outcomes(passed=COUNT - 1, failed=1)
    result.stdout.fnmatch_lines(["port: wanted *; native 0.5 < baseline 1*", "GATE FAILED: 1 item failed: ports/set-*"])


def test_without_a_baseline_what_must_pass_must_keep_everything(alone: Run, ports: Path, heard: Heard) -> None:
    ports.with_name("pytest.ini").write_text(
        "[pytest]\nt2a_must_pass =\n    ports/set-1\n    git/*\n", encoding="utf-8"
    )
    heard(0, 1)
    result = alone(ports, SPEC, "--t2a-fail-under=0.5")
    result.assert_outcomes(passed=COUNT - 1, failed=1)
    result.stdout.fnmatch_lines(["note: t2a_must_pass: git/[*] matches no task of this run", "*failed: ports/set-1*"])


def test_a_mean_in_place_of_items(alone: Run, ports: Path, heard: Heard) -> None:
    heard(0, 1)
    result = alone(ports, SPEC, "--t2a-fail-under=0.9")
    result.assert_outcomes(passed=COUNT)
    assert result.ret == 0
    result = alone(ports, SPEC, "--t2a-fail-under=native=0.95,shapley=0.9")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: rc: mean native 0.917 < 0.95"])


def test_too_many_empty_transcripts(alone: Run, pytester: pytest.Pytester, ports: Path, heard: Heard) -> None:
    heard()
    path = pytester.path / "rc.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[0] = json.dumps({"task": "ports/set-0", "transcript": ""})
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = alone(ports, SPEC, "--t2a-min-native=0", "--t2a-min-shapley=0", "--t2a-max-empty=0.05")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: rc: 1 of 12 transcripts empty, more than 0.05"])
    assert alone(ports, SPEC, "--t2a-min-native=0", "--t2a-min-shapley=0", "--t2a-max-empty=0.1").ret == 0


@pytest.mark.parametrize(
    ("lossy", "options"),
    [
        ((1,), ("margin=0.2",)),
        ((1, 2, 3), ("margin=0.1",)),
        (tuple(range(COUNT)), ("margin=0.1", "max-unresolved=0")),
        ((1,), ("tolerance=0.1",)),
        ((1,), ("min-native=0.5", "fail-under=0.99")),
    ],
)
def test_offline_the_same_verdict(
    alone: Run,
    pytester: pytest.Pytester,
    ports: Path,
    base: Path,
    heard: Heard,
    capsys: pytest.CaptureFixture[str],
    lossy: tuple[int, ...],
    options: tuple[str, ...],
) -> None:
    heard(*lossy)
    result = alone(ports, SPEC, BASE, "--t2a-report=out", *(f"--t2a-{option}" for option in options))
    saved = json.loads((pytester.path / "out" / "run.json").read_text(encoding="utf-8"))
    assert set(saved["rules"]["margin"].values()) <= {"1/5", "1/10"}
    capsys.readouterr()
    status = main(["regate", "out", "--baseline=base.json", "--json", *(f"--{option}" for option in options)])
    again = json.loads(capsys.readouterr().out)
    assert status == result.ret
    for name in ("passed", "reasons", "remarks", "comparisons"):
        assert again[name] == saved[name]


def test_offline_two_runs_are_compared(
    alone: Run, pytester: pytest.Pytester, ports: Path, base: Path, heard: Heard, capsys: pytest.CaptureFixture[str]
) -> None:
    heard(*range(COUNT))
    alone(ports, SPEC, "--t2a-report=out", "--t2a-fail-under=0")
    capsys.readouterr()
    assert main(["compare", "base.json", "out", "--margin=0.1"]) == 1
    assert "regressed: native" in capsys.readouterr().out
    assert main(["compare", "out", "base.json", "--margin=0.1"]) == 0
    assert main(["compare", "out", "out", "--margin=0"]) == 0
