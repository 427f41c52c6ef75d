"""The source of real upstream releases: fetched once from the package index, then read from a cache.

`release("vllm", "0.8.4")` returns the folder of the unpacked source distribution, text files only. Nothing of it is
built or installed. The cache is the folder that VCOMPAT_TEST_CACHE names, else ``vcompat-tests`` in the user's cache folder.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from packaging.version import Version
from unearth import PackageFinder

KEPT = {".py", ".txt", ".toml", ".cfg", ".in", ""}


class NotAvailable(Exception):
    """A release could not be fetched."""


def cache_directory() -> Path:
    """Where unpacked releases are kept."""
    named = os.environ.get("VCOMPAT_TEST_CACHE")
    return Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "vcompat-tests"


def release(package: str, version: str) -> Path:
    """The unpacked source tree of one release.

    A tree appears in the cache at once and whole: a download that was cut short is never taken for one.
    Raises NotAvailable, saying which release and why.
    """
    tree = cache_directory() / f"{package}-{version}"
    if not tree.is_dir():
        tree.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
            unpacked = _fetch(package, version, Path(scratch))
            _drop_binaries(unpacked)
            try:
                os.replace(unpacked, tree)
            except OSError:
                # Another test process may have been faster; its tree is as good as ours.
                if not tree.is_dir():
                    raise
    return tree


def known_releases(package: str) -> list[Version]:
    """All releases of a package that the package index has, oldest first; without network, those in the cache."""
    try:
        found = {Version(c.version) for c in PackageFinder(no_binary=[package]).find_all_packages(package) if c.version}
    except Exception:  # which one it is depends on the HTTP library that the client uses
        found = set()
    if not found:
        trees = cache_directory().glob(f"{package}-[0-9]*")
        found = {Version(tree.name.removeprefix(f"{package}-")) for tree in trees}
    if not found:
        raise NotAvailable(f"neither the package index nor {cache_directory()} has a release of {package}")
    return sorted(found)


def _fetch(package: str, version: str, scratch: Path) -> Path:
    finder = PackageFinder(no_binary=[package])
    try:
        best = finder.find_best_match(f"{package}=={version}").best
        if best is not None:
            return Path(finder.download_and_unpack(best.link, scratch / "tree", scratch))
    except Exception as error:  # see above
        raise NotAvailable(
            f"{package} {version} is not in {cache_directory()} and cannot be fetched: {error}"
        ) from error
    raise NotAvailable(f"no source distribution of {package} {version} can be had: no network, or no such release")


def _drop_binaries(tree: Path) -> None:
    for path in tree.rglob("*"):
        if path.is_symlink() or (path.is_file() and path.suffix not in KEPT):
            path.unlink()
