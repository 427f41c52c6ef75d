"""Whether a vLLM release serves the model, and whether a transformers release has it.

vLLM looks an architecture up in its registry. From 0.7.0 on, it uses transformers' class for one that is not there, if
transformers has it and vLLM can use it (`_try_resolve_transformers`, before 0.10.0 `resolve_transformers_arch`).
transformers looks up the model type of config.json (`AutoConfig.from_pretrained`).
"""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.models import (
    ARCHITECTURES,
    COMPATIBLE,
    FALLBACK,
    FALLBACK_CLASSES,
    IF_AUTO,
    IF_COMPATIBLE,
    MODEL_TYPES,
    SUFFIXES,
    ModelRecord,
    load_models,
)

SUPPORT, HAS = "vllm.model_support", "transformers.has_model"
#: The two ways in which vLLM serves a model, and the values of its argument ``model_impl`` that limit it to one.
VLLM, TRANSFORMERS = "vllm", "transformers"
_AUTO = "auto"
_OWN_CODE = "config.json names code of the model's own"
_REGISTERED = "plan.registers_models"


def set_model_support(facts: Facts) -> None:
    """Set whether vLLM serves the model and transformers has it, or record why it is unknown."""
    _vllm(facts)
    _transformers(facts)


def _vllm(facts: Facts) -> None:
    vllm, known = facts.value("packages.vllm"), facts.get("plan.model_architecture")
    record = load_models("vllm")
    if known is None or not isinstance(vllm, Version) or not isinstance(known.value, str) or record is None:
        return
    name, lacks = known.value, f"vLLM {vllm} does not have {known.value}"
    native = record.has(ARCHITECTURES, name, vllm)
    if native is None:
        facts.forget(SUPPORT, f"vLLM {vllm} is not in the record of models")
    elif native and _implementation(facts) in (VLLM, _AUTO):
        facts.offer(SUPPORT, VLLM, f"vLLM {vllm} has {name}", known.place)
    elif native:
        facts.forget(SUPPORT, f"vLLM {vllm} has {name}, and model_impl may name transformers", known.place)
    elif facts.is_open(_REGISTERED):
        facts.forget(SUPPORT, f"{lacks}; {facts.why_unknown(_REGISTERED)}", known.place)
    elif not any(record.has(ARCHITECTURES, one, vllm) for one in FALLBACK_CLASSES):
        facts.offer(SUPPORT, None, lacks + _elsewhere(record, ARCHITECTURES, name), known.place)
    else:
        _fallback(facts, record, vllm, name)


def _implementation(facts: Facts) -> str:
    """Return the ``model_impl`` that TRL's colocate mode passes to vLLM; empty if it is not known."""
    known = facts.get("plan.vllm_model_impl")
    trl = facts.value("packages.trl")
    if facts.value("plan.vllm_mode") != "colocate" or not isinstance(trl, Version):
        return ""
    if trl < Version("0.21.0"):
        return _AUTO
    return str(known.value) if known is not None else ""


def _fallback(facts: Facts, record: ModelRecord, vllm: Version, name: str) -> None:
    """Set whether vLLM uses transformers' class for an architecture that its registry does not have."""
    place, transformers = facts.known["plan.model_architecture"].place, facts.value("packages.transformers")
    lacks = f"vLLM {vllm} does not have {name}{_elsewhere(record, ARCHITECTURES, name)}"
    asks, implementation = record.names(FALLBACK, vllm), _implementation(facts)
    classes = load_models("transformers")
    if implementation == VLLM and IF_AUTO in asks:
        facts.offer(SUPPORT, None, f"{lacks}, and vllm_model_impl is vllm", place)
        return
    if not isinstance(transformers, Version) or classes is None or not name.endswith(SUFFIXES):
        facts.forget(SUPPORT, f"{lacks}, and may use transformers' class", place)
        return
    exists = classes.has(ARCHITECTURES, name, transformers)
    compatible = classes.has(COMPATIBLE, name, transformers)
    if exists is None:
        facts.forget(SUPPORT, f"transformers {transformers} is not in the record of models")
    elif not exists and facts.value("plan.model_code"):
        facts.forget(SUPPORT, f"{lacks}; {_OWN_CODE}", place)
    elif not exists:
        facts.offer(SUPPORT, None, f"{lacks}, nor has transformers {transformers}", place)
    elif implementation == _AUTO and asks - {IF_AUTO} == {IF_COMPATIBLE}:
        use = "uses" if compatible else "cannot use"
        served = TRANSFORMERS if compatible else None
        facts.offer(SUPPORT, served, f"{lacks}, and {use} the class of transformers {transformers}", place)
    else:
        facts.forget(SUPPORT, f"{lacks}, and may use the class of transformers {transformers}", place)


def _transformers(facts: Facts) -> None:
    transformers, known = facts.value("packages.transformers"), facts.get("plan.model_type")
    record = load_models("transformers")
    if known is None or not isinstance(transformers, Version) or not isinstance(known.value, str) or record is None:
        return
    name, lacks = known.value, f"transformers {transformers} does not have {known.value}"
    has = record.has(MODEL_TYPES, name, transformers)
    if has is None:
        facts.forget(HAS, f"transformers {transformers} is not in the record of models")
    elif has:
        facts.offer(HAS, True, f"transformers {transformers} has {name}", known.place)
    elif facts.value("plan.model_code"):
        facts.forget(HAS, f"{lacks}; {_OWN_CODE}", known.place)
    elif facts.is_open(_REGISTERED):
        facts.forget(HAS, f"{lacks}; {facts.why_unknown(_REGISTERED)}", known.place)
    else:
        facts.offer(HAS, False, lacks + _elsewhere(record, MODEL_TYPES, name), known.place)


def _elsewhere(record: ModelRecord, kind: str, name: str) -> str:
    """Return which releases have the name; empty if none has."""
    runs = record.ever(kind, name)
    texts = [f"{first} - {last}" if last else f"{first} and newer" for first, last in runs]
    return f" ({', '.join(texts)} {'does' if len(runs) == 1 and runs[0][0] == runs[0][1] else 'do'})" if runs else ""
