"""Facts that a log states: versions, GPUs and settings that upstream's programs print, and paths in tracebacks.

Two values of one fact make it unknown, as logs of several runs are pasted together at times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from packaging.version import Version

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.stated.banners import CUES as BANNERS
from vcompat.diagnosis.stated.banners import BannerReader, gpus_of, version_fact
from vcompat.diagnosis.stated.log_settings import CUES as SETTINGS
from vcompat.diagnosis.stated.log_settings import SettingReader, settings_of
from vcompat.diagnosis.vendors import CUES as VENDORS
from vcompat.diagnosis.vendors import vendors_of
from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import UNSLOTH
from vcompat.facts.place import Place
from vcompat.facts.value import FactValue, show
from vcompat.facts.vocabulary import PACKAGES
from vcompat.foundation.errors import InputError

#: Patterns over bytes: lines that may state a fact.
CUES = (
    *SETTINGS,
    *BANNERS,
    *VENDORS,
    r"unsloth_compiled_|\bUnsloth\w{2,20}Trainer\b",
    r"LLM engine \(v",
    r"Successfully installed ",
    r"Requirement already satisfied: ",
    r"(?m:^ {1,4}\+ [\w.-]{2,40}==\d)",
    r"ogged in as",
    r"vLLM (?:API server )?version",
    r"Versions of relevant libraries",
    r"GPU models and configuration",
    r"CUDA device\(s\): [A-Z]",
    r"river [Vv]ersion:",
    r"compute capability \d",
    r"CUDA capability sm_",
    r"(?m:^Package +Version)",
    r"(?m:^[-* \t]{0,4}`?[\w.-]{2,20}`? [Vv]ersion[^:\n]{0,20}:)",
    r"(?m:^(?:\[(?:pip3|conda)\] )?(?:vllm|torch|trl|transformers|unsloth|xformers)"
    r"(?:(?:\[[\w,-]{1,40}\])?==?| {1,30}v?|\t? *: *v?)\d+\.)",
)

#: Characters of a line that are read; vLLM prints its whole configuration in some thousand.
_LONGEST = 16 * 1024
_NUMBER = r"v?(?P<version>\d{1,9}(?:\.\d{1,9}){1,5}[\w.+-]{0,60})"
_NAMES = {name.replace("-", ""): name for name in PACKAGES} | {
    "pytorch": "torch",
    "hf hub": "huggingface-hub",
    "flashinferpython": "flashinfer",
    "nvidianccl": "nccl",
    "nvidiancclcu12": "nccl",
    "nvidiancclcu13": "nccl",
}
#: A line of `pip list`, `pip freeze`, `conda list` or collect_env: nothing may follow but what these print.
_LISTED = re.compile(
    r"\s{0,4}(?:\[(?:pip3|conda)\]\s+)?(?P<name>[A-Za-z][\w.-]{1,40})"
    rf"(?:(?:\[[\w,-]{{1,40}}\])?={{1,2}}|\s+){_NUMBER}(?:\s+\w*_\d+(?:\s+[\w.-]+)?|\s+/\S+)?\s*$"
)
_LABELED = re.compile(
    r"[-*\s]{0,6}`?(?P<name>HF Hub|[A-Za-z][\w.-]{1,30})`?(?: version)?(?: \((?:GPU|accelerator)\?\))?"
    rf"\s*:\s*{_NUMBER}\s*(?:[(\[].*)?$",
    re.IGNORECASE,
)
#: uv, and pip for a package that is there already.
_ADDED = re.compile(rf"\s{{1,4}}\+ (?P<name>[A-Za-z][\w.-]{{1,40}})=={_NUMBER}\s*$")
_PRESENT = re.compile(
    rf"Requirement already satisfied: (?P<name>[A-Za-z][\w.-]{{1,40}}).{{0,200}} in \S.{{0,300}} \({_NUMBER}\)\s*$"
)
#: A row of nvidia-smi's table.
_ROW = re.compile(r"\|\s{1,4}\d{1,2}\s{2,4}(?P<name>[A-Z][\w /.-]{2,40}?)\s+(?:On|Off)\s+\|")
_ENGINE = re.compile(rf"Initializing an? (?:(?P<engine>V[01]) )?LLM engine \({_NUMBER}\) with config: ")
_SERVER = re.compile(rf"\s*vLLM (?:API server )?version:? {_NUMBER}")
_DTYPE = re.compile(r"\bdtype=torch\.(\w+)")
_TENSOR_PARALLEL = re.compile(r"\btensor_parallel_size=(\d+)")
_DRIVER = re.compile(
    r"(?:Nvidia driver version|Driver Version):\s*(?P<driver>\d+\.[\d.]+)(?:.{0,80}CUDA Version:\s*(?P<cuda>\d+\.\d+))?"
)
_CUDA_BUILD = re.compile(r"CUDA used to build PyTorch:\s*(?P<cuda>\d+\.\d+)")
_CAPABILITY = re.compile(
    r"GPU has (?:CUDA )?compute capability (?P<dotted>\d+\.\d+)"
    r"|with CUDA capability sm_(?P<digits>\d{2,3}) is not compatible"
)
_GPU = re.compile(
    r"(?:GPU models and configuration:\s*)?GPU (?P<index>\d{1,2}): (?P<name>[A-Z][^(]{2,60}?)\s*(?:\(UUID.*)?$"
)
#: A method of a TRL trainer that can generate with vLLM, and vLLM's code. What imports alone run is `<module>`, and TRL
#: imports vLLM also if it is not used.
_TRAINER = re.compile(r'/trl/(?:trainer/(?:grpo|rloo|online_dpo)_trainer|generation/\w+)\.py", line \d+, in \w')
_FRAME = re.compile(r'\s+File "')
_ENGINE_CODE = re.compile(r'/vllm/(?!__init__\.py)[\w/]+\.py", line \d+, in \w')
#: What `trl env` prints.
_DEVICES = re.compile(r"- CUDA device\(s\): (?P<names>[A-Z].*)")
#: Code of the programs and trainers of other frameworks, by parts of paths. TRL never calls it.
_FRAMEWORKS = {
    UNSLOTH: re.compile(r"unsloth_compiled_(?:cache|module)|/unsloth(?:_zoo)?/\w|\bUnsloth\w{2,20}Trainer\b"),
    "verl": re.compile(r"/verl/(?:workers|trainer|single_controller|experimental)/\w"),
    "openrlhf": re.compile(r"/openrlhf/(?:cli|trainer|models|utils)/\w"),
    "ms-swift": re.compile(r"/swift/(?:cli|llm|pipelines|rlhf_trainers|trainers)/\w"),
    "llama-factory": re.compile(r"/llamafactory/(?:train|launcher|hparams)\b"),
    "axolotl": re.compile(r"/axolotl/(?:cli|core|train)\b"),
}
#: A frame as Python prints it, and as IPython and Colab do.
_ANY_FRAME = re.compile(r'\s*(?:File "|File \S+\.py:\d|[/~]\S+\.py in )')
_SITE = re.compile(r'File "[^"]*/python(?P<python>3\.\d{1,2})/(?:site|dist)-packages/(?P<module>[\w./-]+)", line \d')


class FactReader:
    """Collects the facts that the lines of a log state."""

    def __init__(self) -> None:
        self._settings = SettingReader()
        self._banners = BannerReader()
        self._stated: dict[str, dict[FactValue, Place]] = {}
        self._replaced: list[tuple[Place, str, dict[FactValue, Place]]] = []
        """What was stated of the packages that a log installs, and where it does so."""
        self._gpus: dict[str, Place] = {}
        self.accounts: dict[str, None] = {}
        """The lines that name the account of a user, such as that of Weights & Biases: not more than 100."""

    def take(self, line: Line, path: str) -> None:
        """Read one line of the log at `path`."""
        place = Place(path, line.number)
        text = line.text[:_LONGEST]
        for name, value in _installed(text):
            # What pip installs replaces what was there.
            self._replaced.append((place, name, self._stated.get(name, {})))
            self._stated[name] = {value: place}
        if "ogged in as" in text and len(self.accounts) < 100:
            self.accounts.setdefault(text)
        for name, value in (
            *_stated(text),
            *_framework(text),
            *vendors_of(text),
            *self._settings.take(text, line.process),
            *self._banners.take(text, line.process),
        ):
            values = self._stated.setdefault(name, {})
            if len(values) < 3:
                values.setdefault(value, place)
        if line.process and "EngineCore" in line.process:
            # Only the V1 engine has processes of that name.
            self._stated.setdefault("vllm.engine", {}).setdefault("v1", place)
        for name in _gpus(text) or gpus_of(text):
            self._gpus.setdefault(name, place)

    def forget_installed(self, path: str, number: int) -> None:
        """Forget what the log at `path` installs after the line `number`, the last failure: that had other packages."""
        for place, name, before in reversed(self._replaced):
            if place.path == path and place.line > number:
                self._stated[name] = before
        self._stated = {name: values for name, values in self._stated.items() if values}
        self._replaced = [each for each in self._replaced if each[0].path != path]

    def take_settings(self, arguments: Mapping[str, object], path: str) -> None:
        """Read a trainer's configuration that the file at `path` has as a whole."""
        for name, value in settings_of(arguments):
            self._stated.setdefault(name, {}).setdefault(value, Place(path))

    def take_traceback(self, lines: Sequence[Line], path: str) -> None:
        """Read the lines of a traceback: which code called which."""
        frames = [line for line in lines if _FRAME.match(line.text)]
        # A reward function may call vLLM, too: TRL must call it directly.
        for caller, called in pairwise(frames):
            if _TRAINER.search(caller.text) and _ENGINE_CODE.search(called.text):
                self._stated.setdefault("plan.use_vllm", {}).setdefault(True, Place(path, caller.number))

    def facts(self) -> Facts:
        """Return the facts; one with several values is unknown, with the reason."""
        facts = Facts()
        for name, values in sorted(self._stated.items()):
            (first, place), *others = _whole(_compatible(values)) if name == "host.python" else _compatible(values)
            if others:
                texts = " and ".join(show(value) for value, _ in ((first, place), *others))
                facts.forget(name, f"the log states {texts}", place)
            else:
                facts.set(name, first, f"the log, line {place.line}" if place.line else "the log", place)
        _set_gpus(facts, self._gpus)
        if facts.value("vllm.backend") in ("rocm", "xpu"):
            facts.forget("gpu.compute_capability", "the log states that torch is not built for CUDA")
        return facts


