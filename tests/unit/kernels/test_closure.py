"""What of a release's modules a kernel needs."""

from __future__ import annotations

from vcompat.kernels.closure import closure

KERNEL = """import torch
from vllm.ops.helper import block as size, unused
from vllm import _ops as ops
from .near import beside
from vllm.ops.types import Config, Kind
from vllm.logger import init_logger

logger = init_logger(__name__)
WIDTH = 2
OTHER = 3


class Mode:
    pass


def helper(x):
    return x * WIDTH


def wrapper(q, config: Config, mode: Mode, kind=Kind.ONE):
    from vllm.ops.late import late
    logger.info("called")
    ops.launch(q)
    return helper(size(q)) + late() + beside()


def absent():
    return OTHER + unused()


register(wrapper)
"""
FILES = {
    "vllm/ops/kernel.py": KERNEL,
    "vllm/ops/helper.py": "def block(q):\n    return _inner(q)\n\ndef _inner(q):\n    return 1\n\ndef unused():\n    return 2\n",
    "vllm/_ops.py": "def launch(q):\n    return q\n\ndef land(q):\n    return q\n",
    "vllm/ops/types.py": "class Config:\n    pass\n\nclass Kind:\n    ONE = 1\n",
    "vllm/ops/late.py": "def late():\n    return 0\n",
    "vllm/ops/near.py": "from ..far import more\n\ndef beside():\n    return more()\n",
    "vllm/far.py": "def more():\n    return 1\n",
    "vllm/logger.py": "def init_logger(name):\n    return name\n",
}


def found(*entries: str) -> dict[str, str]:
    return closure("vllm.ops.kernel", entries, FILES.get)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_what_the_wrapper_names_remains_and_keeps_its_line() -> None:
    kernel = found("wrapper")["vllm/ops/kernel.py"].splitlines()
    original = KERNEL.splitlines()
    for text in ("WIDTH = 2", "def helper(x):", "    return helper(size(q)) + late() + beside()"):
        assert kernel.index(text) == original.index(text)


def test_what_it_does_not_name_is_left_out() -> None:
    kernel = found("wrapper")["vllm/ops/kernel.py"]
    assert not any(word in kernel for word in ("torch", "OTHER", "absent", "unused", "register"))


def test_functions_of_other_modules_are_followed_also_through_aliases_modules_and_late_imports() -> None:
    texts = found("wrapper")
    assert "def _inner" in texts["vllm/ops/helper.py"] and "unused" not in texts["vllm/ops/helper.py"]
    assert "launch" in texts["vllm/_ops.py"] and "land" not in texts["vllm/_ops.py"]
    assert "def late" in texts["vllm/ops/late.py"]


def test_relative_imports_are_followed() -> None:
    texts = found("wrapper")
    assert "def beside" in texts["vllm/ops/near.py"] and "def more" in texts["vllm/far.py"]


def test_a_class_that_only_an_annotation_names_is_object() -> None:
    texts = found("wrapper")
    assert "Config = object" in texts["vllm/ops/kernel.py"]
    assert "Mode = object" in texts["vllm/ops/kernel.py"]
    assert lines(texts["vllm/ops/types.py"]) == ["class Kind:", "    ONE = 1"]


def test_modules_that_describe_the_machine_are_imported_but_not_part_of_it() -> None:
    texts = found("wrapper")
    assert "from vllm.logger import init_logger" in texts["vllm/ops/kernel.py"]
    assert "vllm/logger.py" not in texts


def test_what_remains_runs() -> None:
    text = found("helper")["vllm/ops/kernel.py"]
    scope: dict[str, object] = {}
    exec(compile(text, "kernel", "exec"), scope)
    assert eval("helper(3)", scope) == 6


def test_an_entry_that_the_release_lacks_is_left_out() -> None:
    assert found("nothing") == {}
