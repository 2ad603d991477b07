from __future__ import annotations

from typing import Any

from pytest_talk2agent.judging.slots import find_slots
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.intention import Intention


def _slots(script: str, **intentions: dict[str, Any]) -> dict[str, str | None]:
    stream = tokenise(script)
    parsed = {name: Intention.model_validate(fields) for name, fields in intentions.items()}
    texts: dict[str, str | None] = {}
    for (name, number), slot in find_slots(parsed, stream).items():
        span = None if slot is None else stream.span(slot.start, slot.end)
        texts[f"{name}{number or ''}"] = None if span is None else script[span[0] : span[1]]
    return texts


def test_a_number_inside_another_value_is_not_a_slot() -> None:
    assert _slots(
        "at ten a m print two pages of draft underscore two dot t x t at minus two degrees celsius",
        pages={"say": "2", "kind": "number"},
        hour={"say": "10:00", "kind": "time"},
        file={"say": "draft_2.txt", "kind": "filename"},
        cold={"say": "-2 degrees celsius", "kind": "quantity"},
    ) == {
        "pages": "two",
        "hour": "ten a m",
        "file": "draft underscore two dot t x t",
        "cold": "minus two degrees celsius",
    }


def test_equal_values_are_given_out_in_the_order_of_the_task() -> None:
    stream = tokenise("from alpha to bravo and from bravo to alpha")
    say = {"a": "alpha", "b": "bravo", "c": "bravo", "d": "alpha"}
    slots = find_slots({name: Intention(say=(word,), kind="term") for name, word in say.items()}, stream)
    assert [slot.start for key in sorted(slots) if (slot := slots[key])] == [1, 3, 6, 8]


def test_the_items_of_a_list_have_slots_of_their_own() -> None:
    script = "open ports eighty, four forty three and eight eight eight three"
    assert _slots(script, open={"say": ["80", "443", "8883"], "kind": "number"}) == {
        "open": "eighty",
        "open1": "four forty three",
        "open2": "eight eight eight three",
    }


def test_a_value_taken_back_belongs_to_the_slot() -> None:
    script = "use port eighty, no, eighty ninety, and go on"
    assert _slots(script, port={"say": "8090", "kind": "number"}) == {"port": "eighty, no, eighty ninety"}


def test_a_word_that_is_explained_is_the_slot() -> None:
    script = "set it to jason for the log, that is j s o n, and wait"
    assert _slots(script, form={"say": "JSON", "kind": "choice"}) == {"form": "jason"}


def test_a_value_that_the_script_does_not_say_has_no_slot() -> None:
    assert _slots("open the door", file={"say": "a.txt", "kind": "filename"}) == {"file": None}
