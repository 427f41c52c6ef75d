"""The vocabulary: every fact that can be known about a run, as data.

`vcompat facts` prints it. Values are parsed and formatted in ``value``; what is known about one run is in ``facts``.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

VERSION, NUMBER, FLAG, TEXT = "version", "number", "flag", "text"


class Spec(NamedTuple):
    """What one fact of the vocabulary is."""

    name: str
    kind: str
    """One of VERSION, NUMBER, FLAG, TEXT."""
    many: bool
    """True if the fact has one value per visible GPU, or is a list of words."""
    meaning: str = ""
    unit: str = ""
    """Such as MiB, tokens or bytes; empty if the value has none."""
    source: str = ""
    """Where the fact comes from: the tool, the file or the setting, or the facts that it is derived from."""


#: Every package whose version is a fact. "none" is the value of one that is not installed.
PACKAGES = (
    "torch vllm trl transformers accelerate deepspeed peft triton flash-attn xformers flashinfer "
    "bitsandbytes numpy ray nccl nvidia-ml-py pynvml"
).split()

#: The environment variables that decide something about a run, and that the probe records.
ENVIRONMENT = re.compile(
    r"(RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|MASTER_\w+|SLURM_\w+|VLLM_\w+|NCCL_\w+"
    r"|TORCH_NCCL_\w+|TORCHELASTIC_\w+|PYTORCH_(CUDA_|HIP_)?ALLOC_CONF|CUDA_\w+|NVIDIA_\w+|ACCELERATE_\w+"
    r"|DS_\w+|FSDP_\w+|VCOMPAT_\w+|LD_PRELOAD|LD_LIBRARY_PATH)"
)

_METADATA, _VARIABLE = "package metadata, lock files", "the environment, launch scripts, os.environ in scripts"
_GRPO, _TRAINING, _ENGINE = "GRPOConfig", "TrainingArguments", "LLM(...), EngineArgs(...) or TRL's colocate mode"
_MODEL, _DEEPSPEED, _ACCELERATE = "the model's config.json", "DeepSpeed's configuration", "accelerate's configuration"
_SCRIPT, _LAUNCH, _ESTIMATE = "the training script", "the launch command", "estimated; see `vcompat explain`"

_FACTS = (
    Spec("gpu.count", NUMBER, False, "GPUs that the run may use", "GPUs", "NVML, --target, CUDA_VISIBLE_DEVICES"),
    Spec("gpu.compute_capability", VERSION, True, "compute capability of each visible GPU, such as 7.0", "", "NVML"),
    Spec("gpu.name", TEXT, True, "name of each visible GPU", "", "NVML"),
    Spec("gpu.memory_mib", NUMBER, True, "memory of each visible GPU", "MiB", "NVML"),
    Spec("gpu.mig", FLAG, True, "whether each visible GPU is in MIG mode", "", "NVML"),
    Spec("gpu.peer_access", TEXT, False, "weakest link between two visible GPUs: nvlink, pcie or none", "", "NVML"),
    Spec("gpu.driver", VERSION, False, "version of the NVIDIA driver", "", "NVML"),
    Spec("gpu.driver_cuda", VERSION, False, "newest CUDA version that the driver supports", "", "NVML"),
    Spec("gpu.nvml", TEXT, False, "NVML's answer: ok, library-not-found, timeout, ...", "", "NVML"),
    Spec("torch.cuda", VERSION, False, "CUDA version of the torch build; none for a CPU build", "", "torch's files"),
    Spec("torch.architectures", TEXT, True, "architectures the torch build has kernels for", "", "torch's files"),
    Spec("torch.has_kernels", FLAG, True, "whether torch has kernels for each visible GPU", "", "torch.architectures"),
    Spec("vllm.backend", TEXT, False, "vLLM's build: cuda, cpu, rocm, tpu or xpu", "", "vLLM's version and metadata"),
    Spec("vllm.engine", TEXT, False, "vLLM's engine generation in this run: v0 or v1", "", "packages.vllm"),
    Spec("vllm.torch_pin", VERSION, False, "torch release that the installed vLLM requires", "", "vLLM's metadata"),
    Spec("host.python", VERSION, False, "version of Python", "", "the interpreter, lock files"),
    Spec("host.system", TEXT, False, "operating system, such as linux", "", "the machine"),
    Spec("host.machine", TEXT, False, "processor architecture, such as x86_64", "", "the machine"),
    Spec("host.glibc", VERSION, False, "version of the C library", "", "the machine"),
    Spec("host.container", FLAG, False, "whether this is a container", "", "the machine"),
    Spec("host.shm_mib", NUMBER, False, "size of /dev/shm", "MiB", "the machine"),
    Spec("host.memory_mib", NUMBER, False, "memory that this process may use", "MiB", "the machine, cgroups"),
    Spec("plan.configuration", TEXT, False, "class of the trainer's configuration, such as GRPOConfig", "", _SCRIPT),
    Spec("plan.use_vllm", FLAG, False, "vLLM generates", "", _GRPO),
    Spec("plan.vllm_mode", TEXT, False, "colocate or server", "", _GRPO),
    Spec("plan.vllm_tensor_parallel_size", NUMBER, False, "GPUs that share one vLLM model", "GPUs", _GRPO),
    Spec("plan.vllm_gpu_memory_utilization", NUMBER, False, "vLLM's share of GPU memory", "0 to 1", _GRPO),
    Spec("plan.vllm_enable_sleep_mode", FLAG, False, "vLLM frees its memory while the trainer steps", "", _GRPO),
    Spec("plan.vllm_max_model_length", NUMBER, False, "longest sequence that vLLM accepts", "tokens", _GRPO),
    Spec("plan.vllm_model_impl", TEXT, False, "vllm or transformers", "", _GRPO),
    Spec("plan.vllm_importance_sampling_correction", FLAG, False, "correct for vLLM's own probabilities", "", _GRPO),
    Spec("plan.vllm_device", TEXT, False, "device for vLLM (TRL 0.14 - 0.17)", "", _GRPO),
    Spec("plan.vllm_dtype", TEXT, False, "data type of vLLM's weights (TRL 0.14 - 0.17)", "", _GRPO),
    Spec("plan.vllm_server_host", TEXT, False, "host of the vLLM server", "", _GRPO),
    Spec("plan.vllm_server_port", NUMBER, False, "port of the vLLM server", "", _GRPO),
    Spec("plan.vllm_server_base_url", TEXT, False, "URL of the vLLM server", "", _GRPO),
    Spec("plan.vllm_guided_decoding_regex", TEXT, False, "pattern of the output (TRL 0.16 - 0.27)", "", _GRPO),
    Spec("plan.vllm_structured_outputs_regex", TEXT, False, "pattern of the output (from TRL 0.27)", "", _GRPO),
    Spec(
        "plan.vllm_sleep_level",
        NUMBER,
        False,
        "level of TRL's call of vLLM's sleep()",
        "1 or 2",
        "packages.trl, sleep mode",
    ),
    Spec("plan.use_transformers_paged", FLAG, False, "generate with transformers' paged attention", "", _GRPO),
    Spec("plan.bf16", FLAG, False, "train in bfloat16", "", _TRAINING),
    Spec("plan.fp16", FLAG, False, "train in float16", "", _TRAINING),
    Spec("plan.dtype", TEXT, False, "data type of the model's weights, such as bfloat16", "", _SCRIPT),
    Spec("plan.use_cpu", FLAG, False, "train on the CPU", "", _TRAINING),
    Spec("plan.gradient_checkpointing", FLAG, False, "recompute activations in the backward pass", "", _TRAINING),
    Spec("plan.use_cache", FLAG, False, "whether generate() keeps a key-value cache", "", _SCRIPT),
    Spec("plan.num_generations", NUMBER, False, "completions per prompt", "completions", _GRPO),
    Spec("plan.num_iterations", NUMBER, False, "optimization passes per batch of completions", "passes", _GRPO),
    Spec("plan.steps_per_generation", NUMBER, False, "micro-steps per generation", "steps", _GRPO),
    Spec("plan.generation_batch_size", NUMBER, False, "completions per generation", "completions", _GRPO),
    Spec(
        "plan.per_device_train_batch_size",
        NUMBER,
        False,
        "completions per GPU and micro-step",
        "completions",
        _TRAINING,
    ),
    Spec("plan.gradient_accumulation_steps", NUMBER, False, "micro-steps per optimizer step", "steps", _TRAINING),
    Spec("plan.max_prompt_length", NUMBER, False, "longest prompt", "tokens", _GRPO),
    Spec("plan.max_completion_length", NUMBER, False, "longest completion", "tokens", _GRPO),
    Spec("plan.eval_strategy", TEXT, False, "no, steps or epoch", "", _TRAINING),
    Spec("plan.ds3_gather_for_generation", FLAG, False, "gather ZeRO-3 weights to generate", "", _GRPO),
    Spec("plan.deepspeed", TEXT, False, "DeepSpeed's configuration file", "", _TRAINING),
    Spec("plan.fsdp", TEXT, False, "FSDP options", "", _TRAINING),
    Spec("plan.deepspeed_stage", NUMBER, False, "ZeRO stage; 0 without DeepSpeed", "", _DEEPSPEED),
    Spec("plan.deepspeed_auto", TEXT, True, 'settings of DeepSpeed\'s configuration that are "auto"', "", _DEEPSPEED),
    Spec("plan.deepspeed_micro_batch_size", NUMBER, False, "train_micro_batch_size_per_gpu", "completions", _DEEPSPEED),
    Spec("plan.deepspeed_accumulation_steps", NUMBER, False, "gradient_accumulation_steps", "steps", _DEEPSPEED),
    Spec("plan.deepspeed_bf16", FLAG, False, "bf16.enabled", "", _DEEPSPEED),
    Spec("plan.deepspeed_fp16", FLAG, False, "fp16.enabled", "", _DEEPSPEED),
    Spec("plan.optimizer_offload", TEXT, False, "where optimizer state lives: cpu, nvme or none", "", "DeepSpeed"),
    Spec("plan.parameter_offload", TEXT, False, "where unused weights live: cpu, nvme or none", "", "DeepSpeed, FSDP"),
    Spec("plan.fsdp_version", NUMBER, False, "FSDP version, 1 or 2; none without FSDP", "", _ACCELERATE),
    Spec("plan.fsdp_sharding", TEXT, False, "what FSDP shards: full, gradients or none", "", _ACCELERATE),
    Spec("plan.optim", TEXT, False, "optimizer, such as adamw_torch", "", _TRAINING),
    Spec("plan.mixed_precision", TEXT, False, "no, fp16, bf16 or fp8", "", _ACCELERATE),
    Spec("plan.distributed_type", TEXT, False, "NO, MULTI_GPU, DEEPSPEED, FSDP, ...", "", _ACCELERATE),
    Spec("plan.world_size", NUMBER, False, "number of training processes", "processes", _LAUNCH),
    Spec("plan.num_machines", NUMBER, False, "machines that the training processes run on", "machines", _LAUNCH),
    Spec("plan.processes_per_machine", NUMBER, False, "training processes on each machine", "processes", _LAUNCH),
    Spec("plan.trainer_devices", TEXT, True, "CUDA_VISIBLE_DEVICES of the training command", "", _LAUNCH),
    Spec("plan.server_devices", TEXT, True, "CUDA_VISIBLE_DEVICES of the vLLM server's command", "", _LAUNCH),
    Spec("plan.server_started", FLAG, False, "whether the launch script starts TRL's vLLM server", "", _LAUNCH),
    Spec(
        "plan.global_batch_size",
        NUMBER,
        False,
        "completions per micro-step of all processes",
        "completions",
        "batch sizes",
    ),
    Spec("plan.model", TEXT, False, "name or path of the model", "", _SCRIPT),
    Spec("plan.model_architecture", TEXT, False, "architecture, such as Qwen2ForCausalLM", "", _MODEL),
    Spec("plan.model_dtype", TEXT, False, "data type of the checkpoint", "", _MODEL),
    Spec("plan.model_quantization", TEXT, False, "quantization method of the checkpoint", "", _MODEL),
    Spec("plan.attention_heads", NUMBER, False, "attention heads", "heads", _MODEL),
    Spec("plan.key_value_heads", NUMBER, False, "key-value heads", "heads", _MODEL),
    Spec(
        "plan.model_parameters",
        NUMBER,
        False,
        "parameters of the model",
        "parameters",
        f"{_MODEL}, or the model's name",
    ),
    Spec(
        "plan.kv_bytes_per_token",
        NUMBER,
        False,
        "vLLM's cache per token at 16 bits, all layers and heads",
        "bytes",
        _MODEL,
    ),
    Spec("plan.model_max_length", NUMBER, False, "longest sequence that the model was made for", "tokens", _MODEL),
    Spec(
        "plan.sequence_length",
        NUMBER,
        False,
        "longest sequence that vLLM must have room for",
        "tokens",
        "plan.max_model_len, the model",
    ),
    Spec("plan.kv_cache_tokens", NUMBER, False, "upper bound of the tokens in vLLM's cache", "tokens", _ESTIMATE),
    Spec("plan.vllm_share_mib", NUMBER, False, "memory that vLLM takes on each GPU", "MiB", _ESTIMATE),
    Spec("plan.vllm_weights_mib", NUMBER, False, "memory of vLLM's weights on each GPU", "MiB", _ESTIMATE),
    Spec("plan.trainer_mib", NUMBER, False, "memory of weights, gradients and optimizer on each GPU", "MiB", _ESTIMATE),
    Spec(
        "plan.memory_share",
        NUMBER,
        False,
        "memory of trainer and vLLM as a share of the GPU",
        "1 = all of it",
        _ESTIMATE,
    ),
    Spec("plan.launcher", TEXT, False, "starts the ranks: python, torchrun, accelerate, deepspeed, srun", "", _LAUNCH),
    Spec("plan.trainer", TEXT, False, "TRL trainer, such as GRPOTrainer", "", _SCRIPT),
    Spec("plan.peft", FLAG, False, "an adapter is trained", "", _SCRIPT),
    Spec("plan.modules_to_save", TEXT, True, "modules trained in full beside the adapter", "", "LoraConfig"),
    Spec("plan.patched", TEXT, True, "patches that the script applies with vcompat.patch()", "", _SCRIPT),
    Spec("plan.tensor_parallel_size", NUMBER, False, "tensor parallel size of the engine", "GPUs", _ENGINE),
    Spec("plan.distributed_executor_backend", TEXT, False, "such as external_launcher", "", _ENGINE),
    Spec("plan.llm_seed", NUMBER, False, "seed of the engine", "", _ENGINE),
    Spec("plan.enable_prefix_caching", FLAG, False, "reuse the cache of shared prefixes", "", _ENGINE),
    Spec("plan.enable_chunked_prefill", FLAG, False, "split long prefills into chunks", "", _ENGINE),
    Spec("plan.enable_sleep_mode", FLAG, False, "the engine can sleep", "", _ENGINE),
    Spec("plan.max_model_len", NUMBER, False, "longest sequence of the engine", "tokens", _ENGINE),
    Spec("plan.quantization", TEXT, False, "quantization in the engine, such as fp8", "", _ENGINE),
    Spec("plan.kv_cache_dtype", TEXT, False, "data type of the engine's cache, such as fp8", "", _ENGINE),
    Spec("plan.speculative_config", FLAG, False, "the engine uses a draft model", "", _ENGINE),
)


def _package(name: str) -> Spec:
    return Spec(f"packages.{name}", VERSION, False, f"version of {name}; none if it is not installed", "", _METADATA)


VOCABULARY: Mapping[str, Spec] = {spec.name: spec for spec in (*map(_package, PACKAGES), *_FACTS)}


def spec_of(name: str, where: str) -> Spec:
    """Return what `name` is; raise InputError, naming `where`, if no such fact exists."""
    found = VOCABULARY.get(name)
    if found is not None:
        return found
    if name.startswith("env.") and ENVIRONMENT.fullmatch(name[4:]):
        return Spec(name, TEXT, False, f"environment variable {name[4:]}; none if it is not set", "", _VARIABLE)
    if name.startswith("env."):
        raise InputError(where, f"'{name}' is not a variable that vcompat looks at", "such as env.VLLM_USE_V1")
    raise InputError(where, f"unknown fact '{name}'", did_you_mean(name, VOCABULARY) or "a name such as packages.vllm")
