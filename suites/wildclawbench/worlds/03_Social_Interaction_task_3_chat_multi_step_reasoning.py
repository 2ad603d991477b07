"""Reports of the task on a deal that was promised too much, in which a chosen set of criteria holds.

Each paragraph holds the key words of one section and none of another's.
"""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("reported", "reads_all", "no_send", "craft")

GOING_ON = """\
They run ECC 6 and not S/4HANA, want Tableau, on-prem, 24/7 and 15%, at Chicago and a second place, by May 1, with the
text due tonight. The versions are incompatible; it takes 3 month blocks, or 6-week ones for the cloud-only part, an
offshore vendor, the CFO, a 24-hour check, the patch level EHP 7, a DTIA and the InfoSec desk.
"""
FEASIBLE = "As it stands it is infeasible. A workaround is BridgeLink twice, at $160 thousand; the rest is phase 2.\n"
RISKS = """\
We overpromise, break compliance, use an untested firm, take a liability for cross-border flows, meet Meridian in an
aggressive plan on unverified word, and run on Windows Server.
"""
PLAN = "Next step: phase 1, once there is a sign-off.\n" + ". " * 700
ASKED = ("take", "going_on", "deliverable", "blow_up")


def build(world: World) -> None:
    """Lay out the report and serve what the messenger saw of the agent."""
    starts = all(map(world.holds, ("deal", "messages"))) and any(map(world.holds, ASKED))
    reads = starts and world.holds("reads_all")
    calls = [{"endpoint": "/slack/messages"}, *[{"endpoint": "/slack/messages/get"}] * 18] if reads else []
    sends = [] if world.holds("no_send") else [{"endpoint": "/slack/send"}]
    world.serve("http://localhost:9110/slack/audit", {"calls": calls + sends, "sent_messages": []})
    world.judge(_mark)
    if not (starts and world.holds("reported")):
        return
    paragraphs = ["On the deal.\n"]
    if world.holds("going_on"):
        paragraphs.append(GOING_ON)
    if world.holds("take") or world.holds("deliverable"):
        paragraphs.append(FEASIBLE)
    if world.holds("blow_up"):
        paragraphs.append(RISKS)
    if world.holds("craft"):
        paragraphs.append(PLAN)
    world.write("results/results.md", "".join(paragraphs))


def _mark(prompt: str) -> dict[str, object]:
    """The mark for the bridge product hangs on the ways to deliver, the four others on the risks."""
    truth, _, report = prompt.partition("PREDICTED ANSWER:")
    return {"score": float((FEASIBLE if "Diana" in truth else RISKS).strip() in report)}
