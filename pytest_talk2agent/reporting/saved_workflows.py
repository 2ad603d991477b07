"""The workflows of a saved run, as its page shows them.

Apart, as the page of a saved run and the folder of calls with people both read them.
"""

from __future__ import annotations

from pathlib import Path

from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.workflow_section import Campaign
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules
from pytest_talk2agent.workflows.campaign.saved import read_saved_campaign, regate_campaign


def read_campaign(folder: Path, started: Rerun | None = None) -> Campaign | None:
    """The workflows of a run; None where it had none. ``started`` is how the run was.

    Raises:
        ValueError: where the file is not what a run writes.
        OSError: where it cannot be read.
    """
    saved = read_saved_campaign(folder)
    if saved is None:
        return None
    return Campaign(
        regate_campaign(saved, CampaignRules(), None),
        saved.records,
        logs=saved.logs,
        agents=saved.agents,
        errors=saved.errors,
        comparisons=saved.comparisons,
        started=started or Rerun(),
        compat=saved.compat,
    )
