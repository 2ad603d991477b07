"""The benchmarks that can be read: the built-in ones, and those that other distributions offer.

Another distribution offers a `Format` under the entry-point group ``talk2agent.importers``.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from pytest_talk2agent.tasks.importers import harbor, osworld, wildclawbench
from pytest_talk2agent.tasks.importers.original import Checkout, Format, refused

ENTRY_POINTS = "talk2agent.importers"
BUILT_IN = (wildclawbench.FORMAT, osworld.FORMAT, harbor.FORMAT)


class ImporterError(ValueError):
    """An importer that a distribution offers cannot be used: one clear line."""


@cache
def formats() -> tuple[Format, ...]:
    """Every format, the built-in ones first; raises ImporterError for an invalid offer or a name that is taken."""
    known = {one.name: one for one in BUILT_IN}
    for offer in sorted(set(entry_points(group=ENTRY_POINTS)), key=lambda entry: (entry.name, entry.value)):
        try:
            found = offer.load()
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise ImporterError(
                f"importer {offer.name!r}: cannot load {offer.value}: {why}; mend or uninstall it"
            ) from error
        if not isinstance(found, Format):
            raise ImporterError(f"importer {offer.name!r}: {offer.value} is no Format; mend or uninstall it")
        if found.name in known:
            raise ImporterError(f"importer {offer.name!r}: {found.name!r} is offered twice; uninstall one of them")
        known[found.name] = found
    return tuple(known.values())


def bindable() -> dict[str, Format]:
    """The benchmarks whose tasks can take their words from a checkout, by name."""
    return {one.name: one for one in formats() if one.option is not None}


def format_of(path: Path) -> Format | None:
    """The format of one file, or None where it is no task of another benchmark."""
    return next((known for known in formats() if known.is_file(path)), None)


def read_any(root: Path, name: str | None = None) -> Checkout:
    """Read a checkout of the named benchmark, or of the one whose file is found first.

    Raises TaskFileError where there is nothing to read.
    """
    if not root.exists():
        raise refused(root, "no such file or folder; check the path", line=0)
    if name is not None:
        return next(known for known in formats() if known.name == name).read_checkout(root)
    files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
    found = next((known for known in map(format_of, files) if known), None)
    if found is None:
        names = ", ".join(known.name for known in formats())
        raise refused(root, f"no task of {names} in it; name the checkout, or the benchmark with --from", line=0)
    return found.read_checkout(root)
