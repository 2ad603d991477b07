"""Instructions as scripts: structure by order and field, every literal in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.recording.script import literals_of, script_of
from pytest_talk2agent.tasks.loader import load_tasks

SUITES = sorted((Path(__file__).parents[2] / "suites").glob("*/tasks.yaml"))


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Copy a.txt & b.txt.", "Copy a dot t x t and b dot t x t."),
        ("Run `git commit -m \"fix\"` now.", "Run git commit dash m quote fix quote now."),
        ("See [the guide](https://example.org/a).", "See the guide, example dot org slash a."),
        ("# Title\n\nDo **this** now.", "Title. Do this now."),
        ("Do:\n- copy a.txt\n- wait 5 minutes\n", "Do: First, copy a dot t x t. Second, wait five minutes"),
        ("1. one thing\n   - inside\n2. next", "First, one thing. First, inside. Second, next"),
        ("| Name | Port |\n|---|---:|\n| nginx | 8080 |\n",
         "A table with the columns Name, Port. Row one: Name, nginx; Port, eight thousand eighty"),
        ('Use {"user_name": "amy", "ports": [80, 443], "on": true}.',
         "Use an object with three fields: user underscore name, amy; ports, a list of two items: first, eighty;"
         " second, four hundred forty three; end of list; on, true; end of object."),
        ("```bash\ncd /tmp && ls\nmake\n```",
         "The code is, cd slash t m p ampersand ampersand ls, new line, make, end of code"),
        ("See note [1] and {this}.", "See note [one] and {this}."),
        ("把 `report_v2.docx` 发到a.lee@example.com，3份。",
         "把 report underscore v two dot docx 发到 a dot lee at example dot com，3份。"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_is_spoken(written: str, spoken: str) -> None:
    script = script_of(written)
    assert script.text == spoken
    assert script.lost == ()


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.parent.name)
def test_every_literal_and_intention_of_the_shipped_suites_comes_back(path: Path) -> None:
    for task in load_tasks(path):
        if not task.is_bound:
            continue
        script = script_of(task.instruction, "people", literals_of(task))
        assert script.lost == (), task.id
        findings = judge(Case(task.instruction, script.text, task.intentions, script.text)).findings
        assert {name for name, one in findings.items() if one.label is not Label.RETAINED} == set(), task.id


@settings(max_examples=150)
@given(st.text(alphabet='ab|-#`*1. {}[]":,\n/_', max_size=80))
def test_any_markup_makes_a_script_of_one_line_and_the_same_again(text: str) -> None:
    script = script_of(text)
    assert "\n" not in script.text
    assert script == script_of(text)


def test_a_value_without_a_reading_stays_and_is_listed() -> None:
    script = script_of("Rename it to report→x_1.txt today.", known=[("report→x_1.txt", "filename")])
    assert script.text == "Rename it to report→x_1.txt today."
    assert [(one.value, one.reason) for one in script.lost] == [("report→x_1.txt", "no reading of it comes back")]
