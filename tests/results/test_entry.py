"""One item of a baseline: what it keeps, and what no grader could have given it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.grader import black_box
from pytest_talk2agent.results.entry import Entry, unlike
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import (
    CHANGED,
    KEPT,
    OPEN,
    interval,
    judgement,
    lossy,
    result,
    retention,
    transcript,
    undefined,
)


def test_it_holds_what_later_runs_are_compared_with() -> None:
    entry = Entry.of(lossy())
    assert replace(entry, heard="") == Entry(
        task_sha256="1" * 64,
        audio_sha256="a" * 64,
        native=interval("1/2"),
        shapley=interval("1/2"),
        lost=("port",),
        unresolved=(),
        kinds={"port": "number", "service": "number"},
        scored=True,
        heard="",
        file="suites/tasks.yaml",
    )


def test_it_tells_transcripts_apart_by_text_and_state() -> None:
    heard = [transcript(), transcript("set the port"), replace(transcript(), state="refused")]
    assert len({Entry.of(result(heard=one)).heard for one in [*heard, transcript()]}) == 3


@pytest.mark.parametrize(
    ("row", "scored"),
    [
        (result(), True),
        (result(kept=undefined()), False),
        (result(kept=retention(interval("0"), interval("0"), status="inverted")), False),
        (result(polarity="reversal"), False),
    ],
)
def test_it_says_whether_it_enters_means(row: TaskResult, scored: bool) -> None:
    assert Entry.of(row).scored is scored


def test_one_without_a_score_has_nothing_to_compare() -> None:
    assert Entry.of(result(kept=undefined())).intervals() == {}


def through_json(data: dict[str, Any], **changes: object) -> Entry:
    return Entry.from_json(json.loads(json.dumps({**data, **changes})))


LABELS = st.dictionaries(st.text(min_size=1), st.sampled_from([KEPT, CHANGED, OPEN]), min_size=1, max_size=5)


@given(LABELS, st.lists(st.fractions(-3, 3), min_size=32, max_size=32))
def test_whatever_a_grader_gives_is_no_contradiction(labels: dict[str, Any], values: list[Fraction]) -> None:
    names = list(labels)

    def value(held: frozenset[str]) -> Fraction:
        return values[sum(1 << names.index(name) for name in held)]

    kept = [name for name in names if labels[name] is KEPT]
    open_ = [name for name in names if labels[name] is OPEN]
    entry = Entry.of(result(judged=judgement(labels), kept=black_box(value, names).retention(kept, open_)))
    assert through_json(entry.to_json()) == entry


ONE_LOST = Entry.of(lossy()).to_json()
NONE_LOST = Entry.of(result()).to_json()
ALL_LOST = ONE_LOST | {"lost": ["port", "service"], "native": ["0", "0"], "shapley": ["0", "0"]}
OPEN_ONE = ONE_LOST | {"lost": [], "unresolved": ["port"], "native": ["1/2", "1"], "shapley": ["-1", "1"]}


@pytest.mark.parametrize("data", [ONE_LOST, NONE_LOST, ALL_LOST, OPEN_ONE])
def test_what_these_tests_begin_with_is_right(data: dict[str, Any]) -> None:
    assert through_json(data).to_json() == data


@pytest.mark.parametrize(
    ("data", "changes", "said"),
    [
        (NONE_LOST, {"native": ["0", "0"]}, "native is 0 though nothing is lost"),
        (NONE_LOST, {"native": ["-5", "-5"]}, "native is -5 though nothing is lost"),
        (NONE_LOST, {"shapley": ["1/3", "1/3"]}, "shapley is 1/3 though nothing is lost"),
        (NONE_LOST, {"native": ["0", "1"]}, "native is open though nothing is unresolved"),
        (ONE_LOST, {"shapley": ["0", "1"]}, "shapley is open though nothing is unresolved"),
        (NONE_LOST, {"native": None}, "one score is there and another is not"),
        (NONE_LOST, {"shapley": None}, "one score is there and another is not"),
        (NONE_LOST, {"native": None, "shapley": None}, "one score is there and another is not"),
        (ALL_LOST, {"native": ["1/2", "1/2"]}, "native is 1/2 though nothing is retained"),
        (OPEN_ONE, {"native": ["1/4", "3/4"]}, "native is [1/4, 3/4] though nothing is lost"),
        (OPEN_ONE, {"unresolved": ["port", "service"]}, "native is [1/2, 1] though nothing is retained"),
        (ONE_LOST, {"lost": ["host"]}, "'host' is lost or unresolved, but has no kind"),
        (ONE_LOST, {"unresolved": ["port"]}, "an intention is named twice as lost or unresolved"),
        (ONE_LOST, {"lost": ["port", "port"]}, "an intention is named twice as lost or unresolved"),
        (ONE_LOST, {"kinds": {}}, "it has no intention"),
        (ONE_LOST, {"task_sha256": "1" * 63}, "task_sha256 is '111"),
        (ONE_LOST, {"audio_sha256": "A" * 64}, "audio_sha256 is 'AAA"),
        (ONE_LOST, {"native": ["1e999999999", "1e999999999"]}, "'1e999999999' is not a number"),
        (ONE_LOST, {"native": ["1/0", "1"]}, "'1/0' is not a number"),
        (ONE_LOST, {"native": ["9" * 5000, "1"]}, "is not a number"),
        (ONE_LOST, {"native": ["1e301", "1e301"]}, "'1e301' is not a number"),
        (ONE_LOST, {"native": ["high", "1"]}, "'high' is not a number"),
        (ONE_LOST, {"native": [True, True]}, "a bool such as this is not a number"),
        (ONE_LOST, {"native": ["1", "0"]}, "the interval [1, 0] ends below its beginning"),
        (ONE_LOST, {"native": ["1"]}, "an interval has two ends"),
        (ONE_LOST, {"native": "11"}, "an interval has two ends"),
        (ONE_LOST, {"native": 1}, "an interval has two ends"),
    ],
)
def test_what_cannot_be_is_refused(data: dict[str, Any], changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        through_json(data, **changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task_sha256": None}, "task_sha256: input should be a valid string"),
        ({"lost": "port"}, "lost is no list of texts"),
        ({"unresolved": None}, "unresolved is no list of texts"),
        ({"kinds": ["port"]}, "kinds: input should be"),
        ({"kinds": {"port": 1, "service": "term"}}, "kinds.port: input should be a valid string"),
        ({"scored": 1}, "scored: input should be a valid boolean"),
        ({"heard": None}, "heard: input should be a valid string"),
        ({"file": 3}, "file: input should be a valid string"),
        ({"lsot": []}, "an item has no 'lsot'"),
    ],
)
def test_what_has_another_type_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError) as caught:
        through_json(ONE_LOST, **changes)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", sorted(ONE_LOST))
def test_what_lacks_a_value_is_refused(name: str) -> None:
    with pytest.raises(KeyError, match=name):
        Entry.from_json({key: value for key, value in ONE_LOST.items() if key != name})


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ({"native", "shapley"}, ["shapley", "native"], None),
        ([], [], None),
        ([], ["shapley", "native"], "no native, shapley in the baseline"),
        (["native"], [], "native only in the baseline"),
    ],
)
def test_scores_of_one_task_are_of_the_same_metrics(before: Any, now: Any, said: str | None) -> None:
    assert unlike(before, now) == said
