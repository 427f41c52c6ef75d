"""Run one release's choices: `python -m vcompat.kernels.backends.choice_child` with a job on stdin.

torch is imported once. Each card is a fork, since the release's modules keep what they found out. One line of JSON per
card goes to standard output: the engines, and the backends of each engine by head size.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
import traceback
import zipfile
from pathlib import Path
from typing import Any

from vcompat.kernels.backends import attention_selection, card, engine_choice
from vcompat.kernels.backends.absent import Modules, Undecided, modules
from vcompat.kernels.backends.import_watch import Watch

#: The release's modules that take part in a choice; a star stands for all modules in a package.
_REAL = (
    "vllm.platforms.* vllm.envs vllm.utils.* vllm.attention vllm.attention.selector vllm.attention.backends.* "
    "vllm.attention.utils.* vllm.v1.attention.selector vllm.v1.attention.backend vllm.v1.attention.backends.* "
    "vllm.v1.kv_cache_interface vllm.config.cache vllm.third_party.pynvml"
).split()
#: Those that take part, too, where a release has two engines.
_CONFIGURING = ("vllm.config.*", "vllm.engine.arg_utils")
#: The answer to a question that stays open.
OPEN = "?"


class _Settings:
    """Settings of a plain run. Asking for another one than those that are stated is a question that stays open."""

    def __init__(self, **stated: Any) -> None:
        vars(self).update(stated)

    def __getattr__(self, name: str) -> Any:
        raise Undecided(f"the setting {name}")


def real_modules(two_engines: bool) -> list[str]:
    """Return the release's modules that take part; `x.*` stands for all modules in a package."""
    return [*_REAL, *_CONFIGURING] if two_engines else list(_REAL)


class _Silent:
    """A logger that writes nothing. Logging takes no part in a choice."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **named: None


def main() -> None:
    """Run the choices for each card of the job on standard input."""
    job = json.loads(sys.stdin.read())
    # Before the forks, since it takes longer than all else.
    for name in ("torch._dynamo.repro.after_dynamo", "torch.nn.attention.flex_attention", "transformers"):
        importlib.import_module(name)

    with zipfile.ZipFile(job["archive"]) as archive:
        job["engines"] = engine_choice.kinds(frozenset(archive.namelist()), archive.read)
    modules(job["archive"])
    for capability in job["capabilities"]:
        sys.stdout.write(json.dumps({"capability": capability, **_answer(job, capability)}) + "\n")
        sys.stdout.flush()


def _answer(job: dict[str, Any], capability: str) -> dict[str, Any]:
    """What the release answers. What depends on the machine is open, unless it comes to the same in all cases."""
    first, *others = _forked(job, capability)
    for other in others:
        first = _same(first, other)
    return dict(first)


def _same(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _same(one.get(key), other.get(key)) for key in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return [_same(*pair) for pair in zip(one, other, strict=True)]
    return one if one == other else f"{OPEN} {one} or {other}, it depends on the machine"


def _forked(job: dict[str, Any], capability: str) -> list[dict[str, Any]]:
    """Run the choices in a fork. Returns an answer for each machine that makes a difference, at least one."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        if "debug" not in job:
            os.dup2(sink, 2)
        os.write(writing, (json.dumps(_asked(job, capability)) + "\n").encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = [json.loads(line) for line in pipe]
    os.waitpid(pid, 0)
    return said or [{"engines": {}, "backends": {}, "why": "the process ended"}]


class _Machine:
    """What the machine has, as far as the release asks. Each question divides the process in two, one per case."""

    def __init__(self) -> None:
        self._known: dict[str, bool] = {}

    def has(self, name: str) -> bool:
        """Whether it has a program, or a library that not every wheel has."""
        if name not in self._known:
            pid = os.fork()
            self._known[name] = pid == 0
            if pid:
                os.waitpid(pid, 0)
        return self._known[name]

    def which(self, name: str, *arguments: Any, **named: Any) -> str | None:
        """In place of `shutil.which`."""
        return name if self.has(os.path.basename(name)) else None


def _asked(job: dict[str, Any], capability: str) -> dict[str, Any]:
    """The release's answers."""
    major, minor = map(int, capability.split("."))
    watch = Watch(Path(job["archive"]).name, job["lacking"])
    found: dict[str, Any] = {"engines": {}, "backends": {}}
    try:
        _install(job, (major, minor), _Machine())
        with watch:
            platform = card.install((major, minor))
        for variable in ("", "1", "0"):
            found["engines"][variable] = _open_or(watch, job, engine_choice.choice, job["engines"], variable)
        for kind in sorted(set(found["engines"].values()) & {"v0", "v1"}):
            answer = _open_or(watch, job, attention_selection.choices, platform, job["heads"], kind == "v1")
            found["backends"][kind] = answer if isinstance(answer, list) else [answer] * len(job["heads"])
    except (Exception, Undecided) as error:
        if "debug" in job:
            traceback.print_exc()
        found["why"] = str(error)
    return found


def _open_or(watch: Watch, job: dict[str, Any], function: Any, *arguments: Any) -> Any:
    """Call the function; `?` and the reason if the release cannot answer here."""
    try:
        with watch:
            found = function(*arguments)
        watch.check()
    except (Exception, Undecided) as error:
        if "debug" in job:
            traceback.print_exc()
        return f"{OPEN} {type(error).__name__}: {error} {watch.place(error)}"[:200]
    return found


def _install(job: dict[str, Any], capability: tuple[int, int], machine: _Machine) -> None:
    """Make vLLM's modules those of the release, and state the card and the machine."""
    import torch

    flash = _flash_attention(capability, machine)
    stated: dict[str, dict[str, Any]] = {
        "vllm.logger": {"init_logger": lambda name: _Silent()},
        "vllm.vllm_flash_attn": flash,
        "vllm.vllm_flash_attn.flash_attn_interface": flash,
    }
    two = len(job["engines"]) > 1
    if not two:
        # A run without settings of its own, so that the release's defaults hold.
        stated["vllm.config"] = {
            "get_current_vllm_config_or_none": lambda: None,
            "get_current_vllm_config": lambda: _Settings(attention_config=_Settings(flash_attn_version=None)),
        }
        # What it says if VLLM_BATCH_INVARIANT is not set.
        stated["vllm.model_executor.layers.batch_invariant"] = {"vllm_is_batch_invariant": lambda: False}
    for name in [name for name in os.environ if name.startswith(("VLLM_", "CUDA_"))]:
        del os.environ[name]
    torch.cuda.get_device_capability = lambda device=None: capability
    shutil.which = machine.which  # type: ignore[assignment]
    real = real_modules(two)
    sys.meta_path.insert(0, Modules(job["archive"], job["version"], real, job["present"], stated))


def _flash_attention(capability: tuple[int, int], machine: _Machine) -> dict[str, Any]:
    """The module over FlashAttention's compiled libraries, which are in vLLM's wheel: for which cards each one is."""

    def supported(version: int, device: Any = None) -> bool:
        if version == 2:
            return capability >= (8, 0)
        if version == 3:
            return capability[0] == 9
        # Version 4 is not in the wheels of all releases that know it.
        return version == 4 and capability[0] in (9, 10, 11) and machine.has("FlashAttention 4")

    return {"is_fa_version_supported": supported, "fa_version_unsupported_reason": lambda *arguments: "another card"}


if __name__ == "__main__":
    main()
