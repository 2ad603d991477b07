"""The knowledge base: a search by shared words (APEX-Voice 1.6, `kb_search`).

Apart from the workbench: how documents are ranked decides scores, and is published by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pytest_talk2agent.workflows.package.package import Document

MOST_HITS = 5
"""Hits of one search, so that nobody reads a whole knowledge base at once; ``compat`` has no bound."""
USUAL_HITS = 3

_TOKEN = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> frozenset[str]:
    """The distinct words and numbers of a text, in lower case."""
    return frozenset(_TOKEN.findall(text.lower()))


class Knowledge:
    """The documents of a package."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = [(document, tokens(f"{document.title} {document.text}")) for document in documents]

    def search(self, query: str, top_k: int, most: int | None = MOST_HITS) -> dict[str, Any]:
        """The documents that share words with a query: the more, the earlier; then by id.

        Where more are asked for than ``most``, the result says so.
        """
        asked = tokens(query)
        scored = [(len(asked & words), document) for document, words in self._documents]
        found = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].doc_id))
        kept = max(top_k, 0) if most is None else min(max(top_k, 0), most)
        hits = [
            {"doc_id": document.doc_id, "title": document.title, "score": score, "text": document.text}
            for score, document in found[:kept]
        ]
        return {"hits": hits} if most is None or top_k <= most else {"hits": hits, "note": f"top_k is at most {most}"}
