"""Other people's pytest: conftest files at every depth, xdist in every form, test functions, other plugins."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping

from campaign.fault import Break, Fault, Wanted, both, spread
from campaign.project import BASELINE, HEAR, MODES, REPORT, Project, task

RELAXED = ("--t2a-min-native=0", "--t2a-min-shapley=0")
LOSSY = "--t2a-interface=asr=transcripts:lossy.jsonl"
GOOD = "--t2a-interface=asr=transcripts:good.jsonl"


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, hook in HOOKS.items():
        for depth in DEPTHS:
            breaks = _deep(depth, hook)
            yield from spread(
                "hook of a conftest", f"{place} in {depth}", breaks, "suite", HEAR, REPORT, *RELAXED, modes=MODES
            )
    yield from spread("hook of a conftest", "changes tasks, against its baseline", _tasks_changed, wanted=Wanted.GREEN)
    for place, (breaks, words) in BUILDS.items():
        yield from spread("another build beside others", place, breaks, *words, HEAR, BASELINE, REPORT, modes=MODES)
    for place, (breaks, words) in ALIKE.items():
        yield from spread(
            "items that are alike", place, breaks, *words, LOSSY, *RELAXED, "--t2a-fail-under=0.99", REPORT
        )
    for place, (breaks, words) in WORKERS.items():
        yield from spread(
            "a worker is lost", place, breaks, *words, REPORT, modes=("alone",), allowed="only on gw0|conftest.py"
        )
    for place, (body, words, wanted) in FUNCTIONS.items():
        yield from spread(
            "test function",
            place,
            _function(body),
            "test_voice.py",
            *words,
            REPORT,
            wanted=wanted,
            items=0,
            allowed="Error",
        )


DEPTHS = ("conftest.py", "suite/conftest.py", "suite/sub/conftest.py", "suite/sub/sub/conftest.py")
HOOKS: Mapping[str, str] = {
    "gate": "def pytest_t2a_gate(config, results, gate):\n    return ['not today']\n",
    "gate by results": (
        "def pytest_t2a_gate(config, results, gate):\n"
        "    return [f'{len(results)} seen'] if any(r.task.startswith('net/') for r in results) else []\n"
    ),
    "result": (
        "seen = []\n\ndef pytest_t2a_result(config, result):\n    seen.append(result.task)\n\n"
        "def pytest_t2a_gate(config, results, gate):\n    return [f'{len(seen)} seen'] if seen else []\n"
    ),
}


def _deep(place: str, hook: str) -> Break:
    """A hook in a folder, and a task file beside it."""

    def breaks(project: Project) -> None:
        folder = place.rpartition("/")[0]
        if "sub" in folder:
            (project.root / folder).mkdir(parents=True)
            project.write(
                f"{folder}/deep.yaml",
                task(5).replace("net/port-5", "net/deep").replace("audio/", "../" * folder.count("sub") + "audio/"),
            )
        project.write(place, hook)

    return breaks


def _tasks_changed(project: Project) -> None:
    project.write(
        "suite/conftest.py",
        "def pytest_t2a_modify_tasks(config, path, tasks):\n"
        "    tasks[:] = [t.model_copy(update={'instruction': t.instruction + ' Please.'}) for t in tasks]\n",
    )
    made = project.run("suite", HEAR, BASELINE, "--t2a-update-baseline")
    if made.status != 0:
        raise RuntimeError(f"not green with a hook that changes tasks:\n{made.out}")


def _weights(project: Project) -> None:
    project.environment["CAMPAIGN_WEIGHTS"] = "2"


def _outside(project: Project) -> None:
    """The root directory is beside the suite; the baseline is made anew from there."""
    project.write("ci/pytest.ini", "[pytest]\npythonpath = ..\n")
    (project.root / "b.json").unlink()
    project.run("-c", "ci/pytest.ini", "suite", HEAR, BASELINE, "--t2a-update-baseline")
    _weights(project)


def _no_autoload(project: Project) -> None:
    project.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    _weights(project)


def _with_conftest(text: str) -> Break:
    def breaks(project: Project) -> None:
        project.write("conftest.py", text)
        _weights(project)

    return breaks


_GROUPS = "import pytest\n\ndef pytest_itemcollected(item): item.add_marker(pytest.mark.xdist_group('gpu'))\n"
_TITLES = "def pytest_itemcollected(item): item._nodeid = item.nodeid + ' - title'\n"
_OURS = ("-p", "pytest_talk2agent.plugin")
_VOICE = """
import pytest


