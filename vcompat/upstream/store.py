"""The store: fetched releases in the user's cache, and how releases are added.

A release appears in the store atomically. A download that is truncated, damaged or does not match the hash on the index
is never stored.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import platform
import shutil
import tempfile
import time
from pathlib import Path
from typing import IO, Any, cast

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.upstream.archive import Archive, BadArchive, Tree, pack, pack_open
from vcompat.upstream.index import IndexUnreachable, Release, finder, releases_of
from vcompat.upstream.remote import Remote

#: Age in seconds after which an unfinished download is considered left behind by a killed process.
_ABANDONED = 24 * 3600
#: Prefix of the folders of unfinished downloads; host name and process id follow.
_UNFINISHED = ".unfinished-"


#: Packages whose wheels are too large to fetch: a torch wheel has close to a gigabyte, its Python files 4 to 11 MB.
#: bitsandbytes has no source distributions, and 60 to 140 MB of libraries in each wheel.
_READ_BY_PARTS = frozenset({"torch", "bitsandbytes"})
#: Bytes fetched at once. The Python files of a torch wheel are next to each other.
_PART = 4 << 20


class Unavailable(Exception):
    """The source of a release is not available; the message states which release and why."""


class Store:
    """Releases by package and version, in one folder."""

    def __init__(self, folder: Path | None = None, client: Any = None) -> None:
        """Use `folder`, by default `default_folder()`. `client` (see `index.finder`) fetches missing releases."""
        self.folder = folder or default_folder()
        self._client = client

    def has(self, package: str, version: Version) -> bool:
        """Whether the store has the release."""
        return self._file(package, version).is_file()

    def versions(self, package: str) -> list[Version]:
        """Return the stored versions of a package, oldest first."""
        versions = []
        for path in self.folder.glob(f"{package}-*.zip"):
            with contextlib.suppress(InvalidVersion):
                versions.append(Version(path.stem.removeprefix(f"{package}-")))
        return sorted(versions)

    def open(self, release: Release) -> Archive | Tree:
        """Open the text files of a release; fetch it first if the store does not have it. Raises Unavailable."""
        if release.local:
            return _open_local(release)
        path = self._file(release.package, release.version)
        if path.is_file():
            try:
                return Archive(path)
            except BadArchive:
                # Damaged after it was written: fetch it again.
                path.unlink(missing_ok=True)
        self._fetch(release, path)
        return Archive(path)

    def _file(self, package: str, version: Version) -> Path:
        return self.folder / f"{package}-{version}.zip"

    def _fetch(self, release: Release, path: Path) -> None:
        name = f"{release.package} {release.version}"
        if not release.address:
            raise Unavailable(f"{name}: the package index has neither a source distribution nor a wheel")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=_mark(), dir=self.folder) as scratch:
                packed = Path(scratch) / "packed"
                if release.package in _READ_BY_PARTS:
                    self._read_by_parts(release, packed)
                else:
                    download = Path(scratch) / os.path.basename(release.file)
                    self._download(release, download)
                    pack(download, packed)
                os.replace(packed, path)
        except BadArchive as error:
            raise Unavailable(f"{name}: {error}") from error
        except OSError as error:
            raise Unavailable(f"{name}: cannot be stored in {self.folder}: {error.strerror or error}") from error

    def _read_by_parts(self, release: Release, target: Path) -> None:
        """Pack the text files of a wheel without fetching the rest of it. Their checksums in the wheel are verified."""
        self._client = self._client or finder()
        try:
            with io.BufferedReader(Remote(self._client.session, release.address), _PART) as wheel:
                pack_open(cast("IO[bytes]", wheel), release.file, target)
        except (BadArchive, OSError):
            raise
        except Exception as error:  # the type depends on the HTTP library of the client
            raise Unavailable(f"{release.package} {release.version}: cannot be fetched: {error}") from error

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
            except Exception as error:  # the type depends on the HTTP library of the client
                raise Unavailable(f"{name}: cannot be fetched: {error or type(error).__name__}") from error
        if release.sha256 and digest.hexdigest() != release.sha256:
            raise Unavailable(f"{name}: {release.file} does not match the hash on the package index")

    def tidy(self) -> None:
        """Remove the unfinished downloads of killed processes."""
        for remains in self.folder.glob(f"{_UNFINISHED}*"):
            with contextlib.suppress(OSError):
                if _maker_is_gone(remains.name) or time.time() - remains.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(remains)


def release_of(package: str, version: Version, where: str) -> Release:
    """Return one release, from the store or the index, pre-releases included.

    Raises InputError, with `where` as the location, if there is none or the index does not answer.
    """
    if Store().has(package, version):
        return Release(package, version, "", "", "", False)
    try:
        known = {release.version: release for release in releases_of(package)}
    except IndexUnreachable as trouble:
        raise InputError(where, str(trouble)) from None
    if version not in known:
        raise InputError(where, "there is no such release", f"one up to {max(known)}")
    return known[version]


def _mark() -> str:
    """The prefix of this process for folders of unfinished downloads."""
    return f"{_UNFINISHED}{platform.node()}-{os.getpid()}-"


def _maker_is_gone(name: str) -> bool:
    """Whether the folder of an unfinished download belongs to a process on this host that has ended."""
    host, _, rest = name.removeprefix(_UNFINISHED).rpartition("-")[0].rpartition("-")
    if host != platform.node() or not rest.isdecimal():
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
        # The open file stays readable after the folder is removed.
        return Archive(packed)


def default_folder() -> Path:
    """Return ``releases`` in the folder VCOMPAT_CACHE, else in ``vcompat`` in the user's cache folder."""
    named = os.environ.get("VCOMPAT_CACHE")
    root = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "vcompat"
    return root / "releases"
