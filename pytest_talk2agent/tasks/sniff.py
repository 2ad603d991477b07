"""A cheap look at a YAML text that tells whether it can be a task file."""

from __future__ import annotations

import re

_DOCUMENT = re.compile(r"^---(?=\s|$)", re.MULTILINE)
_FIRST = re.compile(r"^(?P<indent> *)(?P<start>[^\s#%].*)$", re.MULTILINE)
_FLOW = re.compile(r"""[{,]\s*(?:"|'|)(?:intentions|instruction)(?:"|'|)\s*:""")


def looks_like_tasks(text: str) -> bool:
    """Whether some document has a top-level key ``intentions`` or ``instruction``, in block or flow style.

    Nothing is parsed: a file that looks like tasks may still be no valid YAML, which is then an error worth showing.
    """
    if "intentions" not in text and "instruction" not in text:
        return False
    return any(map(_is_task, _DOCUMENT.split(text.removeprefix("\ufeff"))))


def _is_task(document: str) -> bool:
    first = _FIRST.search(document)
    if first is None:
        return False
    if first["start"].startswith("{"):
        return _FLOW.search(document) is not None
    key = rf"""^{first["indent"]}(?:\? +)?(["']?)(?:intentions|instruction)\1[ \t]*(?::(?:\s|$)|\r?$)"""
    return re.search(key, document, re.MULTILINE) is not None
