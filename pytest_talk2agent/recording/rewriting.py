"""A script rewritten by a language model, where every literal survives; else the script stays as the rules made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from pytest_talk2agent.recording.script import Script, checked
from pytest_talk2agent.remote.chat import PATH, NoAnswerError, object_in, object_request
from pytest_talk2agent.remote.client import Client
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import ChatOptions, read_options, split_options

PROMPT = files(__package__).joinpath("rewriting_prompt.txt").read_text(encoding="utf-8").strip()
SCHEMA = {
    "type": "object",
    "properties": {"script": {"type": "string"}},
    "required": ["script"],
    "additionalProperties": False,
}
_MOST_WORDS = 2.0  # of a rewritten script, to one of the rules: more is another text


@dataclass(frozen=True)
class Rewritten:
    """A script, and why it is still that of the rules, if it is."""

    script: Script
    kept: str | None = None


class Rewriter:
    """Asks ``llm:MODEL[?option=value&...]`` for each script.

    Raises ValueError where the spec is none; its key and its package are looked for at the first script.
    """

    def __init__(self, spec: str) -> None:
        name, colon, rest = spec.partition(":")
        model, _, options = rest.partition("?")
        if name != "llm" or not colon or not model:
            raise ValueError("--rewrite takes llm:MODEL, with the options of a judge behind '?'")
        try:
            self._options = read_options(split_options(options), ChatOptions, f"llm:{model}")
        except SetupError as error:
            raise ValueError(str(error)) from None
        self._model = model
        self._client = Client(f"--rewrite with {model}", self._options, SetupError)

    def rewrite(self, instruction: str, script: Script) -> Rewritten:
        """The model's script where every literal that came back before still does; raises ValueError without a key."""
        data = json.dumps(
            {"script": script.text, "keep_word_for_word": [one.said for one in script.literals]}, ensure_ascii=False
        )
        request = object_request(self._model, PROMPT, data, "script", SCHEMA, self._options, temperature=0)
        try:
            paid = self._client.post(PATH, json.dumps(request), output_tokens=self._options.max_tokens, json=request)
            text = _script_in(object_in(paid.reply.body, self._options))
        except SetupError as error:
            raise ValueError(str(error)) from None
        except ProviderError as error:
            return Rewritten(script, f"provider: {error}")
        except NoAnswerError as error:
            return Rewritten(script, f"{error.kind}: {error}")
        fault = broken(instruction, script, text)
        return (
            Rewritten(script, fault) if fault else Rewritten(Script(text, checked(instruction, text, script.literals)))
        )


def broken(instruction: str, script: Script, text: str) -> str | None:
    """Why a rewritten script must not stand for one of the rules, in one line; None where it may."""
    if not text:
        return "the answer has no words"
    if len(text.split()) > _MOST_WORDS * len(script.text.split()) + 10:
        return f"the answer has {len(text.split())} words for {len(script.text.split())}"
    before = {(one.value, one.kind) for one in script.lost}
    lost = [one for one in checked(instruction, text, script.literals) if one.reason is not None]
    gone = [one.value for one in lost if (one.value, one.kind) not in before]
    return f"it loses {', '.join(dict.fromkeys(gone))}" if gone else None


def _script_in(answer: Mapping[str, object]) -> str:
    text = answer.get("script")
    if set(answer) != {"script"} or not isinstance(text, str):
        raise NoAnswerError("malformed", "the answer is no JSON object with the one field script")
    return " ".join(text.encode(errors="replace").decode().split())
