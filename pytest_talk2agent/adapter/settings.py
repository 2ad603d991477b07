"""The settings of a run: options and ini keys, read, checked, each with the place it came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from pytest_talk2agent.adapter.workflow_settings import METRICS, WorkflowSettings, read_workflow_settings
from pytest_talk2agent.execution.agents.agent_spec import DEFAULT_ROUNDS, AgentSpec, parse_agents, read_rounds
from pytest_talk2agent.interfaces.spec import Spec, parse_specs
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.results.verdict import share, shares

if TYPE_CHECKING:
    from pytest_talk2agent.results.verdict import Rules

DEFAULT_INTERFACE = "whisper:tiny.en"

_EMPTY = "--t2a-{}: the value is empty; give one, or leave the option out"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Settings:
    """The validated settings of a run.

    ``thresholds`` maps a metric to a limit only where an option or ini key gives one; ``named`` lists the settings
    that were given, as ``(name, value, source)``. ``margin``, ``fail_under`` and ``most`` are empty where not given.
    ``execute`` says that ``agents`` act on the transcripts, each in so many ``rounds``.
    """

    specs: tuple[Spec, ...]
    judge: str
    execute: bool
    agents: tuple[AgentSpec, ...]
    rounds: int
    takes: int | None
    available: bool
    manifest: Path | None
    checkouts: tuple[tuple[str, Path], ...]
    subset: str | None
    thresholds: dict[str, Fraction]
    baseline: Path | None
    update: str | None
    tolerance: Fraction
    inconclusive_passes: bool
    margin: dict[str, Fraction]
    fail_under: dict[str, Fraction]
    min_execution: Fraction | None
    workflows: WorkflowSettings
    most: dict[str, Fraction]
    must_pass: tuple[str, ...]
    report: Path | None
    budget: str | None
    engine: str
    frozen: bool
    refresh: bool
    store: Path
    audio: tuple[Path, ...]
    roots: tuple[Path, ...]
    named: tuple[tuple[str, str, str], ...]

    @property
    def rules(self) -> Rules:
        """What the run is held to."""
        from pytest_talk2agent.results.verdict import Rules

        return Rules(
            thresholds=self.thresholds,
            tolerance=self.tolerance,
            inconclusive_passes=self.inconclusive_passes,
            margin=self.margin,
            fail_under=self.fail_under,
            min_execution=self.min_execution,
            most=self.most,
            must_pass=self.must_pass,
        )

    @property
    def header(self) -> str:
        """One line: each setting that was given, and where."""
        from pytest_talk2agent.reporting.visible import visible_line

        said = ", ".join(f"{name} {value} ({source})" for name, value, source in self.named)
        return visible_line(f"talk2agent: {said}")


settings_key = pytest.StashKey[Settings]()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of this run, read and checked once; raises pytest.UsageError with one line for a bad value."""
    if settings_key not in config.stash:
        config.stash[settings_key] = _read(config)
    return config.stash[settings_key]


