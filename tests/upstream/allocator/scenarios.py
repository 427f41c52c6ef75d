"""What is done with a real allocator, step by step. What became of each step is recorded; nothing is judged here.

Each scenario runs in a process of its own.
"""

from __future__ import annotations

import gc
import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.upstream.allocator import executor
from tests.upstream.allocator.machine import Machine, Tensor
from tests.upstream.allocator.seen import FINE
from vcompat.patches.of_vllm.vllm_keep_references_to_none import PATCH
from vcompat.patching.engine import Engine as Patching

_WEIGHTS, _CACHE = 0x11, 0x22
#: Segments that are enough for an engine.
_MUCH = 16
_CYCLES = 8
_PRINTED = re.compile(r"CUDA Error.*|.*not set\.", re.MULTILINE)


class Release(NamedTuple):
    """What a scenario gets."""

    module: Any
    """The module ``vllm.device_allocator.cumem``."""
    archive: str
    gpu: Machine


class Steps:
    """Runs steps and notes what became of each: works, raises, or only prints an error of the driver."""

    def __init__(self, errors: Callable[[], str], keep: Callable[[dict[str, str]], Any]) -> None:
        """`errors` returns what was written to standard error so far; `keep` gets what was seen after each step."""
        self._errors, self._keep = errors, keep
        self.seen: dict[str, str] = {}

    def __call__(self, name: str, action: Callable[[], Any]) -> None:
        before = len(self._errors())
        raised = ""
        try:
            action()
        except Exception as error:
            raised = f"raises {type(error).__name__}: {_reason(error)}"
        printed = dict.fromkeys(_without_folder(line) for line in _PRINTED.findall(self._errors()[before:]))
        told = [f"prints {line}" for line in printed if line not in raised]
        self.note(name, "; ".join([*told, *filter(None, [raised])]) or FINE)

    def note(self, name: str, text: str) -> None:
        """Note something about the state."""
        self.seen[name] = text
        self._keep(self.seen)


def _reason(error: Exception) -> str:
    """The last line of a message; of lacking memory, what does not depend on the machine."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = _without_folder(lines[-1] if lines else "")
    return "CUDA out of memory" if text.startswith("CUDA out of memory.") else text


def _without_folder(text: str) -> str:
    return re.sub(r"\S*/(\w+\.cpp)", r"\1", text)


class Engine:
    """Weights and a KV cache, as vLLM's worker allocates them, the allocator and the executor."""

    def __init__(self, release: Release, weights: int = 2, cache: int = 4) -> None:
        self.allocator = release.module.CuMemAllocator.get_instance()
        self.executor = executor.executor(release.archive, self.allocator)
        with self.allocator.use_memory_pool("weights"):
            self.weights = release.gpu.tensor(weights)
        self.weights.fill(_WEIGHTS)
        with self.allocator.use_memory_pool("kv_cache"):
            self.cache = release.gpu.tensor(cache)
        self.cache.fill(_CACHE)

    def sleep(self, level: int = 1) -> None:
        """Do what ``LLM.sleep`` does."""
        self.executor.sleep(level)

    def wake_up(self, *tags: str) -> None:
        """Do what ``LLM.wake_up`` does."""
        self.executor.wake_up(list(tags)) if tags else self.executor.wake_up()

    def rpc(self, name: str, **arguments: Any) -> None:
        """Do what ``LLM.collective_rpc`` does, which the executor does not remember."""
        self.executor.collective_rpc(name, kwargs=arguments)

    @property
    def state(self) -> str:
        """What the memory holds now."""
        weights = "weights not mapped"
        if self.weights.mapped:
            weights = "weights intact" if self.weights.holds(_WEIGHTS) else "weights lost"
        return f"{weights}, cache {'' if self.cache.mapped else 'not '}mapped"


def cycles(release: Release, step: Steps) -> None:
    """Sleep and wake up several times; memory is really released, and none is lost."""
    engine = Engine(release)
    before = release.gpu.usage()
    step("sleep", engine.sleep)
    step.note("in use asleep", f"{release.gpu.usage()[0]} segments")
    step("wake up", engine.wake_up)
    step.note("awake", engine.state)
    for _ in range(5):
        engine.sleep()
        engine.wake_up()
    step.note("after more cycles", "the same" if release.gpu.usage() == before else f"{before} before")


