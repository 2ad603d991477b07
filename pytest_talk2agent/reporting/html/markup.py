"""HTML that is escaped by construction: what is not `Markup` is text, whoever wrote it."""

from __future__ import annotations

import html
import json

VOID = frozenset({"meta", "link", "input"})


class Markup(str):
    """A piece of finished HTML."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | float | bool | None) -> Markup:
    """An element; children and attribute values that are not `Markup` are escaped.

    An underscore at the end of an attribute's name is dropped, others become hyphens; None and False leave it out.
    """
    given = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        plain = key.removesuffix("_").replace("_", "-")
        given.append(plain if value is True else f'{plain}="{html.escape(str(value))}"')
    head = " ".join([name, *given])
    if name in VOID:
        return Markup(f"<{head}>")
    return Markup(f"<{head}>{join(children)}</{name}>")


def join(children: tuple[str, ...] | list[str]) -> Markup:
    """Pieces one after the other, text among them escaped."""
    return Markup("".join(c if isinstance(c, Markup) else html.escape(c, quote=False) for c in children))


def data_block(identifier: str, value: object) -> Markup:
    """Plain values as a block that a browser neither runs nor can leave early.

    No ``<`` is left, so neither an end tag nor a comment can begin in it; JSON reads the escape as the same character.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return Markup(f'<script type="application/json" id="{html.escape(identifier)}">{safe}</script>\n')
