"""One model process for all workers, and what happens when it dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run, lines_of

FAKE = "--t2a-interface=python:fake_asr:Recogniser"


def run_with_workers(pytester: pytest.Pytester, *arguments: object) -> pytest.RunResult:
    pytest.importorskip("xdist")
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


FAULTS = {
    "ended by itself with exit status 3": "os._exit(3)",
    "ended by itself with exit status 0": "import ctypes; ctypes.CDLL(None).exit(0)",
    "was ended by SIGKILL": "os.kill(os.getpid(), 9)",
    "was ended by SIGTERM": "os.kill(os.getpid(), 15)",
    "was ended by SIGHUP": "os.kill(os.getpid(), 1)",
    "was ended by SIGSEGV": "import ctypes; ctypes.string_at(0)",
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_recogniser_that_ends_its_process_makes_an_error_of_what_it_was_hearing(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path, how: str
) -> None:
    module = pytester.path / "fake_asr.py"
    text = module.read_text(encoding="utf-8")
    dies = (
        "        if batch[0].path.stem == 'port':\n"
        f"            import sys; print('out of memory', file=sys.stderr, flush=True); {FAULTS[how]}\n"
        "        texts ="
    )
    module.write_text(text.replace("        texts =", dies), encoding="utf-8")
    result = run(heard_tasks, FAKE)
    result.assert_outcomes(passed=1, errors=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [f"*the process that runs it {how}; its last words: *out of memory*", "GATE FAILED: *files/set-port*"]
    )


@pytest.mark.parametrize("fault", ["os._exit(0)", "exit(0)", "import ctypes; ctypes.CDLL(None).exit(0)"])
def test_a_recogniser_that_ends_the_process_at_import_is_red(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path, fault: str
) -> None:
    module = pytester.path / "fake_asr.py"
    module.write_text(f"import os\n{fault}\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    result = run(heard_tasks, FAKE)
    result.assert_outcomes(errors=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: *2 items could not be judged*"])


def test_what_ends_the_process_says_no_build_either(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    base = "--t2a-baseline=base.json"
    assert run(heard_tasks, FAKE, base, "--t2a-update-baseline").ret == 0
    module = pytester.path / "fake_asr.py"
    module.write_text(f"import os\nos._exit(0)\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    result = run(heard_tasks, FAKE, base)
    result.assert_outcomes(errors=2)
    assert result.ret == 1


def test_a_recogniser_that_hangs_is_ended(run: Run, pytester: pytest.Pytester, heard_tasks: Path) -> None:
    module = pytester.path / "fake_asr.py"
    text = module.read_text(encoding="utf-8")
    hangs = "        if batch[0].path.stem == 'port':\n            import time; time.sleep(600)\n        texts ="
    module.write_text(text.replace("        texts =", hangs), encoding="utf-8")
    result = run(heard_tasks, "--t2a-interface=python?timeout=5:fake_asr:Recogniser")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*took longer than 5 s*", "GATE FAILED: *files/set-port*"])


def test_a_time_limit_is_for_the_test_and_not_for_the_queue(
    run: Run, pytester: pytest.Pytester, heard_tasks: Path
) -> None:
    module = pytester.path / "fake_asr.py"
    text = module.read_text(encoding="utf-8")
    slow = "        import time; time.sleep(1)\n        texts ="
    module.write_text(text.replace("        texts =", slow), encoding="utf-8")
    pytester.makeconftest(
        "from pathlib import Path\n"
        "import pytest\n"
        "@pytest.hookimpl(wrapper=True)\n"
        "def pytest_runtest_protocol(item):\n"
        "    name = 'port.wav' if 'set-port' in item.name else 'report.wav'\n"
        "    asked = Path('asked.txt')\n"
        "    with open('heard.txt', 'a') as stream:\n"
        "        print(asked.exists() and name in asked.read_text(), file=stream)\n"
        "    return (yield)\n"
    )
    run(heard_tasks, FAKE).assert_outcomes(passed=2)
    assert lines_of(pytester.path / "heard.txt") == ["True", "True"], "heard before the item's own time begins"


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
