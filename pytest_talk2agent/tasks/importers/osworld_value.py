"""The score of an OSWorld task as an expression over its metrics and their checks (OSWorld's `DesktopEnv.evaluate`).

Metrics under ``and`` (the default) are a gate on all of them times their mean; under ``or`` the greatest counts; an
infeasible task is won by giving up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from pytest_talk2agent.tasks.files import scalars_in

INFEASIBLE = "infeasible"

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Check:
    """One thing that a metric tests: a name for it, the literals of the rule, and whether it must be *absent*."""

    name: str
    literals: tuple[str, ...] = ()
    forbidden: bool = False


def metrics_of(evaluator: Mapping[str, Any]) -> list[str]:
    """The names of the metrics, in the order in which they run."""
    func = evaluator["func"]
    return [str(name) for name in func] if isinstance(func, list) else [str(func)]


def conjunction_of(evaluator: Mapping[str, Any]) -> str:
    """``infeasible``, ``single``, ``and`` or ``or``."""
    names = metrics_of(evaluator)
    if names == [INFEASIBLE]:
        return INFEASIBLE
    if len(names) == 1:
        return "single"
    return "and" if evaluator.get("conj", "and") == "and" else "or"  # the environment asks for `and` alone


def value_of(evaluator: Mapping[str, Any]) -> str:
    """The combination as an expression over ``metric_1``..``metric_k``; ``declines`` for an infeasible task."""
    kind = conjunction_of(evaluator)
    if kind == INFEASIBLE:
        return "declines"
    names = ", ".join(f"metric_{number}" for number, _ in enumerate(metrics_of(evaluator), 1))
    if kind == "single":
        return names
    return f"best({names})" if kind == "or" else f"gate(all({names}), mean({names}))"


def opened_checks(evaluator: Mapping[str, Any]) -> list[list[Check]]:
    """For each metric the checks that its rules spell out; none where the metric stays one check.

    A metric whose rules hold a single check is not opened: the metric is that check.
    """
    opened = []
    for index, name in enumerate(metrics_of(evaluator)):
        opener = _OPENERS.get(name)
        checks = list(opener(_rules(evaluator, index), _part(evaluator, "options", index))) if opener else []
        opened.append(_unique(checks) if len(checks) > 1 else [])
    return opened


def has_reference(evaluator: Mapping[str, Any]) -> bool:
    """Whether some metric compares with a reference file rather than with literals."""
    expected = evaluator.get("expected")
    parts = expected if isinstance(expected, list) else [expected]
    return any(isinstance(part, dict) and str(part.get("type")).endswith("_file") for part in parts)


def _part(evaluator: Mapping[str, Any], key: str, index: int) -> Any:
    value = evaluator.get(key)
    if isinstance(evaluator["func"], list):
        return value[index] if isinstance(value, list) and index < len(value) else None
    return value


def _rules(evaluator: Mapping[str, Any], index: int) -> Any:
    return _mapping(_part(evaluator, "expected", index)).get("rules")


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _check(name: str, value: Any, *, forbidden: bool = False) -> Check:
    plain = re.sub(r"[^a-z0-9]+", "_", _HUMP.sub("_", name).lower()).strip("_")
    literals = (str(one) for one in scalars_in(value) if one is not None and not isinstance(one, bool))
    return Check(f"check_{plain or 'item'}", tuple(literals), forbidden)


def _unique(checks: list[Check]) -> list[Check]:
    found: dict[str, Check] = {}
    for check in checks:
        names = (check.name if number == 1 else f"{check.name}_{number}" for number in count(1))
        name = next(name for name in names if name not in found)
        found[name] = replace(check, name=name)
    return list(found.values())


def _table(rules: Any, options: Any) -> Iterator[Check]:
    for rule in _list(_mapping(options).get("rules")):
        yield _check(str(_mapping(rule).get("type", "rule")), rule)


def _keys(rules: Any, options: Any) -> Iterator[Check]:
    for key, value in _mapping(_mapping(rules).get("expected")).items():
        yield _check(key, value)


def _own_keys(rules: Any, options: Any) -> Iterator[Check]:
    for key, value in _mapping(rules).items():
        yield _check(key, value)


def _items(key: str, name: str, *, forbidden: bool = False) -> Callable[[Any], Iterator[Check]]:
    def read(rules: Any) -> Iterator[Check]:
        values = _mapping(rules).get(key)
        for label, value in _mapping(values).items():
            yield _check(f"{name}_{label.rpartition('.')[2]}", value, forbidden=forbidden)
        for value in _list(values):
            yield _check(name, value, forbidden=forbidden)

    return read


def _lists(*readers: Callable[[Any], Iterator[Check]]) -> Callable[[Any, Any], Iterator[Check]]:
    def read(rules: Any, options: Any) -> Iterator[Check]:
        for reader in readers:
            yield from reader(rules)

    return read


def _selectors(rules: Any, options: Any) -> Iterator[Check]:
    for rule in _list(rules):
        yield _check("element", rule)


_EXPECT = _lists(_items("expect", "expect"), _items("unexpect", "unexpect", forbidden=True))

_OPENERS: dict[str, Callable[[Any, Any], Iterator[Check]]] = {
    "compare_table": _table,
    "check_direct_json_object": _keys,
    "check_json_settings": _keys,
    "check_mp3_meta": _own_keys,
    "check_include_exclude": _lists(_items("include", "include"), _items("exclude", "exclude", forbidden=True)),
    "check_list": _EXPECT,
    "check_json": _EXPECT,
    "check_csv": _EXPECT,
    "check_thunderbird_prefs": _EXPECT,
    "check_thunderbird_filter": _EXPECT,
    "is_expected_bookmarks": _lists(_items("names", "name"), _items("urls", "url")),
    "is_expected_tabs": _lists(_items("urls", "url")),
    "is_expected_url_pattern_match": _lists(_items("expected", "pattern")),
    "check_gnome_favorite_apps": _lists(_items("expected", "app")),
    "check_accessibility_tree": _selectors,
}