def _read(config: pytest.Config) -> Settings:
    named: list[tuple[str, str, str]] = []

    def given(name: str, read: Callable[[_Given], _Value], default: _Value) -> _Value:
        value = _given(config, name)
        if value is None:
            return default
        named.append((name, value.text, "ini" if value.ini else value.place))
        return read(value)

    def path(value: _Given) -> Path | None:
        return _path(config, value)

    native, shapley = given("min-native", _share, None), given("min-shapley", _share, None)
    baseline, update = given("baseline", path, None), config.getoption("t2a_update_baseline")
    if update and baseline is None:
        raise pytest.UsageError("--t2a-update-baseline needs --t2a-baseline=FILE: the file to write")
    execute = _switch(config, "execute", named)
    margin: dict[str, Fraction] = given("margin", _margin(execute), {})
    if margin and baseline is None:
        raise pytest.UsageError("--t2a-margin needs --t2a-baseline=FILE: what the run is compared with")
    fail_under: dict[str, Fraction] = given("fail-under", _by_metric("native", "shapley"), {})
    most = {name: given(f"max-{name}", _share, None) for name in ("unresolved", "empty", "suspect")}
    must_pass = tuple(config.getini("t2a_must_pass"))
    named.extend(("must-pass", pattern, "ini") for pattern in must_pass)
    report = given("report", path, None)
    budget, engine = given("budget", _budget, None), given("engine", _engine, "local")
    store = given("store", path, None)
    agents = _agents(config, named)
    if execute and not agents:
        raise pytest.UsageError("--t2a-execute needs --t2a-agent=SPEC: who acts on the transcripts, such as obedient")
    min_execution = given("min-execution", _share, None)
    if not execute and config.getoption("t2a_min_execution") is not None:
        raise pytest.UsageError("--t2a-min-execution needs --t2a-execute: without it nothing is executed")
    specs, judge = _specs(config, named), given("judge", lambda value: value.text, "lexical")
    takes: int | str | None = given("takes", _takes, None)
    own = {name: given(name, path, None) for name in ("wcb", "osworld")}
    checkouts = [(name, folder) for name, folder in own.items() if folder is not None]
    frozen, refresh = (_switch(config, name, named) for name in ("frozen", "refresh"))
    if frozen and refresh:
        raise pytest.UsageError("--t2a-refresh hears everything anew, --t2a-frozen nothing; leave one out")
    return Settings(
        specs=specs,
        judge=judge,
        execute=execute,
        agents=agents,
        rounds=given("rounds", _parsed(read_rounds), DEFAULT_ROUNDS),
        takes=None if isinstance(takes, str) else takes,
        available=takes == "available",
        manifest=given("manifest", path, None),
        checkouts=(*checkouts, *_checkouts(config, named)),
        subset=given("osworld-subset", _subset, None),
        thresholds={m: limit for m, limit in (("native", native), ("shapley", shapley)) if limit is not None},
        baseline=baseline,
        update=update,
        tolerance=given("tolerance", _share, Fraction(0)),
        inconclusive_passes=given("inconclusive", _inconclusive, False),
        margin={name: value for name, value in margin.items() if name not in METRICS},
        fail_under=fail_under,
        min_execution=min_execution,
        workflows=read_workflow_settings(given, _share, margin, holds=bool(agents) and not execute),
        most={name: share for name, share in most.items() if share is not None},
        must_pass=must_pass,
        report=report,
        budget=budget,
        engine=engine,
        frozen=frozen,
        refresh=refresh,
        store=store or config.rootpath / ".t2a" / "store",
        audio=tuple(Path(folder) for folder in config.getini("t2a_audio")),
        roots=tuple(Path(folder) for folder in config.getini("t2a_roots")),
        named=tuple(named),
    )


def _switch(config: pytest.Config, name: str, named: list[tuple[str, str, str]]) -> bool:
    given = bool(config.getoption(f"t2a_{name}"))
    if given or (name == "frozen" and config.getini("t2a_frozen")):
        named.append((name, "on", f"--t2a-{name}" if given else "ini"))
        return True
    return False


def report_folder(config: pytest.Config) -> Path | None:
    """The folder of ``--t2a-report`` or its ini key; None without one. Works before pytest has read all options."""
    option, key = config.known_args_namespace.t2a_report, config.getini("t2a_report")
    if option is not None and option.strip():
        return _path(config, _Given(option, "--t2a-report", ini=False))
    return _path(config, _Given(str(key), "ini key t2a_report", ini=True)) if option is None and key else None


def _path(config: pytest.Config, value: _Given) -> Path:
    # A shell expands no `~` behind `--option=`.
    return (_ini_folder(config) if value.ini else config.invocation_params.dir) / Path(value.text).expanduser()


@dataclass(frozen=True)
class _Given:
    """A value as it was written, and where: ``place`` names the option or ini key in messages."""

    text: str
    place: str
    ini: bool


