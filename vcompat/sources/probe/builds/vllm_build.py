"""Reads the CUDA version and the GPU architectures of the installed vLLM from its compiled libraries.

A wheel from the package index, one with ``+cu129`` in its version and a build from source can have the same release.
Only headers are read, so this takes a few milliseconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import ExitStack

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.installed_packages import locate_vllm


def probe_vllm(path: Iterable[str] | None = None) -> Facts:
    """Read ``vllm.cuda`` and ``vllm.architectures`` of the vLLM on `path` (default: ``sys.path``)."""
    facts = Facts()
    distribution = locate_vllm(path)
    if distribution is None:
        return facts
    # Imported here: only an installed vLLM has libraries.
    from vcompat.facts.records.wheels import VLLM_FILES
    from vcompat.foundation.elf import BadElf

    package = os.path.join(os.path.dirname(distribution.directory), "vllm")
    if not os.path.isdir(package):
        # The metadata of an image are read without the package; those of an editable installation are elsewhere.
        if distribution.read("direct_url.json"):
            _leave_open(facts, "the installed vLLM is not from a package index")
        return facts
    try:
        names = [name for name in sorted(os.listdir(package)) if VLLM_FILES.fullmatch(f"vllm/{name}")]
        files = [os.path.join(package, name) for name in names]
        # Opening a pipe would wait for a writer.
        _state(facts, [file for file in files if os.path.isfile(file)])
    except (OSError, BadElf) as error:
        _leave_open(facts, f"the libraries in {package} cannot be read: {error}")
    return facts


def _leave_open(facts: Facts, why: str) -> None:
    for fact in ("vllm.cuda", "vllm.architectures"):
        facts.forget(fact, why)


def _state(facts: Facts, files: list[str]) -> None:
    from vcompat.facts.records.wheels import compiled_code

    with ExitStack() as opened:
        code = compiled_code(opened.enter_context(open(file, "rb")) for file in files)
    if not files:
        _leave_open(facts, "the installed vLLM has no compiled libraries beside its modules")
    elif not code.common:
        facts.set("vllm.cuda", None, f"no CUDA code in {_shown(files)}")
    else:
        if code.cuda:
            facts.set("vllm.cuda", Version(code.cuda), f"needed by {_shown(files)}")
        facts.set("vllm.architectures", code.common, f"compiled into {_shown(files)}")


def _shown(files: list[str]) -> str:
    return " and ".join(map(os.path.basename, files))
