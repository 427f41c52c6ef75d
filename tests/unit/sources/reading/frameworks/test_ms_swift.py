"""Runs of ms-swift."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched, likely


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


RUN = "NPROC_PER_NODE=4 swift rlhf --rlhf_type grpo --model org/m-1B"
COLOCATED = f"{RUN} --use_vllm true --vllm_mode colocate"


def test_settings_of_the_trainer_and_of_the_engine_are_known() -> None:
    facts = launched(
        f"{COLOCATED} --vllm_gpu_memory_utilization 0.4 --vllm_tensor_parallel_size 2 --vllm_max_model_len 4096 "
        "--num_generations 6 --per_device_train_batch_size 3 --beta 0.01 --sleep_level 1 --tuner_type full"
    )
    assert known(facts, "framework model use_vllm vllm_mode") == ["ms-swift", "org/m-1B", True, "colocate"]
    assert known(facts, "vllm_gpu_memory_utilization gpu_memory_utilization") == [0.4, 0.4]
    assert known(facts, "vllm_tensor_parallel_size tensor_parallel_size max_model_len") == [2, 2, 4096]
    assert known(facts, "num_generations per_device_train_batch_size beta peft") == [6, 3, 0.01, False]
    assert known(facts, "enable_sleep_mode vllm_sleep_level distributed_executor_backend") == [
        True,
        1,
        "external_launcher",
    ]
    assert known(facts, "launcher processes_per_machine world_size") == ["torchrun", 4, 4]


def test_its_trainer_is_not_taken_for_the_one_of_trl() -> None:
    assert known(launched(COLOCATED), "trainer configuration chat_template_ids") == [OPEN] * 3


def test_settings_that_are_not_stated_are_not_known() -> None:
    facts = launched(RUN)
    assert known(facts, "use_vllm vllm_mode num_generations beta peft deepspeed_stage") == [OPEN] * 6
    assert likely(facts, "peft") is True
    assert likely(facts, "use_vllm") is False
    assert likely(facts, "beta") == OPEN


def test_without_a_mode_the_engine_is_likely_in_the_trainers_process() -> None:
    facts = launched(f"{RUN} --use_vllm true --vllm_gpu_memory_utilization 0.4")
    assert known(facts, "vllm_mode gpu_memory_utilization") == [OPEN, OPEN]
    assert likely(facts, "vllm_mode") == "colocate"
    assert likely(facts, "gpu_memory_utilization") == 0.4


def test_the_engine_of_a_server_has_the_settings_of_another_command() -> None:
    facts = launched(f"{RUN} --use_vllm true --vllm_mode server --vllm_server_host h --vllm_gpu_memory_utilization 0.4")
    assert known(facts, "vllm_mode vllm_server_host gpu_memory_utilization") == ["server", "h", OPEN]


def test_a_server_beside_colocate_mode_leaves_the_mode_open() -> None:
    assert known(launched(f"{COLOCATED} --vllm_server_host h --sleep_level 1"), "vllm_mode enable_sleep_mode") == [
        OPEN,
        OPEN,
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--torch_dtype bfloat16", ["bfloat16", True, False, "bfloat16"]),
        ("--torch_dtype float16", ["float16", False, True, "float16"]),
        ("--torch_dtype bfloat16 --bf16 false", ["bfloat16", False, OPEN, "bfloat16"]),
        ("", [OPEN, OPEN, OPEN, OPEN]),
    ],
)
def test_the_data_type_decides_the_mixed_precision_unless_that_is_stated(words: str, expected: list[object]) -> None:
    assert known(launched(f"{COLOCATED} {words}"), "dtype bf16 fp16 engine_dtype") == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--deepspeed zero2", [2, "none", "none"]),
        ("--deepspeed zero3_offload", [3, "cpu", "cpu"]),
        ('--deepspeed \'{"zero_optimization": {"stage": 1}}\'', [1, "none", "none"]),
        ("--deepspeed '{\"zero_optimization\"'", [OPEN, OPEN, OPEN]),
        ("--deepspeed ds.yaml", [2, "none", "none"]),
        ('--deepspeed "$1"', [OPEN, OPEN, OPEN]),
    ],
)
def test_deepspeed_is_named_or_a_file_or_a_text(words: str, expected: list[object]) -> None:
    facts = launched(f"{RUN} {words}", ds="zero_optimization: {stage: 2}")
    assert known(facts, "deepspeed_stage optimizer_offload parameter_offload") == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--train_type lora --lora_rank 16", [True, 16, OPEN]),
        ("--train_type full --lora_rank 16", [False, OPEN, OPEN]),
        ("--tuner_type adalora", [OPEN, OPEN, OPEN]),
        ("--train_type lora --quant_method bnb --quant_bits 4", [True, OPEN, 4]),
        ("--train_type lora --tuner_type full", [OPEN, OPEN, OPEN]),
    ],
)
def test_the_tuner_decides_whether_an_adapter_is_trained(words: str, expected: list[object]) -> None:
    assert known(launched(f"{RUN} {words}"), "peft lora_rank loaded_in_bits") == expected


def test_flash_attn_is_the_second_flash_attention() -> None:
    assert known(launched(f"{RUN} --attn_impl flash_attn"), "attn_implementation") == ["flash_attention_2"]
    assert known(launched(f"{RUN} --attn_impl sdpa"), "attn_implementation") == ["sdpa"]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ("NPROC_PER_NODE=8", ["torchrun", 1, 8, 8]),
        ("NNODES=2 NPROC_PER_NODE=8", ["torchrun", 2, 8, 16]),
        ("NNODES=2", ["torchrun", 2, 1, 2]),
        ("NPROC_PER_NODE=$GPUS", [OPEN] * 4),
        ("env -i", ["python", 1, 1, 1]),
        ("", [OPEN] * 4),
    ],
)
def test_variables_decide_how_many_processes_it_starts(variables: str, expected: list[object]) -> None:
    facts = launched(f"{variables} swift rlhf --rlhf_type grpo --model m")
    assert known(facts, "launcher num_machines processes_per_machine world_size") == expected


def test_without_variables_it_likely_starts_one_process() -> None:
    facts = launched("swift rlhf --rlhf_type grpo --model m")
    assert likely(facts, "world_size") == 1


@pytest.mark.parametrize(
    "command",
    [
        "torchrun --nproc_per_node 2 swift/cli/rlhf.py",
        "torchrun --nproc_per_node 2 /opt/ms-swift/swift/cli/rlhf.py",
        "torchrun --nproc_per_node 2 -m swift.cli.rlhf",
        'torchrun --nproc_per_node 2 $(python -c "import swift; print(swift.__path__[0])")/cli/rlhf.py',
        "torchrun --nproc_per_node 2 $SWIFT/cli/rlhf.py",
    ],
)
def test_its_script_is_recognized_behind_another_launcher(command: str) -> None:
    facts = launched(f"{command} --rlhf_type grpo --model org/m-1B")
    assert known(facts, "framework model world_size") == ["ms-swift", "org/m-1B", 2]


def test_another_script_of_the_name_is_not_ms_swift() -> None:
    assert known(launched("torchrun rlhf.py --model m"), "framework") == [OPEN]
    assert known(launched("torchrun $OURS/cli/rlhf.py --model m"), "framework") == [OPEN]


def test_a_file_comes_before_the_words() -> None:
    facts = launched(
        "swift rlhf a.yaml --beta 0.5",
        a="rlhf_type: grpo\nmodel: org/m-1B\nbeta: 0.1\nuse_vllm: true\nvllm_mode: colocate\nnum_generations: 4\n",
    )
    assert known(facts, "model beta use_vllm vllm_mode num_generations") == ["org/m-1B", 0.5, True, "colocate", 4]


def test_words_that_are_not_known_may_set_what_the_file_states() -> None:
    facts = launched("swift rlhf a.yaml $@", a="model: org/m-1B\n")
    assert known(facts, "model") == [OPEN]
    assert likely(facts, "model") == "org/m-1B"


def test_a_module_of_the_user_may_patch() -> None:
    assert known(launched(RUN), "patched") == [()]
    assert known(launched(f"{RUN} --external_plugins mine.py"), "patched") == [OPEN]


def test_supervised_training_uses_no_engine() -> None:
    assert known(launched("swift sft --model m"), "framework use_vllm") == ["ms-swift", False]
    assert known(launched("swift rlhf --rlhf_type dpo --model m"), "use_vllm") == [False]


def test_megatron_states_the_engine_but_not_the_trainer() -> None:
    facts = launched(
        "NPROC_PER_NODE=8 megatron rlhf --rlhf_type grpo --model m --use_vllm true --vllm_mode colocate "
        "--vllm_gpu_memory_utilization 0.7 --beta 0.1"
    )
    assert known(facts, "framework use_vllm gpu_memory_utilization beta peft world_size") == [
        "ms-swift",
        True,
        0.7,
        OPEN,
        OPEN,
        8,
    ]


def test_a_rollout_server_is_started_beside_the_training() -> None:
    facts = launched(f"swift rollout --model m &\n{RUN} --use_vllm true --vllm_mode server")
    assert known(facts, "server_started vllm_mode") == [True, "server"]


def test_defaults_of_all_releases_are_likely() -> None:
    facts = launched(f"{COLOCATED} --train_type lora")
    names = "num_generations lora_rank gradient_checkpointing enable_prefix_caching deepspeed_stage loss_type"
    assert known(facts, names) == [OPEN] * 6
    assert [likely(facts, name) for name in names.split()] == [8, 8, True, True, 0, "grpo"]
    assert likely(launched(f"{RUN} --deepspeed ds.json"), "deepspeed_stage") == OPEN


def test_variables_that_it_sets_itself_are_not_known() -> None:
    facts = launched(
        f"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True VLLM_USE_V1=0 NCCL_DEBUG=INFO\n{COLOCATED}"
    )
    names = ("PYTORCH_CUDA_ALLOC_CONF", "VLLM_USE_V1", "NCCL_DEBUG")
    assert [facts.value(f"env.{name}", OPEN) for name in names] == [OPEN, "0", "INFO"]
    assert launched(f"export NCCL_DEBUG=INFO\nenv -i {COLOCATED}").get("env.VLLM_USE_V1") is None


def test_a_file_sets_variables_that_the_caller_does_not_set() -> None:
    file = "model: m\nENV:\n  NPROC_PER_NODE: 2\n  NCCL_DEBUG: INFO\n"
    facts = launched("NCCL_DEBUG=WARN swift rlhf a.yaml", a=file)
    assert [facts.value("env.NCCL_DEBUG"), *known(facts, "world_size model")] == ["WARN", OPEN, "m"]
    assert likely(facts, "world_size") == 2
    assert launched("swift rlhf a.yaml", a=file).get("env.NCCL_DEBUG") is None
    facts = launched("env -i swift rlhf a.yaml", a=file)
    assert [facts.value("env.NCCL_DEBUG"), *known(facts, "world_size")] == ["INFO", 2]


def test_the_settings_of_the_file_that_an_option_names_come_after_the_words() -> None:
    Path("grpo.yaml").write_text("model: org/other-2B\nuse_vllm: true\nvllm_mode: server\nreward_funcs: [a, b]\n")
    facts = launched("swift rlhf --rlhf_type grpo --config grpo.yaml --model org/m-1B --num_generations 4")
    assert known(facts, "model use_vllm vllm_mode num_generations") == ["org/other-2B", True, "server", 4]


@pytest.mark.parametrize("name", ["none.yaml", "$UNKNOWN/grpo.yaml"])
def test_a_file_of_an_option_that_is_not_known_leaves_all_settings_open(name: str) -> None:
    facts = launched(f"swift rlhf --rlhf_type grpo --config {name} --model org/m-1B")
    assert known(facts, "model use_vllm num_generations") == [OPEN] * 3
    assert [likely(facts, fact) for fact in ("model", "use_vllm", "num_generations")] == [OPEN] * 3
