"""Every bad input is one clear line: where (exactly), what, and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.tasks import document
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.files import LARGEST
from pytest_talk2agent.tasks.loader import load_tasks
from tests.tasks.conftest import TASK, Load

BOMB = "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9) if n else 'lol'}]\n" for n in range(9))


def problems(load: Load, text: str) -> list[str]:
    with pytest.raises(TaskFileError) as caught:
        load(text)
    assert str(caught.value) == "\n".join(map(str, caught.value.problems))
    assert all("\n" not in problem.message for problem in caught.value.problems)
    return [f"{problem.line}:{problem.column}: {problem.message}" for problem in caught.value.problems]


def change(old: str, new: str) -> str:
    assert TASK.count(old) == 1, old
    return TASK.replace(old, new)


CASES = {
    "unknown key": (TASK + "intention: {}\n", "7:1: unknown key `intention`; did you mean `intentions`?"),
    "key of the loader": (TASK + "path: x\n", "7:1: unknown key `path`; known are id, tags,"),
    "unknown key of an intention": (
        change("{say: a.txt", "{sayy: x, say: a.txt"),
        "4:12: unknown key `sayy`; did you mean `say`?",
    ),
    "unknown key of a recording": (
        TASK + "recordings:\n- audio: a\n  file: b\n",
        "9:3: unknown key `file`; known are audio, speaker",
    ),
    "unknown key of the context": (TASK + "context: {file: [a]}\n", "7:11: unknown key `file`; did you mean `files`?"),
    "unknown threshold": (TASK + "thresholds: {nativ: 1}\n", "7:14: unknown key `nativ`; did you mean `native`?"),
    "unknown kind": (
        change("a.txt, kind: filename", "a.txt, kind: fliename"),
        "4:30: `kind` cannot be `fliename`; did you mean `filename`?",
    ),
    "unknown polarity": (
        TASK + "polarity: reverse\n",
        "7:11: `polarity` cannot be `reverse`; did you mean `reversal`?",
    ),
    "missing keys": ("id: a\nintentions: {a: {say: b}}\nvalue: a\n", "1:1: `instruction` is missing; add it"),
    "missing say": (change("say: a.txt, ", ""), "4:11: `say` is missing; add it"),
    "duplicate key": (
        TASK + "value: source\n",
        "7:1: `value` is here a second time, first on line 6; keep one of them",
    ),
    "duplicate intention": (
        change("  target:", "  source:"),
        "5:3: `source` is here a second time, first on line 4; keep one of them",
    ),
    "duplicate id": (
        TASK + "---\n" + TASK,
        "8:5: the id `files/copy` on line 8 is that of line 1 too; change one of them",
    ),
    "id with colons": (change("files/copy", "files::copy"), "1:5: `files::copy` is no task id;"),
    "id with a blank": (change("files/copy", "copy files"), "1:5: `copy files` is no task id;"),
    "id with a slash first": (change("files/copy", "/copy"), "1:5: `/copy` is no task id;"),
    "id with a line end": (change("files/copy", '"a\\n"'), "1:5: `a ` is no task id;"),
    "key without a value": (TASK + "script:\n", "7:1: `script` has no value; write one or delete it"),
    "say without a value": (change("say: a.txt, ", "say: , "), "4:12: `say` has no value; write one or delete it"),
    "item without a value": (TASK + "tags:\n  - a\n  -\n", "9:4: this item has no value; write one or delete it"),
    "item without a value among recordings": (
        TASK + "recordings:\n  -\n  - {audio: a}\n",
        "8:4: this item has no value;",
    ),
    "workspace with an endless name": (TASK + f"context: {{workspace: {'x' * 5000}}}\n", "7:22: `xxx"),
    "empty instruction": (change("Copy a.txt to b.txt.", '" "'), "2:14: the text is empty; write it or delete the key"),
    "empty say": (change("a.txt, kind", "'', kind"), "4:17: an empty text in `say`; write it or delete it"),
    "empty list of say": (change("a.txt, kind", "[], kind"), "4:17: the list is empty; write what must come across"),
    "list for a text": (change("Copy a.txt to b.txt.", "[a]"), "2:14: `instruction` must be a text"),
    "mapping for a text": (change("a.txt, kind", "{a: b}, kind"), "4:17: `say` must be a list"),
    "list within say": (change("a.txt, kind", "[x, [b]], kind"), "4:21: every item of `say` must be a text"),
    "text for a mapping": (TASK + "context: here\n", "7:10: `context` must be a mapping"),
    "text for an intention": (change("{say: a.txt, kind: filename}", "a.txt"), "4:11: `source` must be a mapping"),
    "text for a list": (TASK + "recordings: a.wav\n", "7:13: `recordings` must be a list"),
    "text for keywords": (change("a.txt, kind: filename", "a.txt, keywords: a"), "4:34: `keywords` must be a list"),
    "document that is a list": ("- instruction: a\n", "1:1: a task is a mapping; write keys such as `id: ...`"),
    "document that is a text": ("instruction\n", "1:1: a task is a mapping; write keys such as `id: ...`"),
    "threshold above one": (TASK + "thresholds: {native: 1.5}\n", "7:22: a threshold of 1.5 is outside 0 to 1;"),
    "threshold below zero": (TASK + "thresholds: {shapley: -0.1}\n", "7:23: a threshold of -0.1 is outside 0 to 1;"),
    "threshold in words": (
        TASK + "thresholds: {native: high}\n",
        "7:22: `high` is not a number; write a decimal such as 0.9",
    ),
    "threshold that is no list": (TASK + "thresholds: {native: [1]}\n", "7:22: `['1']` is not a number;"),
    "worth in words": (change("{say: a.txt", "{unsatisfied: half, say: a.txt"), "4:25: `half` is not a number;"),
    "worth above one": (
        change("{say: a.txt", "{unsatisfied: 1, say: a.txt"),
        "4:25: a lost intention is worth at least 0",
    ),
    "worth without end": (
        change("{say: a.txt", "{unsatisfied: 1e999999999, say: a.txt"),
        "4:25: `1e999999999` is not a number;",
    ),
    "worth of a division by zero": (
        change("{say: a.txt", "{unsatisfied: 1/0, say: a.txt"),
        "4:25: `1/0` divides by zero;",
    ),
    "worth that is a list": (change("{say: a.txt", "{unsatisfied: [1], say: a.txt"), "4:25: `['1']` is not a number;"),
    "range that falls": (TASK + "range: [1, 0]\n", "7:8: the range must rise; write [LOWEST, HIGHEST]"),
    "range of one": (TASK + "range: [1]\n", "7:8: `range` must be a list of two numbers;"),
    "range of three": (TASK + "range: [0, 1, 2]\n", "7:8: `range` must be a list of two numbers;"),
    "range of a text": (TASK + "range: 0..1\n", "7:8: `range` must be a list of two numbers;"),
    "range of words": (TASK + "range: [0, many]\n", "7:12: `many` is not a number;"),
    "truth value": (TASK + "fixed: {f: {holds: perhaps}}\n", "7:20: `holds` must be true or false"),
    "count in words": (TASK + "groups: {g: {count: ten, needs: source}}\n", "7:21: `count` must be a whole number"),
    "count of zero": (TASK + "groups: {g: {count: 0, needs: source}}\n", "7:21: `count` must be at least 1; got `0`"),
    "count without end": (
        TASK + "groups: {g: {count: 99999999, needs: source}}\n",
        "7:21: `count` must be at most 10000;",
    ),
    "needs no intention": (
        TASK + "groups: {g: {count: 2, needs: [sorce]}}\n",
        "7:32: `sorce` is no intention; did you mean `source`?",
    ),
    "needs nothing": (TASK + "groups: {g: {count: 2, needs: []}}\n", "7:31: the list is empty;"),
    "declared twice": (
        TASK + "fixed: {source: {holds: false}}\n",
        "7:17: `source` is already declared under `intentions`;",
    ),
    "name of no expression": (TASK + "let: {a-b: source}\n", "7:12: `a-b` cannot be used in an expression;"),
    "no intention": ("id: a\ninstruction: b\nintentions: {}\nvalue: 1\n", "3:13: there is no intention;"),
    "choice without options": (
        change("a.txt, kind: filename", "a, kind: choice"),
        "4:11: `source` is a choice without `options`;",
    ),
    "choice outside the options": (
        change("a.txt, kind: filename", "a, kind: choice, options: [b, c]"),
        "4:17: `a` is not among the `options`;",
    ),
    "empty keyword": (
        change("a.txt, kind: filename", "a, kind: gist, keywords: [[a], ['']]"),
        "4:48: an empty keyword",
    ),
    "sha256 too short": (TASK + "recordings: [{audio: a, sha256: abc}]\n", "7:33: a SHA-256 is 64 hexadecimal digits;"),
    "take no id can hold": (
        TASK + "recordings: [{audio: a, take: 'a b'}]\n",
        "7:31: `a b` cannot be part of a test id;",
    ),
    "take twice": (
        TASK + "recordings:\n- {audio: a, take: x}\n- {audio: b, take: x}\n",
        "9:20: take `x` is here a second time;",
    ),
    "workspace that is not there": (TASK + "context: {workspace: nowhere}\n", "7:22: `nowhere` is no folder;"),
    "screenshot that is not there": (TASK + "context: {screenshots: [a.png]}\n", "7:25: `a.png` is no file;"),
    "header not first": (TASK + "---\nsuite: {name: x}\n", "8:1: `suite` must be the first document of the file;"),
    "header with a task in it": ("suite: {name: x}\n" + TASK, "2:1: `id` cannot stand beside `suite`;"),
    "header with an unknown key": ("suite: {nam: x}\n---\n" + TASK, "1:9: unknown key `nam`; did you mean `name`?"),
    "header that is a text": ("suite: x\n---\n" + TASK, "1:8: `suite` must be a mapping"),
    "header alone": ("suite: {name: x}\n", "1:1: the file has no task;"),
    "empty file": ("", "1:1: the file has no task;"),
    "nothing but comments": ("# instruction: a\n---\n---\n", "1:1: the file has no task;"),
    "alias bomb": (BOMB + TASK, "5:35: aliases stand for more than 10000 values; write the values out"),
    "alias without an anchor": (change("a.txt, kind", "*a, kind"), "4:17: `*a` has no finished `&a` before it;"),
    "alias inside itself": (
        change("{say: a.txt", "&s {also: *s, say: a.txt"),
        "4:21: `*s` has no finished `&s` before it;",
    ),
    "alias of another document": (
        change("{say: a.txt", "&s {say: a.txt")
        + "---\n"
        + change("{say: a.txt, kind: filename}", "*s").replace("copy", "b"),
        "11:11: `*s` has no finished `&s` before it;",
    ),
    "python tag": (
        change("a.txt, kind", "!!python/object/apply:os.system [ls], kind"),
        "4:17: the tag `!!python/object/apply:os.system` is not allowed;",
    ),
    "own tag": (
        change("Copy a.txt to b.txt.", "!important call"),
        "2:14: the tag `!important` is not allowed; quote the text",
    ),
    "standard tag": (TASK + "thresholds: {native: !!float 1}\n", "7:22: the tag `!!float` is not allowed;"),
    "merge key": (TASK + "<<: {tags: a}\n", "7:1: merge keys (`<<`) are not supported;"),
    "key that is a list": (TASK + "[a, b]: c\n", "7:1: a key must be plain text,"),
    "nested too deep": (TASK + "execution: " + "[" * 40 + "]" * 40 + "\n", "7:43: nested deeper than 32 levels;"),
    "nested without end": ("instruction: " + "[" * 100_000, "1:1013: nested too deep;"),
    "tab as indentation": (
        "id: a\nintentions:\n\tsource: {say: a}\n",
        "3:1: a tab in the indentation; YAML allows blanks only",
    ),
    "tab after blanks": (
        "id: a\nintentions:\n  \tsource: {say: a}\n",
        "3:3: a tab in the indentation; YAML allows blanks only",
    ),
    "star unquoted": (
        change("a.txt, kind", "*.txt, kind"),
        "4:17: a text must not begin with `*` unless it is quoted;",
    ),
    "at sign unquoted": (
        change("Copy a.txt to b.txt.", "@amy copy"),
        "2:14: a text must not begin with `@` unless it is quoted;",
    ),
    "backquote unquoted": (
        change("Copy a.txt to b.txt.", "`ls`"),
        "2:14: a text must not begin with ``` unless it is quoted;",
    ),
    "colon unquoted": (
        change("Copy a.txt to b.txt.", "Copy this: a"),
        "2:23: a second `: ` in one line, or a wrong indentation;",
    ),
    "hash unquoted": (
        change("Copy a.txt to b.txt.", "Close PR #12"),
        "2:22: YAML drops `#12` as a comment; quote the text",
    ),
    "quote not closed": (change("Copy a.txt to b.txt.", '"Copy'), "2:14: the quote that opens here is never closed;"),
    "brace not closed": (
        change("kind: filename}\n  target", "kind: filename\n  target"),
        "5:9: expected ',' or '}' inside {..; close the `{` of line 4",
    ),
    "colon within braces": (
        change("a.txt, kind", "a: b, kind"),
        "4:18: expected ',' or '}' inside {..; close the `{` of line 4",
    ),
    "wrong indentation": (TASK + " tags: a\n", "7:6: a second `: ` in one line, or a wrong indentation;"),
    "item among keys": (TASK + "- a\n", "7:1: expected"),
    "control character": (change("Copy a", "Copy\0a"), "2:18: the character U+0000 is not allowed in YAML; delete it"),
    "escaped control character": (
        change("Copy a.txt to b.txt.", '"Copy \\0"'),
        "2:14: the escape for U+0000 is not allowed;",
    ),
    "comment in place of a value": (TASK + "script: #none\n", "7:1: `script` has no value;"),
    "escape character": (
        change("Copy a", "Copy\x1b a"),
        "2:18: the character U+001B is not allowed in YAML; delete it",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_bad_input_is_one_clear_line(load: Load, text: str, expected: str) -> None:
    (problem,) = problems(load, text)
    assert problem.startswith(expected)


SCANNER_CASES = [
    "tab as indentation",
    "star unquoted",
    "at sign unquoted",
    "colon unquoted",
    "quote not closed",
    "brace not closed",
]


@pytest.mark.parametrize("name", SCANNER_CASES)
def test_the_python_scanner_explains_the_same(load: Load, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    text, _ = CASES[name]
    fast = problems(load, text)
    monkeypatch.setattr(document, "LOADER", yaml.SafeLoader)
    slow = problems(load, text)
    if name == "brace not closed":  # the scanners word what they miss in their own way
        fast, slow = [line.split(": ")[0] for line in fast], [line.split(": ")[0] for line in slow]
    assert slow == fast


def test_the_python_scanner_survives_an_escape_without_a_character(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "LOADER", yaml.SafeLoader)
    (problem,) = problems(load, change("Copy a.txt to b.txt.", '"\\UFFFFFFFF"'))
    assert problem.startswith("1:1: an escape `\\U........` in double quotes is no character;")


def test_all_problems_of_a_file_are_reported_at_once(load: Load) -> None:
    wrong = change("a.txt, kind: filename", "a.txt, kind: file") + "colour: red\n"
    found = problems(load, "---\n".join([wrong, "id: b\n", TASK, "range: [0\n"]))
    assert [line.split(": ")[0] for line in found] == ["4:30", "7:1", "9:1", "9:1", "9:1", "11:5", "18:8"]


def test_a_file_of_another_kind_does_not_flood_the_terminal(load: Load) -> None:
    found = problems(load, "instruction: a\n" + "".join(f"key{number}: 1\n" for number in range(100_000)))
    assert len(found) == 201
    assert found[-1] == "202:1: more than 200 problems, so reading ends here; mend the others first"


def test_a_problem_says_its_file(load: Load, tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="unknown key") as caught:
        load(TASK + "colour: red\n")
    assert str(caught.value).startswith(f"{tmp_path / 'suite.yaml'}:7:1: unknown key `colour`; ")


def refused(path: Path) -> str:
    with pytest.raises(TaskFileError) as caught:
        load_tasks(path)
    return str(caught.value).removeprefix(str(path))


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_bytes(TASK.replace("Copy a", "Copy ä").encode("latin-1"))
    assert refused(path) == ":2:19: byte 0xe4 is not UTF-8; save the file as UTF-8"
    path.write_bytes(TASK.encode("utf-16"))
    assert refused(path) == ":1:1: is UTF-16; save it as UTF-8"


def test_a_folder_a_missing_file_and_a_pipe(tmp_path: Path) -> None:
    assert refused(tmp_path) == ": is a folder; name a task file in it"
    assert (
        refused(tmp_path / "a.yaml")
        == ": cannot be read: No such file or directory; check the path and its permissions"
    )
    os.mkfifo(tmp_path / "pipe.yaml")
    assert refused(tmp_path / "pipe.yaml") == ": is no regular file; name a task file"


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(TASK)

    def deny(path: Path, flags: int) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", deny)
    assert refused(path) == ": cannot be read: Permission denied; check the path and its permissions"


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text("#" * (LARGEST + 1))
    assert refused(path) == f": has {LARGEST + 1} bytes, more than {LARGEST}; split it into several files"
