"""Workspaces of the task on an academic home page in which a chosen set of criteria holds."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("clean_style",)

PAPERS = (
    ("ICCV", 2025, "first"),
    ("CVPR", 2025, "shared"),
    ("CVPR", 2024, "first"),
    ("ICCV", 2025, "third"),
    ("CVPR", 2025, "third"),
    ("ICML", 2025, "first"),
    ("ICML", 2025, "third"),
)
"""Venue, year and the author's place of all papers; the first two are those asked for."""

LATER = {5, 6, 7, 10, 13, 14, 15, 16, 17, 18, 24, 25, 27, 28, 29, 30, 31, 32, 34}
"""The rubric lines on what lies below the first screen, by number."""


def build(world: World) -> None:
    """Lay out a page and its screenshot. The stubbed judge sees no pictures, so the screenshot is a list of facts."""
    page = {
        "whole": world.holds("full_page"),
        "template": world.holds("template"),
        "clean": world.holds("clean_style"),
        "author": world.holds("author"),
        "profile": world.holds("author_source"),
        "news": ["2025.07"] if world.holds("news_until") else ["2025.12", "2025.07"],
        "papers": papers(world) if world.holds("author") else [],
    }
    folder = "results/" if world.holds("screenshot_path") else ""
    world.write("results/index.html", "<p>a page</p>")
    world.write(f"{folder}screenshot.png", json.dumps(page).ljust(2048))
    world.judge(lambda prompt: {line: judged(page, int(number)) for line, number in lines(prompt)})


def papers(world: World) -> list[tuple[str, int, str]]:
    """The papers that pass the filters which the agent was told; a lost conference is another one."""
    venues = {name for name in ("ICCV", "CVPR") if world.holds(name.lower())} or {"ICML"}
    return [
        (venue, year, place)
        for venue, year, place in PAPERS
        if (venue in venues or (venue == "ICML" and not world.holds("only_these")))
        and (year == 2025 or not world.holds("year"))
        and (place != "third" or not world.holds("first_author"))
    ]


def lines(prompt: str) -> list[tuple[str, str]]:
    """The names of the rubric lines in the judge's prompt, with their numbers."""
    return re.findall(r"^ *- ((?:style|prompt|content|visual)_(\d+)_\w+):", prompt, re.MULTILINE)


def judged(page: dict[str, Any], number: int) -> int:
    """Whether the page satisfies a rubric line; 0 for what the screenshot leaves in doubt."""
    shown, template, profile = page["papers"], page["template"], page["profile"]
    if number in LATER and not page["whole"]:
        return 0
    special = {
        2: template and profile,
        7: template and page["author"],
        9: page["clean"],
        15: shown == list(PAPERS[:2]),
        16: page["author"] and all(place != "third" for _, _, place in shown),
        17: PAPERS[0] in shown,
        18: PAPERS[1] in shown,
        19: all(date < "2025.10" for date in page["news"]),
        20: page["author"],
        33: profile,
    }
    return int(special.get(number, profile if 20 < number < 33 else template))
