"""Paths, file names, flags, addresses, identifiers, codes and versions: kinds whose every symbol counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath

from pytest_talk2agent.judging.borders import goes_on_left, goes_on_right
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.reading import SEPARATION, Fault, Reading, Scene
from pytest_talk2agent.judging.spelling import Spelling, candidates, spell
from pytest_talk2agent.speech.symbols import NUMBER_HOMOPHONES, symbol_at
from pytest_talk2agent.speech.tokens import Stream, tokenise
from pytest_talk2agent.speech.words import EMPTY

# What may be glued to a symbol without making another one of it (`>=`, `->`).
_AROUND = frozenset("()[]{},.;*")


def is_marks(value: str) -> bool:
    """The value has no letter and no digit."""
    return bool(value.strip()) and not any(map(str.isalnum, value))


def read_marks(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of the symbols between two tokens, where they stand by themselves."""
    target = "".join(tokenise(value).norms) or "".join(value.split())
    ends = ((start, _end_of_marks(scene.stream, target, start, high)) for start in range(low, high))
    return [
        Reading(start, end, Label.RETAINED, "the same symbols")
        for start, end in ends
        if end is not None and _stands_alone(scene.stream, start, end, target)
    ]


def _end_of_marks(stream: Stream, target: str, start: int, high: int) -> int | None:
    """Where the symbols end that start at the token; None where others do."""
    index, place = start, 0
    while place < len(target):
        if index >= high or (index > start and stream[index].kind == "symbol" and stream[index].paused):
            return None
        piece, end = stream.norms[index], index + 1
        if stream[index].kind != "symbol":
            named = symbol_at(stream.norms, index)
            if named is None or (named[1] == index + 1 and piece in EMPTY):
                return None  # `at` alone is a word
            piece, end = named
        if not target.startswith(piece, place):
            return None
        place, index = place + len(piece), end
    return index if index <= high else None


def _stands_alone(stream: Stream, start: int, end: int, target: str) -> bool:
    """The symbols are no part of a name (`C#`) or of a longer symbol."""
    before = start > 0 and stream[start].glued and not _goes_with(stream.norms[start - 1], target)
    after = end < len(stream) and stream[end].glued and not _goes_with(stream.norms[end], target)
    return not before and not after


def _goes_with(norm: str, target: str) -> bool:
    return norm in _AROUND and norm not in target


Verdict = tuple[Label, str]
_RETAINED: Verdict = (Label.RETAINED, "all parts and symbols are there")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.]*://", re.IGNORECASE)
_VERSION_LEAD = re.compile(r"^(?:version|release|v)\s*(?=\d)", re.IGNORECASE)
_STYLES = {"camel": "camel", "pascal": "camel", "snake": "snake", "kebab": "kebab", "dotted": "dot"}
_STYLE_REACH = 3


def read_symbolic(scene: Scene, value: str, low: int, high: int) -> list[Reading]:
    """Readings of the value between two tokens; other values of the class are not looked for.

    A spelling with the right letters and digits is retained, unresolved or (a complete other address or style)
    changed; anything else gives no reading.
    """
    kind = scene.intention.kind
    readings = []
    for target, doubt in _targets(kind, value):
        for start in candidates(target, scene.stream, low, high):
            found = spell(
                target, scene.stream, start, high, extension=kind in ("path", "filename"), loose=kind == "code"
            )
            if found is None:
                continue
            if value.endswith("/") and not target.endswith("/"):
                last = scene.stream.norms[found.end : found.end + 1] in (("/",), ("slash",))
                found = replace(found, end=found.end + last)
            if _goes_on(scene, found, target):
                continue
            label, reason = _VERDICTS[kind](scene, target, found)
            if doubt and label is Label.RETAINED:
                label, reason = Label.UNRESOLVED, doubt
            readings.append(Reading(found.start, found.end, label, reason, found.faults))
    return readings


@lru_cache(maxsize=1024)
def _targets(kind: str, value: str) -> tuple[tuple[str, str], ...]:
    """The spellings to look for, each with the doubt that it leaves."""
    if kind == "url":
        bare = _SCHEME.sub("", value)
        bare = bare if len(bare) == 1 else bare.rstrip("/")
        other = bare[4:] if bare.startswith("www.") else f"www.{bare}"
        return (bare, ""), (other, "www was lost or added")
    if kind == "version":
        return ((_VERSION_LEAD.sub("", value), ""),)
    if kind == "path" and len(value) > 1:
        return ((value.rstrip("/\\") or value, ""),)
    return ((value, ""),)


def _goes_on(scene: Scene, found: Spelling, target: str) -> bool:
    kind = scene.intention.kind
    if goes_on_right(
        scene, found.end, colon=kind == "url", parts=kind in ("code", "version") or target[-1].isdigit()
    ) and not (kind == "flag" and scene.stream[found.end].kind == "digits"):
        return True
    start = found.start
    if kind == "url":
        return _url_goes_on_left(scene, start)
    if kind == "version" and start and scene.stream.norms[start - 1] == "v":
        start -= 1
    return goes_on_left(scene, start, inside_path=kind == "filename", parts=kind == "code" or target[0].isdigit())


