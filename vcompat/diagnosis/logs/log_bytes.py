"""The bytes of a log: a file, a folder of files, standard input; plain, or compressed with gzip or zstd."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from vcompat.foundation.errors import InputError

#: Bytes that are read at once.
BLOCK = 256 * 1024
#: What a user passes for standard input.
STDIN = "-"
#: The most files of a folder that are read.
MOST_FILES = 4096
#: What is wrong with a folder that has no logs yet.
EMPTY_FOLDER = "a folder without files"
#: A file is no text if its first bytes have a zero among them, and this share of them is zero or no UTF-8.
_BINARY_SHARE, _LOOKED_AT = 0.1, 8192

#: What weights, optimizers and data sets are in: such files of a folder are not read.
_NO_LOGS = (
    ".safetensors",
    ".bin",
    ".pt",
    ".pth",
    ".npy",
    ".npz",
    ".arrow",
    ".parquet",
    ".model",
    ".png",
    ".pyc",
    ".so",
)

#: Encodings with marks at the beginning of a file, longer marks first.
_MARKED = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
#: Encodings without marks, by which of four bytes of most characters are zero.
_UNMARKED = {
    (False, True, True, True): "utf-32-le",
    (True, True, True, False): "utf-32-be",
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
#: The share of the bytes at a place that are zero if most characters have a zero there, and the fewest bytes that tell.
_MOSTLY, _FEWEST = 0.7, 16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Log(NamedTuple):
    """One log to read."""

    name: str
    """The path as the user wrote it; ``<stdin>`` for standard input."""
    file: IO[bytes]
    """Buffered, so that a read returns fewer bytes than it asks for only at the end."""


class Unreadable(Exception):
    """A log ended where it cannot be read further; ``str(error)`` is the reason."""


def paths_of(path: str) -> list[str]:
    """Return the files to read for `path`: those in a folder, sorted, or the path itself. Raises InputError.

    A folder with checkpoints has weights, too: these are left out.
    """
    if path == STDIN or not os.path.isdir(path):
        return [path]
    found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
    files = sorted(file for file in found if not file.endswith(_NO_LOGS) and os.path.isfile(file))
    if not files:
        raise InputError(path, EMPTY_FOLDER, "a folder of logs")
    if len(files) > MOST_FILES:
        raise InputError(path, f"{len(files)} files", f"a folder of at most {MOST_FILES} logs")
    return files


def open_log(path: str, waits: bool = False) -> Log:
    """Open a log; if it is a named pipe, also before somebody writes, unless it `waits`.

    Raises InputError if it does not exist, is a device, or cannot be read.
    """
    if path == STDIN:
        if sys.stdin is None:
            raise InputError("<stdin>", "closed", "a log")
        return Log("<stdin>", sys.stdin.buffer)
    try:
        if waits and stat.S_ISFIFO(os.stat(path).st_mode):
            return Log(path, open(path, "rb"))
        # Non-blocking: opening a pipe that nobody writes would wait.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            os.close(descriptor)
            raise InputError(path, "a device", "a log")
        os.set_blocking(descriptor, True)
        return Log(path, open(descriptor, "rb"))
    except (OSError, ValueError) as error:
        raise InputError(path, getattr(error, "strerror", None) or str(error), "a log") from None


def blocks(log: Log) -> Iterator[bytes]:
    """Yield the contents of `log` in blocks, decompressed. Raises Unreadable where they cannot be read."""
    try:
        first = log.file.read(BLOCK)
        if first.startswith(_GZIP):
            yield from _decompressed(first, log.file, _gzip)
        elif first.startswith(_ZSTD):
            yield from _decompressed(first, log.file, _zstd)
        elif encoding := _encoding(first[:_LOOKED_AT]):
            yield from _transcoded(_plain(first, log.file), encoding)
        elif not _is_binary(first[:_LOOKED_AT]):
            yield from _plain(first, log.file)
        else:
            raise Unreadable("binary data, not a log")
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from None


def is_plain(first: bytes) -> bool:
    """Return whether a log that begins with these bytes is text in UTF-8 or the like, and not compressed."""
    return not first.startswith((_GZIP, _ZSTD)) and not _encoding(first[:_LOOKED_AT]) and not _is_binary(first)


def _encoding(data: bytes) -> str:
    """The encoding of a text with several bytes per character, such as UTF-16; empty for another one and for binary."""
    if 0 not in data:
        return ""
    marked = next((name for mark, name in _MARKED.items() if data.startswith(mark)), "")
    if marked or len(data) < _FEWEST:
        return marked
    first, second, third, fourth = (data[at::4].count(0) > len(data[at::4]) * _MOSTLY for at in range(4))
    encoding = _UNMARKED.get((first, second, third, fourth), "")
    if not encoding:
        return ""
    return encoding if _is_text(data[: len(data) // 4 * 4].decode(encoding, "replace")) else ""


def _is_text(text: str) -> bool:
    """Whether characters are those of a text, but for some: numbers in a binary file give others."""
    strange = sum(char == "\ufffd" or not (char.isprintable() or char.isspace() or char == "\x1b") for char in text)
    return strange <= len(text) * _BINARY_SHARE


def _is_binary(data: bytes) -> bool:
    strange = data.count(0) + data.decode("utf-8", "replace").count("\ufffd")
    return 0 in data and strange > len(data) * _BINARY_SHARE


def _plain(block: bytes, file: IO[bytes]) -> Iterator[bytes]:
    while block:
        yield block
        block = file.read(BLOCK)


def _transcoded(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield UTF-16, which PowerShell writes, or UTF-32 as UTF-8."""
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")


