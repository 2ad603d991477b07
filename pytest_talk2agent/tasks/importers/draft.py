"""A first version of a task, proposed by rules from an original: a skeleton for a person to complete."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from pytest_talk2agent.speech.languages import ENGLISH, spoken_in
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.importers import wildclawbench
from pytest_talk2agent.tasks.importers.original import Format, Original, refuse_outside
from pytest_talk2agent.tasks.importers.osworld_value import (
    INFEASIBLE,
    Check,
    conjunction_of,
    has_reference,
    opened_checks,
    value_of,
)
from pytest_talk2agent.tasks.intention import Kind
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Slot:
    """A stretch of the instruction, from ``start`` to before ``end``, with the kind that its form suggests."""

    start: int
    end: int
    value: str
    kind: Kind


_EXTENSION = r"(?!(?:com|org|net|edu|gov|io)\b)[A-Za-z][A-Za-z0-9]{1,5}"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?)"

_ALSO_QUOTED: tuple[Kind, ...] = ("path", "filename", "url")

_FORMS: tuple[tuple[Kind, str], ...] = (
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("url", r"https?://[^\s\"'`<>()（），。]+[^\s\"'`<>()（），。.,;:!?]"),
    ("path", r"(?<![\w/.])(?:~|\.{1,2})?/[\w.~+-]+(?:/[\w.~+*-]+)*/?"),
    ("text", r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|(?<!\w)'[^'\n]{1,200}'(?!\w)|「[^」\n]{1,200}」"),
    ("filename", rf"(?<![\w/.@-])[\w-]+(?:\.[\w-]+)*\.{_EXTENSION}(?![\w/@]|\.\w)"),
    ("flag", r"(?<![\w-])--[a-z][\w-]+"),
    ("version", r"(?<![\w.])v?\d+\.\d+\.\d+(?!\w|\.\w)"),
    ("time", r"(?<![\w:])\d{1,2}:\d{2}(?:\s?[ap](?:m\b|\.m\.))?(?![\w:])"),
    ("date", r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])"),
    ("percent", r"(?<![\w.])\d+(?:\.\d+)?\s?(?:%|percent\b)"),
    ("money", r"[$€£]\s?\d[\d,]*(?:\.\d+)?"),
    ("duration", rf"(?<![\w.])\d+(?:\.\d+)?[\s-]{_UNIT}\b"),
    ("code", r"(?<![\w.-])[A-Z]{1,2}\d{1,5}(?::[A-Z]{1,2}\d{1,5})?(?![\w-]|\.\w)"),
    ("identifier", r"(?<![\w./])[A-Za-z]\w*_\w+(?![\w./])"),
    ("number", r"(?<![\w.,:/-])\d+(?:[.,]\d+)*(?![\w:/-]|[.,]\d)"),
)
"""In falling order of what they claim: the first form to take a stretch keeps it."""


def find_slots(instruction: str) -> list[Slot]:
    """The slots of an instruction in its order; no two overlap, and a value that comes again is the same slot.

    A value without a letter or digit (a quoted dash) is none: a transcript has no word for it.
    """
    taken: list[Slot] = []
    for kind, form in _FORMS:
        for match in re.finditer(form, instruction):
            if all(match.end() <= slot.start or match.start() >= slot.end for slot in taken):
                slot = _slot(match, kind)
                if any(map(str.isalnum, slot.value)):
                    taken.append(slot)
    first: dict[str, Slot] = {}
    for slot in sorted(taken, key=lambda slot: slot.start):
        first.setdefault(slot.value.casefold(), slot)
    return list(first.values())


def _slot(match: re.Match[str], kind: Kind) -> Slot:
    value = match[0]
    if kind == "text":
        value = value[1:-1].strip(" .,")
        kind = next((other for other in _ALSO_QUOTED if _is_whole(other, value)), kind)
    return Slot(match.start(), match.end(), value.rstrip(".") if kind == "path" else value, kind)


def _is_whole(kind: Kind, value: str) -> bool:
    return any(re.fullmatch(form, value) for known, form in _FORMS if known == kind)


def words_of(instruction: str, slots: list[Slot]) -> Iterator[str]:
    """What the instruction says besides its slots, stretch by stretch."""
    begin = 0
    for slot in [*sorted(slots, key=lambda slot: slot.start), None]:
        part = instruction[begin : slot.start if slot else len(instruction)]
        if part.strip():
            yield part.strip()
        begin = slot.end if slot else begin


MOST_KEYWORDS = 3

_LOGGED = re.compile(r"##\w*\[")

_UNFIT_FOR_ID = re.compile(r"[^A-Za-z0-9._/-]+")
_WORD = re.compile(r"(?<![\w'’])[^\W\d_]{4,}(?![\w'’])")
_ANY_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u4e00-\u9fff]{2,4}")
_COMMON = frozenset(
    """
    about also been being could does doing done each every from have help into just like make mine more most much
    need only other please shall should some than that them then there these they this those used using very want
    were what when where which while will with would your
    """.split()  # noqa: SIM905 - as a list of literals it would be sixty lines
)


def draft_of(original: Original, *, words: bool = True) -> dict[str, Any]:
    """The document of a proposed task: plain data in the order of the task format.

    Every slot of the prompt is an intention, and ``request``, a gist, is the rest of its words. The score is the
    benchmark's combination of metrics where the importer knows it, else the product of all intentions, with an
    assumption that says so. ``words`` puts the prompt into the task; without it the task is bound to a checkout.
    """
    slots = find_slots(original.prompt)
    named = _named(slots)
    document: dict[str, Any] = {"id": _id(original), "tags": list(original.tags)}
    if words:
        document["instruction"] = original.prompt
    if (language := spoken_in(ENGLISH, tokenise(original.prompt))) != ENGLISH:
        document["language"] = language
    document["intentions"] = {
        "request": _request(original.prompt, slots),
        **{name: {"say": slot.value, "kind": slot.kind} for name, slot in named.items()},
    }
    document.update(_score(original, named))
    document["source"] = {
        "benchmark": original.benchmark,
        "task": original.task,
        "status": "proposed",
        "prompt_sha256": original.prompt_sha256,
        **({"grader_sha256": original.grader_sha256} if original.grader_sha256 else {}),
    }
    return {key: value for key, value in document.items() if value not in ({}, [])}


def proposed_tasks(path: Path, known: Format) -> list[Task]:
    """The tasks of a foreign file as they are proposed; raises TaskFileError where it cannot be read."""
    refuse_outside(path, path.parent)
    return [
        Task(**draft_of(original), suite=original.benchmark, path=path, line=original.line)
        for original in known.read_task(path)
    ]


class _Dumper(yaml.SafeDumper):
    """Puts a text into double quotes where a character may not be seen, or a CI service may take it for a command.

    There each character can be escaped, so that untrusted prompts can be printed. Beyond ASCII there are invisible
    letters, so all of that is quoted.
    """


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = text.replace("\n", "")
    odd = not (plain.isascii() and plain.isprintable()) or "::" in text or _LOGGED.search(text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if odd else None)


_Dumper.add_representer(str, _text)


def to_yaml(documents: Sequence[Mapping[str, Any]]) -> str:
    """Documents as the text of a task file."""
    text: str = yaml.dump_all(
        documents,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=118,
        default_flow_style=None,
        explicit_start=False,
    )
    return text


def _id(original: Original) -> str:
    prefix = "wcb" if original.benchmark == wildclawbench.BENCHMARK else original.benchmark
    return f"{prefix}/{_UNFIT_FOR_ID.sub('-', original.task)}"


def _named(slots: list[Slot]) -> dict[str, Slot]:
    named: dict[str, Slot] = {}
    for slot in slots:
        number = sum(other.kind == slot.kind for other in named.values()) + 1
        named[slot.kind if number == 1 else f"{slot.kind}_{number}"] = slot
    return named


def _request(prompt: str, slots: list[Slot]) -> dict[str, Any]:
    stretches = [*sorted(words_of(prompt, slots), key=len, reverse=True), prompt]
    found = next(filter(None, map(_telling, stretches)), None) or _ANY_WORD.findall(prompt) or [prompt]
    keywords = list(dict.fromkeys(found))[:MOST_KEYWORDS]
    return {"say": " ".join(keywords), "kind": "gist", "keywords": [[word] for word in keywords]}


def _telling(words: str) -> list[str]:
    """The words of a stretch that say what it is about."""
    return _CJK.findall(words) or [word for word in _WORD.findall(words) if word.casefold() not in _COMMON]


def _score(original: Original, named: Mapping[str, Slot]) -> dict[str, Any]:
    evaluator = original.extra.get("evaluator")
    names = ", ".join(["request", *named])
    if evaluator is None:
        return {
            "fixed": {"done": {"note": "the agent does what it was asked, as far as the words carry it"}},
            "value": f"all({names}, done)",
            "assumptions": ["The grader was not read: every intention is taken as necessary."],
        }
    if conjunction_of(evaluator) == INFEASIBLE:
        return {
            "fixed": {"declines": {"note": "the agent gives up, since the task cannot be done"}},
            "value": f"all({names}, {value_of(evaluator)})",
            "polarity": "reversal",
        }
    return _metrics(evaluator, named)


def _metrics(evaluator: Mapping[str, Any], named: Mapping[str, Slot]) -> dict[str, Any]:
    fixed: dict[str, dict[str, Any]] = {}
    let: dict[str, str] = {}
    if evaluator.get("postconfig"):
        fixed["state_kept"] = {"note": "the result survives the steps that come before grading"}
    if has_reference(evaluator):
        fixed["rest_equal"] = {"note": "all else equals the reference file"}
    shared = list(fixed)
    opened = opened_checks(evaluator)
    needs: dict[str, list[str]] = {}
    for check in chain.from_iterable(opened):
        # Metrics may have checks of one name, which is declared once.
        known = needs.setdefault(check.name, [])
        known += [name for name, slot in named.items() if name not in known and _carries(slot, check)]
    for name, slots in needs.items():
        if slots:
            let[name] = f"all({', '.join(slots)})"
        else:
            fixed[name] = {"note": "what the rule of this name tests"}
    for number, checks in enumerate(opened, 1):
        linked = {name for check in checks for name in needs[check.name]}
        parts = ["request", *(check.name for check in checks), *(name for name in named if name not in linked)]
        if conjunction_of(evaluator) == "or":
            state = f"end_state_{number}"
            fixed[state] = {"note": "this one of the accepted end states", **({"holds": False} if number > 1 else {})}
            parts.append(state)
        let[f"metric_{number}"] = f"all({', '.join([*parts, *shared])})"
    value = value_of(evaluator)
    return {"fixed": fixed, "let": let, "value": let.pop(value, value)}


def _carries(slot: Slot, check: Check) -> bool:
    """Whether the value of a slot stands in what a check demands."""
    return not check.forbidden and any(slot.value.casefold() in literal.casefold() for literal in check.literals)
