"""Which facts are read from what training frameworks print at start."""

from __future__ import annotations

import pytest

from tests.unit.diagnosis.stated.test_log_facts import facts_of, stated
from vcompat import diagnose
from vcompat.diagnosis.logs.re2_engine import compiled_bytes
from vcompat.diagnosis.stated.banners import CUES

#: Each line as a release of unsloth prints it.
HEAD = r"==((====))==  Unsloth {release}: Fast {model} patching. Transformers: {transformers}.{vllm}"
DEVICE = r"   \\   /|    {gpu}. Num GPUs = {count}. Max memory: {memory} GB. Platform: Linux."
TORCH = r"O^O/ \_/ \    Torch: {torch}. {toolkit} Triton: {triton}"
ATTENTION = r"\        /    Bfloat16 = TRUE. FA [Xformers = {xformers}. FA2 = False]"
LICENSE = ' "-____-"     Free license: http://github.com/unslothai/unsloth'


def banner(
    gpu: str = "NVIDIA GeForce RTX 5090",
    count: int = 1,
    memory: str = "31.342",
    vllm: str = "",
    torch: str = "2.7.0+cu128",
    toolkit: str = "CUDA: 12.0. CUDA Toolkit: 12.8.",
    xformers: str = "0.0.30",
) -> str:
    lines = [
        HEAD.format(release="2025.5.9", model="Qwen3", transformers="4.52.4", vllm=vllm),
        DEVICE.format(gpu=gpu, count=count, memory=memory),
        TORCH.format(torch=torch, toolkit=toolkit, triton="3.3.0"),
        ATTENTION.format(xformers=xformers),
        LICENSE,
    ]
    return "\n".join(lines) + "\n"


OF_BANNER = {
    "gpu.compute_capability": "12.0",
    "gpu.count": "1",
    "gpu.memory_mib": "32094",
    "gpu.name": "NVIDIA GeForce RTX 5090",
    "packages.torch": "2.7.0+cu128",
    "packages.transformers": "4.52.4",
    "packages.triton": "3.3.0",
    "packages.unsloth": "2025.5.9",
    "packages.xformers": "0.0.30",
    "plan.framework": "unsloth",
    "torch.cuda": "12.8",
}

#: The banner of the first releases of 2025, and the text before training of these.
OLD = r"""
==((====))==  Unsloth 2025.1.5: Fast Llama vision patching. Transformers: 4.47.1.
   \\   /|    GPU: Tesla T4. Max memory: 14.748 GB. Platform: Linux.
O^O/ \_/ \    Torch: 2.5.1+cu121. CUDA: 7.5. CUDA Toolkit: 12.1. Triton: 3.1.0
\        /    Bfloat16 = FALSE. FA [Xformers = 0.0.29.post1. FA2 = False]
 "-____-"     Free Apache license: http://github.com/unslothai/unsloth
==((====))==  Unsloth - 2x faster free finetuning | Num GPUs = 2
   \\   /|    Num examples = 2,505 | Num Epochs = 1
O^O/ \_/ \    Batch size per device = 2 | Gradient Accumulation steps = 4
\        /    Total batch size = 16 | Total steps = 1,200
 "-____-"     Number of trainable parameters = 29,884,416
"""
TRAINING = r"""
==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 2
   \\   /|    Num examples = 1,000 | Num Epochs = 1 | Total steps = 31
O^O/ \_/ \    Batch size per device = 8 | Gradient accumulation steps = 4
\        /    Data Parallel GPUs = 1 | Total batch size (8 x 4 x 1) = 32
 "-____-"     Trainable parameters = 29,884,416 of 3,115,872,256 (0.96% trained)
"""


def test_the_banner_of_unsloth_states_releases_and_the_gpu() -> None:
    assert stated(banner()) == OF_BANNER


def test_the_banner_names_vllm_if_it_is_installed() -> None:
    assert stated(banner(vllm=" vLLM: 0.8.2.")) == {**OF_BANNER, "packages.vllm": "0.8.2"}


def test_the_banner_of_the_first_releases_has_no_number_of_gpus() -> None:
    assert stated(OLD) == {
        "gpu.compute_capability": "7.5",
        "gpu.memory_mib": "15102",
        "gpu.name": "Tesla T4",
        "packages.torch": "2.5.1+cu121",
        "packages.transformers": "4.47.1",
        "packages.triton": "3.1.0",
        "packages.unsloth": "2025.1.5",
        "packages.xformers": "0.0.29.post1",
        "plan.framework": "unsloth",
        "plan.gradient_accumulation_steps": "4",
        "plan.world_size": "2",
        "torch.cuda": "12.1",
    }


