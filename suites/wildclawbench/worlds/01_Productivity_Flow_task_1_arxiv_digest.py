"""Workspaces of the task on a daily digest of papers in which a chosen set of criteria holds."""

from __future__ import annotations

import ast
import re
from typing import Any

from pytest_talk2agent.execution.world import World

_CLASSES = {
    "multimodal": "Multimodal / Vision-Language Models",
    "medical": "Medical Image Analysis",
    "generation": "Image / Video Generation & Editing",
    "driving": "Autonomous Driving / Robotics / Embodied AI",
    "three_d": "3D Vision / Reconstruction / Gaussian Splatting",
}
_COUNTS = ("main_figures", "appendix_figures", "main_tables", "appendix_tables", "total_figures", "total_tables")
_SCORES = {"CapRL-3B": "51.07", "CCCaption-2B": "52.80"}
_WRONG = 100


def _constant(grader: str, name: str) -> Any:
    for node in ast.walk(ast.parse(grader)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    raise ValueError(f"the grader has no {name}")


def _plain(pattern: str) -> str:
    """A text that a pattern of the grader matches: its first alternative without the signs."""
    pattern = re.sub(r"^\(\?:(.*?)\|.*\)$", r"\1", pattern).removeprefix("(?:").removesuffix(")")
    pattern = pattern.replace(r"\s+", " ").replace(r"\s*", " ").replace(r"\.?", ".").replace(r"\.", "\0")
    return re.sub(r"\.\*|\.\?|\.", " ", pattern).replace("\0", ".")


def _classification(world: World, fetched: bool) -> list[str]:
    truth = _constant(world.grader, "ground_truth")
    lines = ["### Classification" if world.holds("class_section") else "### Topics"]
    for (name, heading), papers in zip(_CLASSES.items(), truth.values(), strict=True):
        lines.append(f"#### {heading}" if world.holds(name) else f"#### Topic {name}")
        lines += [f"- **{_plain(paper)}**" for paper in papers] if fetched else ["- **Paper of another day**"]
    return [*lines, "#### Others"]


def _counts(world: World, row: dict[str, Any]) -> dict[str, int]:
    counts = {name: int(row[name]) for name in _COUNTS}
    if not world.holds("sum_rule"):
        counts["total_figures"], counts["total_tables"] = counts["main_figures"], counts["main_tables"]
    if not world.holds("top_level"):
        counts = {name: count + _WRONG * (2 if name.startswith("total") else 1) for name, count in counts.items()}
    return counts


def _audit(world: World, fetched: bool) -> list[str]:
    lines = ["### Multimodal Paper Metadata Audit" if world.holds("audit_section") else "### Details"]
    if not fetched:
        return [*lines, "| Paper of another day | 1 |"]
    for row in _constant(world.grader, "metadata_ground_truth").values():
        authors = [_plain(author) for author in row["authors"]]
        counts = _counts(world, row)
        cells = [_plain(row["paper"])]
        cells += ["2602.00001"] if world.holds("id_column") else []
        cells += [", ".join(authors)] if world.holds("authors") else []
        cells += ["Yes" if row["has_appendix"] else "No"] if world.holds("has_appendix") else []
        cells += [str(counts[name]) for name in _COUNTS if world.holds(name)]
        cells += [_plain(row["appendix_evidence"])] if world.holds("evidence") else []
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _interest(world: World, fetched: bool) -> list[str]:
    chosen = "CCCaption" if fetched and world.holds("own_work") else "Some Paper"
    lines = ["### Personalized Recommendations"]
    lines.append("#### Papers of Interest" if world.holds("interest_section") else "#### Reading list")
    lines.append(f"- **{chosen}** — close to the work")
    if not world.holds("one_paper"):
        lines.append("- **Second Paper** — close to the work")
    lines.append("#### Benchmark Comparison" if world.holds("benchmark_section") else "#### Results")
    if not (fetched and world.holds("own_work") and world.holds("prism")):
        return [*lines, "| Model | Accuracy |", "|---|---|", "| other | 1 |"]
    lines += ["| MLLM | CharXiv | InfoVQA | Avg. |", "|---|---|---|---|"]
    for name, average in _SCORES.items():
        if name.startswith("CapRL") or world.holds("proposed"):
            lines.append(f"| {name} | 1 | 55.94 | {average if world.holds('average') else '-'} |")
    return lines


def build(world: World) -> None:
    """Lay out the workspace."""
    fetched = world.holds("subject") and world.holds("day")
    lines = [*_classification(world, fetched), *_audit(world, fetched), *_interest(world, fetched)]
    path = "results/arxiv_digest.md" if world.holds("digest_out") else "results/papers.md"
    world.write(path, "\n".join(lines) + "\n")
