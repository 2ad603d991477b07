"""The paper's tables, with figures of the paper where it gives them: what they look like, not how they came about."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pytest_talk2agent.analysis.correlation import correlate
from pytest_talk2agent.analysis.paper import Collection, Diagnosis, Spread, Transfer
from pytest_talk2agent.reporting.paper_tables import (
    as_markdown,
    as_text,
    collection_rows,
    correlation_rows,
    diagnosis_rows,
    execution_rows,
    transfer_rows,
)
from tests.analysis.test_correlation import METRIC, grid

CONSTANT = ((0.1, 0.1, 0.1),) * 4
INTENTIONS = (2, *(6,) * 31, *(11,) * 9, *(12,) * 18, 46)
WCB = Collection("WCB", 60, INTENTIONS, 10, 600, 24.84 * 3600, 113.66, (55.01, 212.31), 0)


def percent(value: str, sd: str | None = None, repetitions: int = 1) -> Spread:
    return Spread(Fraction(value) / 100, None if sd is None else float(sd) / 100, repetitions)


def test_collections() -> None:
    assert as_text(collection_rows([WCB])) == [
        "collection  tasks  intentions                          speakers  recordings  hours  median s  IQR",
        "WCB         60     549 (2 to 46, mean 9.15, median 6)  10        600         24.84  113.66    55.01 to 212.31",
    ]


def test_a_collection_says_what_is_not_here() -> None:
    some = replace(WCB, speakers=0, missing=599, seconds=90.0, median=None, quartiles=None)
    [_, row] = collection_rows([some])
    assert row == ["WCB", "60", "549 (2 to 46, mean 9.15, median 6)", "-", "600 (599 not here)", "0.03", "-", "-"]


def test_execution() -> None:
    rows = execution_rows({("", "text"): percent("40.75", "1.67", 3), ("gemini", "asr"): percent("61.76")})
    assert as_text(rows) == [
        "agent   condition  execution  SD    rounds",
        "-       text       40.75      1.67  3",
        "gemini  asr        61.76      -     1",
    ]


def test_correlation() -> None:
    rows = correlation_rows(correlate(grid(native=METRIC, wer=CONSTANT), draws=1))
    assert as_text(rows) == [
        "metric             task-interface (12)  type-interface (6)  interface (3)",
        "Native projection  0.760                0.506               0.990",
        "1 - WER/CER        undefined            undefined           undefined",
    ]


def test_correlation_without_types_has_a_level_less() -> None:
    [head, row] = correlation_rows(correlate(grid(types=None), draws=1))
    assert head == ["metric", "task-interface (12)", "interface (3)"]
    assert row[0] == "metric", "a metric from elsewhere keeps its name"


def test_diagnosis() -> None:
    targeted = Diagnosis("raw", 15, Fraction("0.3993"), Fraction("0.14"), Fraction("0.4060"))
    full = Diagnosis("raw", 50, Fraction("0.3339"), Fraction("0.0773"), Fraction("0.2264"))
    assert as_text(diagnosis_rows({"targeted": [targeted], "full": [full]})) == [
        "tasks           condition  Shapley  Native  execution",
        "targeted, n=15  raw        39.93    14.00   40.60",
        "full, n=50      raw        33.39    7.73    22.64",
    ]


def test_transfer() -> None:
    found = Transfer("flat", 351, percent("54.93", "1.18", 5), percent("62.89", "2.05", 5), percent("7.96", "1.52", 5))
    assert as_text(transfer_rows(found)) == [
        "flat, n=351  mean   SD    takes",
        "before       54.93  1.18  5",
        "after        62.89  2.05  5",
        "gain         +7.96  1.52  5",
    ]


def test_a_loss_and_no_gain_have_their_sign() -> None:
    found = Transfer("native", 1, percent("1"), percent("0"), percent("-1"))
    assert transfer_rows(found)[3] == ["gain", "-1.00", "-", "1"]
    assert transfer_rows(replace(found, gain=percent("0")))[3][1] == "+0.00"


def test_markdown_keeps_a_bar_in_a_name_from_being_a_border() -> None:
    rows = execution_rows({("a|b", "text"): percent("50")})
    assert as_markdown(rows) == [
        "| agent | condition | execution | SD | rounds |",
        "| --- | --- | --- | --- | --- |",
        "| a\\|b | text | 50.00 | - | 1 |",
    ]