def test_the_text_before_training_states_the_processes_not_the_gpus_of_the_model() -> None:
    assert stated(TRAINING) == {
        "plan.framework": "unsloth",
        "plan.gradient_accumulation_steps": "4",
        "plan.world_size": "1",
    }


def test_xformers_that_unsloth_cannot_use_is_not_absent() -> None:
    assert "packages.xformers" not in facts_of(banner(xformers="None")).known


def test_a_development_build_of_torch_is_read_whole() -> None:
    text = banner(torch="2.10.0a0+b558c986e8.nv25.11", toolkit="CUDA: 12.1. CUDA Toolkit: 13.0.", gpu="NVIDIA GB10")
    assert stated(text).items() >= {
        "packages.torch": "2.10.0a0+b558c986e8.nv25.11",
        "gpu.compute_capability": "12.1",
        "torch.cuda": "13.0",
    }.items()  # fmt: skip


@pytest.mark.parametrize(
    ("gpu", "toolkit", "torch", "backend", "name"),
    [
        ("AMD Instinct MI300X", "ROCm Toolkit: 6.4.43482-0f2d60242.", "2.8.0+rocm6.4", "rocm", "AMD Instinct MI300X"),
        ("AMD gfx1151 GPU", "ROCm Toolkit: 7.0.51831.", "2.9.0+rocm7.0", "rocm", None),
        ("Intel(R) Data Center GPU Max 1550", "Intel Toolkit: 20250101.", "2.8.0+xpu", "xpu", "Intel(R) Data Center GPU Max 1550"),
        ("Intel XPU Device", "Intel Toolkit: 20250101.", "2.8.0+xpu", "xpu", None),
    ],
)  # fmt: skip
def test_gpus_of_other_makers_have_no_compute_capability(
    gpu: str, toolkit: str, torch: str, backend: str, name: str | None
) -> None:
    more = "Unsloth: Your GPU has CUDA compute capability 9.4 with VRAM = 191.69 GB.\n"
    found = stated(banner(gpu=gpu, toolkit=toolkit, torch=torch) + more)
    assert (found["vllm.backend"], found["packages.torch"], found.get("gpu.name")) == (backend, torch, name)
    assert not {"gpu.compute_capability", "torch.cuda"} & set(found)


def test_a_gpu_without_a_name_has_its_compute_capability() -> None:
    found = stated(banner(gpu="NVIDIA GPU Device"))
    assert (found.get("gpu.name"), found["gpu.compute_capability"]) == (None, "12.0")


def test_the_capability_that_unsloth_prints_for_vllm_is_read() -> None:
    text = "Unsloth: Your GPU has CUDA compute capability 8.6 with VRAM = 23.68 GB."
    assert stated(text) == {"gpu.compute_capability": "8.6"}


def test_what_unsloth_prints_of_layers_states_its_release() -> None:
    text = "Unsloth 2025.5.7 patched 32 layers with 32 QKV layers, 32 O layers and 32 MLP layers."
    assert stated(text) == {"packages.unsloth": "2025.5.7"}


@pytest.mark.parametrize(
    "prefix", ["[rank0]: ", "(main pid=7, ip=10.0.0.1) ", "0: ", "    ", "[default1]:", "# ", "2025-06-05T02:45:37Z "]
)
def test_prefixes_before_the_banner_change_nothing(prefix: str) -> None:
    assert stated("".join(f"{prefix}{line}\n" for line in banner().splitlines())) == OF_BANNER


def test_a_banner_in_a_notebook_is_read() -> None:
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in banner().splitlines()]
    assert stated("\n".join(f'      "{line}\\n",' for line in lines)) == OF_BANNER


def test_a_banner_that_a_console_has_wrapped_states_what_is_whole() -> None:
    text = banner(gpu="NVIDIA RTX PRO 6000 Blackwell Server Edition").replace("Max memory", "Max \n   memory")
    found = stated(text.replace("Triton: ", "Triton:    \n  "))
    assert found["gpu.name"] == "NVIDIA RTX PRO 6000 Blackwell Server Edition"
    assert (found["gpu.count"], found["packages.torch"]) == ("1", "2.7.0+cu128")
    assert not {"gpu.memory_mib", "packages.triton"} & set(found)


def test_the_banner_of_each_process_is_the_same() -> None:
    assert stated(banner() + banner()) == OF_BANNER


def test_banners_of_two_runs_leave_open_what_differs() -> None:
    facts = facts_of(banner() + OLD)
    assert facts.why_unknown("packages.torch") == "the log states 2.7.0+cu128 and 2.5.1+cu121"
    assert facts.why_unknown("gpu.name") == "the log states NVIDIA GeForce RTX 5090 and Tesla T4"
    assert facts.get("plan.framework") is not None