def _given(config: pytest.Config, name: str) -> _Given | None:
    key = f"t2a_{name.replace('-', '_')}"
    option = config.getoption(key)
    if option is not None:
        if not option.strip():
            # Most likely an unset variable: running without the option would not be the run that was asked for.
            raise pytest.UsageError(_EMPTY.format(name))
        return _Given(option, f"--t2a-{name}", ini=False)
    text = config.getini(key)
    return _Given(str(text), f"ini key {key}", ini=True) if text else None


def _ini_folder(config: pytest.Config) -> Path:
    return config.rootpath if config.inipath is None else config.inipath.parent


def _specs(config: pytest.Config, named: list[tuple[str, str, str]]) -> tuple[Spec, ...]:
    texts, source = config.getoption("t2a_interface"), "--t2a-interface"
    if not texts:
        texts, source = config.getini("t2a_interface"), "ini"
    if not texts:
        texts, source = [DEFAULT_INTERFACE], "default"
    aliases = _named(config, "t2a_specs", "NAME = SPEC")
    matrices = _named(config, "t2a_matrix", "NAME = SPEC, SPEC")
    if both := sorted(aliases.keys() & matrices.keys()):
        raise pytest.UsageError(f"ini key t2a_matrix: {both[0]} is a name in t2a_specs, too; rename one")
    texts = [part for text in texts for part in _members(text, matrices)]
    try:
        texts, known = _in_sounds(config, texts, aliases, named)
        specs = parse_specs(known)
        named.extend(
            ("interface", text if text in aliases else spec.shown, source)
            for text, spec in zip(texts, specs, strict=True)
        )
        return tuple(specs)
    except InterfaceError as error:
        raise pytest.UsageError(f"{source}: {error}") from None


def _checkouts(config: pytest.Config, named: list[tuple[str, str, str]]) -> list[tuple[str, Path]]:
    texts, ini = config.getoption("t2a_checkout"), False
    if not texts:
        texts, ini = config.getini("t2a_checkout") or [], True
    found = []
    for text in texts:
        place = "ini key t2a_checkout" if ini else "--t2a-checkout"
        if not text.strip():
            raise pytest.UsageError(_EMPTY.format("checkout"))
        name, _, path = (part.strip() for part in text.partition("="))
        if not (name and path):
            raise pytest.UsageError(f"{place}: {text!r} is not NAME=PATH; name the benchmark and its checkout")
        named.append(("checkout", text, "ini" if ini else place))
        found.append((name, _path(config, _Given(path, place, ini=ini))))
    return found


def _in_sounds(
    config: pytest.Config, texts: list[str], aliases: dict[str, str], named: list[tuple[str, str, str]]
) -> tuple[list[str], list[str]]:
    """Every spec in every condition of sound that is asked for: as it is named, and as it is read.

    What hears nothing stays as it is, and so does a spec that names a condition of sound of its own.
    """
    whole = [f"{text}={aliases[text]}" if text in aliases else text for text in texts]
    sounds, source = config.getoption("t2a_sound"), "--t2a-sound"
    if not sounds:
        sounds, source = config.getini("t2a_sound"), "ini"
    if not sounds:
        return texts, whole
    if not all(text.strip() for text in sounds):
        raise pytest.UsageError(_EMPTY.format("sound"))
    from pytest_talk2agent.interfaces.spec import HEARS_NOTHING, parse_spec, with_sound
    from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound

    try:
        conditions = [None if text.strip() == "clean" else parse_sound(text) for text in sounds]
    except ValueError as error:
        raise pytest.UsageError(f"{source}: {error}") from None
    named.extend(("sound", "clean" if sound is None else sound.text, source) for sound in conditions)
    heard: list[tuple[str, str]] = []
    for text, spec in zip(texts, whole, strict=True):
        read = parse_spec(spec)
        for sound in [None] if read.sound or read.name in HEARS_NOTHING else conditions:
            heard.append((text, spec) if sound is None else (made := with_sound(spec, sound), made))
    return [text for text, _ in heard], [spec for _, spec in heard]


