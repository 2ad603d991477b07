"""Beside other plugins: an item is what it is, whatever becomes of its node id, and everybody sees the verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import LOSSY, PERFECT, PORT, TASKS, Run, Transcripts

TEXT = "--t2a-interface=text"
LOOSE = ("--t2a-min-native=0", "--t2a-min-shapley=0")
ASR = "--t2a-interface=asr=transcripts:asr.jsonl"


@pytest.fixture
def suite(pytester: pytest.Pytester, transcripts: Transcripts) -> Path:
    """A suite in a folder of its own, and a transcript that loses something."""
    folder = pytester.path / "suite"
    folder.mkdir()
    (folder / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    transcripts(LOSSY)
    return folder


def verdict_in(folder: Path) -> object:
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))["passed"]


class TestHooks:
    def test_a_conftest_below_the_root_directory_is_asked_in_every_mode(self, run: Run, suite: Path) -> None:
        (suite / "helper.py").write_text("WORDS = 'something lost in '\n", encoding="utf-8")
        (suite / "__init__.py").touch()
        (suite / "conftest.py").write_text(
            "from .helper import WORDS\n"
            "def pytest_t2a_result(result):\n"
            "    with open('seen.txt', 'a') as stream: print(result.task, file=stream)\n"
            "def pytest_t2a_gate(results, gate):\n"
            "    return [WORDS + r.task for r in results if r.lost()]\n",
            encoding="utf-8",
        )
        result = run("suite", ASR, *LOOSE)
        assert result.ret == 1
        result.stdout.fnmatch_lines([f"GATE FAILED: something lost in {PORT}"])
        assert len((suite.parent / "seen.txt").read_text(encoding="utf-8").splitlines()) == 2

    def test_tasks_that_a_conftest_changes_are_those_of_the_baseline(self, run: Run, suite: Path) -> None:
        (suite / "conftest.py").write_text(
            "def pytest_t2a_modify_tasks(path, tasks):\n"
            "    tasks[:] = [t.model_copy(update={'instruction': t.instruction + ' Please.'}) for t in tasks]\n",
            encoding="utf-8",
        )
        base = "--t2a-baseline=base.json"
        assert run("suite", TEXT, base, "--t2a-update-baseline").ret == 0
        assert run("suite", TEXT, base).ret == 0


class TestIdentity:
    def test_suites_of_the_same_names_outside_the_root_directory_are_two(
        self, run: Run, pytester: pytest.Pytester, suite: Path, transcripts: Transcripts
    ) -> None:
        other = pytester.path / "other"
        other.mkdir()
        (other / "tasks.yaml").write_text(TASKS.replace("8080", "8081"), encoding="utf-8")
        (pytester.path / "ci").mkdir()
        (pytester.path / "ci" / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        result = run("-c", "ci/pytest.ini", "suite", "other", ASR, *LOOSE, "--t2a-fail-under=0.99")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["asr *4 *4 *", "GATE FAILED: asr: mean native *"])

    @pytest.mark.parametrize(
        "conftest",
        [
            "def pytest_itemcollected(item): item._nodeid = item.nodeid + ' - title'\n",
            "import pytest\ndef pytest_itemcollected(item): item.add_marker(pytest.mark.xdist_group('gpu'))\n",
        ],
    )
    def test_a_rewritten_node_id_changes_nothing(
        self, run: Run, pytester: pytest.Pytester, suite: Path, conftest: str
    ) -> None:
        pytester.makeconftest(conftest)
        result = run("suite", ASR, "--t2a-report=rep")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: files/set-port[[]asr-1]"])
        rows = (pytester.path / "rep" / "results.jsonl").read_text(encoding="utf-8").splitlines()
        assert sorted(json.loads(row)["node"] for row in rows) == [
            "suite/tasks.yaml::files/copy-report[asr-1]",
            "suite/tasks.yaml::files/set-port[asr-1]",
        ]

    def test_what_a_dead_worker_leaves_is_missing_wherever_the_suite_lies(
        self, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytest.importorskip("xdist")
        (pytester.path / "ci").mkdir()
        (pytester.path / "ci" / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        (suite / "conftest.py").write_text(
            "import os\ndef pytest_runtest_call(item):\n    if 'set-port' in item.name: os._exit(1)\n", encoding="utf-8"
        )
        result = pytester.runpytest_subprocess(
            *("-c", "ci/pytest.ini", "-n", "2", "--max-worker-restart=0", "suite", TEXT, "--t2a-report=rep")
        )
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: *files/set-port*"])
        assert verdict_in(pytester.path / "rep") is False

    def test_two_items_that_nothing_tells_apart_are_refused(
        self, alone: Run, pytester: pytest.Pytester, suite: Path, transcripts: Transcripts
    ) -> None:
        lines = [
            json.dumps({"task": task, "take": take, "transcript": text})
            for task, text in PERFECT.items()
            for take in ("c", "b-c")
        ]
        (pytester.path / "takes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        specs = [f"--t2a-interface={name}=transcripts:takes.jsonl" for name in ("a", "a-b")]
        result = alone("suite", *specs)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines(["ERROR: *is the name of two items, of the conditions a and a-b; give one*"])


class TestXdistByAnyName:
    def test_xdist_that_was_loaded_by_hand_shares_the_server(
        self, pytester: pytest.Pytester, heard_tasks: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("xdist")
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        result = pytester.runpytest_subprocess(
            *("-p", "xdist.plugin", "-p", "pytest_talk2agent.plugin", "-p", "no:cacheprovider", "-n", "2"),
            *(heard_tasks, "--t2a-interface=python:fake_asr:Recogniser"),
        )
        assert result.ret == 0
        result.stdout.fnmatch_lines(["heard: 0 of 2 transcripts from the store, 2 recordings transcribed"])

    def test_an_item_that_fails_on_one_of_two_workers_is_red(self, pytester: pytest.Pytester, suite: Path) -> None:
        pytest.importorskip("xdist")
        pytester.makeconftest(
            "import os, time, pytest\n"
            "@pytest.hookimpl(wrapper=True)\n"
            "def pytest_runtest_call(item):\n"
            "    result = yield\n"
            "    worker = os.environ.get('PYTEST_XDIST_WORKER')\n"
            "    if worker == 'gw1': time.sleep(0.5)\n"
            "    if worker == 'gw0' and 'set-port' in item.name: raise AssertionError('only here')\n"
            "    return result\n"
        )
        result = pytester.runpytest_subprocess("suite", TEXT, "--dist", "each", "--tx", "2*popen", "--t2a-report=rep")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: *files/set-port*"])
        assert verdict_in(pytester.path / "rep") is False


class TestVerdictForEverybody:
    def test_a_gate_that_is_red_alone_is_an_entry_of_its_own(
        self, run: Run, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytester.makeconftest(
            "def pytest_sessionfinish(session, exitstatus):\n    open('status.txt', 'w').write(str(int(exitstatus)))\n"
        )
        result = run("suite", ASR, *LOOSE, "--t2a-fail-under=0.99", "--junitxml=junit.xml", "-rf")
        result.assert_outcomes(passed=2, failed=1)
        assert result.ret == 1
        junit = (pytester.path / "junit.xml").read_text(encoding="utf-8")
        assert 'failures="1"' in junit
        assert 'classname="talk2agent" name="gate"' in junit
        assert "mean native 0.75 &lt; 0.99" in junit
        assert (pytester.path / "status.txt").read_text(encoding="utf-8") == "1"

    def test_a_gate_that_passes_or_has_failing_items_adds_nothing(self, run: Run, suite: Path) -> None:
        run("suite", TEXT).assert_outcomes(passed=2)
        run("suite", ASR).assert_outcomes(passed=1, failed=1)

    def test_nothing_judged_is_red_where_no_tests_is_forgiven(
        self, run: Run, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytester.makeconftest(
            "def pytest_sessionfinish(session, exitstatus):\n    if exitstatus == 5: session.exitstatus = 0\n"
        )
        result = run("suite", TEXT, "-k", "nothing")
        assert result.ret == 1
        result.stdout.fnmatch_lines(
            ["note: 2 spoken items found, all deselected; *in the ini file *", "GATE FAILED: nothing was judged"]
        )

    def test_a_shard_without_spoken_tasks_is_an_ordinary_run_where_the_ini_file_names_the_interface(
        self, run: Run, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytester.makepyfile(test_plain="def test_one(): pass")
        (suite.parent / "conftest.py").write_text(
            "import pytest\n"
            "@pytest.hookimpl(trylast=True)\n"
            "def pytest_collection_modifyitems(config, items):\n"
            "    others = [item for item in items if 'tasks.yaml' in item.nodeid]\n"
            "    items[:] = [item for item in items if item not in others]\n"
            "    config.hook.pytest_deselected(items=others)\n",
            encoding="utf-8",
        )
        assert run("suite", "test_plain.py", TEXT).ret == 1, "typed, it is asked for"
        pytester.makeini("[pytest]\nt2a_interface = text\n")
        result = run("suite", "test_plain.py")
        assert result.ret == 0
        result.assert_outcomes(passed=1)
        result.stdout.no_fnmatch_line("*GATE*")

    @pytest.mark.parametrize("end", ["refused option", "collection error", "no tests"])
    def test_the_report_of_an_earlier_run_goes_when_a_run_begins(
        self, run: Run, pytester: pytest.Pytester, suite: Path, end: str
    ) -> None:
        pytester.makeini("[pytest]\nt2a_interface = text\nt2a_report = rep\n")
        assert run("suite").ret == 0
        assert verdict_in(pytester.path / "rep") is True
        if end == "collection error":
            (suite / "tasks.yaml").write_text("id: x\ninstruction: [\nintentions: {}\n", encoding="utf-8")
        arguments = {"refused option": ["--t2a-tolerance=2"], "no tests": ["-k", "nothing"]}.get(end, [])
        assert run("suite", *arguments).ret != 0
        for name in ("run.json", "report.html", "summary.md"):
            path = pytester.path / "rep" / name
            assert not path.exists() or "passed" not in path.read_text(encoding="utf-8").lower().split("gate")[-1][:12]

    @pytest.mark.parametrize("listing", ["--collect-only", "--fixtures", "--fixtures-per-test", "--setup-plan"])
    def test_a_listing_decides_and_forgets_nothing(
        self, alone: Run, pytester: pytest.Pytester, heard_tasks: Path, listing: str
    ) -> None:
        spec = "--t2a-interface=python:fake_asr:Recogniser"
        assert alone(heard_tasks, TEXT, "--t2a-report=rep").ret == 0
        result = alone(heard_tasks, spec, "--t2a-report=rep", listing)
        result.stdout.no_fnmatch_line("*GATE*")
        assert verdict_in(pytester.path / "rep") is True
        assert not (pytester.path / "asked.txt").exists(), "nothing was heard"


class TestPlainRuns:
    def test_options_in_addopts_are_defaults(self, run: Run, pytester: pytest.Pytester, suite: Path) -> None:
        pytester.makepyfile(test_plain="def test_one(): pass")
        pytester.makeini(f"[pytest]\naddopts = {TEXT}\n")
        result = run("test_plain.py")
        assert result.ret == 0
        result.stdout.no_fnmatch_line("*GATE*")
        assert run("suite").ret == 0

    def test_an_interface_that_is_missing_is_missed_by_spoken_tasks_alone(
        self, run: Run, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytester.makepyfile(test_plain="def test_one(): pass")
        pytester.makeini("[pytest]\nt2a_interface = nobody\n")
        assert run("test_plain.py").ret == 0
        result = run("suite")
        assert result.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.TESTS_FAILED)  # the second under xdist
        result.stdout.fnmatch_lines(["*unknown interface 'nobody'*"])

    def test_a_folder_called_like_the_mark_is_a_folder(self, run: Run, pytester: pytest.Pytester) -> None:
        folder = pytester.path / "tests" / "t2a"
        folder.mkdir(parents=True)
        (folder / "test_x.py").write_text("def test_bad(): assert 0\n", encoding="utf-8")
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.no_fnmatch_line("*GATE*")


class TestRunItAgain:
    def test_the_line_works_from_a_subfolder_and_outside_the_root_directory(
        self, pytester: pytest.Pytester, suite: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (pytester.path / "ci").mkdir()
        (pytester.path / "ci" / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        for folder, arguments in ((suite, ("tasks.yaml",)), (pytester.path, ("-c", "ci/pytest.ini", "suite"))):
            monkeypatch.chdir(folder)
            spec = f"--t2a-interface=asr=transcripts:{pytester.path / 'asr.jsonl'}"
            result = pytester.runpytest_inprocess(*arguments, spec, "-p", "no:xdist")
            (line,) = (line for line in result.outlines if line.strip().startswith("rerun "))
            place = line.split("'")[1]
            assert Path(place.partition("::")[0]).is_file()

    def test_an_item_that_is_tried_again_has_one_set_of_properties(
        self, pytester: pytest.Pytester, suite: Path
    ) -> None:
        pytester.makeconftest(
            "from _pytest.runner import runtestprotocol\n"
            "def pytest_runtest_protocol(item, nextitem):\n"
            "    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)\n"
            "    for last in (False, False, True):\n"
            "        item._initrequest()\n"
            "        for report in runtestprotocol(item, nextitem=nextitem, log=False):\n"
            "            if not last and report.failed: report.outcome = 'rerun'\n"
            "            if last: item.ihook.pytest_runtest_logreport(report=report)\n"
            "    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)\n"
            "    return True\n"
        )
        result = pytester.runpytest_subprocess("-p", "no:xdist", "suite", ASR, "--junitxml=junit.xml")
        assert result.ret == 1
        junit = (pytester.path / "junit.xml").read_text(encoding="utf-8")
        assert junit.count('name="t2a.outcome" value="failed"') == 1

    @pytest.mark.parametrize("last", ["failed", "passed"])
    def test_a_report_that_is_sent_twice_keeps_its_record(self, run: Run, suite: Path, last: str) -> None:
        (suite / "conftest.py").write_text(
            "import pytest\n"
            "@pytest.hookimpl(wrapper=True, tryfirst=True)\n"
            "def pytest_runtest_makereport(item, call):\n"
            "    report = yield\n"
            "    if report.failed:\n"
            "        report.outcome = 'retried'\n"
            "        item.ihook.pytest_runtest_logreport(report=report)\n"
            f"        report.outcome = {last!r}\n"
            "    return report\n"
            "def pytest_report_teststatus(report):\n"
            "    return ('retried', 'R', 'RETRIED') if report.outcome == 'retried' else None\n",
            encoding="utf-8",
        )
        result = run("suite", ASR)
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: files/set-port[[]asr-1]"])
        result.stdout.fnmatch_lines(["asr *2 *1 *1 *"])

    def test_an_item_that_is_tried_again_asks_the_interface_again(
        self, pytester: pytest.Pytester, heard_tasks: Path
    ) -> None:
        module = pytester.path / "fake_asr.py"
        text = module.read_text(encoding="utf-8")
        fails = (
            "        if 'port' in str(batch[0].path) and not (HERE / 'failed.txt').exists():\n"
            "            (HERE / 'failed.txt').touch()\n"
            "            raise OSError('the line is busy')\n"
            "        texts ="
        )
        module.write_text(text.replace("        texts =", fails), encoding="utf-8")
        pytester.makeconftest(
            "from _pytest.runner import runtestprotocol\n"
            "def pytest_runtest_protocol(item, nextitem):\n"
            "    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)\n"
            "    for last in (False, True):\n"
            "        item._initrequest()\n"
            "        reports = runtestprotocol(item, nextitem=nextitem, log=False)\n"
            "        if last or not any(report.failed for report in reports): break\n"
            "    for report in reports: item.ihook.pytest_runtest_logreport(report=report)\n"
            "    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)\n"
            "    return True\n"
        )
        result = pytester.runpytest_subprocess(
            "-p", "no:xdist", heard_tasks, "--t2a-interface=python:fake_asr:Recogniser"
        )
        result.assert_outcomes(passed=2)


class TestForks:
    def test_an_item_that_runs_in_a_fork_brings_its_result_home_as_plain_values(self, run: Run, suite: Path) -> None:
        (suite / "conftest.py").write_text(
            "import marshal, os\n"
            "from _pytest.runner import runtestprotocol\n"
            "def pytest_runtest_protocol(item, nextitem):\n"
            "    child, home = os.pipe()\n"
            "    pid = os.fork()\n"
            "    if pid == 0:\n"
            "        try:\n"
            "            reports = runtestprotocol(item, log=False)\n"
            "            plain = [(r.when, r.outcome, r.user_properties) for r in reports]\n"
            "            os.write(home, marshal.dumps(plain))\n"
            "        finally:\n"
            "            os._exit(0)\n"
            "    os.close(home)\n"
            "    with open(child, 'rb') as stream: data = stream.read()\n"
            "    os.waitpid(pid, 0)\n"
            "    from pytest import TestReport\n"
            "    for when, outcome, properties in marshal.loads(data):\n"
            "        report = TestReport(item.nodeid, item.location, {}, outcome, None, when)\n"
            "        report.user_properties = properties\n"
            "        item.ihook.pytest_runtest_logreport(report=report)\n"
            "    return True\n",
            encoding="utf-8",
        )
        result = run("suite", ASR, "--t2a-report=rep")
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: files/set-port[[]asr-1]"])


class TestSubtests:
    def test_a_failing_subtest_is_red(self, pytester: pytest.Pytester, suite: Path) -> None:
        pytest.importorskip("_pytest.subtests")
        pytester.makepyfile(
            test_sub=f"""
            import pytest

            @pytest.mark.t2a("suite/tasks.yaml", task={PORT!r})
            def test_s(t2a_retention, subtests):
                with subtests.test("one"):
                    assert t2a_retention.native == 1
            """
        )
        result = pytester.runpytest_subprocess("-p", "no:xdist", "test_sub.py", ASR, "--t2a-report=rep")
        assert result.ret == 1
        result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: *"])
        assert verdict_in(pytester.path / "rep") is False
