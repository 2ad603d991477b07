"""Estimates with their intervals as an SVG: a row for each name, panels side by side, all from -1 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_LABELS, _PANEL, _GAP, _ROW, _TOP = 210, 220, 36, 34, 64
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600}.s{font-size:11px;fill:#656d76}"
    ".g{stroke:#d0d7de}.z{stroke:#8c959f}.a{stroke:#0550ae;fill:#0550ae}.b{stroke:#953800;fill:#953800}"
    ".i{stroke-width:2;fill:none}.o{fill:#fff}svg{background:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#8d96a0}.g{stroke:#30363d}.z{stroke:#6e7681}"
    ".a{stroke:#79c0ff;fill:#79c0ff}.b{stroke:#ffa657;fill:#ffa657}.o,svg{fill:#0d1117;background:#0d1117}}"
)


@dataclass(frozen=True)
class Dot:
    """A number from -1 to 1 and its interval, each None where undefined."""

    value: float | None
    low: float | None
    high: float | None


def dot_plot(
    title: str, names: Sequence[str], panels: Mapping[str, Mapping[str, Sequence[Dot]]], series: tuple[str, str]
) -> str:
    """An SVG document. ``panels`` maps the heading of each panel to names, and each name to a dot for each series."""
    width = _LABELS + len(panels) * (_PANEL + _GAP)
    bottom = _TOP + len(names) * _ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 34}" width="{width}" '
        f'height="{bottom + 34}" role="img" aria-label="{escape(title)}"><style>{_STYLE}</style>',
        f'<text class="t" x="8" y="20">{escape(title)}</text>',
        f'<circle class="a" cx="14" cy="38" r="4"/><text class="s" x="24" y="42">{escape(series[0])}</text>',
        f'<circle class="b i o" cx="94" cy="38" r="4"/><text class="s" x="104" y="42">{escape(series[1])}</text>',
    ]
    parts += [f'<text x="8" y="{_middle(row) + 4}">{escape(name)}</text>' for row, name in enumerate(names)]
    for place, (heading, dots) in enumerate(panels.items()):
        left = _LABELS + place * (_PANEL + _GAP)
        parts.append(f'<text class="t" x="{left}" y="{_TOP - 10}">{escape(heading)}</text>')
        for tick in (-1, -0.5, 0, 0.5, 1):
            x = _x(left, tick)
            parts.append(f'<line class="{"g" if tick else "z"}" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>')
            parts.append(f'<text class="s" x="{x}" y="{bottom + 16}" text-anchor="middle">{tick:g}</text>')
        for row, name in enumerate(names):
            if all(dot.value is None for dot in dots[name]):
                parts.append(f'<text class="s" x="{_x(left, 0) + 6}" y="{_middle(row) + 4}">undefined</text>')
            for offset, kind, dot in zip((-5, 5), ("a", "b"), dots[name], strict=True):
                parts += _dot(dot, left, _middle(row) + offset, kind)
    return "".join([*parts, "</svg>\n"])


def _dot(dot: Dot, left: int, y: int, kind: str) -> list[str]:
    parts = []
    if dot.low is not None and dot.high is not None:
        parts.append(f'<line class="{kind} i" x1="{_x(left, dot.low)}" x2="{_x(left, dot.high)}" y1="{y}" y2="{y}"/>')
    if dot.value is not None:
        hollow = " i o" if kind == "b" else ""
        parts.append(f'<circle class="{kind}{hollow}" cx="{_x(left, dot.value)}" cy="{y}" r="4"/>')
    return parts


def _x(left: int, value: float) -> float:
    return round(left + (value + 1) / 2 * _PANEL, 1)


def _middle(row: int) -> int:
    return _TOP + row * _ROW + _ROW // 2
