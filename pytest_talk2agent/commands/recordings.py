"""``talk2agent find-snr``: at which noise an interface errs as often as a target says."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from pytest_talk2agent.analysis.crossing import Crossing, find_crossing
from pytest_talk2agent.commands.common import Commands, declared, task_files, write, write_error, write_json
from pytest_talk2agent.engine.listening import listen
from pytest_talk2agent.interfaces.spec import parse_spec, with_sound
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.reporting.visible import table
from pytest_talk2agent.results.store import Store
from pytest_talk2agent.results.verdict import share
from pytest_talk2agent.speech.acoustics.noise import Noise
from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.loader import load_tasks
from pytest_talk2agent.tasks.task import Task


def add_find_snr(commands: Commands) -> None:
    """Declare the command."""
    command = declared(
        commands, "find-snr", run_find_snr, "the ratio of speech to noise at which an interface reaches a WER"
    )
    command.add_argument("suites", type=Path, nargs="+", metavar="SUITE", help="task file or folder, with recordings")
    command.add_argument(
        "--interface", default="whisper:tiny.en", metavar="SPEC", help="interface that hears (default: %(default)s)"
    )
    command.add_argument(
        "--noise", default="babble", metavar="EFFECT", help="white, pink, babble[=FOLDER], .. (default: babble)"
    )
    command.add_argument("--wer", type=_share, default=Fraction(1, 10), metavar="X", help="the target (default: 0.1)")
    command.add_argument(
        "--lowest", type=_decimal, default=Fraction(-10), metavar="DB", help="lowest ratio to try, in dB (default: -10)"
    )
    command.add_argument(
        "--highest", type=_decimal, default=Fraction(30), metavar="DB", help="highest ratio to try, in dB (default: 30)"
    )
    command.add_argument(
        "--step",
        type=_decimal,
        default=Fraction(1, 2),
        metavar="DB",
        help="how finely it is found, in dB (default: 0.5)",
    )
    command.add_argument("--takes", type=int, metavar="N", help="at most so many recordings of a task")
    command.add_argument(
        "--store", type=Path, default=Path(".t2a/store"), metavar="DIR", help="where transcripts are kept"
    )
    command.add_argument("--json", action="store_true", help="the same as data; fractions are strings")


def _share(text: str) -> Fraction:
    try:
        return share(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _decimal(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def run_find_snr(options: argparse.Namespace) -> int:
    """Print what was measured and where the target lies."""
    try:
        return _find_snr(options)
    except InterfaceError as error:
        raise ValueError(str(error)) from None


def _find_snr(options: argparse.Namespace) -> int:
    spec, noise = _parts(options)
    tasks: list[Task] = [task for path in task_files(options.suites) for task in load_tasks(path)]
    store = Store(options.store)
    clean = listen(tasks, spec, store, options.takes)
    write_error(f"as recorded: WER {float(clean.wer):.1%} of {clean.errors.units} words")

    def rate(snr: Fraction) -> Fraction:
        heard = listen(tasks, with_sound(spec, parse_sound(_at(noise, snr))), store, options.takes)
        write_error(f"{_at(noise, snr)}: WER {float(heard.wer):.1%}")
        return heard.wer

    crossing = find_crossing(rate, options.wer, options.lowest, options.highest, options.step)
    if options.json:
        write_json(_data(crossing, spec, noise, len(clean.pairs), clean.wer))
    else:
        write(_lines(crossing, spec, noise, len(clean.pairs)))
    return 0


def _parts(options: argparse.Namespace) -> tuple[str, str]:
    """The spec and the noise without its ratio; raises ValueError where either is none."""
    parse_spec(options.interface)
    condition = parse_sound(_at(options.noise, Fraction(0)))
    if len(condition.effects) != 1 or not isinstance(condition.effects[0], Noise):
        raise ValueError(f"--noise {options.noise}: no noise; write white, pink, babble[=FOLDER], tv or noise=FOLDER")
    return options.interface, options.noise


def _at(noise: str, snr: Fraction) -> str:
    return f"{noise}@{float(snr):g}dB"


def _lines(crossing: Crossing, spec: str, noise: str, recordings: int) -> Sequence[str]:
    rows = [(f"{float(point.level):g} dB", f"{float(point.rate):.1%}") for point in reversed(crossing.points)]
    found = f"WER {float(crossing.target):g} at {float(crossing.level):.1f} dB"
    between = f"between {float(crossing.above.level):g} and {float(crossing.within.level):g} dB"
    heard = f"{spec} in {noise}, {counted(recordings, 'recording')}"
    return [*table(("SNR", "WER"), rows), "", f"{heard}: {found} ({between})"]


def _data(crossing: Crossing, spec: str, noise: str, recordings: int, clean: Fraction) -> dict[str, object]:
    return {
        "interface": spec,
        "noise": noise,
        "recordings": recordings,
        "target": str(crossing.target),
        "snr_db": round(float(crossing.level), 2),
        "between": [float(crossing.above.level), float(crossing.within.level)],
        "clean": str(clean),
        "points": [{"snr_db": float(point.level), "wer": str(point.rate)} for point in crossing.points],
    }
