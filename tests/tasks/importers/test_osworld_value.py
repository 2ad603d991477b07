from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.grading.grader import GraderSource, compile_grader
from pytest_talk2agent.tasks.importers.osworld_value import (
    conjunction_of,
    has_reference,
    metrics_of,
    opened_checks,
    value_of,
)


@pytest.mark.parametrize(
    ("evaluator", "kind", "value"),
    [
        ({"func": "exact_match"}, "single", "metric_1"),
        ({"func": ["exact_match"]}, "single", "metric_1"),
        ({"func": ["a"], "conj": "or"}, "single", "metric_1"),
        ({"func": ["a", "b"]}, "and", "gate(all(metric_1, metric_2), mean(metric_1, metric_2))"),
        (
            {"func": ["a", "a", "a"], "conj": "and"},
            "and",
            "gate(all(metric_1, metric_2, metric_3), mean(metric_1, metric_2, metric_3))",
        ),
        ({"func": ["a", "b"], "conj": "or"}, "or", "best(metric_1, metric_2)"),
        ({"func": ["a", "b"], "conj": "any"}, "or", "best(metric_1, metric_2)"),  # as the environment takes it
        ({"func": "infeasible"}, "infeasible", "declines"),
    ],
    ids=str,
)
def test_how_metrics_are_combined(evaluator: dict[str, Any], kind: str, value: str) -> None:
    assert (conjunction_of(evaluator), value_of(evaluator)) == (kind, value)


def environment(scores: Sequence[int], conj: str | None) -> Fraction:
    """The rule of the environment, written from its description: its loop over the metrics, in their order."""
    if len(scores) == 1:
        return Fraction(scores[0])
    seen = []
    for score in scores:
        if conj != "or" and score == 0:
            return Fraction(0)
        if conj == "or" and score == 1:
            return Fraction(1)
        seen.append(Fraction(score))
    return max(seen) if conj == "or" else sum(seen, Fraction(0)) / len(seen)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=6), st.sampled_from([None, "and", "or"]))
def test_the_expression_is_the_rule_of_the_environment(scores: list[int], conj: str | None) -> None:
    evaluator: dict[str, Any] = {"func": [f"check_{number}" for number in range(len(scores))]}
    if conj is not None:
        evaluator["conj"] = conj
    names = [f"metric_{number}" for number in range(1, len(scores) + 1)]
    grader = compile_grader(GraderSource(value_of(evaluator), dict.fromkeys(names, Fraction(0))))
    held = [name for name, score in zip(names, scores, strict=True) if score]
    assert grader.value(held) == environment(scores, conj)


def rules(rules: object) -> dict[str, Any]:
    return {"expected": {"type": "rule", "rules": rules}}


OPENED: dict[str, tuple[dict[str, Any], list[tuple[str, list[str], bool]]]] = {
    "compare_table": (
        {
            "options": {
                "rules": [
                    {"type": "sheet_data", "sheet_idx0": 0},
                    {"type": "check_cell", "coordinate": "B7", "props": {"value": {"method": "eq", "ref": "red"}}},
                    {"type": "sheet_data", "sheet_idx0": 1},
                ]
            }
        },
        [
            ("check_sheet_data", ["sheet_data", "0"], False),
            ("check_check_cell", ["check_cell", "B7", "eq", "red"], False),
            ("check_sheet_data_2", ["sheet_data", "1"], False),
        ],
    ),
    "check_direct_json_object": (
        rules({"expected": {"fromCity": "Oslo", "on sale": True, "rooms": 2}}),
        [("check_from_city", ["Oslo"], False), ("check_on_sale", [], False), ("check_rooms", ["2"], False)],
    ),
    "check_json_settings": (
        rules({"expected": {"editor.fontSize": 14, "theme": "Dark"}}),
        [("check_editor_font_size", ["14"], False), ("check_theme", ["Dark"], False)],
    ),
    "check_mp3_meta": (
        rules({"title": {"method": "eq", "ref": "Dawn"}, "artist": {"method": "eq", "ref": "Us"}}),
        [("check_title", ["eq", "Dawn"], False), ("check_artist", ["eq", "Us"], False)],
    ),
    "check_include_exclude": (
        rules({"include": ["yes", "on"], "exclude": ["error"]}),
        [("check_include", ["yes"], False), ("check_include_2", ["on"], False), ("check_exclude", ["error"], True)],
    ),
    "check_list": (
        rules({"expect": ["^a"], "unexpect": ["^b"]}),
        [("check_expect", ["^a"], False), ("check_unexpect", ["^b"], True)],
    ),
    "check_json": (
        rules({"expect": [{"key": ["a"], "method": "eq", "ref": "b"}, {"key": ["c"], "method": "eq", "ref": "d"}]}),
        [("check_expect", ["a", "eq", "b"], False), ("check_expect_2", ["c", "eq", "d"], False)],
    ),
    "check_csv": (
        rules({"expect": [{"name": "a"}], "unexpect": [{"name": "b"}]}),
        [("check_expect", ["a"], False), ("check_unexpect", ["b"], True)],
    ),
    "check_thunderbird_prefs": (
        rules({"expect": {"mail.quote": {"method": "eq", "ref": 1}}, "unexpect": {"mail.loud": {"method": "re"}}}),
        [("check_expect_quote", ["eq", "1"], False), ("check_unexpect_loud", ["re"], True)],
    ),
    "check_thunderbird_filter": (
        rules({"expect": [{"enabled": "yes"}], "unexpect": [{"action": "Delete"}]}),
        [("check_expect", ["yes"], False), ("check_unexpect", ["Delete"], True)],
    ),
    "is_expected_bookmarks": (
        rules({"type": "bookmark_bar_websites_urls", "names": ["News"], "urls": ["https://a.example/"]}),
        [("check_name", ["News"], False), ("check_url", ["https://a.example/"], False)],
    ),
    "is_expected_tabs": (
        rules({"type": "url", "urls": ["https://a.example/", "https://b.example/"]}),
        [("check_url", ["https://a.example/"], False), ("check_url_2", ["https://b.example/"], False)],
    ),
    "is_expected_url_pattern_match": (
        rules({"expected": ["oslo", "drip%20coffee"]}),
        [("check_pattern", ["oslo"], False), ("check_pattern_2", ["drip%20coffee"], False)],
    ),
    "check_gnome_favorite_apps": (
        rules({"expected": ["a.desktop", "b.desktop"]}),
        [("check_app", ["a.desktop"], False), ("check_app_2", ["b.desktop"], False)],
    ),
    "check_accessibility_tree": (
        rules([{"selectors": ["tool-bar"], "text": "OK"}, {"xpath": "//button"}]),
        [("check_element", ["tool-bar", "OK"], False), ("check_element_2", ["//button"], False)],
    ),
}


