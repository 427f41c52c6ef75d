"""Configurations with the fields and defaults of the real ones, and without their checks of this machine's hardware."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import os
from collections.abc import Iterator
from typing import Any, get_type_hints

#: Fields that older releases of TRL have.
_OLDER_FIELDS: list[tuple[str, Any, Any]] = [
    ("max_prompt_length", int | None, 512),
    ("vllm_guided_decoding_regex", str | None, None),
    ("vllm_device", str | None, "auto"),
    ("vllm_dtype", str | None, "auto"),
]


def derive(real: type) -> type:
    """Return a configuration of the same name with the fields of the real one."""
    _resolve(real)
    body: dict[str, Any] = {
        name: value for name, value in vars(_Body).items() if name not in ("__dict__", "__weakref__")
    }
    body |= {"__module__": "trl", "__annotations__": {}, "__repr__": lambda self: real.__name__}
    fields = {field.name for field in dataclasses.fields(real)}
    for name, kind, default in _OLDER_FIELDS:
        if name not in fields and real.__name__ == "GRPOConfig":
            body["__annotations__"][name] = kind
            body[name] = default
    return dataclasses.dataclass(type(real.__name__, (real,), body))


def _resolve(real: type) -> None:
    """Replace annotations that are text by types: later, the modules that give them meaning are replaced."""
    hints = get_type_hints(real)
    for cls in real.__mro__[:-1]:
        for name in inspect.get_annotations(cls):
            cls.__annotations__[name] = hints[name]
    for field in dataclasses.fields(real):
        field.type = hints[field.name]


class _Body:
    """What replaces the methods of the real configuration that ask torch."""

    bf16: Any
    fp16: Any

    def __post_init__(self) -> None:
        if self.bf16 is None:
            self.bf16 = not self.fp16
        for name in ("model_init_kwargs", "lr_scheduler_kwargs"):
            value = getattr(self, name, None)
            if isinstance(value, str) and value.startswith("{"):
                setattr(self, name, json.loads(value))

    def __str__(self) -> str:
        return type(self).__name__

    @contextlib.contextmanager
    def main_process_first(self, *_: object, **__: object) -> Iterator[None]:
        yield

    def get_process_log_level(self) -> int:
        return 20

    @property
    def world_size(self) -> int:
        return int(os.environ.get("WORLD_SIZE", "1"))

    @property
    def process_index(self) -> int:
        return int(os.environ.get("RANK", "0"))

    @property
    def local_process_index(self) -> int:
        return int(os.environ.get("LOCAL_RANK", "0"))

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def n_gpu(self) -> int:
        return 1
