"""``talk2agent judge``: a judge against labels, those of people, of a finished run, or of another judge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.commands.common import Commands, add_json, write, write_json

if TYPE_CHECKING:
    from pytest_talk2agent.judging.cases import LabelledCase
    from pytest_talk2agent.judging.judge import Judge

STORE = Path(".t2a/store")


def add(commands: Commands) -> None:
    """Declare the command."""
    judge = commands.add_parser("judge", help="how well a judge agrees with given labels, or with another judge")
    judge.add_argument("cases", type=Path, help="case file (JSON Lines), or the report folder of a run")
    judge.add_argument("--judge", default="lexical", metavar="SPEC")
    judge.add_argument("--against", metavar="SPEC", help="a judge whose labels take the place of the given ones")
    judge.add_argument("--tasks", type=Path, action="append", default=[], metavar="PATH", help="task files of the run")
    judge.add_argument("--store", type=Path, default=STORE, metavar="DIR", help=f"answers of models (default: {STORE})")
    judge.add_argument("--frozen", action="store_true", help="ask no model: an answer that is not stored is an error")
    add_json(judge)
    judge.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure the judge; 1 where it failed on a case."""
    from pytest_talk2agent.judging.agreement import agreement_lines
    from pytest_talk2agent.results.store import StoreError

    try:
        measured = _measured(options)
    except StoreError as error:
        raise ValueError(str(error).replace("--t2a-store", "--store")) from None
    if options.json:
        write_json(measured)
    else:
        write(agreement_lines(measured))
    return 1 if measured["errors"] else 0


def _measured(options: argparse.Namespace) -> dict[str, Any]:
    from pytest_talk2agent.judging.agreement import agreement, relabelled

    cases, judge = _cases(options), _judge(options.judge, options)
    if not options.against:
        return agreement(cases, judge)
    other = _judge(options.against, options)
    return {**agreement(relabelled(cases, other), judge), "against": other.fingerprint}


def _cases(options: argparse.Namespace) -> list[LabelledCase]:
    if options.cases.is_dir():
        from pytest_talk2agent.engine.saved_cases import saved_cases
        from pytest_talk2agent.results.saved import read_run

        return saved_cases(read_run(options.cases).results, options.tasks)
    from pytest_talk2agent.judging.cases import read_cases

    return read_cases(options.cases)


def _judge(spec: str, options: argparse.Namespace) -> Judge:
    from pytest_talk2agent.judging.registry import make_judge
    from pytest_talk2agent.results.store import Store

    judge = make_judge(spec)
    judge.keep_in(Store(options.store), frozen=options.frozen)
    judge.check()
    return judge
