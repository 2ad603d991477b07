"""A script rewritten by a model, against a real HTTP server on loopback that says what the test scripts."""

from __future__ import annotations

import json

import pytest

from pytest_talk2agent.recording.rewriting import Rewriter, broken
from pytest_talk2agent.recording.script import script_of
from tests.judging.scripted import says, scripted_server

pytest.importorskip("httpx")

WRITTEN = "Copy src/a_b.py to /srv/archive, keep 14 copies, and do not restart nginx."
SCRIPT = script_of(WRITTEN)
PLAIN = (
    "Please copy s r c slash a underscore b dot p y to slash s r v slash archive. Keep fourteen copies."
    " Do not restart nginx."
)
LOSSY = PLAIN.replace("fourteen", "forty")


def test_every_literal_of_the_script_is_known() -> None:
    assert [one.value for one in SCRIPT.literals] == ["src/a_b.py", "/srv/archive", "14"]


def test_another_wording_with_every_literal_is_taken() -> None:
    assert broken(WRITTEN, SCRIPT, PLAIN) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has no words"),
        (LOSSY, "it loses 14"),
        (PLAIN.replace("underscore ", ""), "it loses src/a_b.py"),
        (" ".join([PLAIN] * 4), "words for"),
    ],
)
def test_a_literal_that_is_lost_refuses_the_rewriting(text: str, fault: str) -> None:
    assert fault in str(broken(WRITTEN, SCRIPT, text))


def rewritten_by(answer: str) -> tuple[str, str | None, list[str]]:
    with scripted_server(says(answer)) as server:
        rewriter = Rewriter(f"llm:tidy?base_url={server.url}&key_env=none&attempts=1")
        found = rewriter.rewrite(WRITTEN, SCRIPT)
        return found.script.text, found.kept, [json.dumps(one) for one in server.asked]


def test_the_model_is_given_the_script_and_what_must_survive() -> None:
    text, kept, asked = rewritten_by(json.dumps({"script": PLAIN}))
    assert (text, kept) == (PLAIN, None)
    assert "slash s r v slash archive" in asked[0]
    assert "keep_word_for_word" in asked[0]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (json.dumps({"script": LOSSY}), "it loses 14"),
        ("Sure! " + PLAIN, "malformed"),
        (json.dumps({"text": PLAIN}), "malformed"),
    ],
)
def test_what_cannot_be_trusted_leaves_the_script_of_the_rules(answer: str, why: str) -> None:
    text, kept, _ = rewritten_by(answer)
    assert text == SCRIPT.text
    assert why in str(kept)


@pytest.mark.parametrize("spec", ["tidy", "gpt:tidy", "llm:", "llm:x?colour=red"])
def test_a_wrong_spec_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=r"llm:MODEL|unknown option"):
        Rewriter(spec)
