"""Which Triton compiles vLLM's kernels: the installed one, else the one that torch pins.

Each torch release for CUDA on x86_64 requires one Triton release, and most vLLM releases require one torch release. An
installer follows both. ``evidence/torch.toml`` and ``evidence/vllm.toml`` record what releases require.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder

FACT = "vllm.triton"
_INSTALLED = "packages.triton"
_EXPECTED = "a file written by `rules verify --update`"


def set_triton(facts: Facts) -> None:
    """Set `FACT`. It stays unknown if the user sets Triton or torch to unknown, and for other builds of torch."""
    installed = facts.get(_INSTALLED)
    if installed is not None:
        facts.offer(FACT, installed.value, installed.source, installed.place)
    elif not facts.is_unknown_by_hand(_INSTALLED):
        _set_pinned(facts)


def _set_pinned(facts: Facts) -> None:
    torch, vllm = facts.get("packages.torch"), facts.value("packages.vllm")
    if facts.value("vllm.backend") != "cuda":
        return
    # Imported here: only a CUDA build of vLLM compiles with Triton.
    from vcompat.facts.records.wheels import machines_of

    if "x86_64" not in machines_of(facts.value("host.machine")):
        return
    release, source = torch.value if torch else None, ""
    if torch is None and isinstance(vllm, Version) and not facts.is_unknown_by_hand("packages.torch"):
        release = _pin("vllm", "torch", vllm)
        source = f", which vLLM {vllm} requires"
    if isinstance(release, Version) and (release.local or "cu").startswith("cu"):
        pinned = _pin("torch", "triton", release)
        if pinned is not None:
            facts.offer(FACT, pinned, f"required by torch {release}{source}")


def _pin(package: str, other: str, release: Version) -> Version | None:
    """Return the one release of `other` that a release of `package` requires; None if it is not recorded or not one."""
    text = declared(package, other, evidence_folder()).get(Version(release.public), "")
    return Version(text[2:]) if text.startswith("==") else None


@cache
def declared(package: str, other: str, folder: str) -> Mapping[Version, str]:
    """Return which range of `other` each release of `package` requires, from the record in `folder`.

    Empty if there is no record. Raises InputError if it is malformed.
    """
    import tomli  # Imported here: it takes a while, and not every check asks for a Triton that is not installed.

    path = os.path.join(folder, f"{package}.toml")
    try:
        with open(path, "rb") as file:
            table = tomli.load(file)
        releases = [Version(text) for text in table["releases"].split()]
        ranges = [line.split() for line in table["declares"].get(other, "").splitlines() if line.strip()]
        spans = [(Version(first), Version(last), text) for first, last, text in ranges]
        return {one: text for first, last, text in spans for one in releases if first <= one <= last}
    except FileNotFoundError:
        return {}
    except (OSError, KeyError, ValueError, AttributeError, InvalidVersion) as error:
        raise InputError(path, f"malformed: {error}", _EXPECTED) from None
