"""Data types of the trainer's and of vLLM's weights, as upstream's releases choose them if no setting does.

The trainer and vLLM load the model separately, so their data types differ: the one follows from TRL and transformers,
the other from vLLM, the checkpoint and the GPU. `tests/upstream/test_data_types.py` reads both in every release.
"""

from __future__ import annotations

from collections.abc import Mapping

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import replaces_trl
from vcompat.facts.value import FactValue

FLOAT32, FLOAT16, BFLOAT16 = "float32", "float16", "bfloat16"
#: Loading with the data type of the checkpoint.
AUTO = "auto"
#: Loading with what transformers' `from_pretrained` does without a data type.
LIBRARY = "transformers' default"
#: How TRL loads a model that the trainer gets by name, by the first release: GRPOTrainer and RLOOTrainer.
LOADED_BY_TRL: tuple[tuple[str, str], ...] = (("0.14.0", LIBRARY), ("0.26.0", AUTO), ("0.27.0", FLOAT32))
#: What transformers' `from_pretrained` does without a data type, by the first release.
LOADED_BY_TRANSFORMERS: tuple[tuple[str, str], ...] = (("4.0.0", FLOAT32), ("5.0.0rc1", AUTO))
#: From this release on, TRL sets `dtype` if model_init_kwargs has none, also if it has `torch_dtype`. The model is then
#: loaded in float32: transformers prefers `dtype`.
READS_DTYPE_ONLY = Version("0.27.0")
#: What TRL 0.26.0 and all later releases require of transformers at least.
_NEEDED_BY_LATER = Version("4.56.1")
#: Models for which some releases of vLLM replace float16, which they do not support.
_WITHOUT_FLOAT16 = ("Gemma2", "Gemma3", "Plamo2", "Glm4")
#: The first release of vLLM that falls back to a data type which the GPU supports.
_FALLS_BACK = Version("0.9.0")
#: The first release of vLLM that loads float32 checkpoints in the GPU's preferred 16-bit data type.
_PREFERS_BFLOAT16 = Version("0.9.1")
_AMPERE, _PASCAL = Version("8.0"), Version("6.0")
_NAMES: Mapping[str, str] = {"half": FLOAT16, "float": FLOAT32}


def plain(dtype: object) -> str:
    """Return the name of a data type without ``torch.`` and without abbreviations, as in ``half``."""
    name = str(dtype).lower().removeprefix("torch.")
    return _NAMES.get(name, name)


def since(history: tuple[tuple[str, str], ...], release: Version) -> str | None:
    """Return the entry of a table that holds for `release`.

    None for a release before the first entry, and for a development version of a release that changed something: it can
    be older or newer than the change.
    """
    if release.is_devrelease and any(release.release == Version(first).release for first, _ in history):
        return None
    found = [value for first, value in history if release >= Version(first)]
    return found[-1] if found else None


def state_data_types(facts: Facts) -> None:
    """Derive ``plan.dtype``, ``plan.optim``, ``plan.engine_dtype`` and ``vllm.dtype``."""
    if not replaces_trl(facts):
        _trainer(facts)
        _optimizer(facts)
        _engine(facts)
    _vllm(facts)


def _trainer(facts: Facts) -> None:
    if facts.get("plan.dtype") is None:
        dtype, source = trainer_dtype(facts)
        if dtype:
            facts.offer("plan.dtype", dtype, source)


def trainer_dtype(facts: Facts) -> tuple[str | None, str]:
    """Return the data type of the trainer's weights as loaded, and its source; None if it is not known."""
    stated = facts.get("plan.dtype")
    if stated is None and facts.is_open("plan.dtype"):
        return None, ""
    if stated is None:
        how, source = _loaded(facts)
    elif stated.value is None:
        how, source = _by_transformers(facts)
    else:
        how, source = plain(stated.value), stated.source
    if how != AUTO:
        return how, source
    checkpoint = facts.get("plan.model_dtype")
    if checkpoint is None or checkpoint.value is None:
        return None, ""
    return plain(checkpoint.value), f"{checkpoint.source}, data type of the checkpoint: {source}"


def _loaded(facts: Facts) -> tuple[str | None, str]:
    """Return how the model is loaded if no setting says it, and the source; None if that is not known."""
    by_name, trl = facts.value("plan.model_by_name"), facts.value("packages.trl")
    if by_name is True and isinstance(trl, Version):
        how = since(LOADED_BY_TRL, trl)
        old = facts.get("plan.init_torch_dtype")
        if trl >= READS_DTYPE_ONLY:
            ignored = f", which ignores torch_dtype ({old.source})" if old is not None and old.value else ""
            return how, f"default of TRL {trl}{ignored}"
        if facts.is_open("plan.init_torch_dtype"):
            return None, ""
        if old is not None and old.value is not None:
            return plain(old.value), old.source
        if how != LIBRARY:
            # Scripts with ModelConfig, as TRL's own, pass None here.
            transformers = facts.value("packages.transformers")
            same = isinstance(transformers, Version) and since(LOADED_BY_TRANSFORMERS, transformers) == how
            return (how, f"default of TRL {trl}") if same else (None, "")
    if by_name is True and trl is None:
        return _loaded_by_some_release(facts)
    return _by_transformers(facts) if isinstance(by_name, bool) else (None, "")


