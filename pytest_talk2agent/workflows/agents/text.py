"""``text:MODEL``: a chat model with tools that talks in writing (condition C0 of APEX-Voice).

It is told what an agent on the phone is told. Of what it said, only the words that were heard stay in its history.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.remote.budget import Budget, BudgetError
from pytest_talk2agent.remote.chat import PATH, completion_in
from pytest_talk2agent.remote.client import Client, Paid
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.fault import ProviderError
from pytest_talk2agent.remote.option_text import (
    ActingOptions,
    check_between,
    read_options,
    split_options,
)
from pytest_talk2agent.workflows.agents.protocol import (
    AgentError,
    AgentFailedError,
    Briefing,
    Call,
    InfrastructureError,
    PoliteTalker,
    Reply,
    Talker,
    View,
)

HANG_UP = "end_call"
_HANG_UP_TOOL = {
    "type": "function",
    "function": {
        "name": HANG_UP,
        "description": "Hang up, once the work is finished and you said goodbye.",
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
    },
}
OPEN_LINE = "(The line is open. Greet the customer.)"
CUT = " [interrupted]"
PROMPT_VERSION = "1"


@dataclass(frozen=True)
class TextOptions(ActingOptions):
    """How a model talks; ``budget`` holds for all sessions together.

    ``stream`` 1 asks for the answer as a stream, 0 for the whole of it.
    """

    tokens: int = 400_000
    stream: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between(self, "stream", 0, 1)


class TextModel:
    """``text:MODEL[?option=value&...]``.

    Raises:
        AgentError: for a wrong option, or a key that is not there. No secret is shown.
    """

    control = False

    def __init__(self, text: str) -> None:
        self.model, question, options = text.partition("?")
        if not self.model or (question and not options):
            raise AgentError("agent text: write text:MODEL, or text:MODEL?option=value&...")
        self.who = f"agent text:{self.model}"
        try:
            self.options = read_options(split_options(options), TextOptions, self.who)
        except (SetupError, ValueError) as error:
            raise AgentError(f"{self.who}: {error}") from None
        self.client = Client(self.who, self.options, AgentError)
        self.client.charge_to(Budget(self.options.limit), self.who)
        self.client.check()

    def identity(self) -> Mapping[str, str]:
        """The model, its server, and what bounds it; neither key nor prices. What it is told is in the log."""
        names = ("tokens", "max_tokens", "temperature", "stream")
        return {
            "name": "text",
            "model": self.model,
            "base_url": self.client.base_url,
            "prompt": PROMPT_VERSION,
            "prompt_sha256": hashlib.sha256(json.dumps([_HANG_UP_TOOL, OPEN_LINE, CUT]).encode()).hexdigest(),
            **{name: str(vars(self.options)[name]) for name in names},
        }

    def start(self, briefing: Briefing) -> Talker:
        """Begin a session; nothing is sent yet."""
        return _TextTalker(self, briefing)


class _TextTalker(PoliteTalker):
    def __init__(self, agent: TextModel, briefing: Briefing) -> None:
        self._agent = agent
        self._messages: list[dict[str, Any]] = [{"role": "system", "content": briefing.instructions}]
        self._spoke: dict[int, dict[str, Any]] = {}
        self._tokens = 0

    def reply(self, view: View) -> Reply:
        """Send what was heard and what the tools came to; take words and calls of the answer."""
        self._take_in(view)
        began = time.monotonic()
        paid = self._ask(view)
        seconds = time.monotonic() - began
        completion = completion_in(paid.reply.body)
        message: Mapping[str, Any] = paid.reply.body["choices"][0]["message"]
        sent = message.get("tool_calls") or []
        if not isinstance(sent, list) or not all(isinstance(one, Mapping) for one in sent):
            raise InfrastructureError(f"{self._agent.who}: malformed: tool_calls are no list of calls")
        text = completion.text or completion.refusal or ""
        answer: dict[str, Any] = {"role": "assistant", "content": text or None}
        calls = [_call(one, number) for number, one in enumerate(sent)]
        if calls:
            answer["tool_calls"] = [_as_sent(call) for call in calls]
        self._messages.append(answer)
        if text:
            self._spoke[view.turn + 1] = answer
        leaving = False
        for call in calls:
            if call.name == HANG_UP:
                leaving = True
                self._messages.append({"role": "tool", "tool_call_id": call.call_id, "content": "ok"})
        used = (paid.usage.input_tokens or 0) + (paid.usage.output_tokens or 0)
        self._tokens += used
        if self._tokens > self._agent.options.tokens:
            raise AgentFailedError(f"the agent used more than {self._agent.options.tokens} tokens")
        usage: dict[str, int | float] = {"tokens": used, "wall_ms": round(seconds * 1000)}
        if paid.cost is not None:
            usage["money"] = float(round(paid.cost, 9))
        return Reply(text, tuple(call for call in calls if call.name != HANG_UP), leaving, usage=usage)

    def _take_in(self, view: View) -> None:
        if view.cut_turn is not None:
            for turn, message in self._spoke.items():
                if turn >= view.cut_turn:
                    self._unsay(message, (view.interrupted or "") if turn == view.cut_turn else "")
        if view.user_text is not None:
            self._spoke = {}
        for result in view.results:
            content = json.dumps(result.told, ensure_ascii=False)
            self._messages.append({"role": "tool", "tool_call_id": result.call_id, "content": content})
        if view.user_text is not None:
            self._messages.append({"role": "user", "content": view.user_text})
        elif not view.results and len(self._messages) == 1:
            self._messages.append({"role": "user", "content": OPEN_LINE})

    def _unsay(self, message: dict[str, Any], heard: str) -> None:
        """Leave in the history what was heard of a message, and its calls."""
        message["content"] = f"{heard}{CUT}" if heard else None
        if not heard and "tool_calls" not in message:
            self._messages = [one for one in self._messages if one is not message]

    def _ask(self, view: View) -> Paid:
        agent = self._agent
        request: dict[str, Any] = {"model": agent.model, "messages": self._messages}
        request["tools"] = [*({"type": "function", "function": dict(tool)} for tool in view.tools), _HANG_UP_TOOL]
        if agent.options.degrees is not None:
            request["temperature"] = agent.options.degrees
        if agent.options.max_tokens:
            request["max_tokens"] = agent.options.max_tokens
        if agent.options.stream:
            request |= {"stream": True, "stream_options": {"include_usage": True}}
        try:
            return agent.client.post(PATH, json.dumps(request), output_tokens=agent.options.max_tokens, json=request)
        except (ProviderError, BudgetError, SetupError) as error:
            raise InfrastructureError(f"{agent.who}: {error}") from None
        except AgentError as error:
            raise InfrastructureError(str(error)) from None


def _call(sent: Mapping[str, Any], number: int) -> Call:
    """A call as it was sent. Arguments that are no JSON stay a text, which the workbench refuses."""
    function = sent.get("function")
    function = function if isinstance(function, Mapping) else {}
    raw = function.get("arguments")
    args: Any = raw
    if isinstance(raw, str):
        try:
            args = json.loads(raw) if raw.strip() else {}
        except (ValueError, RecursionError):
            args = raw
    return Call(str(sent.get("id") or f"call_{number}"), str(function.get("name") or ""), args)


def _as_sent(call: Call) -> dict[str, Any]:
    """A call as it goes into the history, which servers take only with JSON arguments."""
    arguments = json.dumps(call.args if isinstance(call.args, Mapping) else {})
    return {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
