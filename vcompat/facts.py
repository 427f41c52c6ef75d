"""The vocabulary: what can be known about a run, and the container that holds what is known.

A fact has a name (``packages.vllm``), a kind (a version, a number, ...) and a value. A fact that is not
known is absent from the container, which is not the same as a fact known to be *nothing* (``None``): a
package that is not installed, a variable that is not set. No fact is collected here (see ``probe`` and
``plan``), none is judged here (see ``condition``).
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.errors import InputError
from vcompat.suggest import did_you_mean

#: A fact's value; None means "known to be nothing". A tuple holds one value per visible GPU or per word.
Value = Version | int | float | bool | str | None
FactValue = Value | tuple[Value, ...]

VERSION, NUMBER, FLAG, TEXT = "version", "number", "flag", "text"


class Spec(NamedTuple):
    """What one fact of the vocabulary is."""

    name: str
    kind: str
    """One of VERSION, NUMBER, FLAG, TEXT."""
    many: bool
    """True where the fact has one value per visible GPU, or is a list of words."""
    meaning: str


#: The source of what a user states outright. Nothing that is found or derived outweighs it.
BY_HAND = "given by --set"


class Place(NamedTuple):
    """Where in a file something is said."""

    path: str
    """As the user gave it."""
    line: int = 0
    """From 1; 0 where the file as a whole is meant."""
    column: int = 0
    """From 1; 0 where the line as a whole is meant."""

    def __str__(self) -> str:
        numbers = [str(number) for number in (self.line, self.column) if number]
        return ":".join([os.path.basename(self.path), *numbers])


class Known(NamedTuple):
    """A fact's value and where it came from, in words a reader can check."""

    value: FactValue
    source: str
    place: Place | None = None
    """Where a file says so; None where no file does."""


PACKAGES = (
    "torch vllm trl transformers accelerate deepspeed peft triton flash-attn xformers flashinfer "
    "bitsandbytes numpy ray nccl nvidia-ml-py pynvml"
).split()

#: The environment variables that decide something about a run, and that a probe records.
ENVIRONMENT = re.compile(
    r"(RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|MASTER_\w+|SLURM_\w+|VLLM_\w+|NCCL_\w+"
    r"|TORCH_NCCL_\w+|TORCHELASTIC_\w+|PYTORCH_(CUDA_|HIP_)?ALLOC_CONF|CUDA_\w+|NVIDIA_\w+|ACCELERATE_\w+"
    r"|DS_\w+|FSDP_\w+|VCOMPAT_\w+|LD_PRELOAD|LD_LIBRARY_PATH)"
)

