from __future__ import annotations

import jiwer
import pytest

from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from tests.interfaces.recordings import fingerprint, utterances

pytest.importorskip("pocketsphinx")


def test_it_hears_something_and_the_order_does_not_matter(capfd: pytest.CaptureFixture[str]) -> None:
    batch = utterances()
    interface = make_interface(parse_spec("sphinx"))
    interface.check()
    forth = interface.transcribe(batch)
    back = interface.transcribe(batch[::-1])[::-1]
    assert forth == back
    heard = [result.text for result in forth if isinstance(result, Hypothesis)]
    assert 0 < jiwer.wer([utterance.script for utterance in batch], heard) < 0.6
    assert "reduce the blue by thirty five percent" in heard[0]
    assert all(isinstance(result, Hypothesis) and 0 < result.detail["score"] < 1 for result in forth)
    assert capfd.readouterr() == ("", "")


def test_an_utterance_without_sound_fails_alone() -> None:
    batch = [Utterance("t", "1", "", ""), utterances()[1]]
    first, second = make_interface(parse_spec("sphinx?beam=1e-20")).transcribe(batch)
    assert isinstance(first, TranscriptionError)
    assert isinstance(second, Hypothesis)


def test_the_identity_holds_version_weights_and_settings() -> None:
    interface = make_interface(parse_spec("sphinx"))
    identity = interface.identity()
    assert set(identity) == {"name", "pocketsphinx", "weights_sha256", "lw", "wip", "beam"}
    assert fingerprint(interface) == fingerprint(make_interface(parse_spec("other=sphinx?lw=6.5")))
    assert fingerprint(interface) != fingerprint(make_interface(parse_spec("sphinx?lw=9")))


@pytest.mark.parametrize("option", ["lw=0", "lw=nan", "wip=2", "beam=0"])
def test_options_are_bounded(option: str) -> None:
    with pytest.raises(InterfaceError, match=f"option {option.partition('=')[0]} must lie above 0"):
        make_interface(parse_spec(f"sphinx?{option}"))
