from __future__ import annotations

import json
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.facts.value import show
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, gather
from vcompat.sources.targets.target import known_gpus, read_target


@pytest.mark.parametrize(
    ("name", "count", "capability", "memory"),
    [
        ("8xV100-32GB", 8, "7.0", 32),
        ("V100-16GB", 1, "7.0", 16),
        ("2xT4", 2, "7.5", 15),
        ("8xH100", 8, "9.0", 80),
        ("4xA100-80GB", 4, "8.0", 80),
        ("4*A100 80GB", 4, "8.0", 80),
        ("1xrtx4090", 1, "8.9", 24),
        ("2x4090", 2, "8.9", 24),
        ("RTX 3080 Ti", 1, None, None),
        ("8xB200", 8, "10.0", 180),
        ("RTX-5090", 1, "12.0", 32),
        ("P100-16GB", 1, "6.0", 16),
        ("H100-94GB", 1, "9.0", 94),
        ("T4-16GB", 1, "7.5", 15),
        ("rtx 3080 12gb", 1, "8.6", 12),
        ("A100-PCIe-80GB", 1, "8.0", 80),
        ("NVIDIA A100 80GB PCIe", 1, "8.0", 80),
        ("Tesla V100-SXM2-32GB", 1, "7.0", 32),
        ("NVIDIA H100 80GB HBM3", 1, "9.0", 80),
        ("8xB200-192GB", 8, "10.0", 180),
    ],
)
def test_gpus_are_found_by_name(name: str, count: int, capability: str | None, memory: int | None) -> None:
    if capability is None or memory is None:
        with pytest.raises(InputError, match="unknown GPU 'RTX 3080 Ti'"):
            read_target(name)
        return
    facts = read_target(name)
    assert facts.value("gpu.count") == count
    assert facts.value("gpu.compute_capability") == (Version(capability),) * count
    assert facts.value("gpu.memory_mib") == (memory * 1024,) * count


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("V100", "V100 has 16 or 32 GB; give V100-16GB or V100-32GB"),
        ("8xa100", "A100 has 40 or 80 GB; give A100-40GB or A100-80GB"),
        ("2x3080", "RTX-3080 has 10 or 12 GB; give RTX-3080-10GB or RTX-3080-12GB"),
        ("V100-PCIe", "V100-PCIe has 16 or 32 GB"),
        ("RTX 4060 Ti", "RTX-4060-Ti has 8 or 16 GB"),
        ("8xH20", "H20 has 96 or 141 GB"),
        ("GH200", "GH200 has 96 or 144 GB"),
        ("P100", "P100 has 12 or 16 GB"),
    ],
)
def test_the_memory_of_a_gpu_of_several_sizes_is_unknown_until_it_is_stated(name: str, sizes: str) -> None:
    facts = read_target(name)
    assert facts.get("gpu.memory_mib") is None
    assert sizes in facts.why_unknown("gpu.memory_mib")
    assert facts.get("gpu.compute_capability") is not None
    assert facts.get("gpu.name") is not None


def test_a_profile_can_state_the_memory_of_a_gpu_of_several_sizes(tmp_path: Path) -> None:
    (tmp_path / "cluster.toml").write_text("[gpu]\nmodel = 'V100'\ncount = 2\nmemory_mib = 32768\n")
    assert read_target(str(tmp_path / "cluster.toml")).value("gpu.memory_mib") == (32768, 32768)


def test_every_known_gpu_can_be_a_target() -> None:
    assert len(known_gpus()) > 50
    for name in known_gpus():
        facts = read_target(f"2x{name}")
        assert facts.value("gpu.count") == 2
        assert facts.get("gpu.memory_mib") is not None
        known = facts.get("gpu.compute_capability")
        assert known is not None or "has no CUDA compute capability" in facts.why_unknown("gpu.compute_capability")


def test_a_target_can_have_several_machines() -> None:
    facts = read_target("4x8xH100")
    assert (facts.value("plan.num_machines"), facts.value("gpu.count")) == (4, 8)


