"""Training of the Canary-type decoder and the CTC head on one shared encoder, on one CPU thread, without Lightning."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import configs
import numpy as np
import torch
from nemo.collections.asr.models import EncDecCTCModelBPE, EncDecMultiTaskModel
from speech import Utterance, padded
from torch.nn.functional import ctc_loss, nll_loss

_BATCH_FRAMES = 4_800  # 48 s of audio
_LEARNING_RATE = 2e-3
_WARM_UP = 150
_CTC_SHARE = 0.4
_SHORT_SHARE = 0.12  # of the steps: the shorter half only, on which attention finds its way sooner
_IGNORED = -100


@dataclass(frozen=True)
class Example:
    """One utterance ready for training: features (64 x frames) and the target tokens of each head.

    Those of the CTC head are also the transducer's.
    """

    features: torch.Tensor
    written: list[int]
    plain: list[int]
    ctc: list[int]


class Targets:
    """Turns utterances into examples. Every sequence is prompt, words, end."""

    def __init__(self, aed: EncDecMultiTaskModel, ctc: EncDecCTCModelBPE) -> None:
        self._aed, self._ctc = aed, ctc
        self.prompts: dict[str, list[int]] = {
            pnc: aed.prompt.encode_dialog(turns=[configs.prompt(pnc)])["context_ids"].tolist() for pnc in ("yes", "no")
        }

    def examples(self, utterances: Sequence[Utterance]) -> list[Example]:
        """The examples of the utterances, in order."""
        made = []
        for utterance, features in zip(utterances, mel(self._aed, utterances), strict=True):
            ids = {
                pnc: [*self.prompts[pnc], *self._aed.tokenizer.text_to_ids(text, "en"), self._aed.tokenizer.eos_id]
                for pnc, text in (("yes", utterance.written), ("no", utterance.plain))
            }
            made.append(Example(features, ids["yes"], ids["no"], self._ctc.tokenizer.text_to_ids(utterance.plain)))
        return made


def mel(model: Any, utterances: Sequence[Utterance], size: int = 32) -> list[torch.Tensor]:
    """Features of each utterance as ``transcribe`` would compute them: 64 x frames, without dither."""
    preprocessor = model.preprocessor.eval()
    preprocessor.featurizer.dither = 0.0
    found: list[torch.Tensor] = []
    with torch.no_grad():
        for start in range(0, len(utterances), size):
            waves = [torch.from_numpy(padded(utterance.samples)) for utterance in utterances[start : start + size]]
            lengths = torch.tensor([len(wave) for wave in waves])
            padded_waves = torch.nn.utils.rnn.pad_sequence(waves, batch_first=True)
            features, frames = preprocessor(input_signal=padded_waves, length=lengths)
            found += [item[:, :count].clone() for item, count in zip(features, frames.tolist(), strict=True)]
    return found


def batches(lengths: Sequence[int], draw: random.Random, frames: int = _BATCH_FRAMES) -> list[list[int]]:
    """Indices in random batches of similar length, each of at most ``frames`` frames with its padding."""
    made: list[list[int]] = [[]]
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index] * draw.uniform(0.85, 1.15)):
        longest = max((lengths[other] for other in (*made[-1], index)), default=0)
        if made[-1] and longest * (len(made[-1]) + 1) > frames:
            made.append([])
        made[-1].append(index)
    draw.shuffle(made)
    return made


def stack(features: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Features of a batch (batch x 64 x longest) and their lengths in frames."""
    padded_features = torch.nn.utils.rnn.pad_sequence([item.T for item in features], batch_first=True).transpose(1, 2)
    return padded_features, torch.tensor([item.shape[1] for item in features])