def _compatible(values: dict[FactValue, Place]) -> list[tuple[FactValue, Place]]:
    """The values that differ: `2.5.1` says nothing else than `2.5.1+cu124`, only less."""
    kept: list[tuple[FactValue, Place]] = []
    for value, place in values.items():
        for index, (other, _) in enumerate(kept):
            if isinstance(value, Version) and isinstance(other, Version) and value.public == other.public:
                if value.local and not other.local:
                    kept[index] = (value, place)
                if not value.local or not other.local:
                    break
        else:
            kept.append((value, place))
    return kept


def _whole(values: list[tuple[FactValue, Place]]) -> list[tuple[FactValue, Place]]:
    """The versions without those that begin another one: a path in a traceback has only the first numbers of it."""
    whole = [known for known in values if isinstance(known[0], Version) and len(known[0].release) > 2]
    begun = {Version(".".join(map(str, version.release[:2]))) for version, _ in whole if isinstance(version, Version)}
    return [known for known in values if known[0] not in begun]


def _stated(text: str) -> Iterator[tuple[str, FactValue]]:
    """Yield the facts that a line states, but for lists of GPUs."""
    yield from _versions(text)
    if "LLM engine (" in text and (engine := _ENGINE.search(text)):
        yield from _of_engine(engine, text)
    elif "vLLM" in text and (server := _SERVER.match(text)):
        yield from version_fact("packages.vllm", server["version"])
    if "river" in text and (driver := _DRIVER.search(text)):
        yield from version_fact("gpu.driver", driver["driver"])
        yield from version_fact("gpu.driver_cuda", driver["cuda"])
    if "build PyTorch" in text and (build := _CUDA_BUILD.search(text)):
        yield from version_fact("torch.cuda", build["cuda"])
    if "apability" in text and (capability := _CAPABILITY.search(text)):
        dotted = capability["dotted"] or f"{capability['digits'][:-1]}.{capability['digits'][-1]}"
        yield "gpu.compute_capability", (Version(dotted),)
    if "-packages/" in text and (site := _SITE.search(text)):
        yield from version_fact("host.python", site["python"])
        if site["module"].startswith("vllm/v1/engine/"):
            yield "vllm.engine", "v1"


