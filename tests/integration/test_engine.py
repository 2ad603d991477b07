"""One model process for all workers, and what happens when it dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import lines_of

pytest.importorskip("xdist")
FAKE = "--t2a-interface=python:fake_asr:Recogniser"


def run_with_workers(pytester: pytest.Pytester, *arguments: object) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider", *map(str, arguments))


def test_the_model_is_loaded_once_and_not_in_a_worker(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    pytester.makeconftest("import os\nprint(os.getpid(), file=open('workers.txt', 'a'))\n")
    result = run_with_workers(pytester, heard_tasks, FAKE)
    result.assert_outcomes(passed=2)
    loads = lines_of(pytester.path / "loads.txt")
    assert len(loads) == 1
    assert loads[0] not in lines_of(pytester.path / "workers.txt")


def test_the_rows_are_those_of_one_process(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    alone = pytester.runpytest_subprocess(heard_tasks, FAKE, "-v", "--t2a-store=one")
    shared = run_with_workers(pytester, heard_tasks, FAKE, "-v", "--t2a-store=two")
    rows = [
        [line for line in result.outlines if line.startswith(("files/", "item ", "condition ", "python", "GATE"))]
        for result in (alone, shared)
    ]
    assert rows[0] == rows[1]
    assert rows[0][-1] == "GATE PASSED"


def test_a_run_without_spoken_tasks_starts_no_server(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    pytester.makeconftest(
        "import pytest_talk2agent.engine.owner as owner\n"
        "owner.ServerOwner._start = lambda self: open('started.txt', 'w')\n"
    )
    run_with_workers(pytester).assert_outcomes(passed=1)
    assert not (pytester.path / "started.txt").exists()


@pytest.mark.parametrize("fault", ["os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_dead_server_makes_items_errors_with_its_last_words(
    pytester: pytest.Pytester, heard_tasks: Path, fault: str
) -> None:
    module = pytester.path / "fake_asr.py"
    text = module.read_text(encoding="utf-8")
    dies = f"        import sys; print('out of memory', file=sys.stderr, flush=True); {fault}\n        texts ="
    module.write_text(text.replace("        texts =", dies), encoding="utf-8")
    result = run_with_workers(pytester, heard_tasks, FAKE)
    result.assert_outcomes(errors=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*the model server is gone; its last words: *out of memory*", "GATE FAILED: *"])


def test_a_model_that_cannot_be_loaded_is_one_line(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    module = pytester.path / "fake_asr.py"
    module.write_text(
        "class Recogniser:\n    def __init__(self):\n        raise OSError('no room')\n", encoding="utf-8"
    )
    for result in (
        run_with_workers(pytester, heard_tasks, FAKE),
        pytester.runpytest_subprocess(heard_tasks, FAKE),
    ):
        assert result.ret == 1
        assert "no room" in result.stdout.str()
        assert "Traceback" not in result.stdout.str()


def test_a_worker_that_dies_makes_the_gate_red(pytester: pytest.Pytester, heard_tasks: Path) -> None:
    pytester.makeconftest(
        "import os\ndef pytest_runtest_call(item):\n    if 'set-port' in item.name:\n        os._exit(1)\n"
    )
    result = run_with_workers(pytester, heard_tasks, FAKE)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: *files/set-port*"])
