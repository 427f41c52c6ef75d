"""Pictures of terminals: what a command prints in color, as SVG with selectable text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

#: Pixels: the width of a column, the height of a line, the space around the text, the bar above it.
_COLUMN, _LINE, _MARGIN, _BAR = 8, 18, 16, 28
#: The color of each SGR number that vcompat prints, on a dark background.
_COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "35": "#d2a8ff", "36": "#76e3ea"}
_TEXT, _BACKGROUND, _FRAME, _PROMPT = "#e6edf3", "#0d1117", "#30363d", "#8b949e"
_SEQUENCE = re.compile(r"\x1b\[([\d;]*)m")


def picture(line: str, printed: str) -> str:
    """Return an SVG of a terminal with a command and what it has printed, which may have SGR sequences."""
    rows = [f'<tspan fill="{_PROMPT}">$</tspan> {escape(line)}', *map(_row, printed.rstrip("\n").split("\n"))]
    width = max(len(_SEQUENCE.sub("", row)) for row in (f"$ {line}", *printed.split("\n")))
    wide, high = width * _COLUMN + 2 * _MARGIN, len(rows) * _LINE + _BAR + _MARGIN
    texts = (
        f'<text x="{_MARGIN}" y="{_BAR + (number + 1) * _LINE - 4}" xml:space="preserve">{row}</text>\n'
        for number, row in enumerate(rows)
        if row
    )
    dots = "".join(f'<circle cx="{_MARGIN + 5 + 18 * n}" cy="15" r="5" fill="{_FRAME}"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" role="img">\n'
        f"<title>{escape(line)}</title>\n"
        f'<rect width="{wide}" height="{high}" rx="8" fill="{_BACKGROUND}"/>{dots}\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" '
        f'font-size="13" fill="{_TEXT}">\n{"".join(texts)}</g>\n</svg>\n'
    )


def _row(row: str) -> str:
    """Return one line of output as contents of a `text`, with a `tspan` for each color and for bold."""
    return "".join(
        f"<tspan{style}>{escape(text)}</tspan>" if style else escape(text) for style, text in _styled(row) if text
    )


def _styled(row: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes and the text of each part of a line."""
    color, bold = "", False
    parts = _SEQUENCE.split(row)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            style = (f' fill="{color}"' if color else "") + (' font-weight="bold"' if bold else "")
            yield style, part
            continue
        for code in part.split(";"):
            if code in ("", "0"):
                color, bold = "", False
            elif code == "1":
                bold = True
            elif code in _COLORS:
                color = _COLORS[code]
            else:
                raise ValueError(f"the picture has no style for SGR {code}")
