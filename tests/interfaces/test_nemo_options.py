from __future__ import annotations

import math

import pytest

from pytest_talk2agent.interfaces.nemo_options import NemoOptions, PassOptions, SalmOptions
from pytest_talk2agent.interfaces.spec import parse_spec, read_options
from pytest_talk2agent.interfaces.utterance import InterfaceError


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
