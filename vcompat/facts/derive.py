"""Facts derived from other facts: the values that upstream releases use for settings that are not set.

A known fact is never replaced, and nothing is derived from an unknown fact. Each function derives one group of facts;
`derive` calls them in order of their dependencies.
"""

from __future__ import annotations

from collections.abc import Callable

from packaging.version import Version

from vcompat.facts.absent_actions import set_absent
from vcompat.facts.alone import is_alone, presume_start
from vcompat.facts.builds.bitsandbytes import set_bitsandbytes
from vcompat.facts.builds.driver import set_runs_on_driver
from vcompat.facts.builds.kernel_support import set_kernels, set_vllm_build
from vcompat.facts.builds.ptx import set_ptx
from vcompat.facts.builds.triton import set_triton
from vcompat.facts.defaults import SETTINGS, common_defaults, defaults_of, releases_with
from vcompat.facts.engines.attention_backend import set_attention_backend
from vcompat.facts.engines.model_kinds import set_model_kinds
from vcompat.facts.engines.serving import set_model_support
from vcompat.facts.engines.vllm_engine import (
    set_colocated_engine,
    set_engine,
    set_engine_elsewhere,
    set_in_process_engine,
    set_no_engine,
    set_sequence,
    set_sleep_level,
)
from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import replaces_trl, set_unsloth, unsloth_defaults
from vcompat.facts.ignored import drop_ignored
from vcompat.facts.memory.data_types import state_data_types
from vcompat.facts.process_counts import (
    set_after_init,
    set_batches,
    set_deepspeed_auto,
    set_devices,
    set_launcher,
    set_plain_parallelism,
    set_processes,
)
from vcompat.facts.renamed import settle_renamed
from vcompat.facts.stated_options import set_stated_options
from vcompat.facts.value import FactValue, show_candidates
from vcompat.facts.vendor import BACKENDS, backend_of, set_vendor
from vcompat.facts.vendor import FACT as VENDOR
from vcompat.facts.without_vllm import may_lack_vllm, presume_no_vllm

#: The packages from whose versions facts are derived.
DERIVED_FROM = frozenset({"trl", "transformers", "vllm", "torch", "bitsandbytes", "flashinfer", "triton", "unsloth"})


def derive(facts: Facts, takes_defaults: bool = False) -> Facts:
    """Return a copy of `facts` with the derived facts added.

    `takes_defaults` means that the run files set every setting that differs from TRL's defaults. What follows from
    likely facts is likely, and presumes what they do.
    """
    facts = settle_renamed(facts)
    is_open = takes_defaults and (facts.get("packages.trl") is None or may_lack_vllm(facts))
    has_likely = facts.has_likely or is_open or is_alone(facts)
    result = _derived(facts.certain() if has_likely else facts, takes_defaults)
    if has_likely:
        presumed = facts.presumed()
        presume_start(presumed)
        _likely_defaults(presumed, takes_defaults)
        if takes_defaults or facts.whole is not None:
            presume_no_vllm(presumed, result)
        result.add_presumed(_derived(presumed, takes_defaults))
    if takes_defaults and not replaces_trl(result):
        _excuse_defaults(result)
    if result.recorded("plan.trainer") is not None:
        for fact, why in _OF_MODEL.items():
            result.excuse(fact, why)
    return result


def in_effect(facts: Facts, takes_defaults: bool) -> Facts:
    """Return a copy of `facts` in which what run files state, and something replaces, is what it is replaced by."""
    result, derived = facts.copy(), derive(facts, takes_defaults)
    for name in [*facts.changed(derived), *(one for one, _ in facts.all_likely())]:
        known, likely = derived.get(name), derived.likely(name)
        if known is not None:
            result.set(name, *known)
        elif derived.is_open(name):
            result.forget(name, derived.why_unknown(name), derived.open_at(name), derived.candidates(name))
            if likely is not None:
                result.set_likely(name, likely)
    return result


#: Why facts about the model of a trainer are unknown, if nothing more is known of it.
_OF_MODEL = {
    "plan.model": "what the trainer gets as its model is not known",
    "plan.model_by_name": "whether the trainer gets the name of a model, or a model, is not known",
    "plan.peft": "whether the trainer or its model gets an adapter is not known",
    "plan.dtype": "how the model is loaded depends on what is not known, such as releases",
}


