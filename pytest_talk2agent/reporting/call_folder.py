"""Calls with people as a saved run: a folder that `report`, `callers`, `delivery` and `regate` read as any other.

Each call is added to those before it; the whole folder is written anew from the records of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_talk2agent.reporting.html.workflow_section import Campaign
from pytest_talk2agent.reporting.report_folder import ReportFolder
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.campaign.saved import WORKFLOWS, read_saved_campaign, regate_campaign

SESSIONS = "sessions"
"""Where records, logs and recordings lie, below the folder."""


def write_calls(folder: Path, records: Sequence[SessionRecord], agents: Mapping[str, str], scoring: str) -> None:
    """Write the run of some calls; ``agents`` are specs by label. Raises OSError with the path."""
    ordered = sorted(records, key=lambda one: (one.key.agent, one.key.package, one.key.repetition))
    report = ReportFolder(folder)
    report.write(
        WORKFLOWS,
        {
            "sessions": {item_of(record): record.to_json() for record in ordered},
            "repetitions": 1,
            "compat": None,
            "scoring": scoring,
            "agents": dict(agents),
            "logs": str(folder / SESSIONS / "logs"),
        },
    )
    saved = read_saved_campaign(folder)
    assert saved is not None, "it was just written"
    decided = regate_campaign(saved, CampaignRules(), None)
    campaign = Campaign(decided, saved.records, logs=saved.logs, agents=saved.agents)
    gate = replace(
        decide_gate([], {}, (), inconclusive_passes=False),
        passed=decided.passed,
        reasons=decided.reasons,
    )
    report.finish([], {}, gate, "", campaign=campaign)


def item_of(record: SessionRecord) -> str:
    """The name of a call among others, in the form of a test's."""
    return f"{record.file}::{record.key.package}[{record.key.agent}-human-{record.key.repetition + 1}]"
