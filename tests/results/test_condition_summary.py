"""What a run says of each condition: the silence control, and pairs of conditions on the same recordings."""

from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.condition_summary import Pair, pairs_of, silence_controls
from pytest_talk2agent.results.gate import decide_gate
from pytest_talk2agent.results.task_result import TaskResult
from tests.results.builders import CHANGED, KEPT, OMITTED, OPEN, judgement, result, transcript


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


KINDS = {"port": "number", "service": "term", "keep": "gist"}


def labelled(
    condition: str, port: Label, service: Label, keep: Label, *, task: str = "a", spec: str = ""
) -> TaskResult:
    judged = judgement({"port": port, "service": service, "keep": keep})
    return result(task, condition=condition, spec=spec or condition, judged=judged, kinds=KINDS)


def test_one_condition_is_compared_with_nothing() -> None:
    assert pairs_of([labelled("sphinx", KEPT, KEPT, KEPT)]) == ()


def test_benefit_and_harm_are_counted_by_kind() -> None:
    old, new = labelled("sphinx", CHANGED, KEPT, KEPT), labelled("whisper", KEPT, OMITTED, KEPT)
    assert pairs_of([old, new]) == (Pair("whisper", "sphinx", 1, {"number": 1}, {"term": 1}, 0),)


def test_what_is_unresolved_under_either_is_neither() -> None:
    (pair,) = pairs_of([labelled("sphinx", OPEN, KEPT, OPEN), labelled("whisper", KEPT, OPEN, OPEN)])
    assert (pair.benefit, pair.harm, pair.undecided) == ({}, {}, 2)


def test_one_loss_for_another_is_no_difference() -> None:
    (pair,) = pairs_of([labelled("sphinx", CHANGED, KEPT, KEPT), labelled("whisper", OMITTED, KEPT, KEPT)])
    assert (pair.benefit, pair.harm, pair.undecided) == ({}, {}, 0)


def test_tasks_of_one_id_in_two_files_are_two() -> None:
    first = [labelled("sphinx", CHANGED, KEPT, KEPT), labelled("whisper", KEPT, KEPT, KEPT)]
    second = [labelled("sphinx", KEPT, CHANGED, KEPT), labelled("whisper", KEPT, KEPT, KEPT)]
    moved = [replace(one, node=one.node.replace("tasks.yaml", "more.yaml")) for one in second]
    assert pairs_of([*first, *moved]) == (Pair("whisper", "sphinx", 2, {"number": 1, "term": 1}, {}, 0),)


def test_intentions_that_only_one_has_are_not_compared() -> None:
    other = result("a", condition="sphinx", spec="sphinx", judged=judgement({"port": CHANGED}))
    assert pairs_of([other, labelled("whisper", KEPT, OMITTED, OPEN)])[0].benefit == {"number": 1}


def test_only_recordings_that_both_heard_are_compared() -> None:
    rows = [labelled("sphinx", CHANGED, KEPT, KEPT, task="a"), labelled("whisper", KEPT, KEPT, KEPT, task="a")]
    rows.append(labelled("whisper", OMITTED, KEPT, KEPT, task="b"))
    assert pairs_of(rows)[0] == Pair("whisper", "sphinx", 1, {"number": 1}, {}, 0)


def test_a_suffix_is_compared_with_its_plain_form() -> None:
    plain, first = labelled("whisper:base", KEPT, KEPT, KEPT), labelled("sphinx", KEPT, KEPT, KEPT)
    biased = labelled("whisper:base+bias", CHANGED, KEPT, KEPT)
    pairs = {pair.condition: pair.against for pair in pairs_of([first, plain, biased])}
    assert pairs == {"whisper:base": "sphinx", "whisper:base+bias": "whisper:base"}


def test_a_suffix_without_its_plain_form_is_compared_with_the_first() -> None:
    rows = [labelled("sphinx", KEPT, KEPT, KEPT), labelled("whisper:base+bias", KEPT, KEPT, KEPT)]
    assert pairs_of(rows)[0].against == "sphinx"


def test_noise_is_no_suffix() -> None:
    rows = [
        labelled("clean", KEPT, KEPT, KEPT, spec="whisper"),
        labelled("noisy", CHANGED, KEPT, KEPT, spec="whisper?audio_snr_db=5"),
    ]
    rows.append(labelled("noisy+bias", KEPT, KEPT, KEPT, spec="whisper+bias?audio_snr_db=5"))
    assert [(p.condition, p.against) for p in pairs_of(rows)] == [("noisy", "clean"), ("noisy+bias", "noisy")]


def test_a_repair_is_compared_with_its_raw_transcripts_too() -> None:
    raw = judgement({"port": CHANGED, "service": KEPT, "keep": KEPT})
    judged = judgement({"port": KEPT, "service": CHANGED, "keep": KEPT})
    repaired = result(condition="r", spec="whisper+repair", judged=judged, raw=raw, kinds=KINDS)
    assert pairs_of([repaired]) == (Pair("r", "before repair", 1, {"number": 1}, {"term": 1}, 0),)
