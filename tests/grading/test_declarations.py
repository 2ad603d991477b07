from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from pytest_talk2agent.grading.grader import GraderSource, Group, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError

ABC = dict.fromkeys("abc", Fraction(0))


def refusal(value: str = "a", intentions: Mapping[str, Fraction] | None = None, **parts: Any) -> GraderError:
    with pytest.raises(GraderError) as caught:
        compile_grader(GraderSource(value, ABC if intentions is None else intentions, **parts))
    assert "\n" not in str(caught.value)
    return caught.value


def place(error: GraderError) -> tuple[str, int, int]:
    return error.where, error.line, error.column


@pytest.mark.parametrize(
    ("parts", "where", "fragment"),
    [
        ({"intentions": {}}, "intentions", "at least one intention"),
        ({"intentions": {f"x{i}": Fraction(0) for i in range(401)}}, "intentions", "more than 400"),
        ({"intentions": {"a": Fraction(0), "2b": Fraction(0)}}, "intentions.2b", "is not a name"),
        ({"intentions": {"a": Fraction(0), "b-c": Fraction(0)}}, "intentions.b-c", "is not a name"),
        ({"intentions": {"a": Fraction(0), "naïve": Fraction(0)}}, "intentions.naïve", "is not a name"),
        ({"intentions": {"a": Fraction(0), "sum": Fraction(0)}}, "intentions.sum", "a word of the language"),
        ({"fixed": {"not": True}}, "fixed.not", "a word of the language"),
        ({"intentions": {"a": Fraction(3, 2)}}, "intentions.a", "worth 3/2 when lost"),
        ({"intentions": {"a": Fraction(-1)}}, "intentions.a", "must lie in [0, 1]"),
        ({"fixed": {"a": True}}, "fixed.a", "also declared in intentions"),
        ({"fixed": {"f": True}, "let": {"f": "a"}}, "let.f", "also declared in fixed"),
        ({"let": {"g": "a"}, "groups": {"g": Group(2, ("a",))}}, "groups.g", "also declared in let"),
        ({"groups": {"g": Group(0, ("a",))}}, "groups.g", "between 1 and 1000"),
        ({"groups": {"g": Group(1001, ("a",))}}, "groups.g", "between 1 and 1000"),
        ({"groups": {"g": Group(2, ())}}, "groups.g", "needs is empty"),
        ({"groups": {"g": Group(2, ("a", "x"))}}, "groups.g", "unknown intention 'x'"),
        ({"fixed": {"f": True}, "groups": {"g": Group(2, ("f",))}}, "groups.g", "may list intentions only"),
        ({"range": (Fraction(1), Fraction(0))}, "range", "is empty"),
    ],
)
def test_declarations(parts: dict[str, Any], where: str, fragment: str) -> None:
    error = refusal(**parts)
    assert error.where == where
    assert fragment in error.message


def test_unknown_names_have_a_place_and_a_suggestion() -> None:
    error = refusal("0.5*target\n + 0.5*prefx", dict.fromkeys(["target", "prefix"], Fraction(0)))
    assert place(error) == ("value", 2, 8)
    assert error.message == "unknown name 'prefx'; did you mean 'prefix'?"
    error = refusal("a", let={"m": "all(a, zzzz)"})
    assert place(error) == ("let.m", 1, 8)
    assert "declare it" in error.message
    assert "give it arguments" in refusal("a + sum").message


def test_members_of_groups() -> None:
    groups = {"cell": Group(3, ("a", "b"))}
    assert "1 to 3, not 4" in refusal("cell[4]", groups=groups).message
    assert "1 to 3, not 0" in refusal("cell[0]", groups=groups).message
    assert "did you mean 'cell'?" in refusal("cel[1]", groups=groups).message
    assert "'a' is not a group" in refusal("a[1]", groups=groups).message
    for text in ("cell", "0.1*cell", "no(cell)", "gate(cell, a)", "cap(cell, 1)"):
        assert "write sum(cell), mean(cell), all(cell) or cell[1]" in refusal(text, groups=groups).message
    error = refusal("a", groups=groups, let={"m": "cell"})
    assert place(error) == ("let.m", 1, 1)


