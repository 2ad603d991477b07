"""What a reader sees of a red run before anything is clicked or scrolled, on a screen and on a phone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.judging.judgement import Finding, Label
from pytest_talk2agent.reporting.failure import Rerun
from pytest_talk2agent.reporting.html.before import BeforeBaseline
from pytest_talk2agent.results.verdict import Outcome
from tests.browser.conftest import Open, heard_wrong, write
from tests.results.builders import baseline, result

SCREEN, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture
def red(tmp_path: Path) -> Path:
    """Eight tasks that lost their port, one of which had lost it before; and one that the baseline lacks."""
    rows = [heard_wrong(f"services/port-{number}") for number in range(8)]
    before = BeforeBaseline(baseline(tmp_path / "rc0.json", rows[0], *(result(row.task) for row in rows[1:7])))
    return write(tmp_path / "red.html", [*rows, result("kept")], before=before, rerun=Rerun("..", ("--t2a-frozen",)))


def seen(page: Any, place: str, viewport: dict[str, int]) -> int:
    """How many elements lie wholly within the first screen."""
    boxes = [one.bounding_box() for one in page.locator(place).all()]
    inside = [box for box in boxes if box and box["y"] >= 0 and box["y"] + box["height"] <= viewport["height"]]
    return sum(box["x"] >= 0 and box["x"] + box["width"] <= viewport["width"] for box in inside)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("viewport", "rows"), [(SCREEN, 8), (PHONE, 2)], ids=["screen", "phone"])
def test_the_first_screen_says_what_was_lost(
    opens: Open, red: Path, viewport: dict[str, int], rows: int, scheme: str
) -> None:
    page = opens(red, viewport=viewport, color_scheme=scheme).page
    assert seen(page, "h1", viewport) == 1
    for cell in (".l-wanted", ".l-heard", ".l-where a", ".l-before .was"):
        assert seen(page, f".lost tbody {cell}", viewport) >= rows - 1, cell
    first = page.locator(".lost tbody tr").nth(1)
    assert first.locator(".l-wanted").inner_text() == "8080"
    assert first.locator(".l-heard").inner_text() == "8081"
    assert "suites/tasks.yaml" in first.locator(".l-where").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize(("viewport", "rows"), [(SCREEN, 8), (PHONE, 5)], ids=["screen", "phone"])
def test_the_first_screen_of_a_green_run_says_what_its_worst_items_lost(
    opens: Open, tmp_path: Path, viewport: dict[str, int], rows: int
) -> None:
    wrong = [heard_wrong(f"services/port-{number}") for number in range(8)]
    lossy = [replace(row, verdict=replace(row.verdict, outcome=Outcome.PASSED, reasons=())) for row in wrong]
    page = opens(write(tmp_path / "green.html", lossy), viewport=viewport).page
    assert page.locator("h1").inner_text() == "Gate passed"
    assert page.locator("td.what").first.inner_text().startswith("port: wanted 8080, heard 8081")
    assert seen(page, "td.what", viewport) >= rows
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    table = page.get_by_role("region", name="worst tasks").locator("table").locator("..")
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth"), "nothing is cut off at the right"


def test_each_row_says_since_when(opens: Open, red: Path) -> None:
    page = opens(red, viewport=SCREEN).page
    cells = [" ".join(text.split()) for text in page.locator(".lost tbody .l-before").all_inner_texts()]
    assert sorted(cells) == ["lost before Native 0.5", "new item", *["retained before Native 1"] * 6]


def test_the_width_is_used_and_a_phone_has_one_column(opens: Open, red: Path) -> None:
    wide, narrow = (opens(red, viewport=viewport).page for viewport in (SCREEN, PHONE))
    lost, beside = (wide.locator(place).first.bounding_box() for place in (".lost", "aside"))
    assert beside["x"] > lost["x"] + lost["width"]
    assert beside["x"] + beside["width"] > 0.9 * SCREEN["width"]
    lost, beside = (narrow.locator(place).first.bounding_box() for place in (".lost", "aside"))
    assert beside["y"] >= lost["y"] + lost["height"]


def test_means_kinds_and_what_they_are_stand_beside_it(opens: Open, red: Path) -> None:
    page = opens(red, viewport=SCREEN).page
    assert seen(page, "aside .meaning dt", SCREEN) == 2
    means = [" ".join(text.split()) for text in page.locator("aside section").first.locator("tr").all_inner_texts()]
    assert means == ["before now", "Native 0.929 0.5", "Shapley 0.929 0.5", "lost 1/14 7/14"]
    assert "Over 7 items that both have; 2 items had no result before." in page.locator("aside").inner_text()
    kinds = {
        " ".join(text.split())
        for text in page.get_by_label("intentions lost, by kind").locator("tbody tr").all_inner_texts()
    }
    assert "number 8/10 before 1/7" in kinds


def test_a_row_leads_to_its_item(opens: Open, red: Path) -> None:
    page = opens(red, viewport=SCREEN).page
    page.locator(".lost tbody a").nth(3).click()
    page.locator("tr.detail").wait_for()
    heads = page.locator("tr.detail .intentions thead th").all_inner_texts()
    assert heads == ["intention", "label", "before", "wanted", "heard", "share", "why"]
    again = page.locator("tr.detail .rerun code").inner_text()
    assert again.startswith("pytest '../suites/tasks.yaml::services/port-")
    assert again.endswith("' --t2a-interface=whisper:tiny.en --t2a-frozen")


@pytest.mark.parametrize("viewport", [SCREEN, PHONE], ids=["screen", "phone"])
def test_long_values_stay_in_their_place(opens: Open, tmp_path: Path, viewport: dict[str, int]) -> None:
    row = heard_wrong("t" * 120, "c" * 80, take="z" * 60)
    found = {
        "port": Finding(Label.CHANGED, "another", "w" * 400, "h" * 400),
        "service": Finding(Label.OMITTED, "", "w"),
    }
    row = replace(row, judgement=replace(row.judgement, findings=found))
    page = opens(write(tmp_path / "r.html", [row]), viewport=viewport).page
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
