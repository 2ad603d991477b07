"""CLDR's English data, read through Babel at the first question (about 10 ms) and not before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pytest_talk2agent.speech.libraries import quiet_import

LOCALES = ("en", "en_GB")  # the two spellings


@lru_cache(maxsize=len(LOCALES))
def english(locale: str = LOCALES[0]) -> Mapping[Any, Any]:
    """What Babel keeps of the locale: names of units, currencies, months, days and zones, under CLDR's own keys."""
    with quiet_import():
        from babel import localedata

    data: dict[Any, Any] = {**localedata.load(locale)}
    return localedata.LocaleDataDict(data)


@lru_cache(maxsize=1)
def currencies_in_use() -> frozenset[str]:
    """The codes of all currencies that are legal tender somewhere today."""
    with quiet_import():
        from babel import core

    return frozenset(
        code
        for rows in core.get_global("territory_currencies").values()
        for code, _, until, tender in rows
        if until is None and tender
    )
