"""``talk2agent judge`` and ``review``: how well a judge agrees with labels, and labels that a person gives.

The cases of a saved run are in two places: what was heard is in its results, what was asked for in its task files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.commands.common import Commands, add_json, declared, write, write_json
from pytest_talk2agent.reporting.questions import Question, question_lines, questions_of, review_page
from pytest_talk2agent.results.saved import read_run
from pytest_talk2agent.results.store import Store, StoreError, write_whole
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.judging.judge import Judge
    from pytest_talk2agent.judging.labelled_cases import LabelledCase
    from pytest_talk2agent.results.task_result import TaskResult
    from pytest_talk2agent.tasks.task import Task


STORE = Path(".t2a/store")


def add_judge(commands: Commands) -> None:
    """Declare the command."""
    judge = declared(commands, "judge", run_judge, "how well a judge agrees with given labels, or with another judge")
    judge.add_argument(
        "cases", type=Path, metavar="CASES", help="case file (JSON Lines), or the report folder of a run"
    )
    judge.add_argument("--judge", default="lexical", metavar="SPEC", help="judge to measure (default: lexical)")
    judge.add_argument("--against", metavar="SPEC", help="a judge whose labels take the place of the given ones")
    judge.add_argument("--tasks", type=Path, action="append", default=[], metavar="PATH", help="task files of the run")
    judge.add_argument("--store", type=Path, default=STORE, metavar="DIR", help=f"answers of models (default: {STORE})")
    judge.add_argument("--frozen", action="store_true", help="ask no model: an answer that is not stored is an error")
    add_json(judge)


_ITSELF = (
    "note: the run has its labels from this very judge, and that it agrees with itself proves nothing; name another"
    " with --judge or --against, or a case file with labels that you trust"
)


def run_judge(options: argparse.Namespace) -> int:
    """Measure the judge; 1 where it failed on a case."""
    from pytest_talk2agent.judging.agreement import agreement_lines

    try:
        measured = _measured(options)
    except StoreError as error:
        raise ValueError(str(error).replace("--t2a-store", "--store")) from None
    if options.json:
        write_json(measured)
    else:
        write(agreement_lines(measured))
        if measured.get("labels_by") == [measured["judge"]]:
            write([_ITSELF])
    return 1 if measured["errors"] else 0


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    from pytest_talk2agent.judging.agreement import agreement, relabelled

    cases, judge = _cases(options), _judge(options.judge, options)
    if not options.against:
        found = agreement(cases, judge)
        # The remark on a label of a run is the judge that gave it.
        return {**found, "labels_by": sorted({case.why for case in cases})} if options.cases.is_dir() else found
    other = _judge(options.against, options)
    return {**agreement(relabelled(cases, other), judge), "against": other.fingerprint}


def _cases(options: argparse.Namespace) -> list[LabelledCase]:
    if options.cases.is_dir():
        return saved_cases(read_run(options.cases).results, options.tasks)
    from pytest_talk2agent.judging.labelled_cases import read_cases

    return read_cases(options.cases)


def _judge(spec: str, options: argparse.Namespace) -> Judge:
    from pytest_talk2agent.judging.registry import make_judge

    judge = make_judge(spec)
    judge.keep_in(Store(options.store), frozen=options.frozen)
    judge.check()
    return judge


_KEYS = "r retained, c changed, o omitted, u unresolved, s skip, q quit"


def add_review(commands: Commands) -> None:
    """Declare the command."""
    review = declared(commands, "review", run_review, "label by hand what a run left unresolved or judges disagree on")
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


def run_review(options: argparse.Namespace) -> int:
    """Ask, or write the page."""
    from pytest_talk2agent.judging.labels import read_labels

    saved = read_run(options.folder)
    others = [read_labels(path) for path in options.against]
    answered = read_labels(options.labels) if options.labels.exists() and options.labels.stat().st_size else {}
    questions = questions_of(saved.results, others, tasks_behind(saved.results, options.tasks), answered)
    if options.page is not None:
        return _write_page(options, questions)
    given, skipped = _ask(questions, options)
    left = len(questions) - given - skipped
    write([f"{counted(given, 'label')} added to {options.labels}, {skipped} skipped, {left} not reached"])
    return 0


def _ask(questions: list[Question], options: argparse.Namespace) -> tuple[int, int]:
    from pytest_talk2agent.judging.judgement import Label
    from pytest_talk2agent.judging.labels import append_label

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

    name = options.labels.name
    write_whole(options.page, review_page(questions, name, by=options.by, at=options.at))
    write(
        [f"{counted(len(questions), 'question')} in {options.page}; append the file that it saves to {options.labels}"]
    )
    return 0


_SUFFIXES = (".yaml", ".yml")


def tasks_behind(results: Iterable[TaskResult], paths: Sequence[Path] = ()) -> dict[str, Task]:
    """The tasks of some results by the hash of their content.

    ``paths`` are task files, or folders of them; without any, the files that the node ids name are looked for from the
    current folder. A task that is nowhere, or no longer as it was, is left out. Raises TaskFileError.
    """
    from pytest_talk2agent.tasks.loader import load_tasks
    from pytest_talk2agent.tasks.sniff import classify

    if lost := next((path for path in paths if not path.exists()), None):
        raise ValueError(f"{lost}: no such file or folder; check the path")
    wanted = {(result.task, result.task_sha256) for result in results}
    files: Iterable[Path] = dict.fromkeys(Path(result.node.partition("::")[0]) for result in results)
    if paths:
        files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    found: dict[str, Task] = {}
    for file in files:
        if file.suffix not in _SUFFIXES or classify(file) == "other":
            continue
        for task in load_tasks(file):
            if (task.id, task.content_hash) in wanted:
                found[task.content_hash] = task
    return found


def saved_cases(results: Sequence[TaskResult], paths: Sequence[Path] = ()) -> list[LabelledCase]:
    """Every distinct transcript of a run as a case that has the run's own labels; ``paths`` as in `tasks_behind`.

    Transcripts that were refused, answered or truncated are left out. Raises ValueError where a task is not found.
    """
    from pytest_talk2agent.judging.judge import case_of
    from pytest_talk2agent.judging.labelled_cases import LabelledCase

    tasks = tasks_behind(results, paths)
    found: dict[tuple[str, str], LabelledCase] = {}
    for result in results:
        if result.transcript.state != "transcribed":
            continue
        task = tasks.get(result.task_sha256)
        if task is None:
            raise ValueError(
                f"{result.task}: no task file has it as this run knew it; name the files with --tasks=PATH, or make the"
                " run again"
            )
        place = (result.task_sha256, result.transcript.text)
        if place not in found:
            case = case_of(task, result.transcript.text)
            found[place] = LabelledCase(result.node, case, result.judgement.labels(), result.judgement.judge)
    return list(found.values())
