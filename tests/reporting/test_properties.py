"""Report properties: small scalars for JUnit, one whole record for the controller."""

from __future__ import annotations

import json
from dataclasses import replace

from pytest_talk2agent.reporting.properties import ITEM, RECORD, properties_of, set_properties
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import (
    CHANGED,
    OPEN,
    interval,
    judgement,
    limits,
    lossy,
    result,
    retention,
    transcript,
    undefined,
)


def named(row: TaskResult) -> dict[str, str]:
    pairs = properties_of(row)
    assert len(dict(pairs)) == len(pairs), "a name stands once"
    return dict(pairs)


def test_everything_is_plain_text() -> None:
    for name, value in properties_of(lossy()):
        assert type(name) is str
        assert type(value) is str
        assert name.startswith("t2a.")


def test_scalars() -> None:
    found = named(lossy())
    assert found == {
        "t2a.task": "files/set-port",
        "t2a.take": "amy",
        "t2a.condition": "whisper-tiny.en",
        "t2a.interface": "whisper:tiny.en",
        "t2a.fingerprint": "f00d",
        "t2a.judge": "lexical/1",
        "t2a.outcome": "failed",
        "t2a.native": "0.5000",
        "t2a.shapley": "0.5000",
        "t2a.flat": "1.0000",
        "t2a.lost": "1",
        "t2a.lost_intentions": "port",
        "t2a.unresolved_intentions": "",
        "t2a.wer": "0.0000",
        "t2a.wer_verbatim": "0.3333",
        "t2a.cer": "0.0000",
        "t2a.min_native": "1.0000",
        "t2a.min_shapley": "1.0000",
    }


def test_an_interval_has_two_ends() -> None:
    found = named(result(kept=retention(interval("0", "1/3"))))
    assert (found["t2a.native_low"], found["t2a.native_high"]) == ("0.0000", "0.3333")
    assert "t2a.native" not in found


def test_what_is_undefined_is_called_so() -> None:
    found = named(replace(result(kept=undefined()), said=""))
    assert [found[f"t2a.{name}"] for name in ("native", "shapley", "wer", "cer")] == ["undefined"] * 4


def test_rates_that_nobody_asks_for_are_not_counted() -> None:
    names = {name for name, _ in properties_of(result())} - {name for name, _ in properties_of(result(), rates=False)}
    assert names == {"t2a.wer", "t2a.wer_verbatim", "t2a.cer"}


def test_limits_that_there_are_not_are_not_named() -> None:
    found = named(result(held_to=limits(native="0.9")))
    assert found["t2a.min_native"] == "0.9000"
    assert "t2a.min_shapley" not in found


def test_intentions_are_named_in_their_order() -> None:
    found = named(result(judged=judgement({"b": CHANGED, "a": CHANGED, "d": OPEN, "c": OPEN})))
    assert (found["t2a.lost_intentions"], found["t2a.unresolved_intentions"]) == ("b a", "d c")


def test_the_record_is_whole_and_survives_any_pipe() -> None:
    row = result(heard=transcript("naïve \u2028 \x00 日本"))
    properties: list[tuple[str, object]] = [
        ("mine", "1"),
        (ITEM, "f.yaml::t[x]"),
        ("t2a.native", "0.1"),
        (RECORD, "old"),
    ]
    set_properties(properties, row, travels=True, rates=False)
    assert properties[:2] == [("mine", "1"), (ITEM, "f.yaml::t[x]")]
    found = dict(properties)
    assert len(found) == len(properties), "what an earlier try left is gone"
    record = str(found[RECORD])
    assert record.isascii()
    assert "\n" not in record
    assert TaskResult.from_json(json.loads(record)) == row
    assert "t2a.wer" not in found


def test_within_a_process_the_record_goes_as_it_is() -> None:
    row = result()
    properties: list[tuple[str, object]] = []
    set_properties(properties, row, travels=False, rates=True)
    assert dict(properties)[RECORD] is row
    assert "t2a.wer" in dict(properties)
