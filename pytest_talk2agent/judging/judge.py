"""What a judge is, and what it may see of a task and a transcript."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_talk2agent.judging.judgement import Judgement
from pytest_talk2agent.tasks.intention import Intention
from pytest_talk2agent.tasks.task import Task


@dataclass(frozen=True)
class Case:
    """One transcript to be judged against one task.

    ``files`` are the paths the agent can see in its workspace; ``task`` is the task's id, by which recorded labels are
    found and faults are named; ``language`` is what it is spoken in, as a BCP 47 tag. Execution results, scores and the
    transcripts of other interfaces are not here, and no judge may look for them.
    """

    instruction: str
    script: str
    intentions: Mapping[str, Intention]
    transcript: str
    files: tuple[str, ...] = ()
    task: str = ""
    language: str = "en"


def case_of(task: Task, transcript: str) -> Case:
    """What a judge may see of a task, with one transcript."""
    return Case(
        instruction=task.instruction,
        script=task.spoken,
        intentions=task.intentions,
        transcript=transcript,
        files=task.files,
        task=task.id,
        language=task.language,
    )


class JudgeError(ValueError):
    """A judge cannot be had, or could not judge a transcript: one clear line. It is never a label."""


class Records(Protocol):
    """A keeper of plain values, such as `results.store.Store`; whatever is kept under a key is found under it again."""

    def record(self, kind: str, key: str) -> Mapping[str, Any] | None:
        """The values under a key, or None."""

    def why_absent(self, kind: str, key: str) -> str | None:
        """Why what is under a key was not used; None where there is nothing."""

    def reject_record(self, kind: str, key: str, why: str) -> None:
        """Count what is under a key as absent."""

    def keep_record(self, kind: str, key: str, data: Mapping[str, Any]) -> None:
        """Keep values under a key."""


def record_key(*parts: object) -> str:
    """SHA-256 (hexadecimal) over plain JSON values, in order."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class Judge(ABC):
    """Transcript to labels."""

    fingerprint: str
    """Name and version, such as ``lexical/3``; it changes with anything that can change a label."""
    concurrency: int = 1
    """How many transcripts it may be given at a time."""
    unlimited: bool = False
    """Whether it may spend what it likes: a model without a budget."""
    quotes: bool = False
    """Whether its labels rest on words that it quotes from the transcript, as those of a model do."""

    def check(self) -> None:  # noqa: B027 - most need nothing
        """Raise JudgeError where something is missing. Sends nothing."""

    def keep_in(self, records: Records, *, frozen: bool = False) -> None:  # noqa: B027 - most ask no model
        """Keep what others answer in the store of the run; called once.

        With ``frozen`` nobody is asked: what the store lacks is a JudgeError.
        """

    @abstractmethod
    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript; raises JudgeError where that fails."""


class ForeignJudge(Judge):
    """An object that has ``fingerprint`` and ``judge(case)`` but is no `Judge`: it gets the defaults of one.

    Raises JudgeError where it has not both. ``name`` is what a spec calls it.
    """

    def __init__(self, foreign: Any, name: str) -> None:
        # Here alone an object is asked what it has: it was made by code that need not know `Judge`.
        if not callable(getattr(foreign, "judge", None)) or not isinstance(getattr(foreign, "fingerprint", None), str):
            raise JudgeError(f"judge {name!r}: what it made has no fingerprint or no judge(); see Judge")
        for member in ("fingerprint", "concurrency", "unlimited", "quotes", "check", "keep_in"):
            if hasattr(foreign, member):
                setattr(self, member, getattr(foreign, member))
        self._foreign = foreign

    def judge(self, case: Case) -> Judgement:
        """As the object does."""
        judgement: Judgement = self._foreign.judge(case)
        return judgement
