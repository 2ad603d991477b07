"""Borders of a match: whether the name continues beyond it."""

from __future__ import annotations

from pytest_talk2agent.judging.reading import Scene
from pytest_talk2agent.speech.numerals import group_at
from pytest_talk2agent.speech.symbols import NATO, symbol_at
from pytest_talk2agent.speech.tokens import Stream

_JOINERS = frozenset("-_./\\@~")
_SPOKEN_JOINERS = frozenset(("dash", "hyphen", "underscore", "slash", "backslash", "dot"))


def _alnum(stream: Stream, index: int) -> bool:
    return 0 <= index < len(stream) and stream[index].kind != "symbol"


def _follows_in_script(scene: Scene, word: str) -> bool:
    if scene.script is None or scene.slot is None:
        return False
    after = scene.script.norms[scene.slot[1] : scene.slot[1] + 2]
    names = symbol_at((word,), 0)
    return any(
        each == word or (symbol_at((each,), 0) or (each, 0))[0] == (names[0] if names else word) for each in after
    )


def _precedes_in_script(scene: Scene, word: str) -> bool:
    return scene.script is not None and scene.slot is not None and word in scene.script.norms[: scene.slot[0]][-2:]


def _is_part(stream: Stream, index: int) -> bool:
    """A spelled letter or a number."""
    if not 0 <= index < len(stream):
        return False
    norm = stream.norms[index]
    return (
        group_at(stream, index) is not None
        or (len(norm) == 1 and norm.isalpha() and norm not in "ai")
        or (norm in NATO and len(norm) > 4)
    )


def goes_on_right(scene: Scene, end: int, *, colon: bool = False, parts: bool = False) -> bool:
    """Whether the name continues behind its last token: in print by a joiner or letter, in speech by a joiner's name.

    ``colon`` counts as a joiner in print; ``parts`` says that a spelled letter or number goes on as well.
    """
    stream = scene.stream
    if end >= len(stream):
        return False
    token = stream[end]
    if token.glued:
        if token.kind != "symbol":
            return True
        joins = token.norm in _JOINERS or (colon and scene.script is not None and token.norm in (":", "?", "=", "&"))
        return joins and _alnum(stream, end + 1) and stream[end + 1].glued and not _follows_in_script(scene, token.norm)
    if token.paused:
        return False
    if token.norm in _SPOKEN_JOINERS and _alnum(stream, end + 1) and not _follows_in_script(scene, token.norm):
        return symbol_at(stream.norms, end + 1) is None
    return parts and _is_part(stream, end) and not _script_part(scene, after=True)


def goes_on_left(scene: Scene, start: int, *, inside_path: bool = False, parts: bool = False) -> bool:
    """The name began before its first token; ``inside_path`` lets a slash stand before it."""
    stream = scene.stream
    if start <= 0:
        return False
    before, token = stream[start - 1], stream[start]
    slash = before.norm in ("/", "\\", "slash", "backslash")
    if token.glued:
        if before.kind != "symbol":
            return token.kind != "symbol" or (token.norm in _JOINERS and stream.norms[start + 1 : start + 2] != ("-",))
        return before.norm in _JOINERS and not (inside_path and slash and before.glued)
    if token.paused:
        return False
    if before.norm in _SPOKEN_JOINERS and not (inside_path and slash):
        return start > 1 and _alnum(stream, start - 2) and not _precedes_in_script(scene, before.norm)
    printed = token.norm == "/" and start + 1 < len(stream) and stream[start + 1].glued
    if token.norm in ("slash", "/") and start > 1 and before.kind != "symbol" and not printed:
        return stream.norms[start - 2] in ("slash", "/") and not _precedes_in_script(scene, before.norm)
    if before.glued and start > 1 and stream[start - 2].kind == "symbol":
        return False  # another printed name ends there
    return parts and _is_part(stream, start - 1) and not _script_part(scene, after=False)


def _script_part(scene: Scene, *, after: bool) -> bool:
    if scene.script is None or scene.slot is None:
        return True
    return _is_part(scene.script, scene.slot[1] if after else scene.slot[0] - 1)
