"""Settings that a training script states as constants. The script is parsed with `ast`; nothing in it is run.

Read are the keyword arguments of the calls that configure a run (`GRPOConfig(...)`, `LoraConfig(...)`, `LLM(...)`),
assignments to `os.environ`, and the call of `vcompat.patch()`. A value that is not a constant is unknown, not
guessed. What TRL does with a setting that is left out: see ``defaults`` and ``derive``.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

from vcompat.errors import InputError
from vcompat.facts import ENVIRONMENT, VOCABULARY, Facts, from_json
from vcompat.plan.constants import UNKNOWN, Constants
from vcompat.plan.patch_call import read_patch_call

#: A script is written by a person; a file beyond this size, in bytes, is something else.
SIZE_LIMIT = 20_000_000

_ENGINES = ("LLM", "EngineArgs", "AsyncEngineArgs")
#: Arguments of `LLM(...)` and the facts they are, where the names differ.
_ENGINE_FACTS = {"seed": "llm_seed"}
_ENGINE_SETTINGS = frozenset(
    "tensor_parallel_size distributed_executor_backend seed enable_prefix_caching enable_chunked_prefill "
    "enable_sleep_mode max_model_len dtype quantization kv_cache_dtype".split()
)


#: What vLLM takes for an argument that is left out. Not here: what it then takes from the model.
_ENGINE_DEFAULTS: Mapping[str, Any] = {
    "tensor_parallel_size": 1,
    "distributed_executor_backend": None,
    "seed": None,
    "enable_prefix_caching": None,
    "enable_chunked_prefill": None,
    "enable_sleep_mode": False,
    "kv_cache_dtype": None,
}


class Script(NamedTuple):
    """What was read from a script."""

    facts: Facts
    takes_defaults: bool
    """Whether every setting of the trainer's configuration is in the script, so that the rest has its default."""


def read_script(path: str) -> Script:
    """Read the settings of the training script at `path`.

    Raises InputError, with file and line, if it cannot be read as Python text.
    """
    tree = _parse(path)
    reader = _Reader(os.path.basename(path), Constants(tree))
    try:
        for node in ast.walk(tree):
            reader.look_at(node)
        reader.finish(tree)
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", "a training script") from None
    patched = read_patch_call(tree, reader.constants)
    if patched is not None:
        reader.facts.set("plan.patched", patched.ids, f"{reader.name}:{patched.line}")
    else:
        reader.facts.set("plan.patched", (), f"{reader.name} does not call vcompat.patch()")
    return Script(reader.facts, reader.configured and not reader.open_ended)


def _parse(path: str) -> ast.Module:
    try:
        if os.path.getsize(path) > SIZE_LIMIT:
            raise InputError(path, f"larger than {SIZE_LIMIT // 1_000_000} MB", "a training script")
        with open(path, "rb") as file:
            source = file.read()
        if b"\0" in source:
            raise InputError(path, "holds binary data", "a Python script")
        with warnings.catch_warnings():
            # What Python thinks of the user's escapes is between them.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except OSError as error:
        raise InputError(path, error.strerror or str(error), "a Python script") from None
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else path
        raise InputError(where, f"not valid Python: {error.msg}", "a Python script") from None
    except (RecursionError, MemoryError):
        raise InputError(path, "nested too deeply to be read", "a training script") from None
    except ValueError as error:
        raise InputError(path, f"not Python text: {error}", "a Python script") from None


