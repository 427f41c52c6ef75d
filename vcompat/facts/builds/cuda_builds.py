"""The CUDA versions for which vLLM's developers build wheels of a release.

One of these wheels is on the package index. The others have the CUDA version in their own, as in 0.31.0+cu129, and are
among the files of the release on GitHub. One file, ``evidence/vllm_builds.json``, written by `vcompat rules verify
--update` from the release pipeline in each source distribution (`vcompat.upstream.wheels.pipeline`). What was published
is not recorded: the developers can leave a wheel out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.wheels import VLLM_KERNELS, key_of, load_wheels, machines_of
from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE = "vllm_builds.json"
#: For each processor, as in the names of wheels, the CUDA versions of each release, oldest first.
Builds = Mapping[str, Mapping[Version, tuple[Version, ...]]]


def load_builds(folder: Path | None = None) -> Builds:
    """Return the record in `folder`, by default the shipped one; empty if there is none. Raises InputError."""
    return _load(os.path.join(folder or evidence_folder(), FILE))


@cache
def _load(path: str) -> Builds:
    try:
        with open(path, encoding="utf-8") as file:
            return {machine: _releases(runs) for machine, runs in json.load(file)["builds"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, AttributeError, TypeError, InvalidVersion) as error:
        raise InputError(path, f"cannot be read: {error}", "a file written by `rules verify --update`") from None


def _releases(runs: list[list[str]]) -> dict[Version, tuple[Version, ...]]:
    return {
        Version(release): tuple(map(Version, versions.split()))
        for releases, versions in runs
        for release in releases.split()
    }


def fits(release: Version, cuda: Version, facts: Facts) -> bool | None:
    """Return whether the wheel of a release on the package index is for the major version of torch's `cuda`.

    None if that is not known.
    """
    on_index = load_wheels().get(key_of(VLLM_KERNELS, machine_of(facts)), {}).get(release)
    return on_index.cuda == str(cuda.major) if on_index is not None and on_index.cuda else None


def other_build(release: Version, cuda: Version, facts: Facts) -> Version | None:
    """Return the CUDA version of the wheel to take instead of the one on the package index, for torch's `cuda`.

    That is the newest of the same major version. None if the wheel on the index fits, or if none is known to.
    """
    built = load_builds().get(machine_of(facts), {}).get(release, ()) if fits(release, cuda, facts) is False else ()
    return max((one for one in built if one.major == cuda.major), default=None)


def machine_of(facts: Facts) -> str:
    """Return the processor in the names of wheels; x86_64 if it is not known, which is what `resolve` assumes."""
    return next(iter(machines_of(facts.value("host.machine", "x86_64"))), "")
