"""Which releases to look at: those on both sides of every change that a claim makes, of all that the package index has."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

from packaging.version import Version

from tests.upstream.releases import known_releases, release

#: The oldest and the newest release of each package that is spoken of. A newer one is the next survey's work.
SURVEYED = {
    "vllm": ("0.5.5", "0.33.0"),
    "trl": ("0.14.0", "1.16.0"),
    "deepspeed": ("0.16.0", "0.19.8"),
    "transformers": ("4.45.0", "5.23.0"),
    "peft": ("0.16.0", "0.21.2"),
}
#: Published as wheels only.
WITHOUT_SOURCE = {("vllm", "0.15.0"), ("vllm", "0.15.1")}


@cache
def surveyed(package: str) -> list[Version]:
    """The releases of a package, oldest first."""
    oldest, newest = map(Version, SURVEYED[package])
    return [
        version
        for version in known_releases(package)
        if oldest <= version <= newest and not version.is_prerelease and (package, str(version)) not in WITHOUT_SOURCE
    ]


def edges(package: str, claim: Callable[[Version], object]) -> list[Version]:
    """The releases next to each other of which `claim` says different things, and the newest one."""
    versions = surveyed(package)
    chosen = {versions[-1]}
    for before, after in pairwise(versions):
        if claim(before) != claim(after):
            chosen |= {before, after}
    return sorted(chosen)


def reader(package: str, version: Version) -> Callable[[str], str | None]:
    """Reads files of a release's source tree by their path in it; None for one that it does not have."""
    tree = release(package, str(version))

    def read(path: str) -> str | None:
        file = tree / path
        return file.read_text(encoding="utf-8") if file.is_file() else None

    return read
