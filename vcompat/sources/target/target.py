"""What ``--target`` takes: GPUs by name, a profile in TOML, or facts that `vcompat probe` saved there.

A target stands for a whole machine: nothing of the one that runs vcompat counts but its packages, and variables that
no file sets are not set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from packaging.version import Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import FactValue, from_json
from vcompat.facts.vocabulary import ENVIRONMENT, spec_of
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_text
from vcompat.foundation.suggest import did_you_mean

_EXPECTED = "GPUs such as 8xV100-32GB, a profile in TOML, or a report of `vcompat probe`"
_NAMED = re.compile(r"(?:(?:(\d{1,5})[xX*])?(\d{1,4})[xX*])?([A-Za-z0-9][\w .-]*)")
#: The tables of a profile, and the keys of ``gpu`` that are no facts.
_TABLES = ("gpu", "host", "env", "packages", "machines", "name")
_MIB = 1024


def read_target(text: str) -> Facts:
    """The facts of the target that a user named. Raises InputError."""
    if os.path.isfile(text) or text.endswith((".toml", ".json")):
        return _from_file(text)
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        raise InputError(f"--target {text}", "not a target", _EXPECTED)
    machines, count, name = match[1], match[2], match[3]
    facts = _gpus(name, int(count or 1), f"--target {text}")
    if machines:
        facts.set("plan.num_machines", int(machines), f"--target {text}")
    return _as_whole_machine(facts, f"the target {text}")


def known_gpus() -> list[str]:
    """The names that a target may have."""
    return list(_table())


@cache
def _table() -> dict[str, dict[str, Any]]:
    import tomli

    with open(os.path.join(os.path.dirname(__file__), "gpus.toml"), "rb") as file:
        return tomli.load(file)


def _find(name: str, where: str) -> dict[str, Any]:
    """The GPU called `name`, whatever its spelling: ``rtx 4090``, ``RTX4090`` and ``RTX-4090`` are one."""
    table = {_plain(known): known for known in _table()}
    found = table.get(_plain(name)) or table.get(_plain(f"RTX-{name}"))
    if found is None and (match := re.fullmatch(r"(.*?)-?(\d+)GB", _plain_dashes(name))):
        base = table.get(_plain(match[1]))
        if base is not None:
            return {**_table()[base], "memory": int(match[2])}
    if found is None:
        near = did_you_mean(name.upper(), _table())
        raise InputError(where, f"no GPU '{name}' is known", near or "one such as V100-32GB, A100-80GB, H100 or L40S")
    return _table()[found]


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+|^(nvidia|geforce|tesla|amd|instinct)[\s_-]*", "", name.lower())


def _plain_dashes(name: str) -> str:
    return re.sub(r"[\s_]+", "-", name).upper()


def _gpus(name: str, count: int, where: str) -> Facts:
    if not 1 <= count <= 1024:
        raise InputError(where, f"{count} GPUs in one machine", "1 to 1024")
    gpu = _find(name, where)
    facts = Facts()
    facts.set("gpu.count", count, where)
    facts.set("gpu.name", (gpu["name"],) * count, where)
    facts.set("gpu.memory_mib", (gpu["memory"] * _MIB,) * count, where)
    facts.set("gpu.mig", (False,) * count, where)
    facts.set("gpu.peer_access", gpu["link"] if count > 1 else None, f"{where}, as {name} is usually built")
    if "capability" in gpu:
        facts.set("gpu.compute_capability", (Version(gpu["capability"]),) * count, where)
        facts.set("gpu.nvml", "ok", where)
        facts.set("vllm.backend", "cuda", f"{where}: the GPUs are Nvidia's")
    else:
        facts.forget("gpu.compute_capability", f"{gpu['name']} ({gpu['rocm']}) has none; the rules speak of CUDA")
        facts.set("vllm.backend", "rocm", where)
        for fact in ("gpu.nvml", "gpu.driver", "gpu.driver_cuda"):
            facts.set(fact, None, f"{gpu['name']} is not Nvidia's")
    facts.set("host.machine", gpu.get("machine", "x86_64"), f"{where}, as it is usually built")
    facts.set("host.system", "linux", where)
    return facts


def _as_whole_machine(facts: Facts, what: str) -> Facts:
    """Variables that no file sets are not set there; what else is not stated is not known."""
    facts.closed.add("env")
    for name in ("gpu.driver", "gpu.driver_cuda", "gpu.nvml", "host.glibc", "host.shm_mib", "host.memory_mib"):
        if name not in facts.known:
            facts.reasons.setdefault(name, f"{what} does not say")
    facts.reasons.setdefault("host.container", f"{what} does not say")
    return facts


def _from_file(path: str) -> Facts:
    if path.endswith(".json"):
        from vcompat.sources.probe.report import read_report

        return read_report(path)
    import tomli

    try:
        table = tomli.loads(read_text(path, MB, _EXPECTED))
    except tomli.TOMLDecodeError as error:
        raise InputError(path, f"not valid TOML: {error}", "a profile") from None
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", "a profile") from None
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
        raise InputError(f"{path}: gpu.count", f"{count!r}", "a number of GPUs, from 1 to 1024")
    facts = _gpus(str(gpu["model"]), count, f"{path}: gpu.model") if "model" in gpu else Facts()
    facts.set("gpu.count", count, os.path.basename(path), Place(path))
    for section in ("gpu", "host", "packages"):
        values = table.get(section, {})
        if not isinstance(values, dict):
            raise InputError(f"{path}: {section}", f"{values!r}"[:60], "a table")
        for key, value in values.items():
            if (section, key) not in (("gpu", "model"), ("gpu", "count")):
                _state(facts, f"{section}.{key}", value, count, path)
    for name, value in table.get("env", {}).items():
        if not ENVIRONMENT.fullmatch(name) or not isinstance(value, str):
            raise InputError(f"{path}: env.{name}", f"{value!r}"[:60], "a variable such as VLLM_USE_V1, with a text")
        facts.set(f"env.{name}", value, os.path.basename(path), Place(path))
    machines = table.get("machines")
    if machines is not None:
        _state(facts, "plan.num_machines", machines, count, path)
    return _as_whole_machine(facts, os.path.basename(path))


def _state(facts: Facts, fact: str, value: Any, count: int, path: str) -> None:
    where = f"{path}: {fact}"
    spec = spec_of(fact, where)
    if spec.many and not isinstance(value, list):
        value = [value] * count
    parsed: FactValue = from_json(spec, value, where)
    facts.set(fact, parsed, os.path.basename(path), Place(path))
