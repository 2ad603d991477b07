"""The environment's rule, written down a second time, against compiled tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.execution.osworld_rule import combined, verify_rule
from pytest_talk2agent.execution.verification import Verification
from pytest_talk2agent.grading.grader import GraderSource, compile_grader
from pytest_talk2agent.tasks.importers.original import Original
from pytest_talk2agent.tasks.importers.osworld_value import value_of
from pytest_talk2agent.tasks.loader import load_tasks

HALF = Fraction(1, 2)
AND = "gate(all(metric_1, metric_2), mean(metric_1, metric_2))"
TWO = """\
id: osworld/os/two
instruction: Paint the fence green, and the gate white.
intentions: {fence: {say: fence}, green: {say: green}, white: {say: white}}
fixed: {saved: {note: the picture is saved}}
let: {metric_1: "all(fence, green)", metric_2: "all(white, saved)"}
value: VALUE
"""
OPENED = """\
id: osworld/chrome/opened
instruction: Show black shoes on sale.
intentions: {black: {say: black}, shoes: {say: shoes}, sale: {say: on sale}}
fixed: {check_is_other_exist: {note: no other filter}}
let: {check_color: "all(black, shoes)", check_on_sale: all(sale)}
value: all(check_color, check_on_sale, check_is_other_exist)
"""
FILTERS = {"color": "black", "onSale": True, "is_other_exist": False}


def verified(tmp_path: Path, text: str, evaluator: Mapping[str, Any]) -> Verification:
    path = tmp_path / "task.yaml"
    path.write_text(text, encoding="utf-8")
    grader = json.dumps(evaluator)
    (task,) = load_tasks(path)
    return verify_rule(task, Original("osworld", "os/two", "words", grader, path))


class TestTheRule:
    @pytest.mark.parametrize(
        ("values", "conjunction", "score"),
        [
            ([1, 1], "and", 1),
            ([1, HALF], "and", Fraction(3, 4)),  # a mean, not a product
            ([0, 1], "and", 0),  # and a gate, not only a mean
            ([HALF, 0], "and", 0),
            ([0, 0], "or", 0),
            ([0, 1], "or", 1),
            ([HALF, 0], "or", HALF),
            ([HALF], "and", HALF),
        ],
    )
    def test_combined(self, values: Sequence[Fraction], conjunction: str, score: Fraction) -> None:
        assert combined([Fraction(value) for value in values], conjunction) == score

    @given(states=st.lists(st.booleans(), min_size=2, max_size=5), conjunction=st.sampled_from(["and", "or"]))
    def test_what_the_importer_proposes_is_the_rule(self, states: list[bool], conjunction: str) -> None:
        expression = value_of({"func": ["f"] * len(states), "conj": conjunction})
        metrics = {f"metric_{number}": state for number, state in enumerate(states, 1)}
        grader = compile_grader(GraderSource(expression, dict.fromkeys(metrics, Fraction(0))))
        held = [name for name, state in metrics.items() if state]
        assert grader.value(held) == combined([Fraction(state) for state in states], conjunction)

    @given(values=st.lists(st.sampled_from([Fraction(0), HALF, Fraction(1)]), min_size=2, max_size=5))
    def test_so_it_is_for_an_or_of_fractions(self, values: list[Fraction]) -> None:
        metrics = {f"metric_{number}": str(value) for number, value in enumerate(values, 1)}
        expression = value_of({"func": ["f"] * len(values), "conj": "or"})
        grader = compile_grader(GraderSource(expression, {"nothing": Fraction(0)}, let=metrics))
        assert grader.value([]) == combined(values, "or")


class TestTwoMetrics:
    def test_equal(self, tmp_path: Path) -> None:
        found = verified(tmp_path, TWO.replace("VALUE", AND), {"func": ["a", "b"]})
        assert (found.compared, found.mismatches) == (17, ())

    def test_or(self, tmp_path: Path) -> None:
        text = TWO.replace("VALUE", "best(metric_1, metric_2)")
        assert verified(tmp_path, text, {"func": ["a", "b"], "conj": "or"}).mismatches == ()

    @pytest.mark.parametrize("value", ["best(metric_1, metric_2)", "mean(metric_1, metric_2)", "all(metric_1, saved)"])
    def test_another_rule_is_found(self, tmp_path: Path, value: str) -> None:
        found = verified(tmp_path, TWO.replace("VALUE", value), {"func": ["a", "b"]})
        assert found.mismatches
        assert found.mismatches[0].where.startswith("exactly ")

    def test_another_conjunction_is_found(self, tmp_path: Path) -> None:
        found = verified(tmp_path, TWO.replace("VALUE", AND), {"func": ["a", "b"], "conj": "or"})
        assert "exactly fence, green hold" in {mismatch.where for mismatch in found.mismatches}

    @pytest.mark.parametrize("func", ["a", ["a", "b", "c"]])
    def test_another_number_of_metrics_is_found(self, tmp_path: Path, func: Any) -> None:
        found = verified(tmp_path, TWO.replace("VALUE", AND), {"func": func})
        (mismatch,) = found.mismatches
        assert (mismatch.where, mismatch.compiled) == ("metrics", "metric_1, metric_2")

    def test_a_factor_that_no_metric_has_is_found(self, tmp_path: Path) -> None:
        text = TWO.replace("VALUE", f"{AND} * green")
        assert verified(tmp_path, text, {"func": ["a", "b"], "conj": "and"}).mismatches == ()
        text = TWO.replace("VALUE", "best(metric_1, metric_2) * green")
        found = verified(tmp_path, text, {"func": ["a", "b"], "conj": "or"})
        assert found.mismatches[0].where == "exactly saved, white hold"


class TestOpenedMetrics:
    EVALUATOR: Mapping[str, Any] = {
        "func": "check_direct_json_object",
        "expected": {"type": "rule", "rules": {"expected": FILTERS}},
    }

    def test_equal(self, tmp_path: Path) -> None:
        found = verified(tmp_path, OPENED, self.EVALUATOR)
        assert (found.compared, found.mismatches) == (18, ())

    def test_a_forgotten_check_is_found(self, tmp_path: Path) -> None:
        (mismatch,) = verified(tmp_path, OPENED.replace(", check_is_other_exist)", ")"), self.EVALUATOR).mismatches
        assert (mismatch.where, mismatch.compiled) == ("checks of value", "check_color, check_on_sale")
        assert mismatch.found == "check_color, check_on_sale, check_is_other_exist"

    def test_a_check_that_is_no_condition_is_found(self, tmp_path: Path) -> None:
        text = OPENED.replace("all(check_color, check_on_sale,", "all(any(check_color, check_on_sale),")
        found = verified(tmp_path, text, self.EVALUATOR)
        assert "check_on_sale fails" in {mismatch.detail for mismatch in found.mismatches}


def test_a_single_metric_is_zero_or_one_everywhere_and_one_where_all_is_retained(tmp_path: Path) -> None:
    text = (
        TWO.replace("VALUE", "all(fence, green, white)")
        .replace("let: {metric_1: ", "let: {a: ")
        .replace("metric_2", "b")
    )
    found = verified(tmp_path, text, {"func": "compare_table"})
    assert (found.compared, found.mismatches) == (2**4 + 1, ())
    found = verified(tmp_path, text.replace("value: all", "value: 0.5*all"), {"func": "compare_table"})
    assert ("all retained", "1/2", "1") in [(m.where, m.compiled, m.found) for m in found.mismatches]
    assert {(m.compiled, m.found) for m in found.mismatches} == {("1/2", "1"), ("1/2", "0 or 1")}


def test_many_names_are_compared_on_the_values_of_the_metrics(tmp_path: Path) -> None:
    names = [f"part_{number}" for number in range(20)]
    intentions = ", ".join(f"{name}: {{say: {name}}}" for name in names)
    text = f"""\
id: osworld/os/many
instruction: {" ".join(names)}
intentions: {{{intentions}}}
let: {{metric_1: "all({", ".join(names[:10])})", metric_2: "all({", ".join(names[10:])})"}}
value: VALUE
"""
    found = verified(tmp_path, text.replace("VALUE", AND), {"func": ["a", "b"]})
    assert (found.compared, found.mismatches) == (5, ())
    assert found.detail == "more than 16 names, so compared only on all values of its metrics"
    found = verified(tmp_path, text.replace("VALUE", "mean(metric_1, metric_2)"), {"func": ["a", "b"]})
    assert [mismatch.where for mismatch in found.mismatches] == ["exactly metric_2 hold", "exactly metric_1 hold"]


def test_an_infeasible_task_is_not_checkable(tmp_path: Path) -> None:
    found = verified(tmp_path, TWO.replace("VALUE", AND), {"func": "infeasible"})
    assert (found.compared, found.reason) == (0, "infeasible: the agent must give up")
