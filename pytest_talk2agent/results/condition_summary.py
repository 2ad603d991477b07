"""A run by condition: its means and counts, what it hears in silence, and what it gains over another condition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pytest_talk2agent.context.decoys import inserted
from pytest_talk2agent.grading.retention import Interval, mean_interval
from pytest_talk2agent.interfaces.spec import Spec, parse_spec
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import Outcome


@dataclass(frozen=True)
class SilenceControl:
    """What a condition heard in silence with ``terms`` terms: ``text``, or the ``error`` for which that is not known.

    ``invented`` are the terms that stand in it: a recogniser that prints its list when nobody speaks invents tasks.
    """

    condition: str
    terms: int
    text: str
    invented: tuple[str, ...] = ()
    error: str | None = None

    @property
    def reason(self) -> str | None:
        """Why the gate must not pass, if so."""
        if self.error is not None:
            return f"{self.condition}: the silence control did not run: {self.error}"
        if self.invented:
            return f"{self.condition}: heard {', '.join(self.invented[:3])} in silence: it prints the terms it is given"
        return None


def silence_controls(results: Sequence[TaskResult]) -> tuple[SilenceControl, ...]:
    """One control for each condition that has one, in the order of first appearance."""
    by_condition: dict[str, list[TaskResult]] = {}
    for result in results:
        if result.transcript.silence is not None:
            by_condition.setdefault(result.condition, []).append(result)
    controls = []
    for condition, rows in by_condition.items():
        heard = rows[0].transcript.silence
        assert heard is not None
        if "error" in heard:
            controls.append(SilenceControl(condition, 0, "", error=heard["error"]))
            continue
        terms = sorted({term for row in rows for term in row.transcript.offered or ()})
        controls.append(SilenceControl(condition, heard["terms"], heard["text"], inserted(terms, [], heard["text"])))
    return tuple(controls)


@dataclass(frozen=True)
class Pair:
    """A condition against another one, over the items that both have.

    ``benefit`` counts by kind the intentions that are lost under ``against`` and retained under ``condition``, ``harm``
    those that are retained there and lost here; intentions that are unresolved under either are in ``undecided``.
    """

    condition: str
    against: str
    items: int
    benefit: Mapping[str, int]
    harm: Mapping[str, int]
    undecided: int


def pairs_of(results: Sequence[TaskResult]) -> tuple[Pair, ...]:
    """Pair each condition with its plain form where the run has it, else with the first condition.

    A condition that repairs is paired with its own raw transcripts as well.
    """
    by_condition: dict[str, dict[tuple[str, str], TaskResult]] = {}
    for result in results:
        by_condition.setdefault(result.condition, {})[result.file, result.key] = result
    specs = {condition: parse_spec(next(iter(rows.values())).spec) for condition, rows in by_condition.items()}
    pairs = []
    for condition, rows in by_condition.items():
        against = _counterpart(condition, specs)
        if against is not None:
            others = by_condition[against]
            both = [(others[key].judgement, row) for key, row in rows.items() if key in others]
            pairs.append(_pair(condition, against, both))
        if specs[condition].repair:
            raw = [(row.judgement if row.raw is None else row.raw, row) for row in rows.values()]
            pairs.append(_pair(condition, "before repair", raw))
    return tuple(pairs)


def _counterpart(condition: str, specs: Mapping[str, Spec]) -> str | None:
    """The condition with the same model and options and no suffix, else the first one; None for that one itself."""
    spec = specs[condition]
    if spec.bias or spec.repair:
        for label, other in specs.items():
            same = (other.name, other.model, other.options) == (spec.name, spec.model, spec.options)
            if same and not (other.bias or other.repair) and _sound(other) == _sound(spec):
                return label
    first = next(iter(specs))
    return None if first == condition else first


def _sound(spec: Spec) -> tuple[dict[str, str], str]:
    switches = {name: value for name, value in spec.switches.items() if name.startswith("audio_")}
    return switches, "" if spec.sound is None else spec.sound.text


def _pair(condition: str, against: str, both: Sequence[tuple[Judgement, TaskResult]]) -> Pair:
    benefit: Counter[str] = Counter()
    harm: Counter[str] = Counter()
    undecided = 0
    for before, row in both:
        labels = before.labels()
        for name, label in row.judgement.labels().items():
            if name not in labels:
                continue  # the task was another one there
            if Label.UNRESOLVED in (label, labels[name]):
                undecided += label is not labels[name]
            elif label.lost != labels[name].lost:
                (harm if label.lost else benefit)[row.kinds[name]] += 1
    return Pair(condition, against, len(both), dict(sorted(benefit.items())), dict(sorted(harm.items())), undecided)


@dataclass(frozen=True)
class ConditionSummary:
    """One condition over all its items.

    Means are over items whose scores are defined and whose task is of normal polarity; ``left_out`` counts the others.
    ``suspect`` counts transcripts that look like a failure of the recogniser, ``empty`` those without a word,
    ``states`` those refused, answered or truncated; ``inserted`` are listed terms that were heard and not
    spoken, ``decoys`` those of them that nobody can see, None where the condition uses no terms; ``cost`` is what
    served models took, if known.
    """

    condition: str
    items: int
    outcomes: Mapping[Outcome, int]
    native: Interval | None
    shapley: Interval | None
    lost: int
    intentions: int
    unresolved: int
    left_out: int
    suspect: int = 0
    empty: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    inserted: int | None = None
    decoys: int | None = None
    cost: Decimal | None = None
    kinds: tuple[KindSummary, ...] = ()

    def mean(self, metric: str) -> Interval | None:
        """The mean of a metric by its name; None where no item has a score."""
        return {"native": self.native, "shapley": self.shapley}[metric]


@dataclass(frozen=True)
class KindSummary:
    """The intentions of one kind under one condition."""

    kind: str
    intentions: int
    lost: int
    unresolved: int


def summarise(results: Sequence[TaskResult]) -> tuple[ConditionSummary, ...]:
    """One summary for each condition, in the order of first appearance."""
    by_condition: dict[str, list[TaskResult]] = {}
    for result in results:
        by_condition.setdefault(result.condition, []).append(result)
    return tuple(_summary(condition, rows) for condition, rows in by_condition.items())


def _summary(condition: str, rows: Sequence[TaskResult]) -> ConditionSummary:
    scored = [row for row in rows if row.scored]
    seen = [row.visible for row in rows if row.visible is not None]
    costs = [cost for row in rows for cost in _costs(row)]
    return ConditionSummary(
        condition=condition,
        items=len(rows),
        outcomes=Counter(row.verdict.outcome for row in rows),
        native=_mean([row.retention.native for row in scored]),
        shapley=_mean([row.retention.shapley for row in scored]),
        lost=sum(len(row.lost()) for row in rows),
        intentions=sum(len(row.judgement.findings) for row in rows),
        unresolved=sum(len(row.unresolved()) for row in rows),
        left_out=len(rows) - len(scored),
        suspect=sum(any(why != "empty" for why in row.transcript.detail.get("suspect", ())) for row in rows),
        empty=sum(row.transcript.state == "transcribed" and not row.transcript.text.strip() for row in rows),
        states=dict(sorted(Counter(r.transcript.state for r in rows if r.transcript.state != "transcribed").items())),
        inserted=sum(len(visible.inserted) for visible in seen) if seen else None,
        decoys=sum(len(set(visible.inserted) & set(visible.decoys)) for visible in seen) if seen else None,
        cost=sum(costs, Decimal(0)) if costs else None,
        kinds=_kinds(rows),
    )


def _kinds(rows: Sequence[TaskResult]) -> tuple[KindSummary, ...]:
    labels: dict[str, Counter[Label]] = {}
    for row in rows:
        for name, label in row.judgement.labels().items():
            labels.setdefault(row.kinds[name], Counter())[label] += 1
    return tuple(
        KindSummary(
            kind=kind,
            intentions=found.total(),
            lost=sum(count for label, count in found.items() if label.lost),
            unresolved=found[Label.UNRESOLVED],
        )
        for kind, found in sorted(labels.items())
    )


def _costs(row: TaskResult) -> list[Decimal]:
    details = [row.transcript.detail, (row.transcript.repair or {}).get("detail", {})]
    return [Decimal(str(detail["cost"])) for detail in details if detail.get("cost") is not None]


def _mean(intervals: Sequence[Interval | None]) -> Interval | None:
    known = [interval for interval in intervals if interval is not None]
    return mean_interval(known) if known else None


@dataclass(frozen=True)
class ExecutionSummary:
    """What one agent made of the transcripts of one condition.

    ``mean`` is the exact mean over ``tasks``, each the mean over its takes and rounds, ``sd`` that of the means of the
    rounds (None for a single one); trials of tasks whose polarity is reversed are not in them. ``native`` and
    ``projection`` are means over the same trials; ``projected`` counts trials for which the projection is one number,
    ``as_projected`` those of them that have this score.
    ``missing`` counts trials without a score, ``failed`` those below what each was held to, ``stored`` those of an
    earlier run; ``states`` those whose agent did not come to its end. ``cost`` adds up what agents used.
    """

    condition: str
    agent: str
    tasks: int
    trials: int
    rounds: int
    mean: Fraction | None
    sd: float | None
    native: Interval | None
    projection: Interval | None
    projected: int
    as_projected: int
    missing: int = 0
    failed: int = 0
    left_out: int = 0
    stored: int = 0
    states: Mapping[str, int] = field(default_factory=dict)
    cost: Mapping[str, Decimal] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """Condition and agent."""
        return f"{self.condition}, {self.agent}"

    def to_json(self) -> dict[str, Any]:
        """Plain values; fractions and amounts as strings."""
        plain = dict(vars(self))
        plain["mean"] = None if self.mean is None else str(self.mean)
        plain |= {name: None if plain[name] is None else plain[name].to_json() for name in ("native", "projection")}
        return {**plain, "states": dict(self.states), "cost": {name: str(used) for name, used in self.cost.items()}}
