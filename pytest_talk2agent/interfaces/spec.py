"""Spec strings: how a user names a voice interface, its model and its options.

    [LABEL=]NAME[:MODEL][+bias][+repair][+sound=CONDITION][?option=value&...]

``command``, ``python`` and ``transcripts`` take everything behind the colon as their argument, whatever it holds;
suffixes and options stand before the colon there: ``command?timeout=60:./my-asr --beam=4 {audio}``.

``+sound=babble@5dB,phone`` says in which condition of sound every recording is heard (`speech.acoustics`).
Options that begin with ``terms_`` or ``repair_`` say how the suffixes work, those with ``audio_`` what is done to the
sound before it is heard; they are the same for every interface. The others belong to the interface.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar

from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.remote import option_text as remote_options
from pytest_talk2agent.remote.credentials import SetupError, masked, masked_words
from pytest_talk2agent.remote.option_text import near, split_options

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from pytest_talk2agent.speech.acoustics.sound_condition import SoundCondition

    Options = TypeVar("Options", bound=DataclassInstance)

WHOLE_ARGUMENT = frozenset({"command", "python", "transcripts"})
HEARS_NOTHING = frozenset({"script", "text", "transcripts"})
"""The interfaces that come with this package and take no sound."""
SUFFIXES = ("bias", "repair")
SWITCHES: dict[str, tuple[str, ...]] = {"terms_": SUFFIXES, "repair_": ("repair",), "audio_": ()}
"""Prefixes of options that are the same for every interface, with the suffixes of which one must be there."""
FORM = "[LABEL=]NAME[:MODEL][+bias][+repair][+sound=CONDITION][?option=value&...]"

_HEAD = re.compile(r"(?:(?P<label>(?:(?!\+sound=)[^:?=])*)=)?(?P<name>[A-Za-z][A-Za-z0-9_-]*)(?P<rest>.*)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_SOUND = re.compile(r"\+sound=(?P<sound>.*?)(?=\+bias|\+repair|\+sound=|$)", re.DOTALL)
_FILE_SUFFIX = re.compile(r"\.[A-Za-z]{3,}$")


@dataclass(frozen=True)
class Spec:
    """A parsed spec string: one condition of a run.

    ``text`` is what the user wrote, ``shown`` the same for eyes and records; ``label`` is what stands for it in node
    ids and tables. ``model`` is None where the spec names none. ``options`` are still text: the interface reads them
    with `read_options`; ``switches`` are those that belong to the suffixes, read with `read_switches`. ``sound`` is the
    condition of sound that recordings are heard in, None where they are heard as they are.
    """

    text: str
    label: str
    name: str
    model: str | None = None
    bias: bool = False
    repair: bool = False
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    switches: Mapping[str, str] = field(default_factory=dict, hash=False)
    sound: SoundCondition | None = None

    @cached_property
    def shown(self) -> str:
        """The text with keys masked (`masking`). It stays the same when a key changes, so that records still agree."""
        return shown_text(self.text)


def shown_text(text: str) -> str:
    """A spec string with the keys in it masked."""
    before, colon, argument = text.partition(":")
    is_command = before.partition("?")[0].rpartition("=")[2].partition("+")[0].strip() == "command"
    return masked(before) + colon + masked_words(argument) if is_command else masked(text)


def parse_spec(text: str) -> Spec:
    """Parse one spec string.

    Raises InterfaceError with the place of the fault and the form that is expected.
    """
    text = text.strip()
    head = _HEAD.fullmatch(text)
    if head is None:
        raise InterfaceError(f"interface {text!r}: no interface is named; write {FORM}")
    name, rest = head["name"], head["rest"]
    if name in WHOLE_ARGUMENT:
        before, colon, argument = rest.partition(":")
        if not colon or not argument.strip():
            raise InterfaceError(f"interface {text!r}: {name} needs an argument; write {name}:{_ARGUMENTS[name]}")
        model: str | None = argument.strip()
        before, _, options = before.partition("?")
        before, sound = _sound(text, before)
        before, suffixes = _suffixes(text, before)
    else:
        before, question, options = rest.partition("?")
        if question and not options:
            raise InterfaceError(f"interface {text!r}: no option behind '?'; write ?option=value&...")
        before, sound = _sound(text, before)
        before, suffixes = _suffixes(text, before)
        model = before[1:] if before.startswith(":") else None
        if model == "":
            raise InterfaceError(f"interface {text!r}: no model behind ':'; write {name}:MODEL or {name}")
        before = "" if model else before
        _refuse_misspelt_suffix(text, model or "")
    if before:
        fault = before.lstrip("+")
        raise InterfaceError(f"interface {text!r}: {before!r} is not understood{near(fault, SUFFIXES)}; write {FORM}")
    label = head["label"]
    if label is None:
        label = _default_label(name, model, suffixes) + ("" if sound is None else f"+{sound.label}")
    elif not _LABEL.fullmatch(label):
        raise InterfaceError(f"interface {text!r}: the label {label!r} may hold letters, digits and . _ + - only")
    own, switches = _sorted_out(text, _options(text, options), suffixes)
    if sound is not None and "audio_snr_db" in switches:
        raise InterfaceError(f"interface {text!r}: +sound and audio_snr_db are given; write the noise as white@NdB")
    return Spec(text, label, name, model, "bias" in suffixes, "repair" in suffixes, own, switches, sound)


def with_sound(text: str, sound: SoundCondition) -> str:
    """The text of a spec, in a condition of sound besides; a label that it has gets the condition's.

    Raises InterfaceError where the text is no spec or has a condition of sound already.
    """
    spec = parse_spec(text)
    if spec.sound is not None:
        raise InterfaceError(f"interface {text!r}: it has a condition of sound already; leave one out")
    text = text.strip()
    label = f"{spec.label}=" if text.startswith(f"{spec.label}=") else ""
    place = re.search(r"[?:]" if spec.name in WHOLE_ARGUMENT else r"\?", text.removeprefix(label))
    bare = text.removeprefix(label)
    end = len(bare) if place is None else place.start()
    named = f"{spec.label}+{sound.label}=" if label else ""
    return f"{named}{bare[:end]}+sound={sound.text}{bare[end:]}"


def parse_specs(texts: Sequence[str]) -> list[Spec]:
    """Parse the specs of one run, in order.

    Raises InterfaceError where one is wrong or where two have the same label.
    """
    by_label: dict[str, Spec] = {}
    for spec in map(parse_spec, texts):
        if spec.label in by_label:
            raise InterfaceError(
                f"interfaces {by_label[spec.label].text!r} and {spec.shown!r} have the same label {spec.label!r}; "
                f"give one of them another: LABEL={spec.text.removeprefix(spec.label + '=')}"
            )
        by_label[spec.label] = spec
    return list(by_label.values())


def read_options(spec: Spec, kind: type[Options]) -> Options:
    """Read the options of a spec into the dataclass that declares them; the type of a default is the option's type.

    The dataclass may refuse values in ``__post_init__`` with a ValueError.
    Raises InterfaceError on an unknown option or a value of the wrong type.
    """
    return _read(spec, spec.options, kind)


def read_switches(spec: Spec, prefix: str, kind: type[Options]) -> Options:
    """Read the options of a spec that begin with ``prefix`` into a dataclass, as `read_options` does."""
    return _read(spec, {name: value for name, value in spec.switches.items() if name.startswith(prefix)}, kind)


def _read(spec: Spec, options: Mapping[str, str], kind: type[Options]) -> Options:
    try:
        return remote_options.read_options(options, kind, spec.name)
    except SetupError as error:  # the spec may hold a secret
        raise InterfaceError(str(error)) from None
    except ValueError as error:
        raise InterfaceError(f"interface {spec.shown!r}: {error}") from None


def refuse_model(spec: Spec) -> None:
    """Raise InterfaceError where an interface that has no models is given one."""
    if spec.model is not None:
        raise InterfaceError(f"interface {spec.shown!r}: {spec.name} takes no model; write {spec.name}")


def refuse_options(spec: Spec) -> None:
    """Raise InterfaceError where an interface that has no options is given one."""
    read_options(spec, _NoOptions)


@dataclass(frozen=True)
class _NoOptions:
    pass


_ARGUMENTS = {"command": "'./my-asr {audio}'", "python": "package.module:function", "transcripts": "FILE.jsonl"}


def _sound(text: str, rest: str) -> tuple[str, SoundCondition | None]:
    """Take ``+sound=CONDITION`` out of what stands before the options."""
    found = list(_SOUND.finditer(rest))
    if not found:
        return rest, None
    if len(found) > 1:
        raise InterfaceError(f"interface {text!r}: +sound is given twice; write one, its effects divided by commas")
    from pytest_talk2agent.speech.acoustics.sound_condition import parse_sound

    try:
        sound = parse_sound(found[0]["sound"])
    except ValueError as error:
        raise InterfaceError(f"interface {text!r}: {error}") from None
    return rest[: found[0].start()] + rest[found[0].end() :], sound


def _suffixes(text: str, rest: str) -> tuple[str, list[str]]:
    """Take +bias and +repair off the end; a model's own name may hold a plus sign."""
    found: list[str] = []
    while (suffix := next((s for s in SUFFIXES if rest.endswith(f"+{s}")), None)) is not None:
        if suffix in found:
            raise InterfaceError(f"interface {text!r}: +{suffix} is given twice; once is enough")
        found.append(suffix)
        rest = rest.removesuffix(f"+{suffix}")
    return rest, found


