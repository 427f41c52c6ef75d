"""What the patches would do to one release, determined from its source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.patching.guard import APPLY, NOT_NEEDED, REFUSE, Verdict, inspect_source
from vcompat.patching.patch import Change, Patch
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.store import Store, Unavailable, release_of
from vcompat.upstream.subjects import Read, module_source
from vcompat.upstream.verdicts import changed_packages

_EXPECTED = "a release such as vllm==0.25.1, or a package such as vllm"


class Target(NamedTuple):
    """What the patches are checked against."""

    package: str
    version: Version | None
    """None for every recorded release."""


class Outcome(NamedTuple):
    """What one patch would do to one release."""

    patch: Patch
    word: str
    """APPLY, NOT_NEEDED or REFUSE."""
    reason: str


def parse_target(text: str, patches: Iterable[Patch]) -> Target:
    """Parse ``vllm==0.25.1`` or ``vllm``.

    Raises InputError for any other text, and for a package that no patch changes.
    """
    name, pinned, version = text.partition("==")
    known = list(dict.fromkeys(package for patch in patches for package in changed_packages(patch)))
    package = name.strip().lower()
    if set(package) & set("<>!~= "):
        raise InputError(f"--against {text}", "not a release", _EXPECTED)
    if package not in known:
        raise InputError(
            f"--against {text}", f"no patch changes '{package}'", did_you_mean(package, known) or ", ".join(known)
        )
    try:
        return Target(package, Version(version) if pinned else None)
    except InvalidVersion:
        raise InputError(f"--against {text}", f"'{version}' is not a version", _EXPECTED) from None


def outcomes(package: str, version: Version, patches: Sequence[Patch]) -> list[Outcome]:
    """Return what each patch that changes `package` would do to one release.

    Raises InputError if the release does not exist or cannot be fetched.
    """
    try:
        with Store().open(release_of(package, version, f"--against {package}=={version}")) as source:
            return [judge(patch, package, source.read) for patch in patches if package in changed_packages(patch)]
    except (Unavailable, BadArchive) as trouble:
        raise InputError(f"--against {package}=={version}", str(trouble)) from None


def judge(patch: Patch, package: str, read: Read) -> Outcome:
    """Return what a patch would do: refuse if one of its changes refuses, else apply if one of them applies."""
    verdicts = [_verdict(change, read) for change in patch.changes if change.module.partition(".")[0] == package]
    for word in (REFUSE, APPLY, NOT_NEEDED):
        for verdict in verdicts:
            if verdict.word == word:
                return Outcome(patch, word, verdict.reason)
    raise LookupError(f"{patch.id} changes nothing in {package}")


def _verdict(change: Change, read: Read) -> Verdict:
    _, source = module_source(change.module, read)
    if source is None:
        return Verdict(NOT_NEEDED, f"this release has no {change.module}")
    return inspect_source(change, source)
