"""Judges on labelled cases: python benchmarks/judges.py CASES [--every N] [--doubtful] JUDGE...

``python benchmarks/judges.py --kinds FILE...`` is the lexical judge on several files together, by kind.

A JUDGE is any judge spec, such as ``lexical``, ``llm:MODEL?base_url=http://127.0.0.1:8080/v1`` or a cascade of both.
``--every N`` takes each Nth case of the file, ``--doubtful`` those of which the lexical judge leaves a label
unresolved: the only ones that a cascade asks about. The table has accuracy, Cohen's kappa, false retained (of the lost
labels), the share of unresolved labels, false settled (labels that are rightly unresolved and called something else),
cases that the judge failed on, and the time of a case. Answers of models are kept in ``--store``, so that an
interrupted run goes on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from table import print_table

from pytest_talk2agent.judging.agreement import agreement
from pytest_talk2agent.judging.judgement import Label
from pytest_talk2agent.judging.labelled_cases import LabelledCase, read_cases
from pytest_talk2agent.judging.lexical import judge as lexical
from pytest_talk2agent.judging.registry import make_judge
from pytest_talk2agent.results.store import Store


def chosen(cases: Sequence[LabelledCase], every: int, *, doubtful: bool) -> list[LabelledCase]:
    """The sample, in the order of the file."""
    found = list(cases[::every])
    if doubtful:
        found = [one for one in found if Label.UNRESOLVED in lexical(one.case).labels().values()]
    return found


def measured(spec: str, cases: Sequence[LabelledCase], store: Path) -> dict[str, Any]:
    """The agreement of one judge, and the seconds that it took for a case."""
    judge = make_judge(spec)
    if hasattr(judge, "keep_in"):
        judge.keep_in(Store(store))
    if hasattr(judge, "check"):
        judge.check()
    start = time.perf_counter()
    found = agreement(cases, judge)
    return {**found, "seconds": (time.perf_counter() - start) / len(cases)}


def row_of(spec: str, found: dict[str, Any]) -> list[str]:
    """One line of the table."""
    unresolved = found["by_label"]["unresolved"]
    settled = None if unresolved["recall"] is None else 1 - unresolved["recall"]
    shares = (found["accuracy"], found["kappa"], found["false_retained"], found["unresolved"], settled)
    shown = ["-" if share is None else f"{share:.4f}" for share in shares]
    return [spec.partition("?")[0], str(found["n"]), *shown, str(len(found["errors"])), f"{found['seconds']:.2f}"]


def kinds(paths: Sequence[Path]) -> None:
    """The agreement of the lexical judge with all files together: a line a file, then a line a kind."""
    judge = make_judge("lexical")
    rows: dict[str, list[tuple[Label, Label]]] = {}
    for path in paths:
        for labelled in read_cases(path):
            for name, label in judge.judge(labelled.case).labels().items():
                pair = (labelled.labels[name], label)
                for row in (path.name, labelled.case.intentions[name].kind, "all"):
                    rows.setdefault(row, []).append(pair)
    files = [path.name for path in paths]
    ordered = [*files, *sorted(rows.keys() - {*files, "all"}), "all"]
    print_table(
        ("set, kind", "labels", "agreement", "false retained", "unresolved"),
        [shares_of(row, rows[row]) for row in ordered],
    )


def shares_of(name: str, pairs: Sequence[tuple[Label, Label]]) -> list[str]:
    """One line: how many labels, agreement in percent, lost ones called retained, labels left unresolved in percent."""
    same = sum(right is got for right, got in pairs)
    lost = [got for right, got in pairs if right in (Label.CHANGED, Label.OMITTED)]
    wrong, left = sum(got is Label.RETAINED for got in lost), sum(got is Label.UNRESOLVED for _, got in pairs)
    return [
        name,
        str(len(pairs)),
        f"{100 * same / len(pairs):.1f} %",
        f"{wrong} of {len(lost)}",
        f"{100 * left / len(pairs):.1f} %",
    ]


def main() -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path, nargs="?")
    parser.add_argument("judges", nargs="*", metavar="JUDGE")
    parser.add_argument("--kinds", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--doubtful", action="store_true")
    parser.add_argument("--store", type=Path, default=Path(".t2a/store"), metavar="DIR")
    options = parser.parse_args()
    if options.kinds:
        kinds(options.kinds)
        return
    if options.cases is None or not options.judges:
        parser.error("name a case file and a judge, or --kinds FILE...")
    cases = chosen(read_cases(options.cases), options.every, doubtful=options.doubtful)
    print(f"{len(cases)} cases of {options.cases.name}, every {options.every}{', doubtful' * options.doubtful}")
    found = {spec: measured(spec, cases, options.store) for spec in options.judges}
    head = ("judge", "labels", "accuracy", "kappa", "false retained", "unresolved", "false settled", "errors", "s/case")
    print_table(head, [row_of(spec, one) for spec, one in found.items()])
    for spec, one in found.items():
        for error in one["errors"]:
            print(f"{spec.partition('?')[0]} {error['id']}: {error['error']}")


if __name__ == "__main__":
    main()
