"""A session on its media timeline, as SVG: user, agent, tools and world in lanes, seconds below.

Lanes, shapes and words carry the meaning; colour repeats it. With a recording the lanes of user and agent have its
waveform, and what stands at a moment leads there: ``data-at`` is in milliseconds. What everybody said and did is text,
with what cannot be seen spelled, and bounded: what is not drawn is counted in the description.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_talk2agent.reporting.html.markup import Markup, element
from pytest_talk2agent.reporting.html.session_sound import Waves, envelope
from pytest_talk2agent.reporting.session_diff import cut
from pytest_talk2agent.reporting.visible import visible_line
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.workflows.scoring.trace import Clip, DuplexEvent, ToolCall, Trace
from pytest_talk2agent.workflows.stable import canonical

MOST = 300
"""So many clips, calls and changes of each kind are drawn."""
LONGEST = 300
"""Characters of what was said or done."""
LEFT, TOP, RIGHT, LANE, GAP, ROW = 52, 30, 16, 26, 8, 18
"""Pixels: the names of the lanes, the marks above them, the right edge, a lane, between lanes, a row of calls."""
SECOND, NARROWEST, WIDEST = 20, 760, 5_000
"""Pixels of a second, and of the whole, whatever its length."""
LETTER = 5.6
"""Pixels of a letter, about."""
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
_APART = 70
"""Pixels between two times on the axis, at least."""


@dataclass(frozen=True)
class Overlap:
    """A stretch in which both spoke, in milliseconds."""

    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Told:
    """One thing that was said or done, at a time in milliseconds."""

    ms: int
    seq: int
    who: str
    text: str


def overlaps_of(clips: Sequence[Clip]) -> list[Overlap]:
    """The stretches in which user and agent spoke at once, joined where they touch."""
    users, agents = ([one for one in clips if one.speaker == who] for who in ("user", "agent"))
    pairs = sorted(
        (max(user.start_ms, agent.start_ms), min(user.end_ms, agent.end_ms)) for user in users for agent in agents
    )
    found: list[Overlap] = []
    for start, end in pairs:
        if start >= end:
            continue
        if found and start <= found[-1].end_ms:
            found[-1] = Overlap(found[-1].start_ms, max(end, found[-1].end_ms))
        else:
            found.append(Overlap(start, end))
    return found


def told(trace: Trace) -> list[Told]:
    """What was said and done, in the order of the log."""
    rows = [Told(clip.start_ms, clip.seq, clip.speaker, said(clip)) for clip in trace.clips]
    rows += [Told(call.media_ms, call.seq, "tool", done(call)) for call in trace.calls]
    for one in trace.mutations:
        rows.append(Told(one.media_ms, one.seq, "artifact", f"{one.artifact_id}.{one.path} = {canonical(one.new)}"))
    for change in trace.world_changes:
        values = f"{canonical(change.old)} → {canonical(change.new)}"
        rows.append(Told(change.media_ms, change.seq, "world", f"{change.path}: {values}"))
    rows += [Told(a.media_ms, a.seq, "approval", f"{a.kind}: {a.action_type} {a.target_id}") for a in trace.approvals]
    for event in trace.events:
        onset = event.media_ms if event.onset_ms is None else event.onset_ms
        rows.append(Told(onset, event.seq, "event", happened(trace, event.event_id)))
    return sorted(rows, key=lambda one: (one.ms, one.seq))


def said(clip: Clip) -> str:
    """What a clip says, and what of it was heard where it was cut."""
    kind = "" if clip.kind == "turn" else f"[{clip.kind.replace('_', ' ')}] "
    return f"{kind}{clip.text}{f' [cut after: {clip.heard}]' if clip.cut else ''}"


def done(call: ToolCall) -> str:
    """A call, its arguments and what came of it."""
    came = "ok" if call.ok else f"error: {call.error}"
    refused = f", {call.decision.code}" if call.decision is not None else ""
    return f"{call.tool} {canonical(call.args)}: {came}{refused}{', abandoned' if call.abandoned else ''}"


def happened(trace: Trace, name: str) -> str:
    """A scripted event, and whether the agent yielded to it."""
    event = next(one for one in trace.events if one.event_id == name)
    words = event.type.lower().replace("_", " ")
    if event.yielded is None:
        return f"{words} ({name})"
    stop = "" if event.stop_ms is None else f", silent after {event.stop_ms / 1000:.2f} s"
    return f"{words} ({name}): the agent {'yielded' if event.yielded else 'talked on'}{stop}"


def timeline(trace: Trace, name: str, waves: Waves | None = None) -> Markup:
    """The drawing. ``name`` is unique on the page; ``waves`` are those of the recording."""
    return _Drawing(trace, waves).svg(name)


class _Drawing:
    def __init__(self, trace: Trace, waves: Waves | None = None) -> None:
        self.trace, self.waves = trace, waves
        heard = round(waves.seconds * 1000) if waves else 0
        self.length = max(1, heard, trace.ended_ms, *(clip.end_ms for clip in trace.clips))
        self.width = min(max(self.length / 1000 * SECOND, NARROWEST), WIDEST)
        self.rows = _rows_of(trace.calls[:MOST], round(self.length / self.width * 8))
        tools = max(1, *(row + 1 for row in self.rows)) if self.rows else 1
        self.user, self.agent = TOP, TOP + LANE + GAP
        self.tools = self.agent + LANE + GAP
        self.world = self.tools + max(LANE, tools * ROW) + GAP
        self.bottom = self.world + LANE

    def x(self, ms: int) -> float:
        return round(LEFT + ms / self.length * self.width, 1)

    def svg(self, name: str) -> Markup:
        height, width = self.bottom + 34, round(LEFT + self.width + RIGHT)
        title, desc = f"{name}-title", f"{name}-desc"
        return element(
            "svg",
            element("title", f"timeline of {visible_line(self.trace.package)}", id=title),
            element("desc", self.description(), id=desc),
            *self.axis(),
            *self.lanes(),
            *self.sound(),
            *self.crossings(),
            *self.clips(),
            *self.calls(),
            *self.changes(),
            *self.marks(),
            *self.head(),
            class_="timeline",
            data_left=LEFT if self.waves else None,
            data_scale=round(self.width / self.length, 6) if self.waves else None,
            viewBox=f"0 0 {width} {height}",
            width=width,
            height=height,
            role="img",
            aria_labelledby=f"{title} {desc}",
        )

    def description(self) -> str:
        trace, both = self.trace, overlaps_of(self.trace.clips)
        speakers = [clip.speaker for clip in trace.clips]
        changes = len(trace.mutations) + len(trace.world_changes)
        parts = [
            f"{self.length / 1000:.1f} seconds.",
            f"The user speaks {counted(speakers.count('user'), 'time')}, the agent {speakers.count('agent')}.",
            f"{counted(len(trace.calls), 'tool call')}, {sum(not call.ok for call in trace.calls)} without success;"
            f" {counted(changes, 'change')}.",
            f"{counted(len(both), 'overlap')}{': ' if both else '.'}"
            + ", ".join(f"{one.start_ms / 1000:.1f} to {one.end_ms / 1000:.1f} s" for one in both[:10]),
        ]
        parts += [f"{happened(trace, e.event_id)} at {(e.onset_ms or 0) / 1000:.1f} s." for e in self.met()[:10]]
        drawn = (trace.clips, trace.calls, trace.mutations, trace.world_changes, trace.approvals, self.met())
        left = sum(max(0, len(some) - MOST) for some in drawn)
        parts += [f"Not drawn: {left:,} more."] if left else []
        return visible_line(" ".join(parts))

    def met(self) -> list[DuplexEvent]:
        return [event for event in self.trace.events if event.onset_ms is not None]

    def axis(self) -> Iterator[Markup]:
        per_second = self.width / (self.length / 1000)
        step = next((one for one in _STEPS if one * per_second >= _APART), _STEPS[-1])
        while step * per_second < _APART:
            step *= 2
        for second in range(0, self.length // 1000 + 1, step):
            x = self.x(second * 1000)
            yield element("line", x1=x, x2=x, y1=TOP - 4, y2=self.bottom + 4, class_="axis")
            yield element("text", f"{second} s", x=x, y=self.bottom + 18, text_anchor="middle", class_="tick")

    def lanes(self) -> Iterator[Markup]:
        for word, y in (("user", self.user), ("agent", self.agent), ("tools", self.tools), ("world", self.world)):
            yield element("text", word, x=0, y=y + LANE / 2 + 4, class_="lane")

    def sound(self) -> Iterator[Markup]:
        """The waveforms, below everything else in their lanes."""
        if self.waves is None:
            return
        width = self.waves.seconds * 1000 / self.length * self.width
        for values, y, series in ((self.waves.user, self.user, 0), (self.waves.agent, self.agent, 1)):
            path = envelope(values, LEFT, width, y + LANE / 2, LANE / 2)
            yield element("path", d=path, class_=f"wave s{series}")

    def head(self) -> Iterator[Markup]:
        """The line that moves while the recording is played."""
        if self.waves is not None:
            yield element("line", x1=LEFT, x2=LEFT, y1=TOP - 4, y2=self.bottom + 4, class_="head", hidden="hidden")

    def at(self, ms: int, *parts: Markup, words: str = "") -> Markup:
        """What stands at a moment; with ``words`` the keyboard reaches it, too."""
        if self.waves is None:
            return element("g", *parts)
        if not words:
            return element("g", *parts, data_at=ms)
        return element("g", *parts, data_at=ms, tabindex=0, role="button", aria_label=visible_line(cut(words, LONGEST)))

    def crossings(self) -> Iterator[Markup]:
        """Stretches in which both spoke: a dashed frame around both lanes."""
        for one in overlaps_of(self.trace.clips[:MOST]):
            words = f"overlap of {(one.end_ms - one.start_ms) / 1000:.2f} s at {one.start_ms / 1000:.1f} s"
            x = self.x(one.start_ms)
            width = max(3.0, round(self.x(one.end_ms) - x, 1))
            frame = element("rect", x=x, y=self.user - 3, width=width, height=2 * LANE + GAP + 6, class_="overlap")
            yield self.at(one.start_ms, element("title", words), frame)

    def clips(self) -> Iterator[Markup]:
        for clip in self.trace.clips[:MOST]:
            y, series = (self.user, 0) if clip.speaker == "user" else (self.agent, 1)
            x, end = self.x(clip.start_ms), self.x(clip.end_ms)
            words = f"{clip.speaker}, {clip.start_ms / 1000:.1f} to {clip.end_ms / 1000:.1f} s: {said(clip)}"
            quiet = " quiet" if clip.kind == "backchannel" else ""
            width = max(2.0, round(end - x, 1))
            parts = [
                element("title", visible_line(cut(words, LONGEST))),
                element("rect", x=x, y=y, width=width, height=LANE, rx=3, class_=f"clip s{series}{quiet}"),
                *_label(clip.heard if clip.cut else clip.text, x + 4, y + LANE / 2 + 4, end - x - 8),
            ]
            if clip.cut:
                bar = f"M{end} {y - 2}v{LANE + 4}m-4 -{LANE + 4}h8m-8 {LANE + 4}h8"
                parts.append(element("path", d=bar, class_="cut"))
            yield self.at(clip.start_ms, *parts)

    def calls(self) -> Iterator[Markup]:
        calls = self.trace.calls[:MOST]
        for number, (call, row) in enumerate(zip(calls, self.rows, strict=True)):
            x, y = self.x(call.media_ms), self.tools + row * ROW
            end = self.x(call.media_ms if call.result_ms is None else call.result_ms)
            width = max(4.0, round(end - x, 1))
            later = self.rows.index(row, number + 1) if row in self.rows[number + 1 :] else None
            room = (LEFT + self.width if later is None else self.x(calls[later].media_ms)) - x - width - 6
            state = "" if call.ok else " failed"
            shape = f"call s2{state}{' abandoned' if call.abandoned else ''}"
            words = f"{call.media_ms / 1000:.1f} s: {done(call)}"
            yield self.at(
                call.media_ms,
                element("title", visible_line(cut(words, LONGEST))),
                element("rect", x=x, y=y, width=width, height=ROW - 4, rx=2, class_=shape),
                *_label(f"{'' if call.ok else '✗ '}{call.tool}", x + width + 3, y + ROW - 7, room),
            )

    def changes(self) -> Iterator[Markup]:
        """A diamond for what was written to artifacts, a square for the world, a triangle for an approval."""
        trace, middle = self.trace, self.world + LANE / 2
        written = [(one.media_ms, f"{one.artifact_id}.{one.path} = {canonical(one.new)}") for one in trace.mutations]
        moved = [(one.media_ms, f"{one.path} = {canonical(one.new)}") for one in trace.world_changes]
        allowed = [(one.media_ms, f"approval {one.kind}") for one in trace.approvals]
        shapes = (
            (written, "artifact", "M{x} {y}m0 -6l6 6l-6 6l-6 -6z", "s3", 5),
            (moved, "world", "M{x} {y}m-5 -5h10v10h-10z", "s4", -5),
            (allowed, "", "M{x} {y}m-5 5h10l-5 -10z", "s5", 0),
        )
        for rows, noun, outline, series, lift in shapes:
            for ms, same in groupby(rows[:MOST], key=lambda one: one[0]):
                texts = [cut(text, 80) for _, text in same]
                more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
                words = f"{ms / 1000:.1f} s: {f'{noun} ' if noun else ''}{'; '.join(texts[:4])}{more}"
                path = outline.format(x=self.x(ms), y=middle + lift)
                shape = element("path", d=path, class_=f"dot {series}")
                yield self.at(ms, element("title", visible_line(words)), shape)

    def marks(self) -> Iterator[Markup]:
        """Where the user's voice set in over the agent's: an arrow, and words where there is room."""
        free = 0.0
        for event in self.met()[:MOST]:
            assert event.onset_ms is not None
            x, words = self.x(event.onset_ms), happened(self.trace, event.event_id)
            parts = [element("title", visible_line(cut(f"{event.onset_ms / 1000:.1f} s: {words}", LONGEST)))]
            parts.append(element("path", d=f"M{x - 5} {TOP - 14}h10l-5 9z", class_="onset"))
            parts.append(element("line", x1=x, x2=x, y1=TOP - 5, y2=self.agent + LANE, class_="onset"))
            short = visible_line(cut(f"{event.type.lower().replace('_', ' ')}: {_outcome(event.yielded)}", 60))
            if x >= free:
                parts.append(element("text", short, x=x + 8, y=TOP - 6, class_="mark"))
                free = x + 8 + len(short) * LETTER + 8
            yield self.at(event.onset_ms, *parts, words=f"play from {event.onset_ms / 1000:.1f} s: {words}")


def _outcome(yielded: bool | None) -> str:
    return "no outcome" if yielded is None else "yielded" if yielded else "talked on"


def _label(text: str, x: float, y: float, room: float) -> list[Markup]:
    """As much of a text as there is room for; nothing where that is next to nothing."""
    letters = int(room / LETTER)
    line = visible_line(cut(text, LONGEST))
    if letters < 4 and letters < len(line):
        return []
    shown = line if len(line) <= letters else f"{line[: letters - 1]}…"
    return [element("text", shown, x=round(x, 1), y=y, class_="said")]


def _rows_of(calls: Sequence[ToolCall], least: int) -> list[int]:
    """The row of each call, so that calls at one time stand below each other; at most four rows."""
    ends: list[int] = []
    found = []
    for call in calls:
        end = max(call.result_ms or 0, call.media_ms + least)
        row = next((number for number, until in enumerate(ends) if until <= call.media_ms), len(ends))
        row = min(row, 3)
        if row == len(ends):
            ends.append(end)
        ends[row] = max(ends[row], end)
        found.append(row)
    return found
