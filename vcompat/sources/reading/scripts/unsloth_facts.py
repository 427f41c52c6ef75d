"""States what unsloth makes of a run: the model that its trainer gets, its quantization, adapter and engine.

unsloth maps the name of a model to a quantized copy of it if there is one; ``plan.model`` is the name as written. Only
what no release of unsloth does otherwise is stated: the data type, for one, depends on the GPU and on the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from vcompat.facts.facts import Place
from vcompat.facts.frameworks import TRL, UNSLOTH
from vcompat.facts.records.recorded_settings import all_names
from vcompat.facts.stated import COMPUTED, KEYWORD, Setting
from vcompat.facts.stated_options import ADAPTER, options_of
from vcompat.sources.reading.python.libraries.unsloth_models import STANDBY
from vcompat.sources.reading.python.values.abstract_run import Run
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    NONE,
    Const,
    Held,
    Model,
    Step,
    Unknown,
    candidates,
    plain_or,
    text_of,
)
from vcompat.sources.reading.scripts.model_loading import state_adapter

#: Records a fact from what a script holds.
Record = Callable[[str, Held], None]
#: Settings with which unsloth does not load in the number of bits that load_in_4bit and load_in_8bit ask for.
_OTHERWISE = ("load_in_16bit", "full_finetuning", "load_in_fp8", "qat_scheme", "quantization_config")
#: Those of them that load no quantized model, as both of these options do not if they are off.
_WHOLE = frozenset({"load_in_16bit", "full_finetuning"})
#: Parts of names of models that are quantized already, or that unsloth loads in 16 bits whatever is asked for.
_DECIDES_ITSELF = ("bnb", "fp8", "fp4", "4bit", "8bit", "gptq", "awq", "-bf16", "int4", "int8")
#: The end of the name of a checkpoint that bitsandbytes has quantized.
_IN_4_BITS = "bnb-4bit"
#: The bits that load_in_4bit and load_in_8bit ask for together.
_BITS: Mapping[tuple[bool | None, bool | None], Const] = {
    (True, False): Const(4),
    (False, True): Const(8),
    (False, False): NONE,
}
_EXCLUSIVE = "load_in_4bit and load_in_8bit exclude each other"
#: An assignment such as ``tokenizer.pad_token = tokenizer.eos_token``, and the condition under which it is idle.
_PADS_WITH_EOS = re.compile(rb"(\s*)([\w.]+)\.pad_token(?:_id)?\s*=\s*\2\.eos_token(?:_id)?\s*(?:#.*)?$")
_ASKS_FOR_PADDING = re.compile(rb"\b(?:if|elif)\b.*\bpad_token")
#: Classes whose get_peft_model() also adapts vision layers unless it is told otherwise.
_HAVE_VISION = ("FastVisionModel", "FastModel")
#: The default rank of get_peft_model().
_RANK = 16


def state_framework(record: Record, events: Sequence[Event]) -> None:
    """State that unsloth's trainer runs: it replaces TRL's classes as soon as it is imported.

    A name of TRL that was imported before keeps TRL's own class, so that the framework is not known then. The order is
    stated only where trl comes first.
    """
    seen_trl, maybe_trl = False, ""
    for event in events:
        root = event.name.partition(".")[0]
        if event.kind == "import" and root == "trl":
            maybe_trl = event.uncertain if not seen_trl else maybe_trl and event.uncertain
            seen_trl = True
        if event.kind == "import" and root == "unsloth":
            why = event.uncertain or ("trl is imported before unsloth, which replaces its classes" if seen_trl else "")
            value = Unknown(why, (TRL, UNSLOTH), is_complete=True) if why else Const(UNSLOTH)
            record("plan.framework", Held(value, event.place))
            if any(STANDBY in load.settings for load in events if load.kind == "unsloth"):
                held = event.settings.get(STANDBY, Held(Const(None), event.place))
                record("plan.standby_at_import", _is_on(held, event.uncertain))
            if seen_trl:
                open_order = event.uncertain or maybe_trl
                order = Unknown(open_order) if open_order else Const(True)
                record("plan.trl_before_unsloth", Held(order, event.place))
            return


def state_padding(record: Record, run: Run) -> None:
    """State that a script that uses unsloth pads with the end-of-sequence token, if it assigns that unconditionally.

    unsloth gives every tokenizer a token for padding, so that one under ``if tokenizer.pad_token is None`` is idle.
    """
    for path, columns in run.sources.items():
        before = b""
        for number, line in enumerate(columns.source.lower().splitlines(), 1):
            assigned = _PADS_WITH_EOS.match(line)
            if assigned and not _ASKS_FOR_PADDING.search(before):
                place = run.position(path, number, len(assigned[1]) + 1)
                record("plan.pads_with_eos", Held(Const(True), place))
                return
            before = line.strip() or before


def state_untrained(record: Record, events: Iterable[Event]) -> None:
    """State the facts of the one model that a script without a trainer loads: that can fail already."""
    loads = [event for event in events if event.kind == "unsloth"]
    if len(loads) == 1 and isinstance(loads[0].subject, Model) and not loads[0].uncertain:
        state_model(record, loads[0].subject)


def state_model(record: Record, model: Model) -> None:
    """State the facts of the model that a trainer gets."""
    loaded, *adapters = model.steps
    _state_load(record, loaded)
    whole = loaded.settings.get("full_finetuning")
    if whole is not None and not whole.is_certainly(False):
        known = Const(False) if whole.is_certainly(True) else Unknown("full_finetuning is not known")
        record("plan.peft", whole._replace(value=known))
        return
    for adapter in adapters:
        _state_adapter(record, adapter)


def _state_load(record: Record, step: Step) -> None:
    place, settings = step.place, step.settings
    name = settings.get("model_name")
    is_named = name is not None and not name.is_certainly(None)
    record("plan.model", name if name and is_named else Held(Unknown("no name is given"), place))
    record("plan.loaded_in_bits", Held(_bits(step), _first_place(settings, ("load_in_4bit", "load_in_8bit")) or place))
    record("plan.dtype", Held(Unknown("unsloth chooses it by the GPU and the model"), place))
    if "full_finetuning" in settings:
        record("plan.full_finetuning", settings["full_finetuning"])
    if "max_seq_length" in settings:
        record("plan.max_seq_length", settings["max_seq_length"])
    fast = settings.get("fast_inference") or _default(step, False)
    record("plan.fast_inference", fast)
    if not fast.is_certainly(True):
        return
    if STANDBY in settings:
        record("plan.standby", _is_on(settings[STANDBY], ""))
    record("plan.gpu_memory_utilization", settings.get("gpu_memory_utilization") or _default(step, 0.5))
    if "max_lora_rank" in settings:
        record("plan.max_lora_rank", settings["max_lora_rank"])
    if step.owner == "FastLanguageModel" and "vision" not in _text(name):
        # vLLM has no adapters for Llama 3.2 Vision, so that unsloth does not ask for them.
        record("plan.engine_lora", fast)


def _is_on(held: Held, uncertain: str) -> Held:
    """Return whether the variable of standby switches it on."""
    text = text_of(held.value)
    why = uncertain or ("" if text is not None or held.is_certainly(None) else f"{STANDBY} is not known")
    return Held(Unknown(why) if why else Const(text not in (None, "0")), held.place)


def _default(step: Step, value: object) -> Held:
    """Return the default of a setting that is not given, unknown if it may be."""
    return Held(Unknown(step.why_open, (value,)) if step.why_open else Const(value), step.place)


def _bits(step: Step) -> Const | Unknown:
    """Return the bits per weight to which the model is quantized while it is loaded; None if it is not."""
    settings = step.settings
    in_4 = _flag(settings.get("load_in_4bit") or _default(step, True))
    in_8 = _flag(settings.get("load_in_8bit") or Held(Const(False)))
    asked = (4,) if in_4 else (8,) if in_8 else ()
    whole = _WHOLE if (in_4, in_8) == (False, False) else frozenset()
    if step.why_open or not all(_is_off(settings[o]) for o in _OTHERWISE if o in settings and o not in whole):
        return Unknown("other settings may decide how the model is loaded", asked)
    name = text_of(settings["model_name"].value) if "model_name" in settings else None
    bits = _BITS.get((in_4, in_8), Unknown(_EXCLUSIVE if in_8 is not False else "load_in_4bit", asked))
    if name is None or _decides_itself(name.lower(), bits):
        # Such a checkpoint is loaded as it is, or its counterpart is loaded instead.
        return Unknown("the name of the model may decide it", asked)
    return bits


def _decides_itself(name: str, bits: Const | Unknown) -> bool:
    """Return whether a model may be loaded otherwise than in the `bits` that are asked for, by its `name`."""
    is_in_4_bits = name.endswith(_IN_4_BITS) and bits == Const(4)
    return not is_in_4_bits and any(part in name for part in _DECIDES_ITSELF)


def _state_adapter(record: Record, step: Step) -> None:
    settings = dict(step.settings)
    rank = settings.get("r") or _default(step, _RANK)
    targets = settings.pop("target_modules", None)
    if targets is not None and not targets.is_certainly(None):
        settings["target_modules"] = targets
    record("plan.peft", Held(Const(True), step.place))
    if step.owner in _HAVE_VISION:
        vision = settings.pop("finetune_vision_layers", None) or _default(step, True)
        everywhere = targets is not None and text_of(targets.value) == "all-linear"
        record("plan.finetune_vision_layers", vision._replace(value=Const(True)) if everywhere else vision)
    _state_options(record, step)
    made = Event("adapter", "get_peft_model", {**settings, "r": rank}, step.place or Place(""), "")
    state_adapter(record, made)
    modules = settings.get("modules_to_save") or _default(step, None)
    record("plan.modules_to_save", modules._replace(value=Const(())) if modules.is_certainly(None) else modules)


def _state_options(record: Record, step: Step) -> None:
    """State the options of PEFT's LoraConfig among the arguments, which unsloth hands on."""
    names = all_names("peft", "LoraConfig")
    given = [
        Setting(name, COMPUTED if held.optional else plain_or(held.value, COMPUTED), held.place, KEYWORD)
        for name, held in step.settings.items()
        if name in names
    ]
    options = options_of(given)
    value = (
        Unknown(step.why_open or "options of the adapter are computed")
        if step.why_open or options is None
        else Const(options)
    )
    record(ADAPTER, Held(value, step.place))


def _first_place(settings: Mapping[str, Held], names: Iterable[str]) -> Place | None:
    return next((settings[name].place for name in names if name in settings), None)


def _is_off(held: Held) -> bool:
    return held.is_certainly(False) or held.is_certainly(None)


def _flag(held: Held) -> bool | None:
    """Return whether an option is on; None if that is not known."""
    return True if held.is_certainly(True) else False if held.is_certainly(False) else None


def _text(held: Held | None) -> str:
    """Return what a name is or may be, in lower case."""
    return " ".join(str(one) for one in candidates(held.value)).lower() if held is not None else ""
