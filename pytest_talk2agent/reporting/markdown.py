"""The run as Markdown, for a pull request and for the job summary of GitHub Actions."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence

from pytest_talk2agent.reporting.conditions import tables_of
from pytest_talk2agent.reporting.losses import lost_in_short, worst_first
from pytest_talk2agent.reporting.terminal import item_name
from pytest_talk2agent.reporting.visible import visible_line
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.record import TaskResult
from pytest_talk2agent.results.verdict import show_interval

LIMIT = 900_000
"""GitHub drops a whole job summary above 1 MiB."""


def summary_markdown(results: Sequence[TaskResult], errors: Mapping[str, str], gate: Gate) -> str:
    """The verdict, a row for each condition, then what failed with what was heard."""
    parts = [f"## talk2agent: gate {'passed' if gate.passed else 'FAILED'}", ""]
    parts.extend(f"- {_cell(reason)}" for reason in gate.reasons)
    parts.extend(f"- note: {_cell(remark)}" for remark in gate.remarks)
    for number, (title, head, rows) in enumerate(tables_of(gate, results)):
        parts.extend(["", *([visible_line(title), ""] if number else []), *_table(head, rows)])
    failed = worst_first(r for r in results if r.verdict.outcome.fails)
    if failed:
        head = ["item", "outcome", "native", "shapley", "what was lost", "heard"]
        parts.extend(["", *_table(head, [_row(result) for result in failed])])
    if errors:
        parts.extend(["", *_table(["item", "error"], [[n.rpartition("::")[2], e] for n, e in sorted(errors.items())])])
    return _capped("\n".join(parts) + "\n")


def append_to_step_summary(text: str) -> str | None:
    """Add to the job summary where GitHub Actions runs this; returns why that could not be done, if so."""
    name = os.environ.get("GITHUB_STEP_SUMMARY")
    if not name:
        return None
    try:
        # A pipe that nobody reads is not waited for.
        descriptor = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        with os.fdopen(descriptor, "a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        return f"no job summary written: {name} cannot be written ({error.strerror})"
    return None


def _row(result: TaskResult) -> list[str]:
    retention = result.retention
    return [
        item_name(result),
        result.verdict.outcome.value,
        "undefined" if retention.native is None else show_interval(retention.native),
        "undefined" if retention.shapley is None else show_interval(retention.shapley),
        lost_in_short(result),
        result.transcript.text,
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *([_cell(cell) for cell in row] for row in rows)]
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
