"""The data types that the trainer and vLLM choose, compared with the source of upstream's releases.

vLLM's own function runs here, for GPUs that a stand-in states. TRL's and transformers' defaults are read in their code.
Every release in the user's cache is compared, and in any case those in which something changed.
"""

from __future__ import annotations

import ast
import enum
import logging
import re
import sys
from collections.abc import Iterator
from types import CodeType, SimpleNamespace
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.releases import source
from vcompat.facts.memory.data_types import (
    AUTO,
    FLOAT32,
    LIBRARY,
    LOADED_BY_TRANSFORMERS,
    LOADED_BY_TRL,
    automatic,
    since,
)
from vcompat.upstream.index import Release
from vcompat.upstream.store import Store

torch = pytest.importorskip("torch")

#: Releases around each change, which are fetched if the cache does not have them.
EDGES = {
    "trl": ["0.14.0", "0.22.0", "0.25.1", "0.26.0", "0.26.2", "0.27.0", "1.16.0"],
    "transformers": ["4.45.0", "4.56.0", "4.57.0", "5.0.0rc0", "5.0.0rc1", "5.0.0", "5.17.0"],
    "vllm": ["0.6.0", "0.8.5", "0.9.0", "0.9.1", "0.10.2", "0.12.0", "0.19.0", "0.31.0"],
}
OLDEST = {"trl": Version("0.14.0"), "transformers": Version("4.45.0"), "vllm": Version("0.4.0")}


def texts(package: str, paths: tuple[str, ...]) -> Iterator[tuple[Version, list[str]]]:
    """Yield each release with those of `paths` that it has."""
    store = Store()
    wanted = {Version(version) for version in EDGES[package]}
    stored = {version for version in store.versions(package) if version >= OLDEST[package]}
    for version in sorted(wanted | stored):
        opened = store.open(Release(package, version, "", "", "", False)) if version in stored else None
        with opened or source(package, str(version)) as archive:
            yield version, [text for path in paths if (text := archive.read(path)) is not None]


