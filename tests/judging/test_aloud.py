"""What no perfect reading settles."""

from __future__ import annotations

import pytest

from pytest_talk2agent.judging.aloud import unsettled
from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.speech.saying import aloud
from pytest_talk2agent.tasks.intention import Intention


def lost(instruction: str, script: str | None = None, **fields: object) -> dict[str, str]:
    intention = Intention.model_validate(fields)
    found = unsettled(Case(instruction, script or instruction, {"it": intention}, ""))
    return {said: finding.label.value for said, finding in found.values()}


def test_the_style_of_a_name_is_not_heard() -> None:
    assert lost("Rename $sourceDir now.", say="$sourceDir", kind="identifier") == {"dollar source dir": "unresolved"}
    assert lost("Rename $sourceDir now.", say="$sourceDir", kind="identifier", style="any") == {}


def test_a_script_says_how_it_is_read() -> None:
    script = "rename source dir in camel case now"
    assert lost("Rename sourceDir now.", script, say="sourceDir", kind="identifier") == {}


@pytest.mark.parametrize(
    ("kind", "say"),
    [
        ("identifier", "parse_header_line"),
        ("filename", "bubbleSort.py"),
        ("path", "~/notes/july_2027.txt"),
        ("flag", "--dry-run"),
        ("url", "https://example.org/find?user=JicYPdAAAAAJ"),
        ("email", "lars.holm@example.com"),
        ("code", "RX-4471-B"),
        ("version", "18.20.4"),
    ],
)
def test_what_is_spelled_with_its_capitals_is_settled(kind: str, say: str) -> None:
    assert lost(f"Open {say} now.", say=say, kind=kind) == {}
    assert lost(f"Open {say} now.", say=say, kind=kind, case="exact") == {} or kind == "filename"


def test_how_it_is_read() -> None:
    assert aloud("identifier", "$sourceDir") == ("dollar source dir",)
    assert aloud("code", "K7b") == ("k seven b", "capital k seven b")
    assert aloud("term", "Okular") == ()
    assert aloud("path", "/a☃b") == ()
