from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import Registry, fingerprint_of, make_interface
from pytest_talk2agent.interfaces.spec import Spec, parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance

UTTERANCE = Utterance("files/copy", "amy", "Copy a.txt.", "copy a dot text")


class Upper:
    hears = False
    capabilities = frozenset({"bias"})

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def check(self) -> None:
        pass

    def identity(self) -> Mapping[str, str]:
        return {"name": "upper", "model": self.spec.model or "", "bias": str(self.spec.bias)}

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        return [Hypothesis(utterance.script.upper()) for utterance in batch]


@pytest.mark.parametrize(("name", "said"), [("text", "Copy a.txt."), ("script", "copy a dot text")])
def test_controls_hand_over_the_reference(name: str, said: str) -> None:
    control = make_interface(parse_spec(name))
    control.check()
    assert not control.hears
    assert control.transcribe([UTTERANCE, UTTERANCE]) == [Hypothesis(said)] * 2


@pytest.mark.parametrize("text", ["text:tiny", "script?a=1", "text+bias", "script+bias", "sphinx:big"])
def test_controls_take_nothing(text: str) -> None:
    with pytest.raises(InterfaceError, match=r"takes no model|has none|cannot do \+"):
        make_interface(parse_spec(text))


@pytest.mark.parametrize("text", ["sphinx+bias", "command+bias:./asr {audio}", "python+bias:a:b"])
def test_a_capability_that_is_not_there_is_an_error(text: str) -> None:
    with pytest.raises(InterfaceError, match=r"cannot do \+bias; leave it out"):
        make_interface(parse_spec(text))


def test_an_unknown_name_gets_the_nearest_and_all() -> None:
    with pytest.raises(InterfaceError) as caught:
        make_interface(parse_spec("wisper"))
    known = "known: audio-chat, canary, canary-qwen, command, "
    assert f"unknown interface 'wisper'; did you mean 'whisper'? {known}" in str(caught.value)


@pytest.mark.parametrize("factory", [Upper, f"{__name__}:Upper"])
def test_a_registered_interface(factory: type[Upper] | str) -> None:
    registry = Registry()
    registry.register("upper", factory)
    assert "upper" in registry.names()
    interface = pickle.loads(pickle.dumps(registry)).make(parse_spec("upper:x+bias"))
    assert interface.transcribe([UTTERANCE]) == [Hypothesis("COPY A DOT TEXT")]
    assert registry.make(parse_spec("upper+repair")), "a repair is not the interface's business"
    with pytest.raises(InterfaceError, match="unknown interface 'upper'"):
        make_interface(parse_spec("upper"))


def test_a_name_is_registered_once() -> None:
    with pytest.raises(InterfaceError, match="'whisper' is registered already"):
        Registry().register("whisper", Upper)


@pytest.mark.parametrize("target", ["no_such_module:Upper", f"{__name__}:Lower"])
def test_a_registered_string_that_cannot_be_imported(target: str) -> None:
    registry = Registry()
    registry.register("upper", target)
    with pytest.raises(InterfaceError, match=f"cannot import {target}"):
        registry.make(parse_spec("upper"))


def test_a_factory_must_make_an_interface() -> None:
    registry = Registry()
    registry.register("odd", lambda spec: spec)
    with pytest.raises(InterfaceError, match=r"has no transcribe\(\)"):
        registry.make(parse_spec("odd"))


class Bare:
    """Knows nothing of `Interface`."""

    def identity(self) -> Mapping[str, str]:
        return {"name": "bare"}

    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        return [Hypothesis("heard") for _ in batch]


class Nameless:
    def transcribe(self, batch: Sequence[Utterance]) -> list[Hypothesis | TranscriptionError]:
        return []


def made(factory: Callable[[Spec], object]) -> Interface:
    registry = Registry()
    registry.register("mine", factory)
    return registry.make(parse_spec("mine"))


def test_an_object_of_another_class_gets_the_defaults() -> None:
    bare = made(lambda spec: Bare())
    bare.check()
    assert (bare.hears, bare.capabilities, bare.batch_size) == (True, frozenset(), 1)
    assert (bare.reproducible, bare.time_limit) == (True, None)
    assert bare.identity() == {"name": "bare"}
    assert bare.transcribe([UTTERANCE]) == [Hypothesis("heard")]


def test_what_an_object_of_another_class_says_of_itself_counts() -> None:
    foreign = Bare()
    vars(foreign).update(hears=False, batch_size=7, reproducible=False, time_limit=2.5)
    found = made(lambda spec: foreign)
    assert (found.hears, found.batch_size, found.reproducible, found.time_limit) == (False, 7, False, 2.5)


def test_what_has_no_identity_is_no_interface() -> None:
    with pytest.raises(InterfaceError, match=r"^interface 'mine': what mine made has no identity\(\); see Interface$"):
        made(lambda spec: Nameless())


def install(folder: Path, distribution: str, entry: str) -> None:
    metadata = folder / f"{distribution}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[talk2agent.interfaces]\n{entry}\n")


def test_an_installed_distribution_offers_an_interface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "loud", f"loud = {__name__}:Upper\nbroken = no_such_module:X")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert {"loud", "broken", "whisper"} <= set(Registry().names())
    assert make_interface(parse_spec("loud")).transcribe([UTTERANCE]) == [Hypothesis("COPY A DOT TEXT")]
    with pytest.raises(InterfaceError, match="did you mean 'loud'"):
        make_interface(parse_spec("lod"))
    with pytest.raises(InterfaceError, match="cannot import no_such_module:X"):
        make_interface(parse_spec("broken"))
    install(tmp_path, "louder", "loud = other:Upper")
    with pytest.raises(InterfaceError, match="offered twice, by other:Upper and "):
        make_interface(parse_spec("loud"))


def test_the_fingerprint_is_of_the_identity() -> None:
    def mark(text: str) -> str:
        return fingerprint_of(Upper(parse_spec(text)).identity())

    assert mark("upper:a") == mark("other=upper:a")
    assert len({mark("upper:a"), mark("upper:b"), mark("upper:a+bias")}) == 3
    assert len(mark("upper")) == 16
    assert set(mark("upper")) <= set("0123456789abcdef")
