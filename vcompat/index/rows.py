"""The rows of the index: what is known of a module, each with the releases in which it is so.

A row is a kind, the scope that it is about (a class, a function, a registry; empty for the module itself), a name and a
value. Releases are numbered from the oldest, and a set of them is an integer with a bit for each.
"""

from __future__ import annotations

from collections.abc import Iterable

Row = tuple[str, str, str, str]
#: What holds of the whole module: package, replaced, lazy, forwards, computes, makes, broken, outlined or listed.
FLAG = "M"
#: A name that is imported from a recorded package; the value is the module and, after a colon, the name in it.
IMPORT = "i"
#: A name that is imported from anywhere else.
FOREIGN = "x"
#: Like IMPORT, for type checkers only; what a lazy module loads on demand is stated that way.
TYPING = "t"
#: A module all of whose names are imported.
STAR = "s"
#: A text of a module with ``__getattr__``: any of them may be the name of an attribute.
LAZY = "z"
#: A variable of a module or a class.
VARIABLE = "v"
#: A class; the value is its bases, its decorators, and the marks below.
CLASS = "C"
#: An annotated name of a class; the value is its default.
FIELD = "f"
#: A function or method; the value is its signature.
FUNCTION = "F"
#: An attribute that a method stores in its object.
ATTRIBUTE = "a"
#: The name of an attribute that is stored in any other object.
STORED = "o"
#: A name that only some ways through its scope bind, such as one side of an ``if``.
CONDITIONAL = "c"
#: A key of a registry: a table or a list of names.
KEY = "k"
#: A scope whose code stands elsewhere from the next release on; the value is the module and, after a colon, the name.
MOVED = "m"
#: The code of a scope; the name is its hash.
CODE = "H"
#: A line of code of a scope; the name is its hash.
LINE = "L"
#: The kinds whose rows have no value.
PLAIN = frozenset({FLAG, FOREIGN, STAR, LAZY, VARIABLE, ATTRIBUTE, STORED, KEY, CONDITIONAL})
#: The kinds whose value is where a name comes from.
TARGETED = frozenset({IMPORT, TYPING, MOVED})
#: Marks a class whose objects get attributes that it does not name, and one with a metaclass.
SOME, META = "*", "%"
#: The flag of a module of which only classes, functions and public methods are kept.
OUTLINED = "outlined"
#: The flag of an outlined module of which only classes are kept.
LISTED = "listed"


def text_of_mask(mask: int, count: int) -> str:
    """Return a set of releases as intervals, such as ``3-7,9-``; the last is open if it has the newest of `count`."""
    parts = []
    for first, last in intervals(mask):
        parts.append(f"{first}-" if last == count - 1 else f"{first}-{last}" if last > first else str(first))
    return ",".join(parts)


def mask_of_text(text: str, count: int) -> int:
    """Return the set of releases that `text_of_mask` wrote."""
    mask = 0
    for part in text.split(","):
        first, dash, last = part.partition("-")
        end = int(last) if last else count - 1 if dash else int(first)
        mask |= (1 << (end + 1)) - (1 << int(first))
    return mask


def intervals(mask: int) -> list[tuple[int, int]]:
    """Return the first and the last of each run of neighbors in a set of releases."""
    found = []
    at = 0
    while mask >> at:
        at += ((mask >> at) & -(mask >> at)).bit_length() - 1
        run = mask >> at
        length = (~run & (run + 1)).bit_length() - 1
        found.append((at, at + length - 1))
        at += length
    return found


def union(masks: Iterable[int]) -> int:
    """Return the releases of several sets of them."""
    found = 0
    for mask in masks:
        found |= mask
    return found