def _refuse_misspelt_suffix(text: str, model: str) -> None:
    """Raise InterfaceError where what follows a model's last plus sign is almost a suffix: that would be left out."""
    _, plus, ending = model.rpartition("+")
    if plus and (meant := near(ending.lower(), SUFFIXES)):
        raise InterfaceError(f"interface {text!r}: {plus + ending!r} is no suffix{meant}; write {FORM}")


def _options(text: str, options: str) -> dict[str, str]:
    try:
        values = split_options(options)
    except ValueError as error:
        raise InterfaceError(f"interface {text!r}: {error}") from None
    if any(value.endswith(("+bias", "+repair")) or "+sound=" in value for value in values.values()):
        raise InterfaceError(f"interface {text!r}: +bias and +repair stand before '?'; write {FORM}")
    return values


def _sorted_out(text: str, options: Mapping[str, str], suffixes: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Tell the options of the interface from those of the suffixes."""
    own, switches = {}, {}
    for option, value in options.items():
        prefix = next((prefix for prefix in SWITCHES if option.startswith(prefix)), None)
        if prefix is None:
            own[option] = value
        elif SWITCHES[prefix] and not set(SWITCHES[prefix]).intersection(suffixes):
            needed = " or ".join(f"+{suffix}" for suffix in SWITCHES[prefix])
            raise InterfaceError(f"interface {text!r}: option {option} does nothing without {needed}; add it")
        else:
            switches[option] = value
    return own, switches


def _default_label(name: str, model: str | None, suffixes: list[str]) -> str:
    """A short name that is safe in a node id: a path gives its stem, a command its program, a target its function."""
    label = name = masked(name)
    if model is not None:
        model = masked(model)
        if name == "command":
            model = model.split()[0]
        elif name == "python":
            model = model.rpartition(":")[2]
        if "/" in model or name in WHOLE_ARGUMENT:
            model = _FILE_SUFFIX.sub("", PurePath(model).name)
        label = f"{name}-{re.sub(r'[^A-Za-z0-9._+-]+', '-', model).strip('-')}".rstrip("-")
    return label + "".join(f"+{suffix}" for suffix in SUFFIXES if suffix in suffixes)
