"""Unknown ini keys: pytest would ignore a misspelt key of this plugin, with a warning at most.

pytest warns of a key that it does not know and goes on. A baseline, a limit or a task that must pass would then be
forgotten, and the gate be green without it.
"""

from __future__ import annotations

import configparser
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_talk2agent.adapter.options import INI_KEYS
from pytest_talk2agent.tasks.errors import shown, suggestion

_OPTIONS_ALONE = {"t2a_update_baseline": "--t2a-update-baseline", "t2a_refresh": "--t2a-refresh"}
checked_key = pytest.StashKey[bool]()
_SECTIONS = {".cfg": "tool:pytest"}


def refuse_unknown_keys(config: pytest.Config) -> None:
    """Raise pytest.UsageError with one line for the first key with this plugin's prefix that is not declared."""
    if checked_key in config.stash:
        return
    for key, place in _written(config):
        if _is_declared(config, key):
            continue
        if key in _OPTIONS_ALONE:
            cure = f"write {_OPTIONS_ALONE[key]} on the command line"
        else:
            cure = suggestion(key.replace("-", "_"), INI_KEYS)
        raise pytest.UsageError(f"{place}: no ini key is called {shown(key)}; {cure}")
    config.stash[checked_key] = True


def _is_declared(config: pytest.Config, key: str) -> bool:
    """Whether we, or another plugin, declared this key."""
    if key in INI_KEYS:
        return True
    try:
        config.getini(key)
    except pytest.UsageError:
        return True  # known, with a value that its owner refuses
    except ValueError as error:
        return "unknown configuration value" not in str(error)
    return True


def _written(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Each key that begins as ours do, and where it is written."""
    for setting in config.known_args_namespace.override_ini or ():
        if _is_ours(key := setting.partition("=")[0].strip()):
            yield key, "-o"
    path = config.inipath
    if path is None:
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    for key in _keys(path):
        if _is_ours(key):
            numbers = (number for number, line in enumerate(lines, start=1) if line.strip(" \t\"'").startswith(key))
            yield key, f"{path}:{next(numbers, 1)}"


def _is_ours(key: str) -> bool:
    return key.lstrip("-").lower().replace("-", "_").startswith("t2a_")


def _keys(path: Path) -> list[str]:
    """The keys of the section that pytest reads; none where the file is not what pytest takes it for."""
    if path.suffix == ".toml":
        return _toml_keys(path)
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]  # as typeshed advises: keys keep their capitals
    try:
        parser.read(path, encoding="utf-8")
    except configparser.Error:
        return []
    section = _SECTIONS.get(path.suffix, "pytest")
    return parser.options(section) if parser.has_section(section) else []


def _toml_keys(path: Path) -> list[str]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    data = tomllib.loads(path.read_text(encoding="utf-8"))
    tool = data.get("tool", {}).get("pytest", {})
    return [key for table in (data.get("pytest", {}), tool, tool.get("ini_options", {})) for key in table]
