"""Workspaces of the task on a summary that must not replace another one, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("keeps_original",)

OLD = "ResNet learns a residual: a skip connection adds the input to the output, so that deeper nets still train.\n" * 2
NEW = "MAE masks most patches of an image; the encoder sees the rest and a decoder predicts the masked pixels.\n" * 2


def build(world: World) -> None:
    """Lay out the old summary, the paper and the new summary."""
    found = world.holds("author") and world.holds("paper")
    world.write("summary.md", OLD)
    if found and world.holds("download"):
        world.write("MAE.pdf" if world.holds("pdf_out") else "papers/he2021.pdf", b"%PDF-1.5\n" + b"0" * 2048)
    if found and world.holds("summarize"):
        if not world.holds("summary_out"):
            world.write("notes/he2021.md", NEW)
        elif world.holds("keeps_original"):
            world.write("MAE_summary.md", NEW)
        else:
            world.write("summary.md", NEW)
