"""Which facts a log states."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.logs.prefixes import parse_line
from vcompat.diagnosis.stated.log_facts import FactReader
from vcompat.facts.facts import Facts
from vcompat.facts.value import show


def facts_of(text: str) -> Facts:
    reader = FactReader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.take(parse_line(number, line), "train.log")
    return reader.facts()


def stated(text: str) -> dict[str, str]:
    return {name: show(known.value) for name, known in facts_of(text).known.items()}


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("- TRL version: 0.15.0", {"packages.trl": "0.15.0"}),
        ("- `transformers` version: 4.49.0.dev0", {"packages.transformers": "4.49.0.dev0"}),
        ("- PyTorch version (GPU?): 2.5.1+cu124 (True)", {"packages.torch": "2.5.1+cu124"}),
        ("- PyTorch version (accelerator?): 2.7.1+cu126 (CUDA)", {"packages.torch": "2.7.1+cu126"}),
        ("- PyTorch version (accelerator?): 2.4.0+cu124 (CUDA) (not in expected version range)", {"packages.torch": "2.4.0+cu124"}),
        ("- Huggingface_hub version: 0.33.0", {"packages.huggingface-hub": "0.33.0"}),
        ("- HF Hub version: 0.33.0", {"packages.huggingface-hub": "0.33.0"}),
        ("- `Accelerate` version: 1.8.0", {"packages.accelerate": "1.8.0"}),
        ("- accelerator(s): Tesla T4, Tesla T4", {"gpu.name": "Tesla T4", "gpu.compute_capability": "7.5"}),
        ("- GPU type: Tesla T4", {"gpu.name": "Tesla T4", "gpu.compute_capability": "7.5"}),
        ("torch\t     : 2.6.0", {"packages.torch": "2.6.0"}),
        ("unsloth==2025.3.19", {"packages.unsloth": "2025.3.19"}),
        ("unsloth_zoo               2025.3.17", {"packages.unsloth-zoo": "2025.3.17"}),
        ("ms_swift                  3.5.3", {"packages.ms-swift": "3.5.3"}),
        ("Python version: 3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0]", {"host.python": "3.10.12"}),
        ("vLLM Version: 0.7.2", {"packages.vllm": "0.7.2"}),
        ("vllm==0.7.2", {"packages.vllm": "0.7.2"}),
        ("vllm=0.9.1", {"packages.vllm": "0.9.1"}),
        ("trl[vllm]=0.19.0", {"packages.trl": "0.19.0"}),
        ("trl[vllm]==0.19.0", {"packages.trl": "0.19.0"}),
        ("vllm                     0.7.2", {"packages.vllm": "0.7.2"}),
        ("[pip3] nvidia-nccl-cu12==2.21.5", {"packages.nccl": "2.21.5"}),
        ("[conda] triton             3.1.0             pypi_0    pypi", {"packages.triton": "3.1.0"}),
        ("vllm 0.9.0 /home/me/vllm", {"packages.vllm": "0.9.0"}),
        ("Successfully installed a-b-1.0 trl-0.25.0 vllm-0.12.0.post1", {"packages.trl": "0.25.0", "packages.vllm": "0.12.0.post1"}),
        (" + vllm==0.12.0", {"packages.vllm": "0.12.0"}),
        ("Requirement already satisfied: vllm>=0.8 in /opt/lib/python3.11/site-packages (from -r x.txt (line 1)) (0.8.3)", {"packages.vllm": "0.8.3"}),
        ("|   0  Tesla T4                       On  |   00000000:00:1E.0 Off |                    0 |", {"gpu.name": "Tesla T4", "gpu.compute_capability": "7.5"}),
        ("CUDA used to build PyTorch: 12.4", {"torch.cuda": "12.4"}),
        ("Nvidia driver version: 550.54.15", {"gpu.driver": "550.54.15"}),
        ("| NVIDIA-SMI 550.54  Driver Version: 550.54  CUDA Version: 12.4  |", {"gpu.driver": "550.54", "gpu.driver_cuda": "12.4"}),
        ("Your Tesla V100 GPU has compute capability 7.0.", {"gpu.compute_capability": "7.0"}),
        ("RTX 5090 with CUDA capability sm_120 is not compatible with", {"gpu.compute_capability": "12.0"}),
        ("GPU 0: Tesla T4", {"gpu.name": "Tesla T4", "gpu.compute_capability": "7.5"}),
        ("- CUDA device(s): NVIDIA H100 80GB HBM3, NVIDIA H100 80GB HBM3", {"gpu.name": "NVIDIA H100 80GB HBM3", "gpu.compute_capability": "9.0"}),
        ("INFO 04-25 16:14:44 [core.py:61] Initializing a V1 LLM engine (v0.8.3) with config: model='x', dtype=torch.bfloat16, tensor_parallel_size=2,", {"packages.vllm": "0.8.3", "vllm.engine": "v1", "vllm.dtype": "bfloat16", "plan.tensor_parallel_size": "2"}),
        ("INFO 02-10 12:00:05 llm_engine.py:234] Initializing a LLM engine (v0.7.2) with config: model='x'", {"packages.vllm": "0.7.2"}),
        ("INFO 02-10 12:00:05 api_server.py:1] vLLM API server version 0.8.5", {"packages.vllm": "0.8.5"}),
        ("(EngineCore_DP0 pid=12) x", {"vllm.engine": "v1"}),
        ('  File "/opt/lib/python3.11/site-packages/vllm/v1/engine/core.py", line 3, in x', {"host.python": "3.11", "vllm.engine": "v1"}),
    ],
)  # fmt: skip
def test_what_programs_print_states_facts(line: str, facts: dict[str, str]) -> None:
    assert stated(line) == facts


@pytest.mark.parametrize(
    "line",
    [
        "vllm 0.8.5 works, so it must be something else",
        "it worked with vLLM version 0.8.4",
        "torch: 2.5.1 or later is required",
        "loss: 2.5.1",
        "vllm>=0.8.5",
        "Requires transformers 4.50.0 to run",
        "step 3 torch 2",
        "GPU 0: out of memory",
    ],
)
def test_what_somebody_writes_about_a_version_states_nothing(line: str) -> None:
    assert stated(line) == {}


def test_what_pip_installs_replaces_what_was_there() -> None:
    assert stated("vllm==0.7.2\nSuccessfully installed vllm-0.12.0\n") == {"packages.vllm": "0.12.0"}


TRL = '  File "/opt/site-packages/trl/trainer/grpo_trainer.py", line 3, in {}'
VLLM = '  File "/opt/site-packages/vllm/{}", line 3, in {}'


@pytest.mark.parametrize(
    ("frames", "facts"),
    [
        ([TRL.format("__init__"), VLLM.format("entrypoints/llm.py", "__init__")], {"plan.use_vllm": "true"}),
        ([TRL.format("<module>"), VLLM.format("platforms/__init__.py", "resolve")], {}),
        ([TRL.format("__init__"), VLLM.format("__init__.py", "__getattr__")], {}),
        ([TRL.format("compute_loss"), "    loss = model(x)"], {}),
        ([TRL.format("_rewards"), '  File "/opt/judge.py", line 1, in reward', VLLM.format("llm.py", "generate")], {}),
        ([VLLM.format("worker.py", "call"), TRL.format("reward")], {}),
    ],
)
def test_a_trainer_that_calls_vllm_uses_it(frames: list[str], facts: dict[str, str]) -> None:
    reader = FactReader()
    reader.take_traceback([parse_line(number, line) for number, line in enumerate(frames, 1)], "train.log")
    assert {name: show(known.value) for name, known in reader.facts().known.items()} == facts


@pytest.mark.parametrize(
    "part", ["1.", "1", " ", "a", "1.1 ", "Driver Version: 1.1 ", 'File "', "LLM engine (v", "GPU 0: A"]
)
@pytest.mark.parametrize("start", ["vllm==", "vllm ", "vllm: ", "GPU 0: A", ""])
def test_no_line_makes_a_pattern_try_without_end(start: str, part: str) -> None:
    assert "packages.trl" not in stated(f"{start}{part * 10_000}!")


def test_a_fact_has_the_line_that_states_it() -> None:
    known = facts_of("x\nvllm==0.7.2\n").get("packages.vllm")
    assert known is not None
    assert (known.source, str(known.place)) == ("the log, line 2", "train.log:2")


def test_two_versions_of_a_package_make_it_unknown() -> None:
    facts = facts_of("vllm==0.7.2\nvllm==0.8.5\n")
    assert facts.get("packages.vllm") is None
    assert facts.why_unknown("packages.vllm") == "the log states 0.7.2 and 0.8.5"


@pytest.mark.parametrize("lines", ["torch==2.5.1\ntorch==2.5.1+cu124", "torch==2.5.1+cu124\ntorch==2.5.1"])
def test_a_version_with_a_build_is_the_same_as_without(lines: str) -> None:
    assert stated(lines) == {"packages.torch": "2.5.1+cu124"}


def test_gpus_of_two_kinds_make_the_kind_unknown() -> None:
    facts = facts_of("GPU 0: Tesla T4\nGPU 1: Tesla V100-SXM2-32GB\n")
    assert facts.get("gpu.compute_capability") is None
    assert facts.why_unknown("gpu.name") == "the log states Tesla T4 and Tesla V100-SXM2-32GB"


def test_a_gpu_that_contradicts_a_message_makes_the_capability_unknown() -> None:
    facts = facts_of("GPU 0: Tesla T4\nYour Tesla V100 GPU has compute capability 7.0.\n")
    assert facts.get("gpu.compute_capability") is None


BANNER = "Initializing a V1 LLM engine (v0.11.0) with config: model='x', dtype=torch.float16, max_seq_len=4096, {}"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (BANNER.format("quantization=None, enforce_eager=True"), {"plan.max_model_len": "4096", "plan.quantization": "none", "plan.model_quantization": "none"}),
        (BANNER.format("quantization=awq, kv_cache_dtype=fp8, device_config=cuda"), {"plan.kv_cache_dtype": "fp8"}),
        (BANNER.format("enable_prefix_caching=False, chunked_prefill_enabled=True)"), {"plan.enable_prefix_caching": "false", "plan.enable_chunked_prefill": "true"}),
        (BANNER.format("device_config=cpu, seed=0"), {"vllm.backend": "cpu"}),
        ("non-default args: {'model': 'x', 'enable_sleep_mode': True, 'tensor_parallel_size': 2}", {"plan.enable_sleep_mode": "true"}),
        ("Using TRITON_ATTN attention backend out of potential backends: ['TRITON_ATTN']", {"vllm.attention_backend": "TRITON_ATTN"}),
        ("$ CUDA_VISIBLE_DEVICES=0 trl vllm-serve --model a/b", {"plan.use_vllm": "true", "plan.vllm_mode": "server"}),
        ("trl vllm-serve failed before, so I use colocate mode", {}),
        ("I tried trl vllm-serve, too", {}),
        ("vLLM is using nccl==2.26.2", {"packages.nccl": "2.26.2"}),
        ("args: {'enable_sleep_mode': True}", {}),
        ("num_generations=8,", {}),
    ],
)  # fmt: skip
def test_what_vllm_prints_of_its_engine_states_settings(text: str, facts: dict[str, str]) -> None:
    assert facts.items() <= stated(text).items()
    assert facts or not stated(text)


def test_a_printed_configuration_states_settings_up_to_its_end() -> None:
    text = (
        "Training/evaluation parameters GRPOConfig(\nbeta=0.0,\nnum_generations=8,\nuse_vllm=True,\nvllm_mode=colocate,\neval_strategy=IntervalStrategy.NO,\n"
        "vllm_server_host='0.0.0.0',\nnot_a_setting=3,\nmodel_init_kwargs={'a': 1},\nvllm_max_model_length=None,\n)\n"
        "per_device_train_batch_size=4,\n"
    )
    assert stated(text) == {
        "plan.beta": "0.0",
        "plan.configuration": "GRPOConfig",
        "plan.eval_strategy": "no",
        "plan.num_generations": "8",
        "plan.use_vllm": "true",
        "plan.vllm_max_model_length": "none",
        "plan.vllm_mode": "colocate",
        "plan.vllm_server_host": "0.0.0.0",
    }


def test_the_lines_of_another_process_are_not_part_of_a_printed_configuration() -> None:
    text = "[rank0]: GRPOConfig(\n[rank1]: num_generations=4,\n[rank0]: num_generations=8,\n"
    assert stated(text)["plan.num_generations"] == "8"


def test_a_python_of_a_path_does_not_contradict_the_whole_version() -> None:
    path = '  File "/opt/lib/python3.10/site-packages/trl/trainer/grpo_trainer.py", line 3, in x'
    assert stated(f"{path}\nPython version: 3.10.8")["host.python"] == "3.10.8"
    assert "host.python" not in stated(f"{path}\nPython version: 3.11.2")
