"""The real path of a speech-augmented language model, with a tiny one of random weights: what it writes is nonsense."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_talk2agent.interfaces.nemo.runtime import quiet
from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError
from tests.interfaces.recordings import fingerprint
from tests.nemo.models import TDT, WORKBENCH, spoken, texts

pytest.importorskip("nemo")
pytest.importorskip("peft")

AUDIO = "<|audioplaceholder|>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SALM of two random Qwen3 layers with the encoder of the tiny transducer."""
    if not TDT.is_file():
        pytest.skip(f"no model {TDT}")
    base = tmp_path_factory.mktemp("salm")
    with quiet():
        import torch
        from nemo.collections.speechlm2.models import SALM
        from tokenizers import ByteLevelBPETokenizer
        from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

        torch.manual_seed(0)
        pieces: Any = ByteLevelBPETokenizer()
        pieces.train_from_iterator(
            ["pick up the red block"], 300, special_tokens=["<|im_start|>", "<|im_end|>", "<pad>"]
        )
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=pieces._tokenizer, bos_token="<|im_start|>", eos_token="<|im_end|>", pad_token="<pad>"
        )
        tokenizer.save_pretrained(base / "llm")
        layers = {"num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16}
        marks = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
        shape = {"vocab_size": len(tokenizer) + 8, "hidden_size": 32, "intermediate_size": 64, **layers, **marks}
        Qwen3ForCausalLM(Qwen3Config(**shape, max_position_embeddings=2048)).save_pretrained(base / "llm")
        perception = "nemo.collections.speechlm2.modules.perception"
        model = SALM(
            {
                "pretrained_llm": str(base / "llm"),
                "pretrained_asr": str(TDT),
                "pretrained_weights": True,
                "audio_locator_tag": AUDIO,
                "prompt_format": "qwen",
                "prevent_freeze_params": [],
                "perception": {
                    "target": f"{perception}.AudioPerceptionModule",
                    "modality_adapter": {"_target_": f"{perception}.IdentityConnector", "d_model": 128},
                    "output_dim": 32,
                },
                "lora": {"task_type": "CAUSAL_LM", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]},
            }
        )
        model.save_pretrained(base / "model")
    return base / "model"


def salm(folder: Path, rest: str = "") -> Interface:
    return make_interface(parse_spec(f"canary-qwen:{folder}{rest}{'&' if '?' in rest else '?'}threads=1"))


def test_it_writes_something_of_every_recording(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    batch = spoken()[:5]
    interface = salm(folder, "?max_new_tokens=12")
    interface.check()
    results = interface.transcribe(batch)
    assert capfd.readouterr() == ("", "")
    assert len(set(texts(results))) > 1
    assert {result.state for result in results if isinstance(result, Hypothesis)} <= {"truncated", "transcribed"}
    assert texts(salm(folder, "?max_new_tokens=12&batch_size=2").transcribe(batch[::-1]))[::-1] == texts(results)


def test_long_recordings_are_cut(folder: Path) -> None:
    from dataclasses import replace

    long = replace(spoken()[0], path=WORKBENCH / "joined-115s.flac")
    [result] = salm(folder, "?max_new_tokens=4").transcribe([long])
    assert isinstance(result, Hypothesis)
    assert len(result.detail["chunks"]) >= 4
    assert max(end - begin for begin, end in result.detail["chunks"]) <= 30


def test_terms_are_in_the_prompt_and_change_what_is_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    biased: Any = salm(folder, "+bias?max_new_tokens=12")
    plain = texts(biased.transcribe(spoken()[:3]))
    prompts = []
    generate = biased._model.generate

    def listen(**arguments: Any) -> Any:
        prompts.append(arguments["prompts"][0][0]["content"])
        return generate(**arguments)

    monkeypatch.setattr(biased._model, "generate", listen)
    results = biased.transcribe(spoken(WORKBENCH, "red block", "config.yaml")[:3])
    assert prompts == [f"Transcribe the following, in which these terms may occur: red block, config.yaml. {AUDIO}"]
    assert texts(results) != plain
    assert [result.sent for result in results] == [("red block", "config.yaml")] * 3
    assert fingerprint(biased) != fingerprint(salm(folder, "?max_new_tokens=12"))


def test_a_text_ends_at_its_end_mark(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    interface: Any = salm(folder)
    tokenizer = interface._model.tokenizer
    end = interface._model.text_eos_id
    ids = tokenizer.text_to_ids("pick up")
    monkeypatch.setattr(
        interface._model, "generate", lambda **_: torch.tensor([[*ids, end, *ids], [*ids, *ids, ids[0]]])
    )
    whole, cut = interface.transcribe(spoken()[:2])
    assert {whole.state, cut.state} == {"transcribed", "truncated"}
    [ended] = [result for result in (whole, cut) if result.state == "transcribed"]
    assert ended.text == "pick up"


def test_a_model_that_cannot_be_loaded_is_one_line(folder: Path, tmp_path: Path) -> None:
    config = (folder / "config.json").read_text()
    (tmp_path / "config.json").write_text(re.sub(r'"pretrained_llm": ".*?"', '"pretrained_llm": "./nowhere"', config))
    (tmp_path / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    with pytest.raises(InterfaceError, match=r"cannot be loaded .*come from './nowhere'") as caught:
        salm(tmp_path).transcribe(spoken()[:1])
    assert "\n" not in str(caught.value)
