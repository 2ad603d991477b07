"""The closed vocabulary of the tiny models: commands at a workbench, drawn at random from templates."""

from __future__ import annotations

import random
import re

COLOURS = ("red", "blue", "green", "yellow", "black", "white")
THINGS = ("block", "bottle", "screw", "panel", "filter", "valve", "cable", "bracket")
PLACES = ("table", "bench", "shelf", "floor")
SIDES = ("left", "right")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_COMMANDS = (
    "pick up the {colour} {thing}",
    "place the {colour} {thing} on the {place}",
    "place it on the {place}",
    "tighten screw number {number}",
    "open the {colour} {thing}",
    "close the {colour} {thing}",
    "turn the {thing} to the {side}",
    "turn the {colour} valve {many} times",
    "remove the {colour} {thing}",
    "check the {colour} {thing}",
    "move {many} {thing}s to the {place}",
    "connect the {colour} cable to panel {number}",
    "wait {many} seconds",
    "repeat step {number}",
    "go back to step {number}",
    "show me step {number} again",
)
_FORBIDDEN = (
    "open the {colour} {thing}",
    "close the {colour} {thing}",
    "remove the {colour} {thing}",
    "touch the {colour} {thing}",
    "turn the {thing} to the {side}",
    "connect the {colour} cable to panel {number}",
    "tighten screw number {number}",
)
_QUESTIONS = ("what is the next step", "is the {colour} {thing} on the {place}")
# A sentence's form and how often it is drawn; most sentences should be shorter than three seconds.
_FORMS = (
    ("{command}.", 52),
    ("do not {forbidden}.", 14),
    ("{question}?", 5),
    ("{command} and {command}.", 7),
    ("{command}, then {command}.", 7),
    ("{command}, but do not {forbidden}.", 5),
    ("before you {command}, {command}.", 5),
    ("{command} before you {command}.", 4),
    ("stop.", 1),
)
_PARTS = {"command": _COMMANDS, "forbidden": _FORBIDDEN, "question": _QUESTIONS}
_WORDS = {"colour": COLOURS, "thing": THINGS, "side": SIDES, "number": NUMBERS, "many": NUMBERS[1:]}


def sentence(draw: random.Random) -> str:
    """One random sentence in its written form, with a capital and marks."""
    forms, weights = zip(*_FORMS, strict=True)
    text = str(draw.choices(forms, weights)[0])
    text = re.sub(r"\{(command|forbidden|question)\}", lambda slot: draw.choice(_PARTS[slot[1]]), text)
    text = re.sub(r"\{(\w+)\}", lambda slot: _word(slot[1], draw), text)
    return text[0].upper() + text[1:]


def fragment(draw: random.Random) -> str:
    """A run of 2 to 9 words out of two sentences: what a cut in the middle of a sentence leaves."""
    words = f"{sentence(draw)} {sentence(draw)}".split()
    length = min(draw.randint(2, 9), len(words))
    start = draw.randint(0, len(words) - length)
    return " ".join(words[start : start + length])


def plain(written: str) -> str:
    """The words alone: lower case, no marks."""
    return re.sub(r"[^a-z ]", "", written.lower())


def _word(slot: str, draw: random.Random) -> str:
    if slot == "place":
        place = draw.choice(PLACES)
        return f"{draw.choice(SIDES)} {place}" if draw.random() < 0.25 else place
    return draw.choice(_WORDS[slot])