def _excuse_defaults(facts: Facts) -> None:
    """Record why settings are unknown that the run files leave to TRL, and of which no default is known."""
    trl = facts.get("packages.trl")
    if trl is not None and trl.value is None:
        return
    decides = "TRL" if trl is None else "transformers" if facts.get("packages.transformers") is None else ""
    why = f"not set; its default depends on the release of {decides}, which is not known"
    if trl is not None and not decides:
        why = f"not set; its default in TRL {trl.value} is not known"
    for setting in SETTINGS:
        if f"plan.{setting}" not in facts.names():
            facts.excuse(f"plan.{setting}", why)


def _derived(facts: Facts, takes_defaults: bool) -> Facts:
    result = facts.copy()
    drop_ignored(result)
    is_trls = not replaces_trl(result)
    if takes_defaults and is_trls:
        _trl_defaults(result)
    with result.attributing():
        set_unsloth(result, takes_defaults)
    for step in _STEPS:
        if step in _OF_TRLS_TRAINER and not is_trls:
            continue
        with result.attributing():
            step(result)
    return result


def _likely_defaults(facts: Facts, takes_defaults: bool) -> None:
    """Set TRL's defaults where the run files presumably set what differs from them, or where no release is known.

    Without a release, only those that all releases have which the project allows.
    """
    presumes = () if takes_defaults else facts.whole
    trl = facts.get("packages.trl")
    if presumes is None:
        return
    for name, value, source, place in unsloth_defaults(facts):
        facts.offer(name, value, source, place, presumes)
    if (trl is not None and trl.value is None) or replaces_trl(facts):
        return
    configuration = str(facts.value("plan.configuration", "GRPOConfig"))
    if trl is not None:
        defaults = defaults_of(configuration, lambda package: facts.value(f"packages.{package}"))
        source = f"default of TRL {trl.value}"
        presumes = (*presumes, *trl.presumes)
    else:
        allowed = tuple(one for one in facts.candidates("packages.trl") if isinstance(one, Version))
        fitting = releases_with(facts.stated, allowed)
        defaults = common_defaults(configuration, fitting or allowed)
        which = f"TRL {show_candidates(fitting or allowed)}" if fitting or allowed else "all recorded releases of TRL"
        which += " that have what the script sets" * bool(fitting)
        source = f"default of {which}"
        # Imported here: without run files, nothing is presumed.
        from vcompat.facts.presumption import RELEASE, Presumption

        presumes = (*presumes, Presumption(RELEASE, f"the release of TRL is among {which}"))
    for setting, value in defaults:
        facts.offer(f"plan.{setting}", value, source, presumes=presumes)


def _trl_defaults(facts: Facts) -> None:
    trl, configuration = facts.value("packages.trl"), facts.value("plan.configuration", "GRPOConfig")
    if isinstance(trl, Version):
        source = f"default of TRL {trl}"
        for setting, value in defaults_of(str(configuration), lambda package: facts.value(f"packages.{package}")):
            facts.offer(f"plan.{setting}", value, source)
        facts.offer("plan.loaded_in_bits", None, f"{source}: load_in_4bit and load_in_8bit are false")


#: Packages that an installer chooses with another one, so that those at hand say nothing about another release of it.
_COMPANIONS = {
    "transformers": ("tokenizers", "huggingface-hub"),
    "torch": ("torchvision", "torchaudio", "triton", "nccl"),
    "vllm": ("flashinfer", "flashinfer-cubin", "compressed-tensors", "xformers", "numba", "openai"),
}


def _companions(facts: Facts) -> None:
    """Make unknown what is installed beside a package whose release the user states instead of the installed one."""
    for package, companions in _COMPANIONS.items():
        for name in companions if facts.is_by_hand(f"packages.{package}") else ():
            if facts.recorded(f"packages.{name}") is not None and not facts.is_by_hand(f"packages.{name}"):
                facts.forget(f"packages.{name}", f"installed with another release of {package}")


def _backend(facts: Facts) -> None:
    """Derive vLLM's backend from its version: the local segment names the backend that the build is for.

    vLLM for AMD and Intel GPUs is not on the package index: it is built on the machine, mostly with such a segment. One
    that is built with VLLM_TARGET_DEVICE=empty has no code for a device: a plugin brings it.
    """
    known = facts.get("packages.vllm")
    vllm = known.value if known else None
    if known and vllm is None:
        facts.offer("vllm.backend", None, "vLLM is not installed")
    elif isinstance(vllm, Version) and "empty" not in (vllm.local or "").split("."):
        vendor = facts.get(VENDOR)
        usual = BACKENDS.get(str(vendor.value), "cuda") if vendor else "cuda"
        facts.offer("vllm.backend", backend_of(vllm) or usual, f"vLLM {vllm}")


