"""Six graders of public benchmarks, re-expressed: aggregation rules and their published oracle values."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.grading.grader import Grader, GraderSource, Group, compile_grader

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "compiled_examples.json"

ALTERNATIVES = GraderSource(
    "enlarge * any(large_text, zoom)", {"enlarge": Fraction(0)}, {"large_text": True, "zoom": False}
)
FILTERS = GraderSource(
    "gate(all(m1, m2), mean(m1, m2))",
    dict.fromkeys(["product", "on_sale", "price_low", "price_high", "black"], Fraction(0)),
    {"shown": True, "nothing_else": True},
    {"m1": "all(product, shown)", "m2": "all(on_sale, price_low, price_high, black, nothing_else)"},
)
SEARCH = GraderSource(
    "gate(save_path, gate(all(symbol, version, request), 0.2 + 0.8*two_searches))",
    dict.fromkeys(["symbol", "version", "request", "save_path"], Fraction(0)),
    {"two_searches": True},
)
HIGHLIGHTS = GraderSource(
    "gate(video, (0.3*sheet + 0.7*content) * length)",
    dict.fromkeys(
        ["player", "half", "goals", "buildup", "no_party", "length", "video", "sheet_out", "fields"], Fraction(0)
    ),
    let={
        "sheet": "all(sheet_out, fields, player, half, goals)",
        "content": "mean(all(player, half), goals, buildup, no_party)",
    },
)
HARD = ("manifest", "fields", "renamed", "folder", "single", "unchanged")
BIBLIOGRAPHY = GraderSource(
    "gate(hard, 0.05*ids + 0.05*titles + 0.05*name + 0.15*figures + 0.20*bib + 0.25*listed_only + 0.25*damage) * clean",
    dict.fromkeys(
        (*HARD, "ids", "titles", "rule", "figures", "one_file", "no_extra"),
        Fraction(0),
    ),
    {"listed_only": True, "damaged_ok": True},
    {
        "hard": "all(manifest, fields, renamed, folder, single, unchanged)",
        "name": "all(titles, rule)",
        "bib": "all(ids, one_file)",
        "damage": "damaged_ok * mean(ids, titles, name, figures, bib)",
        "clean": "floor(no_extra, 0.5)",
    },
)


def shares(grader: Grader) -> dict[str, Fraction]:
    return {name: value / grader.full for name, value in grader.shapley().items()}


def test_alternatives() -> None:
    assert compile_grader(ALTERNATIVES).shapley() == {"enlarge": Fraction(1)}


@pytest.mark.parametrize("source", [FILTERS, SEARCH])
def test_conjunctions_share_equally_and_any_loss_is_total(source: GraderSource) -> None:
    grader = compile_grader(source)
    assert set(shares(grader).values()) == {Fraction(1, len(source.intentions))}
    assert set(grader.native_if_lost().values()) == {Fraction(0)}


def test_highlights() -> None:
    grader = compile_grader(HIGHLIGHTS)
    expected = dict.fromkeys(["player", "half"], "97/1120") | {"goals": "17/168"}
    expected |= dict.fromkeys(["buildup", "no_party"], "7/120") | dict.fromkeys(["length", "video"], "293/1120")
    expected |= dict.fromkeys(["sheet_out", "fields"], "3/70")
    assert grader.shapley() == {name: Fraction(value) for name, value in expected.items()}
    lost = grader.native_if_lost()
    assert lost["player"] == lost["goals"] == Fraction("0.525")
    assert lost["buildup"] == Fraction("0.825")
    assert lost["video"] == 0
    assert lost["fields"] == Fraction("0.7")


def test_bibliography() -> None:
    grader = compile_grader(BIBLIOGRAPHY)
    hard = dict.fromkeys(HARD, "2693/20160")
    soft = {"ids": "173/4032", "titles": "127/5040", "rule": "17/1440", "figures": "3/112", "one_file": "17/576"}
    expected = hard | soft | {"no_extra": "157/2520"}
    assert grader.shapley() == {name: Fraction(value) for name, value in expected.items()}
    assert grader.native_if_lost()["titles"] == Fraction("0.8")
    assert grader.native_if_lost()["no_extra"] == Fraction(1, 2)


def test_group_of_forty_five_criteria_has_as_many_players_as_needs() -> None:
    source = GraderSource(
        "0.5*mean(cell) + 0.3*mean(edge) + 0.2*saved",
        dict.fromkeys(["grid", "path", "saved"], Fraction(0)),
        groups={"cell": Group(25, ("grid", "path")), "edge": Group(20, ("path",))},
    )
    assert compile_grader(source).shapley() == {
        "grid": Fraction(1, 4),
        "path": Fraction(1, 4) + Fraction(3, 10),
        "saved": Fraction(1, 5),
    }


def examples() -> list[dict[str, Any]]:
    return json.loads(DATA.read_text()) if DATA.is_file() else []


@pytest.mark.skipif(not DATA.is_file(), reason="the shared data is not beside this checkout")
@pytest.mark.parametrize("example", examples(), ids=lambda example: example["task"].rsplit("/", 1)[-1])
def test_published_examples(example: dict[str, Any]) -> None:
    intentions = dict.fromkeys(example["intentions"], Fraction(0))
    grader = compile_grader(GraderSource(example["value"], intentions, example["fixed"], example["let"]))
    oracle = example["oracle"]
    assert grader.base == oracle["v_F"]
    assert grader.value(intentions) == oracle["v_all"]
    for kind, found in (("shapley_share", shares(grader)), ("native_drop_one", grader.native_if_lost())):
        for name, expected in oracle[kind].items():
            members = intentions if name == "each" else [name]
            if name == "hard_each":
                members = ["manifest_out", "fields", "ren_dir", "bib_dir", "one_per_pdf", "bytes_same"]
            for member in members:
                value = found[member]
                assert value is not None
                assert round(float(value), 4) == pytest.approx(expected, abs=1e-9)
