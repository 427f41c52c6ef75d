"""The lines of code of each scope, by hashes: in which releases a line of a traceback stands.

Only what distinguishes releases is kept: a line that stands wherever its scope does is not.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

from vcompat.index.rows import CODE, LINE, Row, mask_of_text, text_of_mask, union

_QUOTES = ("'", '"')
#: Lines with fewer letters and digits only open or close something.
_FEWEST = 3
#: Of changes, no interval is open: what changes in the newest release need not change in the next one.
_CLOSED = 0
#: Bytes of the hash of a line. It is compared within a scope, whose lines are hundreds at most.
_BYTES = 2


class Scope(NamedTuple):
    """The code of one function, class body or module."""

    releases: int
    """The releases that have it."""
    changes: int
    """The releases in which its code is not that of the release before."""
    lines: Mapping[bytes, int]
    """The hash of each line that some of the releases lack, with those that have it."""


def normalized(line: str) -> str:
    """Return the code on a line; empty for a line without code, or with too little of it to recognize."""
    text = line.strip()
    if "#" in text:
        if text[0] == "#":
            return ""
        if not any(quote in text for quote in _QUOTES):
            text = text.partition("#")[0].rstrip()
    return text if sum(map(str.isalnum, text)) >= _FEWEST else ""


def line_hash(line: str) -> str:
    """Return what identifies a normalized line among those of a scope, as hexadecimal digits."""
    return f"{crc32(line.encode()) & 0xFFFF:04x}"


def code_hash(lines: Sequence[str]) -> str:
    """Return what identifies the code of a scope, however its lines are wrapped."""
    text = "".join("".join(lines).split()).replace(",)", ")").replace(",]", "]").replace(",}", "}")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def scopes_of(rows: Mapping[Row, int]) -> dict[str, Scope]:
    """Return the scopes of a module whose code changes, of the rows CODE and LINE."""
    codes: dict[str, dict[str, int]] = defaultdict(dict)
    lines: dict[str, dict[bytes, int]] = defaultdict(dict)
    for (kind, scope, name, _), has in rows.items():
        if kind == CODE:
            codes[scope][name] = has
        elif kind == LINE:
            lines[scope][bytes.fromhex(name)] = has
    found = {}
    for scope, variants in codes.items():
        if len(variants) > 1:
            releases = union(variants.values())
            telling = {line: has for line, has in lines[scope].items() if has != releases}
            found[scope] = Scope(releases, _changes(variants, releases), telling)
    return found


def _changes(variants: Mapping[str, int], releases: int) -> int:
    changes, before = 0, None
    for number in range(releases.bit_length()):
        if releases >> number & 1:
            now = frozenset(name for name, has in variants.items() if has >> number & 1)
            if before is not None and now != before:
                changes |= 1 << number
            before = now
    return changes


def encoded_lines(modules: Mapping[str, Mapping[str, Scope]], count: int) -> bytes:
    """Return the scopes of the modules of a chunk: a line for each scope, a line without text, and the hashes."""
    head: list[str] = []
    hashes = bytearray()
    for module, scopes in sorted(modules.items()):
        if scopes:
            head.append(f"@{module}")
        for name, scope in sorted(scopes.items()):
            groups: dict[int, list[bytes]] = defaultdict(list)
            for line, has in scope.lines.items():
                groups[has].append(line)
            words = [name or "-", text_of_mask(scope.releases, count), text_of_mask(scope.changes, _CLOSED) or "-"]
            for has, group in sorted(groups.items()):
                words.append(f"{text_of_mask(has, count)}:{len(group)}")
                hashes += b"".join(sorted(group))
            head.append(" ".join(words))
    return "\n".join(head).encode() + b"\n\n" + bytes(hashes)


def decoded_lines(data: bytes, module: str, count: int) -> dict[str, Scope]:
    """Return the scopes of one module of a chunk that `encoded_lines` wrote."""
    head, _, hashes = data.partition(b"\n\n")
    found: dict[str, Scope] = {}
    at, is_here = 0, False
    for line in head.decode().split("\n"):
        if line.startswith("@"):
            is_here = line[1:] == module
            continue
        name, releases, changes, *groups = line.split(" ") if line else ("", "", "")
        lines: dict[bytes, int] = {}
        for group in groups:
            text, _, number = group.rpartition(":")
            end = at + int(number) * _BYTES
            if is_here:
                has = mask_of_text(text, count)
                for start in range(at, end, _BYTES):
                    key = hashes[start : start + _BYTES]
                    lines[key] = lines.get(key, 0) | has
            at = end
        if is_here and name:
            changed = 0 if changes == "-" else mask_of_text(changes, _CLOSED)
            found["" if name == "-" else name] = Scope(mask_of_text(releases, count), changed, lines)
    return found
