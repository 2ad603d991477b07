from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.workflows.campaign.published import read_slices
from pytest_talk2agent.workflows.campaign.rates import NotApplicable, Rate
from pytest_talk2agent.workflows.campaign.record import SessionKey, SessionRecord, record_session
from pytest_talk2agent.workflows.campaign.summary import Uptake, ordered_labels, percentiles, slices, summarise
from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.scoring.artifacts import FieldCounts
from pytest_talk2agent.workflows.scoring.gates import score_session
from pytest_talk2agent.workflows.scoring.trace import DuplexEvent, RequestOutcome, Trace
from tests.workflows.apex_data import apex_json, apex_path
from tests.workflows.scoring.sessions import RIGHT, finished, form
from tests.workflows.toys import expense, load

MODELS = ("gpt-realtime", "grok-voice", "gemini-live", "gpt-live-1", "step-audio3")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return load(expense(), tmp_path)


def record(package: Package, name: str, repetition: int, trace: Trace | None = None) -> SessionRecord:
    key = SessionKey(
        package=name,
        package_sha256="a" * 64,
        agent="a",
        agent_sha256="b" * 64,
        repetition=repetition,
        seed=1,
        clock="virtual",
    )
    trace = trace or finished()
    scores = score_session(package, trace) if trace.state == "finished" else None
    return record_session(key, package, trace, scores)


WRONG = finished(**form(RIGHT | {"total_amount": 240}))
STALE = finished(**form(RIGHT, stale=("total_amount",)))
LOST = finished(state="infrastructure_failed", failure="the server went away")


def test_a_record_is_the_same_after_writing_and_reading(package: Package) -> None:
    for trace in (finished(), WRONG, LOST):
        one = record(package, "w", 0, trace)
        assert SessionRecord.from_json(one.to_json()) == one


def test_a_record_that_contradicts_itself_is_none(package: Package) -> None:
    one = record(package, "w", 0)
    with pytest.raises(ValueError, match="its scores do not go with its state"):
        SessionRecord.from_json(one.to_json() | {"mended": None})
    with pytest.raises(ValueError, match="schema 9"):
        SessionRecord.from_json(one.to_json() | {"schema_version": 9})


def test_outcomes(package: Package) -> None:
    open_ = finished(**form(RIGHT | {"trip_purpose": "to see a customer"}))
    rows = [record(package, "w", 0, trace) for trace in (finished(), WRONG, STALE, open_, LOST)]
    assert [row.outcome() for row in rows] == ["passed", "failed", "passed", "unjudged", "missing"]
    assert [row.outcome("apex-1.0") for row in rows] == ["passed", "failed", "failed", "failed", "missing"]
    with pytest.raises(ValueError, match="the session has no score: the server went away"):
        rows[-1].success()


def test_contracts_count_but_as_published(package: Package) -> None:
    row = record(package, "w", 0).model_copy(update={"contracts": ("twice",)})
    assert (row.outcome(), row.outcome("apex-1.0")) == ("failed", "passed")


def test_two_sessions_are_the_same_where_all_that_makes_them_is(package: Package) -> None:
    key = record(package, "w", 0).key
    assert key.digest == SessionKey.model_validate(key.model_dump()).digest
    changes: list[dict[str, Any]] = [{"repetition": 1}, {"seed": 2}, {"package_sha256": "c" * 64}, {"clock": "real"}]
    assert len({key.digest, *(key.model_copy(update=change).digest for change in changes)}) == 5


