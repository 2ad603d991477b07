"""Workspaces of the slides on a project in which a chosen set of criteria holds."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PIL import Image

from pytest_talk2agent.execution.world import World

VARIES = ("craft",)


class Document:
    """A PDF as the grader reads it: a number of pages, each of which gives a picture."""

    def __init__(self, path: str) -> None:
        self._count = int(Path(path).read_text())
        picture = io.BytesIO()
        Image.new("1", (16, 9)).save(picture, "PNG")
        self._picture = picture.getvalue()

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Any:
        return SimpleNamespace(get_pixmap=lambda matrix: SimpleNamespace(tobytes=lambda form: self._picture))

    def close(self) -> None:
        """Nothing is open."""


def build(world: World) -> None:
    """Write slides that hold nothing but their number; what they show is the judge's knowledge."""
    world.module("fitz", open=Document, Matrix=lambda x, y: (x, y))
    name = "output" if world.holds("slides_out") else "slides"
    world.write(f"results/{name}.pdf", "8" if world.holds("eight_pages") else "12")
    design = world.holds("craft") * (world.holds("uniform") + world.holds("professional")) / 2
    on_project = world.holds("project") or world.holds("repository")
    world.judge({"content_coverage": float(on_project), "visual_quality": design})
