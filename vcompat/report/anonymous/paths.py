"""Paths and the names of models: what of them is upstream's stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from vcompat.facts.vocabulary import PACKAGES
from vcompat.report.anonymous.words import WORDS

_PART = r"[^\s\"'<>|,;()\[\]{}*?`:=&]"
#: A path in quotes can have spaces. One without begins behind white space or punctuation; `</s>` is none.
_PATHS = (
    re.compile(r"(?<=[\"'`])(?:~?/|[A-Za-z]:[\\/]|\\\\)[^\"'`\n]{0,1000}(?=[\"'`])"),
    re.compile(rf"(?<![\w<./~\\-])(?:~[\w.-]{{0,40}}/|/(?=[^\s/|])){_PART}+"),
    re.compile(rf"(?<![\w\\])(?:[A-Za-z]:\\|\\\\){_PART}+"),
)
#: Folders that all machines have.
_SYSTEM = re.compile(r"/(?:usr/(?:lib|lib64|bin|include)|usr/local/cuda[\w.-]*|lib|lib64|bin|dev|proc|sys)(?:/|$)")
_INSTALLED = re.compile(r".*(?:^|/)((?:site|dist)-packages/.+)$")
_STANDARD = re.compile(r".*/lib/(python3\.\d{1,2}/(?!(?:site|dist)-packages).+\.py)$")
_NAMES = "|".join(sorted({name.replace("-", "_") for name in PACKAGES}))
#: A checkout of an upstream project, and code that upstream compiled on its own machines.
_CHECKOUT = re.compile(rf".*/(?P<name>{_NAMES})/(?:src/)?(?P<kept>(?P=name)/.+)$")
_COMPILED = re.compile(r"/(?:pytorch|workspace|opt/pytorch)/((?:aten/src/ATen|torch/csrc|c10|csrc)/.+)$")
_ENDING = re.compile(
    r"\.(?:py|pyx|pyc|ipynb|cu|cuh|cc|cpp|c|h|hpp|so(?:\.[\d.]+)?|json|jsonl|toml|ya?ml|txt|log|sh|md|csv|parquet|arrow"
    r"|bin|pt|pth|safetensors|gguf|model|lock|cfg|ini|sock|whl|gz|zip|tar|ttir|ttgir|llir|ptx|cubin)$"
)
#: Routes of servers, which look like paths.
_ROUTES = re.compile(
    r"/(?:v1/[a-z_/]+|health|generate|chat|tokenize|ping|metrics|sleep|wake_up|init_communicator|close_communicator"
    r"|update_named_param|init_weight_transfer_engine|update_weights|reset_prefix_cache|reset_mm_cache|is_sleeping|get_world_size|get_tensor_parallel_size|batch_update_named_params)/?"
)
_RELATIVE = re.compile(r"(?<![\w/.:<~@\\-])(?:\.{1,2}/)?[\w.+-]{1,100}(?:/[\w.+-]{1,100}){1,20}/?(?![\w/])")
#: Paths whose slashes are encoded as in URLs, or escaped as in JSON.
ENCODED = re.compile(
    r"(?:[\w.~+-]|%[0-9A-Fa-f]{2}){0,100}%2[Ff](?:[\w.~+-]|%[0-9A-Fa-f]{2}){1,1000}"
    r"|(?<![\w\\])[\w.~+-]{0,100}(?:\\/[\w.~+@-]{1,100}){1,40}(?:\\/)?"
)
#: A model that a server does not have.
_ABSENT = re.compile(
    r"(?i:\bmodel )[`'\"]([^`'\"\s]{1,300})[`'\"]"
    r"(?= (?i:does not exist|doesn't exist|(?:was |is )?not (?:found|served|a )))"
)
_CACHED = re.compile(r"\b(?:models|datasets|spaces)--[\w.-]{1,200}")
#: Settings that name a model; values in quotes, since code has variables there.
_SETTING = re.compile(
    r"(?i:\b(?:[\w-]{0,20}_)?(?:model|tokenizer|model_id|model_path|name_or_path|model_name_or_path|served_model_name"
    r"|adapter|lora_path|dataset|dataset_name|repo_id|hub_model_id|run_name|speculative_model|processor)"
    r"['\"]?\s{0,4}[=:]\s{0,4}\[?)(?:'([^']{1,300})'|\"([^\"]{1,300})\")"
)
_PLAIN_SETTING = re.compile(
    r"(?:\bserved_model_name=(?!\[)|--(?:model|model_name_or_path|model-name-or-path|tokenizer|served-model-name|dataset_name"
    r"|hub_model_id|run_name)[ =])([^\s,'\")]{1,300})"
)
#: Organizations whose models everybody can download.
_ORGANIZATIONS = frozenset(
    (
        "qwen meta-llama mistralai google deepseek-ai microsoft huggingfacetb trl-lib trl-internal-testing openai"
        " openai-community unsloth allenai eleutherai facebook nvidia tiiuae 01-ai internlm baai thudm zai-org"
        " moonshotai ibm-granite cohereforai stabilityai bigscience tinyllama hf-internal-testing"
        " peft-internal-testing nousresearch mosaicml apple amd redhatai neuralmagic liquidai minimaxai opengvlab"
        " llava-hf openbmb"
    ).split()
)
#: What metrics of trainers begin with.
_METRICS = frozenset({"sampling", "completions", "rewards", "clip_ratio", "profiling", "objective"})


def paths(text: str) -> Iterator[tuple[int, int]]:
    """Yield where paths are that begin at a root, a home or a drive."""
    for pattern in _PATHS:
        yield from (found.span() for found in pattern.finditer(text) if not _ROUTES.fullmatch(found[0]))


def shortened(path: str) -> str:
    """Return what of a path may be known; empty if that is nothing."""
    path = path.replace("\\", "/").rstrip(".")
    if _SYSTEM.match(path) and not _INSTALLED.match(path):
        standard = _STANDARD.match(path)
        return f"<path>/{standard[1]}" if standard else path
    for pattern in (_INSTALLED, _COMPILED):
        if match := pattern.match(path):
            return f"<path>/{match[1]}"
    if match := _CHECKOUT.match(path):
        return f"<path>/{match['kept']}"
    if match := _STANDARD.match(path):
        return f"<path>/{match[1]}"
    base = path.rpartition("/")[2]
    return f"<path>/{base}" if _ENDING.search(base) and re.fullmatch(r"[\w.+-]+", base) else ""


def relative(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where words with slashes are that tell something, and what may be known of each; empty if nothing."""
    for match in _RELATIVE.finditer(text):
        word = match[0].rstrip("/.")
        parts = word.removeprefix("./").split("/")
        if _is_harmless(parts):
            continue
        base = parts[-1]
        if parts[0] in (".", "..") or _ENDING.search(base):
            yield *match.span(), f"<path>/{base}" if _ENDING.search(base) else ""
        else:
            yield match.start(), match.start() + len(match[0].rstrip("/.")), ""


