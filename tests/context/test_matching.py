from __future__ import annotations

from pytest_talk2agent.context.matching import Match, glossary, matches
from pytest_talk2agent.context.windows import hear


def found(text: str, *terms: str, kept: tuple[tuple[int, int], ...] = ()) -> list[tuple[str, str, bool]]:
    every = sorted(matches(hear(text), glossary(terms), kept), key=lambda match: match.rank)
    best: dict[str, Match] = {}
    for match in every:
        best.setdefault(match.term.text, match)
    return [(text[each.start : each.end], each.term.text, each.exact) for each in best.values()]


def test_spelling_comes_before_sound() -> None:
    assert found("open sink underscore log dot md", "sync_log.md", "sink_log.md") == [
        ("sink underscore log dot md", "sink_log.md", True),
        ("sink underscore log dot md", "sync_log.md", False),
    ]


def test_more_of_a_term_comes_before_less() -> None:
    assert [term for _, term, _ in found("call Norra Lingren", "Nora", "Nora Lindgren")] == ["Nora Lindgren", "Nora"]


def test_a_single_ordinary_word_is_no_term() -> None:
    assert glossary(("main", "tests", "42", "")) == {}
    assert glossary(("Lucca",)) != {}


def test_a_kept_window_may_only_grow() -> None:
    text = "open nginx tree dot txt"
    whole = [("nginx tree dot txt", "nginx-tree.txt", True)]
    assert found(text, "nginx-tree.txt", kept=((1, 2),)) == whole
    assert found(text, "nginx-tree.txt", kept=((1, 5),)) == []
    assert found(text, "nginx-tree.txt", kept=((0, 2),)) == []
