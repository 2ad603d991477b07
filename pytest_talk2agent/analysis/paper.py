"""The numbers of the tables 1, 2, 3, 5 and 6 of the Talk2Agent paper."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean, median, quantiles, stdev

from pytest_talk2agent.analysis.outcomes import Outcomes, rows_of, score_of
from pytest_talk2agent.grading.grader_source import some
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.tasks.recording import Recording
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Collection:
    """Tasks, speakers, recordings and their lengths in seconds; quartiles are linear between two recordings.

    ``intentions`` are those of each task. ``speakers`` counts names and is 0 where no recording says who speaks;
    ``missing`` are recordings that are not here, or whose header gives no length: no length counts them.
    """

    name: str
    tasks: int
    intentions: tuple[int, ...]
    speakers: int
    recordings: int
    seconds: float
    median: float | None
    quartiles: tuple[float, float] | None
    missing: int


def collection_of(name: str, tasks: Sequence[Task], length: Callable[[Path], float]) -> Collection:
    """Measure a collection; ``length`` gives the seconds of a file, 0 where it is unknown."""
    recordings = [recording for task in tasks for recording in task.recordings]
    return measured(name, tuple(len(task.intentions) for task in tasks), recordings, length)


def measured(
    name: str, intentions: tuple[int, ...], recordings: Sequence[Recording], length: Callable[[Path], float]
) -> Collection:
    """A collection by the number of intentions of each of its tasks, and its recordings."""
    lengths = [seconds for recording in recordings if (seconds := length(recording.audio))]
    low, _, high = quantiles(lengths, n=4, method="inclusive") if len(lengths) > 1 else (lengths * 3 or [0.0] * 3)
    return Collection(
        name=name,
        tasks=len(intentions),
        intentions=intentions,
        speakers=len({recording.speaker for recording in recordings if recording.speaker}),
        recordings=len(recordings),
        seconds=sum(lengths),
        median=median(lengths) if lengths else None,
        quartiles=(low, high) if lengths else None,
        missing=len(recordings) - len(lengths),
    )


@dataclass(frozen=True)
class Spread:
    """``mean`` over ``repetitions``, exact; ``sd`` is the sample's (n - 1), None for a single repetition."""

    mean: Fraction
    sd: float | None
    repetitions: int


def spread(values: Sequence[Fraction]) -> Spread:
    """The spread of some values; raises ValueError where there are none."""
    if not values:
        raise ValueError("no value to average")
    return Spread(mean(values), float(stdev(values)) if len(values) > 1 else None, len(values))


def means_of(cells: Iterable[tuple[str, str, Fraction]], what: str) -> dict[str, Fraction]:
    """The mean over tasks of each repetition, from (repetition, task, score); several scores of a pair are averaged.

    Raises ValueError where two repetitions are not of the same tasks: their means could not be compared.
    """
    scores: dict[str, dict[str, list[Fraction]]] = {}
    for repetition, task, score in cells:
        scores.setdefault(repetition, {}).setdefault(task, []).append(score)
    _refuse_gaps(scores, what)
    return {repetition: mean(map(mean, tasks.values())) for repetition, tasks in scores.items()}


def _refuse_gaps(scores: Mapping[str, Mapping[str, object]], what: str) -> None:
    everything = {task for tasks in scores.values() for task in tasks}
    for repetition, tasks in scores.items():
        if missing := sorted(everything - tasks.keys()):
            raise ValueError(f"{what}: repetition {repetition!r} lacks {some(missing)}, which others have; complete it")


_NEEDED = ("task", "condition", "score", "round")


def read_rounds(path: Path) -> dict[tuple[str, str], Spread]:
    """The spread of each agent and condition, in the order of the file.

    CSV with a heading, or JSON Lines: task, condition, score, round (a repetition of the execution, or the take that
    was executed), and where there are several an agent. Raises ValueError with the line, or for the agent and condition
    whose rounds are not of the same tasks.
    """
    cells: dict[tuple[str, str], list[tuple[str, str, Fraction]]] = {}
    for line, row in rows_of(path, _NEEDED):
        place, score = (str(row.get("agent") or ""), str(row["condition"])), score_of(row["score"], f"{path}:{line}")
        cells.setdefault(place, []).append((str(row["round"]), str(row["task"]), score))
    if not cells:
        raise ValueError(f"{path}: no rows; give one a task, condition and round")
    return {
        (agent, condition): spread([*means_of(found, f"{path}: condition {condition!r}").values()])
        for (agent, condition), found in cells.items()
    }


