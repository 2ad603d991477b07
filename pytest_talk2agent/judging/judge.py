"""What a judge is, whoever judges."""

from __future__ import annotations

from typing import Protocol

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.judgement import Judgement


class Judge(Protocol):
    """Transcript to labels. ``fingerprint`` changes with anything that can change a label.

    A judge that asks others has an attribute ``concurrency``, how many transcripts it may be given at a time; a method
    ``check()`` that raises JudgeError where something is missing, and sends nothing; a method ``keep_in(records, *,
    frozen)`` that is called once with the store of the run (`records.Records`). With ``frozen`` it asks nobody: what
    the store lacks is a JudgeError.
    """

    @property
    def fingerprint(self) -> str:
        """Name and version, such as ``lexical/3``."""

    def judge(self, case: Case) -> Judgement:
        """Label every intention of one transcript; raises JudgeError where that fails."""
