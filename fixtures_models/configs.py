"""Configurations of the tiny models: a Canary-type decoder, a CTC head and a TDT transducer on one encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sentencepiece
from nemo.collections.common.tokenizers.canary_tokenizer import CanaryTokenizer
from sentencepiece import sentencepiece_model_pb2

SAMPLE_RATE = 16_000
DURATIONS = (0, 1, 2, 3, 4)  # encoder frames a TDT step may skip
FEATURES = 64
MAX_CHUNK_SECONDS = 6.0

_WIDTH = 128
_PREDICTION_WIDTH = 96
_DROPOUT = 0.1
_MODULES = "nemo.collections.asr.modules"
_VALIDATION = {  # CTC and transducer models read this section when they are given paths
    "manifest_filepath": None,
    "sample_rate": SAMPLE_RATE,
    "batch_size": 8,
    "shuffle": False,
    "defer_setup": True,
}
_SPECIAL = (
    *("startofcontext", "translate", "transcribe", "notimestamp", "timestamp", "nodiarize", "diarize", "noitn", "itn"),
    *("emo:undefined", "emo:neutral", "emo:happy", "emo:sad", "emo:angry", "en", "de", "es", "fr"),
)

Config = dict[str, Any]


def prompt(pnc: str) -> Config:
    """The slots of a ``canary2`` prompt in English, with (``yes``) or without (``no``) capitals and marks."""
    slots = {"decodercontext": "", "source_lang": "en", "target_lang": "en", "emotion": "<|emo:undefined|>"}
    return {"role": "user", "slots": {**slots, "pnc": pnc, "itn": "no", "diarize": "no", "timestamp": "no"}}


def build_tokenizers(folder: Path, written: list[str], plain: list[str]) -> None:
    """Train the three tokenizers below ``folder``: ``special`` and ``en`` for Canary, ``plain`` for CTC and TDT."""
    CanaryTokenizer.build_special_tokenizer(list(_SPECIAL), folder / "special")
    for name, texts, size in (("en", [*written, *plain], 200), ("plain", plain, 96)):
        target = folder / name
        target.mkdir(parents=True)
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_prefix=str(target / "tokenizer"),
            vocab_size=size,
            model_type="bpe",
            character_coverage=1.0,
            hard_vocab_limit=False,
            normalization_rule_name="identity",  # the default's table is 240 KB
            bos_id=-1,
            eos_id=-1,
            unk_id=0,
            num_threads=1,
            minloglevel=2,
        )
        if name == "en":
            _pad(target / "tokenizer.model", _pieces(folder / "special" / "tokenizer.model"))
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(target / "tokenizer.model"))
        names = [pieces.id_to_piece(number) for number in range(1, pieces.get_piece_size())]
        (target / "vocab.txt").write_text("\n".join(names), encoding="utf-8")


def _pieces(model: Path) -> int:
    return int(sentencepiece.SentencePieceProcessor(model_file=str(model)).get_piece_size())


def _pad(model: Path, before: int) -> None:
    """Add unused pieces to the last of several tokenizers, so that all together have a multiple of 8.

    NeMo rounds the head of a Canary up to one, and its phrase boosting needs the vocabulary to be as large as the head.
    """
    tokenizer = sentencepiece_model_pb2.ModelProto.FromString(model.read_bytes())
    for number in range(-(before + len(tokenizer.pieces)) % 8):
        tokenizer.pieces.add(
            piece=f"<unused{number}>", score=0.0, type=sentencepiece_model_pb2.ModelProto.SentencePiece.CONTROL
        )
    tokenizer.trainer_spec.vocab_size = len(tokenizer.pieces)
    model.write_bytes(tokenizer.SerializeToString(deterministic=True))


def canary(tokenizers: Path) -> Config:
    """An EncDecMultiTaskModel in the shape of canary-flash: ``canary2`` prompt, aggregate tokenizer."""
    decoder = {
        "max_sequence_length": 512,
        "num_token_types": 0,
        "embedding_dropout": _DROPOUT,
        "learn_positional_encodings": False,
        "hidden_size": _WIDTH,
        "inner_size": _WIDTH * 2,
        "num_layers": 2,
        "num_attention_heads": 4,
        "ffn_dropout": _DROPOUT,
        "attn_score_dropout": _DROPOUT,
        "attn_layer_dropout": _DROPOUT,
        "hidden_act": "relu",
        "pre_ln": True,
        "vocab_size": None,
    }
    no_second_encoder = {
        "_target_": f"{_MODULES}.transformer.transformer_encoders.TransformerEncoder",
        "num_layers": 0,
        "hidden_size": _WIDTH,
        "inner_size": _WIDTH,
        "num_attention_heads": 4,
        "ffn_dropout": _DROPOUT,
        "attn_score_dropout": _DROPOUT,
        "attn_layer_dropout": _DROPOUT,
        "mask_future": False,
        "pre_ln": True,
        "pre_ln_final_layer_norm": True,
    }
    return {
        **_front(),
        "label_smoothing": 0.0,
        "prompt_format": "canary2",
        "prompt_defaults": [prompt("yes")],
        "model_defaults": {"asr_enc_hidden": _WIDTH, "lm_enc_hidden": _WIDTH, "lm_dec_hidden": _WIDTH},
        "tokenizer": {
            "dir": None,
            "type": "agg",
            "langs": {
                "spl_tokens": {"dir": str(tokenizers / "special"), "type": "bpe"},
                "en": {"dir": str(tokenizers / "en"), "type": "bpe"},
            },
            "custom_tokenizer": {
                "_target_": "nemo.collections.common.tokenizers.canary_tokenizer.CanaryTokenizer",
                "tokenizers": None,
            },
        },
        "transf_encoder": no_second_encoder,
        "transf_decoder": {
            "_target_": f"{_MODULES}.transformer.get_nemo_transformer",
            "model_name": None,
            "pretrained": False,
            "encoder": None,
            "pre_ln_final_layer_norm": True,
            "config_dict": decoder,
        },
        "head": {
            "_target_": "nemo.collections.asr.parts.submodules.token_classifier.TokenClassifier",
            "num_layers": 1,
            "activation": "relu",
            "log_softmax": True,
            "hidden_size": _WIDTH,
            "num_classes": None,
            "dropout": 0.0,
            "use_transformer_init": True,
        },
        "decoding": {
            "strategy": "beam",
            "return_best_hypothesis": True,
            "beam": {"beam_size": 1, "len_pen": 0.0, "max_generation_delta": 50},
        },
        "loss": {
            "_target_": "nemo.collections.common.losses.smoothed_cross_entropy.SmoothedCrossEntropyLoss",
            "label_smoothing": 0.0,
            "pad_id": None,
        },
    }


def ctc(tokenizers: Path) -> Config:
    """An EncDecCTCModelBPE: its loss helps the encoder to find its way; it is not shipped."""
    return {
        **_front(),
        "log_prediction": False,
        "ctc_reduction": "mean_batch",
        "tokenizer": {"dir": str(tokenizers / "plain"), "type": "bpe"},
        "validation_ds": dict(_VALIDATION),
        "decoder": {
            "_target_": f"{_MODULES}.ConvASRDecoder",
            "feat_in": _WIDTH,
            "num_classes": -1,
            "vocabulary": [],
        },
    }


def tdt(tokenizers: Path) -> Config:
    """An EncDecRNNTBPEModel in the shape of parakeet-tdt: token-and-duration transducer."""
    width, durations = _PREDICTION_WIDTH, list(DURATIONS)
    return {
        **_front(),
        "compute_eval_loss": False,
        "log_prediction": False,
        "rnnt_reduction": "mean_volume",
        "skip_nan_grad": False,
        "model_defaults": {
            "enc_hidden": _WIDTH,
            "pred_hidden": width,
            "joint_hidden": width,
            "tdt_durations": durations,
            "num_tdt_durations": len(durations),
        },
        "labels": [],
        "tokenizer": {"dir": str(tokenizers / "plain"), "type": "bpe"},
        "validation_ds": dict(_VALIDATION),
        "decoder": {
            "_target_": f"{_MODULES}.RNNTDecoder",
            "normalization_mode": None,
            "random_state_sampling": False,
            "blank_as_pad": True,
            "prednet": {"pred_hidden": width, "pred_rnn_layers": 1, "t_max": None, "dropout": _DROPOUT},
        },
        "joint": {
            "_target_": f"{_MODULES}.RNNTJoint",
            "log_softmax": None,
            "preserve_memory": False,
            "fuse_loss_wer": False,
            "fused_batch_size": 4,
            "num_extra_outputs": len(durations),
            "jointnet": {"joint_hidden": width, "activation": "relu", "dropout": _DROPOUT},
        },
        "decoding": {
            "strategy": "greedy_batch",
            "model_type": "tdt",
            "durations": durations,
            "greedy": {"max_symbols": 10},
            "beam": {"beam_size": 4, "return_best_hypothesis": True},
        },
        "loss": {
            "loss_name": "tdt",
            "tdt_kwargs": {"fastemit_lambda": 0.0, "durations": durations, "sigma": 0.02, "omega": 0.1},
        },
    }


def _front() -> Config:
    """What all three share: features, augmentation, encoder, and the longest audio that the training covers."""
    preprocessor = {
        "_target_": f"{_MODULES}.AudioToMelSpectrogramPreprocessor",
        "sample_rate": SAMPLE_RATE,
        "normalize": "per_feature",
        "window_size": 0.025,
        "window_stride": 0.01,
        "window": "hann",
        "features": FEATURES,
        "n_fft": 512,
        "log": True,
        "frame_splicing": 1,
        "dither": 1e-5,
        "pad_to": 0,
        "pad_value": 0.0,
    }
    augmentation = {
        "_target_": f"{_MODULES}.SpectrogramAugmentation",
        "freq_masks": 1,
        "time_masks": 1,
        "freq_width": 10,
        "time_width": 0.05,
    }
    encoder = {
        "_target_": f"{_MODULES}.ConformerEncoder",
        "feat_in": FEATURES,
        "feat_out": -1,
        "n_layers": 4,
        "d_model": _WIDTH,
        "subsampling": "dw_striding",
        "subsampling_factor": 8,
        "subsampling_conv_channels": 24,
        "causal_downsampling": False,
        "reduction": None,
        "reduction_position": None,
        "reduction_factor": 1,
        "ff_expansion_factor": 2,
        "self_attention_model": "rel_pos",
        "n_heads": 4,
        "att_context_size": [-1, -1],
        "xscaling": False,
        "untie_biases": True,
        "pos_emb_max_len": 5000,
        "conv_kernel_size": 9,
        "conv_norm_type": "batch_norm",
        "conv_context_size": None,
        "dropout": _DROPOUT,
        "dropout_pre_encoder": _DROPOUT,
        "dropout_emb": 0.0,
        "dropout_att": _DROPOUT,
    }
    return {
        "sample_rate": SAMPLE_RATE,
        "t2a": {"max_chunk_s": MAX_CHUNK_SECONDS},
        "preprocessor": preprocessor,
        "spec_augment": augmentation,
        "encoder": encoder,
        "optim": {"name": "adamw", "lr": 1e-3},
    }