def _url_goes_on_left(scene: Scene, start: int) -> bool:
    norms = scene.stream.norms
    if start >= 2 and norms[start - 1] in ("/", "slash") and norms[start - 2] in ("/", "slash"):
        return False
    if start >= 1 and norms[start - 1] in ("@", "at") and not scene.stream[start].paused:
        return norms[start - 1] == "@"
    www = start >= 2 and norms[start - 1] in (".", "dot") and norms[start - 2] in ("www", "w")
    return www or goes_on_left(scene, start)


def case_verdict(scene: Scene, expected: str, cased: str, *, spoken: bool) -> Verdict | None:
    """What the case says where it is exact: None where it is right or not compared."""
    wanted = "".join(character for character in expected if character.isalnum())
    heard = "".join(character for character in cased if character.isalnum())
    if scene.locating or scene.intention.case != "exact" or wanted == heard or wanted.lower() != heard.lower():
        return None
    if spoken or not scene.stream.has_capital:
        return Label.UNRESOLVED, "the case is exact and the transcript does not show it"
    return Label.CHANGED, "the case is exact and another one stands there"


def _faults(scene: Scene, found: Spelling) -> Fault:
    faults = found.faults & ~scene.forgiven
    if found.spoken:
        faults &= ~Fault.BLANK
    return faults


def _characters(scene: Scene, target: str, found: Spelling, faults: Fault, part: str) -> Verdict | None:
    """What the letters and digits of a name decide by themselves; None where they are right."""
    if faults & (Fault.SIMILAR | Fault.SOUND) and not _digits_oh(target, faults):
        return Label.CHANGED, f"{part} of the name is another word"
    if wrong := case_verdict(scene, target, found.cased, spoken=False):
        return wrong
    return (Label.UNRESOLVED, "the digits may be added or joined") if faults & Fault.SUM else None


