from __future__ import annotations

from typing import Any

import pytest

from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.workflows.scoring.assertion_spec import Words
from pytest_talk2agent.workflows.scoring.course import Course, has_all, same_value, sentence, spans
from tests.workflows.scoring.phone_calls import PhoneCall


def words(**parts: Any) -> Words:
    return Words.model_validate(parts)


def is_said(text: str, /, **parts: Any) -> bool:
    return any(True for _ in spans(words(**parts), tokenise(text)))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("You pay $41.07 a month.", {"figure": "$41.07"}),
        ("You pay forty-one dollars and seven cents a month.", {"figure": "$41.07"}),
        ("That is 41 dollars and 7 cents.", {"figure": "41.07 dollars"}),
        ("It is 41.07 then.", {"figure": "$41.07"}),
        ("About forty one dollars.", {"figure": "$41.07", "tolerance": "0.10"}),
        ("It is forty-one oh seven a month.", {"figure": "$41.07"}),
        ("Forty-one dollars, seven cents.", {"figure": "$41.07"}),
        ("Two eighty thirty-five are due.", {"figure": "$280.35"}),
        ("The new one ends in five oh nine four.", {"code": "5094"}),
        ("It is fifty ninety-four.", {"code": "5094"}),
        ("It takes fourteen business days.", {"figure": 14}),
        ("It takes two weeks.", {"figure": "14 days"}),
        ("In twelve monthly installments.", {"figure": "12 installments"}),
        ("twenty-five percent now", {"figure": "25%"}),
        ("On November eleventh.", {"date": "2026-11-11"}),
        ("On 11 November 2026.", {"date": "2026-11-11"}),
        ("The card ending in four four two one.", {"code": "4421"}),
        ("Your number is R C dash two two one nine.", {"code": "RC-2219"}),
        ("Your number is RC-2219.", {"code": "RC-2219"}),
        ("I'll pass you on to a colleague.", {"text": "to a colleague"}),
        ("We can NOT extend it.", {"text": ["cannot extend", "can not extend"]}),
    ],
)
def test_words_are_heard_however_they_are_said(text: str, parts: dict[str, Any]) -> None:
    assert is_said(text, **parts)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("You pay forty-one dollars and seventy cents.", {"figure": "$41.07"}),
        ("You pay forty-one euros and seven cents.", {"figure": "41.07 USD"}),
        ("About forty dollars.", {"figure": "$41.07", "tolerance": "0.10"}),
        ("It takes fifteen business days.", {"figure": 14}),
        ("Within ten to fourteen business days.", {"figure": "10 business days"}),
        ("Forty-one dollars, seventy cents.", {"figure": "$41.07"}),
        ("It is four thousand one hundred seven.", {"figure": "$41.07"}),
        ("It is 4107.", {"figure": "$41.07"}),
        ("It is R C two two one nine.", {"code": "RO-2219"}),
        ("In twelve days.", {"figure": "12 installments"}),
        ("On November twelfth.", {"date": "2026-11-11"}),
        ("On 11 November 2027.", {"date": "2026-11-11"}),
        ("The card ending in four four one two.", {"code": "4421"}),
        ("A colleague passes.", {"text": "pass to a colleague"}),
    ],
)
def test_another_value_is_not_it(text: str, parts: dict[str, Any]) -> None:
    assert not is_said(text, **parts)


def test_only_what_was_delivered_before_the_cut_counts() -> None:
    call = PhoneCall().agent("Your balance is ten dollars and it is due on May fifth", "Your balance is ten dollars")
    course = Course(call.trace())
    assert [one.words for one in course.said(words(figure="$10"))] == ["ten dollars"]
    assert course.said(words(date="2026-05-05")) == []
    assert Course(PhoneCall().agent("Ten dollars", "").trace()).said(words(figure="$10")) == []


def test_the_caller_does_not_speak_for_the_agent() -> None:
    assert Course(PhoneCall().user("Is it ten dollars?").trace()).said(words(figure="$10")) == []


