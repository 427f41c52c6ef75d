"""The argument of ``--target``: GPUs by name, a cluster profile in TOML, or a report of `vcompat probe`.

A target replaces the whole machine that runs vcompat, except for its packages. Environment variables that no file sets
are not set.

``gpus.json`` has a line for each GPU that people train on:

- ``capability``: compute capability in NVIDIA's tables; ``rocm``: the architecture of an AMD GPU, since rules, which
  are written for CUDA, also cover what vLLM and TRL do on both. An MI250 appears as two GPUs with half of its memory.
- ``memory``: nominal memory in GiB, or a list of the sizes in which the GPU is sold. In ``name``, which is as NVML
  reports it, ``{}`` stands for the size.
- ``also``: other figures in names of the GPU with the smallest memory, such as those in advertisements.
- ``link``: the typical link between the GPUs of one machine.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from packaging.version import Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import FactValue, from_json
from vcompat.facts.vocabulary import ENVIRONMENT, spec_of
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

_EXPECTED = "GPUs such as 8xV100-32GB, a cluster profile in TOML, or a report of `vcompat probe`"
_NAMED = re.compile(r"(?:(?:(\d{1,5})[xX*])?(\d{1,4})[xX*])?([A-Za-z0-9][\w .-]*)")
#: The top-level keys of a profile.
_TABLES = ("gpu", "host", "env", "packages", "machines", "name")
_MIB = 1024


def read_target(text: str) -> Facts:
    """Return the facts of the target `text`. Raises InputError if it is not a target or cannot be read."""
    if os.path.isfile(text) or text.endswith((".toml", ".json")):
        return _from_file(text)
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        raise InputError(f"--target {text}", "not a target", _EXPECTED)
    machines, count, name = match[1], match[2], match[3]
    facts = _gpus(name, int(count or 1), f"--target {text}")
    if machines:
        facts.set("plan.num_machines", int(machines), f"--target {text}")
    return _as_whole_machine(facts, f"--target {text}")


def known_gpus() -> list[str]:
    """Return the names of the GPUs in gpus.json, with the size for those that are sold in several."""
    names = []
    for name, gpu in _table().items():
        sizes = gpu["memory"] if isinstance(gpu["memory"], list) else []
        names += [f"{name}-{size}GB" for size in sizes] or [name]
    return names


@cache
def _table() -> dict[str, dict[str, Any]]:
    with open(os.path.join(os.path.dirname(__file__), "gpus.json"), encoding="utf-8") as file:
        table: dict[str, dict[str, Any]] = json.load(file)
    return table


def _find(text: str, where: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a GPU. ``rtx 4090``, ``RTX4090`` and ``RTX-4090`` name the same GPU.

    The memory of an entry is its size, or the list of sizes if the GPU has several and `text` has none of them.
    """
    name = _name(text)
    if name:
        return name, _table()[name]
    sized = re.search(r"[\s_-]*\b(\d{1,4})\s*GB?\b", text, re.IGNORECASE)
    name = _name(text[: sized.start()] + text[sized.end() :]) if sized else ""
    if not sized or not name:
        near = did_you_mean(text.upper(), [*_table(), *known_gpus()])
        raise InputError(where, f"unknown GPU '{text}'", near or "one such as V100-32GB, A100-80GB, H100 or L40S")
    gpu, size = _table()[name], int(sized[1])
    sizes = gpu["memory"] if isinstance(gpu["memory"], list) else [gpu["memory"]]
    if size not in (*sizes, *gpu.get("also", ())):
        raise InputError(where, f"{name} has no {size} GB", _either(name, sizes))
    return name, {**gpu, "memory": size if size in sizes else sizes[0]}


def _name(text: str) -> str:
    """Return the GPU that `text` names, as in gpus.json; empty if there is none."""
    names = {_plain(known): known for known in _table()}
    plain = re.sub(r"sxm\d?|hbm\de?", "", _plain(text))
    return names.get(plain) or names.get(f"rtx{plain}", "")


def _either(name: str, sizes: list[int]) -> str:
    return " or ".join(f"{name}-{size}GB" for size in sizes)


def _plain(name: str) -> str:
    """Return `name` without the words and the marks that are left out or written in several ways."""
    return re.sub(r"[\s_-]+", "", re.sub(r"^((nvidia|geforce|tesla|amd|instinct)[\s_-]*)+", "", name.strip().lower()))


