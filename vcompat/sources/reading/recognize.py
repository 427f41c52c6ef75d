"""Detects the kind of a file that a user named, by its extension or by its content."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from vcompat.foundation.bounded_reading import MB, read_bytes
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import Document, kind_of, read_document
from vcompat.sources.reading.settings import fact_of

SCRIPT, LAUNCH, ACCELERATE, DEEPSPEED = "script", "launch", "accelerate", "deepspeed"
SETTINGS, ADAPTER, MODEL, NOTEBOOK, DOCKERFILE = "settings", "adapter", "model", "notebook", "dockerfile"
ENVIRONMENT, TARGET, FACTS = "environment", "target", "facts"

_EXPECTED = (
    "a training script, a notebook, a launch script, a Dockerfile, "
    "a configuration of TRL, accelerate, DeepSpeed, PEFT or a model, a lock file, "
    "or a report of `vcompat probe`"
)
_BY_ENDING: dict[str, str] = {
    ".py": SCRIPT,
    ".ipynb": NOTEBOOK,
    ".sh": LAUNCH,
    ".bash": LAUNCH,
    ".slurm": LAUNCH,
    ".sbatch": LAUNCH,
    ".sub": LAUNCH,
    ".job": LAUNCH,
    ".txt": ENVIRONMENT,
    ".lock": ENVIRONMENT,
}
_DOCKERFILE = re.compile(r"^(?:dockerfile|containerfile)(?:[.-].+)?$|\.(?:dockerfile|containerfile)$", re.IGNORECASE)
_ACCELERATE_KEYS = frozenset("compute_environment distributed_type machine_rank main_training_function".split())
_DEEPSPEED_KEYS = frozenset(
    "zero_optimization train_micro_batch_size_per_gpu train_batch_size zero_allow_untested_optimizer".split()
)


#: Keys of files that start containers. They are not read, and would otherwise pass for settings.
_OF_CONTAINERS = ({"services"}, {"apiVersion", "kind"}, {"resources", "run"}, {"type", "commands"})


class Recognized(NamedTuple):
    """A file, its kind, and its contents if they were read to detect the kind."""

    path: str
    kind: str
    document: Document | None = None


def recognize(path: str, wanted: str = "") -> Recognized:
    """Detect the kind of the file or folder at `path`, or read it as the kind `wanted`.

    Raises InputError if it is none of the supported kinds.
    """
    if os.path.isdir(path):
        return _folder(path)
    ending = os.path.splitext(path)[1].lower()
    if wanted in (SCRIPT, LAUNCH):
        return Recognized(path, wanted)
    if wanted:
        return Recognized(path, wanted, read_document(path))
    name = os.path.basename(path)
    if name == "pyproject.toml" or (name.startswith("pylock") and ending == ".toml"):
        return Recognized(path, ENVIRONMENT)
    if ending in _BY_ENDING:
        return Recognized(path, _BY_ENDING[ending])
    if _DOCKERFILE.search(name) and not ending.endswith((".dockerignore", ".py", ".sh", ".md")):
        return Recognized(path, DOCKERFILE)
    if ending in (".yaml", ".yml", ".json", ".toml"):
        document = read_document(path, kind_of(path))
        return Recognized(path, _document_kind(path, document), document)
    return _by_first_line(path)


def _folder(path: str) -> Recognized:
    for name, kind in (("adapter_config.json", ADAPTER), ("config.json", MODEL)):
        file = os.path.join(path, name)
        if os.path.isfile(file):
            return Recognized(file, kind, read_document(file))
    return Recognized(path, ENVIRONMENT)


def _document_kind(path: str, document: Document) -> str:
    keys = set(document.table)
    if document.kind == "json" and (kind := _json_kind(document)):
        return kind
    if any(required <= keys for required in _OF_CONTAINERS):
        raise InputError(
            path, "a file of Compose, Kubernetes, SkyPilot or dstack", "the command that it starts, after --"
        )
    if document.kind == "toml" and "gpu" in keys:
        return TARGET
    if document.kind == "yaml" and keys & _ACCELERATE_KEYS:
        return ACCELERATE
    if isinstance(document.table.get("dependencies"), list) and keys & {"name", "channels", "prefix"}:
        return ENVIRONMENT
    if any(fact_of(key) for key in keys) or document.kind == "yaml":
        return SETTINGS
    raise InputError(path, "not a supported configuration", _EXPECTED)


def _json_kind(document: Document) -> str:
    """Return the kind of file that a table of JSON is by its keys; empty if it may be several."""
    keys = set(document.table)
    if "facts" in keys:
        return FACTS
    if "peft_type" in keys:
        return ADAPTER
    if keys & {"architectures", "model_type"}:
        return MODEL
    has_precision = any(isinstance(document.table.get(key), dict) for key in ("bf16", "fp16"))
    return DEEPSPEED if keys & _DEEPSPEED_KEYS or has_precision else ""


def _by_first_line(path: str) -> Recognized:
    first = read_bytes(path, 4 * MB, _EXPECTED).partition(b"\n")[0]
    if first.startswith(b"#!") and b"python" in first:
        return Recognized(path, SCRIPT)
    if first.startswith(b"#!") and b"sh" in first:
        return Recognized(path, LAUNCH)
    raise InputError(path, "not a supported file", _EXPECTED)
