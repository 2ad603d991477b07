"""Workspaces of the task on biography sections in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

_PEOPLE = ("甲某", "乙某", "丙某")
_HIMSELF = "某帝"
_TOO_MANY = 10


def _section(world: World, name: str) -> str:
    """What is stored of a person's section."""
    text = f"## 早年\n{name}，汉朝人。\n"
    if not world.holds("simplified"):
        text = text.replace("汉", "漢")
    if world.holds("whole_section"):
        text += f"## 晚年\n{name}还乡。\n"
    if not world.holds("no_links"):
        text = text.replace(name, f"[{name}](https://example.org)")
    return text if world.holds("bare") else f"{text}(stored by the agent)\n"


def build(world: World) -> None:
    """Lay out the workspace."""
    for name in _PEOPLE:
        world.write(f"gt/{name}.md", f"## 早年\n{name}，汉朝人。\n## 晚年\n{name}还乡。\n")
    people = list(_PEOPLE) if world.holds("subject") else ["某人", "他人"]
    if not world.holds("real_name"):
        people = [f"{name}侯" for name in people]
    if not world.holds("not_himself"):
        people.append(_HIMSELF)
    for criterion in ("in_section", "with_section", "no_extra"):
        if not world.holds(criterion):
            people += [f"{criterion}_{number}" for number in range(_TOO_MANY)]
    folder = "results" if world.holds("out_dir") else "biographies"
    suffix = "md" if world.holds("file_names") else "txt"
    for name in people:
        world.write(f"{folder}/{name}.{suffix}", _section(world, name))
