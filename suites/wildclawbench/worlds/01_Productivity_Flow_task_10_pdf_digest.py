"""Workspaces of the task on renaming, sorting and reading papers in which a chosen set of criteria holds."""

from __future__ import annotations

import ast
import json
import re

from pytest_talk2agent.execution.world import World

_CLASSES = {
    "multimodal": "Multimodal / Vision-Language Models",
    "medical": "Medical Image Analysis",
    "generation": "Image / Video Generation & Editing",
    "driving": "Autonomous Driving / Robotics / Embodied AI",
    "three_d": "3D Vision / Reconstruction / Gaussian Splatting",
    "others": "Others",
}
_FILES = {f"hash{number}.pdf": f"Paper Number {number}" for number in range(4)}
_TITLE = "Captions: A Paper"
_ROWS = 3


def _checkpoints(grader: str) -> dict[str, list[str]]:
    """The papers that the grader looks for in each class, as titles that its patterns match."""
    for node in ast.walk(ast.parse(grader)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "checkpoint_papers":
            found = ast.literal_eval(node.value)
            return {name: [re.sub(r"\.\*|\.", " ", pattern) for pattern in found[name]] for name in found}
    raise ValueError("the grader names no papers")


def _truth() -> dict[str, object]:
    info = {
        "title": _TITLE,
        "table_caption_keywords": ["second caption"],
        "required_columns": ["Model", "Score"],
        "data_row_count": _ROWS,
        "key_cells": [{"row": "method 1", "value": "0.71"}],
    }
    return {
        "rename_mapping": {name: f"{title.replace(' ', '_')}.pdf" for name, title in _FILES.items()},
        "classification": {},
        "hash_to_title": {},
        "caption_papers": [_TITLE],
        "caption_table2_info": {"hash0.pdf": info},
    }


def _renamed(world: World) -> list[str]:
    titles = list(_FILES.values()) if world.holds("by_title") else [f"file {number}" for number in range(len(_FILES))]
    sign = "_" if world.holds("underscores") else "-"
    return [f"{title.replace(' ', sign)}.pdf" for title in titles]


def _classes(world: World) -> list[str]:
    papers = _checkpoints(world.grader)
    lines = ["### Classification" if world.holds("class_section") else "### Groups"]
    for name, heading in _CLASSES.items():
        lines.append(f"#### {heading}" if world.holds(name) else f"#### Group {name}")
        lines += [f"- {paper}" for paper in papers.get(heading, [])]
    return lines


def _caption(world: World) -> list[str]:
    if not world.holds("topic"):
        return ["### Papers on another topic", "#### Some Paper"]
    second = world.holds("second_table")
    lines = ["### Caption-Related Papers", f"#### {_TITLE}"]
    if world.holds("table_caption"):
        lines.append(f"**Table 2: {'second' if second else 'first'} caption**")
    cells = [["Model", "Score"], ["---", "---"], *(["method " + str(n), f"0.7{n}"] for n in range(1, _ROWS + 1))]
    if not second:
        cells = [["Data", "Size"], ["---", "---"], *([f"set {n}", str(n)] for n in range(3 * _ROWS))]
    if world.holds("as_markdown"):
        return lines + [f"| {' | '.join(row)} |" for row in cells]
    return lines + [", ".join(row) for row in cells]


def build(world: World) -> None:
    """Lay out the workspace."""
    world.write("gt/ground_truth.json", json.dumps(_truth()))
    folder = "results/papers" if world.holds("papers_dir") else "results/renamed"
    for name in _renamed(world):
        world.write(f"{folder}/{name}" if world.holds("flat") else f"{folder}/sorted/{name}", b"%PDF")
    text = "\n".join([*_classes(world), *_caption(world)]) + "\n"
    world.write("results/paper_digest.md" if world.holds("digest_out") else "results/digest.md", text)
