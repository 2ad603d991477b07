"""What each metric says of a result; the model-based ones with a scripted model."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

import pytest

from pytest_talk2agent.analysis.error_rates import Errors
from pytest_talk2agent.analysis.metrics import DEFAULT, Column, Tools, make_columns
from pytest_talk2agent.analysis.model_metrics import RubricQuestion
from pytest_talk2agent.results.task_result import TaskResult
from tests.analysis.scripted import Scripted
from tests.analysis.test_semdist import Compass
from tests.results.builders import interval, result, retention, transcript

WHISPER = f"whisper-english/{version('whisper-normalizer')}"


def item(said: str = "set the port", heard: str = "set a port") -> TaskResult:
    return replace(result(heard=transcript(heard)), said=said)


def column(name: str, *results: TaskResult, tools: Tools | None = None) -> Column:
    [found] = make_columns([name], results or [item()], tools)
    return found


@pytest.mark.parametrize(
    ("name", "score", "form"),
    [
        ("wer", Fraction(2, 3), WHISPER),
        ("cer", Fraction(3, 4), WHISPER),
        ("wer-verbatim", Fraction(2, 3), "verbatim/1"),
    ],
)
def test_error_rates(name: str, score: Fraction, form: str) -> None:
    found = column(name)
    assert (found.scores, found.form) == ([score], form)


def test_rates_are_not_clipped() -> None:
    assert column("wer-verbatim", item("a", "b c d")).scores == [-2]


@pytest.mark.parametrize("name", ["wer", "cer", "wer-verbatim"])
def test_an_empty_reference_has_no_score(name: str) -> None:
    # case C08
    found = column(name, item("", "thank you"))
    assert found.scores == [None]
    assert found.counts is not None
    assert found.counts[0].units == 0


@pytest.mark.parametrize("name", ["wer", "cer", "wer-verbatim"])
def test_chinese_counts_by_characters(name: str) -> None:
    assert column(name, item("打开文件。", "打开文档")).counts == [Errors(1, 4)]


def test_whisper_normalised() -> None:
    found = column("wer-whisper", item("set it to twenty percent", "Set it to 20%."))
    assert found.scores == [1]
    assert found.form.startswith("whisper-english/")


def test_retention_by_its_midpoint() -> None:
    kept = replace(retention(interval("0", "1"), interval("1/3")), flat=interval("1/4"))
    row = result(kept=kept)
    assert [c.scores for c in make_columns(["native", "shapley", "flat"], [row])] == [
        [Fraction(1, 2)],
        [Fraction(1, 3)],
        [Fraction(1, 4)],
    ]


def test_the_defaults_need_nothing() -> None:
    assert [one.name for one in make_columns(DEFAULT, [item()])] == list(DEFAULT)


def test_semdist_is_a_cosine() -> None:
    rows = [item("north", "north"), item("north", "east"), item("north", "")]
    found = column("semdist", *rows, tools=Tools(encoder=Compass))
    assert (found.scores, found.form) == ([1, 0, None], "name compass")


def test_answer_errors() -> None:
    made = {"questions": [{"question": f"q{n}", "answer": "a"} for n in range(3)]}
    model = Scripted(made, {"answers": ["a", "b", "c"]}, {"right": [True, False, False]})
    found = column("aer", tools=Tools(ask=model, model="m"))
    assert (found.scores, found.counts, found.form) == ([Fraction(1, 3)], [Errors(2, 3)], "aer/1, m")


def test_the_questions_of_a_reference_come_first_and_once() -> None:
    made = {"questions": [{"question": f"q{n}", "answer": "a"} for n in range(3)]}
    model = Scripted(made, {"answers": ["", "", ""]}, {"right": [False] * 3})
    column("aer", item(heard=""), item(heard=""), item(), tools=Tools(ask=model))
    assert ["text" in data and "questions" not in data for _, data, _ in model.asked] == [True, False, False]


def test_semantic_errors() -> None:
    answer = {"substitutions": 3, "deletions": 1, "insertions": 0, "reference_words": 32}
    found = column("semantic-wer", tools=Tools(ask=Scripted(answer), model="m"))
    assert (found.scores, found.form) == ([Fraction(7, 8)], "semantic-wer/1, m")


def test_rubrics_by_task() -> None:
    question = RubricQuestion("content", "?", {"no": 0, "half": 1, "yes": 2})
    rubrics = {"files/set-port": [question]}
    other = replace(item(), task="files/other")
    found = column("rubric", item(), other, tools=Tools(ask=Scripted({"chosen": ["half"]}), rubrics=rubrics))
    assert found.scores == [Fraction(1, 2), None]


def test_a_failing_answer_is_no_score() -> None:
    with pytest.raises(ValueError, match="Field required"):
        column("semantic-wer", item(), item(), tools=Tools(ask=Scripted({}, {}), concurrency=2))


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["native", "wr"], "no metric 'wr'; known: wer, wer-verbatim"),
        (["native", "native"], "'native' is named twice"),
        (["aer"], "'aer' needs a model"),
        (["semantic-wer"], "'semantic-wer' needs a model"),
        (["rubric"], "'rubric' needs a model"),
        (["semdist"], "'semdist' needs a sentence encoder"),
    ],
)
def test_what_is_missing_is_named(names: list[str], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        make_columns(names, [item()])
    if "rubric" in names:
        with pytest.raises(ValueError, match="needs rubric questions"):
            make_columns(names, [item()], Tools(ask=Scripted()))
