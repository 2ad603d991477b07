from __future__ import annotations

import pytest

from pytest_talk2agent.context.pronunciation import Closeness, atom, closeness, is_fixed, pronounced, sounds_of, weigh


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        ("report_final.docx", ("report", "_", "final", ".", "docx")),
        ("loadRows", ("load", "rows")),
        ("HTTPServer2", ("http", "server", "2")),
        ("/srv/archive/2026", ("/", "srv", "/", "archive", "/", "2026")),
        ("Nora Lindgren", ("nora", "lindgren")),
        ("--dry-run", ("-", "-", "dry", "-", "run")),
        ("", ()),
    ],
)
def test_a_term_has_parts(term: str, parts: tuple[str, ...]) -> None:
    assert pronounced(term).parts == parts


def test_what_a_term_is_made_of() -> None:
    term = pronounced("/var/log_2.tar.gz")
    assert (term.lead, term.trail, term.extension) == ("/", "", True)
    assert term.letters == "varlog2targz"
    assert term.words == ("var", "log", "tar", "gz")
    assert term.symbols == {"/", "_", "."}
    assert pronounced("invoice_").trail == "_"
    assert not pronounced("2.10.1").extension


@pytest.mark.parametrize(
    ("term", "said"),
    [
        ("nginx", ["en", "jin", "x"]),
        ("rsync", ["r", "sync"]),
        ("pdf", ["p", "d", "f"]),
        ("srv", ["s", "r", "v"]),
        ("a.docx", ["a", ".", "doc", "x"]),
        ("a.yaml", ["a", ".", "yammel"]),
    ],
)
def test_a_term_has_the_readings_that_people_use(term: str, said: list[str]) -> None:
    vowels = str.maketrans({"Y": "i", "j": "g"})
    wanted = "".join("." if word == "." else sounds_of(word) for word in said).translate(vowels)
    assert wanted in [reading.sounds.translate(vowels) for reading in pronounced(term).readings]


def test_every_sound_has_its_part() -> None:
    for term in ("report_final.docx", "nginx-tree.txt", "no_clobber2"):
        for reading in pronounced(term).readings:
            assert len(reading.sounds) == len(reading.owners)
            assert "".join(reading.of(index) for index in range(len(pronounced(term).parts))) == reading.sounds


def test_numbers_and_negations_are_like_nothing_else() -> None:
    signs = [atom(word) for word in ("no", "not", "one", "two", "twelfth", "hundred")]
    assert None not in signs
    assert len(set(signs)) == len(signs)
    assert all(is_fixed(sign) for sign in signs if sign)
    assert atom("know") is None
    assert atom("no") == atom("no")
    assert is_fixed("7")
    assert not is_fixed("b")


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
