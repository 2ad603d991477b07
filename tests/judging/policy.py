"""Shared by the tests of the judge: judge one transcript of one short task."""

from __future__ import annotations

from typing import Any

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Finding
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention


def finding_of(
    say: str | list[str], kind: str, script: str, transcript: str, files: tuple[str, ...] = (), **fields: Any
) -> Finding:
    """The finding for a single intention."""
    intention = Intention.model_validate({"say": say, "kind": kind, **fields})
    return judge(Case(script, script, {"it": intention}, transcript, files)).findings["it"]


def label_of(
    say: str | list[str], kind: str, script: str, transcript: str, files: tuple[str, ...] = (), **fields: Any
) -> str:
    """The bare label for a single intention."""
    return finding_of(say, kind, script, transcript, files, **fields).label.value


def labels_of(intentions: dict[str, dict[str, Any]], script: str, transcript: str) -> dict[str, str]:
    """The labels for several intentions of one task."""
    parsed = {name: Intention.model_validate(fields) for name, fields in intentions.items()}
    judgement = judge(Case(script, script, parsed, transcript))
    return {name: label.value for name, label in judgement.labels().items()}