def _torch_build(facts: Facts) -> None:
    """Derive the CUDA version of torch from its version: the local segment names it, as in 2.6.0+cu124."""
    torch = facts.value("packages.torch")
    local = torch.local or "" if isinstance(torch, Version) else ""
    if local.startswith(("cpu", "rocm", "xpu")) or (facts.get("packages.torch") is not None and torch is None):
        facts.offer("torch.cuda", None, f"torch {torch}" if torch else "torch is not installed")
    elif local.startswith("cu") and local[2:].isdecimal():
        facts.offer("torch.cuda", Version(f"{local[2:-1]}.{local[-1]}"), f"torch {torch}")


def _cpu_run(facts: Facts) -> None:
    """Set the GPU facts of a run on the CPU, which uses no GPU of the machine."""
    if facts.value("vllm.backend") == "cpu" or facts.value("plan.use_cpu") is True:
        why = "vLLM is a CPU build" if facts.value("vllm.backend") == "cpu" else "the run uses the CPU"
        nothing: dict[str, FactValue] = {"gpu.count": 0, "torch.has_kernels": (), "vllm.has_kernels": ()}
        nothing |= {f"gpu.{name}": () for name in ("compute_capability", "name", "memory_mib", "mig")}
        for fact, value in nothing.items():
            if not facts.is_by_hand(fact):
                facts.set(fact, value, why)
        for name in ("peer_access", "driver", "driver_cuda", "vendor"):
            facts.offer(f"gpu.{name}", None, why)


def _patched_everywhere(facts: Facts) -> None:
    """Add the patches that each Python process gets to those that the script applies, unless it undoes patches."""
    everywhere, own = facts.get("host.patched"), facts.get("plan.patched")
    if everywhere is None or not isinstance(everywhere.value, tuple) or not everywhere.value:
        return
    if facts.is_by_hand("plan.patched") or facts.is_unknown_by_hand("plan.patched"):
        return
    if own is None and "unpatch" in facts.why_unknown("plan.patched"):
        return
    both = dict.fromkeys((*(own.value if own and isinstance(own.value, tuple) else ()), *everywhere.value))
    facts.set("plan.patched", tuple(both), everywhere.source)


def _switched_off(facts: Facts) -> None:
    """Remove the patches that ``VCOMPAT_DISABLE`` names from those that the script applies."""
    off = facts.value("env.VCOMPAT_DISABLE")
    patched = facts.get("plan.patched")
    if isinstance(off, str) and off and patched is not None and isinstance(patched.value, tuple):
        names = off.replace(",", " ").split()
        kept = () if "all" in names else tuple(p for p in patched.value if p not in names)
        source = f"{patched.source}, except those in VCOMPAT_DISABLE"
        facts.set("plan.patched", kept, source, patched.place)


def _memory(facts: Facts) -> None:
    """Add the estimated memory facts."""
    if facts.get("plan.use_vllm") is None or (replaces_trl(facts) and facts.value("plan.use_vllm") is not True):
        return
    # Imported here: there are estimates for TRL's online trainers only.
    from vcompat.facts.memory.estimates import estimate

    share = facts.get("plan.vllm_gpu_memory_utilization")
    for name, (value, source) in estimate(facts).items():
        # All of these estimates depend on this setting, so findings point to it.
        facts.offer(name, value, source, share.place if share else None)


_STEPS: tuple[Callable[[Facts], None], ...] = (
    _companions,
    set_vendor,
    _backend,
    _torch_build,
    set_vllm_build,
    set_devices,
    _cpu_run,
    set_runs_on_driver,
    set_launcher,
    set_processes,
    set_plain_parallelism,
    set_deepspeed_auto,
    set_after_init,
    set_batches,
    set_absent,
    set_stated_options,
    _patched_everywhere,
    _switched_off,
    set_engine,
    set_triton,
    set_kernels,
    set_bitsandbytes,
    set_ptx,
    set_sleep_level,
    set_colocated_engine,
    set_in_process_engine,
    set_engine_elsewhere,
    set_no_engine,
    state_data_types,
    set_attention_backend,
    set_model_support,
    set_model_kinds,
    set_sequence,
    _memory,
)
#: Steps that follow the code of TRL's trainers: they say nothing about the trainer of another framework.
_OF_TRLS_TRAINER = frozenset(
    {
        set_after_init,
        set_batches,
        set_sleep_level,
        set_colocated_engine,
        set_in_process_engine,
        set_engine_elsewhere,
        _memory,
    }
)
