from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_talk2agent.judging.judge import Case, Judge, JudgeError
from pytest_talk2agent.judging.judgement import Finding, Judgement, Label
from pytest_talk2agent.judging.lexical import NAME, VERSION, LexicalJudge, judge
from pytest_talk2agent.judging.lexical import judge as lexical
from pytest_talk2agent.judging.registry import Cascade, make_judge
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.tasks.intention import Intention
from tests.judging.scripted import Scripted, data_in, fails, finding, says, scripted_server

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


pytest.importorskip("httpx")

SCRIPT = "open report underscore final dot doc x and set the port to eighty eighty"
INTENTIONS = {
    "file": Intention(say=("report_final.docx",), kind="filename"),
    "port": Intention(say=("8080",), kind="number"),
}
HEARD = "open report final.docx and set the port to 8081"
DOUBT = "report final.docx"


def case(transcript: str = HEARD) -> Case:
    return Case("Open report_final.docx and set the port to 8080.", SCRIPT, INTENTIONS, transcript, task="t")


class Second(Judge):
    """Gives what it was told to, and remembers what it was asked for."""

    fingerprint = "second/1"

    def __init__(self, findings: Mapping[str, Finding], *, quotes: bool = True) -> None:
        self.findings = findings
        self.quotes = quotes
        self.asked: list[list[str]] = []

    def judge(self, case: Case) -> Judgement:
        self.asked.append(list(case.intentions))
        return Judgement({name: self.findings[name] for name in case.intentions}, self.fingerprint, ("repetition",))


@pytest.fixture
def server() -> Iterator[Scripted]:
    with scripted_server(says({"file": finding("retained", DOUBT)})) as scripted:
        yield scripted


def test_the_cases_are_what_these_tests_take_them_for() -> None:
    assert lexical(case()).labels() == {"file": Label.UNRESOLVED, "port": Label.CHANGED}


def test_the_model_is_asked_for_what_is_unresolved_alone(server: Scripted) -> None:
    judge = make_judge(f"lexical+llm:tidy?base_url={server.url}&votes=1")
    judgement = judge.judge(case())
    assert judgement.labels() == {"file": Label.RETAINED, "port": Label.CHANGED}
    assert judgement.findings["port"] == lexical(case()).findings["port"]
    assert list(judgement.findings) == list(INTENTIONS)
    assert list(data_in(server.asked[0])["intentions"]) == ["file"]
    assert judgement.judge == judge.fingerprint
    assert judge.fingerprint.startswith("lexical/3+llm/2:tidy#")


def test_nothing_is_asked_where_nothing_is_unresolved(server: Scripted) -> None:
    judge = make_judge(f"lexical+llm:tidy?base_url={server.url}")
    judgement = judge.judge(case("open report_final.docx and set the port to 8081"))
    assert judgement.labels() == {"file": Label.RETAINED, "port": Label.CHANGED}
    assert judgement.judge == judge.fingerprint
    assert server.asked == []


def test_a_model_that_fails_is_an_error_and_the_doubt_no_label(server: Scripted) -> None:
    server.answers = [fails(400)]
    with pytest.raises(JudgeError, match="t: rejected"):
        make_judge(f"lexical+llm:tidy?base_url={server.url}").judge(case())


def test_store_and_frost_reach_the_model(server: Scripted, tmp_path: Path) -> None:
    judge = make_judge(f"lexical+llm:tidy?base_url={server.url}&votes=1")
    assert isinstance(judge, Cascade)
    judge.check()
    judge.keep_in(Store(tmp_path))
    first = judge.judge(case())
    judge.keep_in(Store(tmp_path), frozen=True)
    assert judge.judge(case()) == first
    with pytest.raises(JudgeError, match="frozen"):
        judge.judge(case(f"{HEARD} now"))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("opinion", "label"),
    [
        (Finding(Label.RETAINED, "", "", DOUBT, 5, 22), Label.RETAINED),
        (Finding(Label.RETAINED, "", "", "final.docx", 12, 22), Label.RETAINED),
        (Finding(Label.RETAINED, "", "", "open report final.docx and", 0, 26), Label.RETAINED),
        (Finding(Label.RETAINED, "", "", HEARD, 0, 47), Label.UNRESOLVED),
        (Finding(Label.RETAINED, "", "", "set the port", 27, 39), Label.UNRESOLVED),
        (Finding(Label.RETAINED, "", ""), Label.UNRESOLVED),
        (Finding(Label.UNRESOLVED, "the votes differ", "", DOUBT, 5, 22), Label.UNRESOLVED),
        (Finding(Label.CHANGED, "", "", "set the port", 27, 39), Label.CHANGED),
        (Finding(Label.OMITTED, "", ""), Label.OMITTED),
    ],
)
def test_a_model_may_call_retained_only_the_words_in_doubt(opinion: Finding, label: Label) -> None:
    second = Second({"file": opinion})
    judgement = Cascade(make_judge("lexical"), second).judge(case())
    assert judgement.labels() == {"file": label, "port": Label.CHANGED}
    assert second.asked == [["file"]]
    assert judgement.flags == ("repetition",)


def test_a_judge_that_quotes_nothing_has_the_last_word() -> None:
    second = Second({"file": Finding(Label.RETAINED, "labelled by a person", "report_final.docx")}, quotes=False)
    assert Cascade(make_judge("lexical"), second).judge(case()).labels()["file"] is Label.RETAINED


@pytest.mark.parametrize("spec", ["lexical+", "+llm:m", "lexical+llm", "lexicl+llm:m", "llm+lexical"])
def test_a_cascade_of_judges_that_cannot_be_had(spec: str) -> None:
    with pytest.raises(JudgeError, match="judge"):
        make_judge(spec)
