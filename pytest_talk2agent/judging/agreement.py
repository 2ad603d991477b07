"""How well a judge agrees with given labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from pytest_talk2agent.judging.judge import Judge, JudgeError
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.judging.labelled_cases import LabelledCase
from pytest_talk2agent.tasks.errors import counted

Pair = tuple[Label, Label]


def agreement(cases: Iterable[LabelledCase], judge: Judge) -> dict[str, Any]:
    """Judge all cases and compare label by label. Cases that the judge fails on are left out and listed.

    Plain values: ``accuracy`` and ``unresolved`` (the share that the judge left open) of all labels; ``kappa``,
    Cohen's kappa (Cohen 1960); ``false_retained``, the share of the truly changed or omitted labels that were called
    retained; ``by_label`` with precision, recall, f1 and n (how often the label is right); ``by_kind`` with n,
    accuracy, false_retained and unresolved; ``disagreements`` and ``errors`` (id and fault) in the order of the cases.
    A ratio without a denominator is None.
    """
    pairs: list[Pair] = []
    by_kind: dict[str, list[Pair]] = {}
    disagreements: list[dict[str, Any]] = []
    errors: list[dict[str, str]] = []
    for labelled, judgement in judged(cases, judge):
        if isinstance(judgement, JudgeError):
            errors.append({"id": labelled.id, "error": str(judgement)})
            continue
        for name, right in labelled.labels.items():
            finding = judgement.findings[name]
            intention = labelled.case.intentions[name]
            pairs.append((right, finding.label))
            by_kind.setdefault(intention.kind, []).append((right, finding.label))
            if finding.label is not right:
                disagreements.append(
                    {
                        "id": labelled.id,
                        "intention": name,
                        "kind": intention.kind,
                        "say": list(intention.say),
                        "expected": right.value,
                        "got": finding.label.value,
                        "heard": finding.heard,
                        "reason": finding.reason,
                        "why": labelled.why,
                    }
                )
    return {
        "judge": judge.fingerprint,
        "n": len(pairs),
        **_shares(pairs),
        "kappa": _kappa(pairs),
        "by_label": {label.value: _by_label(pairs, label) for label in Label},
        "by_kind": {kind: {"n": len(some), **_shares(some)} for kind, some in sorted(by_kind.items())},
        "disagreements": disagreements,
        "errors": errors,
    }


def judged(cases: Iterable[LabelledCase], judge: Judge) -> Iterator[tuple[LabelledCase, Judgement | JudgeError]]:
    """Every case with its judgement, or the error it is instead, in order; as many at a time as the judge takes."""
    cases = list(cases)

    def one(labelled: LabelledCase) -> Judgement | JudgeError:
        try:
            return judge.judge(labelled.case)
        except JudgeError as error:
            return error

    with ThreadPoolExecutor(judge.concurrency) as pool:
        yield from zip(cases, pool.map(one, cases), strict=True)


def relabelled(cases: Iterable[LabelledCase], judge: Judge) -> list[LabelledCase]:
    """The cases with the labels of a judge in place of their own; raises JudgeError where it fails on one."""
    found = []
    for labelled, judgement in judged(cases, judge):
        if isinstance(judgement, JudgeError):
            raise judgement
        found.append(replace(labelled, labels=judgement.labels(), why=f"{judge.fingerprint} says so"))
    return found


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _shares(pairs: list[Pair]) -> dict[str, float | None]:
    lost = [got for right, got in pairs if right.lost]
    return {
        "accuracy": _ratio(sum(right is got for right, got in pairs), len(pairs)),
        "unresolved": _ratio(sum(got is Label.UNRESOLVED for _, got in pairs), len(pairs)),
        "false_retained": _ratio(sum(got is Label.RETAINED for got in lost), len(lost)),
    }


def _kappa(pairs: list[Pair]) -> float | None:
    """Agreement beyond chance; None where one label alone was given and found, so that chance agrees always."""
    if not pairs:
        return None
    right, got = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    by_chance = sum(right[label] * got[label] for label in Label) / len(pairs) ** 2
    observed = sum(one is other for one, other in pairs) / len(pairs)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def _by_label(pairs: list[Pair], label: Label) -> dict[str, float | int | None]:
    hit = sum(right is got is label for right, got in pairs)
    given, found = sum(right is label for right, _ in pairs), sum(got is label for _, got in pairs)
    return {
        "precision": _ratio(hit, found),
        "recall": _ratio(hit, given),
        "f1": _ratio(2 * hit, given + found),
        "n": given,
    }


def agreement_lines(measured: Mapping[str, Any]) -> list[str]:
    """The agreement as text: the shares, a table by label and by kind, every disagreement."""
    lines = [
        f"judge {measured['judge']}: {counted(measured['n'], 'label')}{_against(measured)}",
        f"accuracy       {_shown(measured['accuracy'])}",
        f"kappa          {_shown(measured['kappa'])}",
        f"unresolved     {_shown(measured['unresolved'])}",
        f"false retained {_shown(measured['false_retained'])} of the lost intentions",
        "",
        f"{'label':<12}{'n':>6}{'precision':>11}{'recall':>9}{'f1':>9}",
    ]
    for label, row in measured["by_label"].items():
        shares = f"{_shown(row['precision']):>11}{_shown(row['recall']):>9}{_shown(row['f1']):>9}"
        lines.append(f"{label:<12}{row['n']:>6}{shares}")
    lines += ["", f"{'kind':<12}{'n':>6}{'accuracy':>11}{'unresolved':>12}{'false retained':>16}"]
    for kind, row in measured["by_kind"].items():
        shares = f"{_shown(row['accuracy']):>11}{_shown(row['unresolved']):>12}{_shown(row['false_retained']):>16}"
        lines.append(f"{kind:<12}{row['n']:>6}{shares}")
    lines += ["", counted(len(measured["disagreements"]), "disagreement")]
    for row in measured["disagreements"]:
        heard = "nothing" if row["heard"] is None else repr(row["heard"])
        lines.append(
            f"{row['id']} {row['intention']} ({row['kind']} {'; '.join(row['say'])}): expected {row['expected']}, "
            f"got {row['got']} (heard {heard}: {row['reason']})"
        )
    if measured["errors"]:
        lines += ["", f"{counted(len(measured['errors']), 'case')} not judged"]
        lines += [f"{row['id']}: {row['error']}" for row in measured["errors"]]
    return lines


def _against(measured: Mapping[str, Any]) -> str:
    return f" against {measured['against']}" if "against" in measured else ""


def _shown(share: float | None) -> str:
    return "-" if share is None else f"{share:.4f}"
