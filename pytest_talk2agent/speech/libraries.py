"""Importing a library in the middle of a run.

A module of its own: every library that is loaded at its first use is imported through it, from any package above.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


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
