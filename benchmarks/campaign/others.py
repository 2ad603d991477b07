"""Files that are none of ours, and other plugins where they are installed."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterable, Iterator, Mapping

from campaign.fault import Break, Fault, Wanted, both, nothing, spread
from campaign.neighbours import LOSSY, RELAXED
from campaign.observed import Ended
from campaign.project import HEAR, REPORT, Project


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, (breaks, words, wanted) in OTHERS.items():
        yield from spread(
            "files of others",
            place,
            breaks,
            *words,
            wanted=wanted,
            check=_no_gate,
            allowed=r"test_x\.py.*AssertionError",
        )
    for plugin, cases in PLUGINS.items():
        if importlib.util.find_spec(plugin) is not None:
            for place, (breaks, words, wanted) in cases.items():
                yield from spread(f"with {plugin}", place, breaks, *words, REPORT, wanted=wanted, allowed="Error")


def missing_plugins() -> list[str]:
    """Other plugins that would be tried if they were installed."""
    return [plugin for plugin in PLUGINS if importlib.util.find_spec(plugin) is None]


_YAML_PLUGIN = """
import pytest


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".yaml" and file_path.name.startswith("test"):
        return YamlFile.from_parent(parent, path=file_path)


class YamlFile(pytest.File):
    def collect(self):
        yield YamlItem.from_parent(self, name="one")


class YamlItem(pytest.Item):
    def runtest(self): pass
"""


def _others(name: str, text: str, conftest: str = "") -> Break:
    def breaks(project: Project) -> None:
        for folder in ("suite", "rep"):  # no gate is asked for: an earlier report stays as it is
            shutil.rmtree(project.root / folder, ignore_errors=True)
        project.write(name, text)
        project.write("test_plain.py", "def test_a(): pass\n")
        if conftest:
            project.write("conftest.py", conftest)

    return breaks


def _plain(line: str) -> Break:
    def breaks(project: Project) -> None:
        project.write("test_plain.py", "def test_a(): pass\n")
        project.write("pytest.ini", f"[pytest]\npythonpath = .\n{line}\n")

    return breaks


OTHERS: Mapping[str, tuple[Break, tuple[str, ...], Wanted]] = {
    "YAML of pytest's documentation": (
        _others("test_simple.yaml", "ok:\n    sub1: sub1\n\nhello:\n    world: world\n", _YAML_PLUGIN),
        ("test_simple.yaml",),
        Wanted.ORDINARY,
    ),
    "YAML with an instruction": (
        _others("data/sample.yaml", "instruction: Summarise the text.\ninput: abc\noutput: def\n"),
        (".",),
        Wanted.ORDINARY,
    ),
    "YAML with intentions": (
        _others("data/bot.yaml", "intentions:\n  - greet\n  - book\nlanguage: en\n"),
        (".",),
        Wanted.ORDINARY,
    ),
    "YAML that is none": (_others("data/odd.yaml", "instruction: {{ jinja }}\n{% if x %}\n"), (".",), Wanted.ORDINARY),
    "a folder called t2a": (_others("t2a/test_x.py", "def test_good(): pass\n"), (".",), Wanted.ORDINARY),
    "options for all, plain tests alone": (
        _plain("addopts = --t2a-interface=python:asr:R"),
        ("test_plain.py",),
        Wanted.ORDINARY,
    ),
    "ini key, plain tests alone": (_plain("t2a_interface = python:asr:R"), ("test_plain.py",), Wanted.ORDINARY),
    "a failing test in a folder called t2a": (
        _others("t2a/test_x.py", "def test_bad(): assert 0\n"),
        (".",),
        Wanted.RED,
    ),
}


def _no_gate(_: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """Other people's tests are none of the gate's business."""
    if "GATE" in ended.out:
        yield "wrong red", "a gate where there is none"


PLUGINS: Mapping[str, Mapping[str, tuple[Break, tuple[str, ...], Wanted]]] = {
    "pytest_timeout": {
        "longer than its items": (
            both(Project.forget, lambda project: project.environment.update(CAMPAIGN_SLOW="1")),
            ("suite", HEAR, "--timeout=4"),
            Wanted.GREEN,
        ),
    },
    "pytest_socket": {"no sockets": (Project.forget, ("suite", HEAR, "--disable-socket"), Wanted.GREEN)},
    "pytest_forked": {"each item forked": (Project.forget, ("suite", HEAR, "--forked"), Wanted.DECIDED)},
    "pytest_rerunfailures": {"reruns of what is lost": (nothing, ("suite", LOSSY, "--reruns=2"), Wanted.RED)},
    "pytest_custom_exit_code": {
        "nothing judged, forgiven": (
            nothing,
            ("suite", HEAR, "-k", "nothing", "--suppress-no-test-exit-code"),
            Wanted.RED,
        )
    },
    "pytest_randomly": {"any order": (nothing, ("suite", LOSSY), Wanted.RED)},
    "pytest_jsonreport": {
        "red by the gate alone": (
            nothing,
            ("suite", LOSSY, *RELAXED, "--t2a-fail-under=0.99", "--json-report"),
            Wanted.RED,
        )
    },
    "pytest_repeat": {"three times": (nothing, ("suite", LOSSY, "--count=3"), Wanted.RED)},
}
