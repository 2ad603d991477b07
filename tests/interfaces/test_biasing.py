"""How many terms are sent where an interface takes fewer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.interfaces.biasing import BiasLimit, TermSwitches, fit
from pytest_talk2agent.interfaces.spec import parse_spec, read_switches
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError, Utterance

PLAIN, CUT = parse_spec("canary+bias"), parse_spec("canary+bias?terms_over=truncate")


def utterance(*terms: str) -> Utterance:
    return Utterance("files/copy", "amy", "", "", terms=terms)


def letters(terms: Sequence[str]) -> int:
    return len(", ".join(terms))


def test_what_fits_is_sent() -> None:
    assert fit(PLAIN, utterance("a", "b"), BiasLimit(2, "terms")) == ("a", "b")
    assert fit(PLAIN, utterance(), BiasLimit(0, "terms")) == ()


def test_too_many_are_an_error() -> None:
    with pytest.raises(TranscriptionError) as caught:
        fit(PLAIN, utterance("a", "b", "c"), BiasLimit(2, "terms"))
    assert str(caught.value) == (
        "task 'files/copy': 3 terms are 3 terms, canary takes 2; lower terms_most, or send what fits with"
        " terms_over=truncate"
    )


def test_a_list_is_measured_in_the_unit_of_the_interface() -> None:
    with pytest.raises(TranscriptionError, match="2 terms are 12 characters, canary takes 11"):
        fit(PLAIN, utterance("nginx", "redis"), BiasLimit(11, "characters"), letters)


@given(st.lists(st.text("ab", min_size=1, max_size=9), max_size=20), st.integers(0, 60))
def test_truncation_sends_the_longest_head_that_fits(terms: list[str], most: int) -> None:
    sent = fit(CUT, utterance(*terms), BiasLimit(most, "characters"), letters)
    assert sent == tuple(terms[: len(sent)])
    assert letters(sent) <= most
    assert len(sent) == len(terms) or letters(terms[: len(sent) + 1]) > most


@pytest.mark.parametrize(
    ("option", "fault"),
    [
        ("terms_most=0", "terms_most must be at least 1"),
        ("terms_decoys=-1", "terms_decoys must not be negative"),
        ("terms_over=ignore", "terms_over must be error or truncate"),
        ("terms_mots=3", "unknown option 'terms_mots' \\(did you mean 'terms_most'\\?\\)"),
    ],
)
def test_a_wrong_switch_is_refused(option: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        read_switches(parse_spec(f"whisper+bias?{option}"), "terms_", TermSwitches)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        ("whisper?terms_most=3", r"option terms_most does nothing without \+bias or \+repair; add it"),
        ("whisper+bias?repair_with=phonetic", r"option repair_with does nothing without \+repair; add it"),
    ],
)
def test_a_switch_without_its_suffix_is_refused(spec: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        parse_spec(spec)


def test_switches_are_not_the_interfaces_options() -> None:
    spec = parse_spec("whisper+bias?beam_size=5&terms_most=3&audio_snr_db=5")
    assert spec.options == {"beam_size": "5"}
    assert spec.switches == {"terms_most": "3", "audio_snr_db": "5"}