def default_of_get(tree: ast.AST) -> str | None:
    """The default in ``kwargs.get("dtype", default)``: LIBRARY without one; None if there is no such call."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("kwargs.get", "model_init_kwargs.get"):
            name, *default = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            if name in ("dtype", "torch_dtype"):
                return str(default[0]) if default else LIBRARY
    return None


@pytest.mark.parametrize(("trainer", "first"), [("grpo", "0.14.0"), ("rloo", "0.27.0")])
def test_trl_loads_a_model_given_by_name_as_the_table_states(trainer: str, first: str) -> None:
    seen = set()
    for version, (text, utils) in texts("trl", (f"trl/trainer/{trainer}_trainer.py", "trl/trainer/utils.py")):
        if version < Version(first):
            continue
        shared = "create_model_from_path(model," in text
        real = default_of_get(ast.parse(utils if shared else text))
        assert real == since(LOADED_BY_TRL, version), version
        seen.add(real)
    assert seen == {LIBRARY, AUTO, FLOAT32} if trainer == "grpo" else {FLOAT32}


def test_transformers_loads_a_model_without_a_data_type_as_the_table_states() -> None:
    seen = set()
    for version, (text,) in texts("transformers", ("src/transformers/modeling_utils.py",)):
        real = AUTO if re.search(r'if dtype is None:\s+dtype = "auto"\n', text) else FLOAT32
        assert real == since(LOADED_BY_TRANSFORMERS, version), version
        seen.add(real)
    assert seen == {AUTO, FLOAT32}


class Gpu:
    """A stand-in for vLLM's platform: a GPU of a compute capability. The data types are those of vLLM's own code."""

    def __init__(self, capability: Version, platform: str | None) -> None:
        self.capability = capability
        self.supported_dtypes = self._supported(platform) if platform else None

    def _supported(self, platform: str) -> list[Any]:
        for node in ast.walk(ast.parse(platform)):
            if isinstance(node, ast.FunctionDef) and node.name == "supported_dtypes":
                node.decorator_list, node.returns = [], None
                names: dict[str, Any] = {"torch": torch}
                exec(compile(ast.Module([node], []), "cuda.py", "exec"), names)
                return list(names["supported_dtypes"](self))
        raise AssertionError("no supported_dtypes")

    def has_device_capability(self, number: int) -> bool:
        return self.capability >= Version(f"{number // 10}.{number % 10}")

    def get_device_capability(self, device: int = 0) -> Any:
        return SimpleNamespace(as_version_str=lambda: str(self.capability))

    def get_device_name(self, device: int = 0) -> str:
        return "stand-in"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("is_"):
            return lambda: name == "is_cuda"
        raise AttributeError(name)


_FUNCTIONS = ("_get_and_verify_dtype", "_resolve_auto_dtype", "_find_dtype", "_check_valid_dtype", "_is_valid_dtype")
_TABLES = ("_STR_DTYPE_TO_TORCH_DTYPE", "_FLOAT16_NOT_SUPPORTED_MODELS")


def compiled(text: str) -> CodeType:
    """vLLM's own function for data types, with the tables that it uses."""
    body: list[ast.stmt] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in _FUNCTIONS:
            node.returns = None
            for argument in (*node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
            node.body = [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
            body.append(_WithoutPlatform().visit(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if ast.unparse(targets[0]) in _TABLES and node.value is not None:
                body.append(ast.copy_location(ast.Assign(targets, node.value), node))
    return compile(ast.fix_missing_locations(ast.Module(body, [])), "config.py", "exec")


class _WithoutPlatform(ast.NodeTransformer):
    """Removes the import of the platform, for which a stand-in takes part."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.Pass | ast.ImportFrom:
        return ast.copy_location(ast.Pass(), node) if node.module == "vllm.platforms" else node


def chosen(code: CodeType, gpu: Gpu, checkpoint: str, model_type: str) -> str:
    """The data type that vLLM's own function returns for ``dtype="auto"``."""
    dtype = getattr(torch, checkpoint)
    config = SimpleNamespace(torch_dtype=dtype, dtype=dtype, model_type=model_type)
    config.get_text_config = lambda: config
    names: dict[str, Any] = {
        "torch": torch,
        "sys": sys,
        "logger": logging.getLogger(__name__),
        "current_platform": gpu,
        "CpuArchEnum": enum.Enum("CpuArchEnum", "POWERPC ARM"),
        "ModelArchConfigConvertorBase": SimpleNamespace(get_torch_dtype=lambda *a, **k: dtype),
        "is_hip": lambda: False,
        "is_cpu": lambda: False,
    }
    exec(code, names)
    function = names["_get_and_verify_dtype"]
    count = function.__code__.co_argcount
    result = function(config, "auto") if count == 2 else function("m", config, "auto", is_pooling_model=False)
    return str(result).removeprefix("torch.")


def test_vllm_chooses_the_data_type_that_is_derived_for_auto() -> None:
    paths = ("vllm/config/model.py", "vllm/config/__init__.py", "vllm/config.py", "vllm/platforms/cuda.py")
    known = 0
    for version, found in texts("vllm", paths):
        (code,) = [compiled(text) for text in found if "def _get_and_verify_dtype" in text]
        platform = found[-1] if "def supported_dtypes" in found[-1] else None
        for capability in ("6.1", "7.0", "7.5", "8.0", "9.0", "12.0"):
            gpu = Gpu(Version(capability), platform)
            for checkpoint in ("float32", "float16", "bfloat16"):
                for architecture, model_type in (("LlamaForCausalLM", "llama"), ("Gemma2ForCausalLM", "gemma2")):
                    derived = automatic(version, checkpoint, architecture, Version(capability))
                    if derived is not None:
                        known += 1
                        assert derived == chosen(code, gpu, checkpoint, model_type), (version, capability, checkpoint)
    assert known > 18 * len(EDGES["vllm"])