_FIXED = """
gpu.count                 number  one   GPUs that the run may use
gpu.compute_capability    version many  compute capability of each visible GPU, such as 7.0
gpu.name                  text    many  name of each visible GPU
gpu.memory_mib            number  many  memory of each visible GPU, in MiB
gpu.mig                   flag    many  whether each visible GPU is in MIG mode
gpu.peer_access           text    one   the weakest link between two visible GPUs: nvlink, pcie or none
gpu.driver                version one   version of the NVIDIA driver
gpu.driver_cuda           version one   newest CUDA version that the driver runs
gpu.nvml                  text    one   what NVML answered: ok, library-not-found, timeout, ...
torch.cuda                version one   CUDA version that torch was built with; none for a CPU build
torch.architectures       text    many  architectures that torch has kernels for, such as sm_90
torch.has_kernels         flag    many  whether torch has kernels for each visible GPU
vllm.backend              text    one   what vLLM was built for: cuda, cpu, rocm, tpu or xpu
vllm.engine               text    one   vLLM's engine generation in this run: v0 or v1
vllm.torch_pin            version one   the torch release that the installed vLLM names in its metadata
host.python               version one   version of Python
host.system               text    one   operating system, such as linux
host.machine              text    one   processor architecture, such as x86_64
host.glibc                version one   version of the C library
host.container            flag    one   whether this is a container
host.shm_mib              number  one   size of /dev/shm, in MiB
host.memory_mib           number  one   memory that this process may use, in MiB
plan.configuration        text    one   the class of the trainer's configuration, such as GRPOConfig
plan.use_vllm             flag    one   GRPOConfig: vLLM generates
plan.vllm_mode            text    one   GRPOConfig: colocate or server
plan.vllm_tensor_parallel_size number one GRPOConfig: GPUs that share one copy of the model in vLLM
plan.vllm_gpu_memory_utilization number one GRPOConfig: share of the GPU's memory that vLLM takes
plan.vllm_enable_sleep_mode flag  one   GRPOConfig: vLLM gives its memory back while the trainer steps
plan.vllm_max_model_length number one   GRPOConfig: longest sequence that vLLM accepts, in tokens
plan.vllm_model_impl      text    one   GRPOConfig: vllm or transformers
plan.vllm_importance_sampling_correction flag one GRPOConfig: corrects for the sampler's own probabilities
plan.vllm_device          text    one   GRPOConfig (TRL 0.14 - 0.17): the device that vLLM takes
plan.vllm_dtype           text    one   GRPOConfig (TRL 0.14 - 0.17): data type of vLLM's weights
plan.vllm_server_host     text    one   GRPOConfig: where the vLLM server is
plan.vllm_server_port     number  one   GRPOConfig: port of the vLLM server
plan.vllm_server_base_url text    one   GRPOConfig: URL of the vLLM server
plan.vllm_guided_decoding_regex text one GRPOConfig (TRL 0.16 - 0.27)
plan.vllm_structured_outputs_regex text one GRPOConfig (TRL 0.27 on)
plan.vllm_sleep_level     number  one   the level at which TRL puts vLLM to sleep
plan.use_transformers_paged flag  one   GRPOConfig: generate with transformers' paged attention
plan.bf16                 flag    one   TrainingArguments: train in bfloat16
plan.fp16                 flag    one   TrainingArguments: train in float16
plan.dtype                text    one   data type of the model's weights, such as bfloat16
plan.use_cpu              flag    one   TrainingArguments: train on the CPU
plan.gradient_checkpointing flag  one   TrainingArguments
plan.use_cache            flag    one   whether generate() keeps a key-value cache
plan.num_generations      number  one   GRPOConfig: completions per prompt
plan.num_iterations       number  one   GRPOConfig: optimisation passes per batch of completions
plan.steps_per_generation number  one   GRPOConfig
plan.generation_batch_size number one   GRPOConfig
plan.per_device_train_batch_size number one TrainingArguments
plan.gradient_accumulation_steps number one TrainingArguments
plan.max_prompt_length    number  one   GRPOConfig, in tokens
plan.max_completion_length number one   GRPOConfig, in tokens
plan.eval_strategy        text    one   TrainingArguments: no, steps or epoch
plan.ds3_gather_for_generation flag one GRPOConfig: gather ZeRO-3 weights to generate
plan.deepspeed            text    one   TrainingArguments: DeepSpeed configuration file
plan.fsdp                 text    one   TrainingArguments: FSDP options
plan.deepspeed_stage      number  one   ZeRO stage; 0 without DeepSpeed
plan.deepspeed_auto       text    many  settings of DeepSpeed's file that are "auto"
plan.deepspeed_micro_batch_size number one DeepSpeed's file: train_micro_batch_size_per_gpu
plan.deepspeed_accumulation_steps number one DeepSpeed's file: gradient_accumulation_steps
plan.deepspeed_bf16       flag    one   DeepSpeed's file: bf16.enabled
plan.deepspeed_fp16       flag    one   DeepSpeed's file: fp16.enabled
plan.optimizer_offload    text    one   where DeepSpeed or FSDP keeps the optimizer's state: cpu, nvme or none
plan.parameter_offload    text    one   where DeepSpeed or FSDP keeps weights that are not in use: cpu, nvme or none
plan.fsdp_version         number  one   FSDP's version, 1 or 2; none without FSDP
plan.fsdp_sharding        text    one   what FSDP shards: full, gradients or none
plan.optim                text    one   TrainingArguments: the optimizer, such as adamw_torch
plan.mixed_precision      text    one   accelerate: no, fp16, bf16 or fp8
plan.distributed_type     text    one   accelerate: NO, MULTI_GPU, DEEPSPEED, FSDP, ...
plan.world_size           number  one   number of training processes
plan.num_machines         number  one   machines on which they run
plan.processes_per_machine number one   training processes on each machine
plan.trainer_devices      text    many  CUDA_VISIBLE_DEVICES of the training command
plan.server_devices       text    many  CUDA_VISIBLE_DEVICES of the command that starts the vLLM server
plan.server_started       flag    one   whether the launch script starts a vLLM server of TRL's
plan.global_batch_size    number  one   completions that all processes train on in one micro-step
plan.model                text    one   the model's name or path
plan.model_architecture   text    one   the model's config.json: such as Qwen2ForCausalLM
plan.model_dtype          text    one   the model's config.json: data type of the checkpoint
plan.model_quantization   text    one   the model's config.json: quantization method of the checkpoint
plan.attention_heads      number  one   the model's config.json
plan.key_value_heads      number  one   the model's config.json
plan.model_parameters     number  one   parameters of the model, counted from its config.json or read off its name
plan.kv_bytes_per_token   number  one   bytes that vLLM's cache takes for a token, at 16 bits, all layers and heads
plan.model_max_length     number  one   the model's config.json: the longest sequence it was made for, in tokens
plan.sequence_length      number  one   the longest sequence that vLLM has to be able to hold, in tokens
plan.kv_cache_tokens      number  one   tokens that vLLM's cache holds at most, estimated from above
plan.vllm_share_mib       number  one   memory that vLLM takes of each GPU, in MiB
plan.vllm_weights_mib     number  one   memory that vLLM's weights take on each GPU, in MiB
plan.trainer_mib          number  one   memory that weights, gradients and optimizer take on each GPU, in MiB
plan.memory_share         number  one   estimated memory of trainer and vLLM, as a share of the GPU's
plan.launcher             text    one   what starts the ranks: python, torchrun, accelerate, deepspeed, srun
plan.trainer              text    one   the TRL trainer, such as GRPOTrainer
plan.peft                 flag    one   an adapter is trained
plan.modules_to_save      text    many  LoraConfig: modules trained in full beside the adapter
plan.patched              text    many  patches that the script applies with vcompat.patch()
plan.tensor_parallel_size number  one   LLM(...): tensor parallel size, in a script that builds its own engine
plan.distributed_executor_backend text one LLM(...): such as external_launcher
plan.llm_seed             number  one   LLM(...): the engine's seed
plan.enable_prefix_caching flag   one   LLM(...)
plan.enable_chunked_prefill flag  one   LLM(...)
plan.enable_sleep_mode    flag    one   LLM(...)
plan.max_model_len        number  one   LLM(...), in tokens
plan.quantization         text    one   LLM(...): such as fp8
plan.kv_cache_dtype       text    one   LLM(...): such as fp8
plan.speculative_config   flag    one   LLM(...): a draft model is used
"""


