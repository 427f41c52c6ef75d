"""Facts in what training frameworks print at start, and in what their programs that describe an environment print.

Read in the source of unsloth 2025.1.1 - 2026.10.9, ms-swift 3.5 - 4.5, LLaMA-Factory 0.9.1 - 0.9.5 and verl 0.4 - 0.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from vcompat.facts.frameworks import TRL, UNSLOTH
from vcompat.facts.value import FactValue

#: Patterns over bytes: lines that may state a fact.
CUES = (
    r"==\(\(====\)\)==  Unsloth",
    r"Unsloth \d{4}\.\d{1,2}\.\d{1,3} patched",
    r"Unsloth should be imported before",
    r"Num GPUs = \d",
    r"Max memory: \d",
    r"(?:CUDA|ROCm|Intel) Toolkit: ",
    r"Bfloat16 = ",
    r"Gradient [Aa]ccumulation steps = ",
    r"Data Parallel GPUs = ",
    r"swift\.__version__: ",
    r"rank: -?\d+, local_rank: ",
    r"Process rank: ",
    r"-(?:verl|Python) Info-",
    r"CUDA Runtime : ",
    r"GPU \d+\tType",
    r"(?m:^- GPU type: )",
    r"- accelerator\(s\): ",
    r"Continuing training from checkpoint, will skip",
)

#: The first line of both of unsloth's banners; the logo is before each line of them.
_HEAD = re.compile(r".{0,12}==\(\(====\)\)==\s{1,4}Unsloth (?P<kind>\d|- )")
_PATCHED = re.compile(r".{0,4}Unsloth (?P<version>\d[\w.+-]{3,40}) patched \d")
#: What the banners state, in the order of the lines. A console can have wrapped a line at any space.
_STATED = re.compile(
    r"\b(?P<label>Unsloth|Transformers|vLLM|Torch|CUDA|CUDA Toolkit|Triton|Xformers)(?: =|:)? "
    r"(?P<version>\d[\w+-]{0,60}(?:\.[\w+-]{1,60}){1,8})"
)
_TORCH = re.compile(r".{0,12}O\^O/ \\{1,2}_/ \\{1,2}\s{1,6}Torch: ")
_ATTENTION = re.compile(r".{0,24}/\s{1,6}Bfloat16 = (?:TRUE|FALSE)\. FA \[")
_OTHER_GPUS = re.compile(r"(?P<backend>ROCm|Intel) Toolkit: ")
_LOGO = r".{0,12}\\{0,4}\s{1,6}/\|\s{1,6}"
_GPU = re.compile(rf"{_LOGO}(?:GPU: )?(?P<name>[A-Z].{{1,80}}?)\. (?=Num GPUs = |Max\b)")
_COUNT = re.compile(rf"{_LOGO}.{{0,90}}\bNum GPUs = (?P<count>\d{{1,4}})\. ")
_MEMORY = re.compile(rf"{_LOGO}.{{0,120}}\bMax memory: (?P<memory>\d{{1,4}}\.\d{{1,4}}) GB\. Platform: ")
#: What unsloth prints of a GPU without a name.
_NAMELESS = re.compile(r"(?:NVIDIA GPU|AMD GPU|Intel XPU|Ascend NPU) Device$|AMD(?: gfx\w+)? GPU$")
_PROCESSES = re.compile(r"Unsloth - 2x faster free finetuning \| Num GPUs = (?P<count>\d{1,6})\b")
_PARALLEL = re.compile(r".{0,24}/\s{1,6}Data Parallel GPUs = (?P<count>\d{1,6}) \| ")
_STEPS = re.compile(
    r".{0,12}O\^O/ .{1,12}Batch size per device = [\d,]{1,12} \| Gradient [Aa]ccumulation steps = (?P<count>\d{1,6})\b"
)
_IMPORTED_FIRST = re.compile(r"Unsloth should be imported before \[?[^\]]{0,60}\btrl\b")
_NAMES = {
    "Unsloth": "packages.unsloth",
    "Transformers": "packages.transformers",
    "vLLM": "packages.vllm",
    "Torch": "packages.torch",
    "CUDA Toolkit": "torch.cuda",
    "Triton": "packages.triton",
    "Xformers": "packages.xformers",
}

_SWIFT = re.compile(r"swift\.__version__: (?P<version>\d[\w.+-]{0,60})\s*$")
_RANKS = re.compile(r"rank: -?\d{1,6}, local_rank: -?\d{1,6}, world_size: (?P<count>\d{1,6}), local_world_size: \d")
#: LLaMA-Factory; before 0.9.2, without the number of processes.
_FACTORY = re.compile(
    r"Process rank: -?\d{1,6}, (?:world size: (?P<count>\d{1,6}), )?device: [\w:]{1,20}, (?:n_gpu: \d{1,6}, )?"
    r"distributed training: (?:True|False), compute dtype: "
)

#: What verl's scripts/diagnose.py prints: headings, and in most sections a version without a name.
_SECTION = re.compile(r"-{4,12}(?P<name>[\w ]{2,30})-{4,12}\s*$")
_SECTIONS = {"verl Info": "packages.verl", "Python Info": "host.python"}
_VERSION = re.compile(r"Version {1,8}: (?P<version>\d[\w.+-]{0,60})\s*$")
_RUNTIME = re.compile(r"CUDA Runtime : (?P<version>\d{1,2}\.\d{1,2})\s*$")
_NUMBERED = re.compile(r"GPU \d{1,3}\s{1,4}Type\s{1,6}: (?P<name>[A-Z].{2,80})$")
#: What the `env` of transformers, accelerate and LLaMA-Factory print, and that of TRL from 0.18 on.
_TYPE = re.compile(r"- GPU type: (?P<name>[A-Z].{2,80})$")
_ACCELERATORS = re.compile(r"- accelerator\(s\): (?!MPS)(?P<names>[A-Z].*)")
#: The memory of a GPU, as LLaMA-Factory and verl print it.
_SIZE = re.compile(r"(?:- GPU memory: |GPU \d{1,3}\s{1,4}Memory\s{1,6}: )(?P<memory>\d{1,4}\.\d\d) ?GB\s*$")


class BannerReader:
    """Reads what frameworks print. Some of it depends on the heading above it."""

    def __init__(self) -> None:
        self._sections: dict[str, str] = {}
        """By process: the fact of which the section states the version."""

    def take(self, text: str, process: str) -> Iterator[tuple[str, FactValue]]:
        """Yield the facts that a line of a process states, but for the names of GPUs."""
        if "Unsloth" in text:
            yield from _unsloth(text)
        elif "Torch: " in text or "Bfloat16 = " in text:
            yield from _second_half(text)
        elif " GPUs = " in text or "Max memory: " in text:
            yield from _devices(text)
        elif "ccumulation steps = " in text and (steps := _STEPS.match(text)):
            yield "plan.gradient_accumulation_steps", int(steps["count"])
        elif "rank: " in text:
            yield from _ranks(text)
        elif "swift.__" in text and (swift := _SWIFT.match(text)):
            yield "plan.framework", "ms-swift"
            yield from version_fact("packages.ms-swift", swift["version"])
        elif text.startswith(("----", "Version  ")):
            yield from self._of_section(text, process)
        elif "GPU" in text and (size := _SIZE.match(text)):
            yield "gpu.memory_mib", _mib(size["memory"])
        elif "Continuing training from checkpoint, will skip to saved global_step" in text:
            # transformers' Trainer, of every release.
            yield "plan.resumes_checkpoint", True
        elif text.startswith("CUDA Runtime") and (runtime := _RUNTIME.match(text)):
            yield from version_fact("torch.cuda", runtime["version"])

    def _of_section(self, text: str, process: str) -> Iterator[tuple[str, FactValue]]:
        if heading := _SECTION.match(text):
            self._sections.pop(process, "")
            if (name := _SECTIONS.get(heading["name"])) is not None and len(self._sections) < 100:
                self._sections[process] = name
        elif process in self._sections and (stated := _VERSION.match(text)):
            yield from version_fact(self._sections.pop(process), stated["version"])


def gpus_of(text: str) -> list[str]:
    """Return the names of GPUs in a line that a framework prints."""
    if "accelerator(s)" in text and (several := _ACCELERATORS.match(text)):
        return [name.strip() for name in several["names"].split(",")]
    gpu = None
    if "GPU type" in text:
        gpu = _TYPE.match(text)
    elif "Type " in text:
        gpu = _NUMBERED.match(text)
    elif "/|" in text:
        gpu = _GPU.match(text)
    return [] if gpu is None or _NAMELESS.match(gpu["name"]) else [gpu["name"].strip()]


def _unsloth(text: str) -> Iterator[tuple[str, FactValue]]:
    head = _HEAD.match(text)
    if head is None:
        if patched := _PATCHED.match(text):
            yield from version_fact("packages.unsloth", patched["version"])
        elif _IMPORTED_FIRST.search(text):
            # Names of TRL that were imported before unsloth are TRL's own classes, which it does not replace.
            yield "plan.framework", TRL
            yield "plan.trl_before_unsloth", True
        return
    yield "plan.framework", UNSLOTH
    if head["kind"].isdigit():
        yield from _labeled(text)
    elif processes := _PROCESSES.search(text):
        yield "plan.world_size", int(processes["count"])


def _second_half(text: str) -> Iterator[tuple[str, FactValue]]:
    """The third and the fourth line of unsloth's banner: torch and its libraries."""
    if _TORCH.match(text):
        yield from _labeled(text)
        if other := _OTHER_GPUS.search(text):
            yield "vllm.backend", "rocm" if other["backend"] == "ROCm" else "xpu"
    elif _ATTENTION.match(text):
        yield from _labeled(text)


