"""The record of models: which architectures each vLLM release serves, and which models each transformers release has.

One JSON file per package in ``evidence/models``, written by `vcompat rules verify --update` from upstream's source
(`vcompat.upstream.architectures.release_models`). Each name has runs: the first and the last of consecutive releases
that have it; null stands for the last surveyed release.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder

if TYPE_CHECKING:
    from pathlib import Path

#: The kinds of names in a record. Of vLLM: the architectures in its registry, and by which attributes of a class of
#: transformers it decides whether it serves an architecture that is not in it. Of transformers: model types, the names
#: of model classes, and those of them that set ``_supports_attention_backend``.
ARCHITECTURES, FALLBACK, MODEL_TYPES, COMPATIBLE = "architectures", "fallback", "model_types", "compatible"
#: Of vLLM's architectures: those whose class takes images, video or audio, those with layers that keep a state beside
#: attention, and those whose class, or a base of it, was not found.
MULTIMODAL, HYBRID, ELSEWHERE = "multimodal", "hybrid", "elsewhere"
#: What vLLM asks before it uses a class of transformers: two methods of the class, an attribute of it, and whether the
#: engine's ``model_impl`` is "auto".
IF_COMPATIBLE, IF_SETTABLE, IF_FLEX, IF_AUTO = (
    "is_backend_compatible",
    "_can_set_attn_implementation",
    "_supports_flex_attn",
    "model_impl is auto",
)
#: The architectures in vLLM's registry that stand for classes of transformers.
FALLBACK_CLASSES = ("TransformersModel", "TransformersForCausalLM")
#: The endings of the names of the recorded classes of transformers, which generate text.
SUFFIXES = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")
_EXPECTED = "a file written by `rules verify --update`"


class ModelRecord:
    """The models of one package in all surveyed releases."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """`table` is the contents of a file."""
        self.releases: tuple[str, ...] = tuple(table["releases"].split())
        """The surveyed releases, oldest first."""
        self._kinds: Mapping[str, Mapping[str, Sequence[Sequence[Any]]]] = table["models"]
        self._place = {name: number for number, name in enumerate(self.releases)}

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of names in the record."""
        return tuple(self._kinds)

    def has(self, kind: str, name: str, version: Version) -> bool | None:
        """Whether the release has the name; None for a release that was not surveyed, such as a newer one."""
        place = self._place.get(version.public)
        if place is None:
            return None
        return any(first <= place <= last for first, last in self._runs(kind, name))

    def names(self, kind: str, version: Version) -> frozenset[str]:
        """Return the names that the release has; none for a release that was not surveyed."""
        return frozenset(name for name in self._kinds.get(kind, ()) if self.has(kind, name, version))

    def every(self, kind: str) -> tuple[str, ...]:
        """Return the names that any release has, sorted."""
        return tuple(self._kinds.get(kind, ()))

    def ever(self, kind: str, name: str) -> list[tuple[str, str]]:
        """Return the runs of releases that have the name: first and last; the last is empty if it is the newest."""
        newest = len(self.releases) - 1
        return [
            (self.releases[first], "" if last == newest else self.releases[last])
            for first, last in self._runs(kind, name)
        ]

    def _runs(self, kind: str, name: str) -> list[tuple[int, int]]:
        newest = len(self.releases) - 1
        runs = self._kinds.get(kind, {}).get(name, ())
        return [(self._place[first], newest if last is None else self._place[last]) for first, last in runs]


def load_models(package: str, folder: Path | None = None) -> ModelRecord | None:
    """Return the record of a package; None if there is none. Raises InputError if it is malformed."""
    return _load(os.path.join(folder or os.path.join(evidence_folder(), "models"), f"{package}.json"))


@cache
def _load(path: str) -> ModelRecord | None:
    try:
        with open(path, encoding="utf-8") as file:
            return ModelRecord(json.load(file))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(path, f"cannot be read: {error}", _EXPECTED) from None
