"""Models of what scripts ask about GPUs: the answer follows the GPUs that the run is checked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from packaging.version import Version

from vcompat.facts.presumption import CALLER
from vcompat.sources.reading.python.values.values import AT_RUN_TIME, UNSET, Const, Held, Seq, Unknown, Value

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run
    from vcompat.sources.reading.python.values.core import Site

#: The first compute capability with bfloat16. Below it, releases of torch differ in what they answer.
_BF16 = Version("8.0")


def _answer(run: Run, site: Site, value: Value) -> Value:
    """Return an answer that holds if torch sees the GPUs; presumably it does, where its build is not known."""
    sees_one = _sees_one(run)
    if sees_one is False or (sees_one is None and not run.presuming):
        return Unknown(AT_RUN_TIME)
    if sees_one is None:
        run.presume(CALLER, "CUDA_VISIBLE_DEVICES names GPUs that are there", None)
    if run.start.gpus.torch_sees_them:
        return value
    if not run.presuming:
        return Unknown(AT_RUN_TIME)
    run.presume(CALLER, "torch sees the GPUs that are checked for", None)
    return value


def _sees_one(run: Run) -> bool | None:
    """Return whether CUDA_VISIBLE_DEVICES, as the script or its launcher sets it, leaves a GPU; None if not known."""
    held = run.environ.cells.get("CUDA_VISIBLE_DEVICES")
    if held is None or (held.value is UNSET and not held.optional):
        return True
    if held.optional or not isinstance(held.value, Const) or not isinstance(held.value.value, str):
        return None
    # A number that no GPU has hides those after it. A GPU can also be named by its UUID.
    first = held.value.value.partition(",")[0].strip()
    if first.isdecimal():
        return int(first) < (run.start.gpus.number or 0)
    return None if first.startswith(("GPU-", "MIG-")) else False


def _is_available(run: Run, site: Site) -> Value:
    count = run.start.gpus.number
    return Unknown(AT_RUN_TIME) if not count else _answer(run, site, Const(True))


def _count(run: Run, site: Site) -> Value:
    count = run.start.gpus.number
    if not count or "CUDA_VISIBLE_DEVICES" in run.environ.cells:
        return Unknown(AT_RUN_TIME)
    if not run.presuming:
        # The caller may limit them.
        return Unknown(AT_RUN_TIME, (count,))
    run.presume(CALLER, "the caller does not set CUDA_VISIBLE_DEVICES", None)
    return _answer(run, site, Const(count))


def _supports_bf16(run: Run, site: Site) -> Value:
    gpus = run.start.gpus
    if not gpus.number or gpus.capability is None or gpus.capability < _BF16:
        return Unknown(AT_RUN_TIME)
    return _answer(run, site, Const(True))


def _has_bf16(run: Run, site: Site) -> Value:
    """Model unsloth's function, which looks at the compute capability only (``unsloth.models._utils``)."""
    gpus = run.start.gpus
    if not gpus.number or gpus.capability is None:
        return Unknown(AT_RUN_TIME)
    return _answer(run, site, Const(gpus.capability >= _BF16))


def _capability(run: Run, site: Site) -> Value:
    capability = run.start.gpus.capability
    if capability is None or not run.start.gpus.number:
        return Unknown(AT_RUN_TIME)
    parts = [Held(Const(capability.major), site.place), Held(Const(capability.minor), site.place)]
    return _answer(run, site, Seq("tuple", parts))


#: By dotted name.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {
    "torch.cuda.is_available": _is_available,
    "transformers.is_torch_cuda_available": _is_available,
    "transformers.utils.is_torch_cuda_available": _is_available,
    "torch.cuda.device_count": _count,
    "torch.cuda.is_bf16_supported": _supports_bf16,
    "unsloth.is_bfloat16_supported": _has_bf16,
    "unsloth.is_bf16_supported": _has_bf16,
    "transformers.utils.is_torch_bf16_gpu_available": _supports_bf16,
    "torch.cuda.get_device_capability": _capability,
}
