"""What kind of file a user named: by its ending, and by its contents where the ending leaves it open."""

from __future__ import annotations

import os
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_bytes
from vcompat.sources.plan.document import Document, kind_of, read_document
from vcompat.sources.plan.settings import fact_of

SCRIPT, LAUNCH, ACCELERATE, DEEPSPEED = "script", "launch", "accelerate", "deepspeed"
SETTINGS, ADAPTER, MODEL = "settings", "adapter", "model"
ENVIRONMENT, TARGET, FACTS = "environment", "target", "facts"

_EXPECTED = (
    "a training script, a launch script, a configuration of TRL, accelerate, DeepSpeed, PEFT or a model, a lock file, "
    "or a report of `vcompat probe`"
)
_BY_ENDING = {
    ".py": SCRIPT,
    ".sh": LAUNCH,
    ".bash": LAUNCH,
    ".slurm": LAUNCH,
    ".sbatch": LAUNCH,
    ".sub": LAUNCH,
    ".job": LAUNCH,
    ".txt": ENVIRONMENT,
    ".lock": ENVIRONMENT,
    ".tar": ENVIRONMENT,
    ".tgz": ENVIRONMENT,
    ".gz": ENVIRONMENT,
}
_ACCELERATE_KEYS = frozenset("compute_environment distributed_type machine_rank main_training_function".split())
_DEEPSPEED_KEYS = frozenset(
    "zero_optimization train_micro_batch_size_per_gpu train_batch_size zero_allow_untested_optimizer".split()
)


class Recognised(NamedTuple):
    """A file, what it is, and its contents where those had to be looked at."""

    path: str
    kind: str
    document: Document | None = None


def recognise(path: str, wanted: str = "") -> Recognised:
    """Say what the file or folder at `path` is; `wanted` is what it must be, if that is known.

    Raises InputError for what is none of the kinds that can be read.
    """
    if os.path.isdir(path):
        return _folder(path)
    ending = os.path.splitext(path)[1].lower()
    if wanted in (SCRIPT, LAUNCH):
        return Recognised(path, wanted)
    if wanted:
        return Recognised(path, wanted, read_document(path))
    if os.path.basename(path).startswith("pylock") and ending == ".toml":
        return Recognised(path, ENVIRONMENT)
    if ending in _BY_ENDING:
        return Recognised(path, _BY_ENDING[ending])
    if ending in (".yaml", ".yml", ".json", ".toml"):
        document = read_document(path, kind_of(path))
        return Recognised(path, _document_kind(path, document), document)
    return _by_first_line(path)


def _folder(path: str) -> Recognised:
    for name, kind in (("adapter_config.json", ADAPTER), ("config.json", MODEL)):
        file = os.path.join(path, name)
        if os.path.isfile(file):
            return Recognised(file, kind, read_document(file))
    return Recognised(path, ENVIRONMENT)


def _document_kind(path: str, document: Document) -> str:
    keys = set(document.table)
    if document.kind == "json":
        if "facts" in keys:
            return FACTS
        if "peft_type" in keys:
            return ADAPTER
        if "architectures" in keys or "model_type" in keys:
            return MODEL
        if keys & _DEEPSPEED_KEYS or any(isinstance(document.table.get(key), dict) for key in ("bf16", "fp16")):
            return DEEPSPEED
    if document.kind == "toml" and "gpu" in keys:
        return TARGET
    if document.kind == "yaml" and keys & _ACCELERATE_KEYS:
        return ACCELERATE
    if isinstance(document.table.get("dependencies"), list) and keys & {"name", "channels", "prefix"}:
        return ENVIRONMENT
    if any(fact_of(key) for key in keys) or document.kind == "yaml":
        return SETTINGS
    raise InputError(path, "none of the configurations that can be read", _EXPECTED)


def _by_first_line(path: str) -> Recognised:
    first = read_bytes(path, 4 * MB, _EXPECTED).partition(b"\n")[0]
    if first.startswith(b"#!") and b"python" in first:
        return Recognised(path, SCRIPT)
    if first.startswith(b"#!") and b"sh" in first:
        return Recognised(path, LAUNCH)
    raise InputError(path, "not one of the files that can be read", _EXPECTED)
