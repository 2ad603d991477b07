"""The run for GitHub: Markdown for a pull request and a job summary, and annotations on the lines of the tasks."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.reporting.losses import headline, lost_in_short, score_cells, worst_first
from pytest_talk2agent.reporting.run_tables import tables_of
from pytest_talk2agent.reporting.terminal import item_name
from pytest_talk2agent.reporting.trial_report import FAILED_HEAD, failed_row, failed_trials, last_command
from pytest_talk2agent.reporting.visible import encodable, spelled, visible_line
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.task_result import TaskResult

LIMIT = 900_000
"""GitHub drops a whole job summary above 1 MiB."""


def summary_markdown(
    results: Sequence[TaskResult], errors: Mapping[str, str], gate: Gate, executed: Executed | None = None
) -> str:
    """The verdict, a row for each condition, then what failed with what was heard and what agents did."""
    parts = [f"## talk2agent: gate {'passed' if gate.passed else 'FAILED'}", ""]
    parts.extend(f"- {_cell(reason)}" for reason in gate.reasons)
    parts.extend(f"- note: {_cell(remark)}" for remark in gate.remarks)
    for number, (title, head, rows) in enumerate(tables_of(gate, results)):
        parts.extend(["", *([visible_line(title), ""] if number else []), *markdown_table(head, rows)])
    failed = worst_first(r for r in results if r.verdict.outcome.fails)
    if failed:
        head = ["item", "outcome", "native", "shapley", "what was lost", "heard"]
        parts.extend(["", *markdown_table(head, [_row(result) for result in failed])])
    acted = [] if executed is None else failed_trials(executed)
    if acted:
        rows = [[*failed_row(row), row.heard, last_command(row)] for row in acted]
        parts.extend(["", *markdown_table([*FAILED_HEAD, "heard", "last command"], rows)])
    errors = errors if executed is None else {**errors, **executed.errors}
    if errors:
        rows = [[node.rpartition("::")[2], error] for node, error in sorted(errors.items())]
        parts.extend(["", *markdown_table(["item", "error"], rows)])
    return _capped("\n".join(parts) + "\n")


def asks_for_step_summary() -> bool:
    """Whether GitHub Actions runs this and takes a job summary."""
    return bool(os.environ.get("GITHUB_STEP_SUMMARY"))


def append_to_step_summary(text: str) -> str | None:
    """Add to the job summary where GitHub Actions runs this; returns why that could not be done, if so."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return None
    try:
        # Do not wait for a pipe without a reader.
        descriptor = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        return f"no job summary written: {name} cannot be written ({error.strerror})"
    return None


def _row(result: TaskResult) -> list[str]:
    return [item_name(result), *score_cells(result), lost_in_short(result), result.transcript.text]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; heads are data too, where they name agents."""
    lines = [list(map(_cell, head)), ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(text: str) -> str:
    """A transcript is hostile text: no markup, no mention and no line break of its own survives."""
    plain = " ".join(html.escape(visible_line(text), quote=False).split())
    escaped = "".join(f"\\{c}" if c in "\\`*_[]|#!~$" else c for c in plain)
    # GitHub finds mentions and bare links in the rendered text, where a backslash is gone.
    return escaped.replace("@", "@<!-- -->").replace("://", ":<!-- -->//")


def _capped(text: str) -> str:
    data = text.encode()
    if len(data) <= LIMIT:
        return text
    kept = data[:LIMIT].decode(errors="ignore").rpartition("\n")[0]
    return f"{kept}\n\n(cut: {len(data)} bytes in all; the report folder has everything)\n"


MOST = 10
"""GitHub shows ten annotations of a kind for a step and drops the rest without a word."""

Place = tuple[str, int]
"""A file, relative to the root directory, and a line, counted from 1."""


def workflow_commands(
    results: Sequence[TaskResult],
    errors: Mapping[str, str],
    gate: Gate,
    places: Mapping[str, Place],
    *,
    items: bool = True,
    root: Path | None = None,
) -> list[str]:
    """Workflow commands, at most ten: the gate first, then items without a result, then the lowest scores.

    ``places`` maps node ids to where their tasks stand, below ``root``, pytest's root directory (by default the current
    folder); GitHub wants files as the checkout has them. With ``items`` off only the gate is annotated. None for a gate
    that passed.
    """
    if gate.passed:
        return []
    failed = sorted((r for r in results if r.verdict.outcome.fails), key=_native)
    rows = [(node, node.rpartition("::")[2], text) for node, text in sorted(errors.items())]
    rows.extend((result.node, item_name(result), headline(result)) for result in failed)
    if not items:
        rows = []
    shown = rows[: MOST - 1]
    more = f" (+{len(rows) - len(shown)} more in the job summary)" if len(rows) > len(shown) else ""
    commands = [_command("talk2agent: gate failed", f"{'; '.join(gate.reasons)}{more}", None)]
    for node, title, text in shown:
        place = places.get(node)
        commands.append(_command(title, text, None if place is None else (_in_checkout(place[0], root), place[1])))
    return commands


def _in_checkout(path: str, root: Path | None) -> str:
    """A path relative to the checkout (GITHUB_WORKSPACE); as it is where that is not known, or does not hold it."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if workspace:
        file, checkout = ((root or Path()) / path).resolve(), Path(workspace).resolve()
        if file.is_relative_to(checkout):
            return file.relative_to(checkout).as_posix()
    return path


def _native(result: TaskResult) -> tuple[float, str]:
    native = result.retention.native
    return (0.0 if native is None else float(native.high), result.node)


def _command(title: str, message: str, place: Place | None) -> str:
    where = [] if place is None else [f"file={_property(place[0])}", f"line={place[1]}"]
    return encodable(f"::error {','.join([*where, f'title={_property(title)}'])}::{_escaped(message)}")


def _escaped(text: str) -> str:
    """A transcript is hostile text: no line break of its own can begin another command."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return spelled(text)


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
