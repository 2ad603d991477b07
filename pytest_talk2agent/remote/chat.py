"""Chat completions: how a model is asked for one JSON object, and what its answer is.

An answer may be none: refused, cut off, or of another form than was asked for. A model that is to transcribe may also
talk to the speaker instead (`is_answer`). That is told conservatively: a transcript that is taken for talk costs a task
its verdict; talk that is taken for a transcript is judged, and what it does not retain counts as lost. So only these
count, none of which a person says to an agent:

- an assistant's apology or refusal at the beginning: "I'm sorry, but I can't assist", "I cannot transcribe", "As an
  AI";
- consent at the beginning that goes on to deliver: "Sure, here is", "Certainly! I'll";
- an announcement or a report in place of the words: "Here is the transcript", "Transcription:", "The speaker says",
  even where the words follow in quotation marks: an agent would be given the announcement, too;
- a fenced block of code, or "you can use the following command".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import ChatOptions
from pytest_talk2agent.tasks.files import parse_json

PATH = "chat/completions"
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)
_CANNOT = r"(?:can(?:'t|not)|can not|could(?:n't| not)|(?:am|'m) (?:not able|unable))"
_MATTER = r"(?:this|that|your|the (?:audio|request))"
_TASK = rf"(?:assist|comply|fulfil+|transcribe|listen to|(?:help|process) (?:with )?{_MATTER})"
# Only behind an apology: "I can't hear the audio, turn it up" is a request.
_ACT = rf"(?:{_TASK}|help|process|access|provide|hear|understand|identify|do that)"
_CONSENT = r"(?:sure(?: thing)?|certainly|of course|absolutely|got it)"
_DELIVERY = r"(?:here(?:'s| is| are| you go)|i(?:'ll| will|'ve| have)|let me)"
_TRANSCRIPT = r"(?:\w+ ){0,3}(?:transcript(?:ion)?|transcribed (?:text|audio))"
_SOURCE = r"(?:speaker|audio(?: clip| file)?|recording|voice(?: message)?)"
_SAYING = r"(?:says|said|is saying|asks|is asking|states|instructs|requests)"
_OPENING = re.compile(
    "|".join(
        (
            rf"(?:i(?:'m| am) sorry|sorry|i apologi[sz]e|unfortunately)[,.]? (?:but )?i ?{_CANNOT} (?:to )?{_ACT}\b",
            rf"i ?{_CANNOT} (?:to )?(?:directly )?{_TASK}\b",
            r"as an? (?:ai(?: (?:(?:language )?model|assistant)|,)|(?:large )?language model)",
            rf"{_CONSENT}[,.!]+ {_DELIVERY}\b",
            rf"(?:here(?:'s| is)|this is|below is|the following is) (?:the|an?|your) {_TRANSCRIPT}\b",
            rf"(?:the )?{_TRANSCRIPT}(?: (?:of|for) (?:the|this|your) {_SOURCE})?(?: is| reads)?(?: as follows)?:",
            rf"(?:in (?:the|this) {_SOURCE}, )?the {_SOURCE}(?: in (?:the|this) {_SOURCE})? {_SAYING}\b",
        )
    )
)
_ANYWHERE = re.compile(r"```|\byou can (?:use|run) the following (?:command|script|code)\b")
_MARKUP = " \t\r\n*_#>\"'“”‘"


class NoAnswerError(Exception):
    """A model did answer, but with no object of the form that was asked for: one clear line.

    ``kind`` is "refused", "truncated" or "malformed".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True)
class Completion:
    """The first choice of an answer: its text, None where it has none; why it ended; what it refuses to do."""

    text: str | None
    finish: str | None
    refusal: str | None

    @property
    def refused(self) -> bool:
        """Whether the model or a content filter refused."""
        return self.refusal is not None or (self.finish or "").startswith("content_filter")

    @property
    def truncated(self) -> bool:
        """Whether it ran into its limit of tokens."""
        return self.finish == "length"


def completion_in(body: Mapping[str, Any]) -> Completion:
    """The completion that the body of a reply holds; raises ProviderError ("malformed") where it holds none."""
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise ProviderError("malformed", "the answer has no choices with a message")
    finish, refusal = choice.get("finish_reason"), message.get("refusal")
    return Completion(
        _text(message.get("content")),
        finish if isinstance(finish, str) else None,
        " ".join(refusal.split()) if isinstance(refusal, str) and refusal else None,
    )


def object_request(
    model: str, prompt: str, data: str | None, name: str, schema: Mapping[str, Any], options: ChatOptions, **fields: Any
) -> dict[str, Any]:
    """A request for one JSON object of a schema.

    ``prompt`` is what the model is told and ``data`` what it is given; without data the prompt is the user's message.
    ``fields`` are sent as they are, those that are None left out.
    """
    request: dict[str, Any] = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}]
        if data is None
        else [{"role": "system", "content": prompt}, {"role": "user", "content": data}],
        **{field: value for field, value in fields.items() if value is not None},
    }
    if options.format == "schema":
        named = {"name": name, "strict": True, "schema": schema}
        request["response_format"] = {"type": "json_schema", "json_schema": named}
    elif options.format == "object":
        request["response_format"] = {"type": "json_object"}
    if options.max_tokens:
        request["max_tokens"] = options.max_tokens
    return request


def object_in(body: Mapping[str, Any], options: ChatOptions) -> dict[str, Any]:
    """The JSON object that a model answered; raises NoAnswerError, and ProviderError as `completion_in` does."""
    found = completion_in(body)
    if found.refused:
        raise NoAnswerError("refused", found.refusal or found.finish or "")
    if found.truncated:
        raise NoAnswerError("truncated", f"the answer ran into its limit of tokens; raise {options.prefix}max_tokens")
    if found.text is None:
        raise NoAnswerError("malformed", "the message in the answer is no text")
    block = _FENCED.fullmatch(found.text) if options.format == "text" else None
    try:
        answer = parse_json(block[1] if block else found.text)
    except (ValueError, RecursionError):
        raise NoAnswerError("malformed", f"the answer is no JSON; see {options.prefix}format") from None
    if not isinstance(answer, dict):
        raise NoAnswerError("malformed", "the answer is no JSON object")
    return answer


def _text(content: Any) -> str | None:
    """The text of a message: as it is, or in parts; None is how some servers write an empty one."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, Mapping) for part in content):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    raise ProviderError("malformed", "the message in the answer is no text")


def is_answer(text: str) -> bool:
    """Whether this is an assistant's answer rather than the words of a recording."""
    plain = " ".join(text.replace("’", "'").lower().split())
    return bool(_OPENING.match(plain.lstrip(_MARKUP)) or _ANYWHERE.search(plain))