@pytest.mark.t2a("suite/tasks.yaml")
def test_voice(t2a_retention):
    assert t2a_retention.native >= 0
"""


def _voice(project: Project) -> None:
    project.write("test_voice.py", _VOICE)


BUILDS: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "as it is": (_weights, ("suite",)),
    "outside the root directory": (_outside, ("-c", "ci/pytest.ini", "suite")),
    "xdist by its module": (_no_autoload, (*_OURS, "-p", "xdist.plugin", "suite")),
    "groups": (_with_conftest(_GROUPS), ("suite",)),
    "node ids rewritten": (_with_conftest(_TITLES), ("suite",)),
    "a test function": (both(_weights, _voice), ("test_voice.py",)),
    "from a subfolder": (_weights, ("--rootdir=suite", "suite")),
}


def _two_alike(project: Project) -> None:
    """Two folders outside the root directory with files and ids that are alike; one loses a value."""
    for name in ("v1", "v2"):
        shutil.copytree(project.root / "suite", project.root / name)
        (project.root / name / "more.yaml").unlink()
    for name in ("suite/tasks.yaml", "suite/more.yaml"):
        (project.root / name).unlink()
    # What is asked for in v2 is what lossy.jsonl holds; in v1 it is not.
    project.edit("v2/tasks.yaml", lambda text: text.replace("8001", "8081"))
    project.write("ci/pytest.ini", "[pytest]\npythonpath = ..\n")


def _three_alike(project: Project) -> None:
    _two_alike(project)
    shutil.copytree(project.root / "v2", project.root / "v3")


_ONE_NAME = "def pytest_itemcollected(item): item._nodeid = 'one::' + item.name\n"
ALIKE: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "two folders": (_two_alike, ("v1", "v2")),
    "two folders outside the root directory": (_two_alike, ("-c", "ci/pytest.ini", "v1", "v2")),
    "the other way round": (_two_alike, ("-c", "ci/pytest.ini", "v2", "v1")),
    "three folders outside the root directory": (_three_alike, ("-c", "ci/pytest.ini", "v1", "v2", "v3")),
    "node ids made equal": (
        both(_two_alike, lambda project: project.write("conftest.py", _ONE_NAME)),
        ("v1", "v2"),
    ),
}

_DIES = "import os\n\ndef pytest_runtest_call(item):\n    if 'port-2' in item.name: os._exit(1)\n"
_SLEEPY = """
import os
import time

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    found = yield
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0" and "port-3" in item.name:
        raise AssertionError("only on gw0")
    return found


@pytest.fixture(autouse=True)
def slow():
    time.sleep(0.3 if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else 0)
