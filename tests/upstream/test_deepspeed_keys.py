"""What is judged about the keys of DeepSpeed's configuration, against DeepSpeed itself."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.installed import installed, python_path
from tests.upstream.test_trainer_memory import DEEPSPEED
from vcompat.facts.facts import Facts, Place
from vcompat.facts.records.recorded_settings import load_class
from vcompat.rules.unfit import Unfit, unfit
from vcompat.sources.reading.configurations.deepspeed_config import _CLASSES, _READ_BY_KEY, state_table

RELEASE = Version(DEEPSPEED[0].partition("==")[2])
VALID: dict[str, Any] = {
    "train_micro_batch_size_per_gpu": 1,
    "gradient_accumulation_steps": 2,
    "steps_per_print": 10,
    "gradient_clipping": 1.0,
    "zero_allow_untested_optimizer": True,
    "wall_clock_breakdown": False,
    "bf16": {"enabled": True, "check_grad_overflow": False},
    "fp16": {"enabled": False, "loss_scale": 0},
    "zero_optimization": {
        "stage": 3,
        "overlap_comm": True,
        "offload_optimizer": {"device": "cpu", "pin_memory": True},
        "offload_param": {"device": "cpu"},
    },
    "comms_logger": {"enabled": False},
    "compile": {"deepcompile": False},
    "csv_monitor": {"enabled": False},
    "comet": {"enabled": False},
    "hybrid_engine": {"enabled": False},
    "tensorboard": {"enabled": False},
    "wandb": {"enabled": False},
    "activation_checkpointing": {"partition_activations": False},
    "aio": {"block_size": 1048576},
    "checkpoint": {"tag_validation": "Warn"},
    "data_types": {"grad_accum_dtype": "fp32"},
    "flops_profiler": {"enabled": False},
    "optimizer": {"type": "AdamW", "params": {"lr": 0.001}},
    "scheduler": {"type": "WarmupLR", "params": {}},
    "torch_autocast": {"enabled": False},
}
REMOVED = {
    **dict.fromkeys("compression_training nebula quantize_training sparse_attention".split(), "0.19.7"),
    **dict.fromkeys("amp curriculum_learning eigenvalue elasticity graph_harvesting".split(), "0.19.8"),
    **dict.fromkeys("progressive_layer_drop sparse_gradients".split(), "0.19.8"),
}
READ = """
import json, sys
from deepspeed.runtime.config import DeepSpeedConfig

def plainly(value):
    return vars(value) if hasattr(value, "__dict__") and not isinstance(value, type) else str(value)

def settings(table):
    made = {key: value for key, value in vars(DeepSpeedConfig(table)).items() if key != "_param_dict"}
    return json.dumps(made, default=plainly, skipkeys=True)

plain = settings(json.loads(sys.argv[1]))
answers = []
for table in json.loads(sys.argv[2]):
    try:
        answers.append("same" if settings(table) == plain else "changed")
    except Exception as error:
        answers.append(f"{type(error).__name__}: {error}")
print(json.dumps(answers))
"""


def cases() -> Iterator[tuple[tuple[str, ...], str, dict[str, Any]]]:
    """Yield configurations with one key too many: its section, the key, and the whole."""
    for keys in (*_CLASSES, *((name,) for name in _READ_BY_KEY)):
        for odd in ("gradient_accumulation_step", "odd"):
            table = copy.deepcopy(VALID)
            section = table
            for key in keys:
                section = section[key]
            section[odd] = 1
            yield keys, odd, table
    for removed in REMOVED:
        yield (), removed, {**VALID, removed: None}
    for odd in ("mics_shard_size", "zeropp_loco_param"):
        yield ("zero_optimization",), odd, {**VALID, "zero_optimization": {**VALID["zero_optimization"], odd: 2}}


@cache
def answers() -> list[str]:
    tables = [table for _, _, table in cases()]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ, json.dumps(VALID), json.dumps(tables)],
        env=os.environ | {"PYTHONPATH": python_path(*installed(*DEEPSPEED))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def judged(table: Mapping[str, Any], release: Version = RELEASE) -> list[Unfit]:
    facts = Facts()
    facts.set("packages.deepspeed", release, "test")
    state_table(facts, table, lambda keys: Place("ds.json", 1, 1))
    return list(unfit(facts))


def test_a_valid_configuration_is_not_judged() -> None:
    assert judged(VALID) == []


@pytest.mark.parametrize("number", range(len(list(cases()))))
def test_deepspeed_refuses_or_ignores_a_key_as_it_is_judged(number: int) -> None:
    keys, odd, table = list(cases())[number]
    (found,) = judged(table)
    assert (found.setting, found.is_certain) == (odd, True)
    if odd in REMOVED:
        assert found.title == f"DeepSpeedConfig of DeepSpeed {RELEASE} has no {odd} (removed in {REMOVED[odd]})"
        assert answers()[number].startswith("DeepSpeedConfigError: ") and "removed" in answers()[number]
    elif odd in ("mics_shard_size", "zeropp_loco_param"):
        assert found.kind == "unknown"
        assert answers()[number].startswith("DeepSpeedConfigError: ") and odd in answers()[number]
    elif keys and keys[0] not in _READ_BY_KEY:
        # The monitors are fields of another class, whose name is in the message.
        assert found.kind == "unknown"
        assert answers()[number].startswith("ValidationError: 1 validation error for") and odd in answers()[number]
        assert "Extra inputs are not permitted" in answers()[number]
    else:
        assert (found.kind, answers()[number]) == ("ignored", "same")


def test_the_nearest_key_is_named() -> None:
    (found,) = judged({"gradient_accumulation_step": 4})
    assert found.title == f"DeepSpeed {RELEASE} ignores gradient_accumulation_step"
    assert found.alike == "gradient_accumulation_steps"


def test_sections_are_not_judged_for_releases_that_read_them_without_a_class() -> None:
    table = {"bf16": {"enabled": True, "odd": 1}, "tensorboard": {"odd": 1}}
    assert [one.class_name for one in judged(table, Version("0.16.4"))] == ["TensorBoardConfig"]
    assert [one.class_name for one in judged(table)] == ["DeepSpeedBF16Config", "TensorBoardConfig"]


def test_comments_and_keys_that_a_later_release_refuses_are_not_judged() -> None:
    assert judged({"_comment": 1, "//": 1, "nebula": {"enabled": False}}, Version("0.19.6")) == []


def test_a_key_that_is_removed_at_the_top_may_be_one_of_a_section() -> None:
    (found,) = judged({"aio": {"amp": 1}})
    assert (found.kind, found.title) == ("ignored", f"DeepSpeed {RELEASE} ignores amp")


def test_well_known_keys_are_recorded_for_every_release() -> None:
    record = load_class("deepspeed", "DeepSpeedConfig")
    assert record is not None
    for version in record.releases():
        assert VALID.keys() - {"comet", "compile", "torch_autocast"} <= record.fields(version).keys()
