"""What a stranger reads of the command line: each option says what it is, each path that leads nowhere how to go on."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.cli import parser
from tests.analysis.test_decision import suite as results_of
from tests.commands.conftest import Save, Say
from tests.conftest import TASKS


def parsers(of: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command, those below another one too."""
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below, command in action.choices.items():
                yield f"{name} {below}".strip(), command
                yield from parsers(command, f"{name} {below}".strip())


COMMANDS = dict(parsers(parser()))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_each_of_its_options_say_what_they_are(name: str) -> None:
    command = COMMANDS[name]
    assert command.description
    assert command.description[0].isupper()
    assert command.description.endswith(".")
    for action in command._actions:
        if not isinstance(action, argparse._SubParsersAction):
            assert len((action.help or "").split()) >= 3, action.option_strings or action.dest
            assert action.nargs == 0 or action.choices or str(action.metavar).rpartition(":")[2].isupper()
    assert name in command.format_help()


NOWHERE = [
    "show NOWHERE",
    "score NOWHERE --task=a",
    "judge NOWHERE",
    "judge RUN --tasks=NOWHERE",
    "report NOWHERE",
    "report RUN --baseline=NOWHERE",
    "review NOWHERE --labels=l",
    "review RUN --labels=l --against=NOWHERE",
    "review RUN --labels=l --tasks=NOWHERE",
    "lint NOWHERE",
    "lint SUITE --wcb=NOWHERE",
    "lint SUITE --osworld=NOWHERE",
    "import NOWHERE",
    "verify NOWHERE",
    "verify SUITE --wcb=NOWHERE",
    "execute NOWHERE",
    "execute SUITE --run=NOWHERE",
    "compare NOWHERE RUN",
    "compare RUN NOWHERE",
    "regate NOWHERE",
    "regate RUN --baseline=NOWHERE",
    "accept NOWHERE",
    "correlate NOWHERE --execution=CSV",
    "correlate RUN --execution=NOWHERE",
    "correlate RUN --execution=CSV --scores=NOWHERE",
    "correlate RUN --execution=CSV --metrics=rubric --rubrics=NOWHERE --model=llm:m",
    "table collections NOWHERE",
    "table collections SUITE --manifest=NOWHERE",
    "table execution NOWHERE",
    "table correlation NOWHERE --execution=CSV",
    "table correlation RUN --execution=NOWHERE",
    "table diagnosis RUN --execution=NOWHERE",
    "table diagnosis RUN --execution=CSV --targeted=NOWHERE",
    "table transfer NOWHERE --before=a --after=b",
    "eval-results NOWHERE --dataset=a/b",
]


@pytest.mark.parametrize("line", NOWHERE)
def test_a_path_that_leads_nowhere_is_named_with_a_cure(complain: Say, tmp_path: Path, save: Save, line: str) -> None:
    suite, csv, nowhere = tmp_path / "suite.yaml", tmp_path / "scores.csv", tmp_path / "nowhere"
    suite.write_text(TASKS + EXECUTABLE, encoding="utf-8")
    csv.write_text("task,condition,score\nt00,rc1,1\nt01,rc1,0.5\n", encoding="utf-8")
    places = {"NOWHERE": nowhere, "SUITE": suite, "CSV": csv, "RUN": save("run", results_of(3))}
    for name, place in places.items():
        line = line.replace(name, str(place))
    said = complain(*line.split())
    assert str(nowhere) in said
    assert "Errno" not in said
    _, _, cure = said.partition("; ")
    assert cure.split()[0] in ("check", "name", "make"), said


EXECUTABLE = """\
---
id: files/touch
instruction: Make the file a.txt.
intentions: {file: {say: a.txt, kind: filename}}
value: file
execution: {checks: {file: {exists: a.txt}}, solution: touch a.txt}
"""
