from __future__ import annotations

import pytest

from pytest_talk2agent.workflows.caller.requests import Satisfaction
from pytest_talk2agent.workflows.package.manner import manner_of

TWO = {
    "requests": [
        {"id": "freeze", "heard": ["frozen"], "refused": ["cannot freeze"]},
        {"id": "replace", "from_state": "SECOND", "heard": ["new card", r"\d+ days"]},
    ]
}


def call(*events: str, done: bool = True, gave_up: str = "") -> list[tuple[str, bool | None]]:
    following = Satisfaction(manner_of(TWO), "START")
    for event in events:
        if event.startswith("@"):
            following.enter(event[1:])
        else:
            following.hear(event)
    return [(one.request_id, one.satisfied) for one in following.verdicts(done=done, gave_up=gave_up)]


def test_a_caller_is_satisfied_by_what_it_hears_true_or_not() -> None:
    assert call("Your card is FROZEN now.", "@SECOND", "A new card comes", "in 14 days.") == [
        ("freeze", True),
        ("replace", True),
    ]


def test_a_request_counts_from_the_moment_it_is_made() -> None:
    assert call("A new card in 14 days.", "Frozen.") == [("freeze", True), ("replace", None)]
    assert call("A new card in 14 days.", "@SECOND") == [("freeze", False), ("replace", False)]


def test_a_refusal_is_taken_as_one_until_the_thing_is_said_to_be_done() -> None:
    assert call("I cannot freeze it.")[0] == ("freeze", False)
    assert call("I cannot freeze it.", "Now it is frozen.")[0] == ("freeze", True)
    assert call("It is frozen.", "No, I cannot freeze it.")[0] == ("freeze", False)


def test_without_requests_the_call_itself_is_one() -> None:
    following = Satisfaction(manner_of({}), "START")
    assert following.verdicts(done=True, gave_up="")[0].satisfied is False
    following.hear("Done.")
    assert following.verdicts(done=True, gave_up="")[0].satisfied is True
    assert following.verdicts(done=True, gave_up="silence")[0].reason == "silence"


@pytest.mark.parametrize(
    ("persona", "message"),
    [
        ({"patience": {"nudges": -1}}, r"persona: patience.nudges: .*greater than or equal to 0"),
        ({"patience": {"temper": 1}}, r"persona: patience.temper: "),
        ({"first_speaker": "nobody"}, r"persona: first_speaker: "),
        ({"requests": [{"id": "a", "heard": ["("]}]}, r"persona: request a: '\(' is no pattern"),
    ],
)
def test_a_wrong_manner_is_one_clear_line(persona: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        manner_of(persona)


def test_other_keys_of_a_persona_are_free() -> None:
    assert manner_of({"voice_id": "voice_03", "mood": {"a": 1}}).patience.nudges == 3
