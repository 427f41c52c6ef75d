"""What an outcome of a child means to a check, and what of an installed vLLM is compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from vcompat.evaluation.compiled import COMPILES, FAILS, OPEN
from vcompat.kernels.grid import KERNELS
from vcompat.kernels.here import _attempted, _judged
from vcompat.kernels.installed_vllm import Installed, code_of
from vcompat.kernels.reach import Wanted

PREFIX_PREFILL = KERNELS[0]
WRAPPER = "def context_attention_fwd(q):\n    return q\n\n\nunrelated = 1\n"


@pytest.mark.parametrize(
    ("result", "outcome", "text"),
    [
        ({"outcome": "compiles"}, COMPILES, ""),
        ({"outcome": "aborts", "signal": 6, "message": "no layout"}, FAILS, "the compiler aborts: no layout"),
        ({"outcome": "raises", "in": "triton", "message": "f16 to f16 / RuntimeError: x"}, FAILS, "f16 to f16 / "),
        (
            {"outcome": "raises", "in": "triton", "message": "RuntimeError: PassManager::run failed"},
            FAILS,
            "PassManager",
        ),
        ({"outcome": "raises", "in": "triton", "message": "CompilationError: at 3:4"}, FAILS, "at 3:4"),
        ({"outcome": "shared-memory", "wanted": 9, "there": 5}, FAILS, "wants 9 bytes, the GPU has 5 per block"),
    ],
)
def test_what_the_compiler_states_about_a_kernel(result: dict[str, Any], outcome: str, text: str) -> None:
    found, message, _ = _judged(result)
    assert (found, text in message) == (outcome, True)


@pytest.mark.parametrize(
    "result",
    [
        {"outcome": "aborts", "signal": 9, "message": ""},
        {"outcome": "raises", "in": "triton", "message": "AttributeError: 'Driver' object has no attribute 'new'"},
        {"outcome": "raises", "in": "triton", "message": "ValueError: not enough values to unpack (expected 6, got 5)"},
        {"outcome": "raises", "in": "vllm", "message": "RuntimeError: PassManager::run failed"},
        {"outcome": "raises", "in": "stand-in", "message": "TypeError: missing a required argument"},
        {"outcome": "not ended", "message": "took too long"},
    ],
)
def test_what_need_not_be_the_compilers_fault_is_no_failure(result: dict[str, Any]) -> None:
    outcome, message, recorded = _judged(result)
    assert (outcome, bool(message), recorded) == (OPEN, True, "")


@pytest.mark.parametrize(("kernel", "certain"), [("prefix-prefill", True), ("fused-experts", False)])
def test_too_much_shared_memory_is_certain_only_with_the_sizes_of_the_run(kernel: str, certain: bool) -> None:
    (found,) = [one for one in KERNELS if one.name == kernel]
    one = Wanted(found, found.calls[0], "7.5", "float16", found.sizes[0], ("",), (), ())
    failure = _attempted(one, {"outcome": "shared-memory", "wanted": 9, "there": 5})
    assert (failure.outcome, not failure.needs) == (FAILS, certain)
    assert _attempted(one, {"outcome": "aborts", "message": "no layout"}).needs == ()


def installed(folder: Path, version: str) -> Installed:
    file = folder / PREFIX_PREFILL.paths[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(WRAPPER)
    return Installed("python", str(folder), Version(version), "3.1.0")


def test_the_code_of_a_kernel_is_read_from_the_installed_files(tmp_path: Path) -> None:
    code = code_of(PREFIX_PREFILL, installed(tmp_path, "0.7.3"))
    assert code is not None
    assert code.module == "vllm.attention.ops.prefix_prefill"
    (text,) = code.texts.values()
    assert "def context_attention_fwd" in text and "unrelated" not in text


@pytest.mark.parametrize("version", ["0.5.4", "0.11.0"])
def test_a_kernel_is_not_called_in_releases_in_which_its_call_is_not_known(version: str, tmp_path: Path) -> None:
    assert code_of(PREFIX_PREFILL, installed(tmp_path, version)) is None


def test_a_release_without_the_kernel_has_no_code(tmp_path: Path) -> None:
    assert code_of(PREFIX_PREFILL, Installed("python", str(tmp_path), Version("0.7.3"), "3.1.0")) is None
