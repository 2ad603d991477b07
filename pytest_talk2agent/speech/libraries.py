"""Libraries in the middle of a run: imported without their warnings, and CLDR's English data read through Babel.

Apart, since every package above loads what it needs at first use through it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any


@contextmanager
def quiet_import() -> Iterator[None]:
    """For the statements that import a library: its warnings are dropped.

    Such an import happens under the warning filters of the test that comes first. With `filterwarnings = error` a
    deprecated escape in a library's source, which Python reports where no compiled file is stored yet, would end the
    run.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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
