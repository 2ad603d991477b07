"""Beside a real plugin the verdict is the same, alone and under xdist; skipped where that plugin is not installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.conftest import LOSSY, TASKS, Transcripts

ASR = "--t2a-interface=asr=transcripts:asr.jsonl"
LOOSE = ("--t2a-min-native=0", "--t2a-min-shapley=0", "--t2a-fail-under=0.99")
PLUGINS = {
    "timeout": ("--timeout=300",),
    "rerunfailures": ("--reruns=1",),
    "pytest-retry": ("--retries=1",),
    "flaky": ("--force-flaky", "--max-runs=2"),
    "randomly": (),
    "random_order": ("--random-order",),
    "repeat": ("--count=2",),
    "socket": ("--disable-socket",),
    "pytest_forked": ("--forked",),
    "pytest-split": ("--splits=1", "--group=1"),
    "custom_exit_code": ("--suppress-no-test-exit-code",),
    "pytest_jsonreport": ("--json-report",),
    "pytest_reportlog": ("--report-log=log.jsonl",),
    "html": ("--html=page.html",),
    "sugar": (),
    "instafail": ("--instafail",),
    "subtests": (),
}
"""By the name of its entry point: what switches a plugin on."""
FOUND = {point.name: point for point in entry_points(group="pytest11")}

Beside = Callable[..., pytest.RunResult]


@pytest.fixture(params=["alone", "workers"])
def beside(
    request: pytest.FixtureRequest,
    pytester: pytest.Pytester,
    transcripts: Transcripts,
    monkeypatch: pytest.MonkeyPatch,
) -> Beside:
    """Run a suite with one other plugin and this one, and none besides them."""
    (pytester.path / "tasks.yaml").write_text(TASKS, encoding="utf-8")
    transcripts(LOSSY)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    mode = ["-p", "xdist.plugin", "-n", "2"] if request.param == "workers" else []
    if mode:
        pytest.importorskip("xdist")

    def runs(name: str, *arguments: str) -> pytest.RunResult:
        point = FOUND.get(name)
        if point is None:
            pytest.skip(f"no pytest plugin {name} is installed; tox -e ecosystem has it")
        if point.value == "pytest_forked" and _breaks_forks():
            pytest.skip("pytest-forked cannot send the reports of this pytest home, of plain tests either")
        loaded = ["-p", "pytest_talk2agent.plugin", *_with_others(point.value)]
        return pytester.runpytest_subprocess(*loaded, *mode, *PLUGINS[name], *arguments, "--t2a-report=rep")

    return runs


def _with_others(module: str) -> Iterable[str]:
    """What loads a plugin, and another one without which it does nothing."""
    modules = [module.partition(":")[0]]
    if "metadata" in FOUND and modules[0] in ("pytest_html.plugin", "pytest_jsonreport.plugin"):
        modules.insert(0, FOUND["metadata"].value)
    return [word for one in modules for word in ("-p", one)]


def _breaks_forks() -> bool:
    """Whether this pytest gives reports something that marshal does not know."""
    return pytest.version_tuple >= (9, 2)


@pytest.mark.parametrize("name", PLUGINS)
def test_what_was_lost_is_red(beside: Beside, pytester: pytest.Pytester, name: str) -> None:
    result = beside(name, ASR)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: 1 item failed: files/set-port[[]asr-1]"])
    rows = (pytester.path / "rep" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert len({json.loads(row)["node"] for row in rows}) == 2
    assert _passed(pytester.path) is False


@pytest.mark.parametrize("name", PLUGINS)
def test_a_gate_that_is_red_alone_is_red_for_everybody(beside: Beside, pytester: pytest.Pytester, name: str) -> None:
    result = beside(name, ASR, *LOOSE, "--junitxml=junit.xml")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["GATE FAILED: asr: mean native 0.75 < 0.99*"])
    assert 'failures="1"' in (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert _passed(pytester.path) is False


@pytest.mark.parametrize("name", PLUGINS)
def test_what_was_kept_is_green(beside: Beside, pytester: pytest.Pytester, name: str) -> None:
    result = beside(name, "--t2a-interface=text")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["GATE PASSED"])
    assert _passed(pytester.path) is True


def _passed(folder: Path) -> object:
    return json.loads((folder / "rep" / "run.json").read_text(encoding="utf-8"))["passed"]
