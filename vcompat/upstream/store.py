"""The releases that were fetched before, kept in the user's cache, and how one more gets there.

A release appears in the store at once and whole: what was cut short, damaged or does not have the hash that the index
states is never taken for one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from vcompat.upstream.archive import Archive, BadArchive, Tree, pack
from vcompat.upstream.index import Release, finder

#: Age in seconds from which an unfinished download must be the remains of a process that was killed.
_ABANDONED = 24 * 3600
#: How the folders of unfinished downloads are called, before the host and the process that make them.
_UNFINISHED = ".unfinished-"


class Unavailable(Exception):
    """A release's source cannot be had; the text says which release and why."""


class Store:
    """Releases by package and version, in one folder."""

    def __init__(self, folder: Path | None = None, client: Any = None) -> None:
        """Use `folder`, by default `default_folder()`; ask `client` (of `index.finder`) for what is not in it."""
        self.folder = folder or default_folder()
        self._client = client

    def has(self, package: str, version: Version) -> bool:
        """Whether the release is here already."""
        return self._file(package, version).is_file()

    def versions(self, package: str) -> list[Version]:
        """The versions of a package that are here, oldest first."""
        found = []
        for path in self.folder.glob(f"{package}-*.zip"):
            with contextlib.suppress(InvalidVersion):
                found.append(Version(path.stem.removeprefix(f"{package}-")))
        return sorted(found)

    def open(self, release: Release) -> Archive | Tree:
        """The text of a release, fetched if it is not here. Raises Unavailable."""
        if release.local:
            return _open_local(release)
        path = self._file(release.package, release.version)
        if path.is_file():
            try:
                return Archive(path)
            except BadArchive:
                # Damaged since it was written, by a disk or a hand: as good as not there.
                path.unlink(missing_ok=True)
        self._fetch(release, path)
        return Archive(path)

    def _file(self, package: str, version: Version) -> Path:
        return self.folder / f"{package}-{version}.zip"

    def _fetch(self, release: Release, path: Path) -> None:
        name = f"{release.package} {release.version}"
        if not release.address:
            raise Unavailable(f"{name}: the package index has neither a source distribution nor a wheel of it")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=_mark(), dir=self.folder) as scratch:
                download = Path(scratch) / os.path.basename(release.file)
                self._download(release, download)
                packed = Path(scratch) / "packed"
                pack(download, packed)
                os.replace(packed, path)
        except BadArchive as error:
            raise Unavailable(f"{name}: {error}") from error
        except OSError as error:
            raise Unavailable(f"{name}: cannot be kept in {self.folder}: {error.strerror or error}") from error

    def _download(self, release: Release, target: Path) -> None:
        name = f"{release.package} {release.version}"
        self._client = self._client or finder()
        digest = hashlib.sha256()
        with target.open("wb") as file:
            try:
                with self._client.session.stream("GET", release.address) as answer:
                    answer.raise_for_status()
                    for piece in answer.iter_bytes(1 << 20):
                        digest.update(piece)
                        file.write(piece)
            except OSError:
                raise
            except Exception as error:  # which one it is depends on the HTTP library that the client uses
                raise Unavailable(f"{name}: cannot be fetched: {error or type(error).__name__}") from error
        if release.sha256 and digest.hexdigest() != release.sha256:
            raise Unavailable(
                f"{name}: {release.file} is not the file that the package index speaks of (its hash differs)"
            )

    def tidy(self) -> None:
        """Remove what processes that were killed left behind."""
        for remains in self.folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(OSError):
                if _maker_is_gone(remains.name) or time.time() - remains.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(remains)


def _mark() -> str:
    """How this process calls its folders of unfinished downloads."""
    return f"{_UNFINISHED}{platform.node()}-{os.getpid()}-"


def _maker_is_gone(name: str) -> bool:
    """Whether the process that made a folder of unfinished downloads ran on this host and has ended."""
    host, _, rest = name.removeprefix(_UNFINISHED).rpartition("-")[0].rpartition("-")
    if host != platform.node() or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def _open_local(release: Release) -> Archive | Tree:
    path = Path(release.local)
    if path.is_dir():
        return Tree(path)
    with tempfile.TemporaryDirectory(prefix="vcompat-") as scratch:
        packed = Path(scratch) / "packed"
        try:
            pack(path, packed)
        except BadArchive as error:
            raise Unavailable(f"{release.package} {release.version}: {error}") from error
        except OSError as error:
            raise Unavailable(f"{release.package} {release.version}: {path}: {error.strerror or error}") from error
        # Open, it can be read after its name is gone.
        return Archive(packed)


def default_folder() -> Path:
    """The folder that VCOMPAT_CACHE names, else ``vcompat`` in the user's cache folder; releases lie below it."""
    named = os.environ.get("VCOMPAT_CACHE")
    root = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "vcompat"
    return root / "releases"
