"""Workspaces of the task on a home page made from a resume in which a chosen set of criteria holds."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_talk2agent.execution.world import World

VARIES = ("clean_style",)

WANTED = ("first, accepted", "second, accepted", "shared, accepted")
OTHERS = {"first_author": "third, accepted", "accepted": "first, under review", "no_findings": "first, in Findings"}
"""The papers that each filter keeps away."""

LATER = {5, 6, 7, 10, 13, 14, 16, 17, 18, 19, 20, 21, 22, 28, 29, 31, 32, 33, 34, 35, 36, 38}
"""The rubric lines on what lies below the first screen, by number."""


def build(world: World) -> None:
    """Lay out a page and its screenshot. The stubbed judge sees no pictures, so the screenshot is a list of facts."""
    known = world.holds("resume") and world.holds("author")
    page = {
        "whole": world.holds("full_page"),
        "template": world.holds("template"),
        "clean": world.holds("clean_style"),
        "author": world.holds("author"),
        "resume": world.holds("resume"),
        "portrait": world.holds("first_link") or world.holds("second_link"),
        "news": ["2025.07"] if world.holds("news_year") else ["2026.01", "2025.07"],
        "papers": [*WANTED, *(paper for name, paper in OTHERS.items() if not world.holds(name))] if known else [],
    }
    folder = "results/" if world.holds("screenshot_path") else ""
    world.write("results/index.html", "<p>a page</p>")
    world.write(f"{folder}screenshot.png", json.dumps(page).ljust(2048))
    world.judge(lambda prompt: {line: judged(page, int(number)) for line, number in lines(prompt)})


def lines(prompt: str) -> list[tuple[str, str]]:
    """The names of the rubric lines in the judge's prompt, with their numbers."""
    return re.findall(r"^ *- ((?:style|prompt|content|visual)_(\d+)_\w+):", prompt, re.MULTILINE)


def judged(page: dict[str, Any], number: int) -> int:
    """Whether the page satisfies a rubric line; 0 for what the screenshot leaves in doubt."""
    shown, template = page["papers"], page["template"]
    if number in LATER and not page["whole"]:
        return 0
    special = {
        2: template and page["portrait"],
        7: template and page["author"],
        9: page["clean"],
        19: shown == list(WANTED),
        **{20 + place: paper in shown for place, paper in enumerate(WANTED)},
        23: all(date.startswith("2025") for date in page["news"]),
        24: page["author"],
        37: page["portrait"],
    }
    return int(special.get(number, page["resume"] if 24 < number < 37 else template))
