from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from pytest_talk2agent.grading.grader import GraderSource, compile_grader
from pytest_talk2agent.grading.grader_source import GraderError
from pytest_talk2agent.grading.retention import Interval, Retention

SOURCE = GraderSource(
    "gate(moved, 0.8 + 0.2*keep_rest) * no_clobber",
    dict.fromkeys(["source", "prefix", "target", "only_pdf", "keep_rest"], Fraction(0)),
    {"no_clobber": True},
    {"moved": "all(source, prefix, only_pdf, target)"},
)
GRADER = compile_grader(SOURCE)


def test_the_game_of_the_task_file_example() -> None:
    assert GRADER.intentions == ("source", "prefix", "target", "only_pdf", "keep_rest")
    assert GRADER.full == 1
    assert GRADER.base == 0
    assert (GRADER.status, GRADER.reason) == ("scored", None)
    assert GRADER.powerless == ()
    share = Fraction(4, 20) + Fraction(1, 25)
    assert GRADER.shapley() == dict.fromkeys(GRADER.intentions[:4], share) | {"keep_rest": Fraction(1, 25)}
    lost = GRADER.native_if_lost()
    assert lost == dict.fromkeys(GRADER.intentions[:4], Fraction(0)) | {"keep_rest": Fraction(4, 5)}


def test_retention() -> None:
    retention = GRADER.retention({"source", "prefix", "target", "only_pdf"}, ["keep_rest"])
    assert retention == Retention(
        native=Interval(Fraction(4, 5), Fraction(1)),
        shapley=Interval(Fraction(24, 25), Fraction(1)),
        flat=Interval(Fraction(4, 5), Fraction(1)),
        lost=0,
        lost_upper=1,
    )
    assert GRADER.retention(["source", "source"]).lost == 4


@pytest.mark.parametrize(
    ("retained", "unresolved", "fragment"),
    [
        (["sauce"], [], "'sauce' is not an intention"),
        ([], ["no_clobber"], "'no_clobber' is not an intention"),
        (["moved"], [], "'moved' is not an intention"),
        (["source", "target"], ["target"], "target: both retained and unresolved"),
        ("source", [], "as a collection"),
    ],
)
def test_wrong_names(retained: list[str], unresolved: list[str], fragment: str) -> None:
    with pytest.raises(ValueError, match=fragment):
        GRADER.retention(retained, unresolved)


def test_a_wrong_name_in_value() -> None:
    with pytest.raises(ValueError, match="'x' is not an intention"):
        GRADER.value(["x"])


def test_fixed_criteria_that_do_not_hold() -> None:
    grader = compile_grader(GraderSource(SOURCE.value, SOURCE.intentions, {"no_clobber": False}, SOURCE.let))
    assert grader.status == "not_addressable"
    assert grader.reason == "the score is 0 whether every intention is kept or lost, so there is nothing to lose"
    assert grader.powerless == grader.intentions
    assert grader.retention(["source"]).native is None


def test_interactions_are_the_pairwise_index_in_order_of_strength() -> None:
    def interactions(text: str, most: int = 5) -> list[tuple[str, Fraction]]:
        source = GraderSource(text, dict.fromkeys("abc", Fraction(0)))
        return [("".join(names), value) for names, value in compile_grader(source).interactions(most)]

    assert interactions("0.5*a + 0.5*b") == []
    assert interactions("0.6*all(a, b) + 0.4*c") == [("ab", Fraction(3, 5))]
    assert interactions("0.6*any(a, b) + 0.4*c") == [("ab", Fraction(-3, 5))]
    assert interactions("all(a, b, c)") == [(pair, Fraction(1, 2)) for pair in ("ab", "ac", "bc")]
    assert interactions("0.2*a*b + 0.5*b*c - 0.3*a*c + 0.3*a", 2) == [("bc", Fraction(1, 2)), ("ac", Fraction(-3, 10))]


