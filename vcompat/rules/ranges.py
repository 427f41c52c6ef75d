"""Version ranges as defined by PEP 440, with pre-releases included.

``packaging.specifiers`` does the same, but its import takes a fifth of a check's time. This module implements the six
plain comparisons, which are all that the shipped rules use, and leaves other ranges to that library. A test compares
both for every range in a shipped rule.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

_PLAIN = re.compile(r"(==|!=|<=|>=|<|>)\s*([^\s*]+)")
_CERTAINLY_VALID = re.compile(r"(?:(?:==|!=|<=|>=|<|>)\d+(?:\.\d+)*(?:,|$))+(?<!,)")
_COMPARE: Mapping[str, Callable[[Version, Version], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


class Part(NamedTuple):
    """One comparison of a range."""

    sign: str
    bound: Version
    holds: Callable[[Version], bool]


class Range(NamedTuple):
    """A set of versions: those for which every part holds."""

    parts: tuple[Part, ...]

    def contains(self, version: Version) -> bool:
        """Whether `version` is in the range; pre-releases are included."""
        return all(part.holds(version) for part in self.parts)

    def contains_all_of(self, series: Version) -> bool | None:
        """Whether all releases of a series, such as Python 3.10, are in the range; None if some are."""
        patches = {bound.micro + step for _, bound, _ in self.parts for step in (-1, 0, 1)}
        answers = {
            self.contains(Version(f"{series.major}.{series.minor}.{patch}"))
            for patch in (0, *patches, 99)
            if patch >= 0
        }
        return answers.pop() if len(answers) == 1 else None

    def may_contain(self, version: Version) -> bool:
        """Whether `version` is a pre-release of a release that bounds the range, and only that bound excludes it.

        PEP 440 excludes 0.8.5rc1 from ``<0.8.5`` and from ``>=0.8.5``. Its code can be on either side of the bound.
        """
        if not version.is_prerelease:
            return False
        here = [part for part in self.parts if _same_release(part.bound, version)]
        begins_or_ends = any(part.sign in ("<", ">=") and not part.bound.is_prerelease for part in here)
        rest = all(part.holds(version) for part in self.parts if part not in here)
        return begins_or_ends and rest


class InvalidRange(ValueError):
    """The text is not a version range."""


def check_range(text: str) -> None:
    """Raise InvalidRange where `parse_range` would. Ranges of plain releases are not parsed, which takes longer."""
    if _CERTAINLY_VALID.fullmatch(text) is None:
        parse_range(text)


@lru_cache(maxsize=65536)
def parse_range(text: str) -> Range:
    """Parse a range such as ``>=0.7.0,<0.8.5``. Raises InvalidRange for any other text."""
    matches = [_PLAIN.fullmatch(part.strip()) for part in text.split(",") if part.strip()]
    try:
        parts = tuple(_plain(match[1], Version(match[2])) for match in matches if match)
    except InvalidVersion as error:
        raise InvalidRange(str(error)) from None
    return Range(parts) if parts and len(parts) == len(matches) else _other(text)


def in_all(ranges: Iterable[str], version: Version) -> bool:
    """Return whether `version` is in each of some ranges."""
    return all(parse_range(text).contains(version) for text in ranges)


def _plain(sign: str, bound: Version) -> Part:
    return Part(sign, bound, lambda version: _holds(version, sign, bound))


def _holds(version: Version, sign: str, bound: Version) -> bool:
    if version.local and (sign == "<=" or (sign in ("==", "!=") and not bound.local)):
        version = Version(version.public)
    if not _COMPARE[sign](version, bound):
        return False
    # An exclusive bound also excludes its own pre-releases, post-releases and local builds.
    if sign == "<":
        return not (version.is_prerelease and not bound.is_prerelease and _same_release(version, bound))
    if sign == ">" and _same_release(version, bound):
        return not version.local and (not version.is_postrelease or bound.is_postrelease)
    return True


def _same_release(one: Version, other: Version) -> bool:
    """Whether both belong to the same release, as 0.9rc1 and 0.9.0 do."""
    return one.epoch == other.epoch and _significant(one.release) == _significant(other.release)


def _significant(release: tuple[int, ...]) -> tuple[int, ...]:
    while len(release) > 1 and not release[-1]:
        release = release[:-1]
    return release


def _other(text: str) -> Range:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        specifiers = SpecifierSet(text)
    except InvalidSpecifier:
        raise InvalidRange(text) from None
    if any(s.operator == "===" for s in specifiers):
        # It compares texts, and what it compares with need not be a version.
        raise InvalidRange(text)
    return Range(
        tuple(
            Part(s.operator, Version(s.version.removesuffix(".*")), partial(s.contains, prereleases=True))
            for s in specifiers
        )
    )