@dataclass(frozen=True)
class Diagnosis:
    """Means over the same ``tasks`` of one condition; intervals of undecided labels enter by their midpoints."""

    condition: str
    tasks: int
    shapley: Fraction
    native: Fraction
    execution: Fraction


def diagnose(
    results: Sequence[TaskResult], execution: Outcomes, tasks: Container[str] | None = None
) -> list[Diagnosis]:
    """One row for each condition, in the order of the results.

    Counted are the tasks (of ``tasks``, where given) with a score that enters means and an execution score under every
    condition; several takes of a task are averaged first. Raises ValueError where none is left.
    """
    conditions = list(dict.fromkeys(result.condition for result in results))
    kept: dict[tuple[str, str], list[TaskResult]] = {}
    for result in results:
        if result.scored and (tasks is None or result.task in tasks):
            kept.setdefault((result.task, result.condition), []).append(result)
    names = list(dict.fromkeys(task for task, _ in kept))
    pairs = {task: [(task, condition) for condition in conditions] for task in names}
    common = [task for task in names if all(pair in kept and pair in execution.scores for pair in pairs[task])]
    if not common:
        raise ValueError("no task has both a score and an execution score under every condition")
    return [
        Diagnosis(
            condition=condition,
            tasks=len(common),
            shapley=mean(_score(kept[task, condition], "shapley") for task in common),
            native=mean(_score(kept[task, condition], "native") for task in common),
            execution=mean(execution.scores[task, condition] for task in common),
        )
        for condition in conditions
    ]


def _score(results: Iterable[TaskResult], metric: str) -> Fraction:
    """The mean of a metric over results that have a score."""
    return mean(interval.midpoint for result in results if (interval := result.retention.interval(metric)) is not None)


METRICS = ("native", "shapley", "flat")


@dataclass(frozen=True)
class Transfer:
    """The metric under two conditions and its gain, each over takes that are paired; the gain's SD is that of pairs."""

    metric: str
    tasks: int
    before: Spread
    after: Spread
    gain: Spread


def transfer(results: Sequence[TaskResult], before: str, after: str, metric: str) -> Transfer:
    """Compare two conditions over the tasks and takes that both have.

    Raises ValueError on an unknown condition or metric, and where the takes of the two are not those of the same tasks.
    """
    if metric not in METRICS:
        raise ValueError(f"no metric {metric!r}; known: {', '.join(METRICS)}")
    known = list(dict.fromkeys(result.condition for result in results))
    for condition in (before, after):
        if condition not in known:
            raise ValueError(f"no condition {condition!r} in these runs; they have {', '.join(known)}")
    first, second = (_by_take(results, condition, metric) for condition in (before, after))
    if first.keys() != second.keys():
        odd = ", ".join(sorted(first.keys() ^ second.keys())[:3])
        raise ValueError(f"takes are not paired: {odd} is under one of the two conditions alone")
    takes = list(first)
    tasks = {result.task for result in results if result.scored and result.condition == before}
    if not tasks:
        raise ValueError(f"no task has a score under condition {before!r}")
    if tasks != {result.task for result in results if result.scored and result.condition == after}:
        raise ValueError(f"conditions {before!r} and {after!r} are not of the same tasks")
    return Transfer(
        metric=metric,
        tasks=len(tasks),
        before=spread([first[take] for take in takes]),
        after=spread([second[take] for take in takes]),
        gain=spread([second[take] - first[take] for take in takes]),
    )


def _by_take(results: Sequence[TaskResult], condition: str, metric: str) -> dict[str, Fraction]:
    cells = [
        (result.take, result.task, _score([result], metric))
        for result in results
        if result.condition == condition and result.scored
    ]
    return means_of(cells, f"condition {condition!r}")
