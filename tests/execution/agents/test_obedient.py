"""The agent that does what it hears: spoken forms, the workbench, and what becomes of words that are misheard."""

from __future__ import annotations

import pytest

from pytest_talk2agent.execution.agents import bench
from pytest_talk2agent.execution.agents.obedient import Place, understood
from pytest_talk2agent.execution.agents.spoken import written
from pytest_talk2agent.execution.trial import Trials
from tests.execution.test_executable_suites import TASKS

BY_ID = {task.id: task for task in TASKS}


@pytest.mark.parametrize(
    ("spoken", "text"),
    [
        ("tilde slash downloads", "~/downloads"),
        ("move it to slash s r v slash archive slash twenty twenty six, now", "move it to /srv/archive/2026, now"),
        ("invoice underscore to slash data", "invoice_ to /data"),
        ("big underscore logs dot t x t", "big_logs.txt"),
        ("episode underscore twelve dot m p three", "episode_12.mp3"),
        ("version two point ten point one", "version 2.10.1"),
        ("two hundred and fifty megabytes", "250 megabytes"),
        ("name them zero one to twelve", "name them 01 to 12"),
        ("by thirty five percent", "by 35%"),
        ("with dash dash exclude drafts", "with --exclude drafts"),
        ("rename camel case load rows", "rename loadRows"),
        ("Copy it, then stop.", "Copy it, then stop."),
        ("", ""),
        ("...", "..."),
    ],
)
def test_spoken_forms(spoken: str, text: str) -> None:
    assert written(spoken) == text


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("Pick up the red block. Place it on the left shelf.", ["pick up red block", "place red block on left shelf"]),
        ("Do not touch the white bottle.", []),
        ("Don't open it, but close the valve", ["close valve"]),
        ("Before you open the panel, remove the cable.", ["remove cable", "open panel"]),
        ("Repeat step 3 before you close the panel", ["repeat step 3", "close panel"]),
        ("Pick up the bracket, then place it on the floor", ["pick up bracket", "place bracket on floor"]),
        ("Check the bracket and remove the screw", ["check bracket", "remove screw"]),
        (
            "pick up the red block place it on the left shelf do not touch the white bottle",
            ["pick up red block", "place red block on left shelf"],
        ),
        ("stop go back to step 8 what is the next step", ["stop", "go back to step 8", "what is next step"]),
        (
            "before you open the black panel remove the yellow cable close the green valve",
            ["remove yellow cable", "open black panel", "close green valve"],
        ),
        ("repeat step 3 before you close the blue panel wait", ["repeat step 3", "close blue panel", "wait"]),
        (
            "Before you open the panel, remove the cable, close the valve, do not touch it.",
            ["remove cable", "open panel", "close valve"],
        ),
        ("Turn the valve to the right weight ten do not open the red valve.", ["turn valve to right weight ten"]),
        ("turn it then do not open it never move", ["turn"]),
        ("Sing a song. Wait 5 seconds.", ["wait 5 seconds"]),
        ("", []),
    ],
)
def test_the_workbench(text: str, deeds: list[str]) -> None:
    assert bench.deeds(text) == deeds


@pytest.mark.parametrize(
    "text", ["", "the", "move every", "set 5 to 5", "hello there. how are you?", "\x00", "~" * 500]
)
def test_what_it_does_not_understand_it_does_not_do(text: str) -> None:
    assert understood(text, Place()) == []


def test_names_are_found_whatever_their_capitals() -> None:
    place = Place(("/home/agent/Downloads", "/home/agent/show/episode_12.mp3", "/srv/Archive"))
    assert place.named("~/downloads") == "/home/agent/Downloads"
    assert place.named("EPISODE_12.mp3") == "/home/agent/show/episode_12.mp3"
    assert place.named("/srv/archive") == "/srv/Archive"
    assert place.named("new.txt") == "/home/agent/new.txt"


MISHEARD = [
    ("files/archive-invoices", ("invoice_", "invoice"), ["prefix"], "0"),
    ("files/archive-invoices", ("/srv/archive/2026", "/srv/archive/2025"), ["target"], "0"),
    ("files/clean-scratch", ("14 days", "4 days"), ["age"], "2/5"),
    ("files/clean-scratch", ("keep", "heap"), ["spare"], "0"),
    ("files/large-logs", ("250 MB", "200 MB"), ["limit"], "1/2"),
    ("files/large-logs", ("largest first", "smallest first"), ["order"], "1/2"),
    ("files/photos-by-month", ("copy the files instead of moving them", "put the files there"), ["copy"], "1/2"),
    ("git/hotfix-branch", ("2.10.1", "2.1.0"), ["base", "no_force"], "0"),
    ("git/hotfix-branch", ("draft", "drafty"), ["draft"], "9/10"),
    ("git/commit-message", ("do not push yet", "do push now"), ["no_push"], "0"),
    ("git/commit-message", ("318", "380"), ["ticket"], "3/4"),
    ("desktop/reading-light", ("8 PM", "9 PM"), ["begin"], "4/5"),
    ("office/pay-invoice", ("480.20", "418.20"), ["amount"], "0"),
    ("office/pay-invoice", ("Do not send", "Do send"), ["not_instant"], "7/10"),
    ("services/index-rebuild", (", and stop if it takes longer than an hour and a half", ""), ["limit"], "4/5"),
    ("workbench/red-block", ("Do not touch", "Do touch"), ["spare"], "0"),
    ("workbench/red-block", (" Do not touch the", " Touch the"), ["spare"], "0"),
    ("workbench/three-screws", ("nine", "five"), ["ninth"], "2/5"),
]


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize(("task", "change", "failed", "score"), MISHEARD)
def test_a_word_that_is_misheard_is_what_fails(
    task: str, change: tuple[str, str], failed: list[str], score: str
) -> None:
    heard = BY_ID[task].instruction.replace(*change)
    assert heard != BY_ID[task].instruction
    record = Trials("obedient").run(BY_ID[task], heard)
    assert (record.state, record.failed_criteria, str(record.score)) == ("scored", failed, score), record.steps
