"""Reports of the task on the true state of a project, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("reported", "reads_all", "own_project", "options")

PARAGRAPHS = {
    "revised": "Each figure with those that it replaced, and which of them were wrong.\n",
    "report": "What quality assurance found in the login, and what the front end has to change for it.\n",
    "accurate": "The sums of money, and the day on which all is done.\n",
    "options": "Later, or less, or more people.\n",
    "for_client": "Written for the client.\n",
}
OTHER = "How the other project fares.\n"
KEYS = {
    "revised": ("auth_correction_chain", "auth_date_chain", "budget_contradiction"),
    "report": ("qa_security_finding", "frontend_dependency"),
    "accurate": ("timeline_risk", "budget_summary"),
    "options": ("decision_options",),
    "for_client": ("output_quality",),
}


def build(world: World) -> None:
    """Lay out the report and serve what the messenger saw of the agent."""
    starts = world.holds("project") and world.holds("report")
    read = (11 if world.holds("reads_all") else 1) if starts and world.holds("messages") else 0
    calls = [{"endpoint": "/slack/messages/get"}] * read
    if starts and world.holds("draft"):
        calls.append({"endpoint": "/slack/drafts/save"})
    if starts and not world.holds("draft") and not world.holds("review"):
        calls.append({"endpoint": "/slack/send"})
    world.serve("http://localhost:9110/slack/audit", {"calls": calls, "drafts": [], "sent_messages": []})
    world.judge(_marks)
    if starts and world.holds("reported"):
        told = [text for name, text in PARAGRAPHS.items() if world.holds(name)]
        world.write("results/results.md", "".join(["# State\n", *told, "" if world.holds("own_project") else OTHER]))


def _marks(prompt: str) -> dict[str, object]:
    """Full marks for each paragraph that stands there."""
    marks = {key: float(PARAGRAPHS[name] in prompt) for name, keys in KEYS.items() for key in keys}
    return {**marks, "nebula_excluded": float(OTHER not in prompt), "reasoning": "scripted"}
