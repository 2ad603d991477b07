from __future__ import annotations

import pytest

from tests.judging.policy import labels_of


@pytest.mark.parametrize(
    ("kind", "first", "second", "script"),
    [
        ("filename", "draft_15.md", "draft_5.md", "delete {} today, not {} please"),
        ("number", "8192", "64", "raise the file limit to {}, the pool to {} and wait"),
        ("number", "5", "7", "set the rate to {} and the depth to {} now"),
        ("term", "Firefox", "the built in player", "open pages with {}, or with {} if that fails"),
        ("path", "/srv/media/raw/take.wav", "/srv/done", "copy {} to {} now"),
        ("time", "20:00", "6:15 am", "keep the lamp on from {} to {} every day"),
        ("date", "4 October 2027", "9 May 2028", "block it from {} to {} for me"),
    ],
)
def test_swapped_values_are_both_changed(kind: str, first: str, second: str, script: str) -> None:
    wanted = {"a": {"say": first, "kind": kind}, "b": {"say": second, "kind": kind}}
    spoken = script.format(first, second)
    assert labels_of(wanted, spoken, spoken) == {"a": "retained", "b": "retained"}
    assert labels_of(wanted, spoken, script.format(second, first)) == {"a": "changed", "b": "changed"}


def test_a_value_in_the_place_of_a_lost_one_is_omitted_in_its_own() -> None:
    wanted = {"a": {"say": "staging", "kind": "term"}, "b": {"say": "production", "kind": "term"}}
    script = "copy the file from staging to production now"
    assert labels_of(wanted, script, "copy the file to staging now") == {"a": "omitted", "b": "changed"}


def test_a_value_in_both_places_is_changed_in_one() -> None:
    wanted = {"a": {"say": "pager@example.org", "kind": "email"}, "b": {"say": "pager@example.com", "kind": "email"}}
    script = "send alerts to pager at example dot org and stop sending them to pager at example dot com"
    heard = "send alerts to pager@example.com and stop sending them to pager@example.com"
    assert labels_of(wanted, script, heard) == {"a": "changed", "b": "retained"}


def test_clauses_that_changed_places_keep_their_values() -> None:
    wanted = {"a": {"say": "5", "kind": "number"}, "b": {"say": "7", "kind": "number"}}
    script = "set the rate of the pump to five and set the depth of the well to seven"
    heard = "set the depth of the well to seven and set the rate of the pump to five"
    assert labels_of(wanted, script, heard) == {"a": "retained", "b": "retained"}
