from __future__ import annotations

from typing import Any

import pytest

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention
from tests.judging.policy import labels_of

SCRIPT = "create the folder spring dash plan in slash srv slash docs, then put an empty index dot c s v into it"
WANTED = {
    "folder": Intention(say="spring-plan", kind="filename"),
    "parent": Intention(say="/srv/docs", kind="path"),
    "file": Intention(say="index.csv", kind="filename"),
}


def _judge(transcript: str) -> Judgement:
    return judge(Case(SCRIPT, SCRIPT, WANTED, transcript))


@pytest.mark.parametrize("transcript", ["", "   \n", "...", "[inaudible]", "[BLANK_AUDIO]", "(music)"])
def test_nothing_was_heard(transcript: str) -> None:
    judgement = _judge(transcript)
    assert {label.value for label in judgement.labels().values()} == {"omitted"}
    assert judgement.flags == ("empty_transcript",)


@pytest.mark.parametrize(
    "transcript",
    [
        "Sure! I've created the folder spring-plan in /srv/docs and added an empty index.csv to it.",
        "The folder spring-plan has been created in /srv/docs with an empty index.csv.",
        "I'm sorry, but I can't create the folder spring-plan in /srv/docs.",
        "Done. Is there anything else?",
        "Creating the folder spring-plan in /srv/docs now.",
        "Created the folder spring-plan in /srv/docs and added an empty index.csv to it.",
        "The folder spring-plan is now in /srv/docs, with an empty index.csv.",
        "Thanks for watching, and don't forget to subscribe!",
    ],
)
def test_an_answer_retains_nothing(transcript: str) -> None:
    judgement = _judge(transcript)
    assert {label.value for label in judgement.labels().values()} == {"omitted"}
    assert "answered" in judgement.flags


@pytest.mark.parametrize(
    "transcript",
    [
        "Soft light on the desk, a small moon that never sets, moths write their short poems.",
        "blorp fnord wibble quux snarf glarb tronk",
    ],
)
def test_another_text_retains_nothing_and_is_no_answer(transcript: str) -> None:
    judgement = _judge(transcript)
    assert {label.value for label in judgement.labels().values()} == {"omitted"}
    assert judgement.flags == ("other_text",)


@pytest.mark.parametrize(
    "transcript",
    [
        "Create the folder spring-plan in /srv/docs, then put an empty index.csv into it.",
        "I'll create the folder spring-plan in /srv/docs, then put an empty index.csv into it.",
        "Create the folder spring-plan in /srv/docs, then put an empty index.csv into it. Sure, I have done that.",
        "Okay, create the folder spring-plan in /srv/docs, then put an empty index.csv into it.",
    ],
)
def test_a_request_is_judged_as_usual(transcript: str) -> None:
    assert {label.value for label in _judge(transcript).labels().values()} == {"retained"}


def test_a_list_of_hot_words_is_no_request() -> None:
    judgement = _judge("spring-plan, /srv/docs, index.csv")
    assert {label.value for label in judgement.labels().values()} == {"omitted"}
    assert judgement.flags == ("word_list",)


def test_a_loop_retains_nothing_twice_and_is_flagged() -> None:
    judgement = _judge("Create the folder spring-plan in /srv/docs," + " in /srv/docs" * 20)
    assert judgement.flags == ("repetition",)
    assert {name: label.value for name, label in judgement.labels().items()} == {
        "folder": "retained",
        "parent": "retained",
        "file": "omitted",
    }


def test_text_beyond_the_source_is_flagged() -> None:
    beyond = (
        "and paint every window of the old harbour house green before the winter storms arrive from northern shores"
    )
    judgement = _judge(f"create the folder spring-plan in /srv/docs, then put an empty index.csv into it {beyond}")
    assert judgement.flags == ("inserted",)
    assert {label.value for label in judgement.labels().values()} == {"retained"}


def test_two_readings_in_brackets_are_unresolved() -> None:
    wanted: dict[str, dict[str, Any]] = {"n": {"say": "15", "kind": "number"}}
    assert labels_of(wanted, "set it to fifteen now", "set it to [inaudible, 15 or 50] now") == {"n": "unresolved"}
    assert labels_of(wanted, "set it to fifteen now", "set it to [inaudible] now") == {"n": "omitted"}


def test_a_clause_that_moved_is_found() -> None:
    wanted: dict[str, dict[str, Any]] = {
        "url": {"say": "https://example.com/live", "kind": "url"},
        "link": {"say": "remove the old link", "kind": "gist", "keywords": [["remove"], ["old link"]]},
    }
    script = "point the status page at example dot com slash live and remove the old link on the wall"
    heard = "remove the old link on the wall and point the status page at example.com/live"
    assert labels_of(wanted, script, heard) == {"url": "retained", "link": "retained"}


def test_a_word_that_is_said_again_as_a_name_is_no_stutter() -> None:
    script = 'Copy the totals to a new tab ("Tab2") of the ledger.'
    fields = {"tab": {"say": "Tab2", "kind": "term"}}
    assert labels_of(fields, script, "copy the totals to a new tab tab 2 of the ledger") == {"tab": "retained"}
    assert labels_of(fields, script, "copy the totals to a new new tab tab 2 of the ledger") == {"tab": "retained"}


def test_a_name_with_the_same_word_twice_is_no_stutter() -> None:
    script = "make PomPomLand the start page of the browser"
    fields = {"page": {"say": "PomPomLand", "kind": "term"}}
    assert labels_of(fields, script, "make Pom Pom Land the start page of the browser") == {"page": "retained"}
    assert labels_of(fields, script, "make PomPomLand the start page the start page of the browser") == {
        "page": "retained"
    }


@pytest.mark.parametrize(
    "script",
    [
        "Colour the labels for the shelf. To mark them well, use red for bolts and blue for nuts.",
        "Open the chart. To be exact, use red for the first line and blue for the second.",
    ],
)
def test_a_request_that_has_a_sentence_with_to_is_no_answer(script: str) -> None:
    fields = {"first": {"say": "red", "kind": "term"}, "second": {"say": "blue", "kind": "term"}}
    assert labels_of(fields, script, script) == {"first": "retained", "second": "retained"}
    assert labels_of(fields, script, script.replace("blue", "green")) == {"first": "retained", "second": "changed"}
