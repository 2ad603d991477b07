"""Make the tiny models from nothing: speech, tokenizers, training, packing and measurement.

    python fixtures_models/train.py --out DIR

Takes about 20 minutes of one CPU thread. Needs espeak-ng, flite, jiwer and nemo_toolkit[asr].
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import configs
import speech
import torch
import training
import transducer
from archive import repack
from measure import error_rate
from nemo.collections.asr.models import ASRModel, EncDecCTCModelBPE, EncDecMultiTaskModel, EncDecRNNTBPEModel
from nemo.utils import logging as nemo_logging
from omegaconf import OmegaConf

_SEED = 7
_LONGEST = 8.0  # seconds of a joined utterance


def main() -> int:
    """Write tiny_canary.nemo, tiny_tdt.nemo and SHA256SUMS into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=2_400)
    parser.add_argument("--joined", type=int, default=1_300)
    parser.add_argument("--steps", type=int, default=5_000, help="of the encoder with both its heads")
    parser.add_argument("--tdt-steps", type=int, default=600)
    parser.add_argument("--canary", type=Path, help="keep this finished Canary and train the TDT head only")
    options = parser.parse_args()
    torch.manual_seed(_SEED)
    torch.set_num_threads(1)
    nemo_logging.setLevel(logging.ERROR)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        utterances, held_out = speech.make_speech(options.sentences, 200, _SEED)
    except speech.SpeechError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    long = speech.joined(utterances, options.joined, _LONGEST, _SEED)
    _say(f"{len(utterances)} utterances, {_minutes(utterances)}; {len(long)} joined, {_minutes(long)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        configs.build_tokenizers(folder, [item.written for item in utterances], [item.plain for item in utterances])
        aed = EncDecMultiTaskModel(OmegaConf.create(configs.canary(folder)))
        ctc = EncDecCTCModelBPE(OmegaConf.create(configs.ctc(folder)))
        tdt = EncDecRNNTBPEModel(OmegaConf.create(configs.tdt(folder)))
        targets = training.Targets(aed, ctc)
        single, joined = targets.examples(utterances), targets.examples(long)
        canary_path, tdt_path = options.out / "tiny_canary.nemo", options.out / "tiny_tdt.nemo"
        if options.canary:
            canary_path = options.canary
        else:
            training.train(aed, ctc, single, joined, options.steps, _SEED, _say)
            _pack(aed, folder / "model.nemo", canary_path)
        packed = _restored_and_measured(canary_path, held_out)
        transducer.train(tdt, packed, [*single, *joined], options.tdt_steps, _SEED, _say)
        _pack(tdt, folder / "model.nemo", tdt_path)
        _restored_and_measured(tdt_path, held_out)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (canary_path, tdt_path)]
    (options.out / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return 0


def _pack(model: Any, whole: Path, packed: Path) -> None:
    model.save_to(str(whole))
    _say(f"{packed.name}: {repack(whole, packed) / 1e6:.2f} MB")


def _restored_and_measured(path: Path, held_out: list[speech.Utterance]) -> Any:
    """The model as it is in the file, which has lost half its digits."""
    model = ASRModel.restore_from(str(path), map_location="cpu").eval()
    spoken = [item.plain for item in held_out]
    clean = error_rate(model, [item.samples for item in held_out], spoken)
    noisy = error_rate(model, [speech.with_noise(item.samples, 6.0, n) for n, item in enumerate(held_out)], spoken)
    _say(f"{path.name}: WER {clean:.2%} on {len(held_out)} held-out sentences, {noisy:.2%} with white noise at 6 dB")
    return model


def _minutes(utterances: list[speech.Utterance]) -> str:
    return f"{sum(item.seconds for item in utterances) / 60:.1f} minutes"


def _say(text: str) -> None:
    print(f"{time.process_time():6.0f} s CPU  {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
