from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.campaign.published import read_passes
from pytest_talk2agent.workflows.campaign.reliability import Passes, Reliability, reliability
from pytest_talk2agent.workflows.scoring.grade import Truth
from tests.workflows.apex_data import apex_json, apex_path

TOTALS = {
    "gpt-realtime": (85, (44, 13), {0: 76, 1: 16, 2: 15, 3: 13}, "15.0"),
    "grok-voice": (83, (50, 6), {0: 70, 1: 23, 2: 21, 3: 6}, "10.8"),
    "gemini-live": (49, (34, 2), {0: 86, 1: 21, 2: 11, 3: 2}, "4.7"),
    "gpt-live-1": (32, (19, 3), {0: 101, 1: 9, 2: 7, 3: 3}, "4.4"),
    "step-audio3": (9, (6, 1), {0: 114, 1: 4, 2: 1, 3: 1}, "1.1"),
}
WILSON = {  # Reliable@3 in per cent, section 7.6 of the notes
    "gpt-realtime": (6.4, 17.7),
    "grok-voice": (2.3, 10.5),
    "gemini-live": (0.5, 5.9),
    "gpt-live-1": (0.9, 7.1),
    "step-audio3": (0.1, 4.6),
}


@pytest.mark.parametrize("model", TOTALS)
def test_the_published_passes_give_the_published_totals(model: str) -> None:
    found = read_passes(apex_path("per_task.csv"))[model]
    passes, (any_, every), histogram, twice = TOTALS[model]
    assert (found.n, found.runs, found.passes, found.k) == (120, 360, passes, 3)
    assert found.pass_1.low == found.pass_1.high == Fraction(passes, 360)
    assert (found.pass_k.passed, found.reliable_k.passed) == (any_, every)
    assert found.histogram == histogram
    assert f"{float(100 * found.pass_hat(2).low):.1f}" == twice
    assert found.pass_hat(1).low == found.pass_1.low
    assert found.pass_hat(3).low == found.reliable_k.share.low
    low, high = found.reliable_k.interval
    assert (round(100 * low, 1), round(100 * high, 1)) == WILSON[model]


def test_full_precision_and_the_single_repetitions_agree_with_the_passes() -> None:
    published = apex_json("results.json")["models"]
    for model, found in read_passes(apex_path("per_task.csv")).items():
        row = published[model]
        assert {task: one.passed for task, one in found.workflows.items()} == row["k_of_n"]
        assert sum(row["rep_pass"].values()) == found.passes
        assert float(found.pass_1.low * 120) == row["pass1_mean"]
        assert (found.pass_k.passed, found.reliable_k.passed) == (row["pass_at_k"], row["reliable_at_k"])
        assert {str(number): count for number, count in found.histogram.items()} == row["distribution"]


def test_the_paper_prints_these_figures_rounded() -> None:
    printed = apex_json("paper_tables.json")["table2_reliability"]
    names = {row["display_name"]: model for model, row in apex_json("results.json")["models"].items()}
    columns = {"GPT-live-1": "gpt-live-1", "Grok-Voice-Think-2.0": "grok-voice", "Gemini-3.8-Live": "gemini-live"}
    columns |= {"GPT-realtime-2.1": names["GPT-realtime-2.1"], "Step-Audio3": "step-audio3"}
    results = read_passes(apex_path("per_task.csv"))
    for name, model in columns.items():
        found = results[model]
        shares = (found.pass_1.low, found.pass_k.share.low, found.reliable_k.share.low)
        assert [round(float(100 * share), 1) for share in shares] == printed[name][:3]


def test_forty_six_workflows_are_never_solved() -> None:
    results = read_passes(apex_path("per_task.csv")).values()
    never = [task for task in next(iter(results)).workflows if not any(one.workflows[task].passed for one in results)]
    assert len(never) == 46


def test_a_workflow_without_all_repetitions_does_not_count() -> None:
    found = reliability(
        {
            "A": dict.fromkeys(range(3), True),
            "B": {0: False, 1: True, 2: False},
            "C": dict.fromkeys(range(3), False),
            "D": {0: True},
        },
        k=3,
    )
    assert (found.n, found.runs, found.pass_k.passed, found.reliable_k.passed) == (3, 10, 2, 1)
    assert found.pass_1.low * found.n == Fraction(4, 3)
    assert found.histogram == {0: 1, 1: 1, 2: 0, 3: 1}
    assert found.incomplete == {"D": 1}


def test_two_of_three_is_seen_at_once_and_never_reliable() -> None:
    found = reliability({"flaky": {0: True, 1: False, 2: True}}, k=3)
    assert list(found.rank) == [1, 0, Fraction(2, 3)]
    assert found.flips == Fraction(2, 3)


outcomes = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=6)


@given(outcomes)
def test_what_is_open_spans_everything_that_it_may_turn_out_to_be(runs: list[Truth]) -> None:
    one = Passes.of(runs)
    all_failed, all_passed = ([value if value is not None else end for value in runs] for end in (False, True))
    for j in range(1, len(runs) + 1):
        pairs = [(one.every(j), all), (one.any(j), any)]
        for interval, rule in pairs:
            ends = []
            for settled in (all_failed, all_passed):
                draws = list(combinations(settled, j))
                ends.append(Fraction(sum(rule(draw) for draw in draws), len(draws)))
            assert [interval.low, interval.high] == ends


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=8))
def test_flips_are_the_share_of_pairs_that_differ(rows: list[list[bool]]) -> None:
    found = reliability({f"w{number}": dict(enumerate(row)) for number, row in enumerate(rows)}, k=3)
    pairs = [one != two for row in rows for one, two in combinations(row, 2)]
    assert found.flips == Fraction(sum(pairs), len(pairs))


def test_one_repetition_has_no_flips_and_no_pass_2() -> None:
    found = Reliability(1, {"w": Passes(1, 0, 1)}, {})
    assert found.flips is None
    with pytest.raises(ValueError, match=r"pass\^2 cannot be estimated from 1 repetitions"):
        found.pass_hat(2)


def test_an_unjudged_repetition_decides_nothing() -> None:
    found = reliability({"w": {0: True, 1: None, 2: True}, "x": {0: False, 1: None, 2: False}}, k=3)
    assert str(found.reliable_k) == "0 of 2, 1 unjudged"
    assert str(found.pass_k) == "1 of 2, 1 unjudged"
    assert (found.pass_1.low, found.pass_1.high) == (Fraction(1, 3), Fraction(2, 3))
    assert found.unjudged == 2
