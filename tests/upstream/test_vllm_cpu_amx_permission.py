"""vLLM's real selection of its attention kernel on a CPU, and the request that the patch makes to the real kernel.

That the processor has AMX is a stand-in. Whether Linux gets the request is seen in a process that Linux ends when it
makes it.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from signal import SIGSYS
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

from vcompat.patches.of_vllm import vllm_cpu_amx_permission
from vcompat.patches.of_vllm.vllm_cpu_amx_permission import PATCH

BACKEND = "vllm.v1.attention.backends.cpu_attn"
AFFECTED = ["0.11.1", "0.14.0", "0.20.0", "0.24.0", "0.31.0", "0.33.0"]
BF16 = torch.bfloat16


@pytest.fixture
def backend(upstream_module: Callable[..., ModuleType]) -> Callable[..., ModuleType]:
    def loaded(version: str, amx: bool = True) -> ModuleType:
        cpu = SimpleNamespace(_is_amx_tile_supported=lambda: amx, _is_avx512_supported=lambda: True)
        names = ("ARM", "S390X", "RISCV", "POWERPC", "X86")
        architectures = SimpleNamespace(**{name: name for name in names})
        namespace = {
            "CpuArchEnum": architectures,
            "current_platform": SimpleNamespace(get_cpu_architecture=lambda: "X86"),
            "is_quantized_kv_cache": lambda data_type: data_type.startswith("fp8"),
            # Without decorators: the type of a tensor is the real one.
            "torch": SimpleNamespace(cpu=cpu, _C=SimpleNamespace(_cpu=cpu), bfloat16=BF16, dtype=torch.dtype),
        }
        return upstream_module("vllm", version, BACKEND, ("_get_attn_isa",), namespace)

    return loaded


def linux_answers(monkeypatch: pytest.MonkeyPatch, granted: bool) -> list[None]:
    """Stand in for Linux on a processor with AMX; return a list with one item for each request."""
    requests: list[None] = []

    def request() -> bool:
        requests.append(None)
        return granted

    monkeypatch.setattr(vllm_cpu_amx_permission, "_request_tiles", request)
    return requests


@pytest.mark.parametrize("version", AFFECTED)
def test_the_amx_kernel_is_selected_with_a_request_only_with_the_patch(
    version: str, backend: Any, engine_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = linux_answers(monkeypatch, granted=True)
    module = backend(version)
    assert (module._get_attn_isa(BF16, 32), len(requests)) == ("amx", 0)
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    assert (module._get_attn_isa(BF16, 32), len(requests)) == ("amx", 1)
    engine.unpatch()
    assert (module._get_attn_isa(BF16, 32), len(requests)) == ("amx", 1)


@pytest.mark.parametrize("version", AFFECTED)
def test_refused_by_linux_vllm_selects_what_it_selects_without_amx(
    version: str, backend: Any, outcome: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux_answers(monkeypatch, granted=False)
    without_amx = backend(version, amx=False)._get_attn_isa(BF16, 32)
    module = backend(version)
    assert outcome(PATCH) == "applied"
    assert module._get_attn_isa(BF16, 32) == without_amx == "vec"


@pytest.mark.parametrize("version", AFFECTED)
def test_other_data_types_and_processors_make_no_request(
    version: str, backend: Any, outcome: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = linux_answers(monkeypatch, granted=True)
    for amx, arguments in ((True, (torch.float32, 32)), (True, (BF16, 16)), (False, (BF16, 32))):
        module = backend(version, amx)
        before = module._get_attn_isa(*arguments)
        assert outcome(PATCH) == "applied"
        assert module._get_attn_isa(*arguments) == before
    assert requests == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AMX is a feature of x86-64")
def test_linux_answers_the_request_as_the_processor_can() -> None:
    with open("/proc/cpuinfo", encoding="ascii") as file:
        has_amx = " amx_tile" in file.read()
    program = "from vcompat.patches.of_vllm.vllm_cpu_amx_permission import _request_tiles; print(_request_tiles())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(has_amx)]


#: Lets Linux end the process as soon as it requests a processor feature, then selects vLLM's kernel for attention.
SELECT = """
import ctypes, struct, sys
import torch
import vcompat
if sys.argv[1] == "patched":
    vcompat.patch(only=["vllm_cpu_amx_permission"], strict=True)
from vllm.v1.attention.backends import cpu_attn

torch.cpu._is_amx_tile_supported = lambda: True
LOAD, EQUAL, RETURN, KILL, ALLOW = 0x20, 0x15, 0x06, 0x80000000, 0x7FFF0000
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 3, 158), (LOAD, 0, 0, 16), (EQUAL, 0, 1, 0x1023), (RETURN, 0, 0, KILL),
         (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program) == 0
print("SELECTED", cpu_attn._get_attn_isa(getattr(torch, sys.argv[2]), 32), flush=True)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AMX is a feature of x86-64")
@pytest.mark.parametrize(
    ("patched", "dtype", "selected", "code"),
    [
        ("unpatched", "bfloat16", "SELECTED amx", 0),
        ("patched", "bfloat16", "", -SIGSYS),
        pytest.param("patched", "float32", "SELECTED vec", 0, marks=pytest.mark.slow),
    ],
)
def test_the_installed_vllm_reaches_linux_with_the_request_only_with_the_patch(
    patched: str, dtype: str, selected: str, code: int
) -> None:
    environment = {**os.environ, "VLLM_PLUGINS": "none"}
    command = [sys.executable, "-c", SELECT, patched, dtype]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr[-2000:]
    assert selected in done.stdout
