"""What conftest files and other plugins can add."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

FAKE = "--t2a-interface=python:fake_asr:Recogniser"


def test_an_interface_of_a_hook(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    pytester.makeconftest('def pytest_t2a_interfaces(config):\n    return {"mine": "mine:make"}\n')
    pytester.makepyfile(
        mine="""
        from pytest_talk2agent.interfaces.utterance import Hypothesis

        class Mine:
            hears = True
            capabilities = frozenset()
            def check(self): pass
            def identity(self): return {"name": "mine"}
            def transcribe(self, batch): return [Hypothesis(u.instruction) for u in batch]

        def make(spec): return Mine()
        """
    )
    run(heard_tasks, "--t2a-interface=mine").assert_outcomes(passed=2)


def test_a_judge_of_a_hook(run: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeini("[pytest]\npythonpath = .\n")
    pytester.makeconftest('def pytest_t2a_judges(config):\n    return {"strict": "strict:make"}\n')
    pytester.makepyfile(
        strict="""
        from pytest_talk2agent.judging.judgement import Finding, Judgement, Label

        class Strict:
            fingerprint = "strict/1"
            def judge(self, case):
                lost = Finding(Label.OMITTED, "nothing pleases me", "something")
                return Judgement({name: lost for name in case.intentions}, self.fingerprint)

        def make(argument): return Strict()
        """
    )
    result = run(tasks, "--t2a-interface=text", "--t2a-judge=strict")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*nothing pleases me*"])


def test_an_unknown_judge_is_a_usage_error(alone: Run, tasks: Path) -> None:
    result = alone(tasks, "--t2a-interface=text", "--t2a-judge=lexicl")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: judge 'lexicl': unknown judge 'lexicl'; did you mean 'lexical'*"])


def test_tasks_results_and_gate(run: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest(
        """
        def pytest_t2a_modify_tasks(path, tasks):
            tasks[:] = [task for task in tasks if "set-port" in task.id]

        def pytest_t2a_result(result):
            with open("seen.txt", "a") as stream:
                stream.write(f"{result.task}\\n")

        def pytest_t2a_gate(results, gate):
            assert gate.passed
            return [f"{len(results)} results are not enough"]
        """
    )
    result = run(tasks, "--t2a-interface=text")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: 1 results are not enough"])
    assert (pytester.path / "seen.txt").read_text(encoding="utf-8") == "files/set-port\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("raise RuntimeError('no\\nlist')", "a pytest_t2a_interfaces hook failed: RuntimeError: no list"),
        ("return ['mine']", "*hook returned *'mine'*; return a mapping of names to 'module:attribute'"),
        ("return {'mine': 7}", "*hook returned *7*; return a mapping of names to 'module:attribute'"),
    ],
)
def test_a_hook_that_names_no_interfaces_is_a_usage_error(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path, body: str, line: str
) -> None:
    pytester.makeconftest(f"def pytest_t2a_interfaces(config):\n    {body}\n")
    result = run(heard_tasks, FAKE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    result.stderr.fnmatch_lines([f"ERROR: {line}"])


@pytest.mark.parametrize("option", ["--setup-plan", "--collect-only"])
def test_what_runs_nothing_hears_nothing(run: Run, pytester: pytest.Pytester, heard_tasks: Path, option: str) -> None:
    result = run(heard_tasks, FAKE, option)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*GATE*")
    assert not (pytester.path / "asked.txt").exists()