def test_with_trl_imported_before_unsloth_the_trainer_is_not_known() -> None:
    warning = (
        "UserWarning: WARNING: Unsloth should be imported before [trl, peft] to ensure all optimizations are applied."
    )
    assert facts_of(f"{warning}\n{banner()}").get("plan.framework") is None
    assert facts_of(f"{warning}\n{banner()}").value("plan.trl_before_unsloth") is True
    other = warning.replace("[trl, peft]", "[transformers]")
    assert "plan.framework" in facts_of(f"{other}\n{banner()}").known


@pytest.mark.parametrize(
    "line",
    [
        "==((====))==  Unsloth: Conversion from HF to GGUF information",
        "I use Unsloth 2025.3.19 with Transformers: 4.50.0.",
        "Torch: 2.7.0+cu128. CUDA: 12.0.",
        "Num GPUs = 4. Max memory: 80.0 GB.",
        "Unsloth: Fast downloading is enabled - ignore downloading bars which are red colored!",
        "Total batch size (2 x 4 x 1) = 8 | Data Parallel GPUs = 4 | x",
        "rank: 3",
        "Version      : 3.10.12",
        "accelerator(s): cpu",
        "- accelerator(s): cpu",
        "- accelerator(s): MPS",
        "- GPU type: <fill in>",
    ],
)
def test_texts_that_are_no_banner_state_nothing(line: str) -> None:
    assert stated(line) == {}


SWIFT = """\
[INFO:swift] Successfully registered `/opt/venv/lib/python3.11/site-packages/swift/llm/dataset/data/dataset_info.json`.
[INFO:swift] rank: 0, local_rank: 0, world_size: 4, local_world_size: 4
[INFO:swift] args: RLHFArguments(
_n_gpu=-1,
beta=0.04,
gradient_accumulation_steps=2,
learning_rate=1e-06,
model='Qwen/Qwen2.5-7B-Instruct',
num_generations=8,
steps_per_generation=None,
top_entropy_quantile=1.0,
use_vllm=True,
vllm_mode=colocate,
vllm_max_model_len=None,
)
[INFO:swift] Global seed set to 42
[INFO:swift] Start time of running main: 2025-07-01 10:00:00.000000
[INFO:swift] swift.__version__: 3.5.3
"""


def test_ms_swift_states_its_release_and_its_settings() -> None:
    assert stated(SWIFT) == {
        "packages.ms-swift": "3.5.3",
        "plan.beta": "0.04",
        "plan.framework": "ms-swift",
        "plan.gradient_accumulation_steps": "2",
        "plan.num_generations": "8",
        "plan.use_vllm": "true",
        "plan.vllm_mode": "colocate",
        "plan.world_size": "4",
    }


FACTORY = """\
- `llamafactory` version: 0.9.3
- Platform: Linux-5.15.0-139-generic-x86_64-with-glibc2.35
- Python version: 3.11.12
- PyTorch version: 2.6.0+cu124 (GPU)
- Transformers version: 4.52.4
- Datasets version: 3.6.0
- Accelerate version: 1.7.0
- PEFT version: 0.15.2
- TRL version: 0.9.6
- GPU type: NVIDIA H100 80GB HBM3
- GPU number: 8
- GPU memory: 79.11GB
- DeepSpeed version: 0.16.9
- Bitsandbytes version: 0.45.5
- vLLM version: 0.8.5
- Git commit: 0123456789abcdef
- Default data directory: detected
"""


def test_what_llama_factory_prints_of_its_environment_is_read() -> None:
    assert stated(FACTORY) == {
        "gpu.compute_capability": "9.0",
        "gpu.memory_mib": "81009",
        "gpu.name": "NVIDIA H100 80GB HBM3",
        "host.python": "3.11.12",
        "packages.accelerate": "1.7.0",
        "packages.bitsandbytes": "0.45.5",
        "packages.datasets": "3.6.0",
        "packages.deepspeed": "0.16.9",
        "packages.llamafactory": "0.9.3",
        "packages.peft": "0.15.2",
        "packages.torch": "2.6.0+cu124",
        "packages.transformers": "4.52.4",
        "packages.trl": "0.9.6",
        "packages.vllm": "0.8.5",
    }


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        ("Process rank: 3, world size: 8, device: cuda:3, distributed training: True, compute dtype: torch.bfloat16", {"plan.framework": "llama-factory", "plan.world_size": "8"}),
        ("Process rank: -1, device: cuda:0, n_gpu: 1, distributed training: False, compute dtype: torch.float16", {"plan.framework": "llama-factory"}),
        ("Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: True, 16-bits training: False", {}),
    ],
)  # fmt: skip
def test_a_training_of_llama_factory_states_its_processes(line: str, facts: dict[str, str]) -> None:
    assert stated(f"[INFO|2025-06-01 10:00:00] llamafactory.hparams.parser:406 >> {line}") == facts


