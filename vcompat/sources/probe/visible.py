"""The GPUs that are visible to a run, as CUDA selects them by ``CUDA_VISIBLE_DEVICES`` and ``CUDA_DEVICE_ORDER``.

The rules are those of the CUDA programming guide, appendix on environment variables. Entries are indices or UUIDs
(``GPU-`` and ``MIG-``, which can be abbreviated if they are unambiguous). The list ends at the first entry that matches
no GPU. If an entry occurs twice, no GPU is visible.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Device = dict[str, Any]


class Visible(NamedTuple):
    """The visible GPUs, in CUDA's order."""

    devices: tuple[Device, ...]
    """The GPUs as described in ``probe.nvml``; a MIG instance has the compute capability of its GPU."""
    reason: str | None
    """An explanation of the selection; None if all GPUs are visible."""
    ambiguous: bool = False
    """True if NVML's numbering does not determine which GPUs the indices select."""


def visible_devices(devices: list[Device], choice: str | None, order: str | None) -> Visible:
    """Return the visible GPUs for `choice` (``CUDA_VISIBLE_DEVICES``) and `order` (``CUDA_DEVICE_ORDER``).

    Both are None if the variable is not set.
    """
    if choice is None:
        return Visible(_with_instances(devices), None)
    entries = [entry.strip() for entry in choice.split(",")]
    said = f"CUDA_VISIBLE_DEVICES={choice}"
    by_index = any(entry.isdecimal() for entry in entries)
    if by_index and order != "PCI_BUS_ID" and len({device["name"] for device in devices}) > 1:
        return Visible(
            (),
            f"{said} is ambiguous, because CUDA numbers different GPUs by speed and NVML by PCI bus; "
            "set CUDA_DEVICE_ORDER=PCI_BUS_ID",
            ambiguous=True,
        )
    chosen: list[Device] = []
    for entry in entries:
        device = _named(devices, entry)
        if device is None:
            rest = f"; '{entry}' matches no GPU, so CUDA ignores the rest" if entry not in ("", "-1") else ""
            return Visible(tuple(chosen), said + rest)
        if device in chosen:
            return Visible((), f"{said} lists one GPU twice, so no GPU is visible")
        chosen.append(device)
    return Visible(tuple(chosen), said)


def _with_instances(devices: list[Device]) -> tuple[Device, ...]:
    """Return the devices that are visible by default: of a GPU in MIG mode, only its first MIG instance, if any."""
    shown: list[Device] = []
    for device in devices:
        if device["mig"]:
            shown += [_instance(device, instance) for instance in device["mig_instances"][:1]]
        else:
            shown.append(device)
    return tuple(shown)


def _named(devices: list[Device], entry: str) -> Device | None:
    """Return the GPU or MIG instance that `entry` selects; None if there is none or more than one."""
    if entry.isdecimal():
        index = int(entry)
        return next(iter(_with_instances(devices[index : index + 1])), None)
    if entry.startswith("GPU-"):
        return _only([d for d in devices if str(d["uuid"]).lower().startswith(entry.lower())])
    if entry.startswith("MIG-"):
        instances = [_instance(d, i) for d in devices for i in d["mig_instances"]]
        return _only([i for i in instances if str(i["uuid"]).lower().startswith(entry.lower())])
    return None


def _only(found: list[Device]) -> Device | None:
    return found[0] if len(found) == 1 else None


def _instance(device: Device, instance: Device) -> Device:
    inherited = {key: device[key] for key in ("index", "compute_capability", "pci_bus_id", "mig")}
    return {**instance, **inherited, "peers": {}}
