"""Takes here-documents out of shell text before it is parsed.

tree-sitter-bash reads a line with two here-documents as one that never ends. Each ``<<EOF`` becomes ``<name``, and the
lines of its body are removed. `time`, which tree-sitter-bash takes for a program, goes as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from vcompat.sources.reading.shell.tree.source import HereDocument, NotFollowed, Source, decoded

if TYPE_CHECKING:
    import tree_sitter

_CANDIDATE = re.compile(rb"(?<!<)<<-?(?!<)|(?<![^\s;&|(!{])time(?:[ \t]+-p)?(?=[ \t]+[^\s=])")
_DELIMITER = re.compile(rb"[ \t]*((?:\\.|'[^'\n]*'|\"[^\"\n]*\"|[^\s;&|<>()'\"\\`$])+)", re.DOTALL)
#: The rest of a line, with the next one after a backslash.
_REST = re.compile(rb"(?:[^\\\n]|\\.)*", re.DOTALL)
_QUOTED = re.compile(r"'[^'\n]*'|\"(?:[^\"\\]|\\.)*\"|\\.|(?:^|(?<=\s))#.*", re.DOTALL)
#: Maximum number of here-documents in a text.
_MOST_DOCUMENTS = 300


class _Cut(NamedTuple):
    start: int
    end: int
    new: bytes


def take_out(source: Source) -> None:
    """Replace the here-documents of a text. Raises NotFollowed at one that is not plain."""
    position = 0
    while _CANDIDATE.search(source.data, position):
        cuts, position = _cuts(source, position)
        if not cuts:
            return
        _apply(source, cuts)


def _cuts(source: Source, position: int) -> tuple[list[_Cut], int]:
    """Return the replacements up to the first one after which the tree is wrong, and where to go on."""
    data, root = source.data, source.parse().root_node
    cuts: list[_Cut] = []
    shift = 0
    for match in _CANDIDATE.finditer(data, position):
        if cuts and match.start() < cuts[-1].end:
            continue
        kind = _kind(root, match)
        if kind == "time":
            cuts.append(_Cut(match.start(), match.end(), b" " * len(match[0])))
            return cuts, match.end() + shift
        if kind != "document":
            continue
        own, trusted = _document(source, root, match)
        cuts += own
        shift += sum(len(cut.new) - (cut.end - cut.start) for cut in own[:1])
        if not trusted:
            return cuts, own[0].end + shift
        shift += sum(len(cut.new) - (cut.end - cut.start) for cut in own[1:])
    return cuts, len(data)


def _kind(root: tree_sitter.Node, match: re.Match[bytes]) -> str:
    node = root.descendant_for_byte_range(match.start(), match.start() + 2)
    if node is None:
        return ""
    if node.type in ("<<", "<<-"):
        # In a tree with errors, the operator may be on its own.
        following = node.next_sibling
        return "document" if following is not None and following.type == "heredoc_start" else ""
    named = node.type == "word" and node.parent is not None and node.parent.type == "command_name"
    return "time" if named and match[0].startswith(b"time") and node.start_byte == match.start() else ""


def _document(source: Source, root: tree_sitter.Node, match: re.Match[bytes]) -> tuple[list[_Cut], bool]:
    """Return the replacements for one here-document, and whether the tree has its end where it is."""
    data = source.data
    line = _line(source, match.start())
    delimiter = _DELIMITER.match(data, match.end())
    rest = _REST.match(data, delimiter.end()) if delimiter else None
    if delimiter is None or rest is None or len(source.documents) >= _MOST_DOCUMENTS:
        raise NotFollowed(line)
    if any(quote in part for part in _QUOTED.split(decoded(rest[0])) for quote in ("'", '"', "`")):
        raise NotFollowed(line)  # A quoted text that goes on in the next line.
    start = min(rest.end() + 1, len(data))
    word = source.restored(decoded(delimiter[1]))
    ended = _body(data, start, match[0].decode(), re.sub(r"\\(.)|['\"]", r"\1", word))
    if ended is None:
        raise NotFollowed(line)  # It may go on after the lines that are parsed.
    body, end = ended
    name = f"zqdocument{len(source.documents)}q"
    source.documents[name] = HereDocument(match[0].decode(), word, source.restored(body), _line(source, start))
    cuts = [_Cut(match.start(), delimiter.end(), b"<" + name.encode()), _Cut(start, end, b"")]
    node = root.descendant_for_byte_range(match.start(), match.start() + 2)
    parent = node.parent if node is not None else None
    alone = b"<<" not in rest[0] and start > rest.end()
    return cuts, alone and parent is not None and parent.type == "heredoc_redirect" and parent.end_byte + 1 == end


def _body(data: bytes, start: int, operator: str, delimiter: str) -> tuple[str, int] | None:
    """Return the body of a here-document, and where the line after its delimiter starts; None without a delimiter."""
    for line_start, line_end in _lines(data, start):
        line = decoded(data[line_start:line_end])
        if (line.lstrip("\t") if operator == "<<-" else line) == delimiter:
            return decoded(data[start:line_start]), min(line_end + 1, len(data))
    return None


def _lines(data: bytes, start: int) -> Iterator[tuple[int, int]]:
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield start, end
        start = end + 1


def _line(source: Source, position: int) -> int:
    return source.line_at(source.data.count(b"\n", 0, position))


def _apply(source: Source, cuts: list[_Cut]) -> None:
    """Replace parts of the text. Whole lines that are removed are no longer counted."""
    data, lines = source.data, list(source.lines)
    pieces, kept = [], []
    position = row = 0
    for cut in cuts:
        end_row = row + data.count(b"\n", position, cut.start)
        kept += lines[row:end_row]
        row = end_row + data.count(b"\n", cut.start, cut.end)
        pieces += [data[position : cut.start], cut.new]
        position = cut.end
    source.lines = [*kept, *lines[row:]]
    source.set(b"".join([*pieces, data[position:]]))
