"""The workflows of a saved run: read back from its folder, decided again under other rules, compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, PlainValidator, TypeAdapter, ValidationError

from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.held import Held
from pytest_talk2agent.results.saved import end_of
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.campaign_gate import (
    CampaignGate,
    CampaignRules,
    decide_campaign,
    reliability_before,
)
from pytest_talk2agent.workflows.campaign.comparison import BuildComparison, compare
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.scoring.grade import Compat

WORKFLOWS = "workflows.json"
"""The decision about workflows and the record of every session, in the folder of a run."""
_AGAIN = "make the run again with --t2a-report"


def _records(sessions: Any) -> Mapping[str, SessionRecord]:
    if not isinstance(sessions, dict):
        raise ValueError("its sessions are no table")
    return {item: SessionRecord.from_json(one) for item, one in sessions.items()}


@dataclass(frozen=True)
class SavedCampaign:
    """What a run says of its workflows.

    ``errors`` are items that could not be held, ``missing`` those without a result, ``unseen`` packages of its baseline
    that should have run, each its agent and id; ``failed`` items that pytest failed, for whatever reason. ``scoring``
    names judge and rules; ``agents`` are specs by label.
    """

    records: Annotated[Mapping[str, SessionRecord], PlainValidator(_records), Field(validation_alias="sessions")]
    errors: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unseen: tuple[tuple[str, str], ...] = ()
    failed: tuple[str, ...] = ()
    comparisons: tuple[str, ...] = ()
    repetitions: int = 1
    compat: Compat | None = None
    scoring: str = ""
    agents: Mapping[str, str] = field(default_factory=dict)
    logs: Path = Path()

    @property
    def held(self) -> Held:
        """Its finished sessions, as a baseline has them."""
        rows = [record.row(self.compat) for record in self.records.values() if record.finished]
        return Held().updated(rows, self.scoring, only_new=False)

    @property
    def lacking(self) -> int:
        """How many sessions have no result."""
        lost = sum(not record.finished for record in self.records.values())
        return lost + len(self.errors.keys() - self.records.keys()) + len(self.missing)


def read_saved_campaign(folder: Path) -> SavedCampaign | None:
    """The workflows of a run; None where it had none.

    Raises:
        ValueError: where the file is not what a run writes, or there are fewer sessions than the run had.
        OSError: where it cannot be read.
    """
    path = folder / WORKFLOWS
    run = end_of(folder / "run.json")
    expected = 0 if run is None else run.get("sessions", 0)
    if not path.exists():
        if expected:
            raise ValueError(f"{path} is not there, and the run had {counted(expected, 'session')}; {_AGAIN}")
        return None
    try:
        saved = TypeAdapter(SavedCampaign).validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"{part}: " for part in first["loc"][-1:])
        said = place + first["msg"].removeprefix("Value error, ").splitlines()[0]
        raise ValueError(f"{path} is not what a run writes ({said}); {_AGAIN}") from None
    if len(saved.records) < expected:
        raise ValueError(f"{path} has {counted(len(saved.records), 'session')}, and the run had {expected}; {_AGAIN}")
    return saved


def regate_campaign(saved: SavedCampaign, rules: CampaignRules, baseline: Baseline | None) -> CampaignGate:
    """Decide the workflows of a run again, as pytest does under the same rules.

    ``rules`` has no say in repetitions and compat, which are the run's. Raises BaselineError where it must not be
    compared.
    """
    held = None
    if baseline is not None and baseline.workflows.agents:
        held = baseline.workflows
        keys = [record.key for record in saved.records.values()]
        agents = {key.agent: key.agent_sha256 for key in keys}
        packages = {key.package: key.package_sha256 for key in keys}
        try:
            held.refuse_other(agents, packages, saved.scoring)
        except ValueError as error:
            raise BaselineError(f"{baseline.path}: {error}") from None
    return decide_campaign(
        saved.records,
        saved.errors,
        {*saved.records, *saved.missing},
        replace(rules, repetitions=saved.repetitions, compat=saved.compat),
        baseline=held,
        compared=baseline is not None,
        unseen=[f"{package} of {agent}" for agent, package in saved.unseen],
        failed_tests=_failed_otherwise(saved),
    )


def _failed_otherwise(saved: SavedCampaign) -> list[str]:
    """The items that pytest failed although their session passed."""
    return [
        item
        for item in saved.failed
        if (record := saved.records.get(item)) is None or record.outcome(saved.compat) == "passed"
    ]


def compare_campaigns(before: Held, after: Held, rules: CampaignRules) -> list[BuildComparison]:
    """Each agent of a run or baseline against its counterpart in another one, on the workflows that both have complete.

    Raises ValueError where an agent has no counterpart, or packages or scoring differ.
    """
    packages = {name: entry.package_sha256 for entries in after.packages.values() for name, entry in entries.items()}
    both = {name: sha for name, sha in packages.items() if any(name in known for known in before.packages.values())}
    labels = {label: before.agents.get(label, sha) for label, sha in after.agents.items()}
    before.refuse_other(labels, both, after.scoring)
    found: list[BuildComparison] = []
    for label in sorted(after.agents):
        reference = before.reference(label)
        pair = [
            (name, reliability_before(held, agent, rules.repetitions))
            for name, held, agent in ((f"before: {reference}", before, reference), (label, after, label))
        ]
        found.append(compare(pair[0], pair[1], margins=dict(rules.margins), draws=rules.draws, seed=rules.seed))
    return found


def repetitions_of(sides: Sequence[Held]) -> int:
    """How many repetitions the workflows of some runs have, as far as all have them."""
    counts = [len(entry.outcomes) for held in sides for entries in held.packages.values() for entry in entries.values()]
    return min(counts, default=1)