def _name(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults = _faults(scene, found)
    if decided := _characters(scene, target, found, faults, "a letter or digit"):
        return decided
    if not faults & SEPARATION:
        return _RETAINED
    if _is_other_name(scene, target, found):
        return Label.CHANGED, "another name of the task stands there"
    if _only_file(scene.files, target, extension=bool(faults & Fault.EXTENSION)):
        doubt = "the extension and separators" if faults & Fault.EXTENSION else "separators"
        return Label.RETAINED, f"only {doubt} are in doubt and exactly one file of the workspace fits"
    if faults & SEPARATION == Fault.EXTENSION:
        return Label.UNRESOLVED, "the extension is missing"
    if faults & Fault.EXTENSION:
        return Label.UNRESOLVED, "the extension is missing, and separators are missing or of another sort"
    return Label.UNRESOLVED, "the separators are missing or of another sort"


def _is_other_name(scene: Scene, target: str, found: Spelling) -> bool:
    """The same tokens spell another file or value of the task without any fault."""
    names = {*scene.others, *(PurePosixPath(file).name for file in scene.files), *scene.files} - {target}
    for name in sorted(names):
        if _squash(name) == _squash(target):
            other = spell(name, scene.stream, found.start, found.end)
            if other is not None and other.end == found.end and not other.faults:
                return True
    return False


def _digits_oh(target: str, faults: Fault) -> bool:
    """`oh` among digits is zero."""
    return not faults & Fault.SOUND and "0" in target


def _squash(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _only_file(files: tuple[str, ...], target: str, *, extension: bool) -> bool:
    """Exactly one file or folder has these letters and digits, and it is the target."""
    parts = [part for part in re.split(r"[/\\]", target) if part not in ("", ".", "~")]
    if not files or not parts:
        return False
    known = {name for file in files for name in (file, *map(str, PurePosixPath(file).parents))} - {".", "/"}
    wanted, fitting = "/".join(parts).lower(), set()
    for name in known:
        tail = "/".join(re.split(r"[/\\]", name)[-len(parts) :]).lower()
        if extension:
            same = _squash(_stem(tail)) == _squash(_stem(wanted)) or _squash(tail) == _squash(_stem(wanted))
        else:
            same = _squash(tail) == _squash(wanted)
        if same:
            fitting.add((name, tail))
    return len(fitting) == 1 and next(iter(fitting))[1] == wanted


def _stem(name: str) -> str:
    return name[: name.rindex(".")] if "." in name[1:] else name


def _flag(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults = _faults(scene, found)
    if wrong := case_verdict(scene, target, found.cased, spoken=False):
        return wrong
    if faults & (Fault.SIMILAR | Fault.SOUND):
        return Label.UNRESOLVED, "a word of the same sound stands for a letter"
    if faults & Fault.LEAD:
        return Label.UNRESOLVED, "the name is there and a dash before it is missing"
    if faults & (SEPARATION & ~Fault.SEPARATOR) or (faults & Fault.SEPARATOR and "=" in target):
        return Label.UNRESOLVED, "the dashes inside the name are missing in print or of another sort"
    return Label.RETAINED, "dashes and name are there"


def _address(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults = _faults(scene, found)
    if faults & (Fault.SIMILAR | Fault.SOUND) and not _digits_oh(target, faults):
        return Label.CHANGED, "a part of the address is another word"
    if faults & Fault.SUM:
        return Label.UNRESOLVED, "the digits may be added or joined"
    if not faults & SEPARATION:
        return Label.RETAINED, "all parts of the address are there"
    if found.printed:
        return Label.CHANGED, "another complete address is printed"
    return Label.UNRESOLVED, "the words are there, separators were not said"


def _humps(text: str) -> list[int]:
    """Where the words of a camel-case name begin; a run of capitals (`userID`) is one word."""
    letters = [character for character in text if character.isalnum()]
    return [
        index
        for index, character in enumerate(letters)
        if index
        and character.isupper()
        and (not letters[index - 1].isupper() or any(map(str.islower, letters[index + 1 : index + 2])))
    ]


def _style(text: str) -> str:
    for mark, style in (("_", "snake"), ("-", "kebab"), (".", "dot")):
        if mark in text:
            return style
    return "camel" if not text.isupper() and _humps(text) else "plain"


def _said_style(stream: Stream, found: Spelling) -> str | None:
    before = stream.norms[max(0, found.start - _STYLE_REACH) : found.start]
    behind = stream.norms[found.end : found.end + 1 + _STYLE_REACH]
    if behind[:1] == ("in",):
        # `x in camel case to y in snake case`: the style behind a name is its own.
        before = behind if "case" in behind else before + behind
    if "case" not in before and "dotted" not in before:
        joined = next((word for word in before if word[-4:] == "case" and word[:-4] in _STYLES), None)
        return _STYLES[joined[:-4]] if joined else None
    return next((_STYLES[word] for word in before if word in _STYLES), None)


def _identifier(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults, style = _faults(scene, found) & ~Fault.SPLIT, _style(target)
    split = bool(_faults(scene, found) & Fault.SPLIT)
    if decided := _characters(scene, target, found, faults, "a word"):
        return decided
    if scene.intention.style == "any":
        return Label.RETAINED, "the words are there and any style will do"
    said = _said_style(scene.stream, found)
    if style == "camel":
        if not faults & SEPARATION and not (found.faults & Fault.SPLIT):
            if _humps(found.cased) == _humps(target):
                return Label.RETAINED, "words and style are there"
            if said is None:
                return Label.UNRESOLVED, "the words are right, the style is not shown"
    elif not faults & SEPARATION and not split:
        return Label.RETAINED, "words and style are there"
    if said is not None and not faults & (Fault.OTHER | Fault.EXTRA):
        if said == style:
            return Label.RETAINED, "the words are there and the style was said"
        return Label.CHANGED, "another style was said"
    complete = faults & (Fault.OTHER | Fault.EXTRA) and not faults & (Fault.SEPARATOR | Fault.JOINED) and not split
    if complete or (found.printed and style != "camel" and faults & Fault.JOINED and _humps(found.cased)):
        return Label.CHANGED, "another style stands there"
    return Label.UNRESOLVED, "the words are right, the style was not said"


def _code(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults = found.faults & ~(scene.forgiven & ~Fault.SIMILAR)
    others = [character for character in target if character.isalnum()]
    if faults & Fault.SIMILAR and not all(character.isdigit() for character in others):
        return Label.UNRESOLVED, "only O and zero, or I and one, are in doubt"
    if faults & Fault.SIMILAR and "0" not in others:
        return Label.UNRESOLVED, "only I and one are in doubt"
    if faults & Fault.SOUND:
        # `see` names the letter C wherever it stands; `to` is a digit only where nothing else can stand.
        number = any(word in NUMBER_HOMOPHONES for word in scene.stream.norms[found.start : found.end])
        label = Label.CHANGED if number and len(others) > 1 else Label.UNRESOLVED
        return label, "a word of the same sound stands for a letter or digit"
    if faults & Fault.SUM:
        return Label.UNRESOLVED, "the digits may be added or joined"
    if wrong := case_verdict(scene, target, found.cased, spoken=not found.printed):
        return wrong
    return Label.RETAINED, "the same letters and digits"


def _version(scene: Scene, target: str, found: Spelling) -> Verdict:
    faults = _faults(scene, found)
    if faults & (Fault.SOUND | Fault.SUM):
        return Label.UNRESOLVED, "a component may be another number"
    if faults & Fault.SIMILAR and not _digits_oh(target, faults):
        return Label.UNRESOLVED, "only O and zero, or I and one, are in doubt"
    if faults & (SEPARATION & ~(Fault.SPLIT | Fault.BLANK)):
        return Label.UNRESOLVED, "the components are right, a separator is missing"
    return Label.RETAINED, "the same components"


_VERDICTS: dict[str, Callable[[Scene, str, Spelling], Verdict]] = {
    "path": _name,
    "filename": _name,
    "flag": _flag,
    "url": _address,
    "email": _address,
    "identifier": _identifier,
    "code": _code,
    "version": _version,
}
