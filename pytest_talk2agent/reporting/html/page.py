"""A whole run as one HTML file: readable offline, safe to open with any transcript, printable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.execution.trial_gate import Executed
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import Before, BeforeLimits
from pytest_talk2agent.reporting.html.markup import Markup, asset, element, source_hash
from pytest_talk2agent.reporting.html.recordings import AudioMode, Recordings
from pytest_talk2agent.reporting.html.result_blocks import Rows
from pytest_talk2agent.reporting.html.summary import summary, verdict
from pytest_talk2agent.reporting.html.trial_section import trial_section
from pytest_talk2agent.results.gate import Gate
from pytest_talk2agent.results.store import write_whole
from pytest_talk2agent.results.task_result import VERSION, TaskResult

if TYPE_CHECKING:
    from pytest_talk2agent.reporting.html.workflow_section import Campaign

SCRIPTS = ("dom.js", "table.js", "grader.js", "detail.js", "page.js", "session.js")


def write_page(
    path: Path,
    results: Sequence[TaskResult],
    errors: Mapping[str, str],
    gate: Gate,
    *,
    audio: AudioMode = "link",
    before: Before | None = None,
    recordings: Recordings | None = None,
    rerun: Rerun | None = None,
    executed: Executed | None = None,
    campaign: Campaign | None = None,
) -> set[str]:
    """Write the report of a run and return the recordings that it does not have; raises OSError with the path.

    ``gate`` is the verdict that the run was given. ``audio`` links the recordings relative to ``path``, embeds them or
    leaves them out; ``recordings`` decides that itself where it is given. ``before`` is what is shown beside the
    results; by default the scores that they were held to. ``rerun`` is how the run was started;
    ``executed`` is what agents did on transcripts, ``campaign`` the workflows that they were held to.
    """
    recordings, earlier = recordings or Recordings(audio, path.parent), before or BeforeLimits()
    rows = Rows(recordings, earlier, rerun or Rerun())
    acted = executed or Executed()
    faults = {**errors, **acted.errors, **(campaign.errors if campaign is not None else {})}
    head = [
        verdict(results, gate, campaign.facts if campaign is not None else ()),
        *_workflows(campaign, recordings),
        *summary(results, faults, gate, earlier),
        *trial_section(acted),
    ]
    write_whole(path, _pieces(results, gate, head, rows, recordings, alone=campaign is not None and not results))
    return recordings.absent


def _workflows(campaign: Campaign | None, recordings: Recordings) -> Iterable[Markup]:
    if campaign is None:
        return ()
    # A run without workflows is spared all that reads and scores them.
    from pytest_talk2agent.reporting.html.workflow_section import workflow_section

    return workflow_section(campaign, recordings)


def _pieces(
    results: Sequence[TaskResult],
    gate: Gate,
    head: Sequence[Markup],
    rows: Rows,
    recordings: Recordings,
    *,
    alone: bool,
) -> Iterator[str]:
    """The page; where workflows are ``alone`` on it, the list of items is hidden."""
    style, script = asset("page.css"), '"use strict";\n' + "".join(map(asset, SCRIPTS))
    yield '<!doctype html>\n<html lang="en">\n'
    yield _head(style, script, gate)
    yield "<body>\n"
    skip = ("Skip to the sessions", "#sessions") if alone else ("Skip to the items", "#items")
    yield element("a", skip[0], href=skip[1], class_="skip")
    yield _frame("bar")
    yield "<main>\n"
    yield from head
    yield element("div", _frame("items"), hidden=alone)
    yield "</main>\n"
    yield element("footer", f"pytest-talk2agent {VERSION}")
    yield "\n"
    yield from rows.blocks(results)
    yield from recordings.blocks()
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _head(style: str, script: str, gate: Gate) -> Markup:
    """Nothing is loaded and only the page's own scripts run, so markup in a transcript could do nothing."""
    policy = [
        "default-src 'none'",
        f"style-src '{source_hash(style)}'",
        f"script-src '{source_hash(script)}'",
        "img-src data:",
        "media-src 'self' file: data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content="; ".join(policy)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("link", rel="icon", href="data:,"),
        element("title", f"talk2agent: gate {'passed' if gate.passed else 'failed'}"),
        element("style", Markup(style)),
    )


def _frame(name: str) -> Markup:
    """A part of the page that is the same in every run; what the script fills is empty in it."""
    return Markup("".join(line.strip() for line in asset(f"{name}.html").splitlines()))
