from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_talk2agent.interfaces.nemo.canary_qwen import SalmOptions
from pytest_talk2agent.interfaces.nemo.strategy import DecodingError, NemoOptions, PassOptions, choose
from pytest_talk2agent.interfaces.spec import parse_spec, read_options
from pytest_talk2agent.interfaces.utterance import InterfaceError


@pytest.mark.parametrize(
    ("family", "own", "asked", "strategy", "beam_size"),
    [
        ("aed", {}, {}, "beam", 1),
        ("aed", {"strategy": "beam", "beam": {"beam_size": 4}}, {}, "beam", 4),
        ("aed", {"strategy": "greedy"}, {}, "greedy", None),
        ("aed", {"strategy": "greedy"}, {"bias": True}, "beam", 1),
        ("aed", {}, {"bias": True, "beam_size": 3}, "beam", 3),
        ("aed", {}, {"confidence": True}, "greedy", None),
        ("aed", {"beam": {"beam_size": 4}}, {"confidence": True, "beam_size": 1}, "greedy", None),
        ("ctc", {}, {}, "greedy_batch", None),
        ("ctc", {"strategy": "greedy"}, {"bias": True}, "greedy_batch", None),
        ("ctc", {"strategy": "flashlight", "beam": {"beam_size": 8}}, {}, "flashlight", 8),
        ("ctc", {"strategy": "flashlight"}, {"beam_size": 1, "confidence": True}, "greedy_batch", None),
        ("ctc", {}, {"beam_size": 4, "bias": True}, "beam_batch", 4),
        ("rnnt", {"strategy": "greedy"}, {}, "greedy_batch", None),
        ("rnnt", {}, {"beam_size": 4, "bias": True}, "malsd_batch", 4),
        ("rnnt", {"strategy": "alsd"}, {"beam_size": 1, "bias": True, "confidence": True}, "greedy_batch", None),
    ],
)
def test_the_decoder_is_the_models_own_or_one_that_can_do_it(
    family: str, own: dict[str, Any], asked: dict[str, Any], strategy: str, beam_size: int | None
) -> None:
    decoding = choose(family, own, **asked)
    assert (decoding.strategy, decoding.beam_size) == (strategy, beam_size)


@pytest.mark.parametrize(
    ("family", "own", "asked", "fault"),
    [
        ("aed", {}, {"bias": True, "confidence": True}, "exclude each other"),
        ("aed", {"beam": {"beam_size": 4}}, {"confidence": True}, "'beam' gives no confidence; add beam_size=1"),
        ("aed", {}, {"confidence": True, "beam_size": 2}, "'beam' gives no confidence"),
        ("ctc", {"strategy": "pyctcdecode"}, {"bias": True}, "'pyctcdecode' cannot do .bias; add beam_size=1"),
        ("ctc", {}, {"confidence": True, "beam_size": 4}, "'beam_batch' gives no confidence"),
        ("rnnt", {"strategy": "maes"}, {"bias": True}, "'maes' cannot do .bias"),
        ("rnnt", {"strategy": "malsd_batch"}, {"confidence": True}, "'malsd_batch' gives no confidence"),
    ],
)
def test_what_a_decoder_would_ignore_is_refused(
    family: str, own: dict[str, Any], asked: dict[str, Any], fault: str
) -> None:
    with pytest.raises(DecodingError, match=fault):
        choose(family, own, **asked)


