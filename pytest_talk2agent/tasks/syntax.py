"""What a YAML syntax error means to the author of a task file."""

from __future__ import annotations

import re

import yaml

HIDDEN_COMMENT = re.compile(r"[ \t]+(?P<comment>#[^\s#]\S*)")
"""A comment that directly follows a plain text and was probably meant as a part of it (``PR #12``)."""

_RESERVED = "@`%*&!|>"
_NOT_YAML = re.compile(r"[^\x09\x0A\x0D\x20-\x7E\x85\xA0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\U00010000-\U0010FFFF]")


def first_unprintable(text: str) -> int | None:
    """The offset of the first character that YAML forbids (such as NUL), or None."""
    found = _NOT_YAML.search(text)
    return found.start() if found else None


def explain(error: yaml.MarkedYAMLError, text: str) -> tuple[int, int, str]:
    """Line, column and one line of what is wrong and what to do."""
    mark = error.problem_mark or error.context_mark
    problem = error.problem or ""
    if error.context_mark and ("alias" in str(error.context) or "anchor" in str(error.context)):
        mark = error.context_mark
    if mark is None:
        return 1, 1, f"{problem}; the text is no YAML"
    line, column = mark.line + 1, mark.column + 1
    rows = text.splitlines()
    row = rows[mark.line] if mark.line < len(rows) else ""
    here = row[mark.column : mark.column + 1]
    if "nesting" in problem:
        return line, column, "nested too deep; a task needs fewer than ten levels"
    if "\t" in row[: mark.column + 1] and not row[: mark.column + 1].strip():
        return line, row.index("\t") + 1, "a tab in the indentation; YAML allows blanks only"
    if here and here in _RESERVED:
        return line, column, f"a text must not begin with `{here}` unless it is quoted; put it in quotes"
    if "mapping values" in problem:
        return line, column, "a second `: ` in one line, or a wrong indentation; quote the text that holds the colon"
    if "end of stream" in problem and error.context_mark:
        start = error.context_mark
        return start.line + 1, start.column + 1, "the quote that opens here is never closed; close it"
    if error.context and "flow" in error.context and error.context_mark:
        start = error.context_mark
        if mark.line >= len(rows):
            line, column = start.line + 1, start.column + 1
        opening = "{" if "mapping" in error.context else "["
        advice = f"close the `{opening}` of line {start.line + 1}, and quote texts that hold `: ` or `,`"
        return line, column, f"{_plain(problem)} inside {opening}..; {advice}"
    return line, column, f"{_plain(problem)}; check the indentation and the quotes around this place"


def _plain(problem: str) -> str:
    return problem.replace("did not find expected", "expected").replace("<", "").replace(">", "")
