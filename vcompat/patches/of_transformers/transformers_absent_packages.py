"""Let TRL before 0.29.0 see that an optional package is absent, under transformers 5.3.0 and later.

Why: TRL asks `_is_package_available` of transformers whether an optional package is installed. From 5.3.0 on it returns
a pair for every package, and a pair is true. TRL imports what is absent, and fails with ModuleNotFoundError, for
example for vllm_ascend, mergekit, llm_blender or weave.
How: the pair that the function returns is true only if its first element is.
Process: every rank, before TRL is imported.
Upstream: https://github.com/huggingface/trl/issues/5271. TRL 0.29.0 has a function of its own.
Remove when: TRL 0.28.0 is no longer supported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import Any

from packaging.version import Version

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

#: The first TRL that does not use the function.
_FIRST_WITH_ITS_OWN = Version("0.29.0")


class _Answer(tuple[Any, ...]):
    """The pair of transformers, true if the package is available."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return bool(self[0])


def _true_if_available(is_available: Callable[..., Any]) -> Callable[..., Any]:
    def is_package_available(*args: Any, **kwargs: Any) -> Any:
        found = is_available(*args, **kwargs)
        return _Answer(found) if isinstance(found, tuple) else found

    return is_package_available


def _trl_has_its_own() -> str:
    try:
        installed = version("trl")
    except PackageNotFoundError:
        return ""
    return f"TRL {installed} does not use it" if Version(installed) >= _FIRST_WITH_ITS_OWN else ""


def _trl_has_asked(module: ModuleType) -> str:
    return "TRL has already asked which packages are available" if "trl.import_utils" in sys.modules else ""


PATCH = Patch(
    id="transformers_absent_packages",
    title="Let TRL see that an optional package is absent",
    package="transformers",
    process="every rank",
    changes=(
        Change(
            "transformers.utils.import_utils",
            "_is_package_available",
            Wrap("_is_package_available", _true_if_available),
            shape=("return (package_exists, package_version)",),
            has=("return (package_exists, None)",),
            unneeded=_trl_has_its_own,
            too_late=_trl_has_asked,
        ),
    ),
)