"""


def _dies(project: Project) -> None:
    project.write("suite/conftest.py", _DIES)
    project.write("ci/pytest.ini", "[pytest]\npythonpath = ..\n")


def _dies_alone(project: Project) -> None:
    _dies(project)
    project.environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"


WORKERS: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "in an item": (_dies, ("suite", HEAR, "-n", "2")),
    "in an item, none comes back": (_dies, ("suite", HEAR, "-n", "2", "--max-worker-restart=0")),
    "outside the root directory": (_dies, ("-c", "ci/pytest.ini", "suite", HEAR, "-n", "2", "--max-worker-restart=0")),
    "outside, another comes": (_dies, ("-c", "ci/pytest.ini", "suite", HEAR, "-n", "2")),
    "xdist by its module": (_dies_alone, (*_OURS, "-p", "xdist.plugin", "suite", HEAR, "-n", "2")),
    "one worker": (_dies, ("suite", HEAR, "-n", "1", "--max-worker-restart=0")),
    # By groups or by files xdist 3.8 itself waits for ever for a worker that is gone.
    "each, one of them fails": (
        lambda project: project.write("conftest.py", _SLEEPY),
        ("suite", GOOD, "--dist", "each", "--tx", "2*popen"),
    ),
}

_HEAD = "import pytest\n\nM = pytest.mark.t2a('suite/tasks.yaml', task='net/port-1')\n"
FUNCTIONS: Mapping[str, tuple[str, tuple[str, ...], Wanted]] = {
    "own agent fails": (
        "@M\ndef test_agent(t2a_transcript):\n    assert 'port 80' in t2a_transcript.text\n",
        (GOOD,),
        Wanted.RED,
    ),
    "own agent fails, ini": ("@M\ndef test_agent(t2a_transcript):\n    assert 0\n", (), Wanted.RED),
    "own agent beside the suite": (
        "@M\ndef test_agent(t2a_transcript):\n    assert t2a_transcript.text\n",
        ("suite", GOOD),
        Wanted.GREEN,
    ),
    "own agent fails beside the suite": (
        "@M\ndef test_agent(t2a_transcript):\n    assert not t2a_transcript.text\n",
        ("suite", GOOD),
        Wanted.APART,
    ),
    "retention below a limit": (
        "@M\ndef test_port(t2a_retention):\n    assert t2a_retention.native == 1\n",
        (LOSSY,),
        Wanted.RED,
    ),
    "failing subtest": (
        "@M\ndef test_port(t2a_retention, subtests):\n"
        "    with subtests.test('one'):\n        assert t2a_retention.native == 1\n",
        (LOSSY, *RELAXED),
        Wanted.RED,
    ),
    "interface by a parameter": (
        "@M\n@pytest.mark.parametrize('t2a_interface', ['asr=transcripts:lossy.jsonl'], indirect=True)\n"
        "def test_port(t2a_interface, t2a_retention):\n    assert t2a_retention.native == 1\n",
        ("--t2a-interface=text",),
        Wanted.RED,
    ),
    "two marks": (
        "@M\n@pytest.mark.t2a('suite/tasks.yaml', task='net/port-2')\n"
        "def test_port(t2a_retention):\n    assert t2a_retention.native == 1\n",
        (LOSSY,),
        Wanted.RED,
    ),
    "two marks, the other way": (
        "@pytest.mark.t2a('suite/tasks.yaml', task='net/port-2')\n@M\n"
        "def test_port(t2a_retention):\n    assert t2a_retention.native == 1\n",
        (LOSSY,),
        Wanted.RED,
    ),
    "fixture by its name": (
        "@M\ndef test_port(request):\n    assert request.getfixturevalue('t2a_retention').native == 1\n",
        (LOSSY,),
        Wanted.RED,
    ),
    "fails in its teardown": (
        "@pytest.fixture\ndef after():\n    yield\n    assert 0\n\n@M\ndef test_port(after, t2a_retention): pass\n",
        (GOOD,),
        Wanted.RED,
    ),
    "fails in its setup": (
        "@pytest.fixture\ndef before():\n    assert 0\n\n@M\ndef test_port(before, t2a_retention): pass\n",
        (GOOD,),
        Wanted.RED,
    ),
    "expected to fail": (
        "@pytest.mark.xfail\n@M\ndef test_port(t2a_retention):\n    assert t2a_retention.native == 1\n",
        (LOSSY,),
        Wanted.DECIDED,
    ),
}


def _function(body: str) -> Break:
    def breaks(project: Project) -> None:
        project.write("test_voice.py", _HEAD + "\n\n" + body)
        project.write(
            "pytest.ini",
            "[pytest]\npythonpath = .\nt2a_interface = text\n"
            if "assert 0\n" in body and "after" not in body
            else "[pytest]\npythonpath = .\n",
        )

    return breaks
