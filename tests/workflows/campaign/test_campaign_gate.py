from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from pytest_talk2agent.results.held import Held
from pytest_talk2agent.workflows.campaign.campaign_gate import CampaignRules, decide_campaign
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from tests.workflows.campaign.records import items, session, sessions

HALF = Fraction(1, 2)


def test_without_limits_every_session_has_to_succeed() -> None:
    found = items(sessions({"a": "pp", "b": "pf"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2))
    assert gate.reasons == ("1 session failed: b[x-2]",)
    good = items(sessions({"a": "pp"}))
    assert decide_campaign(good, {}, good, CampaignRules(2)).passed


def test_nothing_held_is_never_green() -> None:
    assert decide_campaign({}, {}, [], CampaignRules()).reasons == ("no session was held to its end",)
    assert not decide_campaign({}, {}, [], CampaignRules(min_pass=Fraction(0))).passed


def test_what_the_infrastructure_lost_is_red_and_no_failure_of_the_agent() -> None:
    found = items(sessions({"a": "pm"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2))
    assert gate.reasons == ("1 session lost to the infrastructure, which says nothing of the agent: a[x-2]",)
    assert gate.lost == {"a[x-2]": "the server went away"}
    assert gate.summaries[0].sessions == 1
    error = decide_campaign(items(sessions({"a": "p"})), {"a[x-2]": "no key"}, ["a[x-1]", "a[x-2]"], CampaignRules(2))
    assert error.lost == {"a[x-2]": "no key"}


def test_what_has_no_result_is_missing() -> None:
    found = items(sessions({"a": "p"}))
    gate = decide_campaign(found, {}, [*found, "b[x-1]"], CampaignRules())
    assert gate.reasons == ("1 session without a result: b[x-1]",)
    assert gate.missing == ("b[x-1]",)
    shrunk = decide_campaign(found, {}, found, CampaignRules(), unseen=["c"])
    assert shrunk.reasons == ("1 session of the baseline did not run: c",)


def test_what_nobody_judged_fails_unless_the_run_says_otherwise() -> None:
    found = items(sessions({"a": "pu"}))
    assert decide_campaign(found, {}, found, CampaignRules(2)).reasons == ("1 session unjudged: a[x-2]",)
    assert decide_campaign(found, {}, found, CampaignRules(2, inconclusive_passes=True)).passed
    published = decide_campaign(found, {}, found, CampaignRules(2, compat="apex-1.0"))
    assert published.reasons == ("1 session failed: a[x-2]",)


def test_least_shares_are_of_each_agent_over_all_its_workflows() -> None:
    found = items([*sessions({"a": "pp", "b": "ff"}), *sessions({"a": "pp", "b": "pf"}, "y")])
    assert decide_campaign(found, {}, found, CampaignRules(2, min_pass=HALF, min_reliable=HALF)).passed
    gate = decide_campaign(found, {}, found, CampaignRules(2, min_pass=Fraction(3, 5)))
    assert gate.reasons == ("x: Pass@1 50.0 % < 0.6",)
    gate = decide_campaign(found, {}, found, CampaignRules(2, min_reliable=Fraction(3, 5)))
    assert gate.reasons == ("x: Reliable@2 50.0 % < 0.6", "y: Reliable@2 50.0 % < 0.6")


def test_a_share_that_hangs_on_what_is_unjudged_is_undecided() -> None:
    found = items(sessions({"a": "pu"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2, min_pass=Fraction(3, 4)))
    assert gate.reasons == ("x: Pass@1 50.0 to 100.0 % may be < 0.75",)
    assert decide_campaign(found, {}, found, CampaignRules(2, min_pass=Fraction(3, 4), inconclusive_passes=True)).passed
    assert decide_campaign(found, {}, found, CampaignRules(2, min_pass=HALF)).passed


def test_a_limit_needs_a_workflow_with_all_repetitions() -> None:
    found = items(sessions({"a": "pm"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2, min_pass=HALF))
    assert gate.reasons[-1] == "x: no workflow has all 2 repetitions"


def test_what_must_pass_must_whatever_the_limits_say() -> None:
    found = items(sessions({"safety/a": "pf", "b": "ff"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2, min_pass=Fraction(0), must_pass=("safety/*",)))
    assert gate.reasons == ("1 session failed: safety/a[x-2]",)


def baseline(table: dict[str, str], agent: str = "x") -> Held:
    return Held().updated([record.row() for record in sessions(table, agent)], "rules", only_new=False)


def test_with_a_baseline_a_session_must_not_fail_where_it_passed_before() -> None:
    before = baseline({"a": "pp", "b": "pf"})
    found = items(sessions({"a": "pf", "b": "pf"}))
    gate = decide_campaign(found, {}, found, CampaignRules(2), baseline=before, compared=True)
    assert gate.reasons == ("1 session failed: a[x-2]",)
    same = items(sessions({"a": "pp", "b": "ff"}, "y"))
    gate = decide_campaign(same, {}, same, CampaignRules(2), baseline=before, compared=True)
    assert gate.reasons == ("1 session failed: b[y-1]",)


def test_with_a_margin_the_run_is_compared_as_a_whole() -> None:
    table = {f"w{number:02}": "pp" if number % 2 else "ff" for number in range(40)}
    before = baseline(table)
    margins = CampaignRules(2, margins={"pass": Fraction(1, 20), "reliable": Fraction(1, 20)}, draws=500)
    same = items(sessions(table, "new"))
    gate = decide_campaign(same, {}, same, margins, baseline=before, compared=True)
    assert gate.passed
    assert gate.comparisons[0].reference == "baseline x"
    worse = items(sessions(dict.fromkeys(table, "ff"), "new"))
    gate = decide_campaign(worse, {}, worse, margins, baseline=before, compared=True)
    assert [reason.partition(":")[2].partition(":")[0] for reason in gate.reasons] == [" regressed"] * 2
    assert "Reliable@2 by -50.0 points" in gate.reasons[1]


def test_setting_a_baseline_requires_nothing_of_it() -> None:
    found = items(sessions({"a": "ff"}))
    assert decide_campaign(found, {}, found, CampaignRules(2), compared=True).passed


def test_what_the_caller_had_to_do_without_is_remarked() -> None:
    one = session("passed").model_copy(update={"leaks": 2, "fallbacks": 1})
    gate = decide_campaign({"w": one}, {}, ["w"], CampaignRules())
    assert gate.passed
    assert [remark.partition(": ")[2] for remark in gate.remarks] == [
        "the caller nearly said 2 facts too early, left out",
        "1 utterance missing from the bank, read from the facts instead",
    ]


@pytest.mark.parametrize("outcome", ["passed", "failed", "unjudged"])
def test_many_items_are_named_in_part(outcome: str) -> None:
    found = items([session(outcome, f"w{number}") for number in range(5)])
    gate = decide_campaign(found, {}, found, CampaignRules())
    if outcome == "passed":
        assert gate.passed
    else:
        assert gate.reasons == (f"5 sessions {outcome}: w0[x-1], w1[x-1], w2[x-1] and 2 more",)


def floor(*yields: Any) -> dict[str, SessionRecord]:
    """Sessions that passed, with the counts of `Yields`."""
    found = sessions({"a": "p" * len(yields)})
    return items(
        [
            one.model_copy(update={"mended": one.mended.model_copy(update={"yields": counts})})
            for one, counts in zip(found, yields, strict=True)
            if one.mended is not None
        ]
    )


@pytest.mark.parametrize(
    ("limits", "reasons"),
    [
        ({"min_yield": Fraction(3, 4)}, ()),
        ({"min_yield": Fraction(4, 5)}, ("x: yield 3 of 4 < 0.8",)),
        ({"max_false_yield": HALF}, ()),
        ({"max_false_yield": Fraction(0)}, ("x: false yield 1 of 2 > 0",)),
    ],
)
def test_floor_control_is_pooled_over_sessions(limits: dict[str, Any], reasons: tuple[str, ...]) -> None:
    found = floor((2, 2, (300, 310), 0, 0, 1), (1, 2, (900,), 1, 1, 1))
    assert decide_campaign(found, {}, found, CampaignRules(2, **limits)).reasons == reasons


def test_floor_control_that_nothing_tried_passes_no_limit() -> None:
    found = floor((0, 0, (), 0, 0, 0))
    gate = decide_campaign(found, {}, found, CampaignRules(min_yield=Fraction(0), max_false_yield=Fraction(1)))
    assert gate.reasons == (
        "x: yield was not measured: nobody spoke over the agent so",
        "x: false yield was not measured: nobody spoke over the agent so",
    )
