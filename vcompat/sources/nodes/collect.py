"""Finds the reports that a user names: files, folders, standard input."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, NamedTuple

from vcompat.foundation.bounded_reading import read_bytes
from vcompat.foundation.errors import InputError
from vcompat.sources.nodes.reported_node import NodeReport, Reader
from vcompat.sources.nodes.stream import Document, documents

#: The largest file in bytes, and the most reports. A hundred thousand ranks are more than any run has.
SIZE_LIMIT, COUNT_LIMIT = 2_000_000_000, 100_000
#: Bytes that are read at a time: more than a document has.
_BLOCK = 2_000_000
_EXPECTED = "reports of `vcompat probe --format json`"


class Rejected(NamedTuple):
    """A document that is not a report."""

    where: str
    reason: str


class Collected(NamedTuple):
    """The reports of a fleet."""

    reports: tuple[NodeReport, ...]
    rejected: tuple[Rejected, ...] = ()
    repeated: int = 0
    """How many reports occurred again, and were not counted twice."""


def collect_reports(paths: Iterable[str]) -> Collected:
    """Read all reports in files and in the files ``*.json`` of folders; ``-`` is standard input.

    Raises InputError if a path cannot be read, or if there is no report.
    """
    return validated(named for path in paths for named in _documents(path))


def validated(named: Iterable[tuple[str, Document]]) -> Collected:
    """Validate documents, each with the name of the file that has it. Raises InputError if none is a report."""
    reader = Reader()
    reports: list[NodeReport] = []
    rejected: list[Rejected] = []
    seen: set[tuple[object, ...]] = set()
    repeated = 0
    file, number = "", 0
    for path, document in named:
        file, number = path, number + 1 if path == file else 1
        where = f"{path}: report {number}" if path == "standard input" or number > 1 else path
        if len(reports) == COUNT_LIMIT:
            raise InputError(where, f"more than {COUNT_LIMIT} reports", "fewer")
        if document.reason:
            rejected.append(Rejected(where, document.reason))
            continue
        try:
            report = reader.read(document.value, where)
        except InputError as error:
            rejected.append(Rejected(where, str(error).removeprefix(f"{where}: ")))
            continue
        identity = (report.host, report.node.boot, report.node.pid, report.node.time)
        if None not in identity and identity in seen:
            repeated += 1
            continue
        seen.add(identity)
        reports.append(report)
    if not reports:
        reason = f"no report can be used: {rejected[0].where}: {rejected[0].reason}" if rejected else "no report"
        raise InputError(file or "--from", reason, _EXPECTED)
    return Collected(tuple(reports), tuple(rejected), repeated)


def answered(texts: Iterable[tuple[str, str]]) -> Collected:
    """Validate the answers of nodes or ranks, each with its name. An answer has one report, that of its sender.

    Raises InputError if none can be used.
    """
    return validated((name, _only(text)) for name, text in texts)


def _only(text: str) -> Document:
    found = list(islice(documents([text]), 2))
    return found[0] if len(found) == 1 else Document(None, "no report" if not found else "more than one report")


def _documents(path: str) -> Iterator[tuple[str, Document]]:
    if path == "-":
        # Closed only if there is no such stream, which Python shows as None.
        if sys.stdin is None:
            raise InputError("standard input", "is closed", _EXPECTED)
        for document in documents(_decoded(sys.stdin.buffer)):
            yield "standard input", document
        return
    for file in _files(path):
        text = read_bytes(file, SIZE_LIMIT, _EXPECTED).decode("utf-8", "replace").removeprefix("\ufeff")
        found = False
        for document in documents([text]):
            found = True
            yield file, document
        if not found:
            yield file, Document(None, "no JSON object in it: the probe of this node printed no report")


def _files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    try:
        names = sorted(entry.name for entry in os.scandir(path) if entry.name.endswith(".json") and entry.is_file())
    except OSError as error:
        raise InputError(path, error.strerror or str(error), _EXPECTED) from None
    if not names:
        raise InputError(path, "no file *.json in it", _EXPECTED)
    for name in names:
        yield os.path.join(path, name)


def _decoded(stream: IO[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    total = 0
    while block := stream.read(_BLOCK):
        total += len(block)
        if total > SIZE_LIMIT:
            raise InputError("standard input", f"larger than {SIZE_LIMIT // 1_000_000} MB", _EXPECTED)
        text = decoder.decode(block)
        if text:
            yield text
