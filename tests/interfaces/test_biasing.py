"""How many terms are sent where an interface takes fewer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.interfaces.biasing import BiasLimit, Outcome, TermSwitches, fit, transcribe_by_phrases
from pytest_talk2agent.interfaces.spec import parse_spec, read_switches
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance

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


LIMIT = BiasLimit(3, "terms")


def one(task: str, *terms: str) -> Utterance:
    return Utterance(task, "1", "", "", terms=terms)


def lower(term: str) -> str | None:
    return term.lower() if term.isalpha() else None


class Passes:
    """Answers with task and phrases; keeps the passes."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], tuple[str, ...]]] = []

    def __call__(self, utterances: list[Utterance], phrases: tuple[str, ...]) -> list[Outcome]:
        tasks = [utterance.task for utterance in utterances]
        self.asked.append((tasks, phrases))
        return [Hypothesis(task, {"suspect": []}) if task != "bad" else TranscriptionError(task) for task in tasks]


def run(spec: str, *batch: Utterance) -> tuple[list[Outcome], Passes]:
    passes = Passes()
    return transcribe_by_phrases(parse_spec(spec), batch, LIMIT, lower, passes), passes


def test_without_bias_all_go_together_and_nothing_is_sent() -> None:
    results, passes = run("nemo:a.nemo", one("a"), one("b"))
    assert passes.asked == [(["a", "b"], ())]
    assert [result.sent for result in results if isinstance(result, Hypothesis)] == [None, None]


def test_those_of_one_list_share_a_pass_and_keep_their_places() -> None:
    batch = [one("a", "Nginx"), one("b"), one("c", "nginx"), one("bad", "red")]
    results, passes = run("nemo:a.nemo+bias", *batch)
    assert passes.asked == [(["a", "c"], ("nginx",)), (["b"], ()), (["bad"], ("red",))]
    assert results[:3] == [
        Hypothesis("a", {"suspect": []}, sent=("nginx",)),
        Hypothesis("b", {"suspect": []}, sent=()),
        Hypothesis("c", {"suspect": []}, sent=("nginx",)),
    ]
    assert str(results[3]) == "bad"


def test_terms_that_cannot_be_spelled_are_told() -> None:
    [result], passes = run("nemo:a.nemo+bias", one("a", "port 80", "Red", "red"))
    assert passes.asked == [(["a"], ("red",))]
    assert result == Hypothesis("a", {"suspect": [], "unspellable": ["port 80"]}, sent=("red",))


def test_too_many_terms_fail_their_one() -> None:
    [bad, good], passes = run("nemo:a.nemo+bias", one("a", *"wxyz"), one("b", "x"))
    assert isinstance(bad, TranscriptionError)
    assert "4 terms are 4 terms, nemo takes 3" in str(bad)
    assert isinstance(good, Hypothesis)
    assert passes.asked == [(["b"], ("x",))]
    [cut], _ = run("nemo:a.nemo+bias?terms_over=truncate", one("a", *"wxyz"))
    assert isinstance(cut, Hypothesis)
    assert cut.sent == ("w", "x", "y")
