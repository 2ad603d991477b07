"""Every metric and its score of each result, higher always better: the columns of a correlation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from pytest_talk2agent.analysis import model_metrics
from pytest_talk2agent.analysis.error_rates import (
    VERBATIM,
    Errors,
    character_errors,
    errors_in,
    normalisers,
    whisper_english,
    word_errors,
)
from pytest_talk2agent.analysis.model_metrics import Ask, RubricQuestion
from pytest_talk2agent.analysis.semdist import Encoder, semdist
from pytest_talk2agent.results.task_result import TaskResult

LABELS = {
    "wer": "1 - WER/CER",
    "wer-verbatim": "1 - WER/CER verbatim",
    "wer-whisper": "1 - WER/CER whisper",
    "cer": "1 - CER",
    "semdist": "1 - SemDist",
    "aer": "1 - AER",
    "rubric": "Atomic Rubric",
    "semantic-wer": "1 - Semantic WER",
    "flat": "Flat retention",
    "shapley": "Shapley retention",
    "native": "Native projection",
}
"""Every metric, in the order of the paper's table 4, and what tables call it."""

DEFAULT = ("wer", "wer-verbatim", "flat", "shapley", "native")
"""Those that need nothing but a run."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Column:
    """A metric of some results: a score for each, None where it is not defined.

    ``form`` names what it rests on: the normal form, the encoder, or the prompt and the model. ``counts`` are errors
    and units (words, characters, questions) of each result, for metrics that count errors.
    """

    name: str
    label: str
    form: str
    scores: Sequence[Fraction | float | None]
    counts: Sequence[Errors] | None = None


@dataclass(frozen=True)
class Tools:
    """What some metrics need: a sentence encoder (made when it is needed), a model and its name, rubrics by task."""

    encoder: Callable[[], Encoder] | None = None
    ask: Ask | None = None
    model: str = ""
    concurrency: int = 1
    rubrics: Mapping[str, Sequence[RubricQuestion]] | None = None


def make_columns(names: Sequence[str], results: Sequence[TaskResult], tools: Tools | None = None) -> list[Column]:
    """Measure results with the metrics of these names, in this order.

    Errors are counted against the script; one in Chinese or Japanese counts by characters. Rates are not clipped:
    1 - WER can be negative. Raises ValueError on an unknown or repeated name and where a metric lacks its tool; what
    the model raises.
    """
    tools = tools or Tools()
    for place, name in enumerate(names):
        if name not in LABELS:
            raise ValueError(f"no metric {name!r}; known: {', '.join(LABELS)}")
        if name in names[:place]:
            raise ValueError(f"metric {name!r} is named twice; name it once")
    return [_column(name, results, tools) for name in names]


def _column(name: str, results: Sequence[TaskResult], tools: Tools) -> Column:
    if name in ("flat", "shapley", "native"):
        intervals = [result.retention.interval(name) for result in results]
        return Column(name, LABELS[name], "", [None if one is None else one.midpoint for one in intervals])
    if name == "semdist":
        return _semdist(results, tools)
    if name == "rubric":
        return _rubric(results, tools)
    if name in ("wer", "cer"):
        errors = word_errors if name == "wer" else character_errors
        return _rates(name, ", ".join(normalisers(results)), map(errors, results))
    if name in ("wer-verbatim", "wer-whisper"):
        form = VERBATIM if name == "wer-verbatim" else whisper_english()
        return _rates(name, form.name, (errors_in(form, result.said, result.transcript.text) for result in results))
    ask = _model(name, tools)
    measure = _answer_errors(ask, results) if name == "aer" else _semantic_errors(ask)
    version = model_metrics.AER_VERSION if name == "aer" else model_metrics.SEMANTIC_WER_VERSION
    return _rates(name, f"{version}, {tools.model}", _each(measure, results, tools))


def _rates(name: str, form: str, errors: Iterable[Errors]) -> Column:
    counts = list(errors)
    scores = [1 - Fraction(one.count, one.units) if one.units else None for one in counts]
    return Column(name, LABELS[name], form, scores, counts)


def _semdist(results: Sequence[TaskResult], tools: Tools) -> Column:
    if tools.encoder is None:
        raise ValueError("metric 'semdist' needs a sentence encoder; give one")
    encoder = tools.encoder()
    distances = semdist(encoder, [r.said for r in results], [r.transcript.text for r in results])
    form = ", ".join(f"{name} {value}" for name, value in encoder.identity.items())
    return Column("semdist", LABELS["semdist"], form, [None if one is None else 1 - one for one in distances])


def _rubric(results: Sequence[TaskResult], tools: Tools) -> Column:
    ask = _model("rubric", tools)
    if tools.rubrics is None:
        raise ValueError("metric 'rubric' needs rubric questions; give a file of them")
    rubrics = tools.rubrics

    def score(result: TaskResult) -> Fraction | None:
        questions = rubrics.get(result.task, ())
        said, heard = result.said, result.transcript.text
        return model_metrics.rubric_score(
            questions, model_metrics.choose(ask, questions, spoken=said, reference=said, output=heard)
        )

    form = f"{model_metrics.RUBRIC_VERSION}, {tools.model}"
    return Column("rubric", LABELS["rubric"], form, _each(score, results, tools))


def _answer_errors(ask: Ask, results: Sequence[TaskResult]) -> Callable[[TaskResult], Errors]:
    rate = model_metrics.AnswerErrorRate(ask)
    # Questions come first, one reference after the other: two threads must not make them twice.
    for reference in dict.fromkeys(result.said for result in results):
        rate.questions(reference)
    return lambda result: rate.measure(result.said, result.transcript.text)


def _semantic_errors(ask: Ask) -> Callable[[TaskResult], Errors]:
    return lambda result: model_metrics.semantic_errors(ask, result.said, result.transcript.text)


def _model(name: str, tools: Tools) -> Ask:
    if tools.ask is None:
        raise ValueError(f"metric {name!r} needs a model that is asked; name one")
    return tools.ask


def _each(measure: Callable[[TaskResult], Found], results: Sequence[TaskResult], tools: Tools) -> list[Found]:
    """Measure every result in order, several at a time where the model allows it; stop at the first error."""
    with ThreadPoolExecutor(tools.concurrency) as pool:
        futures = [pool.submit(measure, result) for result in results]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