@pytest.mark.parametrize(
    ("family", "asked", "section", "alpha", "depth_scaling"),
    [
        ("aed", {}, "beam", 1.0, 1.0),
        ("ctc", {}, "greedy", 0.5, 2.0),
        ("ctc", {"beam_size": 4}, "beam", 0.5, 2.0),
        ("rnnt", {"alpha": 1.5}, "greedy", 1.5, 2.0),
        ("rnnt", {"beam_size": 4}, "beam", 0.5, 2.0),
    ],
)
def test_phrases_go_to_the_decoder_that_boosts(
    family: str, asked: dict[str, Any], section: str, alpha: float, depth_scaling: float
) -> None:
    decoding = choose(family, {}, bias=True, **asked)
    changes = decoding.changes(["red block", "nginx"], "de")
    assert changes[section]["boosting_tree_alpha"] == alpha == decoding.alpha
    assert changes[section]["boosting_tree"] == {
        "key_phrases_list": ["red block", "nginx"],
        "depth_scaling": depth_scaling,
        "source_lang": "de",
        "use_triton": False,
    }
    other = "beam" if section == "greedy" else "greedy"
    assert "boosting_tree" not in changes[other]
    without = decoding.changes([], "de")
    assert "boosting_tree" not in without["greedy"] | without["beam"]


def test_without_bias_nothing_is_weighed() -> None:
    assert choose("aed", {}).alpha == 0


def test_cuda_graphs_are_off() -> None:
    assert choose("ctc", {}).changes([], "en")["greedy"] == {"allow_cuda_graphs": False}
    assert choose("rnnt", {}).changes([], "en")["greedy"] == {"use_cuda_graph_decoder": False}
    beam = choose("rnnt", {}, beam_size=4).changes([], "en")["beam"]
    assert beam == {"allow_cuda_graphs": False, "beam_size": 4, "return_best_hypothesis": True}


def test_confidence_is_asked_for_on_every_level() -> None:
    assert "confidence_cfg" not in choose("ctc", {}).changes([], "en")
    confidence = choose("ctc", {}, confidence=True).changes([], "en")["confidence_cfg"]
    assert all(confidence[f"preserve_{level}_confidence"] for level in ("frame", "token", "word"))


def read(options: str, kind: type[PassOptions] = NemoOptions) -> PassOptions:
    return read_options(parse_spec(f"nemo:a.nemo?{options}"), kind)


def test_chunking_can_be_set_and_turned_off() -> None:
    assert read("max_chunk_s=12.5").max_chunk_s == 12.5
    assert math.isinf(read("max_chunk_s=inf").max_chunk_s)


@pytest.mark.parametrize("device", ["cpu", "cuda", "cuda:1"])
def test_devices(device: str) -> None:
    assert read(f"device={device}").device == device


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("batch_size=0", "batch_size must lie between 1 and 1024, not 0"),
        ("threads=0", "threads must lie between 1 and 1024, not 0"),
        ("max_chunk_s=0.5", "max_chunk_s must be 0 or at least 1, not 0.5"),
        ("max_chunk_s=-1", "max_chunk_s must be 0 or at least 1"),
        ("max_chunk_s=nan", "max_chunk_s must be 0 or at least 1"),
        ("device=tpu", "device must be cpu, cuda or cuda:N, not 'tpu'"),
        ("device=cuda:x", "device must be cpu, cuda or cuda:N"),
        ("device=1", "device must be cpu, cuda or cuda:N"),
        ("dtype=int8", "dtype must be float32 or bfloat16 or float16, not 'int8'"),
        ("beam_size=101", "beam_size must lie between 0 and 100"),
        ("alpha=-1", "alpha must lie between 0 and 100"),
        ("alpha=nan", "alpha must lie between 0 and 100"),
        ("pnc=Yes", "pnc must be yes or no, not 'Yes'"),
        ("confidence=1", "confidence must be yes or no, not '1'"),
        ("decoder=tdt", "decoder must be rnnt or ctc, not 'tdt'"),
        ("timestamps=yes", "unknown option 'timestamps'"),
    ],
)
def test_wrong_values_are_refused(options: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        read(options)


def test_a_language_model_has_no_decoder_options() -> None:
    assert read("max_new_tokens=64", SalmOptions) == SalmOptions(max_new_tokens=64)
    with pytest.raises(InterfaceError, match="unknown option 'beam_size'"):
        read("beam_size=2", SalmOptions)
    with pytest.raises(InterfaceError, match="max_new_tokens must lie between 1 and 4096"):
        read("max_new_tokens=0", SalmOptions)
