"""The key `execution` of a task file: what it may say, and what is refused where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.executable import Check, Execution, absolute, top
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.schema import json_schema

HEAD = """\
id: own/move
instruction: Move a.txt to b.txt.
intentions:
  source: {say: a.txt, kind: filename}
  target: {say: b.txt, kind: filename}
fixed: {tidy: {}}
value: 0.5*source + 0.5*target*tidy
execution:
"""
BODY = """\
  files: {a.txt: hello, '/srv/log/': {}, /var/log/big.log: {size: 300 MB, age: 20 days}}
  time_limit: 5
  checks:
    source: {absent: a.txt}
    target: {text: ~/b.txt, equals: hello}
    tidy: [{absent: ~/*.bak}, {not: {exists: /srv/log/x}}]
  solution: mv a.txt b.txt
"""
GIT = "  git: {r: {branch: trunk, origin: o.git, commits: [{message: one}], staged: {b.txt: two}}}\n  time_limit"
Load = Callable[[str], Execution]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(text: str) -> Execution:
        path = tmp_path / "tasks.yaml"
        path.write_text(text, encoding="utf-8")
        (task,) = load_tasks(path)
        assert task.execution is not None
        return task.execution

    return load


def test_what_it_says(load: Load) -> None:
    found = load(HEAD + BODY)
    assert found.files["a.txt"].content == b"hello\n"
    assert (found.files["/var/log/big.log"].length, found.files["/var/log/big.log"].seconds) == (300_000_000, 1_728_000)
    assert (found.time_limit, found.setup, found.solution) == (5, (), ("mv a.txt b.txt",))
    assert [part.word for part in found.checks["tidy"].walk()] == ["all", "absent", "not", "exists"]
    assert set(found.paths()) >= {"a.txt", "/srv/log/", "~/b.txt", "~/*.bak", "/srv/log/x"}


def test_a_repository(load: Load) -> None:
    found = load(HEAD + BODY.replace("  time_limit", GIT))
    assert (found.git["r"].branch, found.git["r"].origin, found.git["r"].staged) == ("trunk", "o.git", {"b.txt": "two"})
    assert {"r", "o.git"} <= set(found.paths())


def test_an_execution_changes_no_score_of_a_transcript(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    hashes = []
    for text in (HEAD.replace("execution:\n", ""), HEAD + BODY):
        path.write_text(text, encoding="utf-8")
        hashes.append(load_tasks(path)[0].content_hash)
    assert len(set(hashes)) == 1


REFUSED = {
    "no check for a criterion": (
        ("    tidy: [{absent: ~/*.bak}, {not: {exists: /srv/log/x}}]\n", ""),
        "12:5: `tidy`: no check",
    ),
    "a check for no criterion": (("    source:", "    sourc:"), "12:12: `sourc` is no intention and no fixed"),
    "unknown key": (("time_limit", "time_limt"), "10:3: unknown key `time_limt`; did you mean `time_limit`?"),
    "unknown key of a check": (("equals", "equal"), "13:29: unknown key `equal`; did you mean `equals`?"),
    "unknown key of a file": (("size:", "sise:"), "unknown key `sise`; did you mean `size`?"),
    "a key of another check": (("{absent: a.txt}", "{absent: a.txt, rows: 3}"), "`rows` says nothing about `absent`"),
    "nothing to compare": ((", equals: hello", ""), "13:13: `text` needs one of contains, equals, matches"),
    "two words": (("{absent: a.txt}", "{absent: a.txt, exists: a.txt}"), "12:13: a check has one of exists"),
    "no word": (("{absent: a.txt}", "{equals: a}"), "this one has none"),
    "no regular expression": (("equals: hello", "matches: '('"), "`(` is no regular expression"),
    "outside": (("{absent: a.txt}", "{absent: ../a.txt}"), "12:22: `../a.txt` leads out of its folder"),
    "the system": (("/var/log/big.log", "/usr/big.log"), "`/usr/big.log` belongs to the system"),
    "scratch": (("/var/log/big.log", "/tmp/big.log"), "`/tmp/big.log` is scratch space"),
    "somebody's home": (("{absent: a.txt}", "{absent: ~bob/a}"), "is the home of somebody else"),
    "no size": (("300 MB", "300 pages"), "`300 pages` is no size"),
    "no age": (("20 days", "long"), "`long` is no age"),
    "no time": (("time_limit: 5", "time_limit: 0"), "`time_limit` must be more than 0"),
    "much time": (("time_limit: 5", "time_limit: 5000"), "`time_limit` must be at most 3600"),
    "no solution": (("solution: mv a.txt b.txt", "solution: ' '"), "the solution is empty"),
    "a file in a file": (("'/srv/log/': {}", "a.txt/b: x"), "`a.txt` is a file, so `a.txt/b` cannot lie in it"),
    "one place twice": (("'/srv/log/': {}", "~/a.txt: x"), "two of these paths are one place"),
    "a folder with content": (("'/srv/log/': {}", "'/srv/log/': x"), "ends with a slash, so it is a folder"),
    "no python file": (("{absent: a.txt}", "{python: 'checks.py:f'}"), "12:13: `checks.py` is no file"),
    "no function": (("{absent: a.txt}", "{python: checks}"), "`checks` names no function; write FILE.py:FUNCTION"),
    "empty list": (("{absent: a.txt}", "[]"), "`all` is empty"),
    "no commit": (("  time_limit", "  git: {r: {commits: []}}\n  time_limit"), "`commits`"),
    "a repository outside": (("  time_limit", GIT.replace("{r:", "{../r:")), "`../r` leads out of its folder"),
    "an origin outside": (("  time_limit", GIT.replace("o.git", "/usr/o.git")), "`/usr/o.git` belongs to the system"),
    "no file of it": (("  time_limit", GIT.replace("b.txt", ".git/config")), "`.git/config` is no file of"),
    "no branch": (("  time_limit", GIT.replace("trunk", "-x")), "`branch`"),
    "no mapping": ((BODY, "  []\n"), "`execution` must be a mapping"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(load: Load, change: tuple[str, str], message: str) -> None:
    text = (HEAD + BODY).replace(*change)
    assert text != HEAD + BODY
    with pytest.raises(TaskFileError) as caught:
        load(text)
    assert message in str(caught.value)
    assert len(caught.value.problems) == 1, str(caught.value)


def test_a_python_check_is_a_function_beside_the_task_file(load: Load, tmp_path: Path) -> None:
    text = (HEAD + BODY).replace("{absent: a.txt}", "{python: 'checks.py:gone'}")
    (tmp_path / "checks.py").write_text("def gone(home): return True\n")
    assert load(text).checks["source"].python == "checks.py:gone"
    for source, message in (("x = 1\n", "defines no function `gone`"), ("def (", "is no Python, line 1")):
        (tmp_path / "checks.py").write_text(source)
        with pytest.raises(TaskFileError, match=message):
            load(text + "# read again\n" * len(source))


@pytest.mark.parametrize(
    ("written", "place", "folder"),
    [
        ("~/a b/c.txt", "/home/agent/a b/c.txt", "/home/agent"),
        ("a/c.txt", "/home/agent/a/c.txt", "/home/agent"),
        ("~", "/home/agent", "/home/agent"),
        ("/srv/archive/2026/", "/srv/archive/2026", "/srv"),
        ("/var/log/nginx/x", "/var/log/nginx/x", "/var/log"),
        ("/etc/nginx", "/etc/nginx", "/etc/nginx"),
    ],
)
def test_places(written: str, place: str, folder: str) -> None:
    found = absolute(written)
    assert (str(found), str(top(found))) == (place, folder)


@pytest.mark.parametrize(
    "written", ["", "/", "/etc", "/proc/1", "/home/bob/x", "/root/x", "a/../../b", "/lib64/x", "x\0"]
)
def test_no_places(written: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        absolute(written)


def test_the_schema_takes_the_short_forms() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema is checked with jsonschema")
    validator = jsonschema.Draft202012Validator(json_schema())
    task: dict[str, Any] = {"id": "a", "instruction": "a", "intentions": {"x": {"say": "x"}}, "value": "x"}
    good = {"files": {"a": "x", "b": {"size": "1 MB"}}, "checks": {"x": [{"exists": "a"}, {"not": {"exists": "b"}}]}}
    assert list(validator.iter_errors({**task, "execution": {**good, "solution": "true"}})) == []
    for wrong in (
        {**good},
        {**good, "solution": "x", "chekcs": {}},
        {"checks": {"x": {"exist": "a"}}, "solution": "x"},
    ):
        assert list(validator.iter_errors({**task, "execution": wrong}))


def test_a_check_says_what_the_file_says() -> None:
    check = Check.model_validate({"all": [{"json": "a", "equals": "3"}, [{"exists": "b"}]]})
    assert Check.model_validate(check.to_json()) == check
