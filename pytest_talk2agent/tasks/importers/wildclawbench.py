"""WildClawBench: one Markdown file a task, ``tasks/<category>/<id>.md``.

Sections are level-2 headings. The prompt is the section Prompt; the grader is the fenced block of Automated Checks.
The front matter differs between forks (timeouts) and enters no fingerprint.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pytest_talk2agent.tasks.importers.original import Checkout, Format, Original, head_of, read_all, refused, text_of

BENCHMARK = "wildclawbench"

TEMPLATE = "task0_template"
"""The id, and the name of the file, of what is no task."""

_FRONT = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(?P<key>\w+):[ \t]*(?P<value>.*?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^## (?P<name>.+?)[ \t]*$", re.MULTILINE)
_GRADER = "Automated Checks"
_FENCE = re.compile(r"\s*```[^\n]*\n(?P<body>.*?)^```[ \t]*$(?=\s*(?:^## |\Z))", re.DOTALL | re.MULTILINE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]+")


def looks_like_task(text: str) -> bool:
    """Whether a Markdown text has the front matter and the prompt of a task."""
    front = _FRONT.match(text)
    return bool(front and re.search(r"^id:", front["fields"], re.MULTILINE) and re.search("^## Prompt", text, re.M))


def read_task(path: Path) -> Iterator[Original]:
    """Read one task file; raises TaskFileError where it has no front matter, no id or no prompt."""
    text = text_of(path)
    front = _FRONT.match(text)
    if front is None:
        raise refused(path, "no front matter; a task begins with lines between `---` and `---`, with an `id:`")
    fields = {match["key"]: match["value"].strip("'\"") for match in _FIELD.finditer(front["fields"])}
    if not fields.get("id"):
        raise refused(path, "the front matter has no `id:`; a task needs one")
    sections = _sections(text)
    if not sections.get("Prompt", (0, ""))[1]:
        raise refused(path, "no text under `## Prompt`; a task needs a prompt")
    line, prompt = sections["Prompt"]
    fenced = _FENCE.match(sections.get(_GRADER, (0, ""))[1])
    language = "chinese" if len(_CHINESE.findall(prompt)) > len(_LATIN.findall(prompt)) else "english"
    tags = (fields.get("category", path.parent.name), language, fields.get("modality", ""))
    yield Original(
        benchmark=BENCHMARK,
        task=fields["id"],
        prompt=prompt,
        grader=(fenced["body"] if fenced else "").strip(),
        path=path,
        line=line,
        tags=tuple(tag for tag in tags if tag),
    )


def read_checkout(root: Path) -> Checkout:
    """Read a checkout, its ``tasks`` folder, a category or one file. The template is left out.

    Raises TaskFileError where there is no task file at all.
    """
    if root.is_file():
        return read_all(root, [root], read_task)
    folder = root / "tasks" if (root / "tasks").is_dir() else root
    files = [path for path in sorted(folder.rglob("*.md")) if is_task_name(path)]
    if not files:
        raise refused(root, "no WildClawBench task; name a checkout with tasks/<category>/<id>.md", line=0)
    return read_all(root, files, read_task)


def is_task_name(path: Path) -> bool:
    """Whether a file is named as tasks are; the template is not."""
    return path.suffix == ".md" and "_task_" in path.stem


def _sections(text: str) -> dict[str, tuple[int, str]]:
    """Heading to its first line of text and the stripped text; a line of the fenced grader is no heading."""
    sections: dict[str, tuple[int, str]] = {}
    mark = _HEADING.search(text)
    while mark:
        fenced = _FENCE.match(text, mark.end()) if mark["name"] == _GRADER else None
        following = _HEADING.search(text, fenced.end() if fenced else mark.end())
        body = text[mark.end() : following.start() if following else len(text)]
        begin = mark.end() + len(body) - len(body.lstrip())
        sections.setdefault(mark["name"], (text.count("\n", 0, begin) + 1, body.strip()))
        mark = following
    return sections


def is_file(path: Path) -> bool:
    """Whether a file is a task by its name and its text."""
    return is_task_name(path) and looks_like_task(head_of(path))


FORMAT = Format(BENCHMARK, is_file, read_task, read_checkout, option="wcb")
