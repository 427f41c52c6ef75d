"""The vocabulary: every fact that vcompat can know about a run.

`vcompat facts` prints it. Values are parsed and formatted in ``value``; ``facts`` holds the facts of one run.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

VERSION, NUMBER, FLAG, TEXT = "version", "number", "flag", "text"


class Spec(NamedTuple):
    """The definition of one fact."""

    name: str
    kind: str
    """One of VERSION, NUMBER, FLAG, TEXT."""
    many: bool
    """True if the fact has one value per visible GPU, or is a list."""
    meaning: str = ""
    """A noun phrase of less than 70 characters."""
    unit: str = ""
    """The unit or range of the value, such as MiB, tokens or "0 to 1"; empty if it has none."""
    source: str = ""
    """Where the value comes from: a tool, a file, a setting, or the facts that it is derived from."""


#: The packages whose version is a fact. The value is None for a package that is not installed.
PACKAGES = (
    "torch vllm trl transformers accelerate deepspeed peft triton flash-attn xformers flashinfer "
    "bitsandbytes vllm-bnb-plugin torchao kernels numpy ray nccl nvidia-ml-py pynvml flashinfer-jit-cache "
    "huggingface-hub tokenizers torchvision torchaudio liger-kernel wandb protobuf flashinfer-cubin compressed-tensors "
    "numba openai datasets safetensors hf-xet unsloth unsloth-zoo diffusers ms-swift llamafactory verl llm-blender "
    "flash-linear-attention jinja2"
).split()

#: The environment variables that are facts. The probe records these and no others.
ENVIRONMENT = re.compile(
    r"(RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|MASTER_\w+|SLURMD?_\w+|VLLM_\w+|NCCL_\w+"
    r"|TORCH_NCCL_\w+|GLOO_\w+|TORCHELASTIC_\w+|PYTORCH_(CUDA_|HIP_)?ALLOC_CONF|CUDA_\w+|NVIDIA_\w+|ACCELERATE_\w+"
    r"|DS_\w+|FSDP_\w+|VCOMPAT_\w+|LD_PRELOAD|LD_LIBRARY_PATH|USE_HUB_KERNELS|WANDB_DISABLED|OMP_NUM_THREADS"
    r"|FLASHINFER_DISABLE_VERSION_CHECK|BNB_CUDA_VERSION|TRITON_PTXAS_(BLACKWELL_)?PATH)"
)

_METADATA, _VARIABLE = "package metadata, lock files", "environment, launch script, os.environ in the script"
_VLLM_BUILD = "vLLM's files, vLLM's version"
_GPU, _HOST, _LAUNCH = "NVML, --target", "this machine, --target", "launch command, accelerate's configuration"
_VENDOR = "gpu.name, torch's and vLLM's builds"
_GRPO, _TRAINING = "GRPOConfig setting", "TrainingArguments setting"
_ENGINE = "LLM or EngineArgs argument, TRL's colocate mode"
_UNSLOTH = "unsloth's from_pretrained argument"
_STANDBY = "UNSLOTH_VLLM_STANDBY in os.environ"
_MODEL, _SCRIPT = "the model's config.json", "training script"
_FRAMEWORK = "training script, launch command"
_DEEPSPEED, _ACCELERATE = "DeepSpeed's configuration", "accelerate's configuration"
_SERVER = "launch script"
_SHARDING, _ESTIMATE = "DeepSpeed's or accelerate's configuration", "estimated from model and settings"

#: The sources of facts that are settings of a trainer's configuration.
OF_CONFIGURATION = (_GRPO, _TRAINING)

_FACTS = (
    Spec("gpu.count", NUMBER, False, "number of GPUs that the run can use", "GPUs", f"{_GPU}, CUDA_VISIBLE_DEVICES"),
    Spec("gpu.vendor", TEXT, False, "vendor of the GPUs: nvidia, amd or intel; none on the CPU", "", _VENDOR),
    Spec("gpu.compute_capability", VERSION, True, "compute capability of each visible GPU, such as 7.0", "", _GPU),
    Spec("gpu.name", TEXT, True, "name of each visible GPU", "", _GPU),
    Spec("gpu.memory_mib", NUMBER, True, "memory of each visible GPU", "MiB", _GPU),
    Spec("gpu.mig", FLAG, True, "whether each visible GPU is in MIG mode", "", _GPU),
    Spec("gpu.peer_access", TEXT, False, "slowest link between visible GPUs: nvlink, pcie or none", "", _GPU),
    Spec("gpu.driver", VERSION, False, "version of the NVIDIA driver", "", _GPU),
    Spec("gpu.driver_cuda", VERSION, False, "newest CUDA version that the driver supports", "", _GPU),
    Spec("gpu.nvml", TEXT, False, "status of NVML: ok, library-not-found, timeout, ...", "", _GPU),
    Spec(
        "torch.cuda",
        VERSION,
        False,
        "CUDA version of torch; none for a build without CUDA",
        "",
        "torch's files, lock files",
    ),
    Spec("torch.architectures", TEXT, True, "GPU architectures of the torch build", "", "torch's files, lock files"),
    Spec("torch.has_kernels", FLAG, True, "whether torch has kernels for each visible GPU", "", "torch.architectures"),
    Spec(
        "torch.runs_on_driver",
        FLAG,
        False,
        "whether the driver runs torch's CUDA version",
        "",
        "gpu.driver, torch.cuda",
    ),
    Spec("vllm.backend", TEXT, False, "backend of vLLM: cuda, cpu, rocm, tpu or xpu", "", "vLLM's metadata, --target"),
    Spec("vllm.cuda", VERSION, False, "CUDA major version of the vLLM build", "", _VLLM_BUILD),
    Spec("vllm.architectures", TEXT, True, "GPU architectures of vLLM's common kernels", "", _VLLM_BUILD),
    Spec("vllm.has_kernels", FLAG, True, "whether vLLM has kernels for each visible GPU", "", "vllm.architectures"),
    Spec(
        "vllm.failing_kernels",
        TEXT,
        True,
        "kernels that the run reaches and that do not compile for the GPUs",
        "",
        "check --compile",
    ),
    Spec(
        "vllm.ptx_cuda",
        VERSION,
        False,
        "CUDA version that PTX of vLLM's FlashAttention 2 needs; none if unused",
        "",
        "packages.vllm, gpu.compute_capability",
    ),
    Spec(
        "bitsandbytes.cuda_versions",
        VERSION,
        True,
        "CUDA versions for which bitsandbytes has a library",
        "",
        "bitsandbytes' files, packages.bitsandbytes",
    ),
    Spec(
        "bitsandbytes.cuda",
        VERSION,
        False,
        "CUDA version of the library that bitsandbytes loads; none if none fits",
        "",
        "bitsandbytes.cuda_versions, torch.cuda",
    ),
    Spec(
        "bitsandbytes.has_kernels",
        FLAG,
        True,
        "whether bitsandbytes has kernels for each visible GPU",
        "",
        "packages.bitsandbytes, bitsandbytes.cuda",
    ),
    Spec("vllm.dtype", TEXT, False, "data type of vLLM's weights", "", "plan.engine_dtype, the checkpoint, the GPU"),
    Spec(
        "vllm.model_support",
        TEXT,
        False,
        "whose class serves the model: vllm's or transformers'; none if neither",
        "",
        "packages.vllm, packages.transformers, plan.model_architecture",
    ),
    Spec(
        "transformers.has_model",
        FLAG,
        False,
        "whether transformers has the model",
        "",
        "packages.transformers, plan.model_type",
    ),
    Spec("vllm.engine", TEXT, False, "vLLM engine of the run: v0 or v1", "", "packages.vllm, env.VLLM_USE_V1"),
    Spec(
        "vllm.attention_backend",
        TEXT,
        False,
        "attention backend of vLLM, such as XFORMERS",
        "",
        "packages.vllm, gpu.compute_capability, env.VLLM_ATTENTION_BACKEND",
    ),
    Spec(
        "vllm.triton",
        VERSION,
        False,
        "Triton that compiles vLLM's kernels: the installed one, else the one that torch requires",
        "",
        "packages.triton, packages.torch, packages.vllm",
    ),
    Spec("vllm.torch_pin", VERSION, False, "torch version that the installed vLLM requires", "", "vLLM's metadata"),
    Spec("host.python", VERSION, False, "Python version", "", "the interpreter, --python"),
    Spec("host.system", TEXT, False, "operating system, such as linux", "", _HOST),
    Spec("host.machine", TEXT, False, "processor architecture, such as x86_64", "", _HOST),
    Spec("host.avx512", FLAG, False, "whether an x86 processor has AVX-512 (F, BW, DQ and VL)", "", _HOST),
    Spec("host.amx", FLAG, False, "whether an x86 processor has AMX (tiles and bfloat16)", "", _HOST),
    Spec("host.glibc", VERSION, False, "version of the GNU C library", "", _HOST),
    Spec("host.cuda_toolkit", VERSION, False, "CUDA toolkit with nvcc; none without nvcc", "", "this machine"),
    Spec("host.c_compiler", FLAG, False, "whether Triton finds a C compiler", "", "this machine: CC, PATH"),
    Spec("host.python_headers", FLAG, False, "whether Python.h is installed", "", "this machine"),
    Spec("host.ninja", FLAG, False, "whether ninja is in PATH", "", "this machine"),
    Spec("host.patched", TEXT, True, "patches that each Python process gets", "", "vcompat run, vcompat install"),
    Spec("host.container", FLAG, False, "whether the process runs in a container", "", _HOST),
    Spec("host.shm_mib", NUMBER, False, "size of /dev/shm", "MiB", _HOST),
    Spec("host.memory_mib", NUMBER, False, "host memory available to the process", "MiB", f"{_HOST}, cgroup limit"),
    Spec("run.fails", TEXT, False, "how the run fails: crash, hang, silent-corruption, degraded", "", "--set"),
    Spec("plan.configuration", TEXT, False, "configuration class of the trainer, such as GRPOConfig", "", _SCRIPT),
    Spec("plan.framework", TEXT, False, "framework whose trainer runs in TRL's place, such as unsloth", "", _FRAMEWORK),
    Spec("plan.use_vllm", FLAG, False, "whether vLLM generates the completions", "", _GRPO),
    Spec("plan.vllm_mode", TEXT, False, "mode of vLLM: colocate or server", "", _GRPO),
    Spec("plan.vllm_tensor_parallel_size", NUMBER, False, "tensor parallel size in colocate mode", "GPUs", _GRPO),
    Spec("plan.vllm_gpu_memory_utilization", NUMBER, False, "vLLM's share of the GPU memory", "0 to 1", _GRPO),
    Spec("plan.vllm_enable_sleep_mode", FLAG, False, "whether vLLM sleeps while the trainer steps", "", _GRPO),
    Spec("plan.vllm_max_model_length", NUMBER, False, "maximum sequence length in vLLM", "tokens", _GRPO),
    Spec("plan.vllm_model_impl", TEXT, False, "model implementation in vLLM: vllm or transformers", "", _GRPO),
    Spec("plan.vllm_importance_sampling_correction", FLAG, False, "correction for vLLM's probabilities", "", _GRPO),
    Spec("plan.vllm_importance_sampling_mode", TEXT, False, "ratio per token or per sequence", "", _GRPO),
    Spec("plan.vllm_device", TEXT, False, "device of vLLM (TRL 0.14 - 0.17)", "", _GRPO),
    Spec("plan.vllm_dtype", TEXT, False, "data type for vLLM (TRL 0.15 - 0.17)", "", _GRPO),
    Spec("plan.vllm_server_host", TEXT, False, "host name of the vLLM server", "", _GRPO),
    Spec("plan.vllm_server_port", NUMBER, False, "port of the vLLM server", "", _GRPO),
    Spec("plan.vllm_server_base_url", TEXT, False, "base URL of the vLLM server", "", _GRPO),
    Spec("plan.vllm_guided_decoding_regex", TEXT, False, "regex for completions (TRL 0.16 - 0.27)", "", _GRPO),
    Spec("plan.vllm_structured_outputs_regex", TEXT, False, "regex for completions (from TRL 0.27)", "", _GRPO),
    Spec("plan.vllm_sleep_level", NUMBER, False, "level that TRL passes to vLLM's sleep()", "1 or 2", "packages.trl"),
    Spec("plan.use_transformers_paged", FLAG, False, "whether transformers uses paged attention", "", _GRPO),
    Spec("plan.bf16", FLAG, False, "whether training uses bfloat16", "", _TRAINING),
    Spec("plan.fp16", FLAG, False, "whether training uses float16", "", _TRAINING),
    Spec("plan.dtype", TEXT, False, "data type of the trainer's weights as loaded", "", f"{_SCRIPT}, {_MODEL}"),
    Spec("plan.init_torch_dtype", TEXT, False, "torch_dtype in model_init_kwargs", "", _GRPO),
    Spec("plan.attn_implementation", TEXT, False, "attention of the trainer's model", "", _SCRIPT),
    Spec("plan.loaded_in_bits", NUMBER, False, "bits per weight after quantizing; else none", "bits", _SCRIPT),
    Spec("plan.use_cpu", FLAG, False, "whether training runs on the CPU", "", _TRAINING),
    Spec("plan.gradient_checkpointing", FLAG, False, "whether activations are recomputed", "", _TRAINING),
    Spec("plan.use_cache", FLAG, False, "whether generate() uses a key-value cache", "", _SCRIPT),
    Spec("plan.beta", NUMBER, False, "KL coefficient; 0 means no reference model", "", _GRPO),
    Spec("plan.sync_ref_model", FLAG, False, "whether the reference model follows the trained one", "", _GRPO),
    Spec("plan.num_generations", NUMBER, False, "completions per prompt", "completions", _GRPO),
    Spec("plan.num_generations_eval", NUMBER, False, "completions per prompt in evaluation", "completions", _GRPO),
    Spec("plan.num_iterations", NUMBER, False, "optimization passes per batch of completions", "passes", _GRPO),
    Spec("plan.steps_per_generation", NUMBER, False, "micro-steps per generation", "steps", _GRPO),
    Spec("plan.generation_batch_size", NUMBER, False, "completions per generation", "completions", _GRPO),
    Spec("plan.per_device_train_batch_size", NUMBER, False, "micro-batch size per GPU", "completions", _TRAINING),
    Spec("plan.auto_find_batch_size", FLAG, False, "whether out-of-memory errors reduce the batch size", "", _TRAINING),
    Spec("plan.per_device_eval_batch_size", NUMBER, False, "evaluation batch size per GPU", "completions", _TRAINING),
    Spec("plan.dataloader_num_workers", NUMBER, False, "processes that load data", "processes", _TRAINING),
    Spec("plan.gradient_accumulation_steps", NUMBER, False, "micro-steps per optimizer step", "steps", _TRAINING),
    Spec("plan.max_grad_norm", NUMBER, False, "norm above which gradients are scaled down; 0: none", "", _TRAINING),
    Spec("plan.disable_dropout", FLAG, False, "whether the trainer switches dropout off", "", _GRPO),
    Spec("plan.temperature", NUMBER, False, "sampling temperature", "", _GRPO),
    Spec("plan.top_p", NUMBER, False, "cumulative probability of the sampled tokens", "0 to 1", _GRPO),
    Spec("plan.top_k", NUMBER, False, "number of most probable tokens to sample from", "tokens", _GRPO),
    Spec("plan.min_p", NUMBER, False, "least probability relative to the most probable token", "0 to 1", _GRPO),
    Spec("plan.repetition_penalty", NUMBER, False, "penalty for tokens that were there before; 1: none", "", _GRPO),
    Spec("plan.mask_truncated_completions", FLAG, False, "whether truncated completions are left out", "", _GRPO),
    Spec("plan.loss_type", TEXT, False, "loss, such as grpo or dapo", "", _GRPO),
    Spec("plan.top_entropy_quantile", NUMBER, False, "share of the tokens, by entropy, in the loss", "0 to 1", _GRPO),
    Spec("plan.use_liger_kernel", FLAG, False, "whether Liger's kernels compute the loss", "", _TRAINING),
    Spec("plan.use_liger_loss", FLAG, False, "the same (TRL 0.17 - 0.27)", "", _GRPO),
    Spec("plan.router_aux_loss_coef", NUMBER, False, "weight of the loss that balances experts", "", _GRPO),
    Spec("plan.max_prompt_length", NUMBER, False, "maximum prompt length", "tokens", _GRPO),
    Spec("plan.max_completion_length", NUMBER, False, "maximum completion length", "tokens", _GRPO),
    Spec("plan.eval_strategy", TEXT, False, "evaluation strategy: no, steps or epoch", "", _TRAINING),
    Spec("plan.eval_on_start", FLAG, False, "whether training begins with an evaluation", "", _TRAINING),
    Spec("plan.ds3_gather_for_generation", FLAG, False, "whether ZeRO-3 gathers weights to generate", "", _GRPO),
    Spec("plan.deepspeed", TEXT, False, "path of DeepSpeed's configuration file", "", _TRAINING),
    Spec("plan.fsdp", TEXT, False, "FSDP options; none without FSDP", "", f"{_TRAINING}, {_ACCELERATE}"),
    Spec("plan.deepspeed_stage", NUMBER, False, "ZeRO stage; 0 without DeepSpeed", "", _SHARDING),
    Spec("plan.deepspeed_auto", TEXT, True, 'settings of DeepSpeed that are "auto"', "", _DEEPSPEED),
    Spec("plan.deepspeed_micro_batch_size", NUMBER, False, "train_micro_batch_size_per_gpu", "completions", _DEEPSPEED),
    Spec("plan.deepspeed_accumulation_steps", NUMBER, False, "gradient_accumulation_steps", "steps", _SHARDING),
    Spec("plan.deepspeed_bf16", FLAG, False, "bf16.enabled of DeepSpeed", "", _DEEPSPEED),
    Spec(
        "plan.deepspeed_bf16_optimizer_states", FLAG, False, "bf16.bf16_optimizer_states of DeepSpeed", "", _DEEPSPEED
    ),
    Spec("plan.deepspeed_fp16", FLAG, False, "fp16.enabled of DeepSpeed", "", _DEEPSPEED),
    Spec("plan.deepspeed_gradient_clipping", NUMBER, False, "gradient_clipping, if it is not auto", "", _DEEPSPEED),
    Spec("plan.deepspeed_overlap_comm", FLAG, False, "zero_optimization.overlap_comm of DeepSpeed", "", _DEEPSPEED),
    Spec("plan.optimizer_offload", TEXT, False, "offload of the optimizer state: cpu, nvme or none", "", _SHARDING),
    Spec("plan.parameter_offload", TEXT, False, "offload of the weights: cpu, nvme or none", "", _SHARDING),
    Spec("plan.fsdp_version", NUMBER, False, "FSDP version: 1 or 2; none without FSDP", "", _ACCELERATE),
    Spec("plan.fsdp_sharding", TEXT, False, "FSDP sharding: full, gradients or none", "", _ACCELERATE),
    Spec("plan.optim", TEXT, False, "optimizer, such as adamw_torch", "", _TRAINING),
    Spec("plan.mixed_precision", TEXT, False, "mixed precision: no, fp16, bf16 or fp8", "", _LAUNCH),
    Spec("plan.distributed_type", TEXT, False, "accelerate's backend, such as MULTI_GPU or FSDP", "", _ACCELERATE),
    Spec("plan.world_size", NUMBER, False, "number of training processes", "processes", f"{_LAUNCH}, env.WORLD_SIZE"),
    Spec("plan.num_machines", NUMBER, False, "number of machines for training", "machines", f"{_LAUNCH}, --target"),
    Spec("plan.processes_per_machine", NUMBER, False, "training processes per machine", "processes", _LAUNCH),
    Spec("plan.trainer_devices", TEXT, True, "CUDA devices of the training command", "", _LAUNCH),
    Spec("plan.server_devices", TEXT, True, "CUDA devices of the vLLM server's command", "", _SERVER),
    Spec("plan.server_started", FLAG, False, "whether the launch script starts TRL's vLLM server", "", _SERVER),
    Spec("plan.server_data_parallel_size", NUMBER, False, "--data_parallel_size of `trl vllm-serve`", "GPUs", _SERVER),
    Spec("plan.server_port", NUMBER, False, "port of `vllm serve` in the launch script", "", _SERVER),
    Spec("plan.server_logprobs_mode", TEXT, False, "--logprobs-mode of `vllm serve`", "", _SERVER),
    Spec("plan.server_weight_transfer", FLAG, False, "whether `vllm serve` gets --weight-transfer-config", "", _SERVER),
    Spec(
        "plan.global_eval_batch_size",
        NUMBER,
        False,
        "evaluation batch size, all processes",
        "completions",
        "plan.world_size",
    ),
    Spec("plan.global_batch_size", NUMBER, False, "micro-batch size, all processes", "completions", "plan.world_size"),
    Spec("plan.model", TEXT, False, "name or path of the model", "", f"{_SCRIPT}, launch command"),
    Spec("plan.model_by_name", FLAG, False, "whether the trainer gets the model by name", "", _SCRIPT),
    Spec("plan.device_map", TEXT, False, "device_map with which the model is loaded; none if not stated", "", _SCRIPT),
    Spec("plan.model_architecture", TEXT, False, "class of the model, such as Qwen2ForCausalLM", "", _MODEL),
    Spec("plan.model_type", TEXT, False, "model type, such as qwen2", "", _MODEL),
    Spec(
        "plan.model_is_multimodal",
        FLAG,
        False,
        "whether the model takes images, video or audio",
        "",
        "plan.model_architecture, vLLM's class of that name",
    ),
    Spec(
        "plan.model_is_hybrid",
        FLAG,
        False,
        "whether layers keep a state (Mamba, linear attention) beside attention",
        "",
        "plan.model_architecture, vLLM's class of that name",
    ),
    Spec("plan.model_is_moe", FLAG, False, "whether the model is a mixture of experts", "", _MODEL),
    Spec("plan.model_code", TEXT, True, "Auto classes of the model's own code; none if it has none", "", _MODEL),
    Spec("plan.registers_models", FLAG, False, "whether the script registers models of its own", "", _SCRIPT),
    Spec("plan.model_dtype", TEXT, False, "data type of the checkpoint", "", _MODEL),
    Spec("plan.model_quantization", TEXT, False, "quantization method of the checkpoint", "", _MODEL),
    Spec("plan.model_bits", NUMBER, False, "bits per quantized weight of the checkpoint", "bits", _MODEL),
    Spec("plan.attention_heads", NUMBER, False, "number of attention heads", "heads", _MODEL),
    Spec("plan.key_value_heads", NUMBER, False, "number of key-value heads", "heads", _MODEL),
    Spec("plan.head_size", NUMBER, False, "size of an attention head", "", _MODEL),
    Spec("plan.model_parameters", NUMBER, False, "parameter count", "parameters", f"{_MODEL}, the model's name"),
    Spec("plan.vocabulary_size", NUMBER, False, "size of the model's vocabulary", "tokens", f"{_MODEL}, its name"),
    Spec("plan.linear_sizes", TEXT, True, "inputs + outputs of each linear module, all layers", "", _MODEL),
    Spec("plan.kv_bytes_per_token", NUMBER, False, "16-bit KV cache per token, all heads and layers", "bytes", _MODEL),
    Spec("plan.model_max_length", NUMBER, False, "maximum sequence length of the model", "tokens", _MODEL),
    Spec("plan.model_ties_embeddings", FLAG, False, "tie_word_embeddings, where config.json states it", "", _MODEL),
    Spec("plan.model_rope_theta", NUMBER, False, "rope_theta that only rope_parameters states", "", _MODEL),
    Spec("plan.model_longrope_limit", NUMBER, False, "longest input with longrope's short factors", "tokens", _MODEL),
    Spec("plan.longest_prompt", NUMBER, False, "longest prompt of the dataset", "tokens", "only --set and --facts"),
    Spec("plan.sequence_length", NUMBER, False, "longest sequence that vLLM must hold", "tokens", "plan.max_model_len"),
    Spec("plan.kv_cache_tokens", NUMBER, False, "upper bound of the tokens in vLLM's cache", "tokens", _ESTIMATE),
    Spec("plan.vllm_share_mib", NUMBER, False, "memory that vLLM takes on each GPU", "MiB", _ESTIMATE),
    Spec("plan.vllm_weights_mib", NUMBER, False, "memory of vLLM's weights on each GPU", "MiB", _ESTIMATE),
    Spec("plan.trainer_mib", NUMBER, False, "lower bound of the trainer's memory per GPU", "MiB", _ESTIMATE),
    Spec("plan.memory_share", NUMBER, False, "lower bound of the memory need", "1 = full GPU", _ESTIMATE),
    Spec("plan.logits_mib", NUMBER, False, "logits of the longest completions, with gradients", "MiB", _ESTIMATE),
    Spec(
        "plan.memory_share_with_logits",
        NUMBER,
        False,
        "memory need with the longest completions",
        "1 = full GPU",
        _ESTIMATE,
    ),
    Spec("plan.command_options", TEXT, True, "what TRL's own script gets, started by trl grpo", "", _LAUNCH),
    Spec("plan.launcher", TEXT, False, "launcher: python, torchrun, accelerate, srun, ray, modal...", "", _LAUNCH),
    Spec("plan.notebook", FLAG, False, "whether the trainer runs in a notebook", "", "the kind of file"),
    Spec("plan.chat_template_ids", FLAG, False, "apply_chat_template without tokenize, return_dict", "", _SCRIPT),
    Spec("plan.ends_process_groups", FLAG, False, "whether the script calls destroy_process_group", "", _SCRIPT),
    Spec("plan.trainer", TEXT, False, "trainer class, such as GRPOTrainer", "", _SCRIPT),
    Spec("plan.reward_kinds", TEXT, True, "reward functions: function, object, async, partial or model", "", _SCRIPT),
    Spec("plan.scores_all", FLAG, False, "whether a reward function scores each completion", "", _SCRIPT),
    Spec("plan.tools", FLAG, False, "whether the trainer gets tools or environments", "", _SCRIPT),
    Spec("plan.resumes_checkpoint", FLAG, False, "whether train() continues from a checkpoint", "", _SCRIPT),
    Spec("plan.peft", FLAG, False, "whether an adapter is trained", "", f"{_SCRIPT}, adapter_config.json"),
    Spec("plan.lora_rank", NUMBER, False, "rank of the LoRA adapter", "", "LoraConfig argument"),
    Spec("plan.lora_options", TEXT, True, "further options of the LoRA adapter that are on", "", "LoraConfig argument"),
    Spec("plan.lora_dropout", NUMBER, False, "dropout of the LoRA adapter", "0 to 1", "LoraConfig argument"),
    Spec("plan.lora_targets", TEXT, True, "modules with an adapter; empty: PEFT's default", "", "LoraConfig argument"),
    Spec("plan.modules_to_save", TEXT, True, "modules trained in full with the adapter", "", "LoraConfig argument"),
    Spec("plan.trainable_tokens", FLAG, False, "whether trainable_token_indices is set", "", "LoraConfig argument"),
    Spec("plan.patched", TEXT, True, "patches that the script applies with vcompat.patch()", "", _SCRIPT),
    Spec("plan.engine_dtype", TEXT, False, "dtype argument of the engine, such as auto", "", _ENGINE),
    Spec("plan.tensor_parallel_size", NUMBER, False, "tensor parallel size of the engine", "GPUs", _ENGINE),
    Spec("plan.distributed_executor_backend", TEXT, False, "executor, such as external_launcher", "", _ENGINE),
    Spec("plan.llm_seed", NUMBER, False, "seed of the engine", "", _ENGINE),
    Spec("plan.enable_prefix_caching", FLAG, False, "whether prompts share cached prefixes", "", _ENGINE),
    Spec("plan.enable_chunked_prefill", FLAG, False, "whether long prefills are split", "", _ENGINE),
    Spec("plan.enable_sleep_mode", FLAG, False, "whether sleep mode is enabled in the engine", "", _ENGINE),
    Spec("plan.max_model_len", NUMBER, False, "maximum sequence length of the engine", "tokens", _ENGINE),
    Spec("plan.quantization", TEXT, False, "quantization in the engine, such as fp8", "", _ENGINE),
    Spec("plan.kv_cache_dtype", TEXT, False, "data type of the engine's KV cache, such as fp8", "", _ENGINE),
    Spec("plan.gpu_memory_utilization", NUMBER, False, "engine's share of the GPU memory", "0 to 1", _ENGINE),
    Spec("plan.engine_lora", FLAG, False, "whether the engine serves LoRA adapters (enable_lora)", "", _ENGINE),
    Spec("plan.max_lora_rank", NUMBER, False, "highest rank of a LoRA adapter in the engine", "", _ENGINE),
    Spec("plan.fast_inference", FLAG, False, "whether unsloth makes a vLLM engine in the process", "", _UNSLOTH),
    Spec("plan.full_finetuning", FLAG, False, "whether unsloth trains all weights", "", _UNSLOTH),
    Spec("plan.finetune_vision_layers", FLAG, False, "whether unsloth's adapter covers vision layers", "", _UNSLOTH),
    Spec("plan.pads_with_eos", FLAG, False, "whether the end-of-sequence token also pads, with unsloth", "", _SCRIPT),
    Spec("plan.raises_batch_size", FLAG, False, "whether unsloth changes the micro-batch size", "", "plan.framework"),
    Spec("plan.standby", FLAG, False, "whether unsloth's engine sleeps while the trainer steps", "", _STANDBY),
    Spec("plan.standby_at_import", FLAG, False, "whether that is set when unsloth is imported", "", _STANDBY),
    Spec("plan.trl_before_unsloth", FLAG, False, "whether trl is imported before unsloth", "", _SCRIPT),
    Spec("plan.max_seq_length", NUMBER, False, "maximum sequence length in unsloth", "tokens", _UNSLOTH),
    Spec("plan.speculative_config", FLAG, False, "whether the engine uses a draft model", "", _ENGINE),
)


def _package(name: str) -> Spec:
    return Spec(f"packages.{name}", VERSION, False, f"version of {name}; none if not installed", "", _METADATA)


VOCABULARY: Mapping[str, Spec] = {spec.name: spec for spec in (*map(_package, PACKAGES), *_FACTS)}


#: The name of any environment variable.
_ANY_VARIABLE = re.compile(r"env\.[A-Za-z_][A-Za-z0-9_]*")


def spec_of_stated(name: str, where: str) -> Spec:
    """Return the definition of a fact that a user states; that of any variable, since a run may need others as well.

    Raises InputError like `spec_of`.
    """
    if _ANY_VARIABLE.fullmatch(name):
        return _variable(name)
    return spec_of(name, where)


def spec_of(name: str, where: str) -> Spec:
    """Return the definition of the fact `name`. Raises InputError, with `where` as the location, if there is none."""
    found = VOCABULARY.get(name)
    if found is not None:
        return found
    if name.startswith("env.") and ENVIRONMENT.fullmatch(name[4:]):
        return _variable(name)
    if name.startswith("env."):
        raise InputError(where, f"'{name}' is not a variable that vcompat looks at", "one such as env.VLLM_USE_V1")
    raise InputError(where, f"unknown fact '{name}'", did_you_mean(name, VOCABULARY) or "a name such as packages.vllm")


def _variable(name: str) -> Spec:
    return Spec(name, TEXT, False, f"environment variable {name[4:]}; none if not set", "", _VARIABLE)