def _gpus(name: str, count: int, where: str) -> Facts:
    if not 1 <= count <= 1024:
        raise InputError(where, f"{count} GPUs per machine", "1 to 1024")
    name, gpu = _find(name, where)
    facts = Facts()
    facts.set("gpu.count", count, where)
    _set_memory(facts, gpu, name, where)
    facts.set("gpu.mig", (False,) * count, where)
    facts.set("gpu.peer_access", gpu["link"] if count > 1 else None, f"{where}, typical link of {name}")
    if "capability" in gpu:
        facts.set("gpu.compute_capability", (Version(gpu["capability"]),) * count, where)
        facts.set("gpu.nvml", "ok", where)
        facts.set("gpu.vendor", "nvidia", where)
        facts.set("vllm.backend", "cuda", f"{where}, NVIDIA GPUs")
    else:
        facts.forget("gpu.compute_capability", f"{gpu['name']} ({gpu['rocm']}) has no CUDA compute capability")
        facts.set("vllm.backend", "rocm", where)
        facts.set("gpu.vendor", "amd", where)
        for fact in ("gpu.nvml", "gpu.driver", "gpu.driver_cuda"):
            facts.set(fact, None, f"{gpu['name']} is not an NVIDIA GPU")
    facts.set("host.machine", gpu.get("machine", "x86_64"), f"{where}, typical host of {name}")
    facts.set("host.system", "linux", where)
    return facts


def _set_memory(facts: Facts, gpu: Mapping[str, Any], name: str, where: str) -> None:
    """Record memory and full name of the GPUs. A GPU of several sizes has neither if the user states none of them."""
    count, memory = facts.value("gpu.count"), gpu["memory"]
    assert isinstance(count, int)
    if not isinstance(memory, list):
        facts.set("gpu.name", (gpu["name"].format(memory),) * count, where)
        facts.set("gpu.memory_mib", (memory * _MIB,) * count, where)
        return
    sizes = " or ".join(map(str, memory))
    facts.set("gpu.name", (re.sub(r"[ -]?\{\}GB", "", gpu["name"]),) * count, where)
    facts.forget("gpu.memory_mib", f"{name} has {sizes} GB; give {_either(name, memory)}")


def _as_whole_machine(facts: Facts, what: str) -> Facts:
    """Close the family ``env``, and make every other machine fact that the target does not set unknown."""
    facts.close("env")
    for name in ("gpu.driver", "gpu.driver_cuda", "gpu.nvml", "host.glibc", "host.shm_mib", "host.memory_mib"):
        if facts.recorded(name) is None:
            facts.excuse(name, f"not specified by {what}")
    facts.excuse("host.container", f"not specified by {what}")
    return facts


def _from_file(path: str) -> Facts:
    if path.endswith(".json"):
        from vcompat.sources.probe.probe_report import read_report

        return read_report(path)
    import tomli

    try:
        table = tomli.loads(read_text(path, MB, _EXPECTED))
    except tomli.TOMLDecodeError as error:
        raise InputError(path, f"not valid TOML: {error}", "a cluster profile") from None
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", "a cluster profile") from None
    return _profile(path, table)


def _profile(path: str, table: Mapping[str, Any]) -> Facts:
    for key in table:
        if key not in _TABLES:
            raise InputError(f"{path}: {key}", "unknown key", did_you_mean(key, _TABLES) or ", ".join(_TABLES))
    gpu = table.get("gpu")
    if not isinstance(gpu, dict):
        raise InputError(path, "no table [gpu]", "[gpu] with model and count, or with compute_capability and count")
    count = gpu.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= 1024:
        raise InputError(f"{path}: gpu.count", f"invalid value {count!r}", "a number of GPUs from 1 to 1024")
    facts = _gpus(str(gpu["model"]), count, f"{path}: gpu.model") if "model" in gpu else Facts()
    facts.set("gpu.count", count, os.path.basename(path), Place(path))
    for section in ("gpu", "host", "packages"):
        values = table.get(section, {})
        if not isinstance(values, dict):
            raise InputError(f"{path}: {section}", f"invalid value {values!r}"[:60], "a table")
        for key, value in values.items():
            if (section, key) not in (("gpu", "model"), ("gpu", "count")):
                _state(facts, f"{section}.{key}", value, count, path)
    _variables(facts, table, path)
    machines = table.get("machines")
    if machines is not None:
        _state(facts, "plan.num_machines", machines, count, path)
    return _as_whole_machine(facts, os.path.basename(path))


def _variables(facts: Facts, table: Mapping[str, Any], path: str) -> None:
    for name, value in table.get("env", {}).items():
        if not ENVIRONMENT.fullmatch(name) or not isinstance(value, str):
            expected = "a variable such as VLLM_USE_V1, with a string"
            raise InputError(f"{path}: env.{name}", f"invalid value {value!r}"[:60], expected)
        facts.set(f"env.{name}", value, os.path.basename(path), Place(path))


def _state(facts: Facts, fact: str, value: Any, count: int, path: str) -> None:
    where = f"{path}: {fact}"
    spec = spec_of(fact, where)
    if spec.many and not isinstance(value, list):
        value = [value] * count
    parsed: FactValue = from_json(spec, value, where)
    facts.set(fact, parsed, os.path.basename(path), Place(path))
