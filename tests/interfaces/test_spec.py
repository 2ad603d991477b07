from __future__ import annotations

import pickle
from dataclasses import dataclass

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from pytest_talk2agent.interfaces.spec import Spec, parse_spec, parse_specs, read_options, with_sound
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound


@pytest.mark.parametrize(
    ("text", "label", "name", "model"),
    [
        ("whisper", "whisper", "whisper", None),
        ("whisper:tiny.en", "whisper-tiny.en", "whisper", "tiny.en"),
        ("rc1=canary:./release.nemo", "rc1", "canary", "./release.nemo"),
        ("canary:./models/release.nemo", "canary-release", "canary", "./models/release.nemo"),
        ("whisper:./models/tiny.en", "whisper-tiny.en", "whisper", "./models/tiny.en"),
        ("whisper:Systran/faster-whisper-small", "whisper-faster-whisper-small", "whisper", None),
        ("transcripts:./a b/asr.jsonl", "transcripts-asr", "transcripts", "./a b/asr.jsonl"),
        ("command:./my-asr --beam=4 {audio}", "command-my-asr", "command", "./my-asr --beam=4 {audio}"),
        ("command:/opt/c++/asr+bias?x=1 {audio}", "command-asr+bias-x-1", "command", None),
        ("python:pkg.mod:function", "python-function", "python", "pkg.mod:function"),
        ("  text  ", "text", "text", None),
        ("a::b=text", "a-b-text", "a", ":b=text"),
        ("w:./c++/model", "w-model", "w", "./c++/model"),
    ],
)
def test_label_name_and_model(text: str, label: str, name: str, model: str | None) -> None:
    spec = parse_spec(text)
    assert (spec.label, spec.name) == (label, name)
    assert model is None or spec.model == model
    assert (spec.bias, spec.repair, spec.options) == (False, False, {})


def test_everything_at_once() -> None:
    text = "rc=canary:./a+b/release.nemo+bias+repair?beam_size=4&language=en"
    options = {"beam_size": "4", "language": "en"}
    assert parse_spec(text) == Spec(text, "rc", "canary", "./a+b/release.nemo", True, True, options)


def test_suffixes_stand_in_either_order_and_in_the_label() -> None:
    assert parse_spec("canary+repair+bias").label == parse_spec("canary+bias+repair").label == "canary+bias+repair"
    assert parse_spec("canary+bias").label == "canary+bias"


def test_a_whole_argument_keeps_what_looks_like_suffixes_and_options() -> None:
    spec = parse_spec("x=command+bias?timeout=60:./asr?a=b&c {audio}+repair")
    assert spec == Spec(spec.text, "x", "command", "./asr?a=b&c {audio}+repair", True, False, {"timeout": "60"})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no interface is named"),
        (":model", "no interface is named"),
        ("9canary", "no interface is named"),
        ("a/b=text", "the label 'a/b' may hold"),
        ("=text", "the label '' may hold"),
        ("whisper:", "no model behind ':'"),
        ("whisper+bais", "'\\+bais' is not understood \\(did you mean 'bias'\\?\\)"),
        ("whisper:tiny.en+bais", "'\\+bais' is no suffix \\(did you mean 'bias'\\?\\)"),
        ("whisper:tiny.en+b\nias", "'\\+b\\\\nias' is no suffix \\(did you mean 'bias'\\?\\)"),
        ("whisper:tiny.en+Repair?beam_size=2", "'\\+Repair' is no suffix \\(did you mean 'repair'\\?\\)"),
        ("whisper tiny.en", "' tiny.en' is not understood"),
        ("whisper+bias+bias", "\\+bias is given twice"),
        ("whisper?", "no option behind '\\?'"),
        ("whisper?beam", "option 'beam' has no value"),
        ("whisper?beam=", "option 'beam=' has no value"),
        ("whisper?=4", "option '=4' has no value"),
        ("whisper?a=1&a=2", "option 'a' is given twice"),
        ("whisper?a=1+bias", "\\+bias and \\+repair stand before '\\?'"),
        ("command", "command needs an argument"),
        ("python: ", "python needs an argument"),
        ("transcripts:", "transcripts needs an argument"),
    ],
)
def test_wrong_specs_say_what_is_wrong(text: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault) as caught:
        parse_spec(text)
    assert repr(text.strip()) in str(caught.value)


