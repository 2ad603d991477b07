"""Phrase boosting with NeMo: where it works it changes what is heard, and nothing stays behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.utterance import Hypothesis
from tests.nemo.models import CANARY, CTC, TDT, WORKBENCH, interface, spoken, texts

pytest.importorskip("nemo")

TERMS = ("green valve", "BLUE BOTTLE", "report_7.docx")
SENT = ("green valve", "blue bottle")


@pytest.mark.parametrize(
    ("model", "rest"),
    [
        (CANARY, "alpha=4"),
        (CANARY, "alpha=4&pnc=no"),
        (CANARY, "alpha=4&beam_size=3"),
        (TDT, "alpha=3"),
        (TDT, "alpha=3&beam_size=3"),
        (TDT, "alpha=3&confidence=yes"),
        (CTC, "alpha=3"),
        (CTC, "alpha=3&beam_size=3"),
        (CTC, "alpha=3&confidence=yes"),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else value,
)
def test_strong_boosting_changes_what_is_heard(model: Path, rest: str) -> None:
    biased = interface(model, f"+bias?{rest}")
    folder = WORKBENCH / "noise-6db"
    without = texts(biased.transcribe(spoken(folder)))
    heard = biased.transcribe(spoken(folder, *TERMS))
    for result in heard:
        assert isinstance(result, Hypothesis)
        assert result.sent == SENT
        assert result.detail["unspellable"] == ["report_7.docx"]
    assert _count(texts(heard)) > _count(without)
    # The decoder is as it was: phrases are a setting of a pass.
    assert texts(biased.transcribe(spoken(folder))) == without


@pytest.mark.parametrize("model", [CANARY, TDT, CTC], ids=lambda path: path.stem)
def test_without_terms_bias_hears_what_the_plain_model_hears(model: Path) -> None:
    batch = spoken()
    plain = texts(interface(model).transcribe(batch))
    biased = interface(model, "+bias").transcribe(batch)
    assert texts(biased) == plain
    assert [result.sent for result in biased if isinstance(result, Hypothesis)] == [()] * len(batch)


@pytest.mark.parametrize("model", [CANARY, TDT], ids=lambda path: path.stem)
def test_each_utterance_gets_its_own_terms(model: Path) -> None:
    biased = interface(model, "+bias?alpha=4")
    folder = WORKBENCH / "noise-6db"
    batch = [*spoken(folder, *TERMS)[:3], *spoken(folder)[3:6], *spoken(folder, "red screw")[6:9]]
    together = biased.transcribe(batch)
    assert [result for one in batch for result in biased.transcribe([one])] == together
    assert [result.sent for result in together if isinstance(result, Hypothesis)] == (
        [SENT] * 3 + [()] * 3 + [("red screw",)] * 3
    )


def test_plain_letters_get_plain_phrases() -> None:
    [result] = interface(CANARY, "+bias?pnc=no").transcribe(spoken(WORKBENCH, "Pick up")[:1])
    assert isinstance(result, Hypothesis)
    assert result.sent == ("pick up",)
    [result] = interface(CANARY, "+bias").transcribe(spoken(WORKBENCH, "Pick up")[:1])
    assert isinstance(result, Hypothesis)
    assert result.sent == ("Pick up",)


def _count(heard: list[str]) -> int:
    return sum(text.lower().count(phrase) for text in heard for phrase in SENT)
