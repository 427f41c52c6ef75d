"""The releases that `rules scan --all` compares with each other."""

from __future__ import annotations

from collections.abc import Iterable

from vcompat.fixes.releases import FIRST_WITH_GRPO
from vcompat.upstream.index import Release
from vcompat.upstream.requirements import LIBRARIES, PARTNERS, PINNED

#: The packages whose releases are compared: those with a record.
PACKAGES = (*PARTNERS, *(name for name in LIBRARIES if name not in PINNED), "torchao", "kernels")


def since_grpo(releases: Iterable[Release]) -> list[Release]:
    """Leave out TRL's releases without GRPO."""
    return [release for release in releases if release.package != "trl" or release.version >= FIRST_WITH_GRPO]


def by_package(releases: Iterable[Release]) -> dict[str, list[Release]]:
    """Return those that are compared, by package."""
    compared: dict[str, list[Release]] = {}
    for release in since_grpo(releases):
        if release.package in PACKAGES:
            compared.setdefault(release.package, []).append(release)
    return compared