VERL = """\
----------Python Info----------
Version      : 3.10.12
Compiler     : GCC 11.4.0
------------Pip Info-----------
Version      : 25.1.1
Directory    : /opt/venv/lib/python3.10/site-packages/pip
vllm\t     : 0.8.5
sglang\t     : not found.
ray\t     : 2.46.0
torch\t     : 2.6.0
----------verl Info-----------
Version      : 0.4.1
Directory    : /workspace/verl/verl
Commit Hash  : 0123456789abcdef
----------Platform Info----------
version      : #149-Ubuntu SMP Fri Apr 12 08:15:35 UTC 2024
----------Environment----------
CUDA Runtime : 12.4
CUDA Compiler : Cuda compilation tools, release 12.4, V12.4.131
----------System Info----------
CPU Memory\t: 2015.56 GB
GPU Count\t: 2
GPU 1\tType    : NVIDIA A100-SXM4-80GB
GPU 1\tMemory  : 80.00 GB
GPU 2\tType    : NVIDIA A100-SXM4-80GB
GPU 2\tMemory  : 80.00 GB
"""


def test_what_verl_prints_of_its_environment_is_read() -> None:
    assert stated(VERL) == {
        "gpu.compute_capability": "8.0",
        "gpu.memory_mib": "81920",
        "gpu.name": "NVIDIA A100-SXM4-80GB",
        "host.python": "3.10.12",
        "packages.ray": "2.46.0",
        "packages.torch": "2.6.0",
        "packages.verl": "0.4.1",
        "packages.vllm": "0.8.5",
        "torch.cuda": "12.4",
    }


@pytest.mark.parametrize("text", [banner(vllm=" vLLM: 0.8.2."), OLD, TRAINING, SWIFT, FACTORY, VERL])
def test_each_part_of_a_log_with_one_of_the_texts_is_read(text: str) -> None:
    cues = compiled_bytes("|".join(CUES))
    assert cues.search(text.encode())


@pytest.mark.parametrize(
    "start",
    [
        "==((====))==  Unsloth 1",
        "   \\\\   /|    A",
        "O^O/ \\_/ \\    Torch: ",
        "- accelerator(s): A",
        "GPU 1\tType    : A",
    ],
)
@pytest.mark.long
@pytest.mark.parametrize("part", ["Torch: 1.1", "1.", " ", "a. ", "Num GPUs = 1. ", "----"])
def test_no_line_makes_a_pattern_try_without_end(start: str, part: str) -> None:
    assert "packages.trl" not in stated(f"{start}{part * 10_000}!")


NO_IMAGE = "RuntimeError: CUDA error: no kernel image is available for execution on the device"


def failing(text: str, error: str) -> str:
    """A log of unsloth in which xformers raises `error`."""
    return (
        f"{text}Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 40, in <module>\n    trainer.train()\n'
        '  File "/opt/venv/lib/python3.11/site-packages/unsloth/models/qwen3.py", line 120, in attention\n'
        "    A = xformers_attention(Q, K, V, attn_bias = causal_mask)\n"
        '  File "/opt/venv/lib/python3.11/site-packages/xformers/ops/fmha/__init__.py", line 419, in forward\n'
        f"    out, *_ = op.apply(inp, needs_gradient=False)\n{error}\n"
    )


def test_a_torch_that_has_kernels_for_the_gpu_of_the_banner_is_no_cause() -> None:
    found = diagnose(failing(banner(), NO_IMAGE))
    assert [match.rule.id for match in found.causes] == []
    (ruled_out,) = [one for one in found.matches if one.rule.id == "torch-has-no-kernels-for-gpu"]
    assert [reason.fact for reason in ruled_out.because] == ["torch.has_kernels"]


def test_a_torch_that_may_have_no_kernels_for_the_gpu_of_the_banner_stays_a_cause() -> None:
    text = banner(torch="2.6.0+cu124", toolkit="CUDA: 12.0. CUDA Toolkit: 12.4.")
    assert "torch-has-no-kernels-for-gpu" in [match.rule.id for match in diagnose(failing(text, NO_IMAGE)).causes]


def test_what_the_trainer_prints_when_it_resumes_is_read() -> None:
    line = "[INFO|trainer.py:2436] 2025-02-01 10:00:00,000 >>   Continuing training from checkpoint, will skip to saved global_step"
    assert stated(line)["plan.resumes_checkpoint"] == "true"
