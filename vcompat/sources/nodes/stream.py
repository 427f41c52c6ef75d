"""Separates concatenated JSON documents, such as the output of a command that ran on many nodes.

`srun` passes on pieces of lines, so the documents of two tasks can be mixed. Then they are malformed, or do not match
their checksum. With ``--label`` each piece has the number
of its task in front, and the documents are put together again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from zlib import crc32

from vcompat.sources.probe.probe_report import CHECKSUM

#: The most characters of one document. A report of a node with 16 GPUs has some twenty thousand.
DOCUMENT_LIMIT = 1_000_000
#: After so many documents that cannot be read, a stream is given up: it is no collection of reports.
REJECTED_LIMIT = 1_000
#: What `srun --label` puts before each piece.
_LABEL = re.compile(r" *(\d{1,9}): ?")
#: The checksum and what closes the document.
_CHECKSUM_LENGTH = 10
_SPACE = " \t\r\n"


class Document(NamedTuple):
    """One document of a stream."""

    value: Any
    """The parsed JSON; None if it was rejected."""
    reason: str = ""
    """Why it was rejected; empty if it was not."""


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def documents(blocks: Iterable[str]) -> Iterator[Document]:
    """Yield the JSON objects in a text that comes in blocks. Lines between them that begin with none are skipped."""
    left = iter(blocks)
    first = next(left, "")
    if _LABEL.match(first.lstrip(_SPACE)):
        yield from _labeled([first, *left])
    else:
        yield from _Splitter(first, left).documents()


def _labeled(blocks: list[str]) -> Iterator[Document]:
    """Yield the documents of each label. The line ends were added by srun, so they are dropped."""
    pieces: dict[str, list[str]] = {}
    for line in "".join(blocks).splitlines():
        label = _LABEL.match(line)
        if label is not None:
            pieces.setdefault(label[1], []).append(line[label.end() :])
    rejected = 0
    for parts in pieces.values():
        for document in _Splitter("".join(parts), iter(())).documents():
            rejected += bool(document.reason)
            if rejected > REJECTED_LIMIT:
                return
            yield document


def _checked(value: Any, text: str) -> Document:
    """Return a document, rejected if its text is not what was written."""
    if "\ufffd" in text:
        return Document(None, "not UTF-8 text")
    content, found, checksum = text.rpartition(CHECKSUM)
    # Only at the end: the same text can be in a string of a document without a checksum.
    if (
        found
        and len(checksum) == _CHECKSUM_LENGTH
        and checksum != f'{crc32(content.encode("utf-8", "replace")):08x}"}}'
    ):
        return Document(None, "does not match its checksum: parts of several reports were mixed, or it was changed")
    return Document(value)


class _Splitter:
    """What was read of a stream and not yet separated."""

    def __init__(self, first: str, blocks: Iterator[str]) -> None:
        self._text = first
        self._blocks = blocks
        self._at = 0

    def documents(self) -> Iterator[Document]:
        rejected = 0
        while self._find_object():
            document = self._next()
            yield document
            rejected += bool(document.reason)
            if rejected == REJECTED_LIMIT:
                yield Document(
                    None, f"{REJECTED_LIMIT} documents before it cannot be read, so the rest is not looked at"
                )
                return

    def _find_object(self) -> bool:
        """Move to the next line that begins with an object; return whether there is one."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                if self._text[self._at] == "{":
                    return True
                end = self._text.find("\n", self._at)
                self._at = len(self._text) if end < 0 else end
            elif not self._more():
                return False

    def _next(self) -> Document:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                # It can be incomplete. Blocks are larger than documents, so each is parsed a few times at most.
                if len(self._text) - self._at <= DOCUMENT_LIMIT and self._more():
                    continue
                return self._reject(f"not valid JSON: {error.msg}")
            except ValueError as error:
                return self._reject(f"not valid JSON: {error}"[:200])
            except RecursionError:
                return self._reject("nested too deeply to be read")
            start, self._at = self._at, end
            if end - start > DOCUMENT_LIMIT:
                return Document(None, f"larger than {DOCUMENT_LIMIT // 1_000_000} MB")
            return _checked(value, self._text[start:end])

    def _reject(self, reason: str) -> Document:
        """Go on at the next line that begins with an object."""
        while (found := self._text.find("\n{", self._at + 1)) < 0:
            # The last character is kept: it can be the end of a line.
            self._at = max(self._at + 1, len(self._text) - 1)
            if not self._more():
                self._at = len(self._text)
                return Document(None, reason)
        self._at = found + 1
        return Document(None, reason)

    def _more(self) -> bool:
        block = next(self._blocks, "")
        # What was separated is dropped, so that a long stream takes no memory.
        self._text, self._at = self._text[self._at :] + block, 0
        return bool(block)
