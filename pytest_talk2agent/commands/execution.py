"""``talk2agent execute``: an agent acts on what was heard, in a sandbox, and the task's checks score what it did."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, declared, task_files, write
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pytest_talk2agent.execution.errand import Errand, Executed
    from pytest_talk2agent.execution.record import Ledger
    from pytest_talk2agent.execution.trial import Runs
    from pytest_talk2agent.tasks.task import Task

    Refusal = Callable[[Task], str | None]

MOST_STEPS = 3
MOST_ROUNDS = 100


def add_execute(commands: Commands) -> None:
    """Declare the command."""
    execute = declared(
        commands, "execute", run_execute, "an agent acts on what was heard, in a sandbox; its work is checked"
    )
    execute.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="task files, or folders of them")
    execute.add_argument("--agent", default="oracle", metavar="SPEC", help="who acts (default: oracle)")
    heard = execute.add_mutually_exclusive_group()
    heard.add_argument("--run", dest="saved", type=Path, metavar="RUN", help="the transcripts of this run")
    heard.add_argument("--heard", metavar="TEXT", help="one transcript for all tasks (default: the task's own words)")
    execute.add_argument("--rounds", type=int, default=1, metavar="N", help="how often each is run (default: 1)")
    execute.add_argument(
        "--records", type=Path, metavar="DIR", help="keep the records here; what is there is not rerun"
    )
    execute.add_argument("--out", type=Path, metavar="FILE", help="scores as JSON Lines, for correlate and table")
    execute.add_argument("--harbor", type=Path, metavar="PATH", help="run the tasks of this folder by Harbor")
    execute.add_argument(
        "--harbor-environment",
        default="auto",
        metavar="NAME",
        help="bubblewrap, docker, podman or another of Harbor's (default: an engine that is there, else bubblewrap)",
    )
    execute.add_argument(
        "--harbor-settings", type=Path, metavar="FILE", help="JSON: further keys of Harbor's environment configuration"
    )
    execute.add_argument(
        "--harbor-reward", default="", metavar="NAME", help="which reward counts, where there are several"
    )
    execute.add_argument(
        "--osworld", type=Path, metavar="PATH", help="run tasks of OSWorld by the desktop_env of this checkout"
    )
    execute.add_argument("--osworld-settings", type=Path, metavar="FILE", help="JSON: how episodes are run")
    execute.add_argument(
        "--at-once",
        type=int,
        default=min(2, os.cpu_count() or 1),
        metavar="N",
        help="how many sandboxes run at a time (default: %(default)s)",
    )


def run_execute(options: argparse.Namespace) -> int:
    """Execute; 1 where a task is not fit for it, or a trial has no score."""
    from pytest_talk2agent.execution.errand import execute
    from pytest_talk2agent.execution.record import Ledger
    from pytest_talk2agent.execution.trial import Trials, refusal
    from pytest_talk2agent.tasks.loader import load_tasks

    tasks: list[Task]
    trials: Runs
    refuse: Refusal

    for name in ("rounds", "at_once"):
        if not 1 <= vars(options)[name] <= MOST_ROUNDS:
            raise ValueError(f"--{name.replace('_', '-')} must be from 1 to {MOST_ROUNDS}")
    loaded = [task for path in task_files(options.paths) for task in load_tasks(path)]
    ledger = None if options.records is None else Ledger(options.records)
    if options.harbor is not None and options.osworld is not None:
        raise ValueError("--harbor and --osworld run other tasks; name one of them")
    if options.harbor is not None:
        tasks, trials, refuse = _harbor(options, loaded, ledger)
    elif options.osworld is not None:
        tasks, trials, refuse = _osworld(options, loaded, ledger)
    else:
        for kind, what in (("harbor", "Harbor tasks; name their folder"), ("osworld", "OSWorld; name a checkout")):
            if options.agent.startswith(f"{kind}:"):
                raise ValueError(f"agent {options.agent} acts in {what} with --{kind}")
        tasks = [task for task in loaded if task.execution is not None]
        if not tasks:
            raise ValueError("none of these tasks has `execution`, so no agent can run them; see docs/execution.md")
        trials, refuse = Trials(options.agent, ledger), partial(refusal, ledger=ledger)
    errands = _errands(options, tasks)
    trials.prepare()
    chosen = {errand.task.id: errand.task for errand in errands}.values()
    if options.agent not in ("oracle", "nop") and report_unfit(chosen, refuse):
        return 1
    done: list[Executed] = []
    width = max(len(errand.name) for errand in errands)
    for executed in execute(errands, trials, options.rounds, options.at_once):
        done.append(executed)
        write(_lines(executed, width, options.rounds))
    if options.out is not None:
        _write_scores(done, options.out)
    missing = sum(not executed.record.finished for executed in done)
    write([_summary(done, missing)])
    return 1 if missing else 0


def _harbor(
    options: argparse.Namespace, loaded: Sequence[Task], ledger: Ledger | None
) -> tuple[list[Task], Runs, Refusal]:
    """The tasks that were compiled from the folder, who runs them, and who says which are not fit."""
    from pytest_talk2agent.execution.harbor.engines import chosen
    from pytest_talk2agent.execution.harbor.folder import HarborTasks
    from pytest_talk2agent.execution.harbor.trials import HarborTrials, check_harbor

    check_harbor()
    folders = HarborTasks(options.harbor)
    tasks = [folders.bind(task) for task in loaded if folders.of(task) is not None]
    if not tasks:
        raise ValueError("none of these tasks was compiled from a Harbor task; `talk2agent import` drafts such tasks")
    settings = {} if options.harbor_settings is None else _settings(options.harbor_settings)
    environment = chosen(options.harbor_environment)
    trials = HarborTrials(options.agent, folders, ledger, environment, settings, options.harbor_reward)
    return tasks, trials, trials.refusal


def _osworld(
    options: argparse.Namespace, loaded: Sequence[Task], ledger: Ledger | None
) -> tuple[list[Task], Runs, Refusal]:
    """The tasks that were compiled from the checkout, who runs them, and who says which are not fit."""
    from pytest_talk2agent.execution.osworld.trials import OsworldTrials, read_settings
    from pytest_talk2agent.tasks.binding import Checkouts
    from pytest_talk2agent.tasks.importers.osworld import BENCHMARK

    tasks = [task for task in loaded if task.source.benchmark == BENCHMARK and task.source.task]
    if not tasks:
        raise ValueError("none of these tasks was compiled from one of OSWorld; name suites/osworld, say")
    tasks = Checkouts({BENCHMARK: options.osworld}).bind(tasks)
    trials = OsworldTrials(options.agent, options.osworld, ledger, read_settings(options.osworld_settings))
    return tasks, trials, trials.refusal


def _settings(path: Path) -> dict[str, object]:
    from pytest_talk2agent.results.untrusted import parse_plain

    found = parse_plain(path.read_bytes())
    if not isinstance(found, dict):
        raise ValueError(f"{path}: no JSON object; write the keys of Harbor's environment configuration")
    return found


def report_unfit(tasks: Iterable[Task], refuse: Refusal) -> int:
    """Print which tasks cannot be trusted to tell good work from none, by what refuses them; how many there are."""
    count = 0
    for task in tasks:
        why = refuse(task)
        if why is not None:
            count += 1
            place = ":".join(map(str, (task.path, *task.place("execution"))))
            write([f"{place}: error: {task.id}: {why}"])
    return count


def _errands(options: argparse.Namespace, tasks: Sequence[Task]) -> list[Errand]:
    from pytest_talk2agent.execution.errand import Errand, errands_of
    from pytest_talk2agent.results.saved import read_run

    if options.saved is not None:
        return errands_of(tasks, read_run(options.saved).results)
    if options.heard is not None:
        return [Errand(task, options.heard, "heard") for task in tasks]
    if unbound := next((task for task in tasks if not task.is_bound), None):
        raise ValueError(f"{unbound.path}:{unbound.line}: {unbound.id} has its words in a checkout; run it with --run")
    return [Errand(task, task.instruction, "text") for task in tasks]


def _lines(executed: Executed, width: int, rounds: int) -> Iterator[str]:
    errand, record = executed.errand, executed.record
    score = "no score" if record.score is None else _decimal(record.score)
    number = f"  round {record.key.round}" if rounds > 1 else ""
    predicted = "" if errand.predicted is None else f"  projection {_decimal(errand.predicted)}"
    state = "" if record.state == "scored" else f"  {record.state}: {record.reason}"
    yield f"{errand.name:{width}}{number}  {score}{predicted}{state}"
    if record.score == 1 or record.score is None:
        return
    yield f"  heard: {errand.transcript}"
    for name in record.failed_criteria:
        yield f"  {name}: {record.criteria[name].why}"
    for step in record.steps[-MOST_STEPS:]:
        yield f"  $ {step.command}"


def _decimal(score: Fraction) -> str:
    return f"{float(score):.3f}"


def _summary(done: Sequence[Executed], missing: int) -> str:
    scores = [executed.record.score for executed in done if executed.record.score is not None]
    mean = _decimal(sum(scores, Fraction(0)) / len(scores)) if scores else "none"
    tasks = len({executed.errand.task.id for executed in done})
    unscored = f", {missing} without a score" if missing else ""
    return f"{counted(tasks, 'task')}, {counted(len(done), 'trial')}, mean {mean}{unscored}"


def _write_scores(done: Sequence[Executed], path: Path) -> None:
    from pytest_talk2agent.results.store import write_whole

    rows = [
        {
            "task": executed.errand.task.id,
            "condition": executed.errand.condition,
            "score": f"{float(executed.record.score):.12f}",
            "round": executed.record.key.round,
            "agent": executed.record.agent,
        }
        for executed in done
        if executed.record.score is not None
    ]
    write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
