"""Two conditions on the same recordings: which intentions one of them gains and which it costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_talk2agent.interfaces.spec import Spec, parse_spec
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.results.record import TaskResult


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


def _sound(spec: Spec) -> dict[str, str]:
    return {name: value for name, value in spec.switches.items() if name.startswith("audio_")}


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
