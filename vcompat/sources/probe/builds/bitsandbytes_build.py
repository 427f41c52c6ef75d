"""Reads from the names of bitsandbytes' files for which CUDA versions it has libraries.

A wheel from the package index has many, a build from source or by conda has one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from vcompat.facts.builds.bitsandbytes import VERSIONS
from vcompat.facts.facts import Facts
from vcompat.sources.probe.installed_packages import locate


def probe_bitsandbytes(path: Iterable[str] | None = None) -> Facts:
    """Read `VERSIONS` of the bitsandbytes on `path` (default: ``sys.path``)."""
    facts = Facts()
    distribution = locate("bitsandbytes", path)
    if distribution is None:
        return facts
    # Imported here: only an installed bitsandbytes has libraries.
    from vcompat.facts.records.wheels import BITSANDBYTES_FILES, cuda_of

    package = os.path.join(os.path.dirname(distribution.directory), "bitsandbytes")
    try:
        names = os.listdir(package)
    except OSError as error:
        # The metadata of an image are read without the package; those of an editable installation are elsewhere.
        if os.path.isdir(package) or distribution.read("direct_url.json"):
            facts.forget(VERSIONS, f"the libraries in {package} cannot be listed: {error.strerror or error}")
        return facts
    found = (BITSANDBYTES_FILES.fullmatch(f"bitsandbytes/{name}") for name in names)
    versions = sorted(cuda_of(match[1]) for match in found if match)
    facts.set(VERSIONS, tuple(versions), f"libraries in {package}")
    return facts
