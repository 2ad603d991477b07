"""The transcript of one recording, with everything that made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pytest_talk2agent.grading.retention import read_fraction
from pytest_talk2agent.interfaces.utterance import MOST_CHARACTERS, STATES, Hypothesis
from pytest_talk2agent.results.untrusted import plain_fault, refuse_other_types


@dataclass(frozen=True)
class Transcript:
    """What an interface heard in one recording.

    ``audio_sha256`` hashes the bytes of the file and ``samples_sha256`` its decoded samples (both None for interfaces
    that do not hear); ``seconds`` is the length of the audio and ``elapsed`` the time its transcription took, in
    seconds; ``identity`` is what ``fingerprint`` was computed from; ``notes`` are remarks on the audio. ``state`` is
    one of `interfaces.utterance.STATES`.

    Where the condition biases or repairs, ``offered`` are the terms that the agent can see and ``sent`` those that the
    recogniser was given; ``silence`` is what it heard, with the longest list of the run, where nobody speaks ("text"),
    or why that is not known ("error"). ``raw`` is the text before its repair, ``repair`` what the repair says of it.
    """

    text: str
    fingerprint: str
    identity: Mapping[str, str]
    version: str
    audio_sha256: str | None = None
    samples_sha256: str | None = None
    seconds: float | None = None
    elapsed: float | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    state: str = "transcribed"
    offered: tuple[str, ...] | None = None
    sent: tuple[str, ...] | None = None
    silence: Mapping[str, Any] | None = None
    raw: str | None = None
    repair: Mapping[str, Any] | None = None

    @property
    def sent_sha256(self) -> str | None:
        """SHA-256 (hexadecimal) of the list that was sent, as JSON; None where none was."""
        if self.sent is None:
            return None
        return hashlib.sha256(json.dumps(self.sent, ensure_ascii=False).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Plain values, for the store, the model server's wire and reports."""
        data = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
        return data if self.sent is None else {**data, "sent_sha256": self.sent_sha256}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Transcript:
        """The inverse of `to_json`, for data that anyone may have written.

        Raises KeyError where a field is missing, TypeError where one is unknown or of another type, ValueError for an
        invalid value: a text that UTF-8 cannot hold, a number that is not finite, an unknown state.
        """
        if not isinstance(data, Mapping):
            raise TypeError("a transcript is an object")
        values = {name: value for name, value in data.items() if name != "sent_sha256"}
        if missing := _FIELDS - values.keys():
            raise KeyError(sorted(missing)[0])
        if unknown := values.keys() - _FIELDS:
            raise TypeError(f"a transcript has no field {min(unknown)!r}")
        for name in ("notes", "offered", "sent"):
            if isinstance(values[name], list):
                values[name] = tuple(values[name])
        return cls(**values).checked()

    def checked(self) -> Transcript:
        """The transcript itself where every field has its type and a value; raises TypeError or ValueError as above."""
        refuse_other_types(self)
        if self.state not in STATES:
            raise ValueError(f"state is {self.state!r}; known: {', '.join(STATES)}")
        faults = (
            plain_fault({name: value for name, value in vars(self).items() if name != "detail"}, "it"),
            check_detail(self.detail),
            None if self.repair is None else check_detail(self.repair.get("detail", {}), "the detail of its repair"),
            None if self.silence is None else _silence_fault(self.silence),
        )
        for fault in faults:
            if fault is not None:
                raise ValueError(fault)
        return self


_FIELDS = frozenset(one.name for one in fields(Transcript))


def hypothesis_fault(outcome: object) -> str | None:
    """Why what an interface returned cannot be judged and stored, in one line; None where it can."""
    if not isinstance(outcome, Hypothesis) or not isinstance(outcome.text, str):
        made = type(outcome.text if isinstance(outcome, Hypothesis) else outcome).__name__
        return f"a {made} as a transcript; return a Hypothesis"
    if len(outcome.text) > MOST_CHARACTERS:
        return f"a transcript of {len(outcome.text)} characters; at most {MOST_CHARACTERS} are taken"
    if outcome.state not in STATES:
        return f"the state {outcome.state!r:.60}; known: {', '.join(STATES)}"
    try:
        outcome.text.encode()
    except UnicodeEncodeError as error:
        broken = f"U+{ord(outcome.text[error.start]):04X} at character {error.start}"
        return f"a transcript that is no valid text ({broken} stands alone)"
    sent = outcome.sent
    if sent is not None and not (isinstance(sent, tuple) and all(isinstance(term, str) for term in sent)):
        return "as the terms it sent what is no tuple of texts"
    fault = check_detail(outcome.detail) or plain_fault(sent, "sent")
    return None if fault is None else f"what no record can hold: {fault}"


def check_detail(detail: object, name: str = "detail") -> str | None:
    """Why ``detail`` is not what an interface may say of a transcript, in one line; None where it is.

    It is a mapping of plain values; ``cost`` is an amount of money, ``suspect`` a list of texts.
    """
    if not isinstance(detail, Mapping):
        return f"{name} is a {type(detail).__name__}, not a mapping"
    fault = plain_fault(detail, name)
    if fault is not None:
        return fault
    if detail.get("cost") is not None and not _is_amount(detail["cost"]):
        return f"{name}['cost'] is {detail['cost']!r:.60}, not an amount"
    suspect = detail.get("suspect", [])
    if not isinstance(suspect, list | tuple) or not all(isinstance(why, str) for why in suspect):
        return f"{name}['suspect'] is {suspect!r:.60}, not a list of texts"
    return None


def _is_amount(value: object) -> bool:
    text = repr(float(value)) if isinstance(value, float) else str(value)
    try:
        return "/" not in text and not isinstance(value, bool) and read_fraction(text) >= 0
    except ValueError:
        return False


def _silence_fault(silence: Mapping[str, Any]) -> str | None:
    if "error" in silence:
        return None if isinstance(silence["error"], str) else "silence['error'] is no text"
    terms = silence.get("terms")
    if not isinstance(silence.get("text"), str) or not isinstance(terms, int) or isinstance(terms, bool):
        return "silence has neither a text with the number of its terms nor an error"
    return None
