"""Columns in characters, of files in several encodings."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.columns import Columns


@pytest.mark.parametrize(
    ("source", "line", "offset", "column"),
    [
        (b"ab\ncd", 1, 0, 1),
        (b"ab\ncd", 2, 1, 2),
        (b"ab\ncd", 0, 1, 2),
        (b"ab\ncd", 3, 4, 5),
        ("ä\nxä".encode(), 0, 2, 3),
        ("xä\nä".encode(), 3, 2, 3),
        ("äb".encode(), 1, 2, 2),
        ("äb".encode(), 1, 0, 1),
        ("x\näöb".encode(), 2, 4, 3),
        ("\ufeffäb".encode(), 1, 2, 2),
        ("🙂b".encode(), 1, 4, 2),
        ("# coding: latin-1\näb".encode("latin-1"), 2, 2, 2),
        (b"", 1, 3, 4),
    ],
)
def test_the_column_of_a_node(source: bytes, line: int, offset: int, column: int) -> None:
    assert Columns(source).of(line, offset) == column
