from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.caller.observer import Observer
from pytest_talk2agent.workflows.caller.speech import Wordings, duration_of, moment_of, words_heard
from tests.workflows.toys import expense, load

VECTORS = Path(__file__).parents[4] / "shared/data/apex/unit_vectors.json"


def test_words_are_chosen_as_published(tmp_path: Path) -> None:
    if not VECTORS.exists():
        pytest.skip("the vectors are not on this machine")
    package = load(expense(), tmp_path)
    for condition, plans in json.loads(VECTORS.read_text(encoding="utf-8"))["variant_choice_seed1"].items():
        words = Wordings(package, condition, 1)
        for plan, number in plans.items():
            variant = words.variant(plan)
            assert variant is not None
            assert variant.variant_id == f"{plan}#v{number}"


def test_a_recording_has_its_own_length(tmp_path: Path) -> None:
    toy = expense()
    toy["user/audio/index.jsonl"] = [
        {"file": "a.flac", "text": "CC-330.", "num_samples": 24_001},
        {"file": "b.flac", "text": "CC-330.", "num_samples": 9},
        {"file": "c.flac", "text": "Bye for now.", "num_samples": 48_000, "kind": "closing"},
    ]
    words = Wordings(load(toy, tmp_path), "C2", 1)
    assert words.duration("CC-330.") == 1001
    assert words.duration("about four years") == 960
    assert words.closing() == "Bye for now."


def test_only_whole_words_were_heard() -> None:
    text = "one two  three four"
    assert duration_of(text) == 1280
    assert words_heard(text, 1280, 1280) == text
    assert words_heard(text, 959, 1280) == "one two"
    assert words_heard(text, 0, 1280) == ""
    assert words_heard("", 0, 0) == ""


@given(words=st.lists(st.sampled_from(["a", "bc", "d."]), min_size=1, max_size=8), data=st.data())
def test_a_word_is_heard_from_the_moment_at_which_it_is_over(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    end = data.draw(st.integers(1, len(text)))
    duration = duration_of(text)
    moment = moment_of(text, end, duration)
    assert len(words_heard(text, moment, duration).split()) == len(text[:end].split())


def test_acts_are_heard_where_their_words_end(tmp_path: Path) -> None:
    observer = Observer(load(expense(), tmp_path))
    text = "What is your employee ID? And the total is 240. Which cost centre is it?"
    seen = observer.in_speech(text)
    assert [(act.key, act.value) for act in seen] == [
        ("ASK:employee_id", None),
        ("CONFIRM:total_amount", "240"),
        ("ASK:cost_center", None),
    ]
    assert text[: seen[1].end].endswith("240")
    assert observer.of_tool("ask_approval", {"target_id": "expense_1"}) == "REQUEST_APPROVAL:expense_1"
    assert observer.of_tool("submit", None) == "SUBMIT"
    assert observer.of_tool("write_draft", {}) is None
    assert "ASK:cost_center" in observer.known