def _framework(text: str) -> Iterator[tuple[str, FactValue]]:
    """The framework whose code a frame is of, or that has compiled the trainer that a line names."""
    if "nsloth" in text and (_ANY_FRAME.match(text) or "nsloth_compiled_" in text or "Trainer" in text):
        if _FRAMEWORKS[UNSLOTH].search(text):
            yield "plan.framework", UNSLOTH
    elif _ANY_FRAME.match(text):
        yield from (("plan.framework", name) for name, code in _FRAMEWORKS.items() if code.search(text))


def _versions(text: str) -> Iterator[tuple[str, FactValue]]:
    """Versions in lists of packages, and in what `trl env`, `transformers env` and collect_env print."""
    stated = _LISTED.match(text) or _LABELED.match(text) or _PRESENT.match(text)
    if stated is None:
        return
    name = re.sub(r"[-_.]", "", stated["name"].lower())
    if name == "python":
        yield from version_fact("host.python", stated["version"])
    elif name in _NAMES:
        yield from version_fact(f"packages.{_NAMES[name]}", stated["version"])


def _of_engine(engine: re.Match[str], text: str) -> Iterator[tuple[str, FactValue]]:
    yield from version_fact("packages.vllm", engine["version"])
    if engine["engine"]:
        yield "vllm.engine", engine["engine"].lower()
    for name, pattern in (("vllm.dtype", _DTYPE), ("plan.tensor_parallel_size", _TENSOR_PARALLEL)):
        found = pattern.search(text)
        if found is not None:
            yield name, int(found[1]) if found[1].isdigit() else found[1]