def test_an_agent_over_all_its_sessions(package: Package) -> None:
    rows = [
        *(record(package, "a", repetition) for repetition in range(3)),
        *(record(package, "b", repetition, trace) for repetition, trace in enumerate((WRONG, STALE, finished()))),
        record(package, "c", 0),
        record(package, "c", 1, LOST),
    ]
    mended, published = summarise("x", rows, 3), summarise("x", rows, 3, "apex-1.0")
    assert (mended.sessions, mended.missing, mended.reliability.n) == (7, 1, 2)
    assert mended.reliability.incomplete == {"c": 1}
    assert [str(one.reliability.reliable_k) for one in (mended, published)] == ["1 of 2", "1 of 2"]
    assert [one.reliability.passes for one in (mended, published)] == [5, 4]
    assert [str(one.gates["AV"]) for one in (mended, published)] == ["6 of 7", "5 of 7"]
    assert mended.afa == published.afa == Rate(34, 35)
    assert mended.uptake.corrected == Fraction(5, 7)
    assert (str(mended.uptake.value_wrong), str(mended.uptake.not_rewritten)) == ("1 of 7", "1 of 7")
    assert [str(one.linked) for one in (mended, published)] == ["1 of 1", "2 of 2"]
    assert not isinstance(mended.tool_use, NotApplicable)
    assert mended.tool_use.calls == {"a": 3, "b": 3}
    assert mended.tool_use.mean_ratio == Fraction(1, 7)


def test_what_no_session_has_is_typed_and_has_its_reason(package: Package) -> None:
    bare = package.model_copy(update={"policy": None})
    found = summarise("x", [record(bare, "a", 0, finished(events=[]))], 1)
    assert found.tool_use == NotApplicable("not declared", "no package with a reference has all repetitions")
    assert (found.stop_ms, found.linked) == (NotApplicable("no events"), NotApplicable("no events"))
    assert found.uptake.value_wrong == NotApplicable("no corrections")
    assert found.uptake.corrected is None
    assert summarise("x", [], 1).gates["TS"] == NotApplicable("no sessions")


def test_a_content_caller_and_wrong_work_is_false_acceptance(package: Package) -> None:
    content = [RequestOutcome(request_id="r1", satisfied=True)]
    unhappy = [RequestOutcome(request_id="r1", satisfied=False)]
    traces = [
        finished(requests=content),
        WRONG.model_copy(update={"requests": tuple(content)}),
        WRONG.model_copy(update={"requests": tuple(unhappy)}),
    ]
    rows = [record(package, "a", repetition, trace) for repetition, trace in enumerate(traces)]
    assert str(summarise("x", rows, 3).false_acceptance) == "1 of 2"


def test_containment_parts_right_from_wrong_transfers(package: Package) -> None:
    plain = record(package, "a", 0, finished())
    assert str(summarise("x", [plain], 1).containment).startswith("n/a (not declared")
    kinds = ("contained", "right transfer", "wrong transfer", "missed transfer", "contained", "abandoned")
    rows = [
        plain.model_copy(update={"handoff": kind, "asserted_requests": 2, "done_requests": number % 3})
        for number, kind in enumerate(kinds)
    ]
    summary = summarise("x", rows, 6)
    assert str(summary.containment) == "3 of 6"
    assert summary.handoffs == {
        "contained": 2,
        "abandoned": 1,
        "right transfer": 1,
        "wrong transfer": 1,
        "missed transfer": 1,
    }
    assert str(summary.requests_done).startswith("50.0 %")


def test_stops_pool_over_sessions(package: Package) -> None:
    events = [
        DuplexEvent(
            seq=1,
            media_ms=1,
            event_id="E1",
            type="MID_SPEECH_CORRECTION",
            expected="YIELD",
            onset_ms=1,
            yielded=True,
            stop_ms=ms,
        )
        for ms in (100, 300)
    ]
    rows = [record(package, "a", repetition, finished(events=[event])) for repetition, event in enumerate(events)]
    found = summarise("x", rows, 2)
    assert str(found.stop_ms) == "200.0, 290.0 (n=2)"
    assert (found.yields.given, found.yields.asked) == (2, 2)


def test_slices_have_the_published_order(package: Package) -> None:
    groups: dict[str, dict[str, object]] = {"small": {"a": 1}, "large": {"a": 1, "b": 1}, "also": {"c": 1}}
    assert ordered_labels("archetype", groups) == ["large", "also", "small"]
    risks = {"R2_CONSEQUENTIAL_ACTION": groups["large"], "R0_ROUTINE": groups["small"]}
    assert ordered_labels("risk", risks) == ["R0_ROUTINE", "R2_CONSEQUENTIAL_ACTION"]
    rows = [record(package, name, 0, trace) for name, trace in (("a", finished()), ("b", WRONG))]
    cells = {(cell.axis, cell.label): cell for cell in slices(rows)}
    form_fill = cells["archetype", "FORM_FILL"]
    assert (form_fill.n, form_fill.success.low, form_fill.afa) == (2, Fraction(1, 2), Rate(9, 10))
    assert ("approve", "APPROVE-gated") in cells
    assert cells["autonomy", "A3_APPROVAL_GATED_COMMIT"].n == 2