def test_interactions_of_a_wide_cap_need_no_moebius_form() -> None:
    names = [f"x{index}" for index in range(16)]
    grader = compile_grader(
        GraderSource(f"cap({' + '.join(f'{name}/16' for name in names)}, 0.5)", dict.fromkeys(names, Fraction(0)))
    )
    # adding a second one loses 1/16 only where the others hold exactly 7 of 14: one size of fifteen
    assert grader.interactions(most=500) == [
        ((first, second), Fraction(-1, 16 * 15)) for i, first in enumerate(names) for second in names[i + 1 :]
    ]


def test_records_survive_json() -> None:
    for retention in (GRADER.retention(["source"], ["target"]), undefined()):
        assert Retention.from_json(json.loads(json.dumps(retention.to_json()))) == retention
    assert GRADER.retention(GRADER.intentions[:4], ["keep_rest"]).to_json() == {
        "native": ["4/5", "1"],
        "shapley": ["24/25", "1"],
        "flat": ["4/5", "1"],
        "lost": 0,
        "lost_upper": 1,
        "status": "scored",
        "reason": None,
    }


def undefined() -> Retention:
    return compile_grader(GraderSource("0.5", {"a": Fraction(0)})).retention([])


def test_intervals_print_and_halve() -> None:
    wide, point = Interval(Fraction(1, 2), Fraction(1)), Interval(Fraction(3, 4), Fraction(3, 4))
    assert (str(wide), str(point)) == ("[1/2, 1]", "3/4")
    assert wide.midpoint == point.low
    assert (wide.is_point, point.is_point) == (False, True)


def test_results_do_not_depend_on_what_was_asked_before() -> None:
    text = "0.2 + 0.6*a + 0.6*b - 1.2*a*b + 0.2*c"
    source = GraderSource(text, dict.fromkeys("abc", Fraction(0)))
    used = compile_grader(source)
    first = used.retention([], ["a", "b"])
    used.shapley()
    used.interactions()
    assert used.powerless == ()
    assert used.retention([], ["a", "b"]) == first == compile_grader(source).retention([], ["a", "b"])


def test_threads_may_share_a_grader() -> None:
    text = "0.2 + 0.6*a + 0.6*b - 1.2*a*b + 0.2*c"
    grader = compile_grader(GraderSource(text, dict.fromkeys("abc", Fraction(0))))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: grader.retention([], ["a", "b"]).native, range(200)))
    assert set(found) == {Interval(Fraction(0), Fraction(3))}


def test_a_retention_is_computed_once_and_never_for_another_set() -> None:
    grader = compile_grader(GraderSource(value="0.5*a + 0.25*b + 0.25*c", intentions=dict.fromkeys("abc", Fraction(0))))
    first = grader.retention(["a", "b"], ["c"])
    assert grader.retention(("b", "a"), {"c"}) is first
    assert grader.retention(["a", "b"]).native == Fraction(3, 4)
    assert grader.retention(["a"], ["b"]).lost == 1
    assert first.lost_upper == 1


def test_who_says_the_same_shares_a_grader_and_who_does_not_has_another() -> None:
    worth = {"a": Fraction(0), "b": Fraction(0)}
    source = GraderSource("0.25*a + 0.75*b", worth)
    one = compile_grader(source)
    assert compile_grader(GraderSource("0.25*a + 0.75*b", dict(worth))) is one
    others = [
        GraderSource("0.75*a + 0.25*b", worth),
        GraderSource("0.25*a + 0.75*b", dict(reversed(worth.items()))),
        GraderSource("0.25*a + 0.75*b", {**worth, "b": Fraction(1, 2)}),
        GraderSource("0.25*a + 0.75*b", worth, range=(Fraction(0), Fraction(2))),
        GraderSource("0.25*a + 0.75*c", {"a": Fraction(0)}, fixed={"c": True}),
        GraderSource("0.25*a + 0.75*c", {"a": Fraction(0)}, fixed={"c": False}),
    ]
    graders = [one, *map(compile_grader, others)]
    assert len({id(grader) for grader in graders}) == len(graders)
    assert list(graders[2].shapley()) == ["b", "a"]


def test_what_is_wrong_with_a_grader_is_said_of_each_task_that_has_it() -> None:
    for _ in range(2):
        with pytest.raises(GraderError):
            compile_grader(GraderSource("a +", {"a": Fraction(0)}))
