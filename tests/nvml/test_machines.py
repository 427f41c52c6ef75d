"""The probe with the real nvidia-ml-py, in its real process, and the stub of the driver library."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.nvml import stub
from vcompat.sources.probe.nvml import PATIENCE


def probe(folder: Path, scenario: str, **variables: str) -> dict[str, Any]:
    """Return the output of `vcompat probe` on that machine. Standard error must be empty."""
    command = [sys.executable, "-m", "vcompat", "probe"]
    done = subprocess.run(
        command,
        env=stub.environment(folder, scenario, **variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_eight_v100(nvml_stub: Path) -> None:
    report = probe(nvml_stub, "8xV100")
    facts = report["facts"]
    assert facts["gpu.count"] == 8
    assert facts["gpu.compute_capability"] == ["7.0"] * 8
    assert facts["gpu.memory_mib"] == [32768] * 8
    assert facts["gpu.name"] == ["Tesla V100-SXM2-32GB"] * 8
    assert facts["gpu.mig"] == [False] * 8
    assert facts["gpu.peer_access"] == "nvlink"
    assert facts["gpu.driver"] == "580.95.5"
    assert facts["gpu.driver_cuda"] == "13.0"
    first = report["nvml"]["devices"][0]
    assert first["index"] == 0
    assert first["uuid"] == "GPU-a0000000-0000-4000-8000-000000000000"
    assert first["pci_bus_id"] == "00000000:10:00.0"


def test_two_t4_with_pcie_peer_access(nvml_stub: Path) -> None:
    facts = probe(nvml_stub, "2xT4")["facts"]
    assert facts["gpu.compute_capability"] == ["7.5", "7.5"]
    assert facts["gpu.peer_access"] == "pcie"


@pytest.mark.parametrize(
    ("choice", "count"),
    [("0", 1), ("1,0", 2), ("GPU-a0000001-0000-4000-8000-000000000001", 1), ("GPU-a0000001", 1), ("", 0), ("-1", 0)],
)
def test_the_visible_gpus_match_cuda(nvml_stub: Path, choice: str, count: int) -> None:
    facts = probe(nvml_stub, "2xA100", CUDA_VISIBLE_DEVICES=choice)["facts"]
    assert facts["gpu.count"] == count
    assert facts["gpu.compute_capability"] == ["8.0"] * count


def test_an_h200_in_mig_mode_and_one_of_its_instances(nvml_stub: Path) -> None:
    report = probe(nvml_stub, "H200-mig", CUDA_VISIBLE_DEVICES="MIG-b0000001-0000-5000-8000-000000000001")
    assert len(report["nvml"]["devices"][0]["mig_instances"]) == 3
    facts = report["facts"]
    assert facts["gpu.mig"] == [True]
    assert facts["gpu.memory_mib"] == [18000]
    assert facts["gpu.compute_capability"] == ["9.0"]


def test_an_index_into_different_gpus_is_known_only_with_bus_order(nvml_stub: Path) -> None:
    report = probe(nvml_stub, "V100+A100", CUDA_VISIBLE_DEVICES="0")
    assert "gpu.compute_capability" not in report["facts"]
    assert "CUDA_DEVICE_ORDER=PCI_BUS_ID" in report["unknown"]["gpu"]
    report = probe(nvml_stub, "V100+A100", CUDA_VISIBLE_DEVICES="1", CUDA_DEVICE_ORDER="PCI_BUS_ID")
    assert report["facts"]["gpu.compute_capability"] == ["8.0"]
    assert probe(nvml_stub, "V100+A100")["facts"]["gpu.compute_capability"] == ["7.0", "8.0"]


def test_a_machine_with_a_driver_and_no_gpu(nvml_stub: Path) -> None:
    facts = probe(nvml_stub, "none")["facts"]
    assert (facts["gpu.count"], facts["gpu.compute_capability"]) == (0, [])


@pytest.mark.parametrize(
    ("scenario", "status"),
    [
        ("mismatch", "driver-library-mismatch"),
        ("driver-not-loaded", "driver-not-loaded"),
        ("no-permission", "no-permission"),
        ("irq", "interrupt-problem"),
        ("operating-system", "blocked-by-system"),
        ("gpu-lost-at-init", "gpu-lost"),
        ("gpu-lost", "gpu-lost"),
        ("gpu-not-found", "no-device"),
        ("memory", "failed"),
        ("unknown", "failed"),
        ("abort", "failed"),
    ],
)
def test_each_failure_of_nvml_is_a_fact_with_a_reason(nvml_stub: Path, scenario: str, status: str) -> None:
    report = probe(nvml_stub, scenario)
    assert report["facts"]["gpu.nvml"] == status
    assert "gpu.count" not in report["facts"]
    assert report["unknown"]["gpu"]


def test_a_missing_driver_library_is_reported(tmp_path: Path) -> None:
    report = probe(tmp_path, "8xV100")
    assert report["facts"]["gpu.nvml"] == "library-not-found"
    assert "Not Found" in report["unknown"]["gpu"]


@pytest.mark.parametrize("scenario", ["hang", "hang-later"])
def test_a_hanging_driver_is_reported_after_three_seconds(nvml_stub: Path, scenario: str) -> None:
    started = time.monotonic()
    report = probe(nvml_stub, scenario)
    assert time.monotonic() - started < PATIENCE + 2
    assert report["facts"]["gpu.nvml"] == "timeout"
    assert "hangs" in report["unknown"]["gpu"]


def test_the_deprecated_pynvml_is_ignored(nvml_stub: Path, tmp_path: Path) -> None:
    """A package `pynvml` earlier on the path, as installed by the distribution of that name."""
    (tmp_path / "pynvml").mkdir()
    (tmp_path / "pynvml" / "__init__.py").write_text("raise RuntimeError('the wrong pynvml was imported')\n")
    assert probe(nvml_stub, "2xA100", PYTHONPATH=str(tmp_path))["facts"]["gpu.count"] == 2


#: Releases that work together on these GPUs: torch and transformers as this vLLM requires them, this vLLM as TRL does.
HEALTHY = "trl==1.16.0 vllm==0.31.0 torch==2.13.0 transformers==5.17.0 accelerate==1.15.0".split()


def test_a_check_of_a_healthy_machine_finds_nothing_certain_and_exits_with_0(nvml_stub: Path, tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("# autogenerated by uv\n" + "\n".join(HEALTHY) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", "check", "--env", str(lock), "--no-config"],
        env=stub.environment(nvml_stub, "8xH100", COLUMNS="100"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "on 8 GPUs (NVIDIA H100 80GB HBM3, compute capability 9.0)." in " ".join(done.stdout.split())
    assert not any(line.startswith(("error:", "warning:")) for line in done.stdout.splitlines())
    assert "memory     79.6 GiB per GPU" in done.stdout
    assert "rules depend on the settings of the run: pass the training or launch script" in done.stdout


def test_the_probe_tells_which_gpu_has_errors_is_slowed_or_is_used(nvml_stub: Path) -> None:
    devices = probe(nvml_stub, "8xH100-ill")["nvml"]["devices"]
    well = {
        "ecc": True,
        "uncorrected_errors": 0,
        "remapping_pending": False,
        "remapping_failed": False,
        "slowed_by": [],
        "used_mib": 0,
        "processes": [],
    }
    assert [device["index"] for device in devices if device["health"] != well] == [3, 5, 6]
    assert devices[3]["health"] == {**well, "uncorrected_errors": 2, "remapping_pending": True}
    assert devices[5]["health"] == {**well, "slowed_by": ["temperature (hardware)"]}
    processes = [{"pid": 4711, "used_mib": 39000}]
    assert devices[6]["health"] == {**well, "used_mib": 40000, "processes": processes}


def test_health_that_a_gpu_does_not_report_is_unknown(nvml_stub: Path) -> None:
    health = probe(nvml_stub, "8xV100")["nvml"]["devices"][0]["health"]
    assert (health["remapping_pending"], health["remapping_failed"]) == (None, None)


def test_a_check_does_not_ask_for_the_health_of_gpus(nvml_stub: Path) -> None:
    code = (
        "from vcompat.sources.probe.machine import probe_machine; print('health' in probe_machine().nvml['devices'][0])"
    )
    environment = stub.environment(nvml_stub, "8xH100")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
