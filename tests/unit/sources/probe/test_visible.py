from __future__ import annotations

from typing import Any

import pytest

from vcompat.sources.probe.visible import visible_devices


def gpu(index: int, name: str = "A100", instances: tuple[str, ...] = (), mig: bool = False) -> dict[str, Any]:
    return {
        "index": index,
        "uuid": f"GPU-{index}111-aaaa",
        "name": name,
        "compute_capability": "8.0",
        "memory_mib": 1,
        "pci_bus_id": "x",
        "mig": mig,
        "mig_instances": [{"uuid": uuid, "name": "instance", "memory_mib": 1} for uuid in instances],
        "peers": {},
    }


FOUR = [gpu(index) for index in range(4)]


def chosen(choice: str | None, order: str | None = None, devices: list[dict[str, Any]] | None = None) -> list[int]:
    return [device["index"] for device in visible_devices(devices or FOUR, choice, order).devices]


@pytest.mark.parametrize(
    ("choice", "indices"),
    [
        (None, [0, 1, 2, 3]),
        ("2", [2]),
        ("3,1", [3, 1]),
        (" 0 , 1 ", [0, 1]),
        ("0,9,1", [0]),
        ("0,-1,1", [0]),
        ("", []),
        ("NoDevFiles", []),
        ("1,1", []),
        ("GPU-2111", [2]),
        ("gpu-2111", []),
        ("GPU-2111-AAAA,GPU-0111", [2, 0]),
        ("GPU-", []),
        ("0,GPU-0111", []),
    ],
)
def test_cuda_visible_devices_selects_the_same_gpus_as_in_cuda(choice: str | None, indices: list[int]) -> None:
    assert chosen(choice) == indices


def test_invalid_and_duplicate_entries_are_explained() -> None:
    assert "'9' matches no GPU" in str(visible_devices(FOUR, "0,9,1", None).reason)
    assert "one GPU twice" in str(visible_devices(FOUR, "1,1", None).reason)


def test_indices_of_different_gpus_are_ambiguous_unless_ordered_by_pci_bus() -> None:
    mixed = [gpu(0, "V100"), gpu(1, "A100")]
    assert visible_devices(mixed, "0", None).ambiguous
    assert not visible_devices(mixed, None, None).ambiguous
    assert not visible_devices(mixed, "GPU-1111", None).ambiguous
    assert chosen("1", "PCI_BUS_ID", mixed) == [1]


def test_mig_instances_are_selected_by_uuid_and_inherit_the_compute_capability() -> None:
    devices = [gpu(0), gpu(1, instances=("MIG-5", "MIG-6"), mig=True)]
    (instance,) = visible_devices(devices, "MIG-6", None).devices
    assert (instance["uuid"], instance["index"], instance["compute_capability"]) == ("MIG-6", 1, "8.0")
    assert [d["uuid"] for d in visible_devices(devices, None, None).devices] == ["GPU-0111-aaaa", "MIG-5"]
    assert chosen("1", "PCI_BUS_ID", [gpu(0), gpu(1, mig=True)]) == []
