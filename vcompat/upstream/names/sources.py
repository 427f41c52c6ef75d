"""The modules of all releases of a package: which files there are, and which releases have the same one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from vcompat.index.packages import IMPORTED
from vcompat.upstream.archive import Archive, Tree
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store
from vcompat.upstream.subjects import ROOTS

#: Folders inside packages that no run imports: tests, and copies of other projects.
_LEFT_OUT = frozenset({"tests", "test", "third_party", "_vendor", "csrc"})
#: Open archives per process: a release of transformers has thousands of files.
_OPEN = 160


class Content(NamedTuple):
    """One content that a module has had."""

    releases: int
    """The releases that have it, a bit for each."""
    first: int
    """The number of the first of them."""
    path: str
    """The path of its file there."""


def contents(package: str, releases: Sequence[Release]) -> Mapping[str, Sequence[Content]]:
    """Return the contents that each module of a package has had, by its name. Raises Unavailable and BadArchive."""
    found: dict[str, dict[object, Content]] = {}
    for number, release in enumerate(releases):
        source = opened(release)
        for module, path in modules_in(package, source.names()).items():
            known = found.setdefault(module, {})
            mark = (source.mark(path), path.endswith("__init__.py"))
            before = known.get(mark, Content(0, number, path))
            known[mark] = before._replace(releases=before.releases | 1 << number)
    return {module: list(found[module].values()) for module in sorted(found)}


def modules_in(package: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the path of each module of a package."""
    found: dict[str, str] = {}
    starts = [(f"{root}{IMPORTED[package]}/", root) for root in ROOTS]
    for path in sorted(path for path in paths if path.endswith(".py")):
        root = next((root for start, root in starts if path.startswith(start)), None)
        parts = path.removeprefix(root or "").removesuffix(".py").split("/")
        if root is None or not _LEFT_OUT.isdisjoint(parts) or not all(part.isidentifier() for part in parts):
            continue
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        # A package outweighs a module of the same name, as in an import.
        if module not in found or parts[-1] == "__init__":
            found[module] = path
    return found


@lru_cache(maxsize=_OPEN)
def opened(release: Release) -> Archive | Tree:
    """Return the source of a release, kept open. Raises Unavailable."""
    return Store().open(release)