def test_labels_are_unique_in_a_run() -> None:
    assert [spec.label for spec in parse_specs(["b=text", "script", "whisper", "whisper+bias"])] == [
        "b",
        "script",
        "whisper",
        "whisper+bias",
    ]
    with pytest.raises(InterfaceError, match="have the same label 'whisper'; give one of them another: LABEL=whisper"):
        parse_specs(["whisper", "whisper?beam_size=5"])


@given(st.text(max_size=40))
def test_any_text_is_a_spec_with_a_safe_label_or_an_error(text: str) -> None:
    try:
        spec = parse_spec(text)
    except InterfaceError as error:
        message = str(error)
        event("refused")
    else:
        message = ""
        assert spec.label
        assert not set(spec.label) & set(":[]/ \n\t")
    assert "\n" not in message


def test_a_spec_travels() -> None:
    spec = parse_spec("whisper?beam_size=4")
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert hash(spec) == hash(parse_spec("whisper?beam_size=4"))


@dataclass(frozen=True)
class Options:
    beam_size: int = 1
    scale: float = 0.5
    language: str = "en"

    def __post_init__(self) -> None:
        if self.beam_size < 1:
            raise ValueError("option beam_size must be 1 or more")


def test_options_are_typed() -> None:
    assert read_options(parse_spec("x"), Options) == Options()
    assert read_options(parse_spec("x?scale=2&language=de&beam_size=4"), Options) == Options(4, 2.0, "de")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x?beam=4", "unknown option 'beam' \\(did you mean 'beam_size'\\?\\); known: beam_size, scale, language"),
        ("x?beam_size=four", "option beam_size must be a whole number, not 'four'"),
        ("x?beam_size=1.5", "option beam_size must be a whole number, not '1.5'"),
        ("x?scale=wide", "option scale must be a number, not 'wide'"),
        ("x?beam_size=0", "option beam_size must be 1 or more"),
    ],
)
def test_wrong_options_say_what_is_wrong(text: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        read_options(parse_spec(text), Options)


def test_a_condition_of_sound_stands_among_the_suffixes() -> None:
    spec = parse_spec("rc=whisper:./a+b/model+bias+sound=noise=./my+noises@5dB,phone+repair?beam_size=2")
    assert (spec.model, spec.bias, spec.repair, spec.options) == ("./a+b/model", True, True, {"beam_size": "2"})
    assert spec.sound is not None
    assert spec.sound.text == "noise=./my+noises@5dB,phone"
    assert parse_spec("whisper:tiny.en+sound=babble@5.0dB").label == "whisper-tiny.en+babble-5dB"
    assert parse_spec("command+sound=phone?timeout=60:./asr {audio}+sound=x").model == "./asr {audio}+sound=x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("whisper", "whisper+sound=phone"),
        ("a=whisper:tiny.en+bias?beam_size=2", "a+phone=whisper:tiny.en+bias+sound=phone?beam_size=2"),
        ("command?timeout=60:./asr {audio}", "command+sound=phone?timeout=60:./asr {audio}"),
        ("x=python:mod:function", "x+phone=python+sound=phone:mod:function"),
    ],
)
def test_a_spec_is_put_into_a_condition_of_sound(text: str, expected: str) -> None:
    assert with_sound(text, parse_sound("phone")) == expected
    before, after = parse_spec(text), parse_spec(expected)
    assert (after.name, after.model, after.options, after.bias) == (
        before.name,
        before.model,
        before.options,
        before.bias,
    )
    assert after.label == f"{before.label}+phone"
