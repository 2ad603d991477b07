"""What is counted in a message agrees with its number: no line of ours says `1 tasks`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_talk2agent
from pytest_talk2agent.tasks.errors import counted

ROOT = Path(pytest_talk2agent.__file__).parent
NOUN = re.compile(
    r" (cases|comparisons|conditions|disagreements|errors|hints|intentions|items|labels|questions|recordings|tasks"
    r"|transcripts|trials|utterances|values|warnings)\b"
)
FILES = sorted(path for path in ROOT.rglob("*.py") if ROOT / "grading" not in path.parents)
"""Grading imports the standard library alone, and counts in its messages only what is too many."""
SHARE = re.compile(r"(\b(of|of its|than|over|under|at most|at least|all|about|to|x) |/)$")
"""Where a number is the whole of a share or a bound, it is read as one: `1 of 1 tasks`, `more than 1 items`."""


def uncounted(source: str) -> Iterator[str]:
    """The numbers in texts that stand right before a plural noun, as they are written."""
    for text in ast.walk(ast.parse(source)):
        if not isinstance(text, ast.JoinedStr):
            continue
        parts = [ast.Constant(""), *text.values, ast.Constant("")]
        for before, value, after in zip(parts, parts[1:], parts[2:], strict=False):
            if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                follows = str(after.value)
                share = isinstance(before, ast.Constant) and SHARE.search(str(before.value))
                written = ast.unparse(value.value)
                word = written.isupper() or written.endswith((".kind", ".name"))
                if NOUN.match(follows) and not share and not word:
                    yield f"{written}{follows}"


def test_the_search_finds_what_it_is_for() -> None:
    found = uncounted("f\"{len(tasks)} tasks, {n} of {m} items, {MOST} labels, {counted(n, 'item')}, {n} rowsome\"")
    assert list(found) == ["len(tasks) tasks, "]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numbers_agree_with_what_they_count(path: Path) -> None:
    assert list(uncounted(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (21, "21 tasks"), (1660, "1,660 tasks")]
)
def test_counted(number: int, said: str) -> None:
    assert counted(number, "task") == said
