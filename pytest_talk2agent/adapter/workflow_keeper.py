"""Gathers what sessions of workflows came to, on the controller or in the single process, and decides on them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_talk2agent.adapter.report_keeper import ReportKeeper
from pytest_talk2agent.reporting.properties import SESSION, SESSION_ITEM
from pytest_talk2agent.tasks.errors import counted

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_talk2agent.adapter.voice_session import VoiceSession
    from pytest_talk2agent.reporting.html.workflow_section import Campaign
    from pytest_talk2agent.results.held import HeldRow
    from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignGate
    from pytest_talk2agent.workflows.campaign.record import SessionRecord

SHOWN = 5
"""Sessions on which the rules differ that are named where nobody asked for more."""

FAILED = 50
"""Sessions that did not pass, and errors, in the tables of Markdown."""


class WorkflowKeeper(ReportKeeper["SessionRecord"]):
    """Registered outside xdist workers beside the gatekeeper."""

    def __init__(self, voice: VoiceSession) -> None:
        super().__init__(SESSION, SESSION_ITEM, lambda plan: plan.sessions, _read)
        self._voice = voice
        self._unseen: Sequence[tuple[str, str]] = []
        self.gate: CampaignGate | None = None

    @property
    def met(self) -> bool:
        """Whether sessions were planned or held, or the baseline has some that were not."""
        return super().met or bool(self._plan.unmet)

    def decide(self, *, updates: bool) -> CampaignGate:
        """Decide on all sessions; with ``updates`` what of the baseline did not run is let go."""
        from pytest_talk2agent.adapter.workflow_items import campaign_rules
        from pytest_talk2agent.workflows.campaign.campaign_gate import decide_campaign

        settings, baseline = self._voice.settings, self._voice.baseline
        held = None if baseline is None or not baseline.workflows.agents else baseline.workflows
        self._unseen = [] if updates else self._plan.unmet
        self.gate = decide_campaign(
            self.results,
            self.errors,
            self.expected,
            campaign_rules(self._voice),
            baseline=held,
            compared=settings.baseline is not None,
            unseen=[f"{package} of {agent}" for agent, package in self._unseen],
            failed_tests=self.failed,
        )
        return self.gate

    def rows(self) -> list[HeldRow]:
        """Finished sessions, as a baseline takes them in."""
        compat = self._voice.settings.workflows.compat
        return [record.row(compat) for item, record in self.results.items() if record.finished]

    @property
    def gone(self) -> Sequence[tuple[str, str]]:
        """Packages of the baseline that did not run, each its agent and id."""
        return self._plan.unmet

    @property
    def scoring(self) -> str:
        """Judge and rules, as a baseline names them."""
        from pytest_talk2agent.adapter.workflow_items import holder_of

        return holder_of(self._voice.config).scoring

    def lines(self, *, verbose: bool) -> list[str]:
        """What the terminal shows; with ``verbose`` the kinds of work, too."""
        if self.gate is None:
            return []
        from pytest_talk2agent.reporting.workflows import campaign_lines, differing
        from pytest_talk2agent.workflows.campaign.summary import slices

        compat = self._voice.settings.workflows.compat
        kinds = {
            summary.agent: slices([r for r in self.results.values() if r.key.agent == summary.agent], compat)
            for summary in (self.gate.summaries if verbose else ())
        }
        errors = [f"ERROR {item.rpartition('::')[2]}: {why}" for item, why in self.errors.items()]
        differ = differing(list(self.results.values()), compat)
        note = [f"the two sets of rules differ in success on {counted(len(differ), 'session')}:"] if differ else []
        note += differ if verbose else differ[:SHOWN]
        if not verbose and len(differ) > SHOWN:
            note.append(f"and {len(differ) - SHOWN} more (-v shows all)")
        return [*errors, *campaign_lines(self.gate, slices=kinds), *note]

    def markdown(self) -> str:
        """The tables of a run for a pull request; empty without workflows."""
        if self.gate is None:
            return ""
        from pytest_talk2agent.reporting.github import markdown_table
        from pytest_talk2agent.reporting.workflows import FAILED_HEAD, campaign_tables, failed_rows

        parts: list[str] = []
        for title, head, rows in campaign_tables(self.gate, {}):
            parts += ["", f"### workflows{f': {title}' if title else ''}", "", *markdown_table(head, rows)]
        rows = failed_rows(self.results, self._voice.settings.workflows.compat)
        if rows:
            parts += ["", *markdown_table(FAILED_HEAD, rows[:FAILED])]
        if len(rows) > FAILED:
            parts += ["", f"and {counted(len(rows) - FAILED, 'session')} more that did not pass"]
        if self.errors:
            faults = [[item.rpartition("::")[2], why] for item, why in self.errors.items()]
            parts += ["", *markdown_table(["item", "error"], faults[:FAILED])]
        if len(self.errors) > FAILED:
            parts += ["", f"and {counted(len(self.errors) - FAILED, 'error')} more"]
        return "\n".join([*parts, ""])

    def campaign(self) -> Campaign | None:
        """What a page shows of them; None without workflows."""
        if self.gate is None:
            return None
        from pytest_talk2agent.adapter.items import rerun_of
        from pytest_talk2agent.reporting.html.workflow_section import Campaign

        return Campaign(
            self.gate,
            self.results,
            logs=self._logs,
            agents=self._agents,
            errors=self.errors,
            comparisons=[line for comparison in self.gate.comparisons for line in comparison.lines],
            started=rerun_of(self._voice.config),
            compat=self._voice.settings.workflows.compat,
        )

    @property
    def _logs(self) -> Path:
        from pytest_talk2agent.adapter.workflow_items import holder_of

        return holder_of(self._voice.config).holder.logs

    @property
    def _agents(self) -> dict[str, str]:
        return {agent.label: agent.text for agent in self._voice.settings.agents}

    def to_json(self) -> Mapping[str, object]:
        """The decision, every record, and what a page of them needs, as plain values."""
        assert self.gate is not None, "it was decided"
        return {
            "passed": self.gate.passed,
            "reasons": list(self.gate.reasons),
            "comparisons": [line for comparison in self.gate.comparisons for line in comparison.lines],
            "missing": list(self.gate.missing),
            "lost": dict(self.gate.lost),
            "errors": self.errors,
            "unseen": [list(one) for one in self._unseen],
            "failed": sorted(self.failed),
            "scoring": self.scoring,
            "repetitions": self._voice.settings.workflows.repetitions,
            "compat": self._voice.settings.workflows.compat,
            "agents": self._agents,
            "logs": str(self._logs),
            "sessions": {item: record.to_json() for item, record in self.results.items()},
        }


def _read(record: object) -> SessionRecord:
    from pytest_talk2agent.workflows.campaign.record import SessionRecord

    return record if isinstance(record, SessionRecord) else SessionRecord.from_json(json.loads(str(record)))
