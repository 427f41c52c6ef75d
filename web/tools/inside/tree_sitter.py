"""What vcompat uses of the package tree-sitter, over tree-sitter's build for WebAssembly.

The page's script parses and returns the whole tree at once, as numbers. Nodes are made of them when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from vcompat_page import parse  # the page's script registers it

#: Numbers of a node: type, field, flags, first and last byte, first and last row, number of children.
_WIDTH = 8
_NAMED, _MISSING, _ERROR = 1, 2, 4


class Language:
    """A grammar."""

    def __init__(self, name: str) -> None:
        self.name = name


class Parser:
    """Parses texts of a language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def reset(self) -> None:
        """Forget a text that was not parsed to its end. The page's script has done it."""

    def parse(
        self, read: Callable[[int, object], bytes], progress_callback: Callable[[int, bool], bool] | None = None
    ) -> Tree:
        """Parse what `read` returns from an offset on, up to an empty piece.

        `progress_callback` returns whether to stop. Raises ValueError if it was stopped.
        """
        chunks: list[bytes] = []
        starts: list[int] = []
        size = 0
        while chunk := read(size, None):
            starts.append(size)
            chunks.append(chunk)
            size += len(chunk)

        def again(offset: int) -> bool:
            """Read a piece of the text once more, which counts; return whether there is one."""
            return bool(read(offset, None))

        def stops() -> bool:
            return progress_callback is not None and progress_callback(0, False)

        data = b"".join(chunks)
        numbers = parse(data.decode("utf-8", "replace"), starts, again, stops)
        if numbers is None:
            raise ValueError("parsing was stopped")
        types, fields, nodes = numbers
        return Tree(data, types.to_py(), fields.to_py(), nodes.to_py().tolist())


class Point(NamedTuple):
    """A position: the row, and the column in bytes."""

    row: int
    column: int


class Tree:
    """A syntax tree."""

    def __init__(self, data: bytes, types: Sequence[str], fields: Sequence[str], numbers: Sequence[int]) -> None:
        """`numbers` are those of all nodes, each node before its children."""
        self.data, self.types, self.fields, self.numbers = data, types, fields, numbers
        count = len(numbers) // _WIDTH
        self.nodes: list[Node | None] = [None] * count
        self.parents = [-1] * count
        self.children: list[list[int]] = [[] for _ in range(count)]
        open_: list[tuple[int, int]] = []
        for index in range(count):
            while open_ and len(self.children[open_[-1][0]]) == open_[-1][1]:
                open_.pop()
            if open_:
                self.parents[index] = open_[-1][0]
                self.children[open_[-1][0]].append(index)
            open_.append((index, numbers[index * _WIDTH + 7]))

    @property
    def root_node(self) -> Node:
        """The node of the whole text."""
        return self.node(0)

    def node(self, index: int) -> Node:
        """Return the node at `index`; always the same one."""
        node = self.nodes[index]
        if node is None:
            node = self.nodes[index] = Node(self, index)
        return node


class Node:
    """A node of a tree."""

    def __init__(self, tree: Tree, index: int) -> None:
        self._tree, self._index = tree, index
        kind, self._field, flags, self.start_byte, self.end_byte, self._row, self._last_row, self.child_count = (
            tree.numbers[index * _WIDTH : (index + 1) * _WIDTH]
        )
        self.type = tree.types[kind]
        self.is_named, self.is_missing, self.has_error = (bool(flags & flag) for flag in (_NAMED, _MISSING, _ERROR))

    @property
    def start_point(self) -> Point:
        """Where it starts."""
        return self._point(self._row, self.start_byte)

    @property
    def end_point(self) -> Point:
        """Where it ends."""
        return self._point(self._last_row, self.end_byte)

    def _point(self, row: int, position: int) -> Point:
        return Point(row, position - self._tree.data.rfind(b"\n", 0, position) - 1)

    @property
    def children(self) -> list[Node]:
        """All children, named or not."""
        return [self._tree.node(index) for index in self._tree.children[self._index]]

    @property
    def parent(self) -> Node | None:
        """The node that it is a child of; None of the whole text."""
        index = self._tree.parents[self._index]
        return None if index < 0 else self._tree.node(index)

    @property
    def next_sibling(self) -> Node | None:
        """The next child of its parent; None of the last one."""
        parent = self._tree.parents[self._index]
        following = [] if parent < 0 else [one for one in self._tree.children[parent] if one > self._index]
        return self._tree.node(following[0]) if following else None

    def child_by_field_name(self, name: str) -> Node | None:
        """Return the first child in the field `name`; None if no child is."""
        return next((child for child in self.children if child._tree.fields[child._field] == name), None)

    def descendant_for_byte_range(self, start: int, end: int) -> Node | None:
        """Return the smallest node that has the bytes from `start` to `end`."""
        node = self
        while (inner := next((child for child in node.children if child._spans(start, end)), None)) is not None:
            node = inner
        return node

    def _spans(self, start: int, end: int) -> bool:
        behind = self.end_byte >= start if self.start_byte == self.end_byte else self.end_byte > start
        return self.start_byte <= start and behind and self.end_byte >= end
