"""Stored labels of a deterministic judge: for the same transcript it would give the same labels.

That holds as long as neither its code nor the data it reads by change, so both are part of the key: the sources of
`judging` and `speech`, and the versions of the libraries that keep the names of units, currencies and days.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from pytest_talk2agent.judging.judge import Case, Judge, Records
from pytest_talk2agent.judging.judgement import Judgement

KIND = "judgements"
_LIBRARIES = ("babel", "pint")


class KeptJudge(Judge):
    """A judge that first looks for its labels in the run's store; with ``anew`` it judges in any case."""

    def __init__(self, judge: Judge, records: Records, *, anew: bool = False) -> None:
        self._judge = judge
        self.fingerprint = judge.fingerprint
        self._records = records
        self._anew = anew
        self._tasks: dict[int, tuple[Case, str]] = {}

    def judge(self, case: Case) -> Judgement:
        """The kept labels, else those that the judge gives now; raises JudgeError as the judge does."""
        key = self._key(case)
        known = None if self._anew else self._records.record(KIND, key)
        if known is not None:
            try:
                kept = Judgement.from_json(known)
                if list(kept.findings) != list(case.intentions) or kept.judge != self.fingerprint:
                    raise ValueError("other intentions or another judge")
                return kept
            except (KeyError, TypeError, ValueError) as error:
                self._records.reject_record(KIND, key, f"is no judgement ({' '.join(str(error).split())})")
        fresh = self._judge.judge(case)
        self._records.keep_record(KIND, key, fresh.to_json())
        return fresh

    def _key(self, case: Case) -> str:
        known, digest = self._tasks.get(id(case.intentions), (None, ""))
        if known is None or replace(known, transcript=case.transcript) != case:
            plain = {name: intention.model_dump(mode="json") for name, intention in case.intentions.items()}
            words = [case.instruction, case.script, case.files, case.language, plain, list(plain)]
            digest = _digest([*_made_by(), self.fingerprint, words])
            self._tasks[id(case.intentions)] = case, digest
        return _digest([digest, case.transcript])


def _digest(content: object) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


@lru_cache(maxsize=1)
def _made_by() -> tuple[str, ...]:
    """The digest of all code that a label can depend on, and the versions of the data that it reads by."""
    package = Path(__file__).parents[1]
    sources = hashlib.sha256()
    for path in sorted([*(package / "judging").rglob("*.*"), *(package / "speech").rglob("*.*")]):
        if path.suffix != ".pyc" and path.is_file():
            sources.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return (sources.hexdigest(), *(version(library) for library in _LIBRARIES))
