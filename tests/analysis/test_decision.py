"""A run against its baseline: the numbers, and the one verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pytest_talk2agent.analysis.decision import compare, decide_run
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.results.baseline import Baseline, BaselineError
from pytest_talk2agent.results.comparison import Change, Comparison, Difference
from pytest_talk2agent.results.entry import Entry
from pytest_talk2agent.results.task_result import TaskResult, Visible
from pytest_talk2agent.results.verdict import Outcome, Rules
from tests.results.builders import (
    CHANGED,
    KEPT,
    OMITTED,
    OPEN,
    baseline,
    interval,
    judgement,
    limits,
    result,
    retention,
    transcript,
)

MARGIN = {"native": Fraction(1, 20), "shapley": Fraction(1, 20), "lost": Fraction(1, 20)}
STRICT = dict.fromkeys(MARGIN, Fraction(0))
KINDS = {"port": "number", "service": "term"}
DRAWS = 1000


def item(
    task: str,
    port: Label = KEPT,
    service: Label = KEPT,
    *,
    take: str = "amy",
    condition: str = "whisper-tiny.en",
    polarity: str = "normal",
    heard: str | None = None,
) -> TaskResult:
    """An item with two intentions of half the value each; transcripts differ where labels do."""
    labels = {"port": port, "service": service}
    low = Fraction(sum(label is KEPT for label in labels.values()), 2)
    scores = interval(str(low), str(low + Fraction(sum(label is OPEN for label in labels.values()), 2)))
    text = " ".join(label.value for label in labels.values()) if heard is None else heard
    return result(
        task,
        take=take,
        condition=condition,
        polarity=polarity,
        judged=judgement(labels),
        kept=retention(scores, scores),
        kinds=KINDS,
        heard=transcript(text),
        held_to=limits(),
    )


def suite(count: int, *lossy: int, label: Label = CHANGED) -> list[TaskResult]:
    """Single takes of so many tasks, some of which lose their port."""
    return [item(f"t{number:02}", label if number in lossy else KEPT) for number in range(count)]


def compared(
    before: Sequence[TaskResult], after: Sequence[TaskResult], margin: Mapping[str, Fraction] = MARGIN
) -> Comparison:
    rules = Rules(margin=margin, draws=DRAWS)
    (found,) = compare(baseline(Path("before"), *before), baseline(Path("after"), *after), rules)
    return found


def metric(found: Comparison, name: str) -> Difference:
    (row,) = (row for row in found.differences if row.metric == name)
    return row


def test_a_run_that_heard_the_same_has_not_regressed_whatever_the_margin() -> None:
    found = compared(suite(5, 1), suite(5, 1), STRICT)
    assert found.change is Change.NOT_REGRESSED
    for row in found.differences:
        assert row.difference == (0, 0)
        assert row.interval == (0, 0)


def test_the_means_and_the_difference() -> None:
    found = compared(suite(10, 0), suite(10, 0, 1, 2))
    native, lost = metric(found, "native"), metric(found, "lost")
    assert native.before == pytest.approx((0.95, 0.95))
    assert native.after == pytest.approx((0.85, 0.85))
    assert native.difference == pytest.approx((-0.1, -0.1))
    assert lost.difference == pytest.approx((0.1, 0.1)), "a share of intentions, and more of it is worse"


def test_a_large_loss_is_a_regression_of_all_three() -> None:
    found = compared(suite(30), suite(30, *range(15)))
    assert {row.change for row in found.differences} == {Change.REGRESSED}
    assert found.change is Change.REGRESSED


def test_a_small_loss_in_few_tasks_is_undecided_and_says_what_would_decide() -> None:
    native = metric(compared(suite(30), suite(30, 3)), "native")
    assert native.change is Change.UNDECIDED
    assert native.needed is not None
    assert native.needed.tasks is not None
    assert native.needed.tasks > 30


def test_a_gain_has_not_regressed() -> None:
    assert compared(suite(30, *range(15)), suite(30), STRICT).change is Change.NOT_REGRESSED


def test_without_a_margin_there_are_numbers_and_no_verdict() -> None:
    found = compared(suite(30), suite(30, *range(15)), {})
    assert found.change is None
    assert metric(found, "native").interval is not None
    assert not any(kind.regressed for kind in found.kinds)


def test_a_metric_that_the_margin_does_not_name_decides_nothing() -> None:
    found = compared(suite(30), suite(30, *range(15)), {"native": Fraction(1)})
    assert metric(found, "lost").change is None
    assert found.change is Change.NOT_REGRESSED


def test_one_task_is_too_few() -> None:
    native = metric(compared(suite(1), suite(1, 0)), "native")
    assert (native.interval, native.change) == (None, Change.UNDECIDED)


def test_one_task_is_enough_where_nothing_differs() -> None:
    assert compared(suite(1, 0), suite(1, 0), STRICT).change is Change.NOT_REGRESSED


def takes(count: int, *lossy: int, many: Mapping[int, int] | None = None) -> list[TaskResult]:
    """Five takes of each task, or as many as ``many`` says."""
    return [replace(row, take=f"v{take}") for number, row in enumerate(suite(count, *lossy))
            for take in range((many or {}).get(number, 5))]  # fmt: skip


def test_takes_of_a_task_are_no_further_tasks() -> None:
    once, five = compared(suite(20), suite(20, 3, 4)), compared(takes(20), takes(20, 3, 4))
    assert (once.items, five.items, five.tasks) == (20, 100, 20)
    assert metric(five, "native").interval == metric(once, "native").interval


def test_a_task_counts_once_however_many_takes_it_has() -> None:
    many = {0: 40}
    found = compared(takes(10, many=many), takes(10, 0, many=many))
    assert metric(found, "native").difference == pytest.approx((-0.05, -0.05))


def test_unresolved_labels_may_fall_out_either_way() -> None:
    native = metric(compared(suite(10), suite(10, 0, 1, label=OPEN)), "native")
    assert native.after == pytest.approx((0.9, 1.0))
    assert native.difference == pytest.approx((-0.1, 0.0))
    assert native.interval is not None
    assert native.interval[0] < -0.1
    assert native.interval[1] == pytest.approx(0.0)


def test_unresolved_on_both_sides_is_worst_against_best() -> None:
    before = [item("a", OPEN, heard="x"), item("b")]
    after = [item("a", OPEN, heard="y"), item("b")]
    assert metric(compared(before, after), "native").difference == pytest.approx((-0.25, 0.25))


def test_what_was_heard_alike_does_not_differ_though_it_is_unresolved() -> None:
    rows = suite(10, 0, 1, label=OPEN)
    assert compared(rows, rows, STRICT).change is Change.NOT_REGRESSED


def test_labels_alone_can_leave_it_open() -> None:
    native = metric(compared(suite(30), suite(30, *range(20), label=OPEN)), "native")
    assert native.change is Change.UNDECIDED
    assert native.needed is not None
    assert native.needed.labels


def test_items_of_reversed_polarity_enter_no_mean_of_scores() -> None:
    before, after = suite(5), suite(5)
    found = compared([*before, item("r", polarity="reversal")], [*after, item("r", CHANGED, polarity="reversal")])
    assert metric(found, "native").difference == (0, 0)
    assert (metric(found, "native").tasks, metric(found, "lost").tasks) == (5, 6)
    assert metric(found, "lost").difference == pytest.approx((1 / 12, 1 / 12))


def test_items_that_only_one_side_has_enter_nothing_and_are_counted() -> None:
    found = compared(suite(10, *range(5)), [*suite(10)[4:], item("new", OMITTED)])
    assert (found.items, found.only_before, found.only_after) == (6, 4, 1)
    assert metric(found, "native").before == pytest.approx((11 / 12, 11 / 12))


def test_all_numbers_lost_is_a_regression_of_that_kind_alone() -> None:
    found = compared(suite(30), suite(30, *range(30), label=OMITTED), {"lost": Fraction(9, 10)})
    number, term = found.kinds
    assert (number.kind, number.lost_before, number.lost_after, number.worse, number.better) == ("number", 0, 30, 30, 0)
    assert number.regressed
    assert number.adjusted == pytest.approx(2 / 2**30)
    assert (term.worse, term.regressed, term.adjusted) == (0, False, 1.0)
    assert metric(found, "lost").change is Change.NOT_REGRESSED, "the margin of the mean is not reached"
    assert found.change is Change.REGRESSED


def test_a_kind_that_is_only_a_little_worse_has_not_regressed() -> None:
    found = compared(suite(30), suite(30, *range(4)), {"lost": Fraction(1, 2)})
    assert not found.kinds[0].regressed
    assert found.kinds[0].adjusted == pytest.approx(1 / 8)


def test_takes_of_a_task_are_one_piece_of_evidence_on_a_kind() -> None:
    found = compared(takes(3), takes(3, 0, 1, 2))
    assert found.kinds[0].worse == 15
    assert found.kinds[0].p == pytest.approx(1 / 8)


def test_unresolved_intentions_are_no_evidence_on_a_kind() -> None:
    number = compared(suite(10), suite(10, 0, 1, label=OPEN)).kinds[0]
    assert (number.worse, number.undecided, number.p) == (0, 2, 1.0)


def unscored(rows: Sequence[TaskResult]) -> Baseline:
    """As a file from which the scores of the first item were taken out."""
    base = baseline(Path("edited.json"), *rows)
    (name, entries), first = next(iter(base.items.items())), f"{rows[0].task}[{rows[0].take}]"
    edited = {**entries, first: replace(entries[first], native=None, shapley=None, scored=False)}
    return replace(base, items={name: edited})


def test_a_score_that_only_one_side_has_is_refused() -> None:
    with pytest.raises(BaselineError, match=r"^edited\.json: t00\[amy\]: no native, shapley in the baseline; the task"):
        compare(unscored(suite(3)), baseline(Path("new"), *suite(3, 0)), Rules(draws=DRAWS))
    with pytest.raises(BaselineError, match=r"^old: t00\[amy\]: native, shapley only in the baseline; the task is the"):
        compare(baseline(Path("old"), *suite(3)), unscored(suite(3)), Rules(draws=DRAWS))


def test_an_entry_of_another_condition_is_found_by_its_spec() -> None:
    candidate = [replace(row, condition="rc", spec="whisper:./rc") for row in suite(3)]
    (found,) = compare(baseline(Path("a"), *suite(3)), baseline(Path("b"), *candidate), Rules(draws=DRAWS))
    assert (found.condition, found.reference) == ("rc", "whisper-tiny.en")


class TestRun:
    """One verdict from items, means, shares and the comparison."""

    def decide(self, rows: Sequence[TaskResult], rules: Rules, *before: TaskResult) -> tuple[str, ...]:
        base = baseline(Path("base.json"), *before) if before else None
        return decide_run(rows, {}, [row.node for row in rows], replace(rules, draws=DRAWS), baseline=base).reasons

    def test_without_rules_it_is_the_gate(self) -> None:
        assert self.decide(suite(3, 0), Rules()) == ()
        assert self.decide([], Rules()) == ("nothing was judged",)

    def test_a_regression_is_a_reason(self) -> None:
        reasons = self.decide(suite(30, *range(15)), Rules(margin=MARGIN), *suite(30))
        assert [reason.partition(" by")[0] for reason in reasons] == [
            "whisper-tiny.en: regressed: native",
            "whisper-tiny.en: regressed: shapley",
            "whisper-tiny.en: regressed: lost",
            "whisper-tiny.en: regressed: number intentions lost 0 -> 15 of 30 (p = 6.1e-05, adjusted for all kinds)",
        ]

    def test_an_undecided_one_counts_as_the_rules_say(self) -> None:
        rules = Rules(margin=MARGIN)
        assert len(self.decide(suite(30, 0, 1), rules, *suite(30))) == 3
        lenient = replace(rules, inconclusive_passes=True, draws=DRAWS)
        gate = decide_run(suite(30, 0, 1), {}, (), lenient, baseline=baseline(Path("base.json"), *suite(30)))
        assert gate.passed
        assert [remark.partition(": about")[0] for remark in gate.remarks] == [
            "whisper-tiny.en: native, shapley, lost undecided"
        ]
        assert gate.rules is lenient

    def test_where_the_comparison_alone_closes_the_gate_it_says_so(self) -> None:
        rules = Rules(margin=MARGIN, draws=DRAWS)
        base = baseline(Path("base.json"), *suite(30))
        remark = "every item passed by itself; what closes the gate is the comparison"
        gates = [
            decide_run(suite(30, *range(15)), {}, (), rules, baseline=base),  # regressed
            decide_run(suite(30, 0, 1), {}, (), rules, baseline=base),  # undecided
            decide_run(suite(30), {}, (), rules, baseline=base),  # neither
            decide_run(suite(30, 0, 1), {"x": "broken"}, (), rules, baseline=base),  # an item is broken too
        ]
        assert [gate.passed for gate in gates] == [False, False, True, False]
        assert [any(one.startswith(remark) for one in gate.remarks) for gate in gates] == [True, True, False, False]

    def test_a_condition_without_terms_is_remarked(self) -> None:
        seen = Visible((), (), None, checked=True)
        rows = [
            replace(row, visible=seen, transcript=replace(row.transcript, offered=("a",) * (number > 1)))
            for number, row in enumerate(suite(3))
        ]
        (remark,) = decide_run(rows, {}, (), Rules()).remarks
        assert remark.startswith("whisper-tiny.en: no terms for 2 of its 3 tasks (")
        assert decide_run(suite(3), {}, (), Rules()).remarks == ()

    def test_without_a_margin_nothing_is_compared(self) -> None:
        assert self.decide(suite(30, *range(15)), Rules(), *suite(30)) == ()

    def test_an_item_that_trades_one_loss_for_another_is_remarked(self) -> None:
        before = [item("a", service=CHANGED), item("b", service=CHANGED), item("c", service=OPEN), item("d")]
        now = [item("a", port=CHANGED), item("b", service=OMITTED), item("c", service=CHANGED), item("d", port=CHANGED)]
        base = baseline(Path("base.json"), *before)
        rows = [
            replace(
                row,
                limits=replace(row.limits, baseline=base.items[row.condition][row.key].intervals()),
                verdict=replace(row.verdict, outcome=outcome),
            )
            for row, outcome in zip(now, [*[Outcome.PASSED] * 3, Outcome.FAILED], strict=True)
        ]
        said = "1 item passes by its scores and loses what the baseline had retained: a[whisper-tiny.en-amy] (port)"
        assert decide_run(rows, {}, (), Rules(), baseline=base).remarks == (said,)
        assert said not in decide_run(rows, {}, (), Rules(margin=MARGIN, draws=DRAWS), baseline=base).remarks
        assert decide_run(rows, {}, (), Rules()).remarks == ()
        many = decide_run([rows[0]] * 5, {}, (), Rules(), baseline=base).remarks[-1]
        assert many.startswith("5 items pass by their scores and lose what the baseline had retained: a[")
        assert many.endswith(" (port) and 2 more")

    def test_conditions_that_the_baseline_lacks_may_be_new(self) -> None:
        rows = [replace(row, condition="rc", spec="whisper:./rc") for row in suite(30, *range(15))]
        base = baseline(Path("base.json"), *suite(30))
        rules = Rules(margin=MARGIN, draws=DRAWS)
        assert decide_run(rows, {}, (), rules, baseline=base, new=True).passed
        assert not decide_run(rows, {}, (), rules, baseline=base).passed

    def test_a_pattern_that_pins_nothing_is_remarked(self) -> None:
        gate = decide_run(suite(3), {}, (), Rules(must_pass=("t0*", "git/*")))
        assert gate.passed
        assert gate.remarks == ("t2a_must_pass: git/* matches no task of this run",)

    def test_all_of_a_kind_lost_is_remarked_baseline_or_not(self) -> None:
        gate = decide_run(suite(3, 0, 1, 2), {}, (), Rules())
        assert gate.remarks == ("whisper-tiny.en: all 3 intentions of kind number are lost",)
        assert decide_run(suite(3, 0, 1), {}, (), Rules()).remarks == ()


def test_the_order_of_results_does_not_matter() -> None:
    before, after = suite(12, 0, 3), suite(12, 4)
    assert compared(before, after) == compared(before[::-1], after[::-1])


def test_an_entry_is_all_that_is_needed() -> None:
    entry = Entry.of(item("a", CHANGED, OPEN))
    assert (entry.lost, entry.unresolved, entry.kinds) == (("port",), ("service",), KINDS)