def train(
    aed: EncDecMultiTaskModel,
    ctc: EncDecCTCModelBPE,
    single: Sequence[Example],
    joined: Sequence[Example],
    steps: int,
    seed: int,
    report: Callable[[str], None],
) -> None:
    """Train both heads and their encoder: short utterances first, then all, from the half with joined ones."""
    ctc.encoder = aed.encoder
    draw = random.Random(seed)
    parameters = list({id(item): item for model in (aed, ctc) for item in model.parameters()}.values())
    optimiser = torch.optim.AdamW(parameters, lr=_LEARNING_RATE, betas=(0.9, 0.98), weight_decay=1e-3)
    targets = Targets(aed, ctc)
    aed.train()
    ctc.train()
    running = np.zeros(2)
    for step, batch in enumerate(_stream(single, joined, steps, draw)):
        for group in optimiser.param_groups:
            group["lr"] = _rate(step, steps)
        loss_aed, loss_ctc = _losses(aed, ctc, batch, len(targets.prompts["yes"]), draw)
        optimiser.zero_grad()
        (loss_aed + _CTC_SHARE * loss_ctc).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        running = 0.98 * running + 0.02 * np.array([float(loss_aed), float(loss_ctc)])
        if (step + 1) % 200 == 0:
            report(f"step {step + 1} of {steps}: decoder {running[0]:.3f}, CTC {running[1]:.3f}")
    aed.eval()
    ctc.eval()


def _stream(
    single: Sequence[Example], joined: Sequence[Example], steps: int, draw: random.Random
) -> Iterator[list[Example]]:
    by_length = sorted(single, key=lambda item: item.features.shape[1])
    done = 0
    while True:
        if done < steps * _SHORT_SHARE:
            pool = by_length[: len(by_length) // 2]
        else:
            pool = [*single, *joined] if done >= steps // 2 else list(single)
        for batch in batches([item.features.shape[1] for item in pool], draw):
            if done == steps:
                return
            yield [pool[index] for index in batch]
            done += 1


def _rate(step: int, steps: int) -> float:
    """Warm-up, a plateau for 30 % of the steps, then half a cosine."""
    share = step / steps
    cosine = 1.0 if share < 0.3 else 0.5 * (1 + math.cos(math.pi * (share - 0.3) / 0.7)) + 0.005
    return _LEARNING_RATE * min(1.0, (step + 1) / _WARM_UP) * cosine


def _losses(
    aed: EncDecMultiTaskModel, ctc: EncDecCTCModelBPE, batch: Sequence[Example], prompt: int, draw: random.Random
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cross-entropy of the decoder behind the prompt, and the CTC loss."""
    features, frames = stack([item.features for item in batch])
    features = aed.spec_augmentation(input_spec=features, length=frames)
    encoded, lengths = aed.encoder(audio_signal=features, length=frames)
    symbols = ctc.decoder(encoder_output=encoded)
    loss_ctc = ctc_loss(
        symbols.transpose(0, 1),
        torch.tensor([token for item in batch for token in item.ctc]),
        lengths,
        torch.tensor([len(item.ctc) for item in batch]),
        blank=symbols.shape[2] - 1,
        zero_infinity=True,
    )
    sequences = [torch.tensor(item.written if draw.random() < 0.5 else item.plain) for item in batch]
    sizes = torch.tensor([len(sequence) for sequence in sequences])
    padding = aed.tokenizer.pad_id
    tokens = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=padding)
    memory = encoded.permute(0, 2, 1)
    predicted = aed.log_softmax(
        hidden_states=aed.transf_decoder(
            input_ids=tokens[:, :-1],
            decoder_mask=_mask(sizes - 1, tokens.shape[1] - 1).long(),
            encoder_embeddings=memory,
            encoder_mask=_mask(lengths, memory.shape[1]).to(memory.dtype),
        )
    )
    wanted = tokens[:, 1:].clone()
    wanted[:, : prompt - 1] = _IGNORED
    wanted[~_mask(sizes - 1, wanted.shape[1])] = _IGNORED
    loss_aed = nll_loss(predicted.reshape(-1, predicted.shape[-1]), wanted.reshape(-1), ignore_index=_IGNORED)
    return loss_aed, loss_ctc


def _mask(lengths: torch.Tensor, longest: int) -> torch.Tensor:
    return torch.arange(longest)[None] < lengths[:, None]
