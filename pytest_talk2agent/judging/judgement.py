"""The judgement of one transcript: a label for every intention, with evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Label(str, Enum):
    """Whether a careful agent that has only the transcript could still do what was asked."""

    RETAINED = "retained"
    CHANGED = "changed"
    OMITTED = "omitted"
    UNRESOLVED = "unresolved"

    @property
    def lost(self) -> bool:
        """Changed and omitted are lost; unresolved is neither lost nor retained."""
        return self in (Label.CHANGED, Label.OMITTED)


@dataclass(frozen=True)
class Finding:
    """The label of one intention and what it rests on.

    ``start`` and ``end`` are character offsets in the transcript (end exclusive), or None where nothing was heard;
    ``heard`` is that span's text; ``expected`` is what it would have been; ``reason`` is one line.
    """

    label: Label
    reason: str
    expected: str
    heard: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Judgement:
    """All findings of one transcript, in the order in which the task declares its intentions.

    ``flags`` are states of the transcript as a whole: ``empty_transcript``, ``answered``, ``other_text``,
    ``repetition``, ``inserted``, ``word_list``.
    """

    findings: Mapping[str, Finding]
    judge: str
    flags: tuple[str, ...] = ()

    def labels(self) -> dict[str, Label]:
        """The bare labels by intention name."""
        return {name: finding.label for name, finding in self.findings.items()}

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store and for reports."""
        return {
            "judge": self.judge,
            "flags": list(self.flags),
            "findings": {
                name: {**vars(finding), "label": finding.label.value} for name, finding in self.findings.items()
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judgement:
        """The inverse of `to_json`; raises KeyError, TypeError or ValueError where a field is missing or wrong."""
        findings = {
            name: Finding(**{**finding, "label": Label(finding["label"])}) for name, finding in data["findings"].items()
        }
        return cls(findings=findings, judge=data["judge"], flags=tuple(data["flags"]))
