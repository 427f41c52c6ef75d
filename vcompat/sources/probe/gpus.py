"""The facts ``gpu.*``, from NVML's answer and the environment variables that select GPUs."""

from __future__ import annotations

from typing import Any

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Facts
from vcompat.sources.probe.visible import visible_devices

#: Links between GPUs, slowest first.
_LINKS = ("none", "pcie", "nvlink")


def gpu_facts(answer: dict[str, Any], environment: Facts) -> tuple[list[dict[str, Any]], Facts]:
    """Return the GPUs that the run can use, and their facts.

    `answer` is the result of ``probe.nvml``. `environment` contains the facts ``env.*``.
    """
    facts = Facts()
    facts.set("gpu.nvml", answer["status"], "NVML")
    if answer["status"] != "ok":
        facts.forget("gpu", answer["reason"] or "NVML does not respond")
        return [], facts
    for name, key in (("gpu.driver", "driver"), ("gpu.driver_cuda", "cuda")):
        _set_version(facts, name, answer[key])
    visible = visible_devices(
        answer["devices"],
        _text(environment, "env.CUDA_VISIBLE_DEVICES"),
        _text(environment, "env.CUDA_DEVICE_ORDER"),
    )
    source = "NVML" if visible.reason is None else f"NVML; {visible.reason}"
    if visible.ambiguous:
        facts.forget("gpu", visible.reason or "the visible GPUs are ambiguous")
        return [], facts
    devices = list(visible.devices)
    facts.set("gpu.count", len(devices), source)
    capabilities = [device["compute_capability"] for device in devices]
    if all(capabilities):
        facts.set("gpu.compute_capability", tuple(map(Version, capabilities)), source)
    for key in ("name", "memory_mib"):
        values = tuple(device.get(key) for device in devices)
        if None not in values:
            facts.set(f"gpu.{key}", values, source)
    facts.set("gpu.mig", tuple(bool(device.get("mig")) for device in devices), source)
    link = _weakest_link(devices)
    if link is not None:
        facts.set("gpu.peer_access", link, "NVML")
    return devices, facts


def _text(facts: Facts, name: str) -> str | None:
    value = facts.value(name)
    return value if isinstance(value, str) else None


def _set_version(facts: Facts, name: str, text: str | None) -> None:
    try:
        if text is not None:
            facts.set(name, Version(text), "NVML")
    except InvalidVersion:
        facts.forget(name, f"NVML reports '{text}', which is not a version")


def _weakest_link(devices: list[dict[str, Any]]) -> str | None:
    """Return the slowest link between visible GPUs; None if there is only one GPU or a link is unknown."""
    indices = [str(device.get("index")) for device in devices]
    links = [
        device.get("peers", {}).get(other)
        for device in devices
        for other in indices
        if other != str(device.get("index"))
    ]
    known = [link for link in links if link in _LINKS]
    return min(known, key=_LINKS.index) if known and len(known) == len(links) else None
