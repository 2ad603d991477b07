"""The log of a kept session, read back and proved for a report: events in lines, the trace, and what was left behind.

A report is written whatever became of the log: why it cannot be read is a line, not an error.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pytest_talk2agent.workflows.campaign.diff import SessionDiff, session_diff
from pytest_talk2agent.workflows.campaign.record import SessionRecord
from pytest_talk2agent.workflows.scoring.grade import Compat
from pytest_talk2agent.workflows.scoring.trace import Trace
from pytest_talk2agent.workflows.session.event import Event
from pytest_talk2agent.workflows.session.log import BrokenLogError
from pytest_talk2agent.workflows.session.replay import Replayed, replay
from pytest_talk2agent.workflows.session.tracing import trace_of
from pytest_talk2agent.workflows.stable import canonical

LARGEST = 32 << 20
"""Bytes of a log that a report reads back; ``talk2agent replay`` reads larger ones."""
LONGEST_EVENT = 200
"""Characters of an event in a line."""


@dataclass(frozen=True)
class KeptSession:
    """A session whose log holds."""

    done: Replayed
    trace: Trace

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """Some events by their number, in a line each."""
        return {event.seq: _line(event) for event in self.done.log.events if event.seq in numbers}

    def diff(self, record: SessionRecord, compat: Compat | None = None) -> SessionDiff:
        """What it left behind, against gold by one set of rules and against what it found."""
        score = record.score(compat) if record.finished else None
        return session_diff(self.done.package, self.trace, score, self.done.tables)


def kept_session(path: Path, largest: int = LARGEST) -> KeptSession | str:
    """The session of a log, or one line that says why it cannot be shown."""
    try:
        size = path.stat().st_size
        if size > largest:
            return f"its log has {size / (1 << 20):.0f} MB, too many to be shown here"
        done = replay(path.read_bytes())
        return KeptSession(done, trace_of(done))
    except OSError as error:
        return f"its log cannot be read ({error.strerror})"
    except BrokenLogError as error:
        return f"its log is broken: {error}"
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        return f"its log holds what no session writes ({type(error).__name__})"


def _line(event: Event) -> str:
    told = {name: value for name, value in event.payload.items() if value not in (None, "", [], {})}
    return f"at {event.media_time_ms / 1000:.1f} s {event.type} {canonical(told)[:LONGEST_EVENT]}"
