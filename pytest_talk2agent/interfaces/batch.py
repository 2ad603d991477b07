"""Batches of utterances: one utterance at a time, or cut into pieces that a recogniser can hear, and joined again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pytest_talk2agent.interfaces.suspicion import suspicions, words_in
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.chunks import Chunk, cut_at_pauses
from pytest_talk2agent.speech.containers import AudioError

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Audio, Samples


def one_by_one(
    batch: Sequence[Utterance], transcribe: Callable[[Utterance], Hypothesis]
) -> list[Hypothesis | TranscriptionError]:
    """Transcribe each utterance by itself; an error in one becomes its own TranscriptionError.

    Raises InterfaceError where ``transcribe`` does: then nothing can be transcribed.
    """
    results: list[Hypothesis | TranscriptionError] = []
    for utterance in batch:
        try:
            results.append(transcribe(utterance))
        except TranscriptionError as error:
            results.append(error)
        except InterfaceError:
            raise
        except AudioError as error:
            results.append(TranscriptionError(str(error)))
        except Exception as error:
            results.append(TranscriptionError(f"task {utterance.task!r}, take {utterance.take!r}: {one_line(error)}"))
    return results


def audio_of(utterance: Utterance) -> Audio:
    """The utterance's decoded recording, read now where the caller has not done so.

    Raises TranscriptionError where there is no recording, AudioError where it cannot be used.
    """
    if utterance.audio is not None:
        return utterance.audio
    if utterance.path is None:
        raise TranscriptionError(f"task {utterance.task!r}: no recording to hear; list one in the task file")
    from pytest_talk2agent.speech.audio import read_audio

    return read_audio(utterance.path)


def require_package(interface: str, module: str, distribution: str, extra: str, note: str = "") -> None:
    """Raise InterfaceError where a package is not installed, and say how to install it. Imports nothing.

    ``note`` is what whoever installs it should know before.
    """
    if find_spec(module) is None:
        raise InterfaceError(
            f'{interface} needs the package {distribution}; pip install "pytest-talk2agent[{extra}]"'
            + (f" ({note})" if note else "")
        )


def one_line(error: BaseException) -> str:
    """An exception's type and message, on one line; the type alone where the message cannot be had."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}".removesuffix(": ")


@dataclass(frozen=True)
class Heard:
    """What a recogniser made of one piece of sound.

    ``confidence`` is that of each word where it was asked for; ``truncated`` says that it broke off before its end.
    """

    text: str
    confidence: tuple[float, ...] | None = None
    truncated: bool = False


Recognise = Callable[[list["Samples"]], list[Heard]]
"""Mono float32 pieces to what was heard in them, in order. Raises InterfaceError where nothing can be recognised."""


def transcribe_in_pieces(
    batch: Sequence[Utterance], rate: int, window: float, recognise: Recognise
) -> list[Hypothesis | TranscriptionError]:
    """Transcribe utterances in pieces of at most ``window`` seconds at ``rate`` Hz; texts are joined with a blank.

    All pieces of the batch go to ``recognise`` in one list, longest first. Where that raises, each goes alone, and a
    piece that fails again fails its utterance only; ``detail["alone"]`` holds the first error.
    ``detail`` also holds ``chunks`` (begin and end of each piece in seconds), ``suspect`` (see `suspicions`; here a
    "speaking rate" may be too low, too), and ``confidence`` and ``word_confidence`` where there are any.
    Raises InterfaceError where ``recognise`` does or where it returns more or fewer results than it got pieces.
    """
    results: list[Hypothesis | TranscriptionError | None] = [None] * len(batch)
    pieces: list[_Piece] = []
    for index, utterance in enumerate(batch):
        try:
            pieces.extend(_Piece(index, chunk, sound) for chunk, sound in _cut(utterance, rate, window))
        except (AudioError, TranscriptionError) as error:
            results[index] = TranscriptionError(str(error))
    outcomes: list[list[tuple[_Piece, Heard | Exception]]] = [[] for _ in batch]
    heard, fault = _recognised(sorted(pieces, key=lambda piece: -len(piece.sound)), recognise)
    for piece in pieces:
        outcomes[piece.utterance].append((piece, heard[piece]))
    return [
        _joined(utterance, rate, found, fault) if result is None else result
        for utterance, found, result in zip(batch, outcomes, results, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Piece:
    utterance: int
    chunk: Chunk
    sound: Samples


def _cut(utterance: Utterance, rate: int, window: float) -> list[tuple[Chunk, Samples]]:
    audio = audio_of(utterance)
    samples = audio.samples
    if audio.rate != rate:
        import soxr

        samples = soxr.resample(samples, audio.rate, rate, quality="HQ")
    return [(chunk, samples[chunk.begin : chunk.end]) for chunk in cut_at_pauses(samples, rate, window)]


def _recognised(
    pieces: Sequence[_Piece], recognise: Recognise
) -> tuple[dict[_Piece, Heard | Exception], Exception | None]:
    """What was heard in each piece, and the error that made each go alone."""
    if not pieces:
        return {}, None
    try:
        return dict(zip(pieces, _counted([piece.sound for piece in pieces], recognise), strict=True)), None
    except InterfaceError:
        raise
    except Exception as error:
        fault = error
    heard: dict[_Piece, Heard | Exception] = {}
    for piece in pieces:
        try:
            heard[piece] = _counted([piece.sound], recognise)[0]
        except InterfaceError:
            raise
        except Exception as error:
            heard[piece] = error
    return heard, fault


def _counted(sounds: list[Samples], recognise: Recognise) -> list[Heard]:
    heard = recognise(sounds)
    if len(heard) != len(sounds):
        raise InterfaceError(f"the recogniser returned {len(heard)} texts for {len(sounds)} pieces of sound")
    return heard


def _joined(
    utterance: Utterance, rate: int, outcomes: Sequence[tuple[_Piece, Heard | Exception]], fault: Exception | None
) -> Hypothesis | TranscriptionError:
    texts, suspect, words = [], [], []
    state = "transcribed"
    for piece, heard in outcomes:
        if isinstance(heard, Exception):
            return TranscriptionError(f"task {utterance.task!r}, take {utterance.take!r}: {one_line(heard)}")
        text = " ".join(heard.text.split())
        suspect += _suspicions(text, len(piece.sound) / rate)
        words += [round(value, 4) for value in heard.confidence or ()]
        if text:
            texts.append(text)
        if heard.truncated:
            state = "truncated"
    chunks = [[round(sample / rate, 3) for sample in (p.chunk.begin, p.chunk.end)] for p, _ in outcomes]
    detail: dict[str, Any] = {"chunks": chunks, "suspect": list(dict.fromkeys(suspect or ([] if texts else ["empty"])))}
    if words:
        detail |= {"confidence": round(sum(words) / len(words), 4), "word_confidence": words}
    if fault is not None:
        detail["alone"] = one_line(fault)
    return Hypothesis(" ".join(texts), detail, state)


def _suspicions(text: str, seconds: float) -> list[str]:
    """Those of every transcript, of a piece with next to no silence in it, and one more rate that nobody speaks at.

    Fewer than 0.3 words a second: a model beyond its length breaks off without an error.
    """
    found = suspicions(text, seconds)
    if text and "speaking rate" not in found and words_in(text) < 0.3 * (seconds - 2):
        found.append("speaking rate")
    return found
