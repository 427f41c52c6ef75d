"""The compiled code in wheels: for which GPU architectures it is built, and for which CUDA runtime.

Such a wheel has hundreds of megabytes. Only the libraries that are recorded are fetched, each to a temporary file, and
only once. `NOT_RECORDED` states why there is no record of other packages.
"""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import IO, Any

from packaging.version import Version

from vcompat.facts.records.wheels import (
    BITSANDBYTES_FILES,
    BITSANDBYTES_KERNELS,
    EVERY_MACHINE,
    FLASH_ATTENTION_2,
    MACHINES,
    VLLM_FILES,
    VLLM_KERNELS,
    Compiled,
    Wheels,
    compiled_code,
    key_of,
)
from vcompat.foundation.fatbin import in_order
from vcompat.upstream.index import IndexUnreachable, Release, finder, wheels_of
from vcompat.upstream.remote import Remote
from vcompat.upstream.store import Unavailable

#: Its wheels have no libraries but a file for each kernel, thousands of them.
CUBINS = "flashinfer-cubin"
#: For each package whose wheels are inspected: the recorded libraries, with a pattern of their files. A name may have
#: a group of the pattern in it, and stands for several libraries then.
LIBRARIES: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "vllm": {
        VLLM_KERNELS: VLLM_FILES,
        "vllm/_moe_C": re.compile(r"vllm/_moe_C(_stable_libtorch)?\.[^/]*so"),
        # FlashAttention 3, in a library of its own, is for Hopper only, and so is its code.
        FLASH_ATTENTION_2: re.compile(r"vllm/vllm_flash_attn/(_vllm_fa2_C|vllm_flash_attn_c)\.[^/]*so"),
    },
    "bitsandbytes": {BITSANDBYTES_KERNELS + r"\1": BITSANDBYTES_FILES},
    # No rule follows from it: for the attention that vLLM uses, xformers calls torch's kernels where its own have no
    # code. Its FlashAttention 3, too, is a library of its own, for Hopper only.
    "xformers": {
        "xformers/_C": re.compile(r"xformers/_C\.so"),
        "xformers/_C_flashattention": re.compile(r"xformers/_C_flashattention\.so"),
    },
    CUBINS: {"flashinfer-cubin/cubins": re.compile(r"flashinfer_cubin/cubins/.+\.cubin")},
}
#: The packages of `LIBRARIES` whose source no rule and no patch is about.
WITHOUT_SOURCE = frozenset({"xformers", CUBINS})
#: Why there is no record of other packages with code for GPUs.
NOT_RECORDED: Mapping[str, str] = {
    "deepspeed": "no wheels with code for Linux on the package index; compiled at run time or when it is installed",
    "flash-attn": "no wheels on the package index; it is compiled when it is installed",
    "flashinfer-jit-cache": "not on the package index",
    "flashinfer-python": "its wheels have neither shared libraries nor cubins; it is compiled at run time",
    "torch": "evidence/torch.toml has the list of architectures in libtorch_python.so; the code itself, "
    "libtorch_cuda.so, takes hundreds of megabytes of each wheel",
}
#: The first releases that are inspected: those with the present layout of vLLM's libraries, and those of bitsandbytes
#: that choose among their libraries as later ones do. vLLM 0.4.1 requires xformers 0.0.25.
SINCE: Mapping[str, Version] = {
    "vllm": Version("0.4.1"),
    "bitsandbytes": Version("0.43.1"),
    "xformers": Version("0.0.25"),
    CUBINS: Version("0.4.0"),
}
_PART = 4 << 20
#: The architecture in the name of a cubin, as in fmhaSm100aKernel_H128.cubin or Gemm_Bfloat16_sm100f.cubin.
_ARCHITECTURE = re.compile(r"[sS]m_?(\d+[af]?)(?!\d)")


def compiled_of(release: Release, client: Any = None, recorded: Wheels = MappingProxyType({})) -> dict[str, Compiled]:
    """Return the compiled code of a release's wheels for Linux, by library and processor (see `wheels.key_of`).

    What is `recorded` is not fetched. Empty for what is never recorded: other packages, releases before `SINCE`,
    without wheels or not on the index. Raises Unavailable if a wheel cannot be read.
    """
    package, version = release.package, release.version
    wanted = _not_in(recorded, release) if package in LIBRARIES and release.address else {}
    if not wanted or version < SINCE[package]:
        return {}
    client = client or finder()
    compiled: dict[str, Compiled] = {}
    for machine in (EVERY_MACHINE,) if package == CUBINS else MACHINES:
        try:
            wheel = next((one for one in wheels_of(package, machine, client) if one.version == version), None)
        except IndexUnreachable as trouble:
            raise Unavailable(f"{package} {version}: {trouble}") from trouble
        if wheel is not None:
            compiled |= {key_of(library, machine): code for library, code in _read(wheel, wanted, client).items()}
    return compiled


def _not_in(recorded: Wheels, release: Release) -> dict[str, re.Pattern[str]]:
    """Return the libraries to fetch: all of a release that is not recorded, else those of which nothing is recorded.

    Libraries come and go, so a release that is recorded without one of them may not have it.
    """
    package, names = release.package, [key.partition(" ")[0] for key in recorded]
    known = {name for key, name in zip(recorded, names, strict=True) if release.version in recorded[key]}
    every = LIBRARIES[package]
    if not any(name.startswith(f"{package}/") for name in known):
        return dict(every)
    templates = {name: re.compile(re.escape(name).replace(re.escape(r"\1"), r"\w+")) for name in every}
    return {name: every[name] for name, template in templates.items() if not any(map(template.fullmatch, names))}


def _read(wheel: Release, wanted: Mapping[str, re.Pattern[str]], client: Any) -> dict[str, Compiled]:
    try:
        remote = Remote(client.session, wheel.address)
        with zipfile.ZipFile(io.BufferedReader(remote, _PART)) as archive:
            libraries = _libraries(archive, wanted)
            if wheel.package == CUBINS:
                return {name: _code_by_names(files) for name, files in libraries.items()}
            return {name: compiled_code(_copies(archive, files)) for name, files in libraries.items()}
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"{wheel.package} {wheel.version}: {wheel.file} cannot be read: {error}") from error


def _code_by_names(files: Iterable[str]) -> Compiled:
    """Return the architectures that the names of cubins state. Each cubin is for one; some names state none."""
    found = (match for file in files if (match := _ARCHITECTURE.search(file.rpartition("/")[2])))
    return Compiled("", (), tuple(in_order({f"sm_{match[1]}" for match in found})))


def _libraries(archive: zipfile.ZipFile, wanted: Mapping[str, re.Pattern[str]]) -> dict[str, list[str]]:
    """Return the files of each library that a wheel has."""
    names: dict[str, list[str]] = {}
    for library, pattern in wanted.items():
        for match in filter(None, map(pattern.fullmatch, archive.namelist())):
            names.setdefault(match.expand(library), []).append(match[0])
    return names


def _copies(archive: zipfile.ZipFile, names: Iterable[str]) -> Iterator[IO[bytes]]:
    """Yield a temporary copy of each file, since a file in an archive cannot be read from the middle."""
    for name in names:
        with tempfile.TemporaryFile() as copy, archive.open(name) as member:
            while part := member.read(_PART):
                copy.write(part)
            yield copy
