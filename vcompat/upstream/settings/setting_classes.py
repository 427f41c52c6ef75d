"""Which classes of a release have settings, and the names that they are recorded under."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from packaging.version import Version

from vcompat.upstream.settings.code import Code, decorators, methods
from vcompat.upstream.settings.fields import CONSTRUCTOR, MODEL, NONE, kind_of

#: The packages whose settings are recorded, in the order in which they are inspected: TRL's classes need transformers'.
PACKAGES = ("transformers", "trl", "vllm", "peft", "accelerate", "deepspeed")
#: The oldest inspected releases, if not the first release of the evidence record, and why.
SINCE = {"trl": ("0.14.0", "the first with GRPOConfig")}
_NAMED = {
    "transformers": ("transformers.training_args:TrainingArguments",),
    "vllm": (
        "vllm.engine.arg_utils:EngineArgs",
        "vllm.engine.arg_utils:AsyncEngineArgs",
        "vllm.entrypoints.llm:LLM",
        "vllm.sampling_params:SamplingParams",
        "vllm.sampling_params:GuidedDecodingParams",
        "vllm.sampling_params:StructuredOutputsParams",
    ),
    "peft": ("peft:LoraConfig",),
    "accelerate": ("accelerate.commands.config.config_args:ClusterConfig",),
}
_CLASS = re.compile(r"^class (\w+)\b(.*)$", re.MULTILINE)
_TRL_NAME = re.compile(r"\w+(?:Config|Arguments)")
#: Trainers whose constructors check the configuration.
TRAINERS = ("GRPOTrainer", "RLOOTrainer")
#: Bases in other packages that have no settings.
_WITHOUT_SETTINGS = frozenset(
    "abc.ABC typing.Generic typing.Protocol typing.NamedTuple msgspec.Struct enum.Enum "
    "transformers.PushToHubMixin".split()
)


def is_surveyed(package: str, version: Version) -> bool:
    """Whether the settings of a release are recorded."""
    return package in PACKAGES and version >= Version(SINCE.get(package, ("0", ""))[0])


class Subject(NamedTuple):
    """A class to record."""

    key: str
    module: str
    node: ast.ClassDef


def subjects(code: Code) -> list[Subject]:
    """Return the classes of a release that are recorded, each with its bases that have settings."""
    kept: dict[tuple[str, str], ast.ClassDef] = {}
    for module, node in _selected(code):
        is_constructor = kind_of(code, module, node) == CONSTRUCTOR
        for where, owner in [(module, node)] if is_constructor else code.with_bases(module, node):
            if owner is node or has_settings(code, where, owner):
                kept.setdefault((where, owner.name), owner)
    names = [name for _, name in kept]
    return [
        Subject(_key(code, module, name, names.count(name) > 1), module, node) for (module, name), node in kept.items()
    ]


def trainers(code: Code) -> Iterator[Subject]:
    """Yield the trainers that the package exports."""
    for name in TRAINERS if code.package == "trl" else ():
        yield from (Subject(name, *owner) for owner in filter(None, [code.find_class("trl", name)]))


def has_settings(code: Code, module: str, node: ast.ClassDef) -> bool:
    """Whether a class defines settings or checks them."""
    return kind_of(code, module, node) != NONE or "__post_init__" in methods(node)


def bases(code: Code, module: str, node: ast.ClassDef, recorded: list[Subject]) -> list[str]:
    """Return the bases with settings, as ``package.Name``; those in other packages, too."""
    keys_of_bases = []
    for base in node.bases:
        inside = code.find_class(module, base)
        if inside is not None:
            keys = [subject.key for subject in recorded if (subject.module, subject.node) == inside]
            if keys:
                keys_of_bases.append(f"{code.package}.{keys[0]}")
            else:
                keys_of_bases += [one for one in bases(code, *inside, recorded) if one not in keys_of_bases]
            continue
        foreign = code.foreign(module, base)
        # DeepSpeed has imported pydantic's class by way of a module of its own.
        if foreign and foreign not in _WITHOUT_SETTINGS and not foreign.endswith(".BaseModel"):
            keys_of_bases.append(foreign)
    return keys_of_bases


def _selected(code: Code) -> Iterator[tuple[str, ast.ClassDef]]:
    for text in _NAMED.get(code.package, ()):
        module, _, name = text.partition(":")
        yield from filter(None, [code.find_class(module, name)])
    if code.package == "trl":
        for module, node in _defined(code, lambda name, rest: _TRL_NAME.fullmatch(name) is not None):
            is_dataclass = "dataclass" in decorators(node)
            if is_dataclass or any(has_settings(code, *owner) for owner in code.with_bases(module, node)):
                yield module, node
    if code.package == "deepspeed":
        for module, node in _defined(code, lambda name, rest: "DeepSpeedConfigModel" in rest):
            if ".inference" not in module and kind_of(code, module, node) == MODEL:
                yield module, node


def _defined(code: Code, is_wanted: Callable[[str, str], bool]) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the wanted classes at the top of the package's modules, tests aside."""
    for module, text in code.modules():
        if "tests" in module.split(".") or not any(is_wanted(*match.groups()) for match in _CLASS.finditer(text)):
            continue
        for node in (code.definitions.tree(module) or ast.Module([], [])).body:
            if isinstance(node, ast.ClassDef) and is_wanted(node.name, "".join(map(ast.unparse, node.bases[:1]))):
                yield module, node


def _key(code: Code, module: str, name: str, repeated: bool) -> str:
    """The name of a class; with its module's name where several classes have it and the package exports another."""
    if not repeated:
        return name
    exported = code.definitions.find(code.package, name)
    if exported is not None and exported.module == module:
        return name
    return f"{module.rpartition('.')[2]}.{name}"