def _installed(text: str) -> Iterator[tuple[str, FactValue]]:
    """The versions that pip or uv has installed."""
    if "Successfully installed " in text:
        parts = (part.rpartition("-") for part in text.partition("Successfully installed ")[2].split())
        releases = [(name, version) for name, _, version in parts]
    elif "==" in text and (added := _ADDED.match(text)):
        releases = [(added["name"], added["version"])]
    else:
        return
    for name, version in releases:
        known = _NAMES.get(re.sub(r"[-_.]", "", name.lower()))
        if known and version[:1].isdigit():
            yield from version_fact(f"packages.{known}", version)


def _gpus(text: str) -> list[str]:
    """The names of GPUs in a line."""
    if "GPU" in text and (gpu := _GPU.match(text)):
        return [gpu["name"]]
    if text.startswith("|") and (row := _ROW.match(text)):
        return [row["name"]]
    devices = _DEVICES.match(text) if "CUDA device" in text else None
    return [name.strip() for name in devices["names"].split(",")] if devices else []


def _set_gpus(facts: Facts, gpus: dict[str, Place]) -> None:
    """State the kind of the GPUs, if all are of one; the run may use fewer than the list has, so not how many."""
    from vcompat.sources.targets.target import read_target

    if not gpus:
        return
    (name, place), *others = gpus.items()
    if others:
        reason = f"the log states {' and '.join(gpus)}"
        facts.forget("gpu.name", reason, place)
        facts.forget("gpu.compute_capability", reason, place)
        return
    source = f"the log, line {place.line}"
    facts.set("gpu.name", (name,), source, place)
    try:
        target = read_target(f"1x{name}")
    except InputError:
        return
    capability = target.value("gpu.compute_capability")
    if target.value("vllm.backend") == "rocm":
        # What torch calls its compute capability is the version of an architecture of AMD.
        facts.forget("gpu.compute_capability", f"{name} has no CUDA compute capability", place)
    if isinstance(capability, tuple) and facts.value("gpu.compute_capability", capability) != capability:
        facts.forget("gpu.compute_capability", f"the log states {name} and another compute capability", place)
    elif isinstance(capability, tuple):
        facts.offer("gpu.compute_capability", capability, source, place)
