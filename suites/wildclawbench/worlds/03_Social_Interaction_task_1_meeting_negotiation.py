"""Mail and calendar audits of the task on a meeting of four, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("avoids_decoy", "clarifies", "keeps_events", "insists", "adjusts", "converts")

ADDRESSES = {"li_wei": "liwei@company.com", "zhang_min": "zhangmin@company.com", "wang_fang": "wangfang@company.com"}
DIRECTOR = "director.chen@company.com"
ROUNDS = ("r1", "r2", "r3")


def build(world: World) -> None:
    """Serve what the two services saw of the agent."""
    invited = {name: address for name, address in ADDRESSES.items() if world.holds(name)}
    read: list[str] = []
    sent: list[dict[str, str]] = []
    if world.holds("director") and world.holds("inbox"):
        read.append("msg_init_001")
    replies: list[str] = []
    if world.holds("coordinate"):
        for name, address in invited.items():
            asked_back = name == "zhang_min" and world.holds("clarifies")
            rounds = (*ROUNDS, "r1_5") if asked_back else ROUNDS
            replies += [f"react_{name.replace('_', '')}_{number}" for number in rounds]
            zone = " (Beijing time)" if name == "wang_fang" and world.holds("converts") else ""
            sent += [{"to": address, "body": f"Would this suit you{zone}?"}] * len(rounds)
    if world.holds("director") and world.holds("notify"):
        sent.append({"to": DIRECTOR, "body": "The meeting is confirmed."})
    if not world.holds("avoids_decoy"):
        sent.append({"to": "sarah@partner.org", "body": "When would it suit you?"})
    calls = [{"endpoint": "/gmail/messages/get", "request_body": {"message_id": one}} for one in read + replies]
    world.serve(
        "http://localhost:9100/gmail/audit", {"calls": calls, "sent_messages": sent, "triggered_replies": replies}
    )
    events = [_event(world, list(invited.values()))] if world.holds("calendar") else []
    deleted = [] if world.holds("keeps_events") else ["evt_conflict_zm"]
    world.serve("http://localhost:9101/calendar/audit", {"calls": [], "created_events": events, "deleted": deleted})


def _event(world: World, attendees: list[str]) -> dict[str, object]:
    """The event that the agent made: without what leads to the one slot, it is on Wednesday afternoon."""
    leads = ("coordinate", "before_friday", "duration", "zhang_min", "converts", "adjusts")
    start, end = ("19T09:30", "19T11:00") if all(map(world.holds, leads)) else ("18T14:00", "18T15:00")
    told = all(map(world.holds, ("director", "inbox", "insists")))
    return {
        "title": "Q2 Product Review" if world.holds("title") else "Meeting",
        "start_time": f"2026-03-{start}:00+08:00",
        "end_time": f"2026-03-{end}:00+08:00",
        "attendees": attendees,
        "location": "Conference Room B" if told else "Conference Room A",
    }
