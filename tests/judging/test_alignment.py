from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.judging.alignment import Alignment, align, is_like, keys_of
from pytest_talk2agent.speech.tokens import tokenise


def _align(script: str, transcript: str) -> Alignment:
    return align(tokenise(script), tokenise(transcript))


def test_equal_texts_pair_one_to_one() -> None:
    alignment = _align("copy a to b", "copy a to b")
    assert alignment.pairs == (0, 1, 2, 3)
    assert all(alignment.exact)


def test_spoken_and_printed_tokens_have_one_key() -> None:
    assert keys_of(tokenise("slash srv dash seven")) == keys_of(tokenise("/srv-7"))


def test_a_word_in_the_place_of_another_is_paired() -> None:
    alignment = _align("merge it into main now", "merge it into mean now")
    assert alignment.pairs == (0, 1, 2, 3, 4)
    assert alignment.exact == (True, True, True, False, True)


def test_the_region_of_what_is_missing_is_empty() -> None:
    alignment = _align("keep seven copies of it", "keep copies of it")
    assert alignment.region(1, 2) == (1, 1)


def test_the_region_takes_in_what_was_added() -> None:
    alignment = _align("set it to seven now", "set it to um three hundred now")
    assert alignment.region(3, 4) == (3, 6)


def test_a_clause_that_moved_is_paired() -> None:
    alignment = _align(
        "open the red door and close every small window", "close every small window and open the red door"
    )
    assert sum(alignment.exact) >= 8


def test_long_texts_are_aligned_piece_by_piece() -> None:
    words = [f"word{chr(97 + index % 26)}{chr(97 + index // 26)}" for index in range(400)]
    heard = [*words[:200], "extra", *words[203:]]
    alignment = _align(" ".join(words), " ".join(heard))
    assert sum(alignment.exact) == 397
    assert alignment.pairs[399] == 397


def test_likeness() -> None:
    assert is_like("site", "sight")
    assert is_like("warn", "warning")
    assert not is_like("alpha", "bravo")
    assert not is_like("7", "seven")


WORDS = st.lists(
    st.sampled_from(["copy", "the", "log", "from", "alpha", "to", "7", "/", "-", "dot", "seven"]), max_size=14
)


@given(WORDS, WORDS)
def test_pairs_are_indices_used_once(script: list[str], transcript: list[str]) -> None:
    left, right = tokenise(" ".join(script)), tokenise(" ".join(transcript))
    alignment = align(left, right)
    assert len(alignment.pairs) == len(left)
    used = [pair for pair in alignment.pairs if pair >= 0]
    assert len(used) == len(set(used))
    assert all(pair < len(right) for pair in used)
    for start in range(len(left)):
        low, high = alignment.region(start, start + 1)
        assert 0 <= low <= high <= len(right)
