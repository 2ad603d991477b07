"""The command line `talk2agent`: finds the command and turns its errors into one line and an exit status.

Exit status: 0 done, 1 findings (lint errors, a gate that does not pass), 2 bad input, with one line a problem on
standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from pytest_talk2agent.commands import (
    benchmarks,
    campaigns,
    datasets,
    delivery,
    execution,
    gating,
    human_calls,
    labelling,
    new,
    publishing,
    recording_page,
    recordings,
    sessions,
    speaking,
    studies,
    task_files,
)
from pytest_talk2agent.commands.common import write_error
from pytest_talk2agent.results.baseline import BaselineError
from pytest_talk2agent.results.store import StoreError

COMMANDS = (
    task_files.add_show,
    task_files.add_score,
    labelling.add_judge,
    publishing.add_report,
    labelling.add_review,
    task_files.add_lint,
    benchmarks.add_import,
    benchmarks.add_verify,
    execution.add_execute,
    gating.add_compare,
    gating.add_regate,
    gating.add_accept,
    studies.add_correlate,
    studies.add_table,
    campaigns.add_apex,
    publishing.add_eval_results,
    new.add_new,
    speaking.add_speak,
    recording_page.add_record,
    recordings.add_find_snr,
    datasets.add_dataset,
    sessions.add_converse,
    human_calls.add_call,
    human_calls.add_callers,
    delivery.add_delivery,
    sessions.add_replay,
    sessions.add_explore,
    task_files.add_schema,
)
"""In the order of the help text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe; the interpreter's last flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        write_error(_said_by_the_system(error))
        return 2
    except (ValueError, BaselineError, StoreError) as error:
        write_error(str(error))
        return 2
    return status


def _said_by_the_system(error: OSError) -> str:
    if error.filename is None:
        return str(error)
    return f"{error.filename}: {error.strerror}; check the path and its permissions"


def parser() -> argparse.ArgumentParser:
    """The whole command line, with every command."""
    whole = argparse.ArgumentParser(prog="talk2agent", description="Look into spoken tasks, judges and scores.")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    for add in COMMANDS:
        add(commands)
    return whole


if __name__ == "__main__":
    sys.exit(main())
