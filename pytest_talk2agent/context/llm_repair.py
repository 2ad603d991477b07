"""``repair_with=llm:MODEL``: a text model repairs a transcript, which it is given as data, behind chat completions.

Temperature 0, one request for a transcript with terms; without terms there is nothing to put, and nothing is asked.
What comes back must be a JSON object with the one field ``transcript`` and pass the guards (`guards`). The raw text
stays where it does not, or where the provider fails after its retries; ``kept`` says why, as ``KIND: reason``: one of
the guards, "provider", "refused", "truncated" or "malformed".

With ``repair_format=text`` the object may stand in one fenced block. No other format is tried where one is not taken: a
server that knows no JSON Schema rejects the request, and ``kept`` says so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from importlib.resources import files
from typing import Any

from pytest_talk2agent.context.guards import VERSION as GUARDS_VERSION
from pytest_talk2agent.context.guards import broken_guard
from pytest_talk2agent.context.repair import Change, Repair, Repaired, RepairSwitches
from pytest_talk2agent.interfaces.utterance import InterfaceError, TranscriptionError
from pytest_talk2agent.remote.budget import Budget, BudgetError
from pytest_talk2agent.remote.chat import PATH, NoAnswerError, object_in, object_request
from pytest_talk2agent.remote.client import Client
from pytest_talk2agent.remote.fault import ProviderError

NAME = "llm"
PROMPT_VERSION = "1"
PROMPT = files(__package__).joinpath("repair_prompt.txt").read_text(encoding="utf-8").strip()
SCHEMA = {
    "type": "object",
    "properties": {"transcript": {"type": "string"}},
    "required": ["transcript"],
    "additionalProperties": False,
}
PROMPT_SHA256 = hashlib.sha256(f"{PROMPT}\n{json.dumps(SCHEMA, sort_keys=True)}".encode()).hexdigest()


class _KeptError(Exception):
    """The raw text stays; ``final`` as in `Repaired`."""

    def __init__(self, reason: str, *, final: bool = True) -> None:
        super().__init__(" ".join(reason.split()))
        self.final = final


class LlmRepair(Repair):
    """Repair by a model; see the module. ``spec`` is what the user wrote, for messages. Safe for threads.

    Raises InterfaceError where the server's address or the name of the key's variable is wrong.
    """

    stored = True

    def __init__(self, model: str, switches: RepairSwitches, spec: str) -> None:
        self.concurrency = switches.concurrency
        self._model = model
        self._switches = switches
        self._spec = spec
        self._client = Client(f"+repair with {model}", switches, InterfaceError)

    def check(self) -> None:
        """Raise InterfaceError where httpx is not installed or the key is not there. Sends nothing."""
        self._client.check()

    def identity(self) -> Mapping[str, str]:
        """Model, server, prompt, guards and what is asked for; neither key nor prices, nor how it is waited for."""
        return {
            "name": NAME,
            "model": self._model,
            "base_url": self._client.base_url,
            "prompt": PROMPT_VERSION,
            "prompt_sha256": PROMPT_SHA256,
            "guards": GUARDS_VERSION,
            "format": self._switches.format,
            "temperature": "0",
            "max_tokens": str(self._switches.max_tokens),
        }

    def charge_to(self, budget: Budget) -> None:
        """Spend no more than a budget allows. Raises InterfaceError where it has a limit and prices are not known."""
        self._client.charge_to(budget, f"interface {self._spec!r}")

    def repair(self, text: str, terms: Sequence[str]) -> Repaired:
        """Ask for the repaired text; the raw one with ``kept`` where there is none that can be trusted.

        Raises InterfaceError where the key is missing or not accepted, TranscriptionError where the budget cannot bear
        the request.
        """
        if not text.strip() or not terms:
            return Repaired(text)
        detail: dict[str, Any] = {}
        try:
            repaired = self._asked(text, terms, detail)
            if (reason := broken_guard(text, repaired, terms)) is not None:
                detail["refused_text"] = repaired
                raise _KeptError(reason)
        except _KeptError as kept:
            return Repaired(text, kept=str(kept), final=kept.final, detail=detail)
        except BudgetError as error:
            raise TranscriptionError(f"the repair: {error}") from None
        return Repaired(repaired, _changes(text, repaired), detail=detail)

    def _asked(self, text: str, terms: Sequence[str], detail: dict[str, Any]) -> str:
        """The repaired text that the model answers; what it took goes into ``detail``. Raises _KeptError."""
        data = json.dumps({"terms": list(terms), "transcript": text}, ensure_ascii=False)
        request = object_request(self._model, PROMPT, data, "repair", SCHEMA, self._switches, temperature=0)
        try:
            paid = self._client.post(PATH, json.dumps(request), output_tokens=self._switches.max_tokens, json=request)
        except ProviderError as error:
            if error.kind == "refused":
                raise _KeptError(str(error)) from None
            raise _KeptError(f"provider: {error}", final=False) from None
        detail |= {**paid.usage.detail(), **paid.served(self._model)}
        try:
            return _transcript_in(object_in(paid.reply.body, self._switches))
        except ProviderError as error:
            raise _KeptError(str(error), final=False) from None
        except NoAnswerError as error:
            raise _KeptError(f"{error.kind}: {error}") from None


def _transcript_in(answer: Mapping[str, Any]) -> str:
    """The repaired text in an answer; raises NoAnswerError where there is none."""
    text = answer.get("transcript")
    if set(answer) != {"transcript"} or not isinstance(text, str):
        raise NoAnswerError("malformed", "the answer is no JSON object with the one field transcript")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoAnswerError("malformed", "the transcript in the answer is no valid text") from None
    return " ".join(text.split())


def _changes(raw: str, repaired: str) -> tuple[Change, ...]:
    """What was replaced, word by word."""
    before, after = raw.split(), repaired.split()
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return tuple(
        Change(" ".join(before[start:end]), " ".join(after[first:last]))
        for kind, start, end, first, last in opcodes
        if kind != "equal"
    )
