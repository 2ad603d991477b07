"""Workspaces of the task on joining numbered dots of several colours in which a chosen set of criteria holds."""

from __future__ import annotations

from pytest_talk2agent.execution.world import World

VARIES = ("dots_read",)

RULES = ("connect", "number_order", "colour_groups", "within_group")
TRUTH = "the subject"
DETAILS = "all its details"


def build(world: World) -> None:
    """Lay out drawing and description. The stubbed judge sees no drawing, so it is the text of what it shows."""
    shown = TRUTH if all(map(world.holds, (*RULES, "dots_read"))) else "a tangle"
    world.write("gt/gt.png", TRUTH)
    picture = world.root / ("results/result.png" if world.holds("picture_path") else "results/drawing.png")
    world.place(picture, shown)
    subject = shown if world.holds("subject") else "how the dots were joined"
    details = DETAILS if world.holds("thorough") else "no more"
    path = "results/description.txt" if world.holds("description_path") else "results/answer.txt"
    world.write(path, f"{subject}: {details}")

    def judge(prompt: str) -> dict[str, int]:
        if "【待评估回答】" in prompt:
            return {"score": fidelity(prompt.split("【待评估回答】")[1].split("\n\n")[0].strip())}
        return {"score": 10 if picture.read_text() == TRUTH else 0}

    world.judge(judge)


def fidelity(answer: str) -> int:
    """The judge's tiers: everything, the main figures without the details, nothing."""
    subject, _, details = answer.partition(": ")
    return 0 if subject != TRUTH else 10 if details == DETAILS else 7
