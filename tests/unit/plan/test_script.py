from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.errors import InputError
from vcompat.facts import FactValue
from vcompat.patches import patch_ids
from vcompat.plan.script import Script, read_script


def script(tmp_path: Path, text: str) -> Script:
    path = tmp_path / "train.py"
    path.write_text(text)
    return read_script(str(path))


def settings(tmp_path: Path, text: str) -> dict[str, FactValue]:
    return {name: known.value for name, known in script(tmp_path, text).facts.known.items()}


def test_keyword_arguments_of_the_configuration_are_read_with_their_line(tmp_path: Path) -> None:
    read = script(
        tmp_path,
        "from trl import GRPOConfig\n\nc = GRPOConfig(\n  use_vllm=True,\n  vllm_mode='colocate', learning_rate=1e-5)\n",
    )
    assert read.facts.known["plan.use_vllm"] == (True, "train.py:4")
    assert read.facts.known["plan.vllm_mode"] == ("colocate", "train.py:5")
    assert read.takes_defaults


def test_constants_are_followed_and_dictionaries_opened(tmp_path: Path) -> None:
    text = "TP = 2\nARGS = dict(vllm_mode='colocate', vllm_tensor_parallel_size=TP)\nimport trl\ntrl.GRPOConfig(**ARGS, **{'use_vllm': True})"
    assert settings(tmp_path, text) == {
        "plan.use_vllm": True,
        "plan.vllm_mode": "colocate",
        "plan.vllm_tensor_parallel_size": 2,
        "plan.patched": (),
    }


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nGRPOConfig(use_vllm=len(sys.argv) > 1)",
        "V = True\nV = False\nGRPOConfig(use_vllm=V)",
        "def f(V):\n    GRPOConfig(use_vllm=V)\n",
        "V = True\nfor V in (1,): pass\nGRPOConfig(use_vllm=V)",
        "if x:\n    V = True\nelse:\n    V = False\nGRPOConfig(use_vllm=V)",
        "GRPOConfig(use_vllm='a string')",
        "GRPOConfig(use_vllm=True)\nGRPOConfig(use_vllm=False)",
    ],
)
def test_what_is_not_one_constant_is_unknown_with_a_reason(tmp_path: Path, text: str) -> None:
    facts = script(tmp_path, text).facts
    assert facts.get("plan.use_vllm") is None
    assert "train.py" in facts.why_unknown("plan.use_vllm")


def test_an_open_dictionary_leaves_the_other_settings_unknown(tmp_path: Path) -> None:
    assert not script(tmp_path, "GRPOConfig(use_vllm=True, **options())").takes_defaults
    assert not script(tmp_path, "GRPOTrainer(args=parser.parse())").takes_defaults


def test_adapters_trainers_engines_and_variables_are_read(tmp_path: Path) -> None:
    text = """
import os
os.environ["VLLM_USE_V1"] = "0"
os.environ.setdefault("NCCL_P2P_DISABLE", "1")
os.environ.update({"CUDA_VISIBLE_DEVICES": "0,1"}, MASTER_PORT="29501")
os.environ["EDITOR"] = "vi"
trainer = GRPOTrainer(model, peft_config=LoraConfig(r=8, modules_to_save=["lm_head"]))
llm = vllm.LLM(model="m", tensor_parallel_size=2, distributed_executor_backend="external_launcher", seed=None)
"""
    assert settings(tmp_path, text) == {
        "env.VLLM_USE_V1": "0",
        "env.NCCL_P2P_DISABLE": "1",
        "env.CUDA_VISIBLE_DEVICES": "0,1",
        "env.MASTER_PORT": "29501",
        "plan.trainer": "GRPOTrainer",
        "plan.peft": True,
        "plan.modules_to_save": ("lm_head",),
        "plan.tensor_parallel_size": 2,
        "plan.distributed_executor_backend": "external_launcher",
        "plan.llm_seed": None,
        "plan.enable_prefix_caching": None,
        "plan.enable_chunked_prefill": None,
        "plan.enable_sleep_mode": False,
        "plan.kv_cache_dtype": None,
        "plan.patched": (),
    }


@pytest.mark.parametrize(
    ("call", "ids"),
    [
        ("import vcompat; vcompat.patch()", "all"),
        ("import vcompat as v\nv.patch()", "all"),
        (
            "from vcompat import patch\npatch(only=['vllm_restore_sleep_buffers'])",
            ["vllm_restore_sleep_buffers"],
        ),
        ("import vcompat\nvcompat.patch(skip=('vllm_restore_sleep_buffers',))", "the others"),
        ("import vcompat\nvcompat.patch(only=chosen())", []),
        ("import vcompat\nvcompat.check()", []),
        ("patch()", []),
    ],
)
def test_the_patches_that_a_script_applies_are_known(tmp_path: Path, call: str, ids: str | list[str]) -> None:
    everything = patch_ids()
    expected = {"all": everything, "the others": [i for i in everything if i != "vllm_restore_sleep_buffers"]}
    found = settings(tmp_path, call)["plan.patched"]
    assert list(found) == (expected[ids] if isinstance(ids, str) else ids)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"def f(:\n", "train.py:1: not valid Python"),
        (b"\x7fELF\0\0", "holds binary data"),
        (b"x = '\xff'\n", "not valid Python"),
        (b"(" * 100_000, "not valid Python"),
        (b"-" * 300_000 + b"1", "train.py"),
    ],
)
def test_what_is_no_script_is_refused_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_script(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_script_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_script(str(tmp_path / "nowhere.py"))
    with pytest.raises(InputError, match="Is a directory"):
        read_script(str(tmp_path))


def test_a_script_is_read_and_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    script(tmp_path, f"open({str(mark)!r}, 'w')\nGRPOConfig(use_vllm=bool(open({str(mark)!r}, 'w')))")
    assert not mark.exists()


def test_what_an_engine_is_not_told_has_vllms_default(tmp_path: Path) -> None:
    facts = script(tmp_path, "from vllm import LLM\nllm = LLM(model='m', tensor_parallel_size=2)\n").facts
    assert facts.value("plan.tensor_parallel_size") == 2
    assert facts.get("plan.llm_seed") is not None
    assert facts.value("plan.llm_seed", "unknown") is None
    assert facts.value("plan.enable_sleep_mode") is False
    assert facts.get("plan.dtype") is None, "it is the model's"


def test_an_engine_that_is_told_more_elsewhere_leaves_the_rest_unknown(tmp_path: Path) -> None:
    facts = script(tmp_path, "from vllm import LLM\nllm = LLM(model='m', **settings())\n").facts
    assert facts.get("plan.llm_seed") is None


@pytest.mark.parametrize(
    ("text", "peft"),
    [
        ("GRPOTrainer(model='m', args=args)", False),
        ("GRPOTrainer(model='m', args=args, peft_config=LoraConfig())", True),
        ("GRPOTrainer(model='m', **more)", None),
        ("from peft import get_peft_model\nGRPOTrainer(model=get_peft_model(m, c), args=args)", None),
        ("train(args)", None),
    ],
)
def test_a_script_that_nowhere_speaks_of_peft_trains_no_adapter(tmp_path: Path, text: str, peft: bool | None) -> None:
    assert settings(tmp_path, text).get("plan.peft") is peft
