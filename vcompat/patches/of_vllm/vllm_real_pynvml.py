"""Let vLLM 0.7.2 find its GPUs although the deprecated distribution ``pynvml`` is installed.

Why: ``nvidia-ml-py`` provides the module `pynvml`. The distribution ``pynvml`` before version 12 provides a package of
the same name, which Python prefers. Only vLLM 0.7.2 checks which of the two was imported (torch imports it early). It
raises for the package, and returns nothing if the site-packages directories contain no `pynvml.py`. Its platform
detection swallows both, so vLLM assumes a machine without GPUs: `is_async_output_supported` raises
NotImplementedError. The common advice is to downgrade to 0.7.1. 0.7.3 bundles the module.
How: `import_pynvml` returns the `pynvml.py` of ``nvidia-ml-py`` from wherever it is on `sys.path`.
Process: every rank, before vLLM detects its platform. A process that vLLM starts does that too early.
Upstream: https://github.com/vllm-project/vllm/issues/12847, https://github.com/vllm-project/vllm/issues/13405,
https://github.com/huggingface/trl/issues/2816.
Remove when: vLLM 0.7.2 is no longer supported.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _from_nvidia_ml_py(import_pynvml: Callable[[], Any]) -> Callable[[], Any]:
    def import_real_pynvml() -> Any:
        known = sys.modules.get("pynvml")
        if known is not None and _is_real(known):
            return known
        return _load() or import_pynvml()

    return import_real_pynvml


def _is_real(module: ModuleType) -> bool:
    return not (module.__file__ or "").endswith("__init__.py")


def _load() -> ModuleType | None:
    """Import the first `pynvml.py` on `sys.path` and register it in place of a package of that name."""
    import importlib.util
    import os

    for folder in sys.path:
        path = os.path.join(folder, "pynvml.py")
        spec = importlib.util.spec_from_file_location("pynvml", path) if os.path.isfile(path) else None
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules["pynvml"] = module
            return module
    return None


def _platform_is_selected(module: ModuleType) -> str:
    platforms = sys.modules.get("vllm.platforms")
    chosen = getattr(platforms, "_current_platform", None)
    return f"vLLM already selected {type(chosen).__name__}" if chosen is not None else ""


PATCH = Patch(
    id="vllm_real_pynvml",
    title="Find GPUs although an old pynvml is installed",
    package="vllm",
    process="every rank",
    changes=(
        Change(
            "vllm.utils",
            "import_pynvml",
            Wrap("import_pynvml", _from_nvidia_ml_py),
            shape=("'pynvml' in sys.modules", "raise RuntimeError"),
            has=("site.getsitepackages()",),
            too_late=_platform_is_selected,
        ),
    ),
)