def _vocabulary() -> dict[str, Spec]:
    specs = {f"packages.{name}": Spec(f"packages.{name}", VERSION, False, "") for name in PACKAGES}
    for line in _FIXED.strip().splitlines():
        name, kind, many, *meaning = line.split(None, 3)
        specs[name] = Spec(name, kind, many == "many", meaning[0] if meaning else "")
    return specs


VOCABULARY: Mapping[str, Spec] = _vocabulary()


def spec_of(name: str, where: str) -> Spec:
    """Return what `name` is; raise InputError, naming `where`, if no such fact exists."""
    found = VOCABULARY.get(name)
    if found is not None:
        return found
    if name.startswith("env.") and ENVIRONMENT.fullmatch(name[4:]):
        return Spec(name, TEXT, False, "")
    if name.startswith("env."):
        raise InputError(where, f"'{name}' is not a variable that vcompat looks at", "such as env.VLLM_USE_V1")
    raise InputError(where, f"unknown fact '{name}'", did_you_mean(name, VOCABULARY) or "a name such as packages.vllm")


_ABSENT_WORDS = ("none", "absent")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


def parse_value(spec: Spec, text: str, where: str) -> FactValue:
    """Read what a user typed for a fact: ``7.0``, ``true``, ``none`` (known to be nothing), ``7.0,8.0``."""
    if spec.name.startswith("env."):
        return text
    if text.strip().lower() in _ABSENT_WORDS:
        return () if spec.many else None
    if spec.many:
        return tuple(_scalar(spec, part.strip(), where) for part in text.split(","))
    return _scalar(spec, text.strip(), where)


def _scalar(spec: Spec, text: str, where: str) -> Value:
    if spec.kind == VERSION:
        return version(spec, text, where)
    if spec.kind == NUMBER:
        try:
            return int(text)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            raise InputError(where, f"'{text}' for {spec.name} is not a number", "such as 8") from None
    if spec.kind == FLAG:
        if text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
        raise InputError(where, f"'{text}' for {spec.name} is neither true nor false", "true or false")
    return text