def test_a_phrase_is_heard_when_its_last_word_is() -> None:
    (said,) = Course(PhoneCall().user("hello").agent("now it is ten dollars today").trace()).said(words(figure="$10"))
    assert said.place == (600, 2)


def test_a_result_counts_while_it_is_in_force() -> None:
    call = PhoneCall().agent("It is 40.00 dollars.").tool("quote", {"plan": {"cents": 4000}})
    call.agent("It is 50.00 dollars.").tool("quote", {"plan": {"cents": 5000}})
    course = Course(call.trace())
    monthly = words(result="quote.plan.cents", **{"as": "cents"})
    assert course.said(monthly) == []  # each figure was said while the other one held
    assert course.results("quote.plan.cents") == [4000, 5000]
    call.agent("So it is fifty dollars.")
    assert [one.words for one in Course(call.trace()).said(monthly)] == ["fifty dollars"]


@pytest.mark.parametrize(
    ("result", "kind", "text"),
    [
        (12, "number", "twelve of them"),
        ("2026-11-11", "date", "on November eleventh"),
        ("RC-2219", "code", "R C two two one nine"),
        ("Alder Lane", "text", "at alder lane"),
        (4107, "cents", "41 dollars and 7 cents"),
    ],
)
def test_a_result_is_read_as_what_it_is(result: Any, kind: str, text: str) -> None:
    course = Course(PhoneCall().tool("look", {"list": [result]}).agent(text).trace())
    assert course.said(words(result="look.list.0", **{"as": kind}))


@pytest.mark.parametrize("result", [None, True, "no number", {"a": 1}])
def test_a_result_that_is_no_such_thing_is_never_said(result: Any) -> None:
    course = Course(PhoneCall().tool("look", {"x": result}).agent("one no number true").trace())
    assert course.said(words(result="look.x")) == []


def test_moments() -> None:
    call = PhoneCall().user("I want to pay", "pay").tool("find", ok=False).tool("find").agent("Done")
    course = Course(call.trace())
    assert course.moment("start") is not None
    assert course.moment("plan:pay").begin == (0, 1)  # type: ignore[union-attr]
    assert course.moment("tried:find").begin == (400, 2)  # type: ignore[union-attr]
    assert course.moment("tool:find").done == (500, 5)  # type: ignore[union-attr]
    assert course.moment("tool:pay") is None
    assert course.moment("end") is not None
    for cut in ({"end": "patience"}, {"end": "user", "hung_up": "had to wait"}, {"end": "turns"}, {"end": ""}):
        assert Course(call.trace(**cut)).moment("end") is None


def test_a_moment_may_ask_for_something_in_the_result() -> None:
    course = Course(PhoneCall().tool("verify", {"verified": False}).tool("verify", {"verified": True}).trace())
    assert course.moment("tool:verify").begin == (0, 1)  # type: ignore[union-attr]
    assert course.moment("tool:verify.verified").begin == (50, 3)  # type: ignore[union-attr]
    assert course.moment("tool:verify.name") is None


def test_the_sentence_around_a_phrase() -> None:
    text = "One moment. Is it frozen? It costs $4.50 now."

    def around(words: str) -> str:
        low, high = sentence(text, text.index(words), text.index(words) + len(words))
        return text[low:high].strip()

    assert around("frozen") == "Is it frozen?"
    assert around("moment") == "One moment."
    assert around("costs") == "It costs $4.50 now."


def test_values_and_arguments_are_compared_by_what_they_say() -> None:
    assert same_value({"a": [1, 2.0]}, {"a": [1.0, 2]})
    assert same_value(1, True)
    assert not same_value("1", 1)
    assert not same_value([1], [1, 2])
    assert has_all({"a": 1, "b": 2}, {"a": 1})
    assert not has_all(None, {"a": 1})
    assert has_all(None, {})
