"""What a compilation's output means, and whose modules the child imports."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from vcompat.kernels.child import NO_MEMORY, RAISES, _raised, _reason

IMPORTS = """
import importlib.metadata, json, sys
from vcompat.kernels import vllm_source
texts = {"vllm/ops/kernel.py": "from vllm.helper import BLOCK\\nfrom vllm.part import SIZE\\n"}
texts["vllm/part/__init__.py"] = "SIZE = 3\\n"
vllm_source.install(sys.argv[1], "9.9.9", texts)
import vllm.ops.kernel as kernel
import inspect
source = inspect.getsource(kernel)
print(json.dumps([kernel.BLOCK, kernel.SIZE, importlib.metadata.version("vllm"), kernel.__file__, source]))
import vllm.part.inner
import vllm.absent
"""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            'python: Allocation.cpp:47: Assertion `!(mma && !ampere) && "mma -> mma is only supported on Ampere"\' failed.',
            "mma -> mma is only supported on Ampere",
        ),
        ("LLVM ERROR: Failed to compute parent layout.\n", "Failed to compute parent layout."),
        (
            "error: Unsupported conversion from f16 to f16\nLLVM ERROR: no\n",
            "Unsupported conversion from f16 to f16 / no",
        ),
        ("a warning\n", ""),
    ],
)
def test_the_reason_of_an_abort_is_what_the_compiler_states(said: str, reason: str) -> None:
    assert _reason(said) == reason


def test_out_of_resources_states_the_bytes_wanted_and_there() -> None:
    class OutOfResources(Exception):
        required, limit, name = 98304, 65536, "shared memory"

    found = _raised(OutOfResources())
    assert (found["outcome"], found["wanted"], found["there"]) == (NO_MEMORY, 98304, 65536)


def test_an_exception_that_no_compiler_raised_is_told_apart() -> None:
    try:
        raise TypeError("missing argument")
    except TypeError as error:
        assert _raised(error) == {"outcome": RAISES, "message": "TypeError: missing argument", "in": "stand-in"}


@pytest.mark.parametrize("installed", [False, True])
def test_given_texts_are_run_other_modules_come_from_the_release_and_packages_above_are_not_run(
    installed: bool, tmp_path: Path
) -> None:
    archive = tmp_path / "vllm-9.9.9.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("vllm/__init__.py", "raise RuntimeError('run')")
        packed.writestr("vllm/ops/__init__.py", "raise RuntimeError('run')")
        packed.writestr("vllm/ops/kernel.py", "raise RuntimeError('run')")
        packed.writestr("vllm/part/__init__.py", "raise RuntimeError('run')")
        packed.writestr("vllm/part/inner.py", "")
        packed.writestr("vllm/helper.py", "BLOCK = 64\n")
    if installed:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(tmp_path / "site-packages")
        archive = tmp_path / "site-packages"
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, str(archive)], capture_output=True, text=True, timeout=300, check=False
    )
    text = "from vllm.helper import BLOCK\nfrom vllm.part import SIZE\n"
    *found, source = json.loads(done.stdout)
    assert found == [64, 3, "9.9.9", f"{archive}/vllm/ops/kernel.py"]
    # Of an installed module, Python shows the file: there, a text that is given has the lines of the file.
    assert source == ("raise RuntimeError('run')\n" if installed else text)
    assert "No module named 'vllm.absent'" in done.stderr