class _Reader:
    """Collects facts from the nodes of one script."""

    def __init__(self, name: str, constants: Constants) -> None:
        self.name = name
        self.constants = constants
        self.facts = Facts()
        self.configured = False
        self.open_ended = False
        self.trains_whole_model = False

    def look_at(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            self._call(node, _callee(node))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._environment_item(target, node.value)

    def finish(self, tree: ast.AST) -> None:
        """What follows from what was not seen: a trainer in a script that nowhere speaks of PEFT trains no adapter."""
        if self.trains_whole_model and self.facts.get("plan.peft") is None:
            names = {
                getattr(node, field, None) for node in ast.walk(tree) for field in ("id", "attr", "module", "name")
            }
            if not any("peft" in str(name).lower() for name in names):
                self.facts.set("plan.peft", False, f"{self.name} does not speak of PEFT")

    def _call(self, call: ast.Call, callee: str) -> None:
        if (
            callee.endswith("Config")
            and callee not in ("LoraConfig", "PeftConfig")
            and self._configures_a_trainer(call, callee)
        ):
            self.configured = True
            self._settings(call)
        elif callee.endswith("Trainer"):
            self._record("plan.trainer", callee, call)
            self.trains_whole_model = not any(k.arg in (None, "peft_config") for k in call.keywords)
            if any(k.arg == "peft_config" and self.constants.value(k.value) is not None for k in call.keywords):
                self._record("plan.peft", True, call)
        elif callee == "LoraConfig":
            self._adapter(call)
        elif callee in _ENGINES:
            self._engine(call)
        elif callee in ("setdefault", "update") and _is_environ(getattr(call.func, "value", None)):
            self._environment_call(call, callee)

    def _configures_a_trainer(self, call: ast.Call, callee: str) -> bool:
        return callee in (
            "GRPOConfig",
            "RLOOConfig",
            "OnlineDPOConfig",
            "GOLDConfig",
            "TrainingArguments",
        ) or any(keyword.arg is not None and keyword.arg.startswith("vllm_") for keyword in call.keywords)

    def _settings(self, call: ast.Call) -> None:
        for name, node in self.constants.keywords(call):
            if name is None:
                self.open_ended = True
            elif f"plan.{name}" in VOCABULARY:
                self._record(f"plan.{name}", self.constants.value(node), node)

    def _adapter(self, call: ast.Call) -> None:
        self._record("plan.peft", True, call)
        for name, node in self.constants.keywords(call):
            if name == "modules_to_save":
                value = self.constants.value(node)
                self._record("plan.modules_to_save", [] if value is None else value, node)

    def _engine(self, call: ast.Call) -> None:
        stated = dict(self.constants.keywords(call))
        if None not in stated:
            for left_out in sorted(_ENGINE_DEFAULTS.keys() - stated.keys()):
                self._record(f"plan.{_ENGINE_FACTS.get(left_out, left_out)}", _ENGINE_DEFAULTS[left_out], call)
        for name, node in stated.items():
            if name in _ENGINE_SETTINGS:
                self._record(f"plan.{_ENGINE_FACTS.get(name, name)}", self.constants.value(node), node)
            elif name == "speculative_config":
                self._record("plan.speculative_config", self.constants.value(node) is not None, node)

    def _environment_item(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Subscript) and _is_environ(target.value):
            self._variable(self.constants.value(target.slice), value)

    def _environment_call(self, call: ast.Call, callee: str) -> None:
        if callee == "update":
            for name, node in self.constants.items(call):
                self._variable(name, node)
        elif len(call.args) == 2:
            self._variable(self.constants.value(call.args[0]), call.args[1])

    def _variable(self, name: object, value: ast.expr) -> None:
        if isinstance(name, str) and ENVIRONMENT.fullmatch(name):
            self._record(f"env.{name}", self.constants.value(value), value)

    def _record(self, fact: str, value: Any, node: ast.AST) -> None:
        """Keep a setting; one that is not constant, of another type, or stated twice with two values is unknown."""
        where = f"{self.name}:{getattr(node, 'lineno', 0)}"
        if value is UNKNOWN:
            self.facts.forget(fact, f"{where} computes it")
            return
        try:
            parsed = from_json(_spec(fact), list(value) if isinstance(value, tuple) else value, where)
        except InputError as error:
            self.facts.forget(fact, str(error))
            return
        known = self.facts.get(fact)
        if fact in self.facts.reasons or (known is not None and known.value != parsed):
            self.facts.forget(fact, f"{self.name} sets it in more than one way")
        else:
            self.facts.set(fact, parsed, where)


def _is_environ(node: ast.expr | None) -> bool:
    return (isinstance(node, ast.Name) and node.id == "environ") or (
        isinstance(node, ast.Attribute) and node.attr == "environ"
    )


def _spec(fact: str) -> Any:
    from vcompat.facts import spec_of

    return spec_of(fact, fact)


def _callee(call: ast.Call) -> str:
    """The last part of the called name: ``GRPOConfig`` for ``trl.GRPOConfig(...)``."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""
