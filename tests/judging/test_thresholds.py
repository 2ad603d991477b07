"""What a constant of the lexical judge decides: a case on either side, where another value gives another label."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.lexical import judge
from tests.judging.mutations import constants, labelled_cases

# Name: the case that a third of the constant breaks, and the one that four times it breaks.
HELD = {
    "alignment._ALIKE": ("alike-less", "own-154"),
    "alignment._GAP_LIGHT": ("gap-light-less", "own-115"),
    "alignment._GAP_WORD": ("own-154", "blind-116"),
    "alignment._MOVED": ("blind-158", "moved-more"),
    "alignment._OTHER_WORD": ("blind-205", "two-061"),
    "alignment._SAME_CLASS": ("own-115", "numbers 22.4"),
    "answers._LEAST_WORDS": ("sentences 4.0", "least-words-more"),
    "corrections._BEFORE": ("own-218", "before-more"),
    "corrections._NEAR": ("correction-near-less", "correction-near-more"),
    "corrections._REPEATED": ("corrections 7.4", "own-075"),
    "hearing._LONGEST_STUTTER": ("stutter-less", "stutter-more"),
    "mentions._LEAST_SPELLED": ("spelled-less", "spelled-more"),
    "mentions._NEAR": ("mentions-near-less", "mentions-near-more"),
    "numeric._HINT_REACH": ("value-611", "value-612"),
    "times._HINT_OF_OTHER": ("value-604", "value-603"),
}
# Constants of which one side or both still lack a case: none may be added here.
OPEN = frozenset(
    (
        "alignment._OTHER_CLASS", "dates._LONGEST_ABBREVIATION", "exchange._REACH", "exchange._SURE",
        "gist._BACK_REACH", "gist._CONTRARY_REACH", "gist._MOVED_SLACK", "languages._CHINESE_REACH",
        "languages._LEAST", "measures.NOUNS", "mentions._CHINESE_REACH", "mentions._LEAST_WORD",
        "negation._LONGEST_LIST", "negation._LONGEST_NOUN", "numeric._RATE_REACH",
        "place._SIGHT", "revision._LEAST_LETTERS", "revision._NEAR", "revision._SPELLED_REACH", "sounds._LENGTHS_APART",
        "symbolic._STYLE_REACH", "symbols._LONGEST", "times._HINT_REACH",
        "times._LONGEST_OPENING", "unit_phrases._LONGEST_SPELLED", "wording._LONGEST_SPLIT", "wording._SHORT",
    )
)  # fmt: skip
ALL = labelled_cases()
KNOWN = {one.name: one for one in constants()}


def test_no_constant_is_forgotten() -> None:
    assert set(KNOWN) == set(HELD) | OPEN


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