@pytest.mark.parametrize(("metric", "parts", "expected"), [(name, *row) for name, row in OPENED.items()], ids=OPENED)
def test_a_metric_opens_into_what_its_rules_spell_out(
    metric: str, parts: Mapping[str, Any], expected: list[tuple[str, list[str], bool]]
) -> None:
    (checks,) = opened_checks({"func": metric, **parts})
    assert [(check.name, list(check.literals), check.forbidden) for check in checks] == expected


SHAPES: list[object] = [None, 3, "a", [3], [[]], {"a": 3}]


@pytest.mark.parametrize("malformed", [{}, *({"options": part, "expected": {"rules": part}} for part in SHAPES)])
@pytest.mark.parametrize("metric", OPENED)
def test_rules_of_another_shape_leave_the_metric_one_check(metric: str, malformed: dict[str, Any]) -> None:
    assert opened_checks({"func": metric, **malformed}) == [[]]
    for key in ("expected", "rules", "names", "urls", "expect", "include"):
        for value in (None, 3, "a", {"only": 1}, [None]):
            part: dict[str, Any] = {key: value}
            assert opened_checks({"func": metric, "options": part, "expected": {"rules": part}}) == [[]]


def test_a_metric_with_one_check_is_that_check() -> None:
    assert opened_checks({"func": "check_list", **rules({"expect": ["^a"]})}) == [[]]


def test_a_metric_that_nothing_opens_is_one_check() -> None:
    assert opened_checks({"func": "compare_docx_files", **rules({"expected": ["a", "b"]})}) == [[]]


def test_each_metric_of_a_list_has_its_own_part() -> None:
    evaluator = {
        "func": ["check_list", "compare_csv", "check_list", "compare_table"],
        "expected": [rules({"expect": ["a", "b"]})["expected"], None, rules({"expect": ["c", "d"]})["expected"]],
    }
    opened = opened_checks(evaluator)
    assert [[check.literals for check in checks] for checks in opened] == [[("a",), ("b",)], [], [("c",), ("d",)], []]
    assert metrics_of(evaluator) == evaluator["func"]


def test_a_list_of_metrics_without_lists_of_parts_opens_nothing() -> None:
    assert opened_checks({"func": ["check_list", "check_list"], **rules({"expect": ["a", "b"]})}) == [[], []]


def test_checks_of_one_metric_have_names_of_their_own() -> None:
    keys = {"a": 1, "a_2": 2, "A": 3, "a-": 4, "名": 5, "!": 6}
    (checks,) = opened_checks({"func": "check_direct_json_object", **rules({"expected": keys})})
    assert [check.name for check in checks] == [
        "check_a",
        "check_a_2",
        "check_a_3",
        "check_a_4",
        "check_item",
        "check_item_2",
    ]


@pytest.mark.parametrize(
    ("expected", "is_reference"),
    [
        ({"type": "cloud_file", "path": "https://files.example/gold.xlsx"}, True),
        ({"type": "vm_file"}, True),
        ([None, {"type": "cloud_file"}], True),
        ({"type": "rule", "rules": {}}, False),
        ([{"type": "rule"}, None], False),
        (None, False),
    ],
    ids=str,
)
def test_a_reference_is_a_file_that_is_expected(expected: object, is_reference: bool) -> None:
    assert has_reference({"func": "f", "expected": expected}) is is_reference
    assert not has_reference({"func": "f", "result": {"type": "vm_file"}})
