from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pytest_talk2agent.tasks.lint import lint
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task
from tests.tasks.conftest import Load

TASK = """\
id: files/copy
instruction: Copy a.txt to b.txt.
script: Copy a dot t x t.
intentions:
  source: {say: a.txt, kind: filename}
  target: {say: b.txt, kind: filename}
value: all(source, target)
"""


def findings(tasks: list[Task]) -> list[str]:
    return [f"{finding.line}:{finding.column}: {finding.level}: {finding.message}" for finding in lint(tasks)]


def test_a_good_task_gives_nothing(load: Load) -> None:
    assert findings(load(TASK)) == []


CASES = {
    "powerless intention": (
        TASK.replace("all(source, target)", "source"),
        "6:11: warning: files/copy: `target` cannot change the score;",
    ),
    "nothing to lose": (
        TASK.replace("all(source, target)", "mean(source + no(source), target + no(target))"),
        "7:8: warning: files/copy: retaining everything gains nothing, g(I) = 0;",
    ),
    "inverted": (
        TASK.replace("all(source, target)", "no(all(source, target))"),
        "7:8: warning: files/copy: the score falls when everything is understood;",
    ),
    "one that hurts": (
        TASK.replace("all(source, target)", "0.5 + 0.5*source - 0.1*target"),
        "6:11: warning: files/copy: the score falls when `target` is retained;",
    ),
    "no valid expression": (TASK.replace("target)", "targt)"), "7:20: error: files/copy: `value`: "),
    "unused fixed criterion": (TASK + "fixed: {kept: {note: a}}\n", "8:15: warning: files/copy: `kept` is not used;"),
    "unused let": (TASK + "let: {x: source}\n", "8:10: warning: files/copy: `x` is not used;"),
    "unused group": (TASK + "groups: {g: {count: 2, needs: source}}\n", "8:13: warning: files/copy: `g` is not used;"),
    "gist without keywords": (
        TASK.replace("b.txt, kind: filename", "b, kind: gist"),
        "6:11: warning: files/copy: the gist `target` has no keywords;",
    ),
    "words of another language": (
        TASK.replace(
            "Copy a.txt to b.txt.", "Kopiere die Datei a.txt nach b.txt und lösche nicht das Original."
        ).replace("script: Copy a dot t x t.\n", ""),
        "2:14: warning: files/copy: the words look like 'de'; write `language: de`",
    ),
    "negation that is not known": (
        TASK.replace("b.txt, kind: filename", "b, kind: gist, keywords: [b]")
        .replace("Copy a.txt to b.txt.", "Kopiuj a.txt do b.")
        .replace("script: Copy a dot t x t.", "language: pl"),
        "3:11: warning: files/copy: the lexical judge does not know negation in the language 'pl'",
    ),
    "field of another kind": (
        TASK.replace("b.txt, kind: filename", "b, kind: term, keywords: [b]"),
        "6:11: warning: files/copy: `keywords` has an effect for kind `gist` only, and `target` is of kind `term`",
    ),
    "recording with an endless name": (TASK + f"recordings: [{{audio: {'x' * 5000}}}]\n", "8:13: error: files/copy: "),
    "missing recording": (TASK + "recordings: [{audio: a.wav}]\n", "8:13: error: files/copy: "),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_lint_finds(load: Load, text: str, expected: str) -> None:
    assert [line for line in findings(load(text)) if line.startswith(expected)] != []


@pytest.mark.parametrize("name", [name for name in CASES if name != "nothing to lose"])
def test_lint_finds_nothing_else(load: Load, name: str) -> None:
    assert len(findings(load(CASES[name][0]))) == 1


def test_a_reversal_may_fall(load: Load) -> None:
    assert findings(load(TASK.replace("all(source, target)", "no(all(source, target))") + "polarity: reversal\n")) == []


def test_a_recording_must_be_the_declared_one(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"sound")
    right, wrong = hashlib.sha256(b"sound").hexdigest(), "0" * 64
    text = TASK + f"recordings: [{{audio: a.wav, sha256: '{right}'}}]\n"
    assert findings(load(text)) == []
    (finding,) = findings(load(text.replace(right, wrong)))
    assert finding.startswith("8:13: error: ")
    assert f"has the SHA-256 {right}, not {wrong};" in finding


def test_ids_are_unique_across_files(tmp_path: Path) -> None:
    tasks = []
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(TASK)
        tasks += load_tasks(tmp_path / name)
    (finding,) = lint(tasks)
    assert str(finding) == (
        f"{tmp_path}/b.yaml:1:5: error: the id `files/copy` is that of {tmp_path}/a.yaml:1 too; change one of them"
    )


def test_every_intention_must_survive_the_controls(load: Load) -> None:
    heard = []

    def judge(task: Task, transcript: str) -> dict[str, str]:
        heard.append(transcript)
        return {
            name: "retained" if intention.say[0] in transcript else "omitted"
            for name, intention in task.intentions.items()
        }

    found = [(finding.line, finding.level, finding.message) for finding in lint(load(TASK), judge)]
    assert heard == ["Copy a.txt to b.txt.", "Copy a dot t x t."]
    message = "`{}` is omitted with the script itself as the transcript; mend `say`, `also` or the script"
    assert found == [
        (line, "error", f"files/copy: {message.format(name)}") for line, name in ((5, "source"), (6, "target"))
    ]


def test_what_no_perfect_reading_settles_is_a_warning_unless_a_note_says_why(load: Load) -> None:
    def unsettled(task: Task) -> dict[str, str]:
        return {"target": "`b` is unresolved (why)"}

    found = lint(load(TASK), unsettled=unsettled)
    assert [(one.level, one.line) for one in found] == [("warning", 6)]
    assert "no perfect reading settles `target`: `b` is unresolved (why); write a script" in found[0].message
    noted = TASK.replace("{say: b.txt, kind: filename}", "{say: b.txt, kind: filename, note: one file fits}")
    assert lint(load(noted), unsettled=unsettled) == []


def test_words_that_no_intention_covers_may_be_declared(load: Load) -> None:
    def holes(task: Task) -> list[str]:
        return ["Copy", "not", "Copy"]

    hint = lint(load(TASK), holes=holes)
    assert [one.level for one in hint] == ["hint"]
    assert "no intention covers `Copy`, `not`; no score tells" in hint[0].message
    assert lint(load(f"{TASK}unscored: [copy, not]\n"), holes=holes) == []
    stale = lint(load(f"{TASK}unscored: [copy, not, never]\n"), holes=holes)
    assert [(one.level, one.line) for one in stale] == [("warning", 8)]
    assert "`never` is no piece that an intention fails to cover; delete it" in stale[0].message
