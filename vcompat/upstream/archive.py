"""The text files of a release in a zip archive: packed from a source distribution or a wheel, and read again.

It contains Python files and the files that state what a release requires and how it is built. Links, binaries and data
are left out. Nothing is unpacked to disk, so a path in an archive cannot escape a folder.
"""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO

#: Larger files (in bytes) are left out; no Python module of a release is nearly as large.
LARGEST = 8 << 20
_KEPT_SUFFIXES = frozenset({".py", ".toml", ".cfg", ".in", ".txt"})
_KEPT_NAMES = frozenset({"PKG-INFO", "METADATA"})


class BadArchive(Exception):
    """The file is not a complete, readable archive; the message states why."""


class Archive:
    """The text files of one release, by path in its source tree."""

    def __init__(self, path: Path) -> None:
        """Open an archive written by `pack`. Raises BadArchive."""
        try:
            self._zip = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise BadArchive(f"{path.name} cannot be opened: {error}") from error
        self._names = frozenset(self._zip.namelist())

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if the release has no file at that path. Raises BadArchive.

        A wheel has no ``src`` folder, so a path below ``src`` is also looked up without it.
        """
        for name in (path, path.removeprefix("src/")):
            if name in self._names:
                try:
                    return self._zip.read(name).decode("utf-8", errors="replace")
                except (OSError, zipfile.BadZipFile, EOFError) as error:
                    raise BadArchive(f"{name}: {error}") from error
        return None

    def names(self) -> frozenset[str]:
        """Return the paths of all files."""
        return self._names

    def mark(self, path: str) -> object:
        """Return what identifies the content of a file among all files with this path."""
        info = self._zip.getinfo(path)
        return info.CRC, info.file_size

    def digest(self) -> str:
        """Return what identifies the contents of all files."""
        lines = sorted(f"{info.filename} {info.CRC} {info.file_size}" for info in self._zip.infolist())
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def close(self) -> None:
        self._zip.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Tree:
    """The text files of one release that is unpacked in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, path: str) -> str | None:
        """Return the text of a file; None if there is no file at that path. Raises BadArchive."""
        for name in (path, path.removeprefix("src/")):
            file = self._folder / name
            try:
                if file.is_file() and is_kept(name):
                    return file.read_text(encoding="utf-8", errors="replace")
            except OSError as error:
                raise BadArchive(f"{file}: {error.strerror or error}") from error
        return None

    def names(self) -> frozenset[str]:
        """Return the paths of all files."""
        files = (path for path in self._folder.rglob("*") if path.is_file())
        return frozenset(str(path.relative_to(self._folder)) for path in files if is_kept(path.name))

    def mark(self, path: str) -> object:
        """Return what identifies the content of a file among all files with this path."""
        return hashlib.sha256((self.read(path) or "").encode()).hexdigest()

    def __enter__(self) -> Tree:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """There is nothing to close."""


def pack(distribution: Path, target: Path) -> None:
    """Write the text files of `distribution` (a source distribution or a wheel) to `target`.

    Raises BadArchive if the distribution is truncated or damaged, OSError if `target` cannot be written.
    """
    members = _wheel(distribution) if zipfile.is_zipfile(distribution) else _tarball(distribution)
    _pack(members, distribution.name, target)


def pack_open(wheel: IO[bytes], name: str, target: Path) -> None:
    """Like `pack`, for a wheel that is open for reading. The files are read in the order in which they are stored."""
    _pack(_members(wheel, name), name, target)


def _pack(members: Iterator[tuple[str, bytes]], source: str, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as kept:
        count = 0
        try:
            for name, data in members:
                kept.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=1)
                count += 1
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError, _zlib_error()) as error:
            raise BadArchive(f"{source} is damaged: {error}") from error
        if not count:
            raise BadArchive(f"{source} contains no Python file")


def is_kept(name: str) -> bool:
    """Whether a file with this path is kept."""
    path = PurePosixPath(name)
    return (path.suffix in _KEPT_SUFFIXES or path.name in _KEPT_NAMES) and ".." not in path.parts


def _wheel(path: Path) -> Iterator[tuple[str, bytes]]:
    """Files of a wheel, or of a zipped source distribution, whose files are one folder down."""
    with path.open("rb") as file:
        for name, data in _members(file, path.name):
            yield _below(name) if path.suffix == ".zip" else name, data


def _members(file: IO[bytes], name: str) -> Iterator[tuple[str, bytes]]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise BadArchive(f"{name} is not an archive: {error}") from error
    with archive:
        infos = [info for info in archive.infolist() if is_kept(info.filename) and info.file_size <= LARGEST]
        for info in sorted(infos, key=lambda info: info.header_offset):
            yield info.filename, archive.read(info)


def _tarball(path: Path) -> Iterator[tuple[str, bytes]]:
    """Files of a source distribution, without their top folder."""
    try:
        archive = tarfile.open(path, "r:*")  # noqa: SIM115 - closed below; errors from opening get their own message
    except (tarfile.TarError, EOFError, OSError) as error:
        raise BadArchive(f"{path.name} is not an archive: {error}") from error
    with archive:
        for member in archive:
            if member.isfile() and is_kept(member.name) and member.size <= LARGEST:
                file: IO[bytes] | None = archive.extractfile(member)
                if file is not None:
                    yield _below(member.name), file.read()
        # Read to the end, where a compressed file has the checksum that shows whether it is complete.
        while archive.fileobj is not None and archive.fileobj.read(1 << 20):
            pass


def _below(name: str) -> str:
    return name.removeprefix("./").partition("/")[2] or name


def _zlib_error() -> type[Exception]:
    import zlib

    return zlib.error
