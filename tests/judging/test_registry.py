from __future__ import annotations

import pytest

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.judge import JudgeError
from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.judging.lexical import NAME, VERSION, LexicalJudge, judge
from pytest_talk2agent.judging.registry import make_judge
from pytest_talk2agent.tasks.intention import Intention

CASE = Case("Open it.", "open it", {"it": Intention(say="open", kind="term")}, "open it")


def test_the_lexical_judge_is_built_in() -> None:
    made = make_judge("lexical")
    assert made.fingerprint == f"{NAME}/{VERSION}"
    assert made.judge(CASE) == judge(CASE)
    assert made.judge(CASE).judge == made.fingerprint


def test_a_registered_judge_is_made_with_its_argument() -> None:
    with pytest.raises(JudgeError, match="lexical takes no argument"):
        make_judge("mine:x", {"mine": "pytest_talk2agent.judging.lexical:make_judge"})
    made = make_judge("mine", {"mine": "pytest_talk2agent.judging.lexical:make_judge"})
    assert isinstance(made, LexicalJudge)


class Bare:
    """Knows nothing of `Judge`."""

    fingerprint = "bare/1"

    def judge(self, case: Case) -> Judgement:
        return Judgement({}, self.fingerprint)


def test_an_object_of_another_class_gets_the_defaults() -> None:
    made = make_judge("mine", {"mine": f"{__name__}:bare"})
    made.check()
    assert (made.fingerprint, made.concurrency, made.unlimited, made.quotes) == ("bare/1", 1, False, False)
    assert made.judge(CASE) == Judgement({}, "bare/1")


def test_what_cannot_judge_is_no_judge() -> None:
    with pytest.raises(JudgeError, match=r"^judge 'mine': what it made has no fingerprint or no judge\(\); see Judge$"):
        make_judge("mine", {"mine": f"{__name__}:nothing"})


def bare(argument: str | None) -> Bare:
    return Bare()


def nothing(argument: str | None) -> None:
    return None


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lexicl", "did you mean 'lexical'"),
        ("", "unknown judge ''"),
        ("lexical:fast", "takes no argument"),
    ],
)
def test_a_judge_that_cannot_be_had(spec: str, message: str) -> None:
    with pytest.raises(JudgeError, match=message):
        make_judge(spec)


def test_an_offer_that_cannot_be_imported() -> None:
    with pytest.raises(JudgeError, match="cannot import nowhere:make"):
        make_judge("mine", {"mine": "nowhere:make"})
