"""Correlations as text, JSON, CSV and a plot."""

from __future__ import annotations

import csv
from fractions import Fraction
from xml.etree import ElementTree

from pytest_talk2agent.analysis.correlation import correlate
from pytest_talk2agent.analysis.error_rates import Errors, averages
from pytest_talk2agent.analysis.grid import Matrix
from pytest_talk2agent.reporting.correlation_report import CorrelationReport, Dot, dot_plot
from tests.analysis.test_correlation import EXECUTION, METRIC, TYPES, grid

CONSTANT = ((0.1, 0.1, 0.1),) * 4


def report(**metrics: Matrix) -> CorrelationReport:
    rates = {("c0", "wer"): averages([Errors(2, 2), Errors(0, 11), Errors(3, 0)])}
    return CorrelationReport(
        correlate(grid(EXECUTION, TYPES, **metrics)), {"wer": "basic/1", "native": ""}, rates, ["lexical/1"], 0
    )


def test_a_row_for_each_metric_by_its_label() -> None:
    lines = report(wer=CONSTANT, native=METRIC).lines()
    place = lines.index("PCC                task-interface (12)   type-interface (6)     interface (3)")
    assert lines[place + 1].split() == ["1", "-", "WER/CER", "undefined", "undefined", "undefined"]
    assert lines[place + 2].startswith("Native projection  0.760 [0.")
    assert "1 - WER/CER: basic/1" in lines
    assert not any(line.startswith("Native projection:") for line in lines)


def test_pooled_and_mean_stand_side_by_side() -> None:
    # cases C08 and C33
    lines = report(native=METRIC).lines()
    [row] = [line for line in lines if line.startswith("c0 ")]
    assert row.split() == ["c0", "wer", "15.38%", "50.00%", "2", "1"]


def test_one_metric_is_compared_with_none() -> None:
    assert not any("minus others" in line for line in report(native=METRIC).lines())
    assert any("Native projection minus others, PCC" in line for line in report(wer=METRIC, native=METRIC).lines())


def test_undefined_draws_are_counted_once() -> None:
    lines = report(wer=METRIC, native=METRIC).lines()
    undefined = [line for line in lines if line.startswith("undefined, ")]
    assert undefined[0] == "undefined, for a row is constant: 1 of 256 draws at level task-interface (every metric)"


def test_data_is_plain_and_exact_where_it_can_be() -> None:
    data = report(wer=CONSTANT, native=METRIC).to_json()
    assert data["error_rates"][0]["pooled"] == str(Fraction(2, 13))
    assert (data["error_rates"][0]["empty_references"], data["error_rates"][0]["inserted_there"]) == (1, 3)
    assert data["estimates"][0]["value"] is None
    assert data["metrics"]["native"] == {"label": "Native projection", "form": ""}


def test_csv_leaves_undefined_cells_empty() -> None:
    first = next(csv.DictReader(report(wer=CONSTANT, native=METRIC).to_csv().splitlines()))
    assert (first["metric"], first["points"], first["value"], first["undefined"]) == ("wer", "12", "", "256")


def test_the_plot_has_a_panel_for_each_level() -> None:
    root = ElementTree.fromstring(report(wer=CONSTANT, native=METRIC).to_svg())
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text and text.endswith(")")] == [
        "task-interface (12)",
        "type-interface (6)",
        "interface (3)",
    ]
    assert texts.count("undefined") == 3


SVG = "{http://www.w3.org/2000/svg}"
NOTHING = (None, None, None)


def plot(*dots: Dot, name: str = "Native") -> ElementTree.Element:
    return ElementTree.fromstring(dot_plot("Title", [name], {"level": {name: dots}}, ("PCC", "Spearman")))


def centres(root: ElementTree.Element) -> list[float]:
    """Of the dots, without the two of the legend."""
    return [float(circle.attrib["cx"]) for circle in root.iter(f"{SVG}circle")][2:]


def texts(root: ElementTree.Element) -> list[str | None]:
    return [text.text for text in root.iter(f"{SVG}text")]


def test_dots_stand_where_their_values_are() -> None:
    least, half = centres(plot((-1, -1, -1), (0.5, 0, 1)))
    [most, _] = centres(plot((1, 1, 1), (0, 0, 0)))
    assert half == least + 0.75 * (most - least)


def test_an_interval_is_a_line_between_its_ends() -> None:
    root = plot((0.5, 0, 1), NOTHING)
    [line] = [one for one in root.iter(f"{SVG}line") if one.attrib["class"] == "a i"]
    [centre] = centres(root)
    assert float(line.attrib["x1"]) < centre < float(line.attrib["x2"])
    assert line.attrib["y1"] == line.attrib["y2"]


def test_what_is_undefined_is_said() -> None:
    root = plot(NOTHING, NOTHING)
    assert centres(root) == []
    assert "undefined" in texts(root)
    assert "undefined" not in texts(plot((0, 0, 0), NOTHING))


def test_a_name_is_text_and_nothing_else() -> None:
    name = "<script>alert(1)</script>\"&'"
    root = plot((0, 0, 0), NOTHING, name=name)
    assert name in texts(root)
    assert not list(root.iter(f"{SVG}script"))