def _agents(config: pytest.Config, named: list[tuple[str, str, str]]) -> tuple[AgentSpec, ...]:
    texts, source = config.getoption("t2a_agent"), "--t2a-agent"
    if not texts:
        texts, source = config.getini("t2a_agent"), "ini"
    try:
        agents = parse_agents(texts or ())
    except ValueError as error:
        raise pytest.UsageError(f"{source}: {error}") from None
    named.extend(("agent", agent.shown, source) for agent in agents)
    return agents


def _members(text: str, matrices: dict[str, str]) -> list[str]:
    if text not in matrices:
        return [text]
    members = [part.strip() for part in matrices[text].split(",")]
    if not all(members):
        raise pytest.UsageError(f"ini key t2a_matrix: {text} has an empty member; write {text} = SPEC, SPEC")
    return members


def _named(config: pytest.Config, key: str, form: str) -> dict[str, str]:
    found = {}
    for line in config.getini(key):
        name, equals, value = (part.strip() for part in line.partition("="))
        if not (name and equals and value):
            raise pytest.UsageError(f"ini key {key}: {line!r} is not `{form}`")
        if name in found:
            raise pytest.UsageError(f"ini key {key}: {name} is defined twice; delete one line")
        found[name] = value
    return found


def _budget(given: _Given) -> str:
    from decimal import Decimal, InvalidOperation

    try:
        amount = Decimal(given.text)
    except InvalidOperation:
        amount = Decimal("nan")
    if not (amount.is_finite() and amount >= 0):
        raise pytest.UsageError(f"{given.place}: {given.text!r} is no amount; write one such as 2.50")
    return str(amount)


def _engine(given: _Given) -> str:
    name, colon, address = given.text.partition(":")
    if given.text != "local" and (name != "ray" or (colon and not address)):
        raise pytest.UsageError(f"{given.place}: {given.text!r} is none of local, ray or ray:ADDRESS")
    return given.text


def _parsed(parse: Callable[[str], _Value]) -> Callable[[_Given], _Value]:
    def read(given: _Given) -> _Value:
        try:
            return parse(given.text)
        except ValueError as error:
            raise pytest.UsageError(f"{given.place}: {error}") from None

    return read


_share = _parsed(share)


def _by_metric(*metrics: str) -> Callable[[_Given], dict[str, Fraction]]:
    return _parsed(lambda text: shares(text, metrics))


def _margin(execute: bool) -> Callable[[_Given], dict[str, Fraction]]:
    def read(given: _Given) -> dict[str, Fraction]:
        found = _by_metric("native", "shapley", "lost", "execution", *METRICS)(given)
        if execute or "execution" not in found:
            return found
        if "=" in given.text and not given.ini:
            raise pytest.UsageError(f"{given.place}: a margin of execution needs --t2a-execute, too")
        return {metric: margin for metric, margin in found.items() if metric != "execution"}

    return read


def _takes(given: _Given) -> int | str | None:
    if given.text == "all":
        return None
    if given.text == "first":
        return 1
    if given.text == "available":
        return given.text
    if given.text.isdecimal() and int(given.text) > 0:
        return int(given.text)
    raise pytest.UsageError(f"{given.place}: {given.text!r} is none of all, first, available or a number of recordings")


def _subset(given: _Given) -> str:
    if given.text != "talk2agent":
        raise pytest.UsageError(f"{given.place}: {given.text!r} is no subset; the one there is, is talk2agent")
    return given.text


def _inconclusive(given: _Given) -> bool:
    if given.text not in ("fail", "pass"):
        raise pytest.UsageError(f"{given.place}: {given.text!r} is neither fail nor pass")
    return given.text == "pass"
