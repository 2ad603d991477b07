"""Training of the TDT head on the finished encoder."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from configs import DURATIONS
from nemo.collections.asr.models import EncDecMultiTaskModel, EncDecRNNTBPEModel
from training import Example, batches, stack
from transducer_loss import tdt_loss

_BATCH_FRAMES = 640  # of the encoder: 51 s
_LEARNING_RATE = 3e-3
_WARM_UP = 50


@dataclass(frozen=True)
class _Encoded:
    frames: torch.Tensor  # encoder frames x width
    tokens: list[int]


def train(
    tdt: EncDecRNNTBPEModel,
    aed: EncDecMultiTaskModel,
    examples: Sequence[Example],
    steps: int,
    seed: int,
    report: Callable[[str], None],
) -> None:
    """Give ``tdt`` the encoder of ``aed`` and train its prediction network and joint for ``steps`` steps.

    Starts the random numbers of torch anew, so that the same encoder gives the same head.
    """
    torch.manual_seed(seed)
    tdt.encoder.load_state_dict(aed.encoder.state_dict())
    encoded = _encode(tdt.eval(), examples)
    parameters = [*tdt.decoder.parameters(), *tdt.joint.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=_LEARNING_RATE, weight_decay=1e-3)
    tdt.decoder.train()
    tdt.joint.train()
    running = 0.0
    for step, batch in enumerate(_stream(encoded, steps, random.Random(seed))):
        for group in optimiser.param_groups:
            cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
            group["lr"] = _LEARNING_RATE * min(1.0, (step + 1) / _WARM_UP) * cosine
        loss = _loss(tdt, batch)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        running = 0.98 * running + 0.02 * float(loss)
        if (step + 1) % 200 == 0:
            report(f"step {step + 1} of {steps}: transducer {running:.3f}")
    tdt.eval()


def _encode(tdt: EncDecRNNTBPEModel, examples: Sequence[Example], size: int = 16) -> list[_Encoded]:
    found = []
    order = sorted(range(len(examples)), key=lambda index: examples[index].features.shape[1])
    with torch.no_grad():
        for start in range(0, len(order), size):
            batch = [examples[index] for index in order[start : start + size]]
            features, frames = stack([item.features for item in batch])
            outputs, lengths = tdt.encoder(audio_signal=features, length=frames)
            for item, output, length in zip(batch, outputs, lengths.tolist(), strict=True):
                found.append(_Encoded(output[:, :length].T.clone(), item.ctc))
    return found


def _stream(encoded: Sequence[_Encoded], steps: int, draw: random.Random) -> Iterator[list[_Encoded]]:
    done = 0
    while True:
        for batch in batches([len(item.frames) for item in encoded], draw, _BATCH_FRAMES):
            if done == steps:
                return
            yield [encoded[index] for index in batch]
            done += 1


def _loss(tdt: EncDecRNNTBPEModel, batch: Sequence[_Encoded]) -> torch.Tensor:
    frames = torch.tensor([len(item.frames) for item in batch])
    tokens = torch.tensor([len(item.tokens) for item in batch])
    heard = torch.nn.utils.rnn.pad_sequence([item.frames for item in batch], batch_first=True)
    targets = torch.nn.utils.rnn.pad_sequence([torch.tensor(item.tokens) for item in batch], batch_first=True)
    said, _, _ = tdt.decoder(targets=targets, target_length=tokens)
    joint = tdt.joint.enc(heard)[:, :, None] + tdt.joint.pred(said.transpose(1, 2))[:, None]
    return tdt_loss(tdt.joint.joint_net(joint), targets, frames, tokens, DURATIONS)
