"""``talk2agent review``: a person labels what a run left unresolved, or what two judges see otherwise.

The labels file only grows: what stands in it is never changed, and what it answers is not asked again, so that a review
can be left and taken up at any time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, write

if TYPE_CHECKING:
    from pytest_talk2agent.reporting.review.questions import Question

_KEYS = "r retained, c changed, o omitted, u unresolved, s skip, q quit"


def add(commands: Commands) -> None:
    """Declare the command."""
    review = commands.add_parser("review", help="label by hand what a run left unresolved or judges disagree on")
    review.add_argument("folder", type=Path, metavar="RUN", help="report folder of a run")
    review.add_argument("--labels", type=Path, required=True, metavar="FILE", help="file that the labels are added to")
    review.add_argument(
        "--against",
        type=Path,
        action="append",
        default=[],
        metavar="LABELS",
        help="report folder of the same recordings judged otherwise, or a labels file: ask where the labels differ",
    )
    review.add_argument("--tasks", type=Path, action="append", default=[], metavar="PATH", help="task files of the run")
    review.add_argument("--by", default="", metavar="NAME", help="who labels; kept with each label")
    review.add_argument("--at", default="", metavar="DATE", help="when; kept with each label")
    review.add_argument("--page", type=Path, metavar="FILE", help="write a page with the questions instead of asking")
    review.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask, or write the page."""
    from pytest_talk2agent.engine.saved_cases import tasks_behind
    from pytest_talk2agent.judging.label_records import read_labels
    from pytest_talk2agent.reporting.review.questions import questions_of
    from pytest_talk2agent.results.saved import read_run

    saved = read_run(options.folder)
    others = [read_labels(path) for path in options.against]
    answered = read_labels(options.labels) if options.labels.exists() and options.labels.stat().st_size else {}
    questions = questions_of(saved.results, others, tasks_behind(saved.results, options.tasks), answered)
    if options.page is not None:
        return _write_page(options, questions)
    given, skipped = _ask(questions, options)
    left = len(questions) - given - skipped
    write([f"{given} labels added to {options.labels}, {skipped} skipped, {left} not reached"])
    return 0


def _ask(questions: list[Question], options: argparse.Namespace) -> tuple[int, int]:
    from pytest_talk2agent.judging.judgement import Label
    from pytest_talk2agent.judging.label_records import append_label
    from pytest_talk2agent.reporting.review.questions import question_lines

    keys = {label.value[0]: label for label in Label}
    given = skipped = 0
    for number, question in enumerate(questions, start=1):
        write([*question_lines(question, number, len(questions)), f"  {_KEYS}"])
        key = _key((*keys, "s", "q"))
        if key == "q":
            break
        if key == "s":
            skipped += 1
            continue
        append_label(options.labels, question.answered(keys[key], by=options.by, at=options.at))
        given += 1
    return given, skipped


def _key(known: tuple[str, ...]) -> str:
    """The first letter of the answer, asked for until it is one that is known; the end of the input is quit."""
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            write([""])
            return "q"
        key = line.strip().lower()
        if key in known:
            return key
        write([f"  {_KEYS}"])


def _write_page(options: argparse.Namespace, questions: list[Question]) -> int:
    from pytest_talk2agent.reporting.review.page import review_page
    from pytest_talk2agent.results.store import write_whole

    name = options.labels.name
    write_whole(options.page, review_page(questions, name, by=options.by, at=options.at))
    write([f"{len(questions)} questions in {options.page}; append the file that it saves to {options.labels}"])
    return 0
