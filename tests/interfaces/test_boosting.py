from __future__ import annotations

from pytest_talk2agent.interfaces.biasing import BiasLimit
from pytest_talk2agent.interfaces.boosting import Outcome, transcribe_by_phrases
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError, Utterance

LIMIT = BiasLimit(3, "terms")


def utterance(task: str, *terms: str) -> Utterance:
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
    results, passes = run("nemo:a.nemo", utterance("a"), utterance("b"))
    assert passes.asked == [(["a", "b"], ())]
    assert [result.sent for result in results if isinstance(result, Hypothesis)] == [None, None]


def test_those_of_one_list_share_a_pass_and_keep_their_places() -> None:
    batch = [utterance("a", "Nginx"), utterance("b"), utterance("c", "nginx"), utterance("bad", "red")]
    results, passes = run("nemo:a.nemo+bias", *batch)
    assert passes.asked == [(["a", "c"], ("nginx",)), (["b"], ()), (["bad"], ("red",))]
    assert results[:3] == [
        Hypothesis("a", {"suspect": []}, sent=("nginx",)),
        Hypothesis("b", {"suspect": []}, sent=()),
        Hypothesis("c", {"suspect": []}, sent=("nginx",)),
    ]
    assert str(results[3]) == "bad"


def test_terms_that_cannot_be_spelled_are_told() -> None:
    [result], passes = run("nemo:a.nemo+bias", utterance("a", "port 80", "Red", "red"))
    assert passes.asked == [(["a"], ("red",))]
    assert result == Hypothesis("a", {"suspect": [], "unspellable": ["port 80"]}, sent=("red",))


def test_too_many_terms_fail_their_utterance() -> None:
    [bad, good], passes = run("nemo:a.nemo+bias", utterance("a", *"wxyz"), utterance("b", "x"))
    assert isinstance(bad, TranscriptionError)
    assert "4 terms are 4 terms, nemo takes 3" in str(bad)
    assert isinstance(good, Hypothesis)
    assert passes.asked == [(["b"], ("x",))]
    [cut], _ = run("nemo:a.nemo+bias?terms_over=truncate", utterance("a", *"wxyz"))
    assert isinstance(cut, Hypothesis)
    assert cut.sent == ("w", "x", "y")
