"""Reports of the task on things to do in messages, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("reported", "reads_all", "no_send", "skips_noise", "skips_stale")

UNDATED = """\
Slide deck: the template comes from Lisa of comms.
Rachel, the data lead, wants a data migration part in the feasibility study; schedule a sync with her.
Kevin waits for the list of services, each with its pipeline.
Kevin wants a working session on deployment, to be put into the diary.
ECR waits for IAM: ask Priya for the policy review.
Tell Kevin of the blockers that Rachel named.
Confluence: user-profile and order-history have priority.
Amy wants a meeting on the API contract.
Read the API usage analytics under /reports/.
Jamie and Sam each want a 1:1.
The CTO wants a one-pager on the architecture.
Her jobs: three old ones, six shared tables, one unknown batch, a window once a quarter.
"""
DATED = """\
Feasibility report by March 23, with a risk assessment.
The demo milestone is on April 15.
Slide deck for the all-hands on Thursday.
Confluence holds every backend page by March 28, the two above by March 25.
Performance review of every direct report by March 25.
Expense report of the conference by March 27.
IAM review asked for by March 23; services to Kevin by Tuesday March 24; observability on March 26 at 2pm.
"""
STALE = "Expense report by Wednesday.\nConfluence pages by March 21.\n"
NOISE = (
    "Action: set the newsletter preferences.\n",
    "Task: answer Acme DevTools.\n",
    "Task: mind the kitchen renovation.\n",
)
GAP = "." * 700 + "\n"


def build(world: World) -> None:
    """Lay out the report and serve what the messenger saw of the agent."""
    asked = any(map(world.holds, ("to_do", "requests", "waiting")))
    reads = world.holds("messages") and asked and world.holds("reads_all")
    calls = [{"endpoint": "/slack/messages"}, *[{"endpoint": "/slack/messages/get"}] * 20] if reads else []
    sends = [] if world.holds("no_send") else [{"endpoint": "/slack/send"}]
    world.serve("http://localhost:9110/slack/audit", {"calls": calls + sends, "sent_messages": []})
    world.judge(_mark)
    if not (world.holds("messages") and asked and world.holds("reported")):
        return
    stale = "" if world.holds("skips_stale") else STALE + GAP
    noise = "" if world.holds("skips_noise") else GAP.join(("", *NOISE))
    dated = DATED if world.holds("deadlines") else ""
    world.write("results/results.md", stale + UNDATED + dated + noise)


def _mark(prompt: str) -> dict[str, object]:
    """The tier that the prompt of an item gives to a report with, or without, dates."""
    truth, _, report = prompt.partition("PREDICTED ANSWER:")
    dated = DATED.strip() in report
    if "px-batch" in truth:
        return {"score": 1.0}
    if "Priya" in truth:
        return {"score": 1.0 if dated else 0.4}
    if "David" in truth or "provisioning" in truth:
        return {"score": 1.0 if dated else 0.2}
    return {"score": 1.0 if dated else 0.25}
