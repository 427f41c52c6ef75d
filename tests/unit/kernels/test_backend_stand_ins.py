"""Stand-ins for modules that are not there must never decide anything."""

from __future__ import annotations

import importlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from vcompat.kernels.backends.absent import Absent, Undecided

ROOT = Path(__file__).resolve().parents[3]
#: Installs the finder for an archive, and imports the module that a test names.
_CODE = """
import sys
from vcompat.kernels.backends.absent import Modules, Undecided
from vcompat.kernels.backends.import_watch import Watch

archive, module, *lacking = sys.argv[1:]
sys.meta_path.insert(0, Modules(archive, "1.0", ["vllm.real.*"], {"xformers": "0.1"}, {}))
watch = Watch("vllm-1.0.zip", lacking)
try:
    with watch:
        print("result", __import__(module, fromlist=["RESULT"]).RESULT)
    watch.check()
    print("decided")
except Undecided as error:
    print("undecided", error)
"""


def outcome(tmp_path: Path, code: str, *lacking: str) -> list[str]:
    """What comes of importing a real module with this code."""
    path = tmp_path / "vllm-1.0.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vllm/__init__.py", "raise RuntimeError('not to be run')")
        archive.writestr("vllm/other.py", "raise RuntimeError('not to be run')")
        archive.writestr("vllm/real/choice.py", code)
    done = subprocess.run(
        [sys.executable, "-c", _CODE, str(path), "vllm.real.choice", *lacking],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        check=False,
    )
    return (done.stdout or done.stderr).splitlines()


def test_what_is_not_there_can_be_a_base_a_decorator_and_an_annotation(tmp_path: Path) -> None:
    code = """
from typing import Optional
from vllm.other import Base, decorated
import vllm._C

@decorated(3)
def function(one: Optional[Base], two: "Base[int] | None") -> Base | None: ...

class Derived(Base[int]):
    RESULT = 7

RESULT = Derived.RESULT
"""
    assert outcome(tmp_path, code) == ["result 7", "decided"]


@pytest.mark.parametrize(
    "decision",
    [
        "1 if flag else 2",
        "flag == 3",
        "flag() > 3",
        "[one for one in flag]",
        "len(flag)",
        "flag in (1, 2)",
        "{1: 2}.get(int(flag))",
    ],
)
def test_a_decision_by_what_is_not_there_is_none_even_if_errors_are_caught(tmp_path: Path, decision: str) -> None:
    code = f"from vllm.other import flag\ntry:\n    RESULT = {decision}\nexcept Exception:\n    RESULT = 5\n"
    (line,) = outcome(tmp_path, code)
    assert line.startswith("undecided vllm.other.flag")


def test_an_import_that_fails_here_and_not_where_vllm_is_installed_decides_nothing(tmp_path: Path) -> None:
    code = "try:\n    import some_package\n    RESULT = 1\nexcept ImportError:\n    RESULT = 2\n"
    assert outcome(tmp_path, code)[-1].startswith("undecided vllm/real/choice.py:2: No module named 'some_package'")
    assert outcome(tmp_path, code, "some_package") == ["result 2", "decided"]


def test_a_package_that_the_release_requires_is_found_but_not_run(tmp_path: Path) -> None:
    code = "import xformers\nfrom xformers.ops import something\nRESULT = xformers.__version__\n"
    assert outcome(tmp_path, code) == ["result 0.1", "decided"]


def test_upstream_cannot_catch_an_undecided_question_as_an_exception() -> None:
    assert not issubclass(Undecided, Exception)
    with pytest.raises(Undecided, match=r"vllm\.x\.y: bool"):
        bool(Absent("vllm.x").y)


def test_the_child_imports_neither_torch_nor_vllm_before_it_is_run() -> None:
    importlib.import_module("vcompat.kernels.backends.choice_child")
    code = "import sys, vcompat.kernels.backends.choice_child; print(sorted({'torch', 'vllm'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=300, check=True
    )
    assert done.stdout.strip() == "[]"
