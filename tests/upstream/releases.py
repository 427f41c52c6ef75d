"""The source of real upstream releases as folders, unpacked from `vcompat.upstream.store`.

Both are in the folder VCOMPAT_TEST_CACHE, else in ``vcompat-tests`` in the user's cache folder.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

from packaging.version import Version

from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.index import IndexUnreachable, Release, releases_of
from vcompat.upstream.store import Store, Unavailable


class NotAvailable(Exception):
    """A release could not be fetched."""


def cache_directory() -> Path:
    """Return the folder of the cache."""
    named = os.environ.get("VCOMPAT_TEST_CACHE")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "vcompat-tests"


def source(package: str, version: str) -> Archive | Tree:
    """Open the text files of one release. Raises NotAvailable with the release and the reason."""
    wanted = Version(version)
    store = Store(cache_directory() / "releases")
    release = Release(package, wanted, "", "", "", False)
    if not store.has(package, wanted):
        release = _on_the_index(package).get(wanted, release)
    try:
        return store.open(release)
    except Unavailable as trouble:
        raise NotAvailable(str(trouble)) from trouble


def in_store(version: Version) -> Store:
    """Return the user's store with a vLLM release in it, which is fetched if it is not there."""
    store = Store()
    if not store.has("vllm", version):
        store.open(next(release for release in releases_of("vllm") if release.version == version)).close()
    return store


def release(package: str, version: str) -> Path:
    """Return the unpacked source tree of one release, which appears in the cache atomically.

    Raises NotAvailable with the release and the reason.
    """
    tree = cache_directory() / "trees" / f"{package}-{version}"
    if not tree.is_dir():
        with source(package, version) as archive:
            tree.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
                _unpack(archive, Path(scratch) / "tree")
                try:
                    os.replace(Path(scratch) / "tree", tree)
                except OSError:
                    # Another test process created the tree first.
                    if not tree.is_dir():
                        raise
    return tree


def _unpack(archive: Archive | Tree, tree: Path) -> None:
    for name in archive.names():
        file = tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(archive.read(name) or "", encoding="utf-8")


@cache
def _on_the_index(package: str) -> dict[Version, Release]:
    try:
        return {release.version: release for release in releases_of(package)}
    except IndexUnreachable as trouble:
        raise NotAvailable(f"there is no {package} in {cache_directory()} yet: {trouble}") from trouble
