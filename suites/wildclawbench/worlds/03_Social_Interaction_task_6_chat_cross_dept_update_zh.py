"""Reports of the task on a status across departments, in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("no_board_send",)

MOVED = "会期与交付日均已改动。\n"
DEPENDENCIES = "两项部门间的待办。\n"
CONTRADICTIONS = "两处日期互不一致。\n"
STAFF = "人手方面有两项隐患。\n"
SUPPLIER = "外部厂家又延后。\n"
SUMMARY = "摘要供会议使用,附待定事项。\n"
RIGHT = "支出 156.4,结余 43.6。\n"
WRONG = "支出 154.5,结余 45.5。\n"
ASKED = "问得:27.5;演练报告;终面。\n"
OTHER_PROJECT = "极光Beta:35万。\n"
DRILL = "冻结新增支出。\n"
REPLIES = ("msg_2401", "msg_2402", "msg_2403")


def build(world: World) -> None:
    """Lay out the report and serve what the two services saw of the agent."""
    starts = world.holds("project")
    calls: list[dict[str, object]] = []
    if starts and world.holds("read_all"):
        calls += [
            {"endpoint": "/slack/messages/get", "request_body": {"message_id": f"msg_23{number:02d}"}}
            for number in range(1, 13)
        ]
    if starts and world.holds("draft"):
        to = "马苏珊 @coo" if world.holds("coo") and world.holds("api_latest") else "马素珊 @admin-ma"
        calls.append({"endpoint": "/slack/drafts/save", "request_body": {"to": to, "content": SUMMARY * 10}})
    if not world.holds("no_board_send"):
        calls.append({"endpoint": "/slack/send", "request_body": {"to": "@board"}})
    triggered = [{"reply_message_id": reply} for reply in REPLIES] if starts and world.holds("verify") else []
    world.serve("http://localhost:9110/slack/audit", {"calls": calls, "triggered_replies": triggered})
    world.serve("http://localhost:9103/contacts/audit", {"calls": []})
    world.judge(_marks)
    if not starts:
        return
    told = {
        MOVED: world.holds("superseded") or world.holds("rescheduled"),
        DEPENDENCIES: world.holds("dependencies"),
        CONTRADICTIONS: world.holds("contradictions"),
        STAFF: world.holds("staff"),
        SUPPLIER: world.holds("supplier"),
        SUMMARY: world.holds("board") and world.holds("summary"),
        ASKED: world.holds("verify"),
        OTHER_PROJECT: not world.holds("unrelated"),
        DRILL: not world.holds("drills"),
    }
    figures = RIGHT if world.holds("finance") and world.holds("api_latest") else WRONG
    path = "results/results.md" if world.holds("report_out") else "results/aurora.md"
    world.write(path, "".join([figures, *(text for text, there in told.items() if there)]))


def _marks(prompt: str) -> dict[str, object]:
    """The marks by the rubric of the judge for the paragraphs that stand there."""
    moved = MOVED in prompt
    return {
        "meeting_change": float(moved),
        "sdk_deadlock_upgraded": (1.0 if moved else 0.5) if DEPENDENCIES in prompt else 0.0,
        "api_dispute": float(DEPENDENCIES in prompt),
        "soc2_mismatch": float(CONTRADICTIONS in prompt),
        "launch_tension": float(CONTRADICTIONS in prompt),
        "finance_reconciliation": float(RIGHT in prompt),
        "hr_risks": float(STAFF in prompt),
        "vendor_delay": float(SUPPLIER in prompt),
        "report_quality": float(SUMMARY in prompt),
        "reasoning": "scripted",
    }
