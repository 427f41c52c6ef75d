"""Lets vLLM 0.7.2 find its GPUs where the deprecated distribution ``pynvml`` is installed too.

Why: ``nvidia-ml-py`` provides the module `pynvml`, and so did the distribution ``pynvml`` before its version 12, as a
package, which Python prefers. 0.7.2 alone looks which of them was imported (torch imports it early) and raises if it
is the old one, or returns nothing if it finds no `pynvml.py` in the site's own folders. Its platform detection
swallows both, so vLLM believes in a machine without GPUs: `is_async_output_supported` raises NotImplementedError, and
'downgrade to 0.7.1' becomes the folk remedy. 0.7.3 carries the module itself.
How: `import_pynvml` returns the `pynvml.py` of ``nvidia-ml-py`` from wherever on `sys.path` it lies.
Process: every rank. It must come before vLLM looks for its platform, which a process that vLLM starts does too early.
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
    """Import the first single-file `pynvml` on the path, in place of a package of that name."""
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


def _the_platform_is_chosen(module: ModuleType) -> str:
    platforms = sys.modules.get("vllm.platforms")
    chosen = getattr(platforms, "_current_platform", None)
    return f"vLLM has settled on {type(chosen).__name__} already" if chosen is not None else ""


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
            too_late=_the_platform_is_chosen,
        ),
    ),
)
