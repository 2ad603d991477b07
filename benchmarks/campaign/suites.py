"""Suites that shrink, task files that are broken, and items that are left out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from campaign.fault import Break, Fault, Wanted, spread, turn
from campaign.observed import Ended
from campaign.project import BASELINE, HEAR, REPORT, Project, task

MORE = "suite/more.yaml"


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for margin in ("", "--t2a-margin=0.02"):
        more = (margin,) if margin else ()
        for place, breaks in SHRUNK.items():
            name = f"{place} margin" if margin else place
            modes = turn(place) if margin else None
            yield from spread("suite shrinks", name, breaks, "suite", HEAR, BASELINE, REPORT, *more, modes=modes)
    for place, breaks in UNREADABLE.items():
        yield from spread("task file unreadable", place, breaks, "suite", HEAR, REPORT, modes=turn(place))
        go_on = ("suite", HEAR, REPORT, "--continue-on-collection-errors")
        yield from spread("collection error goes on", place, breaks, *go_on, check=_regated, modes=turn(place))
    for place, breaks in BESIDE.items():
        yield from spread(
            "collection error goes on",
            place,
            breaks,
            "suite",
            HEAR,
            REPORT,
            "--continue-on-collection-errors",
            check=_regated,
        )
    for place, (change, wanted) in HARMLESS.items():
        yield from spread("task file odd", place, change, wanted=wanted, modes=("alone", "workers"))
    for place, (breaks, words) in DESELECTED.items():
        yield from spread("deselected on purpose", place, breaks, *words, HEAR, BASELINE, REPORT, wanted=Wanted.GREEN)
    for place, (breaks, words) in REMOVED.items():
        yield from spread("removed in silence", place, breaks, *words, HEAR, BASELINE, REPORT, allowed="a_test.py")
    for place, (breaks, words) in EMPTY.items():
        yield from spread("nothing judged", place, breaks, *words, HEAR, REPORT)


def _more(change: Callable[[Path], object]) -> Break:
    """A fault of the second task file."""

    def breaks(project: Project) -> None:
        change(project.root / MORE)

    return breaks


def _text(change: Callable[[str], str]) -> Break:
    return lambda project: project.edit(MORE, change)


def _encoded(name: str) -> Break:
    return _more(lambda path: path.write_bytes(path.read_text(encoding="utf-8").encode(name)))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere.yaml")


def _moved(project: Project) -> None:
    (project.root / "elsewhere").mkdir()
    (project.root / MORE).rename(project.root / "elsewhere" / "more.yaml")


def _misspelt(text: str) -> str:
    return text.replace("instruction:", "instructon:").replace("intentions:", "intentons:")


SHRUNK: Mapping[str, Break] = {
    "file emptied": _text(lambda text: ""),
    "file removed": _more(Path.unlink),
    "file moved away": _moved,
    "file renamed": _more(lambda path: path.rename(path.with_suffix(".yaml.bak"))),
    "file is a text": _more(lambda path: path.rename(path.with_suffix(".txt"))),
    "file is a folder": _more(_folder),
    "dangling link": _more(_dangling),
    "UTF-16": _encoded("utf-16"),
    "UTF-16 without mark": _encoded("utf-16-le"),
    "UTF-32": _encoded("utf-32"),
    "EBCDIC": _encoded("cp037"),
    "cut after the first task": _text(lambda text: text.split("---\n")[0]),
    "commented out": _text(lambda text: "".join(f"# {line}\n" for line in text.splitlines())),
    "blanks": _text(lambda text: " \n" * 40),
    "all keys misspelt": _text(_misspelt),
    "nested in a list": _text(
        lambda text: "tasks:\n" + "".join(f"  {line}\n" for line in text.split("---\n")[0].splitlines())
    ),
    "one task deleted": _text(lambda text: text.split("---\n")[1]),
    "task renamed": _text(lambda text: text.replace("net/port-5", "net/other-5")),
    "recording taken out": _text(
        lambda text: text.replace("recordings:\n  - {audio: audio/r5.wav, speaker: amy}\n", "")
    ),
    "speaker renamed": _text(lambda text: text.replace("r5.wav, speaker: amy", "r5.wav, speaker: bob")),
    "skipped by a mark": lambda project: _conftest(project, "item.add_marker(pytest.mark.skip)"),
    "xfail by a mark": lambda project: _conftest(project, "item.add_marker(pytest.mark.skipif(True, reason='x'))"),
}
"""Two tasks of six are gone; the baseline has them."""

_SYNTAX: Mapping[str, Callable[[str], str]] = {
    "open bracket": lambda text: text + "x: [\n",
    "tab for blanks": lambda text: text.replace("  port:", "\tport:"),
    "unknown key": lambda text: text.replace("tags:", "tagz:", 1),
    "no value": lambda text: text.replace("value: 0.5*port + 0.5*service\n", "", 1),
    "unknown name in value": lambda text: text.replace("0.5*port", "0.5*portt", 1),
    "cut in the middle": lambda text: text[: text.rindex("intentions") + 20],
    "duplicate id": lambda text: text.replace("net/port-5", "net/port-4"),
    "half a character": lambda text: text.replace("nginx", "nginx\\ud800").replace("say: nginx", 'say: "nginx'),
    "deep list": lambda text: text + "tags: " + "[" * 5_000 + "]" * 5_000,
    "alias bomb": lambda text: (
        text
        + "---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{b}: &{b} [{','.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "instruction: *i\n"
    ),
    "control character": lambda text: text.replace("nginx", "ng\x07inx", 1),
    "object tag": lambda text: text.replace("id: net", "id: !!python/object/apply:os.system [true] #", 1),
    "huge weight": lambda text: text.replace("0.5*port", "1e999999999*port", 1),
    "division by zero": lambda text: text.replace("0.5*port", "0.5/0*port", 1),
    "list for a task": lambda text: "- " + text.replace("\n", "\n  "),
    "below a key": lambda text: "tasks:\n- " + text.split("---\n")[0].replace("\n", "\n  "),
    "a colon of another script": lambda text: text.replace("instruction:", "instruction\uff1a").replace(
        "ions:", "ions\uff1a"
    ),
}
UNREADABLE: Mapping[str, Break] = {
    **{place: _text(change) for place, change in _SYNTAX.items()},
    "UTF-16": _encoded("utf-16"),
    "all keys misspelt": _text(_misspelt),
    "bytes that are no UTF-8": _more(lambda path: path.write_bytes(path.read_bytes().replace(b"nginx", b"ng\xffinx"))),
}
"""A file in the folder that was named holds tasks that cannot be read."""

BESIDE: Mapping[str, Break] = {
    "plain test that cannot be imported": lambda project: _written(project, "suite/test_plain.py", "import no_such\n"),
    "plain test with a syntax error": lambda project: (project.root / "suite/test_plain.py").write_text("def test(:\n"),
    "voice test without its file": lambda project: _written(
        project,
        "suite/test_voice.py",
        "import pytest\n@pytest.mark.t2a('none.yaml')\ndef test_a(t2a_retention): pass\n",
    ),
}

HARMLESS: Mapping[str, tuple[Break, Wanted]] = {
    "byte order mark": (_encoded("utf-8-sig"), Wanted.GREEN),
    "carriage returns": (_more(lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))), Wanted.GREEN),
    "a comment more": (_text(lambda text: "# mind the gap\n" + text), Wanted.GREEN),
    "a data file beside it": (lambda project: _written(project, "suite/data.yaml", "colour: red\n"), Wanted.GREEN),
    "an empty file beside it": (lambda project: _written(project, "suite/none.yaml", ""), Wanted.GREEN),
}

_IN_ITEMS = """\
import pytest


