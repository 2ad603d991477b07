"""What clips must say and must not say: literals heard back, and facts that leak."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.recording.voices import make_voices
from pytest_talk2agent.workflows.audio.heard_back import ClipListener, leaks_of, literals_of
from pytest_talk2agent.workflows.audio.rendering import Saying, render_clips
from pytest_talk2agent.workflows.package.package import Package
from tests.workflows.toys import Toy, expense, fact, line, load


def told(tmp_path: Path, *facts: dict[str, Any], **wordings: tuple[str, tuple[str, ...]]) -> Package:
    """A package with some facts more, and one plan more for each wording: its text and what it expresses."""
    toy: Toy = expense()
    toy["user/user_state.yaml"]["facts"] += facts
    for name, (text, expresses) in wordings.items():
        toy["user/realization_bank.jsonl"].append(line(name, "ANSWER", text, facts=expresses))
    return load(toy, tmp_path / "told")


def leaked(package: Package) -> set[tuple[str, str]]:
    return {(leak.wording.partition("#")[0], leak.fact) for leak in leaks_of(package)}


def test_the_toy_leaks_nothing(tmp_path: Path) -> None:
    assert leaks_of(told(tmp_path)) == []


PHONE = fact("phone", "(503) 555-0134", "ASK:phone")


@pytest.mark.parametrize(
    ("facts", "text", "expresses", "leaks"),
    [
        ([PHONE], "Call five zero three, five five five, zero one three four.", (), {("more", "phone")}),
        ([PHONE], "Call five zero three, five five five, zero one three four.", ("phone",), set()),
        ([PHONE], "You may call me.", (), set()),
        ([fact("months", 4), PHONE], "Five zero three, five five five, zero one three four.", ("phone",), set()),
        ([fact("months", 4)], "I would like four.", (), {("more", "months")}),
        ([fact("role", "shift supervisor")], "She was a shift supervisor.", (), {("more", "role")}),
        ([fact("again", "yes")], "Yes, please.", (), set()),
        ([fact("boxes_1", 40), fact("boxes_2", 25, supersedes="boxes_1")], "Not forty, twenty five.", ("boxes_2",),
         set()),
        ([fact("boxes_1", 40), fact("boxes_2", 25, supersedes="boxes_1")], "Forty. No, twenty five.", ("boxes_1",),
         {("more", "boxes_2")}),
        ([{"id": "open", "value": "flat 44", "reveal": {"may_volunteer": True}}], "I live in flat forty four.", (),
         set()),
        ([fact("shop", "shop 44", visibility="public")], "The one in shop forty four.", (), set()),
    ],
)  # fmt: skip
def test_a_wording_tells_what_it_expresses_and_no_more(
    tmp_path: Path, facts: list[Any], text: str, expresses: tuple[str, ...], leaks: set[tuple[str, str]]
) -> None:
    assert leaked(told(tmp_path, *facts, more=(text, expresses))) == leaks


def test_literals_are_values_as_they_are_said_and_what_is_no_word(tmp_path: Path) -> None:
    package = told(tmp_path, fact("site", "NS-04"), fact("mood", "quite content"))
    facts = {one.id: one for one in package.user.facts}

    def of(text: str, *expresses: str) -> list[str]:
        return [one.say[0] for one in literals_of(Saying("variant", text, "x", facts=expresses), facts).values()]

    assert of("Site code N S zero four.", "site") == ["NS-04"]
    assert of("All is well with me.", "mood") == []
    assert sorted(of("Send it to ward 7, by 14:30.")) == ["14:30", "7"]


def test_an_interface_that_hears_nothing_or_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InterfaceError, match="hears nothing"):
        ClipListener("text", tmp_path)
    with pytest.raises(InterfaceError, match="leave out what follows the"):
        ClipListener("whisper:tiny.en+sound=phone", tmp_path)


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_what_whisper_hears_of_a_real_voice_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper")
    package = told(
        tmp_path, fact("years", 4), fact("code", "ZX-9917-Q"),
        ans_years=("About four years, I should say.", ("years",)),
        ans_code=("The code.", ("code",)),
    )  # fmt: skip
    made = render_clips(package, make_voices(["slt=flite:slt"]), tmp_path / "store", 1)
    check = ClipListener("whisper:tiny.en", tmp_path / "store").check(package, made)
    labels = {one.file: one.label for one in check.literals}
    assert labels["ans_years_v1.flac"] is Label.RETAINED
    assert "ans_code_v1.flac" not in labels, "the wording does not say it, so nobody can hear it"
    plain = check.plain()
    assert plain["literals"] == plain["heard"] + len(plain["not_heard"]) == len(check.literals)

    kept = sorted((tmp_path / "store/heard").iterdir())
    assert len(kept) == check.clips
    for path in kept:
        path.write_text(json.dumps({"text": "something else entirely"}), encoding="utf-8")
    again = ClipListener("whisper:tiny.en", tmp_path / "store").check(package, made)
    assert again.heard == 0, "what was heard of a sound is not asked again"
    assert {one.label for one in again.lost} <= {Label.OMITTED, Label.CHANGED, Label.UNRESOLVED}
