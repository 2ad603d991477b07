"""The workflows of a saved run, read back from its folder for its page.

A module of its own because it alone reads what may be damaged or made elsewhere; the keeper writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.workflow_section import Campaign
from pytest_talk2agent.reporting.report_folder import WORKFLOWS
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules, decide_campaign
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.scoring.grade import Compat


class _Saved(BaseModel):
    """What is read of the file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sessions: dict[str, dict[str, Any]]
    errors: dict[str, str] = {}
    comparisons: tuple[str, ...] = ()
    repetitions: int = 1
    compat: Compat | None = None
    agents: dict[str, str] = {}
    logs: str = ""


def read_campaign(folder: Path, started: Rerun | None = None) -> Campaign | None:
    """The workflows of a run; None where it had none. ``started`` is how the run was.

    Raises:
        ValueError: where the file is not what a run writes.
        OSError: where it cannot be read.
    """
    path = folder / WORKFLOWS
    if not path.exists():
        return None
    try:
        saved = _Saved.model_validate_json(path.read_bytes())
        records = {item: SessionRecord.from_json(one) for item, one in saved.sessions.items()}
    except ValueError as error:
        said = str(error).splitlines()[0]
        raise ValueError(f"{path} is not what a run writes ({said}); make the run again with --t2a-report") from None
    rules = CampaignRules(saved.repetitions, compat=saved.compat)
    return Campaign(
        decide_campaign(records, saved.errors, records.keys(), rules),
        records,
        logs=Path(saved.logs),
        agents=saved.agents,
        errors=saved.errors,
        comparisons=saved.comparisons,
        started=started or Rerun(),
        compat=saved.compat,
    )
