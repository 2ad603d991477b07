"""What must hold for every grader, on random ones, against the definitions written a second time."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_talk2agent.grading import shapley as dispatch
from pytest_talk2agent.grading import sparse
from pytest_talk2agent.grading.compiler import compile_source
from pytest_talk2agent.grading.grader import Grader, GraderSource, black_box, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
from tests.grading import definition
from tests.grading.expressions import NAMES, monotone, scores, transcripts, truths

LOST = dict.fromkeys(NAMES, Fraction(0))
ANYTHING = (Fraction(-(10**9)), Fraction(10**9))

# the machine may be busy: counts decide, not clocks
many = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
some = settings(many, max_examples=60)


def source(text: str, worth: dict[str, Fraction] | None = None) -> GraderSource:
    return GraderSource(text, worth or LOST, range=ANYTHING)


def compiled(text: str) -> Grader:
    return compile_grader(source(text))


def by_engine(text: str) -> dict[str, dict[str, Fraction]]:
    """Shapley values by each engine on its own, whatever the dispatch would choose."""
    network, (root, unit) = compile_source(source(text))[:2]
    if network.is_constant(root):
        return {}
    found = {
        "sparse": sparse.shapley(sparse.moebius(network, root)),
        "circuit": dispatch.by_circuit(network, root),
        "dense": dispatch.by_table(network, root),
    }
    return {
        engine: {name: unit * values.get(bit, Fraction(0)) for bit, name in enumerate(NAMES)}
        for engine, values in found.items()
    }


@many
@given(scores(3))
def test_values_and_every_engine_agree_with_the_definition(text: str) -> None:
    value = definition.value_of(text, LOST)
    grader = compiled(text)
    for held in definition.subsets(NAMES):
        assert grader.value(held) == value(held)
    expected = definition.shapley(value, NAMES)
    assert grader.shapley() == expected
    for engine, found in by_engine(text).items():
        assert found == expected, engine


@many
@given(scores(3), transcripts())
def test_intervals_agree_with_enumeration(text: str, transcript: tuple[list[str], list[str]]) -> None:
    retained, unresolved = transcript
    value = definition.value_of(text, LOST)
    grader = compiled(text)
    assume(grader.full != 0)
    retention = grader.retention(retained, unresolved)
    assert retention.native is not None
    assert retention.shapley is not None
    native = definition.native(value, NAMES, retained, unresolved)
    assert (retention.native.low, retention.native.high) == native
    share = definition.shapley_share(grader.shapley(), retained, unresolved)
    assert (retention.shapley.low, retention.shapley.high) == share


@some
@given(scores(2), st.lists(st.sampled_from(["0", "0.5", "1/3"]), min_size=5, max_size=5))
def test_worth_when_lost(text: str, worths: list[str]) -> None:
    worth = {name: Fraction(amount) for name, amount in zip(NAMES, worths, strict=True)}
    value = definition.value_of(text, worth)
    try:
        grader = compile_grader(source(text, worth))
    except GraderError as error:
        refusal = error.message
    else:
        refusal = ""
    if refusal:
        assert "needs 0 or 1" in refusal
        return
    assert all(grader.value(held) == value(held) for held in definition.subsets(NAMES))
    assert grader.shapley() == definition.shapley(value, NAMES)


@some
@given(scores(3))
def test_a_black_box_of_the_same_function_is_the_same_game(text: str) -> None:
    grader = compiled(text)
    box = black_box(definition.value_of(text, LOST), NAMES)
    assert box.shapley() == grader.shapley()
    assert box.powerless == grader.powerless
    assert box.interactions(most=99) == grader.interactions(most=99)
    assert box.native_if_lost() == grader.native_if_lost()


@some
@given(scores(3))
def test_efficiency_and_ends(text: str) -> None:
    grader = compiled(text)
    assert sum(grader.shapley().values()) == grader.full == grader.value(NAMES) - grader.base
    assert grader.value([]) == grader.base
    assume(grader.full != 0)
    nothing, everything = grader.retention([]), grader.retention(NAMES)
    assert nothing.native is not None
    assert nothing.shapley is not None
    assert everything.native is not None
    assert everything.shapley is not None
    assert nothing.native.low == nothing.shapley.high == 0
    assert everything.native.low == everything.shapley.high == 1


@some
@given(scores(3))
def test_powerless_means_no_end_point_changes(text: str) -> None:
    value = definition.value_of(text, LOST)
    without = {name: [held for held in definition.subsets(NAMES) if name not in held] for name in NAMES}
    expected = tuple(name for name in NAMES if all(value(held) == value(held | {name}) for held in without[name]))
    grader = compiled(text)
    assert grader.powerless == expected
    assert all(grader.shapley()[name] == 0 for name in expected)


@some
@given(scores(2), scores(2), st.sampled_from(["0.5", "2", "-1/3"]))
def test_linearity(left: str, right: str, weight: str) -> None:
    one, other, both = compiled(left), compiled(right), compiled(f"{left} + ({weight})*({right})")
    assert both.shapley() == {
        name: value + Fraction(weight) * other.shapley()[name] for name, value in one.shapley().items()
    }


@some
@given(scores(3), st.permutations(NAMES))
def test_symmetry_under_renaming(text: str, order: list[str]) -> None:
    renamed = compile_grader(GraderSource(text, dict.fromkeys(order, Fraction(0)), range=ANYTHING))
    assert renamed.shapley() == compiled(text).shapley()


@some
@given(monotone(("all",)), transcripts())
def test_shapley_is_at_least_native_where_intentions_need_each_other(
    text: str, transcript: tuple[list[str], list[str]]
) -> None:
    retention = compiled(text).retention(transcript[0])
    assert retention.native is not None
    assert retention.shapley is not None
    assert retention.shapley.low >= retention.native.low


@some
@given(monotone(("any",)), transcripts())
def test_shapley_is_at_most_native_where_one_stands_in_for_another(
    text: str, transcript: tuple[list[str], list[str]]
) -> None:
    retention = compiled(text).retention(transcript[0])
    assert retention.native is not None
    assert retention.shapley is not None
    assert retention.shapley.low <= retention.native.low


@some
@given(scores(3), transcripts(), st.sampled_from(NAMES))
def test_one_more_unresolved_never_narrows(text: str, transcript: tuple[list[str], list[str]], name: str) -> None:
    retained, unresolved = transcript
    grader = compiled(text)
    assume(grader.full != 0)
    before = grader.retention(retained, unresolved)
    after = grader.retention([other for other in retained if other != name], {*unresolved, name})
    for narrow, wide in ((before.native, after.native), (before.shapley, after.shapley), (before.flat, after.flat)):
        assert narrow is not None
        assert wide is not None
        assert wide.low <= narrow.low <= narrow.high <= wide.high
    assert grader.retention(retained).native == grader.retention(retained, []).native
    point = grader.retention(retained).native
    assert point is not None
    assert point.is_point
    assert point.low == (grader.value(retained) - grader.base) / grader.full


@some
@given(scores(2) | truths(2))
def test_zero_or_one_is_accepted_exactly_where_it_holds(text: str) -> None:
    value = definition.value_of(text, LOST)
    boolean = all(value(held) in (0, 1) for held in definition.subsets(NAMES))
    try:
        compiled(f"no({text})")
        accepted = True
    except GraderError:
        accepted = False
    assert accepted == boolean


@some
@given(scores(2), st.sampled_from(["0", "-0.5", "0.1"]), st.sampled_from(["1", "0.7", "2"]))
def test_the_range_is_accepted_exactly_where_it_holds(text: str, low: str, high: str) -> None:
    value = definition.value_of(text, LOST)
    inside = all(Fraction(low) <= value(held) <= Fraction(high) for held in definition.subsets(NAMES))
    try:
        compile_grader(GraderSource(text, LOST, range=(Fraction(low), Fraction(high))))
        accepted = True
    except GraderError:
        accepted = False
    assert accepted == inside
