"""Pairs of conditions: benefit and harm on the same recordings."""

from __future__ import annotations

from dataclasses import replace

from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.pairs import Pair, pairs_of
from pytest_talk2agent.results.record import TaskResult
from tests.results.builders import CHANGED, KEPT, OMITTED, OPEN, judgement, result

KINDS = {"port": "number", "service": "term", "keep": "gist"}


def row(condition: str, port: Label, service: Label, keep: Label, *, task: str = "a", spec: str = "") -> TaskResult:
    judged = judgement({"port": port, "service": service, "keep": keep})
    return result(task, condition=condition, spec=spec or condition, judged=judged, kinds=KINDS)


def test_one_condition_is_compared_with_nothing() -> None:
    assert pairs_of([row("sphinx", KEPT, KEPT, KEPT)]) == ()


def test_benefit_and_harm_are_counted_by_kind() -> None:
    old, new = row("sphinx", CHANGED, KEPT, KEPT), row("whisper", KEPT, OMITTED, KEPT)
    assert pairs_of([old, new]) == (Pair("whisper", "sphinx", 1, {"number": 1}, {"term": 1}, 0),)


def test_what_is_unresolved_under_either_is_neither() -> None:
    (pair,) = pairs_of([row("sphinx", OPEN, KEPT, OPEN), row("whisper", KEPT, OPEN, OPEN)])
    assert (pair.benefit, pair.harm, pair.undecided) == ({}, {}, 2)


def test_one_loss_for_another_is_no_difference() -> None:
    (pair,) = pairs_of([row("sphinx", CHANGED, KEPT, KEPT), row("whisper", OMITTED, KEPT, KEPT)])
    assert (pair.benefit, pair.harm, pair.undecided) == ({}, {}, 0)


def test_tasks_of_one_id_in_two_files_are_two() -> None:
    first = [row("sphinx", CHANGED, KEPT, KEPT), row("whisper", KEPT, KEPT, KEPT)]
    second = [row("sphinx", KEPT, CHANGED, KEPT), row("whisper", KEPT, KEPT, KEPT)]
    moved = [replace(one, node=one.node.replace("tasks.yaml", "more.yaml")) for one in second]
    assert pairs_of([*first, *moved]) == (Pair("whisper", "sphinx", 2, {"number": 1, "term": 1}, {}, 0),)


def test_intentions_that_only_one_has_are_not_compared() -> None:
    other = result("a", condition="sphinx", spec="sphinx", judged=judgement({"port": CHANGED}))
    assert pairs_of([other, row("whisper", KEPT, OMITTED, OPEN)])[0].benefit == {"number": 1}


def test_only_recordings_that_both_heard_are_compared() -> None:
    rows = [row("sphinx", CHANGED, KEPT, KEPT, task="a"), row("whisper", KEPT, KEPT, KEPT, task="a")]
    rows.append(row("whisper", OMITTED, KEPT, KEPT, task="b"))
    assert pairs_of(rows)[0] == Pair("whisper", "sphinx", 1, {"number": 1}, {}, 0)


def test_a_suffix_is_compared_with_its_plain_form() -> None:
    plain, first = row("whisper:base", KEPT, KEPT, KEPT), row("sphinx", KEPT, KEPT, KEPT)
    biased = row("whisper:base+bias", CHANGED, KEPT, KEPT)
    pairs = {pair.condition: pair.against for pair in pairs_of([first, plain, biased])}
    assert pairs == {"whisper:base": "sphinx", "whisper:base+bias": "whisper:base"}


def test_a_suffix_without_its_plain_form_is_compared_with_the_first() -> None:
    rows = [row("sphinx", KEPT, KEPT, KEPT), row("whisper:base+bias", KEPT, KEPT, KEPT)]
    assert pairs_of(rows)[0].against == "sphinx"


def test_noise_is_no_suffix() -> None:
    rows = [
        row("clean", KEPT, KEPT, KEPT, spec="whisper"),
        row("noisy", CHANGED, KEPT, KEPT, spec="whisper?audio_snr_db=5"),
    ]
    rows.append(row("noisy+bias", KEPT, KEPT, KEPT, spec="whisper+bias?audio_snr_db=5"))
    assert [(p.condition, p.against) for p in pairs_of(rows)] == [("noisy", "clean"), ("noisy+bias", "noisy")]


def test_a_repair_is_compared_with_its_raw_transcripts_too() -> None:
    raw = judgement({"port": CHANGED, "service": KEPT, "keep": KEPT})
    judged = judgement({"port": KEPT, "service": CHANGED, "keep": KEPT})
    repaired = result(condition="r", spec="whisper+repair", judged=judged, raw=raw, kinds=KINDS)
    assert pairs_of([repaired]) == (Pair("r", "before repair", 1, {"number": 1}, {"term": 1}, 0),)