def twice(release: Release, step: Steps) -> None:
    """Call sleep() twice, then wake_up() twice."""
    engine = Engine(release)
    engine.sleep()
    step("second sleep", engine.sleep)
    step("wake up", engine.wake_up)
    step("second wake-up", engine.wake_up)
    step.note("awake", engine.state)


def twice_in_workers(release: Release, step: Steps) -> None:
    """Call the workers' sleep twice, which the executor does not see."""
    engine = Engine(release)
    engine.rpc("sleep", level=2)
    step("second sleep", lambda: engine.rpc("sleep", level=2))
    step("wake up", lambda: engine.rpc("wake_up"))
    step("second wake-up", lambda: engine.rpc("wake_up"))


def half_awake(release: Release, step: Steps) -> None:
    """Wake up the weights only, then sleep."""
    engine = Engine(release)
    if "tags" not in inspect.signature(engine.executor.wake_up).parameters:
        step.note("wake up weights", "not possible")
        return
    engine.sleep()
    step("wake up weights", lambda: engine.wake_up("weights"))
    step("sleep", engine.sleep)
    step.note("asleep", engine.state)
    step("wake up", engine.wake_up)


def as_trl(release: Release, step: Steps) -> None:
    """Do what TRL does: sleep at level 2, wake up the weights for each synchronization, then the cache to generate."""
    engine = Engine(release)
    if "tags" not in inspect.signature(engine.executor.wake_up).parameters:
        step.note("wake up weights", "not possible")
        return
    step("sleep", lambda: engine.sleep(2))
    step("wake up weights", lambda: engine.wake_up("weights"))
    step.note("before the synchronization", engine.state)
    engine.weights.fill(_WEIGHTS)
    step("wake up weights again", lambda: engine.wake_up("weights"))
    step("wake up cache", lambda: engine.wake_up("kv_cache"))
    step.note("to generate", engine.state)
    step("sleep again", lambda: engine.sleep(2))
    step.note("in use asleep", f"{release.gpu.usage()[0]} segments")


def no_memory_to_wake_up(release: Release, step: Steps) -> None:
    """Wake up while another part of the process uses the memory, and again when it does not any more."""
    engine = Engine(release)
    engine.sleep()
    release.gpu.leave(3)
    step("without memory", engine.wake_up)
    release.gpu.leave(_MUCH)
    step("with memory", engine.wake_up)
    step.note("awake", engine.state)


def no_memory_to_allocate(release: Release, step: Steps) -> None:
    """Allocate more than there is, then what there is."""
    engine = Engine(release)
    release.gpu.leave(3)
    with engine.allocator.use_memory_pool("kv_cache"):
        step("too much", lambda: _touched(release.gpu.tensor(4)))
        step("what there is", lambda: _touched(release.gpu.tensor(1)))
    step("sleep", lambda: engine.rpc("sleep", level=1))


def old_driver(release: Release, step: Steps) -> None:
    """Allocate with the driver of CUDA 12.2."""
    release.gpu.take_driver("12.2")
    step("allocate", lambda: Engine(release))


def references(release: Release, step: Steps) -> None:
    """Count the references that a call of the extension takes from None, without and with the patch."""
    engine = Engine(release, weights=1, cache=1)
    # The first cycle imports and caches, which takes references, too.
    engine.rpc("sleep", level=2)
    engine.rpc("wake_up")
    step.note("taken per call", _taken(engine))
    Patching([PATCH], lambda line, warning: None).patch(None, (), strict=True)
    step.note("taken per call, patched", _taken(engine))


def _taken(engine: Engine) -> str:
    """How many references a call takes from None; other code takes and gives some."""
    gc.collect()
    before = sys.getrefcount(None)
    for _ in range(_CYCLES):
        engine.rpc("sleep", level=2)
        engine.rpc("wake_up")
    calls = 2 * len(engine.allocator.pointer_to_data) * _CYCLES
    return str(round((before - sys.getrefcount(None)) / calls))


def _touched(tensor: Tensor) -> None:
    """Fail as a kernel does that gets an address which is not mapped."""
    if not tensor.mapped:
        raise RuntimeError("torch got memory that is not mapped")


#: The scenarios by name.
SCENARIOS: dict[str, Callable[[Release, Steps], None]] = {
    "cycles": cycles,
    "twice": twice,
    "twice in the workers": twice_in_workers,
    "half awake": half_awake,
    "as TRL does": as_trl,
    "no memory to wake up": no_memory_to_wake_up,
    "no memory to allocate": no_memory_to_allocate,
    "driver of CUDA 12.2": old_driver,
    "references to None": references,
}