def _loaded_by_some_release(facts: Facts) -> tuple[str | None, str]:
    """Return how a release of TRL that is not known loads a model by its name: as those before 0.26.0, or not known."""
    transformers, old = facts.value("packages.transformers"), facts.get("plan.init_torch_dtype")
    is_older = isinstance(transformers, Version) and transformers < _NEEDED_BY_LATER
    if not is_older or facts.is_open("plan.init_torch_dtype"):
        return None, ""
    if old is not None and old.value is not None:
        return plain(old.value), old.source
    return _by_transformers(facts)


def _by_transformers(facts: Facts) -> tuple[str | None, str]:
    transformers = facts.value("packages.transformers")
    if not isinstance(transformers, Version):
        return None, ""
    return since(LOADED_BY_TRANSFORMERS, transformers), f"default of transformers {transformers}"


def _optimizer(facts: Facts) -> None:
    """Derive transformers' default optimizer; ``plan.optim`` says nothing while it is not known to be left out."""
    transformers, torch = facts.value("packages.transformers"), facts.value("packages.torch")
    if not facts.value("plan.configuration") or not isinstance(transformers, Version):
        return
    # Imported here: only a known configuration has an optimizer.
    from vcompat.facts.memory.trainer_memory import DEFAULT_OPTIMIZER

    if transformers < Version("4.54.0"):
        facts.offer("plan.optim", DEFAULT_OPTIMIZER, f"default of transformers {transformers}")
    elif isinstance(torch, Version):
        fused = "_fused" if torch >= Version("2.8.0") else ""
        facts.offer("plan.optim", DEFAULT_OPTIMIZER + fused, f"default of transformers {transformers}, torch {torch}")


def _engine(facts: Facts) -> None:
    """Derive the dtype argument of the engine that TRL creates in the training processes."""
    trl = facts.value("packages.trl")
    if facts.value("plan.use_vllm") is not True or not isinstance(trl, Version):
        return
    if trl >= Version("0.18.0"):
        if facts.value("plan.vllm_mode") == "colocate":
            facts.offer("plan.engine_dtype", AUTO, f"TRL {trl} passes no dtype to vLLM")
    elif Version("0.15.0") <= trl < Version("0.16.0"):
        stated = facts.get("plan.vllm_dtype")
        if stated is not None:
            facts.offer("plan.engine_dtype", stated.value, f"{stated.source}, vllm_dtype", stated.place)
        facts.leave_open("plan.engine_dtype", "plan.vllm_dtype")
    elif Version("0.14.0") <= trl < Version("0.15.0"):
        facts.offer("plan.engine_dtype", AUTO, f"TRL {trl} passes no dtype to vLLM")


def _vllm(facts: Facts) -> None:
    engine = facts.get("plan.engine_dtype")
    if engine is None:
        facts.leave_open("vllm.dtype", "plan.engine_dtype")
        return
    if engine.value is None or plain(engine.value) != AUTO:
        chosen = None if engine.value is None else plain(engine.value)
        facts.offer("vllm.dtype", chosen, engine.source, engine.place)
        return
    vllm, checkpoint = facts.value("packages.vllm"), facts.get("plan.model_dtype")
    if not isinstance(vllm, Version) or checkpoint is None or facts.value("plan.model_quantization") is not None:
        return
    architecture = facts.value("plan.model_architecture")
    chosen = automatic(vllm, plain(checkpoint.value), architecture, _newest_common(facts))
    if chosen:
        source = f"dtype=auto in vLLM {vllm}: {checkpoint.value} in {checkpoint.source}"
        facts.offer("vllm.dtype", chosen, source, checkpoint.place)


def _newest_common(facts: Facts) -> Version | None:
    """Return the lowest compute capability of the GPUs; None if it is not known or vLLM does not run on CUDA."""
    known = facts.value("gpu.compute_capability")
    values = [c for c in known if isinstance(c, Version)] if isinstance(known, tuple) else []
    return min(values) if values and facts.value("vllm.backend", "cuda") == "cuda" else None


def automatic(vllm: Version, checkpoint: str, architecture: FactValue, capability: Version | None) -> str | None:
    """Return the data type that release `vllm` uses for ``dtype="auto"``; None if it is not known.

    `checkpoint` is the data type in config.json, `capability` the compute capability of the GPU. The result follows
    `_get_and_verify_dtype` of vLLM, from 0.9.1 on `_resolve_auto_dtype`.
    """
    common = isinstance(architecture, str) and not architecture.startswith(_WITHOUT_FLOAT16)
    if checkpoint not in (FLOAT32, FLOAT16, BFLOAT16):
        return None
    if vllm < _FALLS_BACK:
        if checkpoint != FLOAT32:
            return checkpoint
        return FLOAT16 if common else None
    if capability is None or capability < _PASCAL:
        return None
    if capability < _AMPERE:
        return FLOAT16 if common else None
    if checkpoint == FLOAT16 or (checkpoint == FLOAT32 and vllm < _PREFERS_BFLOAT16):
        return FLOAT16 if common else None
    return BFLOAT16
