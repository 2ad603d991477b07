"""The results of a run as plain values for the script of the page.

Three kinds of block. The index has one column a field and one entry a result, for what is filtered, sorted and listed.
Blocks of `CHUNK` results hold what is shown when an item is opened, and are read only then. What results share (tasks,
conditions, scores, lists of terms) stands once and goes by its number.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from pytest_talk2agent.analysis.error_rates import character_errors, verbatim_errors, word_errors
from pytest_talk2agent.grading.retention import Interval
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.reporting.failure import Rerun, limits_of
from pytest_talk2agent.reporting.html.before import Before, Earlier
from pytest_talk2agent.reporting.html.markup import Markup, data_block
from pytest_talk2agent.reporting.html.recordings import Recordings
from pytest_talk2agent.reporting.html.tree import GraderTree
from pytest_talk2agent.reporting.losses import differences
from pytest_talk2agent.results.task_result import TaskResult
from pytest_talk2agent.results.verdict import METRICS, Outcome, show_interval

CHUNK = 250
LABELS = [label.value for label in Label]
OUTCOMES = [outcome.value for outcome in Outcome]

T = TypeVar("T", bound=Hashable)


class Pool(Generic[T]):
    """Values that occur often, each once."""

    def __init__(self) -> None:
        self._numbers: dict[T, int] = {}

    def number(self, value: T) -> int:
        """The number of a value, a new one at its first occurrence."""
        return self._numbers.setdefault(value, len(self._numbers))

    def __iter__(self) -> Iterator[T]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Rows:
    """Takes the results one by one and hands out their blocks."""

    def __init__(self, recordings: Recordings, before: Before, rerun: Rerun) -> None:
        self._recordings = recordings
        self._before = before
        self._rerun = rerun
        self._columns: dict[str, list[Any]] = {}
        self._scores: Pool[Interval | None] = Pool()
        self._terms: Pool[tuple[str, ...]] = Pool()
        self._takes: Pool[str] = Pool()
        self._suites: Pool[str] = Pool()
        self._kinds: Pool[str] = Pool()
        self._conditions: dict[str, dict[str, Any]] = {}
        self._tasks: dict[tuple[str, str, str], tuple[int, GraderTree | None]] = {}
        self._listed: list[list[Any]] = []
        self._described: list[dict[str, Any]] = []
        self.compared = False

    def blocks(self, results: Sequence[TaskResult]) -> Iterator[Markup]:
        """Every block of these results, the index last, since only then all that is shared is known."""
        for number, start in enumerate(range(0, len(results), CHUNK)):
            details = [self._add(result) for result in results[start : start + CHUNK]]
            yield data_block(f"chunk-{number}", details)
        yield data_block("tasks", self._described)
        yield data_block("terms", list(self._terms))
        yield data_block("index", self._index())

    def _index(self) -> dict[str, Any]:
        return {
            "chunk": CHUNK,
            "before": self._before.name if self.compared else None,
            "rerun": [shlex.quote(option) for option in self._rerun.options],
            "audio": {"mode": self._recordings.mode, "sources": self._recordings.sources()},
            "labels": LABELS,
            "outcomes": OUTCOMES,
            "scores": [None if one is None else _score(one) for one in self._scores],
            "takes": list(self._takes),
            "suites": list(self._suites),
            "kinds": list(self._kinds),
            "conditions": list(self._conditions.values()),
            "tasks": self._listed,
            "rows": self._columns,
        }

    def _add(self, result: TaskResult) -> dict[str, Any]:
        task, tree = self._task(result)
        earlier = self._before.of(result)
        self.compared = self.compared or earlier is not None
        findings = result.judgement.findings
        hit = {result.kinds[name] for name, finding in findings.items() if finding.label is not Label.RETAINED}
        wer = word_errors(result).rate
        row = {
            "task": task,
            "condition": self._condition(result),
            "take": self._takes.number(result.take),
            "outcome": OUTCOMES.index(result.verdict.outcome.value),
            "native": self._scores.number(result.retention.native),
            "shapley": self._scores.number(result.retention.shapley),
            "before": None if earlier is None else self._scores.number(earlier.shapley),
            "lost": result.retention.lost,
            "open": len(result.unresolved()),
            "wer": None if wer is None else round(wer, 4),
            "kinds": [self._kinds.number(kind) for kind in sorted(hit)],
            "heard": result.transcript.text,
        }
        for name, value in row.items():
            self._columns.setdefault(name, []).append(value)
        return self._detail(result, tree, earlier)

    def _condition(self, result: TaskResult) -> int:
        if result.condition not in self._conditions:
            made_by = result.transcript
            self._conditions[result.condition] = {
                "label": result.condition,
                "spec": result.spec,
                "option": shlex.quote(self._rerun.interface(result)),
                "judge": result.judgement.judge,
                "fingerprint": made_by.fingerprint,
                "identity": dict(made_by.identity),
            }
        return list(self._conditions).index(result.condition)

    def _task(self, result: TaskResult) -> tuple[int, GraderTree | None]:
        key = (result.task, result.task_sha256, result.suite)
        if key not in self._tasks:
            tree = _tree(result)
            self._tasks[key] = len(self._listed), tree
            self._listed.append([result.task, self._suites.number(result.suite), result.said])
            shares = [result.share(name) for name in result.judgement.findings]
            self._described.append(
                {
                    "value": result.value,
                    "polarity": result.polarity,
                    "tree": None if tree is None else tree.to_json(),
                    "intentions": [
                        [name, result.kinds[name], finding.expected, None if share is None else round(float(share), 4)]
                        for (name, finding), share in zip(result.judgement.findings.items(), shares, strict=True)
                    ],
                }
            )
        return self._tasks[key]

    def _detail(self, result: TaskResult, tree: GraderTree | None, earlier: Earlier | None) -> dict[str, Any]:
        heard = result.transcript
        words, verbatim, characters = word_errors(result), verbatim_errors(result), character_errors(result)
        at = utf16(heard.text)
        detail = {
            "again": shlex.quote(self._rerun.item(result)),
            "reasons": list(result.verdict.reasons),
            "limits": [limits_of(result, metric) for metric in METRICS],
            "flat": show_interval(result.retention.flat),
            "why": result.retention.reason,
            "findings": [
                [LABELS.index(f.label.value), f.reason, f.heard, *((at(f.start), at(f.end)) if f.heard else ())]
                for f in result.judgement.findings.values()
            ],
            "differs": _differences(result.said, heard.text),
            "tree": [] if tree is None else tree.losses(result.lost(), result.unresolved()),
            "rates": [number for one in (words, verbatim, characters) for number in (one.count, one.units)],
            "seconds": None if heard.seconds is None else round(heard.seconds, 2),
            "elapsed": None if heard.elapsed is None else round(heard.elapsed, 2),
            "flags": list(result.judgement.flags),
            "notes": list(heard.notes),
            "state": None if heard.state == "transcribed" else heard.state,
            "audio": self._recordings.number(result.audio),
            "missing": result.audio is not None and result.audio in self._recordings.absent,
            **self._use_of_terms(result),
        }
        if earlier is not None:
            detail["earlier"] = self._earlier(earlier, result.said)
        # 0 is an answer (the number of a recording), so only what says nothing is left out.
        return {k: value for k, value in detail.items() if value is not None and value is not False and value != []}

    def _use_of_terms(self, result: TaskResult) -> dict[str, Any]:
        heard, visible = result.transcript, result.visible
        found: dict[str, Any] = {}
        if heard.sent is not None:
            found["sent"] = self._terms.number(heard.sent)
        if visible is not None:
            found["inserted"] = [[term, term in visible.decoys] for term in visible.inserted]
        if heard.raw is not None:
            labels = None if result.raw is None else [LABELS.index(x.value) for x in result.raw.labels().values()]
            found["raw"] = {"text": heard.raw, "differs": _differences(heard.raw, heard.text), "labels": labels}
        return found

    def _earlier(self, earlier: Earlier, said: str) -> dict[str, Any]:
        return {
            "native": self._scores.number(earlier.native),
            "shapley": self._scores.number(earlier.shapley),
            "lost": None if earlier.lost is None else list(earlier.lost),
            "open": None if earlier.unresolved is None else list(earlier.unresolved),
            "labels": earlier.labels,
            "heard": earlier.heard,
            "differs": None if earlier.heard is None else _differences(said, earlier.heard),
        }


def utf16(text: str) -> Callable[[int | None], int | None]:
    """From character offsets to those of a browser, which counts a character beyond U+FFFF twice."""
    if not text or max(text) <= "\uffff":
        return lambda offset: offset
    return lambda offset: None if offset is None else offset + sum(c > "\uffff" for c in text[:offset])


def _differences(said: str, heard: str) -> list[list[int | None]]:
    left, right = utf16(said), utf16(heard)
    return [[left(a), left(b), right(c), right(d)] for (a, b), (c, d) in differences(said, heard)]


def _tree(result: TaskResult) -> GraderTree | None:
    """None where the record does not have its grader; then only the text of its value is known."""
    return None if result.grader is None else GraderTree(result.grader)


def _score(interval: Interval) -> list[Any]:
    return [show_interval(interval), round(float(interval.low), 4), round(float(interval.high), 4)]
