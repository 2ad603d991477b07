"""Hypothesis strategies: random graders as their author would write them."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d", "e")
NUMBERS = ("0.1", "0.2", "0.25", ".3", "0.5", "0.7", "1", "2", "1/3", "5e-2")

_number = st.sampled_from(NUMBERS)
_name = st.sampled_from(NAMES)


def _call(function: str, *arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*arguments).map(lambda chosen: f"{function}({', '.join(chosen)})")


def _many(function: str, argument: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    return st.lists(argument, min_size=1, max_size=most).map(lambda chosen: f"{function}({', '.join(chosen)})")


def _infix(template: str, *arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*arguments).map(lambda chosen: template.format(*chosen))


def truths(depth: int) -> st.SearchStrategy[str]:
    """Expressions that are 0 or 1 at every end point."""
    if depth == 0:
        return _name
    inner, score = truths(depth - 1), scores(depth - 1)
    return st.one_of(
        _name,
        _many("all", inner),
        _many("any", inner),
        _call("no", inner),
        _call("gate", inner, inner, inner),
        st.lists(inner, min_size=2, max_size=4).map(lambda chosen: f"atleast(2, {', '.join(chosen)})"),
        _infix("steps({}, {}, 1, 0)", score, _number),
        _infix("({0} + {1} - 2*{0}*{1})", inner, inner),
    )


def scores(depth: int) -> st.SearchStrategy[str]:
    """Expressions of any value."""
    if depth == 0:
        return st.one_of(_name, _number)
    inner, truth = scores(depth - 1), truths(depth - 1)
    return st.one_of(
        truth,
        _many("sum", inner),
        _many("mean", inner),
        _many("best", inner),
        _infix("({}*{} + {}*{})", _number, inner, _number, inner),
        _infix("({}*{} - {}*{})", _number, inner, _number, inner),
        _infix("{}*{}", _infix("({})", inner), inner),
        _infix("({})/{}", inner, st.sampled_from(["2", "3", "(-4)", "0.5"])),
        _call("gate", truth, inner),
        _call("gate", truth, inner, inner),
        _call("cap", inner, inner),
        _call("floor", inner, inner),
        _infix("clamp({}, 0.2, 0.9)", inner),
        _infix("steps({}, 0.8, {}, 0.5, {}, {})", inner, _number, _number, _number),
        _infix("steps({}, 0.8, {}, 0.25, {}, {})", inner, inner, inner, inner),
    )


def monotone(functions: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Non-negative weighted sums of one kind of connective, with all criteria named at least once."""
    term = st.tuples(_number, st.sampled_from(functions), st.lists(_name, min_size=1, max_size=4)).map(
        lambda chosen: f"{chosen[0]}*{chosen[1]}({', '.join(chosen[2])})"
    )
    return st.lists(term, min_size=1, max_size=4).map(lambda terms: " + ".join(["0.1*a", *terms]))


@st.composite
def transcripts(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Retained and unresolved names; the rest is lost."""
    labels = draw(st.lists(st.sampled_from("RUL"), min_size=len(NAMES), max_size=len(NAMES)))
    pairs = list(zip(NAMES, labels, strict=True))
    return [name for name, label in pairs if label == "R"], [name for name, label in pairs if label == "U"]
