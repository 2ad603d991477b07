"""Reports of the task on an inbox to be triaged, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("sees_test", "investigates")

EVERYTHING = "All nine issues, with what links them.\n"
TEST = "The last one is a test of the routing and stays here.\n"
URGENT = "Two are critical.\n"
ASKED = "What the colleagues told on request.\n"
ROUTING = "Who takes which.\n"
DRAFTS = "Four texts lie ready.\n"
REPORT = "# Escalation report\n"


def build(world: World) -> None:
    """Lay out the report and serve what the two services saw of the agent."""
    calls = [{"endpoint": "/slack/messages/get"}] * 9 if world.holds("inbox") else []
    if world.holds("drafts"):
        calls += [{"endpoint": "/slack/drafts/save"}] * 4
    sent = [] if world.holds("no_customers") else [{"to": "ops@megabank.example"}]
    world.serve("http://localhost:9110/slack/audit", {"calls": calls, "drafts": [], "sent_messages": sent})
    world.serve("http://localhost:9103/contacts/audit", {"calls": []})
    world.judge(_marks)
    told = {
        REPORT: world.holds("report"),
        EVERYTHING: world.holds("everything"),
        TEST: world.holds("everything") and world.holds("sees_test"),
        URGENT: world.holds("urgent"),
        ASKED: world.holds("investigates"),
        ROUTING: world.holds("routing"),
        DRAFTS: world.holds("drafts"),
    }
    path = "results/results.md" if world.holds("report_out") else "results/escalation.md"
    world.write(path, "".join(["Support\n", *(text for text, there in told.items() if there)]))


def _marks(prompt: str) -> dict[str, object]:
    """The marks by the rubric of the judge for the paragraphs that stand there."""
    has = {text for text in (EVERYTHING, TEST, URGENT, ASKED, ROUTING, DRAFTS, REPORT) if text in prompt}
    return {
        "qa_test_identified": float(TEST in has),
        "dpa_severity_elevated": (1.0 if ASKED in has else 0.5) if URGENT in has else 0.0,
        "sql_partial_remediation": float(has >= {URGENT, ASKED}),
        "jake_email_context": float(has >= {EVERYTHING, ASKED}),
        "severity_accuracy": (1.0 if EVERYTHING in has else 0.5) if URGENT in has else 0.0,
        "routing_accuracy": float(ROUTING in has),
        "cross_patterns": float(EVERYTHING in has),
        "draft_quality": float(DRAFTS in has),
        "output_quality": float(REPORT in has),
        "reasoning": "scripted",
    }
