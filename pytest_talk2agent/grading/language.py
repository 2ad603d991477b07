"""The expression language: a whitelist tokeniser and a recursive-descent parser; nothing is evaluated as Python."""

from __future__ import annotations

import re
from difflib import get_close_matches
from fractions import Fraction

from pytest_talk2agent.grading.expression import Call, Expression, Name, Negative, Number, Product, Span, Sum
from pytest_talk2agent.grading.grader_source import GraderError

MAXIMUM_LENGTH = 20_000
MAXIMUM_DEPTH = 100
_MAXIMUM_NUMBER = 40

# the least and the most arguments (None: no limit)
FUNCTIONS: dict[str, tuple[int, int | None]] = {
    "all": (1, None),
    "any": (1, None),
    "no": (1, 1),
    "sum": (1, None),
    "mean": (1, None),
    "gate": (2, 3),
    "atleast": (2, None),
    "steps": (4, None),
    "cap": (2, 2),
    "floor": (2, 2),
    "clamp": (3, 3),
    "best": (1, None),
}

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{NAME.pattern})"
    r"|(?P<operator>\*\*|//|[-+*/(),\[\]])"
)
_SPACE = re.compile(r"\s*")
_HINTS = {
    "**": "powers are not part of the language",
    "//": "whole division is not part of the language",
    ".": "attributes are not part of the language",
    "=": "keywords and comparisons are not part of the language; a threshold is written steps(x, t, 1, 0)",
    "<": "comparisons are not part of the language; a threshold is written steps(x, t, 1, 0)",
    ">": "comparisons are not part of the language; a threshold is written steps(x, t, 1, 0)",
    "'": "strings are not part of the language",
    '"': "strings are not part of the language",
    "%": "percentages are written as decimals, 0.5 for 50 %",
    "!": "negation is written no(a), and a threshold steps(x, t, 1, 0)",
    "&": "write all(a, b)",
    "|": "write any(a, b)",
    "#": "comments belong in the task file, outside the expression",
}
WORDS = {"and": "all(a, b)", "or": "any(a, b)", "not": "no(a)", "if": "gate(c, x, e)", "else": "gate(c, x, e)"}


