"""`vcompat check --compile`: what it refuses, in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat

T4 = ["--set", "gpu.compute_capability=7.5", "--set", "vllm.backend=cuda"]


def refused(*arguments: str) -> str:
    answer = vcompat("check", "--no-config", "--compile", *arguments)
    assert (answer.code, answer.stdout) == (2, "")
    (line,) = answer.stderr.splitlines()
    assert line.startswith("vcompat: check --compile: ")
    return line.removeprefix("vcompat: check --compile: ")


@pytest.mark.parametrize("known", [[], ["gpu.compute_capability=none"], ["gpu.compute_capability=unknown"]])
def test_gpus_that_are_not_known_are_refused(known: list[str]) -> None:
    words = [word for fact in known for word in ("--set", fact)]
    line = refused("--no-probe", *words)
    assert line.startswith("the compute capability of the GPUs is not known; expected --target, or --set")


def test_a_gpu_without_known_properties_is_refused() -> None:
    line = refused("--set", "gpu.compute_capability=6.1", "--set", "vllm.backend=cuda")
    assert line.startswith("compute capability 6.1 is not supported; expected one of 7.0, 7.5, ")


def test_a_vllm_for_cpus_is_refused() -> None:
    line = refused(*T4[:2], "--set", "vllm.backend=cpu")
    assert line.startswith("vLLM is a build for cpu, not for CUDA")


def test_packages_that_are_not_installed_are_refused(tmp_path: Path) -> None:
    lock = tmp_path / "uv.lock"
    lock.write_text('version = 1\n[[package]]\nname = "vllm"\nversion = "0.9.2"\n')
    assert refused(*T4, "--env", str(lock)).startswith("--env names packages that are not installed here")
    assert "the run has vLLM 0.9.2 (uv.lock" in refused(*T4, str(lock)).replace(f"{tmp_path}/", "")
    assert "the run has vLLM 0.7.3 (--set), and " in refused(*T4, "--set", "packages.vllm=0.7.3")
    assert refused(*T4, "--no-probe").startswith("the vLLM of the run is not known")


@pytest.mark.parametrize(("installed", "missing"), [((), "vLLM"), (("vllm",), "Triton"), (("vllm", "triton"), "torch")])
def test_an_environment_without_the_packages_is_refused(
    installed: tuple[str, ...], missing: str, tmp_path: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    (site,) = tmp_path.glob("lib/python*/site-packages")
    for name in installed:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("raise RuntimeError('imported')\n")
    python = tmp_path / "bin" / "python"
    for place in (tmp_path, python):
        line = refused(*T4, "--python", str(place))
        assert line == f"{missing} is not installed for {python}; expected an environment with vLLM and Triton"


def test_a_file_that_is_no_interpreter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib" / "python3.11" / "site-packages").mkdir(parents=True)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("")
    assert f"{python} does not run: " in refused(*T4, "--python", str(python))


def test_nothing_is_compiled_unless_asked() -> None:
    answer = vcompat("check", "--no-config", "--no-probe", *T4)
    assert (answer.code, "Compiled" in answer.stdout) == (0, False)
