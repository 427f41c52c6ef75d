"""Which releases share a measurement."""

from __future__ import annotations

import zipfile
from pathlib import Path

from packaging.version import Version

from vcompat.kernels.grid import Kernel
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.store import Store

PATH = "vllm/ops/kernel.py"
KERNEL = Kernel("k", (PATH,), "attention", ("call",), ("wrapper",), "1.0", (64,), "heads of", "nothing")
CODE = "from vllm.ops.helper import block\nfrom vllm.logger import log\n\ndef wrapper(q):\n    return block(q)\n"
HELPER = "def block(q):\n    return 64\n"


def release(folder: Path, version: str, kernel: str = CODE, helper: str = HELPER, logger: str = "log = 1\n") -> None:
    with zipfile.ZipFile(folder / f"vllm-{version}.zip", "w") as archive:
        archive.writestr(PATH, kernel)
        archive.writestr("vllm/ops/helper.py", helper)
        archive.writestr("vllm/logger.py", logger)


def found(folder: Path, **tritons: str) -> list[Variant]:
    pins = {Version(name.removeprefix("v").replace("_", ".")): triton for name, triton in tritons.items()}
    return list(variants(KERNEL, pins, Store(folder)))


def test_releases_with_the_same_code_and_triton_are_one_variant(tmp_path: Path) -> None:
    release(tmp_path, "1.0")
    release(tmp_path, "1.1", CODE + "# a comment\n", logger="log = 2\n")
    (variant,) = found(tmp_path, v1_0="3.0.0", v1_1="3.0.0")
    assert variant.releases == (Version("1.0"), Version("1.1"))
    assert variant.module == "vllm.ops.kernel"


def test_a_change_of_what_the_wrapper_does_not_need_is_no_variant(tmp_path: Path) -> None:
    release(tmp_path, "1.0")
    release(tmp_path, "1.1", CODE + "\ndef other():\n    return 1\n", HELPER + "\nSIZE = 3\n")
    (variant,) = found(tmp_path, v1_0="3.0.0", v1_1="3.0.0")
    assert variant.releases == (Version("1.0"), Version("1.1"))


def test_another_triton_is_another_variant(tmp_path: Path) -> None:
    release(tmp_path, "1.0")
    release(tmp_path, "1.1")
    first, second = found(tmp_path, v1_0="3.0.0", v1_1="3.1.0")
    assert first.code == second.code


def test_a_change_in_a_module_that_the_wrapper_imports_is_another_variant(tmp_path: Path) -> None:
    release(tmp_path, "1.0")
    release(tmp_path, "1.1", helper=HELPER.replace("64", "128"))
    first, second = found(tmp_path, v1_0="3.0.0", v1_1="3.0.0")
    assert first.code != second.code


def test_releases_outside_the_range_of_a_kernel_are_left_out(tmp_path: Path) -> None:
    release(tmp_path, "0.9")
    release(tmp_path, "1.0")
    (variant,) = found(tmp_path, v0_9="3.0.0", v1_0="3.0.0")
    assert variant.releases == (Version("1.0"),)


def test_the_triton_of_a_release_is_the_one_that_its_torch_pins() -> None:
    pins = triton_pins()
    assert pins[Version("0.7.2")] == "3.1.0"
    assert pins[Version("0.10.2")] == "3.4.0"
