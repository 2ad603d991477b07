"""Models of shapes that do not ship with the project, of random weights: they write nonsense, on the real path."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_talk2agent.interfaces.nemo.runtime import quiet
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError
from tests.nemo.models import CANARY, TDT, WORKBENCH, interface, spoken, texts

pytest.importorskip("nemo")

_SPECIAL = (
    "<pad>",
    *(f"<|{name}|>" for name in ("nospeech", "endoftext", "startoftranscript", "startofcontext", "pnc", "nopnc")),
    *(f"<|{name}|>" for name in ("itn", "noitn", "timestamp", "notimestamp", "diarize", "nodiarize")),
    *(f"<|{name}|>" for name in ("emo:undefined", "en", "de")),
)


def unpack(model: Path, folder: Path) -> dict[str, Any]:
    """The configuration of an unpacked model, without what belongs to its weights."""
    if not model.is_file():
        pytest.skip(f"no model {model}")
    with tarfile.open(model) as archive:
        archive.extractall(folder, filter="data")
    config: dict[str, Any] = yaml.safe_load((folder / "model_config.yaml").read_text())
    for key in ("target", "nemo_version", "labels"):
        config.pop(key, None)
    return config


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transducer with a CTC head beside it, in the shape of parakeet-tdt_ctc."""
    folder = tmp_path_factory.mktemp("hybrid")
    config = unpack(TDT, folder)
    shutil.copy(next(folder.glob("*tokenizer.model")), folder / "tokenizer.model")
    shutil.copy(next(folder.glob("*vocab.txt")), folder / "vocab.txt")
    config["tokenizer"] = {"dir": str(folder), "type": "bpe"}
    config["aux_ctc"] = {
        "ctc_loss_weight": 0.3,
        "decoder": {
            "_target_": "nemo.collections.asr.modules.ConvASRDecoder",
            "feat_in": config["encoder"]["d_model"],
            "num_classes": config["decoder"]["vocab_size"],
            "vocabulary": [],
        },
        "decoding": {"strategy": "greedy"},
    }
    with quiet():
        import torch
        from nemo.collections.asr.models import EncDecHybridRNNTCTCBPEModel
        from omegaconf import OmegaConf

        torch.manual_seed(0)
        EncDecHybridRNNTCTCBPEModel(OmegaConf.create(config)).save_to(str(folder / "hybrid.nemo"))
    return folder / "hybrid.nemo"


@pytest.fixture(scope="module")
def v2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An attention decoder with one tokenizer for languages and marks, in the shape of canary-1b-v2."""
    folder = tmp_path_factory.mktemp("v2")
    config = unpack(CANARY, folder)
    with quiet():
        import sentencepiece
        import torch
        from nemo.collections.asr.models import EncDecMultiTaskModel
        from omegaconf import OmegaConf

        sentences = [utterance.instruction for utterance in spoken()]
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([*sentences, *map(str.lower, sentences)]),
            model_prefix=str(folder / "tokenizer"),
            vocab_size=config["head"]["num_classes"],
            model_type="bpe",
            bos_id=-1,
            eos_id=-1,
            user_defined_symbols=list(_SPECIAL),
            minloglevel=2,
        )
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))
        assert pieces.get_piece_size() % 8 == 0
        (folder / "vocab.txt").write_text("\n".join(map(pieces.id_to_piece, range(pieces.get_piece_size()))))
        tokenizer = "nemo.collections.common.tokenizers.canary_tokenizer.CanaryBPETokenizer"
        config["tokenizer"] = {"dir": str(folder), "type": "bpe", "custom_tokenizer": {"_target_": tokenizer}}
        config["restore_timestamps_model"] = False
        torch.manual_seed(0)
        EncDecMultiTaskModel(OmegaConf.create(config)).save_to(str(folder / "v2.nemo"))
    return folder / "v2.nemo"


@pytest.mark.parametrize("decoder", ["rnnt", "ctc"])
def test_either_decoder_of_a_hybrid_can_be_chosen_and_biased(hybrid: Path, decoder: str) -> None:
    plain = interface(hybrid, f"?decoder={decoder}")
    assert plain.identity()["decoder"] == decoder
    assert not any("red block" in text for text in texts(plain.transcribe(spoken()[:3])))
    biased = interface(hybrid, f"+bias?decoder={decoder}&alpha=9")
    assert all("red block" in text for text in texts(biased.transcribe(spoken(WORKBENCH, "red block")[:3])))


def test_the_decoders_of_a_hybrid_hear_differently(hybrid: Path) -> None:
    batch = spoken()[:3]
    assert texts(interface(hybrid).transcribe(batch)) != texts(interface(hybrid, "?decoder=ctc").transcribe(batch))


def test_one_tokenizer_for_all_languages(v2: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert len(texts(interface(v2, "?language=de").transcribe(spoken()[:2]))) == 2
    assert capfd.readouterr() == ("", "")
    with pytest.raises(InterfaceError, match="has no language 'xx' in its vocabulary"):
        interface(v2, "?language=xx").transcribe(spoken()[:1])


def test_phrases_for_one_tokenizer(v2: Path) -> None:
    biased = interface(v2, "+bias?alpha=30")
    assert not any(text.startswith(("Pick", "red")) for text in texts(biased.transcribe(spoken()[:2])))
    results = biased.transcribe(spoken(WORKBENCH, "Pick up", "RED block", "a_b")[:2])
    for result in results:
        assert isinstance(result, Hypothesis)
        assert result.sent == ("Pick up", "red block")
        assert result.detail["unspellable"] == ["a_b"]
        assert result.text.startswith(("Pick", "red"))
