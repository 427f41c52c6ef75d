"""The options of `accelerate launch`: the command line, else its configuration file, else accelerate's defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.word import PartlyKnown, Word

#: The configurations that TRL has for `--accelerate_config NAME`.
TRL_CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "single_gpu": {"distributed_type": "NO"},
    "multi_gpu": {"distributed_type": "MULTI_GPU"},
    "zero1": {"distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 1, "gradient_accumulation_steps": 1}},
    "zero2": {"distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 2}},
    "zero3": {"distributed_type": "DEEPSPEED", "deepspeed_config": {"zero_stage": 3}},
    "fsdp1": {"distributed_type": "FSDP", "fsdp_config": {"fsdp_version": 1}},
    "fsdp2": {"distributed_type": "FSDP", "fsdp_config": {"fsdp_version": 2}},
}
_TRL_COMMON = {"num_processes": 8, "num_machines": 1, "mixed_precision": "bf16", "use_cpu": False}
#: The flags that determine the backend, and the backend of each.
_BACKENDS: Mapping[str, str] = {
    "use_deepspeed": "DEEPSPEED",
    "use_fsdp": "FSDP",
    "use_megatron_lm": "MEGATRON_LM",
    "multi_gpu": "MULTI_GPU",
    "tpu": "XLA",
}
#: What accelerate adds to a configuration file that lacks a key.
_FILE_DEFAULTS: Mapping[str, Any] = {"num_machines": 1, "mixed_precision": "no", "use_cpu": False}


class Option(NamedTuple):
    """The value of an option and the position that sets it."""

    value: Any
    place: Place
    remark: str = ""


class Configuration(NamedTuple):
    """The contents of accelerate's configuration file."""

    table: Mapping[str, Any]
    document: Document | None = None
    """The file; None for a configuration of TRL."""

    def place(self, where: Place, *keys: str) -> Place:
        """Return the position of a key; `where` the configuration is named if it is one of TRL."""
        return self.document.place(*keys) if self.document is not None else where


def of_document(document: Document) -> Configuration:
    """Return the contents of a configuration file."""
    return Configuration(document.table, document)


def of_trl(name: str) -> Configuration | None:
    """Return the configuration that TRL has under `name`; None if there is none."""
    found = TRL_CONFIGS.get(name)
    return None if found is None else Configuration({**_TRL_COMMON, **found})


class AccelerateOptions:
    """The options of one `accelerate launch` command."""

    def __init__(
        self, given: Mapping[str, Word | bool], place: Place, config: Configuration | None, why_open: str = ""
    ) -> None:
        self.given = given
        self.where = place
        self.config = config
        self.why_open = why_open
        """Why options that are not given are not known: further words, or a configuration file that is not known."""

    def get(self, name: str, default: Any = None, section: str = "") -> Option | None:
        """Return the option `name`; None if it is not known. `section` is the table that has it in the file."""
        if name in self.given:
            value = self.given[name]
            return None if isinstance(value, PartlyKnown) else Option(value, self.where, f"--{name}")
        if self.why_open:
            return None
        found = self._in_file(name, section)
        if found is not None:
            return found
        if self.config is not None and name in _FILE_DEFAULTS:
            return Option(_FILE_DEFAULTS[name], self.config.place(self.where), "accelerate's default")
        return Option(default, self.where, "accelerate's default")

    def _in_file(self, name: str, section: str) -> Option | None:
        if self.config is None:
            return None
        table = self.config.table
        keys: tuple[str, ...] = (name,)
        if section:
            inner = table.get(section)
            table = inner if isinstance(inner, Mapping) else {}
            short = name.removeprefix(f"{section.partition('_')[0]}_")
            keys = (section, name if name in table else short)
        value = table.get(keys[-1])
        if value is None:
            return None
        return Option(
            value, self.config.place(self.where, *keys), "" if self.config.document else "TRL's configuration"
        )

    def backend(self) -> Option | None:
        """Return the backend: DEEPSPEED, FSDP, MULTI_GPU, NO, ...; None if it is not known."""
        if self.given.get("cpu"):
            return Option("NO", self.where, "--cpu")
        for flag, backend in _BACKENDS.items():
            if self.given.get(flag):
                return Option(backend, self.where, f"--{flag}")
        if self.why_open or self.config is None:
            return None
        kind = self.config.table.get("distributed_type")
        return (
            Option(str(kind).upper(), self.config.place(self.where, "distributed_type")) if kind is not None else None
        )


def number(option: Option | None) -> int | None:
    """Return the value of an option as a number; None if it is not one."""
    if option is None or isinstance(option.value, bool):
        return None
    text = str(option.value).strip()
    return int(text) if text.isdecimal() and len(text) < 10 else None
