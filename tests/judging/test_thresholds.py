"""Every constant of the lexical judge has a case on either side: with another value of it, a label is another one."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.lexical import judge
from tests.judging.mutations import constants, labelled_cases

# Name: the case that a third of the constant breaks, and the one that four times it breaks.
HELD = {
#HELD
}
ALL = labelled_cases()
KNOWN = {one.name: one for one in constants()}


def test_no_constant_is_forgotten() -> None:
    assert set(KNOWN) == set(HELD)


@pytest.mark.parametrize("name", sorted(HELD))
def test_a_smaller_and_a_larger_value_break_a_label(name: str) -> None:
    constant = KNOWN[name]
    for value, case_id in zip((constant.value // 3, constant.value * 4), HELD[name], strict=True):
        case = ALL[case_id]
        right = judge(case).labels()
        with constant.as_if(value):
            try:
                other = judge(case).labels()
            except (IndexError, ValueError, RecursionError):
                continue
        assert other != right, (name, value)
