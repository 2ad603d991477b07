"""What of an instruction no intention covers."""

from __future__ import annotations

import time

import pytest

from pytest_talk2agent.judging.coverage import uncovered
from pytest_talk2agent.tasks.intention import Intention


def holes(instruction: str, **intentions: tuple[str, str] | Intention) -> list[str]:
    made = {
        name: one if isinstance(one, Intention) else Intention.model_validate({"say": one[0], "kind": one[1]})
        for name, one in intentions.items()
    }
    return [hole.text for hole in uncovered(instruction, made)]


def gist(say: str, *keywords: str) -> Intention:
    return Intention(say=(say,), kind="gist", keywords=tuple((word,) for word in keywords))


NGINX = ("nginx", "term")
CASES: dict[str, tuple[str, dict[str, tuple[str, str] | Intention], list[str]]] = {
    "a verb with an opposite": ("Stop nginx.", {"service": NGINX}, ["Stop"]),
    "of a later clause": ("Use nginx, stop it after 2 months.", {"a": NGINX, "b": ("2 months", "duration")}, ["stop"]),
    "of a question": ("Can you disable nginx?", {"a": NGINX}, ["disable"]),
    "after a comma": ("When nginx hangs, delete it.", {"a": NGINX}, ["delete"]),
    "that a gist has": ("Stop nginx.", {"a": NGINX, "b": gist("stop it", "stop")}, []),
    "that only the words of the gist have": ("Stop nginx.", {"a": NGINX, "b": gist("stop nginx", "nginx")}, []),
    "that a gist has in another form": ("Stop nginx.", {"a": NGINX, "b": gist("stopping", "stopping")}, []),
    "that is no verb here": ("Show the stop of nginx on an open map.", {"a": NGINX}, []),
    "without an opposite": ("Copy nginx to the desktop.", {"a": NGINX}, []),
    "that somebody else does": ("I start nginx each day. Please watch it.", {"a": NGINX}, []),
    "a switch": ("Turn the light for nginx off.", {"a": NGINX}, ["Turn the light for nginx off"]),
    "a switch that is covered": ("Turn nginx off.", {"a": NGINX, "b": gist("turn it off", "turn", "off")}, []),
    "a negation": ("Rename nginx, not apache.", {"a": NGINX}, ["not apache"]),
    "a forbidden thing": ("Watch nginx and don't wait.", {"a": NGINX}, ["don't wait"]),
    "a forbidden thing, in full": ("Watch nginx. Do not touch the rest.", {"a": NGINX}, ["Do not touch"]),
    "without": ("Copy nginx without the cache.", {"a": NGINX}, ["without the"]),
    "a negation that a gist has": ("Watch nginx. Do not wait.", {"a": NGINX, "b": gist("do not wait", "wait")}, []),
    "a statement": ("I do not know nginx. Explain it.", {"a": NGINX}, []),
    "an answer": ("No, take nginx.", {"a": NGINX}, []),
    "a number": ("Copy nginx to 3 machines.", {"a": NGINX}, ["3"]),
    "a number in words": ("Copy nginx to twelve machines.", {"a": NGINX}, ["twelve"]),
    "a number with its unit": ("Watch nginx for 24 months.", {"a": NGINX}, ["24 months"]),
    "a unit alone": ("Watch nginx for 24 months.", {"a": NGINX, "b": ("24", "text")}, ["months"]),
    "a unit that a number has": ("Watch nginx for 24 months.", {"a": NGINX, "b": ("24", "number")}, []),
    "the same number in words": ("Watch nginx for twenty minutes.", {"a": NGINX, "b": ("20 minutes", "duration")}, []),
    "money": ("Pay $40 for nginx.", {"a": NGINX}, ["$40"]),
    "percent": ("Give nginx 35% of it.", {"a": NGINX}, ["35%"]),
    "one": ("Take the one from nginx.", {"a": NGINX}, []),
    "a numbered list": ("Do this:\n1. Copy nginx.\n2) Rename it.", {"a": NGINX}, []),
    "a date": ("Copy nginx on 8 August 2026.", {"a": NGINX}, ["8 August 2026"]),
    "the same date in another form": ("Copy nginx on 8 August 2026.", {"a": NGINX, "b": ("2026-08-08", "date")}, []),
    "a weekday": ("Copy nginx on Friday.", {"a": NGINX}, ["Friday"]),
    "a day": ("Copy nginx tomorrow.", {"a": NGINX}, ["tomorrow"]),
    "a time": ("Copy nginx at half past four.", {"a": NGINX}, ["half past four"]),
    "the same time": ("Copy nginx at half past four in the afternoon.", {"a": NGINX, "b": ("16:30", "time")}, []),
    "a quoted text": ('Call nginx "the small one".', {"a": NGINX}, ["the small one"]),
    "a quoted text that is covered": ('Call nginx "the small one".', {"a": NGINX, "b": ("the small one", "text")}, []),
    "a filename at the end": ("Save nginx as report_2.txt.", {"a": NGINX}, ["report_2.txt"]),
    "a path": ("Copy nginx to /srv/archive/x, please.", {"a": NGINX}, ["/srv/archive/x"]),
    "a flag": ("Run nginx with --dry-run.", {"a": NGINX}, ["--dry-run"]),
    "an address": ("Send nginx to a.b@example.org.", {"a": NGINX}, ["a.b@example.org"]),
    "a name of code": ("Call nginx from loadRows and max_idle.", {"a": NGINX}, ["loadRows", "max_idle"]),
    "a version": ("Take nginx 2.10.1 here.", {"a": NGINX}, ["2.10.1"]),
    "a code": ("Attach nginx to PAY-2208.", {"a": NGINX}, ["PAY-2208"]),
    "one of two equal values": ("Keep a.txt of nginx. Send a.txt.", {"a": NGINX, "b": ("a.txt", "filename")}, []),
    "politeness and small words": ("Hello, could you please help me and look at nginx, thank you?", {"a": NGINX}, []),
    "words with a slash": ("Show the figures and/or tables of nginx, e.g. the pause/start ones.", {"a": NGINX}, []),
    "another language": ("停止 nginx 24 个月", {"a": NGINX}, []),
    "nothing": ("", {"a": NGINX}, []),
}  # fmt: skip


@pytest.mark.parametrize(("instruction", "intentions", "expected"), CASES.values(), ids=CASES)
def test_what_is_not_covered(
    instruction: str, intentions: dict[str, tuple[str, str] | Intention], expected: list[str]
) -> None:
    assert holes(instruction, **intentions) == expected


def test_holes_stand_in_the_order_of_the_instruction_and_say_where() -> None:
    text = "Stop nginx on Friday, not for 3 hours."
    found = uncovered(text, {"a": Intention(say=("nginx",), kind="term")})
    assert [(hole.what, hole.text) for hole in found] == [
        ("verb", "Stop"),
        ("value", "Friday"),
        ("negation", "not for"),
        ("value", "3 hours"),
    ]
    assert [text[hole.start :].startswith(hole.text) for hole in found] == [True] * 4


@pytest.mark.parametrize("piece", ['"', "a.", "_", "1. ", "not ", "stop ", "x@", "/a", "“", "-a", "5 months "])
def test_a_hostile_instruction_takes_no_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    start = time.process_time()
    uncovered(text, {"a": Intention(say=("nginx",), kind="term")})
    assert time.process_time() - start < 10