def test_groups_range_over_their_members() -> None:
    def values(text: str) -> list[Fraction]:
        source = GraderSource(text, ABC, groups={"cell": Group(4, ("a", "b"))}, range=(Fraction(0), Fraction(9)))
        grader = compile_grader(source)
        return [grader.value(held) for held in ([], ["a"], ["a", "b"])]

    assert values("sum(cell)") == [0, 0, 4]
    assert values("sum(cell, a)") == [0, 1, 5]
    assert values("mean(cell, c)") == [0, 0, Fraction(4, 5)]
    assert values("all(cell, c)") == [0, 0, 0]
    assert values("any(c, cell)") == [0, 0, 1]
    assert values("atleast(4, cell)") == [0, 0, 1]
    assert values("atleast(5, cell)") == [0, 0, 0]
    assert values("best(cell, 0.5)") == [Fraction(1, 2), Fraction(1, 2), 1]
    assert values("cell[1]*0.5 + cell[4]*0.25") == [0, 0, Fraction(3, 4)]


def test_a_group_hangs_on_retention_even_where_a_lost_intention_has_worth() -> None:
    grader = compile_grader(GraderSource("mean(cell, a)", {"a": Fraction(1, 2)}, groups={"cell": Group(1, ("a",))}))
    assert grader.base == Fraction(1, 4)
    assert grader.full == Fraction(3, 4)


@pytest.mark.parametrize(
    ("let", "where", "cycle"),
    [
        ({"p": "p"}, "let.p", "p -> p"),
        ({"p": "a + q", "q": "0.5*p"}, "let.q", "p -> q -> p"),
        ({"p": "a", "q": "r", "r": "s", "s": "0.1*p + q"}, "let.s", "q -> r -> s -> q"),
    ],
)
def test_cycles(let: dict[str, str], where: str, cycle: str) -> None:
    error = refusal("a", let=let)
    assert error.where == where
    assert cycle in error.message


def test_let_may_be_in_any_order_and_very_long() -> None:
    let = {f"p{i}": f"cap(p{i + 1} + 0.001*a, 0.9)" for i in range(1_500)} | {"p1500": "0.1*b"}
    grader = compile_grader(GraderSource("p0", ABC, let=let))
    assert grader.value(["b"]) == Fraction(1, 10)
    assert grader.value(["a"]) == Fraction(9, 10)
    assert sum(grader.shapley().values()) == grader.full


@pytest.mark.parametrize(
    ("value", "column", "fragment"),
    [
        ("1/a", 3, "a divisor must be a number; `a` depends on criteria"),
        ("b/(1 + a)", 4, "depends on criteria"),
        ("a/f", 3, "depends on criteria"),
        ("a/m", 3, "depends on criteria"),
        ("a/0", 3, "division by zero"),
        ("a/(1 - 1.0)", 4, "division by zero"),
        ("atleast(a, b)", 9, "the count of atleast must be a number"),
        ("atleast(1.5, b)", 9, "a whole number, not 3/2"),
    ],
)
def test_numbers_that_must_be_constant(value: str, column: int, fragment: str) -> None:
    error = refusal(value, fixed={"f": True}, let={"m": "a*2", "third": "1/3"})
    assert place(error) == ("value", 1, column)
    assert fragment in error.message


def test_a_let_without_criteria_is_a_constant() -> None:
    grader = compile_grader(GraderSource("a/parts", ABC, let={"parts": "2 + 2"}))
    assert grader.full == Fraction(1, 4)


