"""A suite from a few written instructions: a task for each, proposed by rules and marked as such."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pytest_talk2agent.tasks.importers.draft import draft_of, to_yaml
from pytest_talk2agent.tasks.importers.original import Original

_WORD = re.compile(r"[A-Za-z0-9]+")
_MOST = 1000
_LONGEST = 20_000


def instructions_in(text: str) -> list[str]:
    """The instructions of a text: its paragraphs. Raises ValueError where there is none, or what is too much."""
    found = [part.strip() for part in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")) if part.strip()]
    if not found:
        raise ValueError("no instruction; write one, or several with an empty line between them")
    if len(found) > _MOST or max(map(len, found)) > _LONGEST:
        raise ValueError(f"at most {_MOST} instructions of {_LONGEST} characters are taken")
    return found


def suite_of(name: str, instructions: Sequence[str], path: Path) -> str:
    """The text of a task file with a proposed task for each instruction."""
    drafts, taken = [], set[str]()
    for number, instruction in enumerate(instructions, 1):
        words = [word.lower() for word in _WORD.findall(instruction)][:4]
        slug = "-".join(words) or f"task-{number}"
        while slug in taken:
            slug = f"{slug}-{number}"
        taken.add(slug)
        drafts.append(draft_of(Original(name, slug, instruction, "", path)))
    return to_yaml(drafts)
