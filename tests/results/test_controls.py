"""The silence control: a recogniser that prints its list when nobody speaks fails the gate."""

from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.results.controls import silence_controls
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import result, transcript


def heard(text: str | None, *, error: str = "", condition: str = "whisper+bias") -> TaskResult:
    silence = {"error": error} if text is None else {"text": text, "terms": 2}
    told = replace(transcript(), offered=("nginx", "report_final.docx"), silence=silence)
    return result(condition=condition, spec="whisper+bias", heard=told)


def reasons(*rows: TaskResult) -> tuple[str, ...]:
    return decide_gate(rows, {}, (), inconclusive_passes=False).reasons


def test_a_condition_without_bias_has_no_control() -> None:
    assert silence_controls([result()]) == ()


def test_nothing_in_silence_is_right() -> None:
    (control,) = silence_controls([heard(""), heard("")])
    assert (control.terms, control.text, control.invented, control.reason) == (2, "", (), None)
    assert reasons(heard("")) == ()


def test_words_that_are_no_terms_are_shown_and_pass() -> None:
    (control,) = silence_controls([heard("Thank you.")])
    assert (control.text, control.invented, control.reason) == ("Thank you.", (), None)


def test_a_term_in_silence_fails_the_gate() -> None:
    assert reasons(heard("Nginx nginx.")) == ("whisper+bias: heard nginx in silence: it prints the terms it is given",)


def test_a_control_that_did_not_run_fails_the_gate() -> None:
    assert reasons(heard(None, error="no answer")) == ("whisper+bias: the silence control did not run: no answer",)
