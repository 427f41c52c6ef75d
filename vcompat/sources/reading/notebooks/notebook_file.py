"""The cells of a Jupyter notebook, and the line of the file that holds each of their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError

#: Maximum file size in bytes: outputs hold images. Maximum number of cells and of lines of code.
SIZE_LIMIT, MOST_CELLS, MOST_LINES = 50_000_000, 5_000, 100_000
_EXPECTED = "a Jupyter notebook"


class Cell(NamedTuple):
    """A code cell."""

    lines: list[str]
    positions: list[int]
    """The line of the file that holds each line."""


def read_cells(path: str) -> list[Cell]:
    """Return the code cells of the notebook at `path`, formats 3 and 4, in the order of the file.

    Raises InputError if it is not a notebook, not in Python, or too large.
    """
    text = read_text(path, SIZE_LIMIT, _EXPECTED)
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}", f"not valid JSON: {error.msg}", _EXPECTED) from None
    except (RecursionError, ValueError):
        raise InputError(path, "not valid JSON, or nested too deeply", _EXPECTED) from None
    if not isinstance(notebook, dict):
        raise InputError(path, "not a notebook", _EXPECTED)
    _refuse_other_languages(path, notebook.get("metadata"))
    keys, cells = _cells(path, notebook)
    if len(cells) > MOST_CELLS:
        raise InputError(path, f"more than {MOST_CELLS} cells", _EXPECTED)
    lines = _lines_of_strings(text)
    result = [cell for index, raw in enumerate(cells) if (cell := _cell(raw, (*keys, str(index)), lines)) is not None]
    if sum(len(cell.lines) for cell in result) > MOST_LINES:
        raise InputError(path, f"more than {MOST_LINES} lines of code", _EXPECTED)
    return result


def _refuse_other_languages(path: str, metadata: Any) -> None:
    tables = [metadata.get(key) for key in ("kernelspec", "language_info")] if isinstance(metadata, dict) else []
    names = [table.get(key) for table in tables if isinstance(table, dict) for key in ("language", "name")]
    kernel, *others = [str(name).lower() for name in names if name] or ["python"]
    if not any("python" in name or "conda" in name or "venv" in name for name in (kernel, *others)):
        raise InputError(path, f"a notebook in {kernel[:40]}", "a notebook in Python")


def _cells(path: str, notebook: dict[str, Any]) -> tuple[tuple[str, ...], list[Any]]:
    cells = notebook.get("cells")
    if isinstance(cells, list):
        return ("cells",), cells
    # Format 3 has worksheets; programs only ever wrote one.
    sheets = notebook.get("worksheets")
    first = sheets[0] if isinstance(sheets, list) and sheets else None
    if isinstance(first, dict) and isinstance(first.get("cells"), list):
        return ("worksheets", "0", "cells"), first["cells"]
    raise InputError(path, "has no cells", _EXPECTED)


def _cell(raw: Any, keys: tuple[str, ...], positions: dict[tuple[str, ...], int]) -> Cell | None:
    if not isinstance(raw, dict) or raw.get("cell_type") != "code":
        return None
    tags = raw["metadata"].get("tags") if isinstance(raw.get("metadata"), dict) else None
    if isinstance(tags, list) and "skip-execution" in tags:
        return None
    key = "source" if "source" in raw else "input"
    source = raw.get(key)
    parts = source if isinstance(source, list) else [source]
    text = ""
    at: list[int] = []
    for number, part in enumerate(parts):
        if not isinstance(part, str):
            continue
        where = (*keys, key, str(number)) if isinstance(source, list) else (*keys, key)
        text += part
        # A part is a line; a notebook that another program wrote can have several in one.
        at += [positions.get(where, 0)] * (_line_count(text) - len(at))
    return Cell(text.split("\n")[: len(at)], at)


def _line_count(text: str) -> int:
    return text.count("\n") + (text != "" and not text.endswith("\n"))


_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:\n]')


def _lines_of_strings(text: str) -> dict[tuple[str, ...], int]:
    """Return the line of each string that is part of a cell's source."""
    found: dict[tuple[str, ...], int] = {}
    for keys, line in _strings(text):
        if "source" in keys[-2:] or "input" in keys[-2:]:
            found[keys] = line
    return found


def _strings(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the keys and the line of each string that is a value in the JSON `text`."""
    above: list[str | int] = []
    line, last = 1, ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "\n":
            line += 1
        elif token[0] == '"':
            last = token[1:-1]
            yield tuple(map(str, above)), line
        elif token == ":":
            above[-1:] = [last]
        elif token == "{":
            above.append("")
        elif token == "[":
            above.append(0)
        elif token == "," and above and isinstance(above[-1], int):
            above[-1] += 1
        elif token in "}]":
            del above[-1:]
