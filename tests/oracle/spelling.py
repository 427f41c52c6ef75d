"""Spellings: small texts with holes, from which the grammars put examples together.

A block of spellings is a text. Each spelling starts with a line ``### NAME``; the lines up to the next one are the
spelling, and a line ``=== FILE`` in it starts another file that it needs. The holes:

    <S> <V> <W>   a setting and two of its values, as Python writes them
    <T> <U>       another setting and its value
    <E> <F>       an environment variable that is a fact, and a value without quotes
    <N>           a number that makes names unique
    <K> <D> <Y>   all settings of the example as keywords, as a dictionary, and as YAML
    <J> <O>       ... and as JSON, and as command-line options
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from tests.oracle.chance import Chance

#: The settings that examples use, with values.
SETTINGS: dict[str, list[Any]] = {
    "use_vllm": [True, False],
    "vllm_mode": ["colocate", "server"],
    "vllm_tensor_parallel_size": [1, 2, 4],
    "vllm_gpu_memory_utilization": [0.3, 0.5, 0.85],
    "vllm_enable_sleep_mode": [True, False],
    "vllm_server_port": [8000, 8001, 9000],
    "vllm_server_host": ["0.0.0.0", "node7"],
    "vllm_model_impl": ["vllm", "transformers"],
    "num_generations": [4, 8, 16],
    "num_iterations": [1, 2],
    "per_device_train_batch_size": [1, 2, 8],
    "gradient_accumulation_steps": [1, 4, 16],
    "gradient_checkpointing": [True, False],
    "max_completion_length": [256, 1024],
    "bf16": [True, False],
    "optim": ["adamw_torch", "paged_adamw_8bit"],
    "eval_strategy": ["no", "steps"],
}
#: Environment variables that are facts, with values.
VARIABLES = {
    "VLLM_USE_V1": ["0", "1"],
    "VLLM_ATTENTION_BACKEND": ["FLASH_ATTN", "XFORMERS"],
    "NCCL_DEBUG": ["INFO", "WARN"],
    "NCCL_P2P_DISABLE": ["1", "0"],
    "CUDA_VISIBLE_DEVICES": ["0,1", "2,3,4,5"],
    "VLLM_WORKER_MULTIPROC_METHOD": ["spawn", "fork"],
    "CUDA_LAUNCH_BLOCKING": ["1", "0"],
}
#: Variables that only the caller sets, with values that fit where the spellings use them.
CALLER_VARIABLES = {
    "TP": ["2", "4"],
    "NGEN": ["4", "16"],
    "PORT": ["8001", "9000"],
    "UTIL": ["0.4", "0.9"],
    "VMODE": ["server", "colocate"],
    "DEBUG": ["1", ""],
    "FAST": ["1", "yes"],
    "GPUS": ["2", "4"],
    "NODES": ["1", "2"],
    "FLAGS": ["use_vllm", "bf16"],
    "CONFIG": ["other.yaml", "config.yaml"],
}


class Spelling(NamedTuple):
    """One way to write something."""

    name: str
    text: str
    files: tuple[tuple[str, str], ...] = ()


def block(kind: str, text: str) -> list[Spelling]:
    """Return the spellings of a block of text. `kind` goes before their names."""
    found = []
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        body, *others = re.split(r"^=== ", rest, flags=re.MULTILINE)
        files = tuple((other.partition("\n")[0].strip(), other.partition("\n")[2]) for other in others)
        found.append(Spelling(f"{kind}: {name.strip()}", body.rstrip() + "\n", files))
    return found


class Filler:
    """Fills the holes of the spellings of one example."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self._constant_holes = _of_settings(settings(chance))
        self.numbers: Iterator[int] = itertools.count(1)
        self.files: dict[str, str] = {}
        self.names: list[str] = []

    def choose(self, spellings: list[Spelling]) -> str:
        """Draw a spelling, and return its text with the holes filled."""
        return self.fill(self.chance.choice(spellings))

    def fill(self, spelling: Spelling) -> str:
        """Fill the holes of a spelling, note its name, and add its files to the example."""
        self.names.append(spelling.name)
        holes = self._holes()
        for name, text in spelling.files:
            self.files[_filled(name, holes)] = _filled(text, holes)
        return _filled(spelling.text, holes)

    def _holes(self) -> dict[str, str]:
        setting, other = self.chance.choice(sorted(SETTINGS)), self.chance.choice(sorted(SETTINGS))
        value, second = self.chance.choice(SETTINGS[setting]), self.chance.choice(SETTINGS[setting])
        variable = self.chance.choice(sorted(VARIABLES))
        holes = {"S": setting, "V": repr(value), "W": repr(second), "T": other, "N": str(next(self.numbers))}
        holes["U"] = repr(self.chance.choice(SETTINGS[other]))
        holes |= {"E": variable, "F": self.chance.choice(VARIABLES[variable])}
        return holes | self._constant_holes


def _of_settings(settings: dict[str, Any]) -> dict[str, str]:
    return {
        "K": ", ".join(f"{name}={value!r}" for name, value in settings.items()),
        "D": repr(settings),
        "Y": yaml.safe_dump(settings, sort_keys=False),
        "J": json.dumps(settings),
        "O": " ".join(f"--{name} {value}" for name, value in settings.items()),
    }


def _filled(text: str, holes: dict[str, str]) -> str:
    return re.sub(r"<([A-Z])>", lambda found: holes.get(found[1], found[0]), text)


def settings(chance: Chance) -> dict[str, Any]:
    """Draw the settings that an example starts from."""
    names = chance.some(sorted(SETTINGS), chance.number(1, 5))
    return {name: chance.choice(SETTINGS[name]) for name in names}
