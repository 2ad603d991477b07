"""Workspaces of the task on the conference papers of a scholar in which a chosen set of criteria holds."""

from __future__ import annotations

from typing import NamedTuple

from pytest_talk2agent.execution.world import World

_COLUMNS = ("Conference", "Title", "Authors", "Abstract", "Author links", "GitHub commit id")
_VERSIONS = (4, 4, 3, 1)
"""arXiv versions of each paper. There are more than ten, so that none under its right name brings cleanliness to 0."""
_OTHER_ROWS = 1000
_EXTRA_FILES = 10
_AUTHORS = ("Ann Arbor", "Bo Berg")
_COMMIT = "0123abc"


class _Row(NamedTuple):
    conference: str
    title: str
    authors: str
    abstract: str
    links: str
    commit: str


def _truth(number: int, commit: str) -> _Row:
    links = ", ".join(f"{name}: not found" for name in _AUTHORS)
    return _Row("CVPR", f"Right Paper {number}", ", ".join(_AUTHORS), f"Abstract {number}.", links, commit)


def _links(world: World, authors: tuple[str, ...]) -> str:
    missing = "not found" if world.holds("not_found") else "none"
    found = missing if world.holds("homepage") else "https://profiles.example/someone"
    return ", ".join(f"{name}: {found}" if world.holds("link_format") else f"{name} ({found})" for name in authors)


def _answer(world: World, number: int, commit: str) -> _Row:
    truth = _truth(number, commit)
    title = truth.title
    if not world.holds("exact_title"):
        title = f"{title} (preprint)"
    for name in ("scholar", "year"):
        if not world.holds(name):
            title = f"Paper {number} of another {name}"
    authors = _AUTHORS if world.holds("full_authors") else _AUTHORS[:1]
    if not world.holds("not_found"):
        commit = "none"
    elif not (world.holds("commit_rule") and world.holds("commit_day")):
        commit = "fedcba9"
    return _Row(
        truth.conference if world.holds("abbreviation") else "Conference on Vision",
        title,
        ", ".join(authors),
        truth.abstract if world.holds("official_text") else "Abstract of the preprint.",
        _links(world, authors),
        commit,
    )


def _names(title: str, versions: int, known: bool) -> list[str]:
    if not known:
        return [f"source {title} {version}.tex" for version in range(versions)]
    return [f"{title}.tex"] if versions == 1 else [f"{title}_v{version}.tex" for version in range(1, versions + 1)]


def _source(world: World, text: str) -> str:
    if not world.holds("main_tex"):
        text = "\\section{Appendix}\n"
    return text if world.holds("tex_as_is") else f"% saved by the agent\n{text}"


def _table(columns: tuple[str, ...], rows: list[_Row], delimiter: str) -> str:
    return "".join(delimiter.join(cells) + "\n" for cells in (columns, *rows))


def build(world: World) -> None:
    """Lay out the workspace."""
    commit = _COMMIT if world.holds("not_found") else "not found"
    truth = [_truth(number, commit) for number in range(len(_VERSIONS))]
    world.write("gt/gt.tsv", _table(_COLUMNS, truth, "\t"))
    rows = [_answer(world, number, commit) for number in range(len(_VERSIONS))]
    for right, row, versions in zip(truth, rows, _VERSIONS, strict=True):
        names = _names(right.title, versions, known=True)
        own_names = _names(row.title, versions, known=world.holds("tex_names"))
        for name in names:
            world.write(f"gt/gt_tex/{name}", f"source of {name}\n")
        if world.holds("all_versions") or own_names != names:
            for name, own in zip(names, own_names, strict=True):
                world.write(f"results/{own}", _source(world, f"source of {name}\n"))
    if not world.holds("main_only"):
        minor = _Row("Workshop", "Minor", _AUTHORS[0], "Abstract.", f"{_AUTHORS[0]}: not found", "not found")
        rows += [minor._replace(title=f"Minor {number:04}") for number in range(_OTHER_ROWS)]
    if not world.holds("one_row"):
        rows += rows[:1]
    rows.sort(key=lambda row: (row.conference.casefold().replace(" ", ""), row.title.casefold()))
    if not world.holds("sorted_rows"):
        rows.reverse()
    columns = _COLUMNS if world.holds("header") else ("Venue", *_COLUMNS[1:])
    table = _table(columns, rows, "\t" if world.holds("tab") else ";")
    world.write("results/2022.tsv" if world.holds("tsv_out") else "papers.tsv", table)
    if not world.holds("no_extra"):
        for number in range(_EXTRA_FILES):
            world.write(f"results/archive_{number}.tar.gz", "archive")
