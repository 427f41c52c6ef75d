"""Runs of verl."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched, likely

ROLLOUT = "actor_rollout_ref.rollout"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(words: str, module: str = "verl.trainer.main_ppo") -> str:
    return f"python3 -m {module} algorithm.adv_estimator=grpo {words}"


def test_settings_of_the_engine_are_known() -> None:
    facts = launched(
        run(
            f"actor_rollout_ref.model.path=org/m-7B {ROLLOUT}.name=vllm {ROLLOUT}.tensor_model_parallel_size=2 "
            f"{ROLLOUT}.gpu_memory_utilization=0.6 {ROLLOUT}.dtype=float16 {ROLLOUT}.enable_prefix_caching=False "
            f"{ROLLOUT}.n=5 trainer.n_gpus_per_node=8 trainer.nnodes=2"
        )
    )
    assert known(facts, "framework model use_vllm num_generations") == ["verl", "org/m-7B", True, 5]
    assert known(facts, "tensor_parallel_size gpu_memory_utilization engine_dtype enable_prefix_caching") == [
        2,
        0.6,
        "float16",
        False,
    ]
    assert known(facts, "num_machines processes_per_machine world_size launcher") == [2, 8, 16, "ray"]


def test_what_is_not_stated_is_not_known() -> None:
    facts = launched(run(""))
    names = "model use_vllm tensor_parallel_size gpu_memory_utilization world_size vllm_mode trainer peft"
    assert known(facts, names) == [OPEN] * 8
    assert known(facts, "framework deepspeed_stage") == ["verl", 0]


def test_another_engine_has_no_settings_of_vllm() -> None:
    facts = launched(run(f"{ROLLOUT}.name=sglang {ROLLOUT}.gpu_memory_utilization=0.6"))
    assert known(facts, "use_vllm gpu_memory_utilization") == [False, OPEN]


def test_settings_of_an_engine_that_is_not_known_are_not_known() -> None:
    facts = launched(run(f"{ROLLOUT}.name=$ENGINE {ROLLOUT}.gpu_memory_utilization=0.6"))
    assert known(facts, "use_vllm gpu_memory_utilization") == [OPEN, OPEN]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (f"{ROLLOUT}.n=5 {ROLLOUT}.n=6", 6),
        (f"+{ROLLOUT}.n=5", 5),
        (f"{ROLLOUT}.n=5 ~{ROLLOUT}.n", OPEN),
        (f"{ROLLOUT}.n=5 $@", OPEN),
        (f'{ROLLOUT}.n=5 "$@" {ROLLOUT}.n=7', 7),
        (f"{ROLLOUT}.n=4,8", OPEN),
        (f"{ROLLOUT}.n='${{oc.env:N}}'", OPEN),
        (f"{ROLLOUT}.n=5 {ROLLOUT}='{{n: 6}}'", OPEN),
        (f"{ROLLOUT}.n=5 actor@actor_rollout_ref.actor=megatron_actor", 5),
        (f"--config-name=ppo_megatron_trainer.yaml {ROLLOUT}.n=5", 5),
    ],
)
def test_the_last_word_that_sets_a_key_counts(words: str, expected: object) -> None:
    assert known(launched(run(words)), "num_generations") == [expected]


def test_arguments_of_the_caller_are_presumed_to_be_none() -> None:
    assert likely(launched(run(f"{ROLLOUT}.n=5 $@")), "num_generations") == 5


@pytest.mark.parametrize(("rank", "expected"), [("0", [False, OPEN]), ("32", [True, 32]), ("$R", [OPEN, OPEN])])
def test_the_rank_decides_whether_an_adapter_is_trained(rank: str, expected: list[object]) -> None:
    assert known(launched(run(f"actor_rollout_ref.model.lora_rank={rank}")), "peft lora_rank") == expected


@pytest.mark.parametrize(
    "command",
    [
        "ray job submit --address=http://h:8265 --runtime-env=env.yaml -- python3 -m verl.trainer.main_ppo",
        "PYTHONUNBUFFERED=1 python -u -m verl.trainer.main_ppo",
        "python3 -m recipe.dapo.main_dapo",
        "python3 verl/trainer/main_ppo.py",
    ],
)
def test_its_programs_are_recognized(command: str) -> None:
    facts = launched(f"{command} actor_rollout_ref.model.path=org/m-7B")
    assert known(facts, "framework model") == ["verl", "org/m-7B"]


def test_a_reward_function_of_the_user_may_patch() -> None:
    assert known(launched(run("")), "patched") == [()]
    assert known(launched(run("custom_reward_function.path=mine.py")), "patched") == [OPEN]


def test_the_configuration_of_the_projects_own_verl_states_the_rest() -> None:
    config = Path("verl/trainer/config")
    config.mkdir(parents=True)
    (config / "rollout").mkdir()
    (config / "ppo_trainer.yaml").write_text(
        "defaults:\n- rollout@actor_rollout_ref.rollout: vllm\n- _self_\ntrainer: {nnodes: 1, n_gpus_per_node: 4}\n"
        "actor_rollout_ref:\n  model:\n    path: ???\n"
    )
    (config / "rollout" / "vllm.yaml").write_text("name: vllm\nn: 1\ndtype: bfloat16\nenable_prefix_caching: true\n")
    facts = launched(run(f"{ROLLOUT}.n=5"))
    assert known(facts, "use_vllm num_generations engine_dtype enable_prefix_caching world_size model") == [
        True,
        5,
        "bfloat16",
        True,
        4,
        OPEN,
    ]
    assert known(launched(run("")), "num_generations enable_prefix_caching") == [OPEN, True]
    assert known(launched(run("$@")), "engine_dtype world_size") == [OPEN, OPEN]
    assert likely(launched(run("$@")), "engine_dtype") == "bfloat16"


@pytest.mark.parametrize(("path", "is_known"), [("copies/verl_3", True), ("$TOP/copies/verl_3", False)])
def test_verls_configuration_is_found_by_pythonpath(path: str, is_known: bool) -> None:
    config = Path("copies/verl_3/verl/trainer/config")
    config.mkdir(parents=True)
    Path(".git").mkdir()
    (config / "ppo_trainer.yaml").write_text("actor_rollout_ref: {rollout: {name: vllm, n: 1, dtype: float16}}\n")
    facts = launched(f"export PYTHONPATH={path}\n{run('')}")
    assert known(facts, "engine_dtype") == ["float16" if is_known else OPEN]
    assert is_known or likely(facts, "engine_dtype") == "float16"


def test_defaults_are_likely_where_vllm_generates() -> None:
    assert likely(launched(run(f"{ROLLOUT}.name=vllm")), "engine_dtype") == "bfloat16"
    assert likely(launched(run("")), "engine_dtype") == OPEN


def test_a_variable_without_quotes_is_presumably_one_word() -> None:
    facts = launched(run(f"{ROLLOUT}.n=5 data.train_files=$DATA/train.parquet"))
    assert known(facts, "num_generations") == [OPEN]
    assert likely(facts, "num_generations") == 5


def test_what_not_every_release_passes_on_to_the_engine_is_likely() -> None:
    facts = launched(run(f"{ROLLOUT}.name=vllm {ROLLOUT}.max_model_len=8704 ++{ROLLOUT}.enable_sleep_mode=False"))
    assert known(facts, "max_model_len enable_sleep_mode") == [OPEN, OPEN]
    assert [likely(facts, name) for name in ("max_model_len", "enable_sleep_mode")] == [8704, False]
    other = launched(run(f"{ROLLOUT}.name=sglang {ROLLOUT}.max_model_len=8704"))
    assert likely(other, "max_model_len") == OPEN