def suggestion(word: str, known: list[str]) -> str:
    """``; did you mean 'X'?`` for the nearest known word, or nothing."""
    near = get_close_matches(word, known, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def parse(text: str, where: str) -> Expression:
    """Parse one expression.

    Args:
        text: the expression as its author wrote it; it may run over several lines.
        where: the part of the grader that it is, for errors.

    Raises:
        GraderError: at the first character that the language does not allow.
    """
    return _Parser(text, where).parse()


class _Parser:
    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.depth = 0
        self.end = 0
        self.kind = ""
        self.token = ""
        self.start = 0
        self.following = 0

    def parse(self) -> Expression:
        if len(self.text) > MAXIMUM_LENGTH:
            raise self.span(0).error(
                f"the expression has {len(self.text)} characters, more than {MAXIMUM_LENGTH};"
                " move parts to let or groups"
            )
        if not self.text.strip():
            raise self.span(0).error("the expression is empty; write a number, a criterion or a call")
        self.advance()
        expression = self.sum()
        if self.kind != "end":
            raise self.unexpected("an operator or the end of the expression")
        return expression

    def span(self, start: int, end: int | None = None) -> Span:
        return Span(self.where, self.text, start, len(self.text) if end is None else end)

    def here(self, message: str) -> GraderError:
        return self.span(self.start, self.following).error(message)

    def unexpected(self, wanted: str) -> GraderError:
        if self.token in _HINTS:
            return self.here(_HINTS[self.token])
        if self.token in WORDS:
            return self.here(f"'{self.token}' is not part of the language; write {WORDS[self.token]}")
        found = f"'{self.token}'" if self.kind != "end" else "the end of the expression"
        return self.here(f"expected {wanted}, found {found}")

    def advance(self) -> None:
        """Move to the next token; ``end`` is then where the previous one ended."""
        self.end = self.following
        space = _SPACE.match(self.text, self.following)
        self.start = space.end() if space else self.following
        if self.start == len(self.text):
            self.kind, self.token, self.following = "end", "", self.start
            return
        match = _TOKEN.match(self.text, self.start)
        if match is None:
            self.token = self.text[self.start]
            self.following = self.start + 1
            hint = _HINTS.get(self.token, f"'{self.token}' is not part of the language")
            raise self.here(hint)
        self.kind, self.token, self.following = match.lastgroup or "", match.group(), match.end()

    def take(self, operator: str) -> bool:
        if self.kind == "operator" and self.token == operator:
            self.advance()
            return True
        return False

    def expect(self, operator: str, why: str) -> None:
        if not self.take(operator):
            raise self.unexpected(f"'{operator}' {why}")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAXIMUM_DEPTH:
            raise self.here(f"brackets are nested more than {MAXIMUM_DEPTH} deep; move the inner part to let")

    def sum(self) -> Expression:
        start = self.start
        terms = [self.product()]
        while self.kind == "operator" and self.token in "+-":
            sign, at = self.token, self.start
            self.advance()
            term = self.product()
            terms.append(term if sign == "+" else Negative(self.span(at, self.end), term))
        return terms[0] if len(terms) == 1 else Sum(self.span(start, self.end), tuple(terms))

    def product(self) -> Expression:
        start = self.start
        factors: list[Expression] = [self.operand()]
        divisors: list[Expression] = []
        while self.kind == "operator" and self.token in ("*", "/"):
            side = factors if self.token == "*" else divisors
            self.advance()
            side.append(self.operand())
        if len(factors) == 1 and not divisors:
            return factors[0]
        return Product(self.span(start, self.end), tuple(factors), tuple(divisors))

    def operand(self) -> Expression:
        start, negative = self.start, False
        while self.kind == "operator" and self.token in ("+", "-"):
            negative ^= self.token == "-"
            self.advance()
        kind, token, at = self.kind, self.token, self.start
        expression: Expression
        if self.take("("):
            self.deeper()
            expression = self.sum()
            self.expect(")", "to close the bracket")
            self.depth -= 1
        elif kind == "number":
            expression = Number(self.span(at, self.following), self.number(token))
            self.advance()
        elif kind == "name":
            if token in WORDS:
                raise self.unexpected("a criterion")
            name_end = self.following
            self.advance()
            expression = self.call(token, at) if self.token == "(" else self.name(token, at, name_end)
        else:
            raise self.unexpected("a number, a criterion, a function or a bracket")
        return Negative(self.span(start, self.end), expression) if negative else expression

    def number(self, token: str) -> Fraction:
        mantissa, _, exponent = token.lower().partition("e")
        if (
            len(mantissa) > _MAXIMUM_NUMBER
            or len(exponent.lstrip("+-0")) > 2
            or abs(int(exponent or 0)) > _MAXIMUM_NUMBER
        ):
            raise self.here(f"the number is too long; at most {_MAXIMUM_NUMBER} digits and an exponent up to 40")
        return Fraction(mantissa if not exponent else f"{mantissa}e{exponent}")

    def name(self, name: str, start: int, name_end: int) -> Expression:
        index: int | None = None
        end = name_end
        if self.take("["):
            if self.kind != "number" or not self.token.isdigit() or len(self.token) > 9:
                raise self.unexpected("the number of a member, from 1")
            index = int(self.token)
            self.advance()
            self.expect("]", "after the number of the member")
            end = self.end
        return Name(self.span(start, end), name, index)

    def call(self, function: str, start: int) -> Expression:
        if function not in FUNCTIONS:
            hint = suggestion(function, list(FUNCTIONS)) or f"; the functions are {', '.join(FUNCTIONS)}"
            raise self.span(start).error(f"unknown function '{function}'{hint}")
        self.expect("(", "after the function")
        self.deeper()
        arguments: list[Expression] = []
        while self.token != ")":
            arguments.append(self.sum())
            if self.kind == "operator" and self.token == ")":
                break
            self.expect(",", f"or ')' in the arguments of {function}")
            if self.token == ")":
                raise self.unexpected("an argument after ','")
        self.expect(")", f"to close the arguments of {function}")
        self.depth -= 1
        span = self.span(start, self.end)
        least, most = FUNCTIONS[function]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            wanted = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
            plural = "" if wanted.endswith("1") else "s"
            raise span.error(f"{function} takes {wanted} argument{plural}, not {len(arguments)}")
        if function == "steps" and len(arguments) % 2:
            raise span.error(
                "steps takes a score, pairs of threshold and value, and a last value: steps(x, t1, v1, .., d)"
            )
        return Call(span, function, tuple(arguments))
