"""Reports of nodes as `vcompat probe` writes them, for tests and benches."""

from __future__ import annotations

from typing import Any

from vcompat.sources.probe.probe_report import one_line

PACKAGES = {
    "accelerate": "1.15.0",
    "datasets": "5.2.0",
    "deepspeed": "0.19.0",
    "huggingface-hub": "1.33.0",
    "nccl": "2.29.7",
    "numpy": "2.3.5",
    "nvidia-ml-py": "13.615.71",
    "peft": "0.20.0",
    "ray": "2.60.0",
    "safetensors": "0.8.0",
    "tokenizers": "0.23.3",
    "torch": "2.13.0",
    "transformers": "5.17.0",
    "triton": "3.7.1",
    "trl": "1.16.0",
    "vllm": "0.31.0",
}
#: The time of all reports: in the past for whoever reads them.
TIME = 1_700_000_000.0


def _device(index: int) -> dict[str, Any]:
    return {
        "index": index,
        "uuid": f"GPU-a000000{index}-0000-4000-8000-00000000000{index}",
        "name": "NVIDIA H100 80GB HBM3",
        "memory_mib": 81559,
        "compute_capability": "9.0",
        "pci_bus_id": f"00000000:{16 + index:02X}:00.0",
        "mig": False,
        "mig_instances": [],
        "peers": {str(other): "nvlink" for other in range(8) if other != index},
        "health": {
            "ecc": True,
            "uncorrected_errors": 0,
            "remapping_pending": False,
            "remapping_failed": False,
            "slowed_by": [],
            "used_mib": 500,
            "processes": [],
        },
    }


def report(host: str = "node1", number: int = 1, gpus: int = 8, **changed: Any) -> dict[str, Any]:
    """Return the report of a node with H100s. `changed` are facts, with ``__`` for the dot; None removes one."""
    count = 0 if gpus < 1 else gpus
    facts: dict[str, Any] = {
        "gpu.nvml": "ok",
        "gpu.count": count,
        "gpu.compute_capability": ["9.0"] * count,
        "gpu.name": ["NVIDIA H100 80GB HBM3"] * count,
        "gpu.memory_mib": [81559] * count,
        "gpu.mig": [False] * count,
        "gpu.peer_access": "nvlink",
        "gpu.driver": "580.95.5",
        "gpu.driver_cuda": "13.0",
        "host.container": False,
        "host.glibc": "2.39",
        "host.machine": "x86_64",
        "host.memory_mib": 2_063_000 + number % 7,
        "host.python": "3.12.3",
        "host.shm_mib": 1_031_000 + number % 7,
        "host.system": "linux",
        "torch.cuda": "13.0",
        "torch.architectures": ["sm_80", "sm_90", "sm_100", "sm_120", "compute_120"],
        "vllm.backend": "cuda",
        "vllm.torch_pin": "2.13.0",
        **{f"packages.{name}": version for name, version in PACKAGES.items()},
    }
    for name, value in changed.items():
        fact = name.replace("__", ".", 1)
        facts[fact] = value
    devices = [_device(index) for index in range(count)]
    return {
        "vcompat": "0.1.0",
        "facts": facts,
        "sources": {name: "environment of this process" if name[:4] == "env." else "this machine" for name in facts},
        "looked_at_in_full": ["env", "packages"],
        "unknown": {},
        "nvml": {"status": "ok", "reason": None, "driver": "580.95.05", "cuda": "13.0", "devices": devices},
        "visible_gpus": devices,
        "node": {
            "host": host,
            "boot": f"00000000-0000-4000-8000-{number:012x}",
            "kernel": "6.8.0-60-generic",
            "pid": 1000 + number,
            "shm_free_mib": 1_000_000,
            "names": {host: [f"10.0.{number >> 8 & 255}.{number & 255}"]},
            "ports_in_use": [],
            "clock": {"synchronized": True, "error_ms": 12},
            "time": TIME + number / 1000,
        },
    }


def fleet(count: int, **changed: Any) -> list[dict[str, Any]]:
    """Return the reports of equal nodes, node1 to node`count`."""
    return [report(f"node{number}", number, **changed) for number in range(1, count + 1)]


def ranks(nodes: int, per_node: int = 8, **changed: Any) -> list[dict[str, Any]]:
    """Return the reports of all ranks of a job that torchrun started."""
    found = []
    for number in range(1, nodes + 1):
        for local in range(per_node):
            rank = (number - 1) * per_node + local
            variables = {
                "env__RANK": str(rank),
                "env__LOCAL_RANK": str(local),
                "env__WORLD_SIZE": str(nodes * per_node),
                "env__LOCAL_WORLD_SIZE": str(per_node),
                "env__MASTER_ADDR": "node1",
                "env__MASTER_PORT": "29500",
            }
            one = report(f"node{number}", number, **{**variables, **changed})
            one["node"]["pid"] = 5000 + rank
            one["node"]["names"]["node1"] = ["10.0.0.1"]
            found.append(one)
    return found


def lines(reports: list[dict[str, Any]]) -> str:
    """Return reports as the concatenated output of many probes."""
    return "".join(one_line(one) + "\n" for one in reports)
