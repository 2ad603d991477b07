"""What the interfaces that hear one utterance at a time have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError, Utterance
from pytest_talk2agent.speech.checks import AudioError

if TYPE_CHECKING:
    from pytest_talk2agent.speech.audio import Audio


def one_by_one(
    batch: Sequence[Utterance], transcribe: Callable[[Utterance], Hypothesis]
) -> list[Hypothesis | TranscriptionError]:
    """Transcribe each utterance by itself; what goes wrong with one is its own TranscriptionError.

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