def test_amd_gpus_have_no_compute_capability() -> None:
    facts = read_target("8xMI300X")
    assert facts.value("vllm.backend") == "rocm"
    assert facts.get("gpu.compute_capability") is None


@pytest.mark.parametrize(
    ("requirements", "backend", "cuda"),
    [
        ("torch==2.6.0\nvllm==0.10.0\n", "rocm", "?"),
        ("torch==2.6.0+rocm6.2\nvllm==0.10.0+rocm624\n", "rocm", "none"),
        ("torch==2.6.0+cu124\nvllm==0.10.0\n", "rocm", "?"),
        ("vllm==0.10.0+cpu\n", "cpu", "?"),
    ],
)
def test_a_cuda_build_is_not_certain_on_amd_gpus(tmp_path: Path, requirements: str, backend: str, cuda: str) -> None:
    (tmp_path / "requirements.txt").write_text(requirements)
    facts = gather(Sources(target="8xMI300X", environment=str(tmp_path / "requirements.txt"), probe=False))
    assert facts.value("vllm.backend") == backend
    known = facts.get("torch.cuda")
    assert ("?" if known is None else show(known.value)) == cuda


def test_a_cluster_profile_can_be_a_target(tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(
        'name = "ours"\nmachines = 2\n[gpu]\nmodel = "V100-32GB"\ncount = 4\ndriver = "550.54"\npeer_access = "pcie"\n'
        "[host]\nshm_mib = 64\n[env]\nNCCL_P2P_DISABLE = '1'\n"
    )
    facts = read_target(str(path))
    assert facts.value("gpu.count") == 4
    assert facts.value("gpu.driver") == Version("550.54")
    assert facts.value("gpu.peer_access") == "pcie"
    assert facts.value("host.shm_mib") == 64
    assert facts.value("env.NCCL_P2P_DISABLE") == "1"
    assert facts.value("plan.num_machines") == 2
    unset = facts.get("env.VLLM_USE_V1")
    assert unset is not None and unset.value is None


def test_a_probe_report_can_be_a_target(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps({"facts": {"gpu.count": 2}}))
    assert read_target(str(path)).value("gpu.count") == 2


def test_a_target_replaces_this_machine_except_for_its_packages() -> None:
    facts = gather(Sources(target="8xH100"))
    assert facts.value("gpu.count") == 8
    assert facts.get("host.memory_mib") is None
    assert "packages" in facts.closed


def test_cuda_visible_devices_in_a_run_file_limits_the_gpus_of_a_target(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("CUDA_VISIBLE_DEVICES=0,1 python train.py\n")
    facts = gather(Sources([str(tmp_path / "run.sh")], target="8xH100", probe=False))
    assert facts.value("gpu.count") == 2
    assert len(facts.value("gpu.memory_mib")) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("8xV101", "'V100'"),
        ("0xH100", "0 GPUs per machine"),
        ("8x", "unknown GPU '8x'"),
        ("8xV100-24GB", "V100 has no 24 GB; expected V100-16GB or V100-32GB"),
        ("H100-200GB", "H100 has no 200 GB; expected H100-80GB"),
        ("4090-48GB", "RTX-4090 has no 48 GB"),
        ("80GB", "unknown GPU '80GB'"),
        ("", "not a target"),
        ("nowhere.toml", "No such file"),
    ],
)
def test_an_invalid_target_is_rejected(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_target(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("gpus = 3", "gpus: unknown key; expected 'gpu'"),
        ("gpu = 3", r"no table \[gpu\]"),
        ("[gpu]\ncount = true", "gpu.count: invalid value True"),
        ("[gpu]\nmodel = 'X9'", "unknown GPU 'X9'"),
        ("[gpu]\ncolor = 1", "unknown fact 'gpu.color'"),
        ("[gpu]\ncompute_capability = 7", "a version"),
        ("[gpu]\n[env]\nEDITOR = 'vi'", "env.EDITOR"),
        ("a = ", "not valid TOML"),
    ],
)
def test_a_malformed_profile_is_rejected_with_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "cluster.toml").write_text(text)
    with pytest.raises(InputError, match=complaint):
        read_target(str(tmp_path / "cluster.toml"))
