"""``llm:MODEL``: a language model that acts through one tool, a shell in the sandbox.

The transcript is the only message of the user. The system's message is fixed, and a part of the agent's identity. The
key stays on the host; only commands go inside.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_talk2agent.execution.agents.agent import AgentError
from pytest_talk2agent.execution.sandbox import Mount
from pytest_talk2agent.execution.session import AgentFailedError, InfrastructureError, Session, TimedOutError
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

PROMPT = """\
You act for the user on a Linux computer. What the user said reaches you as the transcript of a speech recogniser.
Do what the user wants with the tool bash. Each call runs one command in your home folder, and nothing of it goes on
running afterwards; files stay. There is no network, and nobody answers questions.
Look before you act, change nothing that was not asked for, and stop when it is done.
"""
PROMPT_VERSION = "1"
TEXT_PROMPT = """\
You act for the user on a Linux computer. What the user said reaches you as the transcript of a speech recogniser.
Do what the user wants with shell commands. Answer with one command in a block such as

```bash
ls -la
```

and you are told its exit status and what it printed. Each command begins in your home folder, and nothing of it goes on
running afterwards; files stay. There is no network, and nobody answers questions. Look before you act, change nothing
that was not asked for, and answer DONE, without a block, when it is done.
"""
TEXT_PROMPT_VERSION = "text-1"
_BLOCK = re.compile(r"```(?:bash|sh|shell)[ \t]*\n(.*?)```", re.DOTALL)
_TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a shell command; returns its exit status and what it printed.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    },
}


@dataclass(frozen=True)
class AgentOptions(ActingOptions):
    """How a model acts: at most ``steps`` answers in a trial; ``budget`` holds for all trials together.

    ``calls`` "text" is for a model that cannot call tools: it writes a command as a block, and is told what came of it
    in a message of the user.
    """

    steps: int = 30
    calls: str = "tools"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.calls not in ("tools", "text"):
            raise ValueError(f"option calls={self.calls}: write tools, or text for a model that cannot call tools")
        check_between(self, "steps", 1, 500)


class LanguageModel:
    """``llm:MODEL[?option=value&...]``.

    Raises:
        AgentError: for a wrong option, or a key that is not there. No secret is shown.
    """

    mounts: tuple[Mount, ...] = ()

    def __init__(self, text: str) -> None:
        self._model, question, options = text.partition("?")
        if not self._model or (question and not options):
            raise AgentError("agent llm: write llm:MODEL, or llm:MODEL?option=value&...")
        self._who = f"agent llm:{self._model}"
        try:
            self._options = read_options(split_options(options), AgentOptions, self._who)
        except (SetupError, ValueError) as error:
            raise AgentError(f"{self._who}: {error}") from None
        self._budget = Budget(self._options.limit)
        client = self._client(self._options.timeout)
        client.check()
        self._base_url = client.base_url

    def charge_to(self, budget: Budget) -> None:
        """Spend from a budget that others share, in the place of one of its own.

        Raises:
            AgentError: where the spec has a budget of its own, or names no price.
        """
        if self._options.limit is not None:
            raise AgentError(f"{self._who}: --t2a-budget holds for all that the run spends; leave out its own budget=")
        self._budget = budget
        self._client(self._options.timeout)

    def identity(self) -> Mapping[str, str]:
        """The model, its server, the prompt, and what bounds it; neither key nor prices."""
        names = ("steps", "tokens", "max_tokens", "temperature")
        text = self._options.calls == "text"
        return {
            "name": "llm",
            "model": self._model,
            "base_url": self._base_url,
            "prompt": TEXT_PROMPT_VERSION if text else PROMPT_VERSION,
            "prompt_sha256": hashlib.sha256((TEXT_PROMPT if text else PROMPT + json.dumps(_TOOL)).encode()).hexdigest(),
            **{name: str(vars(self._options)[name]) for name in names},
        }

    def act(self, transcript: str, session: Session) -> None:
        """Let the model run commands until it runs none."""
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": TEXT_PROMPT if self._options.calls == "text" else PROMPT},
            {"role": "user", "content": transcript},
        ]
        session.receive(messages[1]["content"])
        for _ in range(self._options.steps):
            message = self._answer(messages, session)
            if self._options.calls == "text":
                said = str(message.get("content") or "")
                command = _BLOCK.search(said)
                if command is None or command[1].strip() == "DONE":  # small models put the word into a block
                    return
                step = session.run(command[1].replace("\0", ""))
                told = f"status {step.status}\n{step.output}"
                messages += [{"role": "assistant", "content": said}, {"role": "user", "content": told}]
                continue
            calls = message.get("tool_calls") or []
            if not isinstance(calls, list):
                raise InfrastructureError(f"{self._who}: malformed: tool_calls are no list")
            messages.append({"role": "assistant", "content": message.get("content"), "tool_calls": calls})
            if not calls:
                return
            messages += [_result(call, session) for call in calls]
        raise AgentFailedError(f"the agent took more than {self._options.steps} steps")

    def _answer(self, messages: list[dict[str, Any]], session: Session) -> Mapping[str, Any]:
        """The model's next message."""
        request: dict[str, Any] = {"model": self._model, "messages": messages}
        if self._options.calls == "tools":
            request["tools"] = [_TOOL]
        if self._options.degrees is not None:
            request["temperature"] = self._options.degrees
        if self._options.max_tokens:
            request["max_tokens"] = self._options.max_tokens
        if not session.left:
            raise TimedOutError("the agent's time was over")

        def in_time(_: ProviderError) -> None:
            if not session.left:
                raise TimedOutError("the agent's time was over")

        client = self._client(min(self._options.timeout, session.left + 1))
        try:
            paid = client.post(
                PATH, json.dumps(request), output_tokens=self._options.max_tokens, before_retry=in_time, json=request
            )
            completion = completion_in(paid.reply.body)
        except (ProviderError, BudgetError) as error:
            if not session.left:
                raise TimedOutError("the agent's time was over") from None
            raise InfrastructureError(f"{self._who}: {error}") from None
        except AgentError as error:
            raise InfrastructureError(str(error)) from None
        _book(paid, session)
        if completion.refused:
            raise AgentFailedError(f"the model refused: {completion.refusal or completion.finish}")
        if completion.truncated:
            raise AgentFailedError("the model's answer ran into its limit of tokens; raise max_tokens")
        if session.cost["tokens"] > self._options.tokens:
            raise AgentFailedError(f"the agent used more than {self._options.tokens} tokens")
        message: Mapping[str, Any] = paid.reply.body["choices"][0]["message"]
        return message

    def _client(self, timeout: float) -> Client:
        client = Client(self._who, dataclasses.replace(self._options, timeout=timeout), AgentError)
        client.charge_to(self._budget, self._who)
        return client


def _book(paid: Paid, session: Session) -> None:
    used = (paid.usage.input_tokens or 0) + (paid.usage.output_tokens or 0)
    session.cost["requests"] = session.cost.get("requests", 0) + 1
    session.cost["tokens"] = session.cost.get("tokens", 0) + used
    if paid.cost is not None:
        session.cost["money"] = round(session.cost.get("money", 0.0) + float(paid.cost), 9)


def _result(call: Any, session: Session) -> dict[str, Any]:
    """Run what a call of the tool asks for; what it is told about that."""
    call = call if isinstance(call, Mapping) else {}
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    try:
        command = json.loads(function["arguments"])["command"]
        if function.get("name") != "bash" or not isinstance(command, str) or "\0" in command:
            raise ValueError
    except (KeyError, TypeError, ValueError, RecursionError):
        said = 'error: there is one tool, bash, with the arguments {"command": "..."}'
    else:
        step = session.run(command)
        said = f"status {step.status}\n{step.output}"
    return {"role": "tool", "tool_call_id": str(call.get("id", "")), "content": said}
