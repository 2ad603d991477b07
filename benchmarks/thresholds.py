"""Which label every constant of the lexical judge decides: python benchmarks/thresholds.py [--only PART] [--words].

Every small whole number that a module of the judge (or of the speech that it reads) is tuned by is made a third of
itself and four times itself, one at a time, and the labelled cases of `tests/judging` are judged until a label differs:
the case that needs the constant to be as large, or as small. A line without a case is a constant that no case needs.
``--words`` empties every set of words that negations are read by, instead. Limits that only bound cost or memory are
left out, as no label may hang on them.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from judging import forget
from table import print_table

from pytest_talk2agent.judging.case import Case
from pytest_talk2agent.judging.cases import read_cases
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.tasks.intention import Intention

TESTS = Path(__file__).parents[1] / "tests" / "judging"
PACKAGE = Path(sys.modules["pytest_talk2agent"].__path__[0])
_NUMBER = re.compile(r"^(_?[A-Z][A-Z_]*(?:, _?[A-Z][A-Z_]*)*)(?:: Final)? = [0-9]", re.MULTILINE)
# Bounds of cost, memory and formats; and the ways to look at a text that are no part of the lexical judge.
_NO_LABEL = frozenset(
    (
        "alignment._DENSE_CELLS", "alignment._MOST_CELLS", "alignment._SHINGLE", "cases.LARGEST",
        "hearing._LONGEST_LOOP",
        "numerals._TOO_LONG", "numerals._LONG", "times._HALF_DAY", "negation._LONGEST_SCOPE", "pieces._LONGEST_NUMBER",
        "numeric._LONGEST_LIST", "languages._LEAST",
    )
)  # fmt: skip
_OTHER_MODULES = frozenset(
    (
        "cascade", "label_records", "llm", "model", "model_options", "audio", "checks", "chunks", "decoding", "mp3",
        "noise", "grounds", "saying", "corruption", "coverage", "exchange",
    )
)  # fmt: skip


def cases() -> list[tuple[str, Case]]:
    """Every labelled case of the tests, with its name."""
    found = []
    for path in sorted((TESTS / "heard").glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            row = json.loads(line)
            fields = {"it": {"say": row["say"], "kind": row["kind"], **row.get("fields", {})}, **row.get("others", {})}
            intentions = {name: Intention.model_validate(one) for name, one in fields.items()}
            for heard in (each for some in row["heard"].values() for each in some):
                case = Case(row["script"], row["script"], intentions, heard, tuple(row.get("files", ())),
                            language=row.get("language", "en"))  # fmt: skip
                found.append((f"heard/{path.stem} {number}", case))
    for name in ("scopes", "unseen", "values", "cases"):
        found += [(f"{name} {one.id}", one.case) for one in read_cases(TESTS / f"{name}.jsonl")]
    return found


def modules() -> Iterator[ModuleType]:
    """The modules that the lexical judge consists of."""
    for folder in ("judging", "speech"):
        for path in sorted((PACKAGE / folder).glob("*.py")):
            if path.stem not in _OTHER_MODULES | {"__init__"}:
                yield importlib.import_module(f"pytest_talk2agent.{folder}.{path.stem}")


def constants(module: ModuleType) -> list[str]:
    """The names of whole numbers that the module assigns at its top."""
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    return [name for line in _NUMBER.findall(text) for name in line.split(", ")]


def labels(case: Case) -> Mapping[str, Any]:
    """The labels of one case, by intention."""
    return judge(case).labels()


def first_other(some: Sequence[tuple[str, Case]], right: Sequence[Mapping[str, Any]]) -> str:
    """The first case whose labels differ, or that the judge fails on; empty where there is none."""
    for (name, case), wanted in zip(some, right, strict=True):
        try:
            if labels(case) != wanted:
                return name
        except (IndexError, ValueError, RecursionError) as error:
            return f"{name}: {type(error).__name__}"
    return ""


def changed(module: ModuleType, name: str, value: object, *judged: Any) -> str:
    """The first other label with another value of a constant."""
    before = getattr(module, name)
    setattr(module, name, value)
    forget()
    try:
        return first_other(*judged)
    finally:
        setattr(module, name, before)


def main() -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PART", help="of a constant's name, such as `place.`")
    parser.add_argument("--words", action="store_true")
    options = parser.parse_args()
    some = cases()
    judged = (some, [labels(case) for _, case in some])
    print(f"{len(some)} cases", flush=True)
    rows = []
    for module in modules():
        stem = module.__name__.rpartition(".")[2]
        if options.words and stem in ("negation", "gist", "polarity", "corrections"):
            for name, value in sorted(vars(module).items()):
                if name.isupper() and isinstance(value, frozenset | dict) and options.only in f"{stem}.{name}":
                    rows.append([f"{stem}.{name}", "words", changed(module, name, type(value)(), *judged), ""])
                    print(rows[-1], flush=True)
        for name in () if options.words else constants(module):
            value, known = getattr(module, name), f"{stem}.{name}"
            if isinstance(value, int) and known not in _NO_LABEL and options.only in known:
                less, more = (changed(module, name, other, *judged) for other in (value // 3, value * 4))
                rows.append([known, str(value), less, more])
                print(rows[-1], flush=True)
    print_table(("constant", "is", "a third of it breaks", "four times breaks"), rows)


if __name__ == "__main__":
    main()