def pytest_collection_modifyitems(config, items):
    for item in list(items):
        if "port-4" in item.name:
            {body}
"""


def _conftest(project: Project, body: str) -> None:
    project.write("conftest.py", _IN_ITEMS.format(body=body))


def _written(project: Project, name: str, text: str) -> None:
    project.write(name, text)


def _without_conftest(_: Project) -> None:
    """The words are the fault."""


DESELECTED: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "-k": (_without_conftest, ("suite", "-k", "not port-4")),
    "-m": (lambda project: _conftest(project, "item.add_marker(pytest.mark.slow)"), ("suite", "-m", "not slow")),
    "a path": (_without_conftest, ("suite/tasks.yaml",)),
    "a node": (_without_conftest, ("suite/more.yaml::net/port-4[python-R-amy]",)),
    "--deselect": (_without_conftest, ("suite", "--deselect=suite/more.yaml::net/port-4[python-R-amy]")),
    "reported by a conftest": (
        lambda project: _conftest(project, "items.remove(item); config.hook.pytest_deselected(items=[item])"),
        ("suite",),
    ),
    "takes": (_without_conftest, ("suite", "--t2a-takes=first")),
}

REMOVED: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "removed by a conftest": (lambda project: _conftest(project, "items.remove(item)"), ("suite",)),
    "collect_ignore": (
        lambda project: _written(project, "suite/conftest.py", "collect_ignore = ['more.yaml']\n"),
        ("suite",),
    ),
    "collect_ignore_glob": (
        lambda project: _written(project, "suite/conftest.py", "collect_ignore_glob = ['mo*']\n"),
        ("suite",),
    ),
    "ignored by a hook": (
        lambda project: _written(
            project,
            "conftest.py",
            "def pytest_ignore_collect(collection_path):\n    return 'more' in collection_path.name or None\n",
        ),
        ("suite",),
    ),
    "tasks changed by a hook": (
        lambda project: _written(
            project,
            "conftest.py",
            "def pytest_t2a_modify_tasks(config, path, tasks):\n    tasks[:] = [t for t in tasks if '4' not in t.id]\n",
        ),
        ("suite",),
    ),
    "emptied by a conftest": (
        lambda project: _written(
            project, "conftest.py", "def pytest_collection_modifyitems(items):\n    items[:] = []\n"
        ),
        ("suite",),
    ),
    "stopped at the first": (
        lambda project: _written(project, "suite/a_test.py", "def test_a(): assert 0\n"),
        ("suite", "-x"),
    ),
    "ended before it begins": (
        lambda project: _written(
            project,
            "conftest.py",
            "import pytest\ndef pytest_sessionstart(): pytest.exit('all is well', returncode=0)\n",
        ),
        ("suite",),
    ),
    "session ended by a hook": (
        lambda project: _written(
            project, "conftest.py", "def pytest_runtest_teardown(item):\n    item.session.shouldstop = 'enough'\n"
        ),
        ("suite",),
    ),
}

_FORGIVES = "def pytest_sessionfinish(session, exitstatus):\n    if exitstatus == 5: session.exitstatus = 0\n"


def _forgiving(project: Project) -> None:
    project.write("conftest.py", _FORGIVES)


_SKIPS = "import pytest\n\ndef pytest_runtest_setup(item): pytest.skip('no')\n"


def _empty_folder(project: Project) -> None:
    _forgiving(project)
    _only_empty(project)


def _only_empty(project: Project) -> None:
    shutil.rmtree(project.root / "suite")
    (project.root / "suite").mkdir()


def _undefined(project: Project) -> None:
    for name in ("suite/tasks.yaml", MORE):
        project.edit(name, lambda text: text.replace("value: 0.5*port + 0.5*service", "value: 0*port + 0*service"))


EMPTY: Mapping[str, tuple[Break, tuple[str, ...]]] = {
    "-k that fits nothing": (_forgiving, ("suite", "-k", "nothing")),
    "-m that fits nothing": (_forgiving, ("suite", "-m", "nothing")),
    "all deselected": (_forgiving, ("suite", "--deselect=suite")),
    "empty folder": (_empty_folder, ("suite",)),
    "empty folder, exit 5 kept": (_only_empty, ("suite",)),
    "no value can be lost": (_undefined, ("suite",)),
    "all skipped": (lambda project: _written(project, "conftest.py", _SKIPS), ("suite",)),
}


def _regated(project: Project, _: Ended) -> Iterable[tuple[str, str]]:
    """A saved run of which something could not be collected must not come to pass when it is gated again."""
    if (project.root / "rep" / "run.json").exists() and _this_run(project):
        again = project.run("regate", "rep", program="pytest_talk2agent.cli")
        if again.status == 0:
            yield "wrong green", "talk2agent regate passes"


def _this_run(project: Project) -> bool:
    return int(json.loads(project.read("rep/run.json")).get("items", 0)) > 0


def tasks_of(numbers: Iterable[int]) -> str:
    """Some of the project's tasks as one file."""
    return "---\n".join(map(task, numbers))
