"""The decision about a run of workflows: pure functions of records, expectations and rules.

What the infrastructure lost is missing, and missing is red: never a pass, and never the agent's failure. What nobody
judged is inconclusive, and counts as the run says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction

from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.results.held import Held
from pytest_talk2agent.results.verdict import show
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.campaign.comparison import BuildComparison, Metric, compare
from pytest_talk2agent.workflows.campaign.rates import DRAWS, SEED, percent
from pytest_talk2agent.workflows.campaign.record import Outcome, SessionRecord
from pytest_talk2agent.workflows.campaign.reliability import Reliability, reliability
from pytest_talk2agent.workflows.campaign.summary import AgentSummary, summarise
from pytest_talk2agent.workflows.scoring.grade import Compat, Truth

SHOWN = 3


@dataclass(frozen=True)
class CampaignRules:
    """What a run of workflows is held to.

    ``min_pass`` and ``min_reliable`` are the least Pass@1 and Reliable@k of each agent; ``min_yield`` and
    ``max_false_yield`` the least and the largest share of events at which it gives way, where it should and where it
    should not. ``margins`` maps metrics to the
    loss that a build may show against its baseline. Without any of them, and without a baseline, every session has to
    succeed. ``must_pass`` are patterns of package ids that have to succeed every time, whatever else holds.
    """

    repetitions: int = 1
    min_pass: Fraction | None = None
    min_reliable: Fraction | None = None
    min_yield: Fraction | None = None
    max_false_yield: Fraction | None = None
    margins: Mapping[Metric, Fraction] = field(default_factory=dict)
    must_pass: tuple[str, ...] = ()
    inconclusive_passes: bool = False
    compat: Compat | None = None
    draws: int = DRAWS
    seed: int = SEED

    @property
    def by_aggregate(self) -> bool:
        """Whether sessions are judged together rather than one by one."""
        return self.min_pass is not None or self.min_reliable is not None or bool(self.margins)

    def pins(self, package: str) -> bool:
        """Whether a package must succeed every time."""
        return any(fnmatchcase(package, pattern) for pattern in self.must_pass)

    def requires(self, package: str, before: str | None, *, compared: bool) -> bool:
        """Whether one session has to succeed by itself.

        ``before`` is what the same repetition came to in the baseline, None where it has none; ``compared`` says that
        there is a baseline. Without margins a session must not fail where it passed before.
        """
        if self.pins(package):
            return True
        if self.by_aggregate:
            return False
        return before == "passed" if compared else True


@dataclass(frozen=True)
class CampaignGate:
    """Whether a run of workflows passed, and every reason why it did not.

    ``summaries`` are by the rules that count, one an agent; ``missing`` are items without a result, ``lost`` those that
    the infrastructure failed, each with a line that says why.
    """

    passed: bool
    reasons: tuple[str, ...]
    summaries: tuple[AgentSummary, ...] = ()
    comparisons: tuple[BuildComparison, ...] = ()
    missing: tuple[str, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def decide_campaign(
    records: Mapping[str, SessionRecord],
    errors: Mapping[str, str],
    expected: Collection[str],
    rules: CampaignRules,
    *,
    baseline: Held | None = None,
    compared: bool = False,
    unseen: Collection[str] = (),
    failed_tests: Collection[str] = (),
) -> CampaignGate:
    """Decide a run.

    ``records`` maps items to what came of them, ``errors`` items that could not be held to a line that says why;
    ``expected`` are the items that must have one or the other. ``compared`` says that items are held against a
    baseline, ``unseen`` are entries of it that should have run and did not;
    ``failed_tests`` are items that pytest failed, be it for their verdict or for what else.
    """
    lost = {item: record.reason or record.state for item, record in records.items() if not record.finished}
    lost.update(errors)
    done = {item: record for item, record in sorted(records.items()) if record.finished and item not in errors}
    missing = sorted(set(expected) - records.keys() - errors.keys())
    reasons = []
    if not done:
        reasons.append("no session was held to its end")
    by_outcome: dict[Outcome, list[str]] = {"passed": [], "failed": [], "unjudged": [], "missing": []}
    for item, record in done.items():
        key = record.key
        before = None if baseline is None else baseline.outcome(key.agent, key.package, key.repetition)
        if rules.requires(key.package, before, compared=compared):
            by_outcome[record.outcome(rules.compat)].append(item)
    known = {*by_outcome["failed"], *by_outcome["unjudged"]}
    reasons += _reason(sorted({*by_outcome["failed"], *(set(failed_tests) - known)}), "failed")
    if not rules.inconclusive_passes:
        reasons += _reason(by_outcome["unjudged"], "unjudged")
    reasons += _reason(sorted(lost), "lost to the infrastructure, which says nothing of the agent")
    reasons += _reason(missing, "without a result")
    reasons += _reason(sorted(unseen), "of the baseline did not run")
    summaries = tuple(_summaries(done.values(), rules))
    for summary in summaries:
        reasons += _limits(summary, rules)
        reasons += _floor_limits(summary, rules)
    comparisons = tuple(_comparisons(summaries, rules, baseline))
    for comparison in comparisons:
        reasons += comparison.reasons(inconclusive_passes=rules.inconclusive_passes)
    return CampaignGate(
        passed=not reasons,
        reasons=tuple(reasons),
        summaries=summaries,
        comparisons=comparisons,
        missing=tuple(missing),
        lost=lost,
        remarks=tuple(_remarks(summaries)),
    )


def _reason(items: Sequence[str], what: str) -> list[str]:
    if not items:
        return []
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return [f"{counted(len(items), 'session')} {what}: {', '.join(items[:SHOWN])}{more}"]


def _summaries(records: Collection[SessionRecord], rules: CampaignRules) -> list[AgentSummary]:
    by_agent: dict[str, list[SessionRecord]] = {}
    for record in records:
        by_agent.setdefault(record.key.agent, []).append(record)
    return [summarise(agent, found, rules.repetitions, rules.compat) for agent, found in sorted(by_agent.items())]


def _limits(summary: AgentSummary, rules: CampaignRules) -> list[str]:
    """Why an agent is below the least that it has to reach; an interval that holds the limit decides nothing."""
    found, reliability = [], summary.reliability
    if not reliability.n:
        if rules.min_pass is None and rules.min_reliable is None:
            return []
        return [f"{summary.agent}: no workflow has all {rules.repetitions} repetitions"]
    pairs = (
        ("Pass@1", rules.min_pass, reliability.pass_1),
        (f"Reliable@{reliability.k}", rules.min_reliable, reliability.reliable_k.share),
    )
    for title, limit, value in pairs:
        if limit is not None and not value.low >= limit:
            found += _below(summary.agent, title, value, limit, rules)
    return found


def _floor_limits(summary: AgentSummary, rules: CampaignRules) -> list[str]:
    """Why an agent keeps or leaves the floor too often; what was not measured passes nothing."""
    yields = summary.yields
    found = []
    for title, limit, part, whole, sign in (
        ("yield", rules.min_yield, yields.given, yields.asked, "<"),
        ("false yield", rules.max_false_yield, yields.false, yields.kept_on, ">"),
    ):
        if limit is None:
            continue
        if summary.timing.refusal:
            found.append(f"{summary.agent}: {title} was not measured: {summary.timing.refusal}")
        elif not whole:
            found.append(f"{summary.agent}: {title} was not measured: nobody spoke over the agent so")
        elif (share := Fraction(part, whole)) != limit and (share < limit) == (sign == "<"):
            found.append(f"{summary.agent}: {title} {part} of {whole} {sign} {show(limit)}")
    return found


def _below(agent: str, title: str, value: Interval, limit: Fraction, rules: CampaignRules) -> list[str]:
    if value.high < limit:
        return [f"{agent}: {title} {percent(value)} < {show(limit)}"]
    return [] if rules.inconclusive_passes else [f"{agent}: {title} {percent(value)} may be < {show(limit)}"]


def _comparisons(
    summaries: Sequence[AgentSummary], rules: CampaignRules, baseline: Held | None
) -> list[BuildComparison]:
    if baseline is None:
        return []
    found = []
    for summary in summaries:
        reference = baseline.reference(summary.agent)
        before = reliability_before(baseline, reference, rules.repetitions)
        after = summary.reliability
        if before.workflows.keys() & after.workflows.keys():
            name = f"baseline {reference}"
            margins = dict(rules.margins)
            found.append(
                compare((name, before), (summary.agent, after), margins=margins, draws=rules.draws, seed=rules.seed)
            )
    return found


def reliability_before(baseline: Held, agent: str, k: int) -> Reliability:
    """The repetitions of an agent of a baseline."""
    truths: Mapping[str, Truth] = {"passed": True, "failed": False, "unjudged": None}
    entries = baseline.packages[agent].items()
    return reliability({name: {rep: truths[one] for rep, one in entry.outcomes.items()} for name, entry in entries}, k)


def _remarks(summaries: Sequence[AgentSummary]) -> list[str]:
    found = []
    for one in summaries:
        if one.leaks:
            found.append(f"{one.agent}: the caller nearly said {counted(one.leaks, 'fact')} too early, left out")
        if one.fallbacks:
            found.append(
                f"{one.agent}: {counted(one.fallbacks, 'utterance')} missing from the bank, read from the facts instead"
            )
    return found
