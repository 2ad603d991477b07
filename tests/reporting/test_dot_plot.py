"""The dot plot: well-formed, placed by value, and safe whatever a name holds."""

from __future__ import annotations

from xml.etree import ElementTree

from pytest_talk2agent.reporting.correlation_report import Dot, dot_plot

SVG = "{http://www.w3.org/2000/svg}"
NOTHING = Dot(None, None, None)


def plot(*dots: Dot, name: str = "Native") -> ElementTree.Element:
    return ElementTree.fromstring(dot_plot("Title", [name], {"level": {name: dots}}, ("PCC", "Spearman")))


def centres(root: ElementTree.Element) -> list[float]:
    """Of the dots, without the two of the legend."""
    return [float(circle.attrib["cx"]) for circle in root.iter(f"{SVG}circle")][2:]


def texts(root: ElementTree.Element) -> list[str | None]:
    return [text.text for text in root.iter(f"{SVG}text")]


def test_dots_stand_where_their_values_are() -> None:
    least, half = centres(plot(Dot(-1, -1, -1), Dot(0.5, 0, 1)))
    [most, _] = centres(plot(Dot(1, 1, 1), Dot(0, 0, 0)))
    assert half == least + 0.75 * (most - least)


def test_an_interval_is_a_line_between_its_ends() -> None:
    root = plot(Dot(0.5, 0, 1), NOTHING)
    [line] = [one for one in root.iter(f"{SVG}line") if one.attrib["class"] == "a i"]
    [centre] = centres(root)
    assert float(line.attrib["x1"]) < centre < float(line.attrib["x2"])
    assert line.attrib["y1"] == line.attrib["y2"]


def test_what_is_undefined_is_said() -> None:
    root = plot(NOTHING, NOTHING)
    assert centres(root) == []
    assert "undefined" in texts(root)
    assert "undefined" not in texts(plot(Dot(0, 0, 0), NOTHING))


def test_a_name_is_text_and_nothing_else() -> None:
    name = "<script>alert(1)</script>\"&'"
    root = plot(Dot(0, 0, 0), NOTHING, name=name)
    assert name in texts(root)
    assert not list(root.iter(f"{SVG}script"))
