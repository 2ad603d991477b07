"""Which files become tasks, and how a bad one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import TASKS, Run

TEXT = "--t2a-interface=text"


def test_a_folder_gives_its_task_files_and_no_other_yaml(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    (pytester.path / "compose.yaml").write_text("services: {web: {image: nginx}}\n", encoding="utf-8")
    (pytester.path / "broken.yml").write_text("a: [\n", encoding="utf-8")
    (pytester.path / "more.yml").write_text(TASKS.replace("files/", "more/"), encoding="utf-8")
    alone(pytester.path, TEXT).assert_outcomes(passed=4)


def test_a_named_file_must_hold_tasks(alone: Run, pytester: pytest.Pytester) -> None:
    path = pytester.path / "compose.yaml"
    path.write_text("services: {web: {image: nginx}}\n", encoding="utf-8")
    result = alone(path, TEXT)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: not found: *compose.yaml"])


def test_python_tests_beside_tasks_still_run(run: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makepyfile(test_other="def test_one(): pass")
    run(pytester.path, TEXT).assert_outcomes(passed=3)


BAD = {
    "unknown-key": (TASKS + "instrukshun: x\n", "*tasks.yaml:19:1: unknown key*instruction*"),
    "tab": ("id: a\n\tinstruction: x\n", "*tasks.yaml:2:*tab*"),
    "tag": ("id: a\ninstruction: !!python/object/apply:os.system [id]\nintentions: {}\n", "*tasks.yaml:2:14: *tag*"),
    "bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9))
        + "id: a\ninstruction: x\nintentions: {b: {say: c}}\n",
        "*tasks.yaml:*alias*",
    ),
    "duplicate": (f"{TASKS}---\n{TASKS}", "*tasks.yaml:20:5: *files/copy-report*line 1*"),
    "colons": (TASKS.replace("files/set-port", "files::set-port"), "*tasks.yaml:11:5: *files::set-port*"),
    "cycle": (TASKS + "let: {a: b, b: a}\n", "*tasks.yaml:19:*circle*"),
    "threshold": (TASKS + "thresholds: {native: 1.5}\n", "*tasks.yaml:19:22: *1.5*"),
    "threshold-word": (TASKS + "thresholds: {native: high}\n", "*tasks.yaml:19:22: *high*"),
    "not-an-intention": (TASKS.replace("0.5*port +", "0.5*prt +"), "*tasks.yaml:18:12: *prt*port*"),
    "entangled": (None, "*entangled.yaml:*60*Split*"),
}


def entangled() -> str:
    """A threshold over sixty weights without a common grid: no exact answer within the limits."""
    names = [f"i{n}" for n in range(60)]
    weights = " + ".join(f"{name}/{prime}" for name, prime in zip(names, PRIMES, strict=True))
    intentions = "".join(f"  {name}: {{say: {name}, kind: term}}\n" for name in names)
    return f"id: a\ninstruction: {' '.join(names)}\nintentions:\n{intentions}value: steps({weights}, 0.1, 1, 0)\n"


PRIMES = [n for n in range(101, 600) if all(n % d for d in range(2, n))][:60]


@pytest.mark.parametrize("name", [name for name in BAD if name != "entangled"])
def test_a_bad_file_is_one_clear_line_and_no_traceback(alone: Run, tasks: Path, name: str) -> None:
    content, message = BAD[name]
    assert content is not None
    tasks.write_text(content, encoding="utf-8")
    result = alone(tasks, TEXT)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([message])
    assert "Traceback" not in result.stdout.str()


def test_an_entangled_grader_is_an_error_with_its_cure(alone: Run, pytester: pytest.Pytester) -> None:
    path = pytester.path / "entangled.yaml"
    path.write_text(entangled(), encoding="utf-8")
    result = alone(path, TEXT)
    assert result.ret == 1
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*entangled.yaml:64:14: *no exact Shapley value: *grid*", "GATE FAILED: *could not be judged*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_bad_file_under_workers_is_red(pytester: pytest.Pytester, tasks: Path) -> None:
    pytest.importorskip("xdist")
    tasks.write_text(TASKS + "instrukshun: x\n", encoding="utf-8")
    result = pytester.runpytest_subprocess("-n", "2", tasks, TEXT)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*unknown key*"])


def test_an_empty_file_is_an_error(alone: Run, pytester: pytest.Pytester) -> None:
    path = pytester.path / "empty.yaml"
    path.write_text("", encoding="utf-8")
    result = alone(path, TEXT)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: not found: *empty.yaml"])


def test_a_bad_file_does_not_take_the_others_along(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    bad = pytester.path / "bad.yaml"
    bad.write_text("id: a\ninstruction: [x]\n", encoding="utf-8")
    result = alone(pytester.path, TEXT, "--continue-on-collection-errors")
    result.assert_outcomes(passed=2, errors=1)
    assert result.ret != 0
