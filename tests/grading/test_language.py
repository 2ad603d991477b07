from __future__ import annotations

from fractions import Fraction

import pytest

from pytest_talk2agent.grading.expression import Call, Name, Number, Product, Sum, walk
from pytest_talk2agent.grading.grader import GraderSource, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
from pytest_talk2agent.grading.language import MAXIMUM_DEPTH, MAXIMUM_LENGTH, parse


def value(text: str, *held: str) -> Fraction:
    source = GraderSource(text, dict.fromkeys("abc", Fraction(0)), range=(Fraction(-1000), Fraction(1000)))
    return compile_grader(source).value(held)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1", "1/10"),
        (".5", "1/2"),
        ("5.", "5"),
        ("1e-3", "1/1000"),
        ("1.5E2", "150"),
        ("2e+0", "2"),
        ("007", "7"),
        ("0.1 + 0.2", "3/10"),
        ("1 - 2 - 3", "-4"),
        ("1 - (2 - 3)", "2"),
        ("2 * 3 / 4 * 2", "3"),
        ("1 / 3 / 2", "1/6"),
        ("6 / (1 + 2)", "2"),
        ("-2 * -3", "6"),
        ("--+-1", "-1"),
        ("2 - -1", "3"),
        ("-2 / -4", "1/2"),
        (" \n 1 +\n\t2 ", "3"),
    ],
)
def test_numbers_are_exact_and_operators_bind_as_in_python(text: str, expected: str) -> None:
    assert value(text) == Fraction(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all(a, b)", 1),
        ("all(a, c)", 0),
        ("any(c, b)", 1),
        ("any(c)", 0),
        ("no(c)", 1),
        ("sum(a, b, 2)", 4),
        ("mean(a, b, c, 1)", "3/4"),
        ("gate(a, 0.3)", "0.3"),
        ("gate(c, 0.3)", 0),
        ("gate(c, 0.3, 0.2)", "0.2"),
        ("atleast(2, a, b, c)", 1),
        ("atleast(3, a, b, c)", 0),
        ("atleast(0, c)", 1),
        ("steps(a + b, 2, 0.9, 1, 0.4, 0.1)", "0.9"),
        ("steps(a + c, 2, 0.9, 1, 0.4, 0.1)", "0.4"),
        ("steps(c, 2, 0.9, 1, 0.4, 0.1)", "0.1"),
        ("steps(a, 1, b, 0.5)", 1),
        ("steps(a, c + 1, 0.7, c, 0.6, 0)", "0.7"),
        ("cap(a + b, 1.5)", "1.5"),
        ("cap(2, 1 + c)", 1),
        ("floor(c, 0.5)", "0.5"),
        ("clamp(a + b, 0, 1)", 1),
        ("clamp(c - 1, 0, a)", 0),
        ("best(0.2, 0.7*a, c)", "0.7"),
    ],
)
def test_functions(text: str, expected: str | int) -> None:
    assert value(text, "a", "b") == Fraction(expected)


@pytest.mark.parametrize(
    ("text", "line", "column", "fragment"),
    [
        ("", 1, 1, "empty"),
        ("  \n ", 1, 1, "empty"),
        ("a +", 1, 4, "expected a number, a criterion"),
        ("a b", 1, 3, "expected an operator or the end of the expression, found 'b'"),
        ("(a", 1, 3, "expected ')' to close the bracket, found the end"),
        ("a)", 1, 2, "found ')'"),
        ("all(a,)", 1, 7, "expected an argument after ','"),
        ("all(a b)", 1, 7, "expected ',' or ')' in the arguments of all"),
        ("all()", 1, 1, "all takes at least 1 argument, not 0"),
        ("no(a, b)", 1, 1, "no takes 1 argument, not 2"),
        ("gate(a)", 1, 1, "gate takes 2 to 3 arguments, not 1"),
        ("steps(a, 1, 1)", 1, 1, "steps takes at least 4"),
        ("steps(a, 1, 1, 0, 0)", 1, 1, "pairs of threshold and value"),
        ("a ** 2", 1, 3, "powers are not part"),
        ("a // 2", 1, 3, "whole division"),
        ("a.b", 1, 2, "attributes are not part"),
        ("a >= 0.5", 1, 3, "steps(x, t, 1, 0)"),
        ("a == b", 1, 3, "comparisons"),
        ("gate(c=a, b)", 1, 7, "keywords"),
        ("'a'", 1, 1, "strings"),
        ('all("a")', 1, 5, "strings"),
        ("a and b", 1, 3, "write all(a, b)"),
        ("not a", 1, 1, "write no(a)"),
        ("50%", 1, 3, "decimals"),
        ("!a", 1, 1, "no(a)"),
        ("a & b", 1, 3, "all(a, b)"),
        ("a || b", 1, 3, "any(a, b)"),
        ("a\n  + b\n  + c $ d", 3, 7, "'$' is not part"),
        ("été", 1, 1, "'é' is not part"),
        ("__import__('os')", 1, 1, "unknown function '__import__'"),
        ("atlest(1, a)", 1, 1, "did you mean 'atleast'?"),
        ("max(a, b)", 1, 1, "the functions are all, any"),
        ("0.5*a + meen(b)", 1, 9, "did you mean 'mean'?"),
        ("1e999999999", 1, 1, "too long"),
        ("1e-41", 1, 1, "too long"),
        ("1" * 41, 1, 1, "too long"),
        ("0x10", 1, 2, "expected an operator"),
        ("1_000", 1, 2, "expected an operator"),
        ("cell[]", 1, 6, "the number of a member"),
        ("cell[1.5]", 1, 6, "the number of a member"),
        ("cell[a]", 1, 6, "the number of a member"),
        ("lambda: 1", 1, 7, "':' is not part"),
    ],
)
def test_one_line_errors_with_position(text: str, line: int, column: int, fragment: str) -> None:
    with pytest.raises(GraderError) as caught:
        parse(text, "let.x")
    error = caught.value
    assert (error.where, error.line, error.column) == ("let.x", line, column), error
    assert fragment in error.message
    assert "\n" not in str(error)
    assert str(error).startswith(f"let.x, line {line}, column {column}: ")


def test_a_deep_expression_is_refused_in_one_line() -> None:
    inside = "(" * MAXIMUM_DEPTH + "a" + ")" * MAXIMUM_DEPTH
    assert isinstance(parse(inside, "value"), Name)
    for opening, count in (("(", 9_000), ("all(", 3_900), ("-(", 6_000)):
        with pytest.raises(GraderError, match="nested more than"):
            parse(opening * count + "a" + ")" * count, "value")


def test_a_long_expression_is_refused_in_one_line() -> None:
    with pytest.raises(GraderError, match="move parts to let or groups"):
        parse("a + " * MAXIMUM_LENGTH + "a", "value")


def test_long_chains_need_no_deep_stack() -> None:
    assert value("-" * 9_999 + "a", "a") == -1
    assert value("a" + "/1" * 9_000, "a") == 1
    assert value("a" + "+a" * 900, "a") == 901


def test_nodes_know_their_text() -> None:
    tree = parse("0.5*a\n + gate(b, cell[3]/2)", "value")
    assert isinstance(tree, Sum)
    product, call = tree.terms
    assert isinstance(product, Product)
    assert isinstance(call, Call)
    assert (call.span.line, call.span.column) == (2, 4)
    assert call.span.excerpt == "gate(b, cell[3]/2)"
    kinds = [type(node) for node in walk(tree)]
    assert kinds == [Number, Name, Product, Name, Name, Number, Product, Call, Sum]
    assert tree == parse("0.5 * a + gate(b, cell[3] / 2)", "let.other")
