"""`vcompat rules scan`: known misfits of real releases are found, with the rules that cover them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from packaging.version import Version

from tests.upstream.releases import cache_directory, source
from vcompat.rules.database import load_rules
from vcompat.upstream.index import Release
from vcompat.upstream.scanning.scan import Misfit, scan


def found(users: str, others: str, monkeypatch: pytest.MonkeyPatch, *, with_rules: bool = True) -> dict[str, Misfit]:
    """Return the misfits between releases such as "trl 0.16.0" and "vllm 0.10.2 0.12.0", by the text of the use."""
    monkeypatch.setenv("VCOMPAT_CACHE", str(cache_directory()))
    releases = []
    for text in (users, others):
        package, *versions = text.split()
        for version in versions:
            source(package, version).close()
        releases.append([Release(package, Version(version), "", "", "", False) for version in versions])
    asking, asked = releases
    result = scan(asking, asked, load_rules() if with_rules else [], lambda name: None)
    assert result.troubles == ()
    return {str(misfit.use): misfit for misfit in result.misfits}


@pytest.mark.parametrize(
    ("users", "others", "use", "rule"),
    [
        ("trl 0.15.0", "vllm 0.8.5 0.10.0", "passes vllm.LLM(device=)", "engine-takes-no-device"),
        pytest.param("trl 0.16.1", "vllm 0.10.2 0.11.0", "imports vllm.worker.worker.Worker", "server-imports-v0-worker", marks=pytest.mark.slow),
        ("trl 0.18.0", "vllm 0.11.2 0.12.0", "imports vllm.sampling_params.GuidedDecodingParams", "guided-decoding-params-removed"),
        ("trl 1.0.0", "vllm 0.11.0 0.10.2", "imports vllm.sampling_params.StructuredOutputsParams", "experimental-trainers-need-structured-outputs"),
        pytest.param("trl 1.16.0", "transformers 5.0.0 4.57.6", "imports transformers.integrations.flash_attention.get_target_dtype", "async-grpo-needs-transformers-5", marks=pytest.mark.slow),
        pytest.param("trl 0.22.2", "transformers 4.57.6 5.0.0", "imports transformers.models.auto.modeling_auto.MODEL_FOR_VISION_2_SEQ_MAPPING_NAMES", "dpo-imports-vision-mapping", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_misfit_is_found_and_covered_by_a_rule(
    users: str, others: str, use: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    misfit = found(users, others, monkeypatch)[use]
    assert rule in misfit.known
    assert misfit.lacking == (Version(others.rsplit(maxsplit=1)[-1]),)
    assert misfit.place.startswith("trl/")
    assert found(users, others, monkeypatch, with_rules=False)[use].known == ()


def test_a_pair_without_a_declared_range_is_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    misfits = found("peft 0.20.0", "torchao 0.17.0 0.18.0", monkeypatch)
    misfit = misfits["imports torchao.quantization.LinearActivationQuantizedTensor"]
    assert (misfit.lacking, misfit.inside) == ((Version("0.18.0"),), ())
    assert misfit.undeclared == ((Version("0.20.0"), Version("0.18.0")),)
    assert misfit.known == ("other-adapters-import-removed-torchao-class",)


def test_an_attribute_of_an_object_that_a_call_made_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    misfits = found("transformers 5.1.0", "accelerate 0.34.0 1.15.0", monkeypatch)
    assert misfits["reads accelerate.Accelerator().torch_device_mesh"].lacking == (Version("0.34.0"),)


def test_compatible_releases_have_no_misfit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("trl 1.16.0", "vllm 0.28.0 0.31.0", monkeypatch) == {}


def test_a_pair_outside_the_declared_range_is_not_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    misfit = found("trl 1.9.0", "vllm 0.10.2", monkeypatch)["imports vllm.utils.network_utils.get_open_port"]
    assert (misfit.lacking, misfit.inside) == ((Version("0.10.2"),), ())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["vlm"], "'vllm'"),
        (["trl", "trl"], "a package always fits itself"),
        (["trl", "numpy"], "not a package whose releases are recorded"),
    ],
)
def test_bad_input_is_reported_in_one_line(arguments: list[str], complaint: str) -> None:
    command = [sys.executable, "-m", "vcompat", "rules", "scan", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_network_and_cache_it_fails(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", "rules", "scan"],
        env={**os.environ, "PIP_INDEX_URL": "http://127.0.0.1:9/simple/", "VCOMPAT_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert "the package index cannot be reached" in done.stderr
    assert len(done.stderr.splitlines()) == 1
