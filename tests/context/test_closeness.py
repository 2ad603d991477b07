from __future__ import annotations

import pytest

from pytest_talk2agent.context.closeness import Closeness, closeness, weigh
from pytest_talk2agent.context.pronunciation import atom, sounds_of


def between(heard: str, said: str, most: float = 9.0) -> Closeness | None:
    one, other = sounds_of(heard), sounds_of(said)
    return closeness(one, (0,) * len(one), other, (0,) * len(other), most)


def cost(heard: str, said: str) -> float:
    close = between(heard, said)
    assert close is not None
    return close.cost


def test_what_sounds_the_same_costs_nothing() -> None:
    for heard, said in (("novac", "novak"), ("norra", "nora"), ("flack", "flac"), ("site", "cite")):
        assert cost(heard, said) == 0


@pytest.mark.parametrize(
    ("near", "far", "said"),
    [("firm", "farm", "fern"), ("luka", "lucas", "lucca"), ("bar", "car", "var"), ("build", "bulk", "bill")],
)
def test_sounds_that_are_mistaken_cost_less(near: str, far: str, said: str) -> None:
    assert 0 < cost(near, said) < cost(far, said)


def test_digits_and_fixed_words_are_never_mistaken() -> None:
    for heard, said in (("12", "13"), ("1", ""), ("", "1"), (str(atom("no")), "nO"), (str(atom("one")), "1")):
        assert closeness(heard, (0,) * len(heard), said, (0,) * len(said), 99.0) is None
    close = closeness("a12", (0, 1, 1), "a12", (0, 1, 1), 1.0)
    assert close is not None
    assert close.cost == 0


def test_a_symbol_may_be_missing_but_not_invented() -> None:
    assert closeness("ab", (0, 0), "a_b", (0, 1, 2), 1.0) is not None
    assert closeness("a_b", (0, 0, 0), "ab", (0, 0), 1.0) is None
    assert closeness("a_b", (0, 0, 0), "a/b", (0, 0, 0), 1.0) is None
    assert closeness("a-b", (0, 0, 0), "ab", (0, 0), 1.0) is not None  # recognisers put hyphens where they like


def test_the_cost_falls_on_its_owners() -> None:
    close = closeness("sinkrip", (0, 0, 0, 0, 1, 1, 1), "sinkrib", (0, 0, 0, 0, 1, 1, 1), 5.0)
    assert close is not None
    assert close.cost == close.heard[1] == close.said[1] > 0
    assert close.heard[0] == close.said[0] == 0
    lost = closeness("sink", (0,) * 4, "sinkrib", (0, 0, 0, 0, 1, 1, 1), 5.0)
    assert lost is not None
    assert lost.said[1] == lost.cost == pytest.approx(weigh("rib"))


def test_what_costs_too_much_is_given_up() -> None:
    assert between("river", "mountain", 2.0) is None
