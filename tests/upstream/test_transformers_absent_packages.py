"""Real TRL 0.28.0 that imports what it takes for installed, with real transformers releases."""

from __future__ import annotations

import pytest

from tests.upstream.installed import installed, run_python

PROGRAM = """
import sys
import vcompat
ledger = vcompat.patch(only=["transformers_absent_packages"])
from transformers.utils.import_utils import _is_package_available as is_available
print(bool(is_available("weave")), bool(is_available("torch")), is_available("weave")[0])
import trl.trainer.callbacks
vcompat.unpatch()
from transformers.utils import import_utils
print(bool(import_utils._is_package_available("weave")))
"""


#: A tokenizers that transformers 5.3.0 accepts.
OLD = ("tokenizers==0.22.2",)


@pytest.mark.parametrize(("transformers", "more"), [pytest.param("5.3.0", OLD, marks=pytest.mark.slow), ("5.23.0", ())])
def test_absent_packages_are_absent_only_with_the_patch(transformers: str, more: tuple[str, ...]) -> None:
    folders = installed("trl==0.28.0", f"transformers=={transformers}", *more)
    failed = run_python("import trl.trainer.callbacks", *folders)
    assert "ModuleNotFoundError: No module named 'weave'" in failed.stderr
    patched = run_python(PROGRAM, *folders)
    assert patched.stdout.split("\n")[-3:] == ["False True False", "True", ""], patched.stderr


@pytest.mark.slow
def test_a_trl_with_a_function_of_its_own_needs_no_patch() -> None:
    folders = installed("trl==0.29.0", "transformers==5.3.0", *OLD)
    program = """
import vcompat
vcompat.patch(only=["transformers_absent_packages"])
import transformers.utils.import_utils
print(vcompat.status())
"""
    assert "TRL 0.29.0 does not use it" in run_python(program, *folders).stdout