@pytest.mark.parametrize(
    ("value", "column", "fragment"),
    [
        ("all(a, 0.5*b)", 8, "all needs 0 or 1, but `0.5*b` is 1/2 when only b is retained"),
        ("any(a + b, c)", 5, "`a + b` is 2 when only a, b are retained"),
        ("no(mean(a, b))", 4, "needs 0 or 1"),
        ("gate(a - b, c)", 6, "is -1 when only b is retained"),
        ("atleast(1, a, 2)", 15, "`2` is 2 when every intention is lost"),
        ("0.5*gate(0.3, a)", 10, "is 3/10"),
        ("any(m)", 5, "is 1/2 when only a is retained"),
    ],
)
def test_arguments_that_must_be_zero_or_one(value: str, column: int, fragment: str) -> None:
    error = refusal(value, let={"m": "mean(a, b)"})
    assert place(error) == ("value", 1, column)
    assert fragment in error.message


def test_worth_when_lost_is_named_where_zero_or_one_is_required() -> None:
    error = refusal("all(a, b)", {"a": Fraction(0), "b": Fraction(1, 2)})
    assert place(error) == ("value", 1, 8)
    assert "is 1/2 when every intention is lost; its worth when lost (unsatisfied) is not 0" in error.message


@pytest.mark.parametrize(
    "value",
    [
        "no(a + b - 2*a*b)",
        "all(a + b - a*b, c)",
        "gate(0.5*a + 0.5*b + 0.5*(a + b - 2*a*b), c)",
        "any(cap(a + b, 1), c)",
        "all(best(a, b), floor(a, b))",
        "no(steps(a + b, 2, 1, 0))",
        "all(a*b*(1 - c), 1)",
        "atleast(1, (a + b)*(1 - a)*b, 3*a - 2*a)",
    ],
)
def test_zero_or_one_is_decided_by_value_not_by_form(value: str) -> None:
    compile_grader(GraderSource(value, ABC))


@pytest.mark.parametrize(
    ("value", "fragment"),
    [
        ("steps(a, 0.5, 1, 0.5, 0.5, 0)", "must fall, but 1/2 follows 1/2"),
        ("steps(a, 0.2, 1, 0.5, 0.5, 0)", "must fall, but 1/2 follows 1/5"),
        ("steps(a, 0.5*b, 1, 0.4*c, 0.5, 0)", "the rise to `0.4*c` is 2/5 when only c is retained"),
        ("clamp(a, 0.9, 0.1)", "passes the upper one"),
        ("clamp(a, b, 0.5)", "the excess is 1/2 when only b is retained"),
    ],
)
def test_bounds_in_order(value: str, fragment: str) -> None:
    assert fragment in refusal(value).message


def test_the_range_is_checked_on_every_end_point() -> None:
    error = refusal("0.6*a + 0.6*b")
    assert error.where == "value"
    assert "the value is 6/5 when only a, b are retained, outside the range [0, 1]" in error.message
    assert "is -1/5 when only c is retained" in refusal("a - 0.2*c").message
    assert "outside the range [0, 1/2]" in refusal("a", range=(Fraction(0), Fraction(1, 2))).message
    # bounds alone would say [-1, 2] here
    compile_grader(GraderSource("a + b - a*b", ABC))
    # reached only in the middle: neither with everything kept nor with everything lost
    assert "is 6/5 when only" in refusal("1.2*(a + b - 2*a*b)").message
    assert compile_grader(GraderSource("2*a - 1", ABC, range=(Fraction(-1), Fraction(1)))).full == 2


def test_numbers_that_grow_without_bound_are_refused() -> None:
    let = {f"p{i + 1}": f"p{i}*p{i}" for i in range(60)} | {"p0": "3*a + 2*b + 1"}
    assert "multiplies too much" in refusal("p60", let=let).message
    signed = {f"p{i + 1}": f"p{i}*p{i}" for i in range(60)} | {"p0": "a - b"}
    assert "multiplies too much" in refusal("p60", let=signed).message
    doubled = {f"p{i + 1}": f"p{i} + p{i}" for i in range(5_000)} | {"p0": "a"}
    assert "computed exactly" in refusal("p5000", let=doubled).message
