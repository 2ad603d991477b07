"""Records survive the way to JSON and back, exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.results.task_result import SCHEMA, TaskResult
from pytest_talk2agent.results.transcript import Transcript
from pytest_talk2agent.results.verdict import Limits, Outcome, Verdict
from tests.results.builders import (
    CHANGED,
    KEPT,
    OMITTED,
    OPEN,
    interval,
    judgement,
    result,
    retention,
    transcript,
    undefined,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["\u2028\u2029\x85", "\x00", "\r\n", "\ufeff", "|`<script>", '"\\', "שלום", "\U0001f600"]
)
FRACTIONS = st.fractions()
INTERVALS = st.none() | st.tuples(FRACTIONS, FRACTIONS).map(lambda ends: interval(str(min(ends)), str(max(ends))))
FINDINGS = st.builds(Finding, st.sampled_from(Label), TEXT, TEXT, st.none() | TEXT)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
DETAIL = st.dictionaries(TEXT, TEXT | st.integers(-(2**62), 2**62) | NUMBERS | st.booleans() | st.none())
TRANSCRIPTS = st.builds(
    Transcript,
    text=TEXT,
    fingerprint=TEXT,
    identity=st.dictionaries(TEXT, TEXT),
    version=TEXT,
    audio_sha256=st.none() | TEXT,
    seconds=st.none() | NUMBERS,
    detail=DETAIL,
    notes=st.lists(TEXT).map(tuple),
)


def through_json(value: dict[str, Any]) -> Any:
    return json.loads(json.dumps(value, ensure_ascii=False).encode())


@given(TRANSCRIPTS)
def test_any_transcript_survives(heard: Transcript) -> None:
    assert Transcript.from_json(through_json(heard.to_json())) == heard


@given(TEXT, TRANSCRIPTS, st.dictionaries(TEXT, FINDINGS), INTERVALS, INTERVALS, st.dictionaries(TEXT, FRACTIONS))
def test_any_result_survives(
    text: str, heard: Transcript, findings: dict[str, Finding], native: Any, shapley: Any, weights: dict[str, Fraction]
) -> None:
    row = replace(
        result(heard=heard, judged=Judgement(findings, text, flags=(text,)), kept=retention(native, shapley)),
        task=text,
        said=text,
        value=text,
        weights=weights,
        limits=Limits({"native": Fraction(1, 3)}, {} if native is None else {"native": native}, Fraction(1, 7)),
        verdict=Verdict(Outcome.FAILED, (text, text)),
    )
    assert TaskResult.from_json(through_json(row.to_json())) == row


def test_a_record_holds_fractions_as_text() -> None:
    row = result(kept=retention(interval("1/3", "2/3")), weights={"port": Fraction(29, 60)})
    data = row.to_json()
    assert data["retention"]["native"] == ["1/3", "2/3"]
    assert data["weights"] == {"port": "29/60"}


def test_absent_and_empty_baselines_differ() -> None:
    none, empty = result(held_to=Limits({}, None)), result(held_to=Limits({}, {}))
    assert TaskResult.from_json(none.to_json()).limits.baseline is None
    assert TaskResult.from_json(empty.to_json()).limits.baseline == {}


def test_an_undefined_result_survives() -> None:
    row = result(kept=undefined(), outcome=Outcome.UNDEFINED)
    assert TaskResult.from_json(through_json(row.to_json())) == row


@pytest.mark.parametrize("schema", [SCHEMA + 1, None, str(SCHEMA)])
def test_another_schema_is_refused(schema: object) -> None:
    with pytest.raises(ValueError, match=rf"a result of schema {schema!r}; this version reads schema {SCHEMA}"):
        TaskResult.from_json({**result().to_json(), "schema": schema})


@pytest.mark.parametrize("name", ["node", "transcript", "judgement", "retention", "weights", "limits", "verdict"])
def test_an_incomplete_record_is_refused(name: str) -> None:
    data = result().to_json()
    del data[name]
    with pytest.raises(KeyError, match=name):
        TaskResult.from_json(data)


def test_changing_the_json_leaves_the_record_alone() -> None:
    row = result()
    before = dict(row.kinds)
    row.to_json()["kinds"]["port"] = "path"
    assert dict(row.kinds) == before


@pytest.mark.parametrize("change", [{"text": None}, {"text": 5}, {"notes": None}, {"mood": "good"}])
def test_a_transcript_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Transcript.from_json({**transcript().to_json(), **change})


@pytest.mark.parametrize("name", ["text", "fingerprint", "identity", "version", "notes"])
def test_a_transcript_without_a_field_is_refused(name: str) -> None:
    data = transcript().to_json()
    del data[name]
    with pytest.raises((KeyError, TypeError)):
        Transcript.from_json(data)


def test_lost_and_unresolved_are_in_the_order_of_the_task() -> None:
    row = result(judged=judgement({"d": OMITTED, "c": OPEN, "b": KEPT, "a": CHANGED}))
    assert row.lost() == ["d", "a"]
    assert row.unresolved() == ["c"]


def test_the_key_of_an_item_knows_no_condition() -> None:
    assert result(condition="old").key == result(condition="new").key == "files/set-port[amy]"


def test_shares_add_up_to_one_whatever_the_scale() -> None:
    row = result(weights={"a": Fraction(3), "b": Fraction(-1), "c": Fraction(2)})
    assert [row.share(name) for name in "abc"] == [Fraction(3, 4), Fraction(-1, 4), Fraction(1, 2)]


def test_there_are_no_shares_of_nothing() -> None:
    assert result(weights={"a": Fraction(1), "b": Fraction(-1)}).share("a") is None
