"""Workspaces of the home page of a project in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("navigation", "four_sections", "responsive", "craft")
NAME, ADDRESS = "VLMEvalKit", "https://github.com/open-compass/VLMEvalKit/"
RULES = "@media (max-width: 600px) { body { margin: 0 } }"
FILLER = "<p>" + "A sentence on the project. " * 50 + "</p>"


def build(world: World) -> None:
    """Write the page, its styles (inside, or in a second file) and a screenshot."""
    styles = RULES if world.holds("responsive") else "body { margin: 0 }"
    if not world.holds("inline_style"):
        world.write("results/style.css", styles)
    page = "index" if world.holds("html_out") else "page"
    world.write(f"results/{page}.html", _page(world, styles))
    picture = "screenshot" if world.holds("screenshot_out") else "capture"
    world.write(f"results/{picture}.png", b"." * 1001)
    world.judge(
        {
            "content_completeness": float(world.holds("core_facts")),
            "design_quality": float(world.holds("design") and world.holds("craft")),
        }
    )


def _page(world: World, styles: str) -> str:
    """A page on the project, which its name and its address lead to, or on some other one."""
    known = world.holds("project") or world.holds("repository")
    title = f'<h1>{NAME}</h1><a href="{ADDRESS}">Code</a>' if known else "<h1>A project</h1>"
    own = f"<style>{styles}</style>" if world.holds("inline_style") else '<link rel="stylesheet" href="style.css">'
    menu = "<nav>Menu</nav>" if world.holds("navigation") else ""
    sections = "<section>Text</section>" * (4 if world.holds("four_sections") else 3)
    images = '<img src="data:,">' * (5 if world.holds("five_images") else 4)
    head = f'<head><meta name="viewport" content="width=device-width">{own}</head>'
    return f"<html>{head}<body>{menu}{title}{sections}{images}{FILLER}</body></html>"
