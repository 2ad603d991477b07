"""Workspaces of the task on recovering LaTeX tables in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

_TABLES = 4


def _table(paper: str, number: int) -> str:
    cells = f"\\begin{{tabular}}{{c}}{number}\\end{{tabular}}"
    return f"\\begin{{table}}\n\\caption{{{paper} {number}}}\n{cells}\n\\end{{table}}\n"


def _spoilt(world: World, tables: list[str]) -> list[str]:
    """The tables as they come out of an agent that did not hear how a file is to look."""
    if not world.holds("from_source"):
        tables = [table.replace("\\begin{table}", "\\begin{table}\n\\centering", 1) for table in tables]
    if not world.holds("every_table"):
        tables = [table[table.index("\\begin{tabular}") : table.index("\\end{table}")] for table in tables]
    if not world.holds("verbatim"):
        tables = [table.replace("{c}", "{l}") for table in tables]
    if not world.holds("bare"):
        tables = [f"Here is the table.\n{table}" for table in tables]
    return tables if world.holds("one_each") else ["".join(tables)]


def build(world: World) -> None:
    """Lay out the workspace."""
    truth = [_table("right", number) for number in range(1, _TABLES + 1)]
    for number, table in enumerate(truth, start=1):
        world.write(f"gt/{number}.tex", table)
    tables = truth if world.holds("paper") else [_table("other", number) for number in range(1, _TABLES + 1)]
    tables = _spoilt(world, tables)
    if not world.holds("order"):
        tables = tables[1:] + tables[:1]
    folder = "results" if world.holds("out_dir") else "tables"
    name = "{}.tex" if world.holds("file_names") else "table_{}.tex"
    for number, table in enumerate(tables, start=1):
        world.write(f"{folder}/{name.format(number)}", table)