def test_percentiles_of_nothing_do_not_apply() -> None:
    assert percentiles([]) == NotApplicable("no events")


@pytest.mark.parametrize("model", MODELS)
def test_the_counts_behind_the_tables_give_the_published_figures(model: str) -> None:
    derived, published = apex_json("derived_counts.json"), apex_json("results.json")["models"][model]
    corrected, other = derived["corrected_instances"], derived["other_required_instances"]
    assert corrected + other == derived["graded_field_instances_per_model"] == 3 * derived["gold_fields"]
    counts = FieldCounts(
        passed=derived["pooled_afa_passed"][model],
        total=corrected + other,
        corrected=corrected,
        corrected_wrong=derived["missed_corrected"][model],
        other=other,
        other_wrong=derived["missed_other"][model],
    )
    uptake, duplex = Uptake(counts), published["duplex"]
    assert uptake.corrected is not None
    assert uptake.other is not None
    assert uptake.gap is not None
    figures = [float(100 * share) for share in (uptake.corrected, uptake.other, uptake.gap)]
    assert figures == pytest.approx([duplex["afa_corrected"], duplex["afa_other"], duplex["gap"]], abs=1e-9)
    linked = Rate(derived["correction_linked"][model], derived["av_fail_regraded"][model])
    stored = Rate(derived["correction_linked"][model], derived["av_fail_stored"][model])
    assert float(100 * linked.share.low) == pytest.approx(duplex["attrib_pct"], abs=1e-9)
    assert published["gate_total"]["WA"] - published["gate_pass"]["WA"] == stored.total
    missed = counts.corrected_wrong + counts.other_wrong
    assert missed - (counts.total - counts.passed) == derived["value_right_but_stale"][model]
    if derived["value_right_but_stale"][model]:
        at_most = replace(
            counts,
            corrected_wrong=counts.corrected_wrong - derived["value_right_but_stale"][model],
            corrected_stale=derived["value_right_but_stale"][model],
        )
        assert Uptake(at_most).corrected == uptake.corrected


def test_gates_are_the_paper_s() -> None:
    names = {
        "GPT-realtime-2.1": "gpt-realtime",
        "Grok-Voice-Think-2.0": "grok-voice",
        "Gemini-3.8-Live": "gemini-live",
        "GPT-live-1": "gpt-live-1",
        "Step-Audio3": "step-audio3",
    }
    published, printed = apex_json("results.json")["models"], apex_json("paper_tables.json")["table3_gates"]
    for name, model in names.items():
        rates = [
            Rate(published[model]["gate_pass"][gate], published[model]["gate_total"][gate])
            for gate in ("GS", "PC", "RA", "WA")
        ]
        assert [round(float(100 * one.share.low), 1) for one in rates] == printed[name][:4]


def test_slices_pool_to_the_totals_that_they_are_cut_from() -> None:
    derived = apex_json("derived_counts.json")
    rows = read_slices(apex_path("slices.csv"))
    for model in MODELS:
        for axis in sorted({row.axis for row in rows}):
            cells = [row for row in rows if (row.axis, row.model) == (axis, model)]
            successes = sum(round(cell.success * cell.n * 3) for cell in cells)
            assert (sum(cell.n for cell in cells), successes) == (120, derived["successes_regraded_slices"][model])
        archetypes = [row for row in rows if (row.axis, row.model) == ("archetype", model)]
        totals = derived["graded_instances_by_archetype"]
        passed = sum(round(cell.afa * totals[cell.label]) for cell in archetypes)
        assert (sum(totals.values()), passed) == (3711, derived["pooled_afa_passed"][model])
        labels = [row.label for row in archetypes]
        sizes: dict[str, dict[str, object]] = {row.label: dict.fromkeys(map(str, range(row.n))) for row in archetypes}
        assert labels == ordered_labels("archetype", sizes)
