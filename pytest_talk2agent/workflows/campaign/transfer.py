"""From a synthetic caller to a human one: the same workflows of the same agent with either, gate by gate (Table 10).

What is compared has to be the same: package, agent and scoring, by their digests. Only workflows that both kinds of
caller have finished enter; the others are named. Shares have Wilson's interval, their difference Newcombe's, and both
take sessions as independent, which those of one workflow are not: `condition_delta` has the paired difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_talk2agent.workflows.campaign.condition_delta import HUMAN
from pytest_talk2agent.workflows.campaign.floor_control import Gap, gap
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate, rate
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.scoring.gates import GATES
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth

SUCCESS = "success"
MEASURES = (*GATES, SUCCESS)


@dataclass(frozen=True)
class TransferCell:
    """One gate, or success, with both callers; ``gap`` is human minus synthetic, None where a side has no session."""

    synthetic: Rate | NotApplicable
    human: Rate | NotApplicable

    @property
    def gap(self) -> Gap | None:
        """How much more often it holds with a person."""
        if isinstance(self.human, Rate) and isinstance(self.synthetic, Rate):
            return gap(self.human, self.synthetic)
        return None


@dataclass(frozen=True)
class TransferRow:
    """An agent on one package, or on all of them where ``package`` is empty; cells by gate and ``success``.

    ``missing`` are sessions without a result: with a synthetic caller, with a person.
    """

    agent: str
    package: str
    cells: Mapping[str, TransferCell]
    missing: tuple[int, int]


@dataclass(frozen=True)
class Transfer:
    """The table; ``alone`` are workflows that only one kind of caller has finished, each with its agent."""

    rows: tuple[TransferRow, ...]
    alone: tuple[str, ...]


def is_human(record: SessionRecord) -> bool:
    """Whether a person played the caller."""
    return HUMAN in record.key.sound


def transfer_of(records: Sequence[SessionRecord], compat: Compat | None = None) -> Transfer:
    """The table of some calls.

    Raises:
        ValueError: where there is nothing to compare, or what is compared is not the same.
    """
    calls = [record for record in records if record.key.sound]
    _refuse(calls)
    by_workflow: dict[tuple[str, str], list[SessionRecord]] = defaultdict(list)
    for record in calls:
        by_workflow[record.key.agent, record.key.package].append(record)
    shared: dict[str, list[str]] = defaultdict(list)
    alone = []
    for (agent, package), some in sorted(by_workflow.items()):
        if len({is_human(one) for one in some if one.finished}) == 2:
            shared[agent].append(package)
        else:
            alone.append(f"{package} by {agent}")
    if not shared:
        raise ValueError("no workflow was finished with a synthetic caller and with a person, by one agent")
    rows = []
    for agent, packages in shared.items():
        rows += [_row(agent, package, by_workflow[agent, package], compat) for package in packages]
        everything = [one for package in packages for one in by_workflow[agent, package]]
        rows.append(_row(agent, "", everything, compat))
    return Transfer(tuple(rows), tuple(alone))


def _refuse(calls: Sequence[SessionRecord]) -> None:
    for kind, human in (("synthetic", False), ("human", True)):
        found = sorted({one.key.sound for one in calls if is_human(one) is human})
        if not found:
            raise ValueError(f"no call with a {kind} caller in these runs")
        if len(found) > 1:
            raise ValueError(f"calls with a {kind} caller were held in several ways: {' and '.join(found)}")
    seen: dict[tuple[str, str], str] = {}
    for key in (one.key for one in calls):
        for what, name, sha in (("package", key.package, key.package_sha256), ("agent", key.agent, key.agent_sha256)):
            if seen.setdefault((what, name), sha) != sha:
                raise ValueError(f"{what} {name} is another one in some of these calls; hold them with the same")
    scoring = sorted({one.key.scoring for one in calls})
    if len(scoring) > 1:
        raise ValueError(f"the calls were scored in several ways: {' and '.join(scoring)}")


def _row(agent: str, package: str, records: Sequence[SessionRecord], compat: Compat | None) -> TransferRow:
    sides = [[one for one in records if is_human(one) is human] for human in (False, True)]
    cells = {
        name: TransferCell(*(_rate([_truth(one, name, compat) for one in side if one.finished]) for side in sides))
        for name in MEASURES
    }
    lost = [sum(not one.finished for one in side) for side in sides]
    return TransferRow(agent, package, cells, (lost[0], lost[1]))


def _truth(record: SessionRecord, name: str, compat: Compat | None) -> Truth:
    if name == SUCCESS:
        return record.success(compat)
    return next(held for gate, held in record.score(compat).gates.items() if gate == name)


def _rate(truths: Sequence[Truth]) -> Rate | NotApplicable:
    passed, open_ = sum(one is True for one in truths), sum(one is None for one in truths)
    return rate(passed, len(truths), "no sessions", open_=open_)