def _decompressed(first: bytes, file: IO[bytes], codec: Any) -> Iterator[bytes]:
    """Yield decompressed blocks of bounded size, whatever the ratio of the compression is."""
    start, error_type, name = codec()
    decompressor = start()
    for block in _plain(first, file):
        data = block
        while data or not decompressor.needs_input:
            try:
                out = decompressor.decompress(data, BLOCK)
            except error_type as error:
                raise Unreadable(f"damaged {name} data: {error}") from None
            data = b""
            if out:
                yield out
            if decompressor.eof:
                data, decompressor = decompressor.unused_data, start()
                if not data.strip(b"\0"):
                    break
            elif not out:
                break
    if decompressor.started and not decompressor.eof:
        raise Unreadable(f"truncated {name} data")


class _Gzip:
    """One member of a gzip file, with the interface of the standard library's other decompressors."""

    def __init__(self) -> None:
        import zlib

        self._object = zlib.decompressobj(wbits=31)
        self.started = False

    @property
    def needs_input(self) -> bool:
        return not self._object.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._object.eof

    @property
    def unused_data(self) -> bytes:
        return self._object.unused_data

    def decompress(self, data: bytes, limit: int) -> bytes:
        """Return at most `limit` bytes; what is left of `data` is kept for the next call."""
        self.started = self.started or bool(data)
        return self._object.decompress(self._object.unconsumed_tail + data, limit)


def _gzip() -> tuple[type[_Gzip], type[Exception], str]:
    import zlib

    return _Gzip, zlib.error, "gzip"


def _zstd() -> tuple[Any, type[Exception], str]:
    """The decompressor of Python 3.14, or of its backport. Raises Unreadable if there is neither."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from backports import zstd  # type: ignore[import-not-found, no-redef, unused-ignore]
        except ImportError:
            raise Unreadable("zstd data; `pip install backports.zstd`, or decompress the log first") from None

    class _Frame:
        def __init__(self) -> None:
            self._object = zstd.ZstdDecompressor()
            self.started = False

        def __getattr__(self, name: str) -> Any:
            return getattr(self._object, name)

        def decompress(self, data: bytes, limit: int) -> bytes:
            self.started = self.started or bool(data)
            return bytes(self._object.decompress(data, limit))

    return _Frame, zstd.ZstdError, "zstd"
