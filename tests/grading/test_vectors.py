"""The test vectors of the reference note on exact Shapley values: V1 to V15 and B1 to B4."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest

from pytest_talk2agent.grading.grader import Grader, GraderSource, compile_grader
from pytest_talk2agent.grading.retention import Interval


class Case(NamedTuple):
    retained: str
    unresolved: str
    native: str
    shapley: str


class Vector(NamedTuple):
    value: str
    phi: dict[str, str]
    cases: list[Case]
    fixed: dict[str, bool]


def vector(value: str, phi: str, *cases: tuple[str, str, str, str], fixed: str = "") -> Vector:
    names = "abcde"
    shares = {name: share.strip() for name, share in zip(names, phi.split(","), strict=False)}
    return Vector(value, shares, [Case(*case) for case in cases], dict.fromkeys(fixed.split(), True))


VECTORS = {
    "V1 additive": vector(
        "0.5*a + 0.3*b + 0.2*c",
        "1/2, 3/10, 1/5",
        ("a", "b", "1/2 4/5", "1/2 4/5"),
        ("ac", "", "7/10", "7/10"),
    ),
    "V2 all": vector(
        "all(a, b, c)",
        "1/3, 1/3, 1/3",
        ("ab", "", "0", "2/3"),
        ("a", "bc", "0 1", "1/3 1"),
        ("ab", "c", "0 1", "2/3 1"),
    ),
    "V3 gate": vector(
        "gate(a, 0.6*b + 0.4*c)",
        "1/2, 3/10, 1/5",
        ("bc", "", "0", "1/2"),
        ("ab", "c", "3/5 1", "4/5 1"),
        ("b", "ac", "0 1", "3/10 1"),
    ),
    "V4 any": vector(
        "0.5*any(a, b) + 0.5*c",
        "1/4, 1/4, 1/2",
        ("ac", "", "1", "3/4"),
        ("a", "c", "1/2 1", "1/4 3/4"),
        ("c", "ab", "1/2 1", "1/2 1"),
    ),
    "V5 threshold": vector(
        "steps(0.50*a + 0.49*b + 0.01*c, 0.51, 1, 0)",
        "2/3, 1/6, 1/6",
        ("a", "", "0", "2/3"),
        ("a", "b", "0 1", "2/3 5/6"),
        ("bc", "a", "0 1", "1/3 1"),
    ),
    "V6 cap": vector(
        "cap(0.5*a + 0.4*b + 0.3*c, 0.8)",
        "7/20, 1/4, 1/5",
        ("ab", "", "1", "3/4"),
        ("c", "b", "3/8 7/8", "1/4 9/16"),
        ("bc", "a", "7/8 1", "9/16 1"),
    ),
    "V7 penalty": vector(
        "floor(0.6*a + 0.4*b - 0.5*c, 0)",
        "29/60, 1/3, -19/60",
        ("ab", "", "2", "49/30"),
        ("a", "c", "1/5 6/5", "1/3 29/30"),
        ("", "abc", "0 2", "-19/30 49/30"),
    ),
    "V8 xor": vector(
        "0.2 + 0.6*a + 0.6*b - 1.2*a*b + 0.2*c",
        "0, 0, 1/5",
        ("a", "", "3", "0"),
        ("", "ab", "0 3", "0"),
        ("c", "ab", "1 4", "1"),
    ),
    "V9 knife edge": vector(
        "steps(0.7*a + 0.1*b + 0.2*c, 0.8, 1, 0)",
        "2/3, 1/6, 1/6",
        ("ab", "", "1", "5/6"),
        ("a", "b", "0 1", "2/3 5/6"),
        ("bc", "", "0", "1/3"),
    ),
    "V10 shared and null": vector(
        "steps(0.5*all(a, b) + 0.5*all(a, c) + 0.25*d, 0.5, 1, 0)",
        "2/3, 1/6, 1/6, 0",
        ("abd", "", "1", "5/6"),
        ("a", "bc", "0 1", "2/3 1"),
        ("bc", "ad", "0 1", "1/3 1"),
    ),
    "V11 product": vector(
        "(0.5*a + 0.5*b) * cap(0.6*c + 0.6*d, 0.9)",
        "1/4, 1/4, 1/5, 1/5",
        ("acd", "", "1/2", "13/18"),
        ("ac", "bd", "1/3 1", "1/2 1"),
        ("ab", "c", "0 2/3", "5/9 7/9"),
    ),
    "V12 everything": vector(
        "gate(all(a, atleast(2, b, c, d)), floor(cap(0.5*d + 0.5*e + 0.2*b, 0.9) - 0.3*no(c), 0.1))",
        "217/600, 19/200, 107/600, 17/100, 19/200",
        ("abd", "c", "4/9 7/9", "94/135 161/180"),
        ("acd", "be", "5/9 1", "71/90 1"),
        ("abcd", "", "7/9", "161/180"),
    ),
    "V14 inverted": vector(
        "0.5*a - 0.8*b",
        "1/2, -4/5",
        ("b", "", "8/3", "8/3"),
        ("a", "b", "-5/3 1", "-5/3 1"),
    ),
    "V15 fixed": vector(
        "f1*(0.6*all(a, b) + 0.3*c) + 0.1*f2",
        "3/10, 3/10, 3/10",
        ("ac", "", "1/3", "2/3"),
        fixed="f1 f2",
    ),
}


def compiled(names: str | list[str], value: str, fixed: dict[str, bool] | None = None) -> Grader:
    return compile_grader(
        GraderSource(value, dict.fromkeys(names, Fraction(0)), fixed or {}, range=(Fraction(-10), Fraction(10)))
    )


def interval(text: str) -> Interval:
    low, *high = map(Fraction, text.split())
    return Interval(low, *(high or [low]))


@pytest.mark.parametrize("name", VECTORS)
def test_shapley_values(name: str) -> None:
    grader = compiled(list(VECTORS[name].phi), VECTORS[name].value, VECTORS[name].fixed)
    assert grader.shapley() == {player: Fraction(share) for player, share in VECTORS[name].phi.items()}
    assert sum(grader.shapley().values()) == grader.full


@pytest.mark.parametrize(("name", "case"), [(name, case) for name in VECTORS for case in VECTORS[name].cases])
def test_intervals(name: str, case: Case) -> None:
    grader = compiled(list(VECTORS[name].phi), VECTORS[name].value, VECTORS[name].fixed)
    retention = grader.retention(list(case.retained), list(case.unresolved))
    assert retention.native == interval(case.native)
    assert retention.shapley == interval(case.shapley)
    players = len(VECTORS[name].phi)
    assert retention.lost == players - len(case.retained) - len(case.unresolved)
    assert retention.lost_upper == players - len(case.retained)
    assert retention.flat == Interval(
        Fraction(len(case.retained), players), Fraction(len(case.retained) + len(case.unresolved), players)
    )


def test_v8_keeps_intentions_whose_shapley_value_is_zero() -> None:
    grader = compiled("abc", VECTORS["V8 xor"].value)
    assert grader.powerless == ()
    assert grader.base == Fraction(1, 5)
    assert grader.full == Fraction(1, 5)


def test_v10_names_the_null_player() -> None:
    assert compiled("abcd", VECTORS["V10 shared and null"].value).powerless == ("d",)


def test_v13_nothing_to_lose_is_undefined() -> None:
    grader = compiled("ab", "0.5*a - 0.5*b")
    assert grader.status == "not_addressable"
    assert grader.shapley() == {"a": Fraction(1, 2), "b": Fraction(-1, 2)}
    retention = grader.retention(["a"], ["b"])
    assert retention.native is None
    assert retention.shapley is None
    assert retention.flat == Interval(Fraction(1, 2), Fraction(1))
    assert retention.reason is not None
    assert "nothing to lose" in retention.reason
    assert grader.value(["a"]) - grader.base == Fraction(1, 2)
    assert grader.native_if_lost() == {"a": None, "b": None}


def test_v14_is_inverted() -> None:
    grader = compiled("ab", "0.5*a - 0.8*b")
    assert grader.status == "inverted"
    assert grader.full == Fraction(-3, 10)


def test_v15_fixed_criteria_are_no_players() -> None:
    fixed = compiled("abc", VECTORS["V15 fixed"].value, {"f1": True, "f2": True})
    assert (fixed.base, fixed.full) == (Fraction(1, 10), Fraction(9, 10))
    players = compiled(["a", "b", "c", "f1", "f2"], VECTORS["V15 fixed"].value)
    assert list(players.shapley().values()) == [Fraction(x) for x in ("1/5", "1/5", "3/20", "7/20", "1/10")]


NAMES = [f"x{index}" for index in range(46)]


def test_b1_gate_and_mean() -> None:
    phi = compiled(NAMES, f"gate(all(x0, x1), mean({', '.join(NAMES[2:])}))").shapley()
    assert list(phi.values()) == [Fraction(1, 3)] * 2 + [Fraction(1, 132)] * 44


def test_b2_wide_threshold() -> None:
    rest = " + ".join(f"{name}/90" for name in NAMES[1:])
    phi = compiled(NAMES, f"steps(0.5*x0 + {rest}, 0.75, 1, 0)").shapley()
    assert list(phi.values()) == [Fraction(1, 2)] + [Fraction(1, 90)] * 45


def test_b3_wide_cap() -> None:
    phi = compiled(NAMES, f"cap(mean({', '.join(NAMES)}), 0.5)").shapley()
    assert set(phi.values()) == {Fraction(1, 92)}


def test_b4_gate_cap_floor_and_penalties() -> None:
    gains = " + ".join(f"{index}/820*x{index}" for index in range(1, 41))
    losses = " - ".join(f"0.1*x{index}" for index in range(41, 46))
    grader = compiled(NAMES, f"gate(x0, cap(floor({gains} - {losses}, 0), 0.9))")
    phi = grader.shapley()
    assert grader.full == Fraction(1, 2)
    assert phi["x0"] == Fraction(41049078703239184849, 160917964379541369000)
    assert phi["x1"] == Fraction(81315184734072611, 137929683753892602000)
    assert phi["x40"] == Fraction(22855518243315463037, 965507786277248214000)
    assert {phi[f"x{index}"] for index in range(41, 46)} == {Fraction(-26450347998171982421, 551718735015570408000)}
    assert sum(phi.values()) == grader.full