def _is_harmless(parts: list[str]) -> bool:
    """Whether the parts of a word name units, metrics, or code of a package that everybody has."""
    first, has_ending = parts[0].lower(), _ENDING.search(parts[-1]) is not None
    if all(part.lower().lstrip("0123456789.%") in {"", *WORDS} for part in parts):
        return True
    if len(parts) == 2 and first in _ORGANIZATIONS:
        return True
    if parts[0] in {"site-packages", "dist-packages"} or (first in _NAMES.split("|") and has_ending):
        return True
    return first in _METRICS and not has_ending


def decoded(path: str) -> str:
    """Return a path with its slashes as they are."""
    return unquote(path).replace("\\/", "/")


def models(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the names of models and data sets are that a setting or a cache tells."""
    yield from (match.span() for match in _CACHED.finditer(text))
    yield from (match.span(1) for match in _ABSENT.finditer(text) if not is_public_model(match[1]))
    for match in _SETTING.finditer(text):
        group = 1 if match[1] is not None else 2
        if not is_public_model(match[group]):
            yield match.span(group)
    yield from (match.span(1) for match in _PLAIN_SETTING.finditer(text) if not is_public_model(match[1]))


def is_public_model(model: str) -> bool:
    """Return whether a model is one that everybody can download, or no model."""
    organization, slash, _ = model.partition("/")
    return model.lower() in ("none", "auto", "") or (bool(slash) and organization.lower() in _ORGANIZATIONS)
