"""The batched pass against one call a recording: python benchmarks/interfaces.py [-n N] [SPEC ...].

For each local interface that is installed: the same recordings, decoded before, through one loaded model, once as the
engine hands them over (shortest first, as many a call as the interface takes) and once one by one in the order of their
names. `load` is what a run without a shared model would pay again in every process: model and first transcript. A ratio
above 1 says that batches pay; where an interface hears one recording at a time it can only be 1. Needs the extras.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from table import print_table

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.audio import audio_seconds, read_audio

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "fixtures_models"
SPECS = ("whisper:tiny.en", "whisper:base?language=en", "moonshine", "sphinx")
FIXTURES = {"canary": MODELS / "tiny_canary.nemo", "parakeet": MODELS / "tiny_tdt.nemo"}

Results = list[Hypothesis | TranscriptionError]


def timed(work: Callable[[], Results]) -> tuple[Results, float, float]:
    """What a call returns, its seconds, and the processor's seconds over all threads."""
    wall, processor = time.perf_counter(), time.process_time()
    results = work()
    return results, time.perf_counter() - wall, time.process_time() - processor


def batched(interface: Interface, utterances: Sequence[Utterance]) -> Results:
    """Transcribe as the engine does, then put the results back in order."""
    size = getattr(interface, "batch_size", 1)
    order = sorted(range(len(utterances)), key=lambda index: _seconds(utterances[index]))
    found: dict[int, Hypothesis | TranscriptionError] = {}
    for begin in range(0, len(order), size):
        indices = order[begin : begin + size]
        found.update(zip(indices, interface.transcribe([utterances[index] for index in indices]), strict=True))
    return [found[index] for index in range(len(utterances))]


def one_by_one(interface: Interface, utterances: Sequence[Utterance]) -> Results:
    """Transcribe each recording in a call of its own."""
    return [result for utterance in utterances for result in interface.transcribe([utterance])]


def row(spec: str, utterances: Sequence[Utterance]) -> list[object]:
    """Measure one interface; what it lacks, where it cannot be made."""
    try:
        interface = make_interface(parse_spec(spec))
        interface.check()
        shortest = min(utterances, key=_seconds)
        _, load, _ = timed(lambda: interface.transcribe([shortest]))
        together, wall, processor = timed(lambda: batched(interface, utterances))
        apart, wall_apart, processor_apart = timed(lambda: one_by_one(interface, utterances))
    except InterfaceError as error:
        return [spec, *[""] * 9, str(error)]
    same = sum(_text(one) == _text(other) for one, other in zip(together, apart, strict=True))
    return [
        spec,
        getattr(interface, "batch_size", 1),
        f"{load:.1f}",
        f"{wall:.1f}",
        f"{wall_apart:.1f}",
        f"{wall_apart / wall:.2f}",
        f"{processor:.1f}",
        f"{processor_apart:.1f}",
        f"{processor_apart / processor:.2f}",
        f"{same} of {len(utterances)}",
        "",
    ]


def _seconds(utterance: Utterance) -> float:
    return utterance.audio.seconds if utterance.audio is not None else 0.0


def _text(result: Hypothesis | TranscriptionError) -> str:
    return result.text if isinstance(result, Hypothesis) else f"error: {result}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--audio", type=Path, default=ROOT / "fixtures_audio" / "workbench")
    parser.add_argument("-n", type=int, default=20)
    parser.add_argument("--longest", type=float, default=30.0, help="seconds")
    parser.add_argument("specs", nargs="*")
    options = parser.parse_args()
    found = [path for path in sorted(options.audio.glob("*.flac")) if audio_seconds(path) <= options.longest]
    utterances = [Utterance(path.stem, "1", "", "", path, read_audio(path)) for path in found[: options.n]]
    shipped = [f"{name}:{path}" for name, path in FIXTURES.items() if path.is_file()]
    head = ["interface", "a call", "load s", "batched s", "one by one s", "ratio"]
    head += ["batched CPU s", "one by one CPU s", "ratio", "same text", "not run"]
    rows = [row(spec, utterances) for spec in options.specs or [*SPECS, *shipped]]
    print(f"{len(utterances)} recordings, {sum(map(_seconds, utterances)):.0f} s of sound")
    print_table(head, rows)


if __name__ == "__main__":
    main()
