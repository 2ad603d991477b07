"""Every constant here has a case on either side: with the value as it is the label is right, with another it is not."""

from __future__ import annotations

import importlib

import pytest

from tests.judging.policy import label_of

CASES = [
    # A word close by was heard, so the gap may have held another value.
    ("mentions", "_NEAR", 1, "filename", "june.csv", "Kindly quickly open june.csv. Then print june.csv.",
     "Kindly quickly. Then print june.csv.", "unresolved"),
    # All words close by fell out with the value.
    ("mentions", "_NEAR", 12, "filename", "june.csv",
     "Kindly quickly carefully slowly open june.csv. Then print june.csv.",
     "Kindly. Then print june.csv.", "retained"),
    # A short code may be another thing's.
    ("mentions", "_LEAST_SPELLED", 1, "code", "K7", "Open gate K7. Then paint gate K7.",
     "Then paint gate K7.", "omitted"),
    ("mentions", "_LEAST_SPELLED", 16, "code", "K7492", "Open gate K7492. Then paint gate K7492.",
     "Then paint gate K7492.", "retained"),
    # Five words that stand twice are a stutter, eight are another text.
    ("hearing", "_LONGEST_STUTTER", 1, "text", "old oak tables and new pine chairs",
     "write old oak tables and new pine chairs please",
     "write old oak tables and new old oak tables and new pine chairs please", "retained"),
    ("hearing", "_LONGEST_STUTTER", 20, "text", "the old oak table and the new pine chair look good",
     "write the old oak table and the new pine chair look good please",
     "write the old oak table and the new pine the old oak table and the new pine chair look good please", "changed"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "name", "other", "kind", "say", "script", "heard", "right"), CASES)
def test_a_case_needs_the_constant(
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    name: str,
    other: int,
    kind: str,
    say: str,
    script: str,
    heard: str,
    right: str,
) -> None:
    assert label_of(say, kind, script, heard) == right
    monkeypatch.setattr(importlib.import_module(f"pytest_talk2agent.judging.{module}"), name, other)
    assert label_of(say, kind, script, heard) != right
