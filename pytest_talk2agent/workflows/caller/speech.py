"""How long words take, and how much of them was heard: the durations of a session without sound."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pytest_talk2agent.workflows.package.package import Package
from pytest_talk2agent.workflows.package.user import BankLine, Clip, Variant
from pytest_talk2agent.workflows.stable import stable_choice, stable_int

MS_PER_WORD = 320
"""The length of a word where there is no recording, as that of the stand-in voice of APEX-Voice."""

CLOSINGS = (
    "Great, that is everything. Goodbye.",
    "That is all I needed, thank you. Bye.",
    "Thanks, we are done here. Goodbye.",
    "Perfect, nothing else from me. Bye now.",
)
NUDGE = "I am still here, please go on."


def duration_of(text: str, ms_per_word: int = MS_PER_WORD) -> int:
    """Milliseconds that a text takes to say."""
    return len(text.split()) * ms_per_word


def words_heard(text: str, played_ms: int, duration_ms: int) -> str:
    """The words of a text that were whole when it was cut; all of it where it was played to its end."""
    words = text.split()
    if played_ms >= duration_ms:
        return text
    return " ".join(words[: len(words) * max(played_ms, 0) // duration_ms]) if duration_ms else ""


def moment_of(text: str, end: int, duration_ms: int) -> int:
    """The millisecond at which the word was heard that holds the character before ``end``."""
    words = len(text.split())
    before = len(text[:end].split())
    return duration_ms * min(before, words) // words if words else duration_ms


class Wordings:
    """The frozen bank of a package: which variant a plan has in a session, and how long it takes."""

    def __init__(self, package: Package, condition: str, seed: int, ms_per_word: int = MS_PER_WORD) -> None:
        task = package.task
        track = package.taxonomy.user_realization_track
        self._scenario = f"{task.id}@{task.version}:{condition}:{track}"
        self._seed = seed
        self._ms = ms_per_word
        self._lines: dict[str, BankLine] = {line.user_plan_id: line for line in package.bank}
        self._clips: dict[str, Clip] = {}
        for clip in package.clips:
            self._clips.setdefault(clip.text, clip)
        self._closings = _texts(package.clips, "closing") or CLOSINGS
        self._nudges = _texts(package.clips, "nudge") or (NUDGE,)

    def variant(self, plan: str, dropped: Collection[str] = ()) -> Variant | None:
        """The wording of a plan: the same for the same scenario and seed. None where the bank has none.

        Where facts were dropped from the plan, it is one without them if there is one.
        """
        line = self._lines.get(plan)
        if line is None:
            return None
        clean = [variant for variant in line.variants if not set(variant.expressed_fact_ids) & set(dropped)]
        return stable_choice(clean or line.variants, self._scenario, self._seed, plan)

    def closing(self) -> str:
        """The words of a sign-off."""
        return self._closings[self._seed % len(self._closings)]

    def nudge(self) -> str:
        """The words that ask the agent to go on."""
        return self._nudges[stable_int(self._scenario, self._seed, "nudge") % len(self._nudges)]

    def duration(self, text: str) -> int:
        """Milliseconds of a wording: the length of its recording, else a rule."""
        clip = self._clips.get(text)
        return clip.duration_ms if clip is not None else duration_of(text, self._ms)

    def spoken(self, text: str) -> int:
        """Milliseconds that the agent takes to say a text."""
        return duration_of(text, self._ms)


def _texts(clips: Sequence[Clip], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clip.text for clip in clips if clip.kind == kind))