def _labeled(text: str) -> Iterator[tuple[str, FactValue]]:
    for stated in _STATED.finditer(text):
        if stated["label"] != "CUDA":
            yield from version_fact(_NAMES[stated["label"]], stated["version"])
        elif (capability := _parsed(stated["version"])) is not None:
            # What unsloth calls CUDA is the compute capability of the first GPU.
            yield "gpu.compute_capability", (capability,)


def _devices(text: str) -> Iterator[tuple[str, FactValue]]:
    """The second line of unsloth's banner, and the fourth one of what it prints before training."""
    if parallel := _PARALLEL.match(text):
        yield "plan.world_size", int(parallel["count"])
    if count := _COUNT.match(text):
        yield "gpu.count", int(count["count"])
    if memory := _MEMORY.match(text):
        yield "gpu.memory_mib", _mib(memory["memory"])


def _mib(gibibytes: str) -> FactValue:
    return (round(float(gibibytes) * 1024),)


def _ranks(text: str) -> Iterator[tuple[str, FactValue]]:
    """The number of processes, as ms-swift and LLaMA-Factory print it."""
    stated = _RANKS.match(text)
    if stated is None and (stated := _FACTORY.match(text)):
        yield "plan.framework", "llama-factory"
    if stated and stated["count"]:
        yield "plan.world_size", int(stated["count"])


def version_fact(name: str, text: str | None) -> Iterator[tuple[str, FactValue]]:
    """Yield the fact `name` with a version; nothing if the text is none."""
    version = _parsed(text or "")
    if version is not None:
        yield name, version


def _parsed(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
