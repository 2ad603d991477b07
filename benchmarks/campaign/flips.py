"""Every single bit of a stored record and of a baseline, flipped: each flip must be noticed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from campaign.leaves import leaves

Violations = list[tuple[str, str]]
Noticed = Callable[[bytes], str | None]


def flips(folder: Path, record: Path, baseline: Path, most: int, seed: int) -> Iterator[tuple[str, str, Violations]]:
    """Flip the bits one by one, all or a seeded choice; gives what was flipped, its name and violations of each."""
    for kind, path, noticed in (
        ("bit of a record", record, _of_record(folder, record)),
        ("bit of a baseline", baseline, _of_baseline(folder)),
    ):
        good = path.read_bytes()
        if noticed(good) is None:
            raise RuntimeError(f"{path} is not read as it is")
        bits = range(8 * len(good))
        chosen = bits if not most or most >= len(bits) else sorted(random.Random(seed).sample(bits, most))
        for bit in chosen:
            yield kind, f"flip/{kind}/{bit}".replace(" ", "-"), flip(good, bit, noticed)


def flip(good: bytes, bit: int, noticed: Noticed) -> Violations:
    """Flip one bit; ``noticed`` says what was used of it, None for nothing."""
    changed = bytearray(good)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        used = noticed(bytes(changed))
    except Exception as error:
        return [("traceback", f"{type(error).__name__}: {error}"[:200])]
    return (
        []
        if used is None
        else [
            (
                "believed",
                f"{good[bit // 8 : bit // 8 + 1]!r} became {bytes(changed[bit // 8 : bit // 8 + 1])!r}: {used}",
            )
        ]
    )


def _of_record(folder: Path, record: Path) -> Noticed:
    """What is used of an altered record: nothing, if all is well."""
    from pytest_talk2agent.results.store import Store, StoreError

    values = {str(place[-1]): value for place, value in leaves(json.loads(record.read_bytes())) if place}
    store = Store(folder / "flips")
    place = store.root / Path(*record.parts[-3:])
    place.parent.mkdir(parents=True)

    def noticed(data: bytes) -> str | None:
        place.write_bytes(data)
        try:
            found = store.transcript(str(values["audio_sha256"]), str(values["fingerprint"]))
        except StoreError:
            return None
        return None if found is None else f"served {found.text!r}"

    return noticed


def _of_baseline(folder: Path) -> Noticed:
    from pytest_talk2agent.results.baseline import Baseline, BaselineError

    path = folder / "flipped.json"

    def noticed(data: bytes) -> str | None:
        path.write_bytes(data)
        try:
            Baseline.load(path)
        except BaselineError:
            return None
        return "loaded"

    return noticed
