"""The compiled code in wheels: read again from wheels on the index, and by NVIDIA's own tool."""

from __future__ import annotations

import re
import subprocess
import tempfile
import zipfile
from collections import Counter
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.installed import installed
from vcompat.facts.builds.cuda_builds import load_builds
from vcompat.facts.records.wheels import EVERY_MACHINE, MACHINES, VLLM_KERNELS, key_of, load_wheels
from vcompat.foundation.fatbin import containers
from vcompat.upstream.index import IndexUnreachable, Release, finder, releases_of, wheels_of
from vcompat.upstream.remote import Remote
from vcompat.upstream.wheels.compiled_code import NOT_RECORDED, SINCE, compiled_of
from vcompat.upstream.wheels.pipeline import builds_of

#: A small library of a wheel that has code for one architecture, for families, and PTX.
SAMPLES = [
    ("0.9.2", "vllm/_moe_C.abi3.so"),
    ("0.20.0", "vllm/_flashmla_extension_C.abi3.so"),
    ("0.20.0", "vllm/_moe_C.abi3.so"),
]
CUOBJDUMP = "nvidia-cuda-cuobjdump==13.5.37"


@cache
def wheels(machine: str = "x86_64") -> dict[Version, Release]:
    return {one.version: one for one in wheels_of("vllm", machine)}


@pytest.mark.parametrize("version", ["0.4.1", pytest.param("0.20.0", marks=pytest.mark.slow)])
def test_the_recorded_code_is_that_of_the_wheel(version: str) -> None:
    found = compiled_of(wheels()[Version(version)])
    assert found == recorded_code(version, "vllm")


@pytest.mark.parametrize("machine", MACHINES)
def test_every_wheel_on_the_index_is_recorded(machine: str) -> None:
    published = {one for one in wheels(machine) if one >= SINCE["vllm"] and not one.is_prerelease}
    recorded = load_wheels()[key_of(VLLM_KERNELS, machine)].keys()
    assert {version for version in published if version <= max(recorded)} == recorded


def recorded_code(version: str, package: str) -> dict[str, object]:
    """What is recorded of one release."""
    release = Version(version)
    found = {name: releases.get(release) for name, releases in load_wheels().items() if name.startswith(f"{package}/")}
    return {name: code for name, code in found.items() if code is not None}


def test_the_recorded_code_of_xformers_is_that_of_the_wheel() -> None:
    (release,) = (one for one in releases_of("xformers") if one.version == Version("0.0.35"))
    assert compiled_of(release) == recorded_code("0.0.35", "xformers")


def test_the_names_of_flashinfers_cubins_state_what_their_headers_do() -> None:
    client: Any = finder()
    wheel = next(one for one in wheels_of("flashinfer-cubin", EVERY_MACHINE, client) if str(one.version) == "0.4.0")
    assert compiled_of(wheel, client) == recorded_code("0.4.0", "flashinfer-cubin")
    headers: dict[str, int] = {}
    with zipfile.ZipFile(BufferedReader(Remote(client.session, wheel.address), 1 << 20)) as archive:
        for name in archive.namelist():
            stated = re.search(r"[sS]m(\d+)[af][^/]*\.cubin$", name)
            if stated and stated[1] not in headers:
                # The second byte of the flags of an ELF file for a GPU is its architecture.
                headers[stated[1]] = archive.open(name).read(64)[49]
    assert headers == {"100": 100, "103": 103}


def test_what_is_not_recorded_cannot_be_read_on_the_index() -> None:
    client: Any = finder()
    assert {one.file.rpartition(".tar")[1] for one in releases_of("flash-attn", client)} == {".tar"}
    assert wheels_of("deepspeed", "x86_64", client) == []
    assert all("dev" in str(one.version) for one in wheels_of("deepspeed", EVERY_MACHINE, client))
    with pytest.raises(IndexUnreachable):
        releases_of("flashinfer-jit-cache", client)
    newest = wheels_of("flashinfer-python", EVERY_MACHINE, client)[-1]
    with zipfile.ZipFile(BufferedReader(Remote(client.session, newest.address), 1 << 20)) as archive:
        assert not [name for name in archive.namelist() if name.endswith((".so", ".cubin", ".a", ".fatbin"))]
    assert NOT_RECORDED.keys() == {"flash-attn", "deepspeed", "flashinfer-jit-cache", "flashinfer-python", "torch"}


@pytest.mark.parametrize("version", ["0.8.5", "0.32.0", "0.33.0"])
def test_the_recorded_builds_are_those_of_the_release_pipeline(version: str) -> None:
    release = next(one for one in releases_of("vllm") if one.version == Version(version))
    recorded = {machine: releases.get(release.version) for machine, releases in load_builds().items()}
    assert builds_of(release) == {machine: versions for machine, versions in recorded.items() if versions}


@pytest.mark.parametrize(("version", "member"), SAMPLES)
def test_nvidias_tool_finds_the_same_architectures(version: str, member: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch, "library.so")
        library.write_bytes(contents(wheels()[Version(version)], member))
        with library.open("rb") as file:
            ours = Counter(architecture for found in containers(file) for architecture in found)
        assert ours == listed(library)
    assert len(ours) > 1


def contents(wheel: Release, member: str) -> bytes:
    client: Any = finder()
    with zipfile.ZipFile(BufferedReader(Remote(client.session, wheel.address), 4 << 20)) as archive:
        return archive.read(member)


def listed(library: Path) -> Counter[str]:
    """Return how many containers have code for an architecture, as cuobjdump lists it."""
    (folder,) = installed(CUOBJDUMP)
    program = next(folder.rglob("bin/cuobjdump"))
    program.chmod(0o755)
    done = subprocess.run([program, library], capture_output=True, text=True, timeout=300, check=True)
    found = re.findall(r"^Fatbin (elf|ptx) code:\n=+\narch = sm_(\w+)$", done.stdout, re.MULTILINE)
    return Counter(f"{'sm' if kind == 'elf' else 'compute'}_{number}" for kind, number in found)
