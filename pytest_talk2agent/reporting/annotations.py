"""Annotations of GitHub Actions: the gate's verdict and the worst items, on the lines of their tasks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_talk2agent.reporting.losses import headline
from pytest_talk2agent.reporting.terminal import item_name
from pytest_talk2agent.reporting.visible import encodable, spelled
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.record import TaskResult

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
    failed = sorted((r for r in results if r.verdict.outcome.fails), key=_score)
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


def _score(result: TaskResult) -> tuple[float, str]:
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
