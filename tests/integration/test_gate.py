"""The gate is red when anything is missing, also when nothing was judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import TASKS, Run

TEXT = "--t2a-interface=text"


def test_nothing_selected_is_red(run: Run, tasks: Path) -> None:
    result = run(tasks, TEXT, "-k", "no-such-task")
    assert result.ret != 0
    result.stdout.fnmatch_lines(["GATE FAILED: nothing was judged"])


def test_an_interface_named_and_no_task_found_is_red(alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")
    result = alone(TEXT)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["GATE FAILED: nothing was judged"])


def test_a_run_that_a_hook_ends_before_it_begins_is_red(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest("import pytest\ndef pytest_sessionstart(): pytest.exit('all is well', returncode=0)\n")
    result = alone(tasks, TEXT)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["GATE FAILED: the run was ended before it began"])


def test_a_run_without_a_gate_may_be_ended_before_it_begins(alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")
    pytester.makeconftest("import pytest\ndef pytest_sessionstart(): pytest.exit('all is well', returncode=0)\n")
    result = alone()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*GATE*")


def test_skipping_everything_is_red(alone: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items: item.add_marker(pytest.mark.skip)\n"
    )
    result = alone(tasks, TEXT)
    result.assert_outcomes(skipped=2, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: nothing was judged*"])


def test_a_task_with_nothing_to_lose_is_reported_and_left_out(run: Run, tasks: Path) -> None:
    undefined = TASKS.replace("0.5*port + 0.5*service", "0.5 + 0*port + 0*service")
    tasks.write_text(undefined, encoding="utf-8")
    result = run(tasks, TEXT, "-rs")
    result.assert_outcomes(passed=1, skipped=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["not in the means: 1 item*", "GATE PASSED", "*undefined: *nothing to lose*"])


def test_a_run_of_nothing_but_such_tasks_is_red(alone: Run, tasks: Path) -> None:
    document = TASKS.split("---\n")[1].replace("0.5*port + 0.5*service", "0.5 + 0*port + 0*service")
    tasks.write_text(document, encoding="utf-8")
    result = alone(tasks, TEXT)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: nothing was judged"])


def test_a_failing_teardown_makes_an_error_of_a_judged_item(run: Run, pytester: pytest.Pytester, tasks: Path) -> None:
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def clean(request):
            yield
            assert "set-port" not in request.node.name
        """
    )
    result = run(tasks, TEXT)
    result.assert_outcomes(passed=2, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: 1 item could not be judged: files/set-port?text]"])


def test_an_ordinary_run_says_nothing(alone: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")
    result = alone()
    assert result.ret == 0
    assert "talk2agent:" not in result.stdout.str()
    assert "GATE" not in result.stdout.str()
