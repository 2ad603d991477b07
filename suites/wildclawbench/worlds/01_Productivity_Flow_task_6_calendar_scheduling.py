"""Workspaces of the task on scheduling meetings in which a chosen set of criteria holds."""

from __future__ import annotations

import json
from typing import NamedTuple

from pytest_talk2agent.execution.world import World

VARIES = ("right_length",)

_CONSTRAINTS = """
timezone: UTC
hard_constraints:
  lunch_break:
    start: "12:00"
    end: "13:00"
  max_meetings_per_attendee_per_day: 4
  schedule_only_within_preferred_windows: true
attendee_unavailability:
  bo@x.example:
    - weekday: Monday
      start: "15:00"
      end: "17:00"
"""
_MONDAY = "20260302"


class _Event(NamedTuple):
    uid: str
    title: str
    start: str
    end: str
    people: tuple[str, ...]

    def ics(self, component: str = "VEVENT") -> str:
        lines = [f"BEGIN:{component}", f"UID:{self.uid}", f"SUMMARY:{self.title}"]
        lines += [f"DTSTART:{_MONDAY}T{self.start}00Z", f"DTEND:{_MONDAY}T{self.end}00Z"]
        lines += [f"ATTENDEE:mailto:{person}" for person in self.people]
        return "\n".join([*lines, f"END:{component}\n"])


_OLD = tuple(_Event(f"old-{n}", f"Old {n}", f"0{7 + n}00", f"0{7 + n}30", ("ann@x.example",)) for n in range(3))
_NEW = (
    _Event("req_001", "First", "1000", "1030", ("ann@x.example", "bo@x.example")),
    _Event("req_002", "Second", "1100", "1130", ("bo@x.example",)),
)
_LEFT_OUT = _Event("req_003", "Third", "1100", "1130", ("bo@x.example",))


def _request(event: _Event) -> dict[str, object]:
    return {
        "id": event.uid,
        "title": event.title,
        "preferred_windows": [{"start": "2026-03-02T07:00:00+00:00", "end": "2026-03-02T17:00:00+00:00"}],
        "duration_minutes": 30,
        "priority": "P0",
        "required_attendees": list(event.people),
        "optional_attendees": [],
    }


def _calendar(events: str) -> str:
    return f"BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n"


def _scheduled(world: World) -> list[_Event]:
    """The requests as they are scheduled; each lost rule is broken by one of them."""
    if not (world.holds("as_many") and world.holds("by_priority")):
        return []
    first, second = _NEW
    if not world.holds("conflicts"):
        first = first._replace(start="0900", end="0930")
    if not world.holds("lunch"):
        first = first._replace(start="1200", end="1230")
    if not world.holds("windows"):
        first = first._replace(start="1800", end="1830")
    if not world.holds("unavailable"):
        first = first._replace(start="1500", end="1530")
    if not world.holds("required"):
        first = first._replace(people=first.people[:1])
    if not world.holds("right_length"):
        second = second._replace(end="1145")
    return [first, second]


def build(world: World) -> None:
    """Lay out the workspace."""
    old = list(_OLD)
    if not world.holds("daily_cap"):
        old += [_Event("old-9", "Old 9", "1300", "1330", ("ann@x.example",))]
    world.write("calendar.ics", _calendar("".join(event.ics() for event in old)))
    world.write("meeting_requests.json", json.dumps([_request(event) for event in (*_NEW, _LEFT_OUT)]))
    world.write("constraints.yaml", _CONSTRAINTS)
    world.write("gt/optimal_scheduled.ics", _calendar("".join(event.ics() for event in (*old, *_NEW))))

    scheduled = _scheduled(world)
    kept = old if world.holds("keep_events") else [old[0]._replace(start="0600", end="0630"), *old[1:]]
    added = [event.ics("VEVENT" if world.holds("as_vevent") else "VTODO") for event in scheduled]
    taken = {event.uid for event in scheduled}
    field = "reason_code" if world.holds("reason_field") else "why"
    rejected = [
        {"id": event.uid, "title": event.title, field: "time_conflict", "reason_text": "no slot"}
        for event in (*_NEW, _LEFT_OUT)
        if event.uid not in taken and world.holds("listed")
    ]
    folder = "results" if world.holds("out_dir") else "schedule"
    files = {
        "scheduled_file": ("scheduled.ics", _calendar("".join([*(event.ics() for event in kept), *added]))),
        "unscheduled_file": ("unscheduled.json", json.dumps(rejected)),
        "log_file": ("decision_log.md", "### Scheduling Decision Log\n\n### Summary\n- Two of three are scheduled.\n"),
    }
    for criterion, (name, content) in files.items():
        world.write(f"{folder}/{name}" if world.holds(criterion) else f"{folder}/other-{name}", content)
