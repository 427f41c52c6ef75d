"""Whether real vLLM uses cascade attention on an A100 and on an H100, with the patch and without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy
import pytest
from packaging.version import Version

from tests.upstream.installed import installed
from tests.upstream.real_vllm import model_folder, run_program
from vcompat.patches.of_vllm.vllm_cascade_attention import PATCH

#: Configures a model unpatched, patched, and after unpatching; reports whether cascade attention is disabled.
CONFIGURE = """
import json, sys
import vcompat
from vllm.engine.arg_utils import EngineArgs

def disabled():
    return EngineArgs(model=sys.argv[1], enforce_eager=True).create_model_config().disable_cascade_attn

unpatched = disabled()
status = vcompat.patch(only=["vllm_cascade_attention"], strict=True)["vllm_cascade_attention"].status
patched = disabled()
vcompat.unpatch()
print()
print(json.dumps({"unpatched": unpatched, "patched": patched, "after unpatch": disabled(), "status": status}))
"""

#: Releases from 0.12.0 on need a newer gguf than `run_program` provides.
NEWER = ("gguf==0.17.1",)
FLASH_ATTN = "vllm.v1.attention.backends.flash_attn"


@pytest.fixture
def configure(tmp_path: Path, nvml_stub: Path) -> Any:
    def configured(version: str, machine: str, **variables: str) -> Any:
        model = model_folder(tmp_path / "model", longest=2048)
        newer = installed(*NEWER) if Version(version) >= Version("0.12.0") else []
        return run_program(version, CONFIGURE, nvml_stub, machine, str(model), first=newer, **variables)

    return configured


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("0.8.2", marks=pytest.mark.slow),
        pytest.param("0.10.1", marks=pytest.mark.slow),
        pytest.param("0.11.0", marks=pytest.mark.slow),
        "0.17.1",
    ],
)
def test_on_an_a100_the_engine_disables_cascade_attention_only_with_the_patch(version: str, configure: Any) -> None:
    result = configure(version, "1xA100")
    assert result == {"unpatched": False, "patched": True, "after unpatch": False, "status": "applied"}


@pytest.mark.parametrize(
    ("variables", "patched"),
    [
        pytest.param({}, False, marks=pytest.mark.slow),
        pytest.param({"VLLM_FLASH_ATTN_VERSION": "2"}, True, marks=pytest.mark.slow),
    ],
    ids=["version 3", "version 2"],
)
def test_on_an_h100_it_is_disabled_only_for_flash_attention_2(
    variables: dict[str, str], patched: bool, configure: Any
) -> None:
    result = configure("0.11.0", "8xH100", **variables)
    assert result == {"unpatched": False, "patched": patched, "after unpatch": False, "status": "applied"}


@pytest.mark.slow
def test_a_release_that_disables_it_by_default_is_not_patched(configure: Any) -> None:
    result = configure("0.18.0", "1xA100")
    # Pending, because the process does not import the backend.
    assert result == {"unpatched": True, "patched": True, "after unpatch": True, "status": "pending"}


def wants_cascade(module: ModuleType, sequences: int) -> bool:
    """Ask for a step in which each of `sequences` decodes one token after a shared prefix, on an A100."""
    wants: bool = module.FlashAttentionBackend.use_cascade_attention(
        common_prefix_len=1024,
        query_lens=numpy.ones(sequences, dtype=numpy.int32),
        num_query_heads=28,
        num_kv_heads=4,
        use_alibi=False,
        use_sliding_window=False,
        num_sms=108,
    )
    return wants


@pytest.fixture
def flash_attention(upstream_module: Callable[..., ModuleType]) -> Callable[[str], ModuleType]:
    objects = ("FlashAttentionBackend.use_cascade_attention", "use_cascade_attention")
    namespace = {"np": numpy, "cdiv": lambda a, b: -(-a // b)}
    return lambda version: upstream_module("vllm", version, FLASH_ATTN, objects, namespace)


@pytest.mark.parametrize("version", ["0.7.0", "0.8.0", "0.8.1", "0.8.4"])
def test_without_the_setting_the_backend_declines_only_with_the_patch(
    version: str, flash_attention: Any, engine_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_gpu(monkeypatch, (8, 0))
    module = flash_attention(version)
    assert [wants_cascade(module, sequences) for sequences in (7, 36)] == [False, True]
    engine = engine_of(PATCH)
    assert engine.patch(None, (), strict=True)[PATCH.id].status == "applied"
    assert [wants_cascade(module, sequences) for sequences in (7, 36)] == [False, False]
    engine.unpatch()
    assert wants_cascade(module, 36)


@pytest.mark.parametrize("capability", [(9, 0), None], ids=["an H100", "no GPU"])
def test_without_flash_attention_2_the_backend_decides_as_before(
    capability: tuple[int, int] | None, flash_attention: Any, outcome: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_gpu(monkeypatch, capability)
    module = flash_attention("0.8.1")
    assert outcome(PATCH) == "applied"
    assert [wants_cascade(module, sequences) for sequences in (7, 36)] == [False, True]


def use_gpu(monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int] | None) -> None:
    """Stand in for the GPU that vLLM's platform reports."""
    gpu = SimpleNamespace(is_cuda=lambda: True, get_device_capability=lambda device: capability)
    monkeypatch.setattr("vllm.platforms.current_platform", gpu, raising=False)
