"""What the agent says: replies with their words, and the stretches of sound in which they are played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_talk2agent.workflows.audio.playout import Item
from pytest_talk2agent.workflows.audio.ports import MS
from pytest_talk2agent.workflows.caller.observer import Observer, SeenAct
from pytest_talk2agent.workflows.caller.speech import MS_PER_WORD, words_heard
from pytest_talk2agent.workflows.session.overlaps import Speech

ENDLESS_MS = 1 << 40
"""The length of words whose end is not known."""
LONGEST_TEXT = 20_000
"""Characters of one reply; what goes beyond is cut, and the log says so."""


@dataclass(eq=False)
class Script:
    """The words that belong to an item of the buffer, or to one that is still to come.

    How long they take is the length of its sound once that is whole. Before, or where it was cut, it is at least what
    came, and no word is taken to be shorter than usual: text runs ahead of sound.
    """

    name: str
    text: str = ""
    item: Item | None = None

    @property
    def whole(self) -> bool:
        """Whether all of it was played."""
        return self.item is not None and self.item.over and not self.item.cut

    @property
    def heard(self) -> str:
        """The words that were heard to their end."""
        if self.item is None:
            return ""
        if self.whole:
            return self.text
        received = -(-self.item.received // MS)
        known = self.item.complete and not self.item.cut
        duration = received if known else max(received, len(self.text.split()) * MS_PER_WORD)
        return words_heard(self.text, self.item.played // MS, duration)


@dataclass(eq=False)
class Reply:
    """What the agent says and does in one go.

    ``asked_ms`` is when the user's words before it were over, ``continuation`` whether it goes on by itself or after
    results. ``answers`` says that it began when the user had said all. ``seq`` is the number of its AGENT_TEXT.
    """

    turn: int
    asked_ms: int
    continuation: bool
    answers: bool
    scripts: list[Script] = field(default_factory=list)
    usage: dict[str, int | float] = field(default_factory=dict)
    cancelled: bool = False
    complete: bool = False
    end_call: bool = False
    seq: int | None = None
    _acted: set[str] = field(default_factory=set)
    _found: tuple[str, tuple[SeenAct, ...]] = ("", ())

    def script(self, name: str) -> Script:
        """The words of an item."""
        found = next((one for one in reversed(self.scripts) if one.name == name), None)
        if found is None or (found.item is not None and found.item.complete):
            found = Script(name)
            self.scripts.append(found)
        return found

    def add(self, name: str, text: str) -> None:
        """More words of an item: a piece brings its own blanks."""
        script = self.script(name)
        script.text = (script.text + text)[:LONGEST_TEXT]

    def used(self, usage: Mapping[str, int | float]) -> None:
        """Add up counts."""
        for name, count in usage.items():
            self.usage[name] = self.usage.get(name, 0) + count

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join(filter(None, (script.text.strip() for script in self.scripts)))

    @property
    def heard(self) -> list[str]:
        """The words of it that were heard."""
        return [word for script in self.scripts for word in script.heard.split()]

    def acts(self, observer: Observer) -> Iterator[SeenAct]:
        """Acts that its words show and that were heard by now; each comes once."""
        text = self.text
        if self._found[0] != text:
            self._found = (text, tuple(observer.in_speech(text)))
        todo = [act for act in self._found[1] if act.key not in self._acted]
        if not todo:
            return
        heard = len(self.heard)
        whole = self.complete and all(script.whole for script in self.scripts if script.text.strip())
        for act in todo:
            # At the very end of words that still come, a match may become another one.
            open_end = not self.complete and act.end >= len(text)
            if whole or (heard >= len(text[: act.end].split()) and not open_end):
                self._acted.add(act.key)
                yield act


@dataclass(eq=False)
class Utterance(Speech):
    """A stretch of the agent's speech. It has begun; when it will be over nobody knows.

    ``last`` is the moment in ms at which it was last audible. ``before`` are words of its reply that were heard in
    earlier stretches. ``cut`` says whether the agent broke it off: None where nothing tells.
    """

    reply: Reply = field(kw_only=True)
    last: int = 0
    before: int = 0
    cut: bool | None = None

    @property
    def end(self) -> int:
        """Beyond any moment of a call."""
        return self.start + ENDLESS_MS

    def stopped(self, now: int) -> int | None:
        """The moment at which it was last audible; None where it was spoken to its end."""
        return None if self.cut is False else self.last

    @property
    def heard(self) -> str:
        """The words of it that were heard."""
        return " ".join(self.reply.heard[self.before :])
