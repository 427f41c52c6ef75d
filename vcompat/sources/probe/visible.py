"""Which GPUs a run sees: what CUDA makes of ``CUDA_VISIBLE_DEVICES`` and ``CUDA_DEVICE_ORDER``.

The rules are those of the CUDA programming guide, appendix on environment variables: entries are indices or UUIDs
(``GPU-`` and ``MIG-``, which may be cut short as long as they are unambiguous); the list ends at the first entry that
names nothing; an entry named twice leaves nothing visible.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Device = dict[str, Any]


class Visible(NamedTuple):
    """The GPUs that CUDA shows to a run, in its numbering."""

    devices: tuple[Device, ...]
    """As ``probe.nvml`` describes them; for a MIG instance the instance, with its GPU's compute capability."""
    reason: str | None
    """What the reader should know about the choice; None where there was none to make."""
    ambiguous: bool = False
    """True where NVML's numbering does not tell which GPUs the indices mean."""


def visible_devices(devices: list[Device], choice: str | None, order: str | None) -> Visible:
    """Apply `choice` (``CUDA_VISIBLE_DEVICES``) and `order` (``CUDA_DEVICE_ORDER``), None where not set."""
    if choice is None:
        return Visible(_with_instances(devices), None)
    entries = [entry.strip() for entry in choice.split(",")]
    said = f"CUDA_VISIBLE_DEVICES={choice}"
    by_index = any(entry.isdigit() for entry in entries)
    if by_index and order != "PCI_BUS_ID" and len({device["name"] for device in devices}) > 1:
        return Visible(
            (),
            f"{said} counts the fastest GPU first, NVML counts by bus, and the GPUs differ; "
            "set CUDA_DEVICE_ORDER=PCI_BUS_ID",
            ambiguous=True,
        )
    chosen: list[Device] = []
    for entry in entries:
        device = _named(devices, entry)
        if device is None:
            rest = f"; '{entry}' names no GPU, and the list ends there" if entry not in ("", "-1") else ""
            return Visible(tuple(chosen), said + rest)
        if device in chosen:
            return Visible((), f"{said} names one GPU twice, so CUDA shows none")
        chosen.append(device)
    return Visible(tuple(chosen), said)


def _with_instances(devices: list[Device]) -> tuple[Device, ...]:
    """Without a choice, a GPU in MIG mode shows its first instance; one without instances shows nothing."""
    shown: list[Device] = []
    for device in devices:
        if device["mig"]:
            shown += [_instance(device, instance) for instance in device["mig_instances"][:1]]
        else:
            shown.append(device)
    return tuple(shown)


def _named(devices: list[Device], entry: str) -> Device | None:
    """The one GPU or MIG instance that `entry` names."""
    if entry.isdigit():
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
