"""Options and ini keys, each value with the place it came from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fractions import Fraction

    from pytest_talk2agent.interfaces.spec import Spec

DEFAULT_INTERFACE = "whisper:tiny.en"

OPTIONS = (
    ("interface", "SPEC", "interface under test, NAME[:MODEL][?option=value]; repeat for several conditions"),
    ("judge", "SPEC", "judge of transcripts (default: lexical)"),
    ("takes", "all|first|N", "recordings of each task to run (default: all)"),
    ("min-native", "X", "lowest passing Native retention, 0 to 1 (default: 1, or none with a baseline)"),
    ("min-shapley", "X", "lowest passing Shapley retention, 0 to 1 (default: 1, or none with a baseline)"),
    ("baseline", "FILE", "earlier results that no item may fall below"),
    ("tolerance", "X", "how far an item may fall below its baseline (default: 0)"),
    ("inconclusive", "fail|pass", "what an undecided item counts as (default: fail)"),
    ("report", "DIR", "write run.json, results.jsonl and summary.md there"),
    ("store", "DIR", "where transcripts are kept (default: .t2a/store in the root directory)"),
)


def add_options(parser: pytest.Parser) -> None:
    """Declare every option and the ini key that mirrors it."""
    group = parser.getgroup("talk2agent", "release gate for voice interfaces")
    for name, metavar, text in OPTIONS:
        action = "append" if name == "interface" else "store"
        group.addoption(f"--t2a-{name}", action=action, default=None, metavar=metavar, help=text)
        key, text = f"t2a_{name.replace('-', '_')}", f"default of --t2a-{name}"
        if name == "interface":
            parser.addini(key, text, type="linelist", default=None)
        else:
            parser.addini(key, text, type="string", default=None)
    group.addoption(
        "--t2a-update-baseline",
        nargs="?",
        const="all",
        default=None,
        choices=["new", "all"],
        help="write this run's results into the baseline: all of them, or only items it lacks",
    )
    parser.addini("t2a_audio", "folders searched for recordings after the task file's own", type="paths", default=[])
    parser.addini("t2a_specs", "names for interface specs, one `NAME = SPEC` a line", type="linelist", default=[])


@dataclass(frozen=True)
class Settings:
    """The validated settings of a run.

    ``thresholds`` maps a metric to a limit only where an option or ini key gives one; ``named`` lists the settings
    that were given, as ``(name, value, source)``.
    """

    specs: tuple[Spec, ...]
    judge: str
    takes: int | None
    thresholds: dict[str, Fraction]
    baseline: Path | None
    update: str | None
    tolerance: Fraction
    inconclusive_passes: bool
    report: Path | None
    store: Path
    audio: tuple[Path, ...]
    named: tuple[tuple[str, str, str], ...]


settings_key = pytest.StashKey[Settings]()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of this run, read and checked once; raises pytest.UsageError with one line for a bad value."""
    if settings_key not in config.stash:
        config.stash[settings_key] = _read(config)
    return config.stash[settings_key]


def any_given(config: pytest.Config) -> bool:
    """Whether the command line or the ini file says anything to this plugin. Imports nothing."""
    names = [name.replace("-", "_") for name, _, _ in OPTIONS]
    given = any(config.getoption(f"t2a_{name}") is not None for name in (*names, "update_baseline"))
    return given or any(config.getini(f"t2a_{name}") for name in (*names, "audio", "specs"))


def _read(config: pytest.Config) -> Settings:
    named: list[tuple[str, str, str]] = []

    def text(name: str) -> str | None:
        key = f"t2a_{name.replace('-', '_')}"
        for value, source in ((config.getoption(key), f"--t2a-{name}"), (config.getini(key), "ini")):
            if value:
                named.append((name, str(value), source))
                return str(value)
        return None

    thresholds = {
        metric: _fraction(value, f"min-{metric}")
        for metric in ("native", "shapley")
        if (value := text(f"min-{metric}")) is not None
    }
    baseline, update = text("baseline"), config.getoption("t2a_update_baseline")
    if update and not baseline:
        raise pytest.UsageError("--t2a-update-baseline needs --t2a-baseline=FILE: the file to write")
    report, store = text("report"), text("store")
    return Settings(
        specs=_specs(config, named),
        judge=text("judge") or "lexical",
        takes=_takes(text("takes") or "all"),
        thresholds=thresholds,
        baseline=_path(config, baseline),
        update=update,
        tolerance=_fraction(text("tolerance") or "0", "tolerance"),
        inconclusive_passes=_inconclusive(text("inconclusive") or "fail"),
        report=_path(config, report),
        store=_path(config, store) or config.rootpath / ".t2a" / "store",
        audio=tuple(Path(path) for path in config.getini("t2a_audio")),
        named=tuple(named),
    )


def _specs(config: pytest.Config, named: list[tuple[str, str, str]]) -> tuple[Spec, ...]:
    from pytest_talk2agent.interfaces.spec import parse_specs
    from pytest_talk2agent.interfaces.utterance import InterfaceError

    texts, source = config.getoption("t2a_interface"), "--t2a-interface"
    if not texts:
        texts, source = config.getini("t2a_interface"), "ini"
    if not texts:
        texts, source = [DEFAULT_INTERFACE], "default"
    aliases = {}
    for line in config.getini("t2a_specs"):
        name, equals, spec = (part.strip() for part in line.partition("="))
        if not (name and equals and spec):
            raise pytest.UsageError(f"ini key t2a_specs: {line!r} is not `NAME = SPEC`")
        aliases[name] = f"{name}={spec}"
    named.extend(("interface", text, source) for text in texts)
    try:
        return tuple(parse_specs([aliases.get(text, text) for text in texts]))
    except InterfaceError as error:
        raise pytest.UsageError(f"{source}: {error}") from None


def _fraction(text: str, name: str) -> Fraction:
    from fractions import Fraction

    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1:
        raise pytest.UsageError(f"--t2a-{name}: {text!r} is not a number from 0 to 1")
    return value


def _takes(text: str) -> int | None:
    if text == "all":
        return None
    if text == "first":
        return 1
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise pytest.UsageError(f"--t2a-takes: {text!r} is none of all, first or a number of recordings")


def _inconclusive(text: str) -> bool:
    if text not in ("fail", "pass"):
        raise pytest.UsageError(f"--t2a-inconclusive: {text!r} is neither fail nor pass")
    return text == "pass"


def _path(config: pytest.Config, text: str | None) -> Path | None:
    return None if text is None else config.invocation_params.dir / text


def header(config: pytest.Config) -> str:
    """One line: each setting that was given, and where."""
    given = ", ".join(f"{name} {value} ({source})" for name, value, source in settings_of(config).named)
    return f"talk2agent: {given}"