def version(spec: Spec, text: str, where: str) -> Version:
    """Parse `text` as a PEP 440 version; raise InputError, naming `where`, if it is none."""
    try:
        return Version(text)
    except InvalidVersion:
        raise InputError(where, f"'{text}' for {spec.name} is not a version", "such as 0.8.5.post1") from None


def from_json(spec: Spec, value: object, where: str) -> FactValue:
    """Turn a value of a facts file or a rule into a fact's value, checking its type."""
    if spec.many and isinstance(value, list):
        return tuple(_scalar_from_json(spec, item, where) for item in value)
    if spec.many:
        raise InputError(where, f"{spec.name} is {value!r}", "a list")
    return _scalar_from_json(spec, value, where)


def _scalar_from_json(spec: Spec, value: object, where: str) -> Value:
    if value is None:
        return None
    if spec.kind == VERSION and isinstance(value, str):
        return version(spec, value, where)
    if spec.kind == NUMBER and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if spec.kind == FLAG and isinstance(value, bool):
        return value
    if spec.kind == TEXT and isinstance(value, str):
        return value
    raise InputError(where, f"{spec.name} is {value!r}", f"a {spec.kind}")


def to_json(value: FactValue) -> object:
    """The inverse of :func:`from_json`."""
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return str(value) if isinstance(value, Version) else value


def show(value: FactValue) -> str:
    """A fact's value as a person reads it."""
    if value is None:
        return "none"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, tuple):
        distinct = list(dict.fromkeys(show(item) for item in value))
        return ", ".join(distinct) or "none"
    return str(value)


class Facts:
    """What is known about a run. A name that is not in it is unknown; `why_unknown` says why, where it can.

    A *closed* family (``env``, ``packages``) has been looked at in full: a name of it that was not
    recorded is known to be nothing.
    """

    def __init__(
        self,
        known: Mapping[str, Known] | None = None,
        closed: Iterable[str] = (),
        reasons: Mapping[str, str] | None = None,
    ) -> None:
        self.known: dict[str, Known] = dict(known or {})
        self.closed: set[str] = set(closed)
        self.reasons: dict[str, str] = dict(reasons or {})
        self.open_at: dict[str, Place] = {}
        """Where files leave facts open that are unknown."""

    def get(self, name: str) -> Known | None:
        """Return what is known of `name`, or None if it is unknown."""
        found = self.known.get(name)
        if found is not None or name in self.reasons:
            return found
        family = name.partition(".")[0]
        if family in self.closed:
            return Known(None, "not installed" if family == "packages" else "not set")
        return None

    def value(self, name: str, default: FactValue = None) -> FactValue:
        """Return the value of `name`, or `default` if it is unknown."""
        found = self.get(name)
        return default if found is None else found.value

    def set(self, name: str, value: FactValue, source: str, place: Place | None = None) -> None:
        """Record a fact, replacing what was known of it."""
        self.known[name] = Known(value, source, place)
        self.reasons.pop(name, None)
        self.open_at.pop(name, None)

    def forget(self, name: str, reason: str, place: Place | None = None) -> None:
        """Make `name` unknown, for `reason`; `place` is where a file leaves it open."""
        self.known.pop(name, None)
        self.reasons[name] = reason
        self.open_at.pop(name, None)
        if place is not None:
            self.open_at[name] = place

    def why_unknown(self, name: str) -> str:
        """Why `name` is unknown, as a sentence's end; empty if nobody said."""
        return self.reasons.get(name) or self.reasons.get(name.partition(".")[0], "")

    def update(self, other: "Facts") -> None:
        """Take over what `other` knows. It wins where both speak of a fact, and where it looked at a whole family."""
        for family in other.closed:
            self._drop_family(family)
        for name in other.reasons:
            self._drop_family(name) if "." not in name else self.known.pop(name, None)
        for name in other.known:
            self.reasons.pop(name, None)
        self.known.update(other.known)
        self.closed |= other.closed
        self.reasons.update(other.reasons)
        self.open_at = {name: place for name, place in self.open_at.items() if name in self.reasons} | other.open_at

    def _drop_family(self, family: str) -> None:
        for name in [name for name in self.known if name.partition(".")[0] == family]:
            del self.known[name]

    def is_by_hand(self, name: str) -> bool:
        """Whether the user stated the fact."""
        known = self.known.get(name)
        return known is not None and known.source == BY_HAND

    def copy(self) -> "Facts":
        """An independent copy."""
        copy = Facts(self.known, self.closed, self.reasons)
        copy.open_at = dict(self.open_at)
        return copy
