"""A language model that may see acts of the agent where no pattern does (APEX-Voice 2.2), and its recorded answers.

It is shown what was heard and the closed list of act keys that the package knows; neither gold nor facts. The log of a
session has every answer as it came, so that the same user can be had again without the model. A model that cannot be
reached fails the session as infrastructure: a user who is half deaf would score agents that it did not hear.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.remote.budget import BudgetError
from pytest_talk2agent.remote.chat import PATH, NoAnswerError, object_in, object_request
from pytest_talk2agent.remote.client import Client
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import ChatOptions, read_options, split_options
from pytest_talk2agent.workflows.caller.observer import LONGEST_CLASSIFIED, Classified, UnreachableError
from pytest_talk2agent.workflows.stable import canonical

PROMPT = """\
You label what an office worker says to a customer on the phone.
You get one utterance and a list of labels. A label is ACT or ACT:field, such as ASK:phone for asking for a phone number
or CONFIRM:total for reading a total back. Give the labels whose act the utterance performs, and no others; give none
where you are not sure. Answer with the JSON object {"labels": [...]}."""
VERSION = "1"
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"labels": {"type": "array", "items": {"type": "string"}}},
    "required": ["labels"],
    "additionalProperties": False,
}


class ClassifierError(ValueError):
    """A classifier cannot be had as it was asked for. One clear line."""


@dataclass(frozen=True)
class ClassifierOptions(ChatOptions):
    """How the model is asked; upstream bounds an answer by 120 tokens."""

    max_tokens: int = 120


class ModelClassifier:
    """``llm:MODEL[?option=value&...]``.

    Raises:
        ClassifierError: for a spec of another form, a wrong option, or a key that is not there. No secret is shown.
    """

    def __init__(self, spec: str) -> None:
        name, _, text = spec.partition(":")
        self._model, question, options = text.partition("?")
        if name != "llm" or not self._model or (question and not options):
            raise ClassifierError("classifier: write llm:MODEL, or llm:MODEL?option=value&...")
        self._who = f"classifier llm:{self._model}"
        try:
            self._options = read_options(split_options(options), ClassifierOptions, self._who)
        except (SetupError, ValueError) as error:
            raise ClassifierError(f"{self._who}: {error}") from None
        self._client = Client(self._who, self._options, ClassifierError)
        self._client.check()

    def identity(self) -> Mapping[str, str]:
        """The model, its server, and what it is told."""
        told = hashlib.sha256((PROMPT + json.dumps(_SCHEMA)).encode()).hexdigest()
        plain = {"name": "llm", "model": self._model, "base_url": self._client.base_url, "version": VERSION}
        return {**plain, "prompt_sha256": told, "format": self._options.format}

    def classify(self, text: str, known: list[str]) -> Classified:
        """The keys of ``known`` that an utterance performs; labels that are none of them are left out.

        Raises:
            UnreachableError: where no answer could be had.
        """
        data = json.dumps({"utterance": text[:LONGEST_CLASSIFIED], "labels": known}, ensure_ascii=False)
        request = object_request(self._model, PROMPT, data, "labels", _SCHEMA, self._options, temperature=0)
        try:
            paid = self._client.post(PATH, json.dumps(request), output_tokens=self._options.max_tokens, json=request)
        except (ProviderError, BudgetError, SetupError, ClassifierError) as error:
            raise UnreachableError(f"{self._who}: {error}") from None
        try:
            answer = object_in(paid.reply.body, self._options)
        except (NoAnswerError, ProviderError) as error:
            return Classified(canonical(paid.reply.body.get("choices")), error=str(error))
        labels = answer.get("labels")
        keys = labels if isinstance(labels, list) else []
        return Classified(canonical(answer), tuple(key for key in dict.fromkeys(map(str, keys)) if key in known))


class RecordedClassifier:
    """The answers that stand in a log, given again to the same words; other words have no answer."""

    def __init__(self, payloads: Iterable[Mapping[str, Any]]) -> None:
        self._answers = {
            payload["text"]: Classified(payload["answer"], tuple(payload["keys"]), payload["error"])
            for payload in payloads
            if payload.get("kind") == "classifier"
        }

    def identity(self) -> Mapping[str, str]:
        """The SHA-256 of the answers."""
        plain = {text: [one.answer, *one.keys] for text, one in sorted(self._answers.items())}
        return {"name": "recorded", "answers_sha256": hashlib.sha256(canonical(plain).encode()).hexdigest()}

    def classify(self, text: str, known: list[str]) -> Classified:
        """The recorded answer."""
        found = self._answers.get(text)
        return found if found is not None else Classified("", error="the log has no answer to these words")
