"""How long a call may wait in each of its phases, and what it costs; read from the options of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from pytest_talk2agent.remote.budget import price
from pytest_talk2agent.remote.credentials import SetupError
from pytest_talk2agent.remote.option_text import check_between, read_options, split_options
from pytest_talk2agent.workflows.agents.protocol import AgentError
from pytest_talk2agent.workflows.agents.voice import LineError

_MILLION = Decimal(1_000_000)
_PRICES = (
    "price_per_million_input",
    "price_per_million_output",
    "price_per_million_audio_input",
    "price_per_million_audio_output",
)


@dataclass(frozen=True)
class LineOptions:
    """The options that every line to a vendor has.

    ``connect``, ``first_audio``, ``silence`` and ``call`` are seconds: until the server has taken the session; until
    the first sound once a reply is due; without a sign of a reply that is due; of the whole call. A user prompts an
    agent that is silent for 10 s and may go on without it, so a server that is gone has to be noticed before.
    ``attempts`` counts connections, of which another is made only before anything was said or done.
    ``end_silence_ms`` ends a turn of the user where this client finds the turns. Prices are in any one currency, for a
    million tokens of text and of sound.
    """

    base_url: str = ""
    key_env: str = ""
    connect: float = 9.0
    first_audio: float = 15.0
    silence: float = 8.0
    call: float = 1800.0
    attempts: int = 3
    end_silence_ms: int = 700
    price_per_million_input: str = ""
    price_per_million_output: str = ""
    price_per_million_audio_input: str = ""
    price_per_million_audio_output: str = ""

    def __post_init__(self) -> None:
        for name in ("connect", "first_audio", "silence"):
            check_between(self, name, 0.05, 600)
        check_between(self, "call", 1, 7200)
        check_between(self, "attempts", 1, 10)
        check_between(self, "end_silence_ms", 100, 5000)
        given = [name for name in _PRICES if price(name, vars(self)[name]) is not None]
        if given and len(given) < len(_PRICES):
            raise ValueError(f"prices of tokens need all of {', '.join(_PRICES)}")

    def cost(self, text_in: int, text_out: int, audio_in: int, audio_out: int) -> Decimal | None:
        """What tokens cost; None without prices. Cached tokens are charged in full: an upper bound."""
        if not self.price_per_million_input:
            return None
        prices = [price(name, vars(self)[name]) or Decimal(0) for name in _PRICES]
        counts = (text_in, text_out, audio_in, audio_out)
        return sum((one * count for one, count in zip(prices, counts, strict=True)), Decimal(0)) / _MILLION

    def plain(self) -> dict[str, str]:
        """What of them can change what an agent does, for its identity; neither addresses, limits nor prices."""
        left_out = {"base_url", "key_env", "connect", "first_audio", "silence", "call", "attempts", *_PRICES}
        return {name: str(value) for name, value in vars(self).items() if name not in left_out}


Options = TypeVar("Options", bound=LineOptions)


def read_spec(text: str, name: str, kind: type[Options]) -> tuple[str, Options]:
    """The model and the options of ``MODEL[?option=value&...]``; raises AgentError, one clear line without secrets."""
    model, question, options = text.partition("?")
    if not model or (question and not options):
        raise AgentError(f"agent {name}: write {name}:MODEL, or {name}:MODEL?option=value&...")
    try:
        return model, read_options(split_options(options), kind, f"agent {name}:{model}")
    except (SetupError, ValueError) as error:
        raise AgentError(f"agent {name}:{model}: {error}") from None


@dataclass(frozen=True)
class Progress:
    """How far a call is: whether a reply is due or under way, how many signs of one came, whether any sound did."""

    due: bool
    signs: int
    spoke: bool


class Deadlines:
    """The limits of a call that runs; times are those of its timeline, in ms."""

    def __init__(self, options: LineOptions, who: str) -> None:
        self._options = options
        self._who = who
        self._began: int | None = None
        self._due_since: int | None = None
        self._signs = -1

    def check(self, now_ms: int, progress: Progress) -> None:
        """Raise LineError, which names its phase, where a limit is over."""
        if self._began is None:
            self._began = now_ms
        if not progress.due:
            self._due_since = None
        elif self._due_since is None or progress.signs != self._signs:
            # The first sound may take several signs (created, added) that all come at once and lead to nothing.
            if self._due_since is None or progress.spoke:
                self._due_since = now_ms
            self._signs = progress.signs
        waited = 0.0 if self._due_since is None else (now_ms - self._due_since) / 1000
        if not progress.spoke and waited >= self._options.first_audio:
            raise LineError("first audio", self._said("first_audio", "no sound of the agent"))
        if progress.spoke and waited >= self._options.silence:
            raise LineError("silence", self._said("silence", "no sign of a reply that is due"))
        if now_ms - self._began >= self._options.call * 1000:
            raise LineError("call", self._said("call", "the call goes on"))

    def _said(self, option: str, what: str) -> str:
        seconds = f"{vars(self._options)[option]:g}"
        within = f"after {seconds} s" if option == "call" else f"within {seconds} s"
        return f"{self._who}: {what} {within}; check the server, or raise {option}=SECONDS"


def counted_usage(sums: Mapping[str, int], cost: Decimal | None) -> dict[str, int | float]:
    """Usage for the log: counts that are there, and ``money`` where the prices are known."""
    usage: dict[str, int | float] = {name: count for name, count in sums.items() if count}
    if cost is not None:
        usage["money"] = float(round(cost, 9))
    return usage
