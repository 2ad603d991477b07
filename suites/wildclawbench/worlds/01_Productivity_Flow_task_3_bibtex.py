"""Workspaces of the task on titles and BibTeX of local PDFs in which a chosen set of criteria holds."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from pytest_talk2agent.execution.world import World

VARIES = ("only_arxiv",)

_EXTRA_FILES = 5
_FOREIGN = "messy_9.pdf"


class _Paper(NamedTuple):
    number: int

    @property
    def original(self) -> str:
        return f"messy_{self.number}.pdf"

    @property
    def content(self) -> bytes:
        return f"%PDF-1.4 paper {self.number}".encode()

    @property
    def identifier(self) -> str:
        return f"2501.0000{self.number}"

    @property
    def title(self) -> str:
        return f"Paper: Number {self.number}"

    @property
    def entry(self) -> str:
        return f"@misc{{paper{self.number},\n  title={{{self.title}}}\n}}\n"


_PAPERS = tuple(_Paper(number) for number in range(1, 5))
_DAMAGED = _PAPERS[2:]


def _truth(world: World) -> None:
    items = [
        {
            "input_sha256": hashlib.sha256(paper.content).hexdigest(),
            "arxiv_id": paper.identifier,
            "title": paper.title,
            "figure_count": paper.number,
            "is_corrupted": paper in _DAMAGED,
        }
        for paper in _PAPERS
    ]
    world.write("gt/gt_manifest.json", json.dumps(items))
    for paper in _PAPERS:
        world.write(paper.original, paper.content)
        world.write(f"gt/{paper.identifier}.bib", paper.entry)
    world.write(_FOREIGN, b"%PDF-1.4 no arXiv paper")


def build(world: World) -> None:
    """Lay out the workspace."""
    _truth(world)
    renamed = "results/renamed_papers" if world.holds("ren_dir") else "results/renamed"
    bibtex = "results/bibtex" if world.holds("bib_dir") else "results/references"
    items = []
    for place, paper in enumerate(_PAPERS):
        taken_for = paper if world.holds("ids") else _PAPERS[place - 1]
        title = paper.title if world.holds("titles") else f"Working Title {paper.number}"
        clean = title.replace(":", "-") if world.holds("fname_rule") else title.replace(": ", "_")
        name = f"{clean}.pdf" if world.holds("fname_rule") else f"{clean}_renamed.pdf"
        items.append(
            {
                "original_filename": paper.original,
                "arxiv_id": taken_for.identifier,
                "title": title,
                "renamed_filename": name,
                "figure_count": paper.number + (0 if world.holds("fig_rule") else 7),
            }
        )
        world.write(f"{renamed}/{name}", paper.content + (b"" if world.holds("bytes_same") else b"\n"))
        entry = paper.entry if world.holds("bib_rule") else f"@article{{own{paper.number}}}\n"
        world.write(f"{bibtex}/{taken_for.identifier}.bib", entry)
    if not world.holds("only_arxiv"):
        items.append({**items[0], "original_filename": _FOREIGN})
    if not world.holds("one_per_pdf"):
        del items[0]
    if not world.holds("fields"):
        items = [{**item, "id": item.pop("arxiv_id")} for item in items]
    manifest = "results/paper_manifest.json" if world.holds("manifest_out") else "manifest.json"
    world.write(manifest, json.dumps(items))
    if not world.holds("no_extra"):
        for number in range(_EXTRA_FILES):
            world.write(f"results/note_{number}.txt", "note")
