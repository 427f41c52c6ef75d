"""Settings that a log states: vLLM prints the configuration of its engine, scripts print that of the trainer.

vLLM's line has the values that the engine uses, whatever the script set; a trainer's configuration, printed as Python
shows it, those after its constructor. Both are what rules about settings mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vcompat.facts.value import FactValue, parse_value
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.foundation.errors import InputError

#: Patterns over bytes: lines that may state a setting.
CUES = (
    r"(?m:^\w{0,20}Config\($)",
    r"args: RLHFArguments\(",
    r"non-default args: \{",
    r"attention backend out of potential",
    r"using nccl==",
)

#: What vLLM prints of its engine's configuration, by name, and the fact that it is.
_ENGINE = {
    "max_seq_len": "plan.max_model_len",
    "kv_cache_dtype": "plan.kv_cache_dtype",
    "enable_prefix_caching": "plan.enable_prefix_caching",
    "enable_chunked_prefill": "plan.enable_chunked_prefill",
    "chunked_prefill_enabled": "plan.enable_chunked_prefill",
}
_BANNER = re.compile(rf"[ ,(](?P<name>{'|'.join(_ENGINE)})=(?P<value>[\w.-]{{1,40}})(?=[,)\s]|$)")
_UNQUANTIZED = re.compile(r"[ ,]quantization=None(?=[,)\s]|$)")
_ON_CPU = re.compile(r"[ ,]device_config=cpu\b")
#: `LLM(...)` and `vllm serve`, as vLLM prints what was passed.
_PASSED = re.compile(r"non-default args: \{")
_SLEEP = re.compile(r"'enable_sleep_mode': (?P<value>True|False)\b")
_NCCL = re.compile(r"vLLM is using nccl==(?P<version>\d[\d.]{1,20})\s*$")
#: The command that starts TRL's server, as a user types it or quotes it, with variables before.
_SERVES = re.compile(
    r"\s*(?:[$>] )?(?:[A-Z_][A-Z0-9_]{0,40}=\S{0,100} ){0,8}(?:\S{0,200}/)?trl vllm-serve (?:--model|\\$)"
)
_BACKEND = re.compile(r"Using (?P<name>[A-Z][A-Z0-9_]{2,40}) attention backend out of potential backends")

#: The beginning and the end of a configuration as Python shows it, and a setting between.
_HEAD = re.compile(r"\s{0,4}(?:.{0,80}?\s)?(?P<name>(?:GRPO|RLOO|OnlineDPO)Config)\($")
_SETTING = re.compile(r"\s{0,8}(?P<name>[a-z]\w{1,60})=(?P<value>'[^']{0,200}'|[\w.+-]{1,40}),$")
#: A member of an enumeration of transformers, such as ``IntervalStrategy.NO``: its value is in small letters.
_MEMBER = re.compile(r"^[A-Z]\w+\.([A-Z][A-Z0-9_]+)$")
_END = re.compile(r"\s{0,4}\)\s*$")
#: The beginning of ms-swift's settings, and those that are named as GRPOConfig's are and mean the same.
_SWIFT = "args: RLHFArguments("
_OF_SWIFT = frozenset(
    (
        "beta bf16 dataloader_num_workers fp16 gradient_accumulation_steps gradient_checkpointing "
        "max_completion_length num_generations num_iterations per_device_train_batch_size use_vllm "
        "vllm_gpu_memory_utilization vllm_mode vllm_tensor_parallel_size"
    ).split()
)
#: The most lines between them.
_LONGEST = 400


class SettingReader:
    """Reads settings, of which some have lines of their own within a printed configuration."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}
        """By process: how many lines of a printed configuration may follow."""
        self._swift: set[str] = set()
        """The processes of which it is ms-swift's."""

    def take(self, text: str, process: str) -> Iterator[tuple[str, FactValue]]:
        """Yield the facts that a line of a process states."""
        if process in self._left:
            yield from self._printed(text, process)
        if text.endswith("Config(") and (head := _HEAD.match(text)):
            self._left[process] = _LONGEST
            self._swift.discard(process)
            yield "plan.configuration", head["name"]
        elif text == _SWIFT:
            self._left[process] = _LONGEST
            self._swift.add(process)
        elif "with config: " in text and "LLM engine" in text:
            yield from _engine(text)
        elif "non-default args" in text and (passed := _PASSED.search(text)):
            if sleep := _SLEEP.search(text, passed.end()):
                yield "plan.enable_sleep_mode", sleep["value"] == "True"
        elif "attention backend out of" in text and (backend := _BACKEND.search(text)):
            yield "vllm.attention_backend", backend["name"]
        elif "trl vllm-serve" in text and _SERVES.match(text):
            yield "plan.use_vllm", True
            yield "plan.vllm_mode", "server"
        elif "using nccl" in text and (nccl := _NCCL.search(text)):
            yield from fact_of("packages.nccl", nccl["version"])

    def _printed(self, text: str, process: str) -> Iterator[tuple[str, FactValue]]:
        if "=" in text:
            self._left[process] -= 1
        if self._left[process] <= 0 or _END.match(text):
            del self._left[process]
        setting = _SETTING.match(text)
        if setting is None or f"plan.{setting['name']}" not in VOCABULARY:
            return
        if process not in self._swift or (setting["name"] in _OF_SWIFT and setting["value"] != "None"):
            # ms-swift chooses a value for None later.
            value = setting["value"].strip("'")
            yield from fact_of(f"plan.{setting['name']}", _MEMBER.sub(lambda member: member[1].lower(), value))


def settings_of(arguments: Mapping[str, object]) -> Iterator[tuple[str, FactValue]]:
    """Yield the facts in a trainer's configuration as transformers gives it to loggers, after its constructor."""
    if "num_generations" not in arguments:
        return
    for name, value in arguments.items():
        if f"plan.{name}" in VOCABULARY and (value is None or isinstance(value, str | int | float)):
            yield from fact_of(f"plan.{name}", str(value))


def _engine(text: str) -> Iterator[tuple[str, FactValue]]:
    """The facts in the line with which vLLM begins to load a model."""
    for setting in _BANNER.finditer(text):
        yield from fact_of(_ENGINE[setting["name"]], setting["value"])
    if _UNQUANTIZED.search(text):
        # Neither the checkpoint nor an argument asks for it.
        yield "plan.quantization", None
        yield "plan.model_quantization", None
    if _ON_CPU.search(text):
        yield "vllm.backend", "cpu"


def fact_of(name: str, text: str) -> Iterator[tuple[str, FactValue]]:
    """Yield the fact `name` with the value that Python shows as `text`; nothing if the fact has no such values."""
    spec = VOCABULARY[name]
    if spec.many:
        return
    if text == "None":
        yield name, None
        return
    try:
        yield name, parse_value(spec, text, "the log")
    except InputError:
        return
