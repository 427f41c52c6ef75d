"""States whether an adapter is trained: by what the trainer gets; without a trainer, by what is made."""

from __future__ import annotations

from functools import partial

from vcompat.facts.presumption import CALL, Presumption
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ON_CONDITION,
    Const,
    Held,
    Model,
    Obj,
    Unknown,
    alternatives,
    is_none,
    text_of,
)
from vcompat.sources.reading.scripts.executed import Executed, why_uncalled
from vcompat.sources.reading.scripts.model_loading import state_adapter
from vcompat.sources.reading.scripts.script_facts import ScriptFacts

FACT = "plan.peft"
#: What gives a model an adapter to be trained.
_WRAPS = ("get_peft_model", "PreTrainedModel.add_adapter")
#: Classes whose from_pretrained() loads an adapter.
WITH_ADAPTER = ("PeftModel", "AutoPeftModel")


def state_adapters(facts: ScriptFacts, ran: Executed) -> None:
    """State the adapter of the run, and whether there is one."""
    adapters = ran.events("adapter")
    for adapter in adapters:
        record = partial(facts.record, uncertain=why_uncalled([adapter]))
        state_adapter(record, adapter)
        modules = adapter.settings.get("modules_to_save")
        if modules is not None and not is_none(modules.value):
            record("plan.modules_to_save", modules)
        elif not adapter.why_open:
            record("plan.modules_to_save", Held(Const(()), adapter.place))
    for trainer in ran.trainers:
        _state_given(facts, ran, trainer)
    if adapters and facts.get(FACT) is None and not facts.is_open(FACT):
        _state_made(facts, ran, adapters[0])
    if ran.trainers and facts.get(FACT) is None:
        loaded = ran.loads(*WITH_ADAPTER)
        if loaded:
            facts.excuse(FACT, f"{loaded[0].place} loads an adapter, which may be merged into the model")
        if ran.presuming:
            _presume(facts, ran, loaded)


def _state_given(facts: ScriptFacts, ran: Executed, trainer: Event) -> None:
    """State whether an adapter is trained by the ``peft_config`` that a trainer gets."""
    given, model = trainer.settings.get("peft_config"), trainer.settings.get("model")
    silent = _is_silent(ran, model)
    if given is None:
        if silent and not trainer.why_open and facts.get(FACT) is None:
            facts.set(FACT, False, f"{ran.whole} does not use PEFT")
        return
    parts, uncertain = alternatives(given.value), why_uncalled([trainer])
    if all(isinstance(part, Obj) for part in parts) and not given.optional:
        facts.record(FACT, given._replace(value=Const(True)), uncertain)
    elif not all(map(is_none, parts)):
        why = next((part.why for part in parts if isinstance(part, Unknown)), ON_CONDITION)
        facts.record(FACT, given._replace(value=Unknown(why, (True,))))
    elif (silent or not ran.events("adapter")) and model is not None and text_of(model.value) is not None:
        facts.record(FACT, given._replace(value=Const(False)), uncertain)


def _is_silent(ran: Executed, model: Held | None) -> bool:
    """Return whether a script does not name PEFT, and gives the trainer no model that may have an adapter already."""
    if b"peft" in ran.source or b"lora" in ran.source:
        return False
    return model is None or (not isinstance(model.value, Model) and ran.loads_or_names(model.value))


def _may_be_adapter(trainer: Event) -> Held | None:
    """Return the ``peft_config`` that a trainer gets; None if that is certainly none."""
    given = trainer.settings.get("peft_config")
    return None if given is None or all(map(is_none, alternatives(given.value))) else given


def _is_of_call(held: Held) -> bool:
    """Return whether a value comes from what is not followed, such as a call, on no condition."""
    value = held.value
    return isinstance(value, Unknown) and value.why == AT_RUN_TIME and not value.candidates and not held.optional


def _state_made(facts: ScriptFacts, ran: Executed, adapter: Event) -> None:
    """State whether an adapter is trained that the script makes, and that no trainer is known to get."""
    wraps = any(event.name.endswith(_WRAPS) and not event.uncertain for event in ran.events("adapted"))
    is_trained = not adapter.uncertain and (wraps or not ran.trainers)
    value = Const(True) if is_trained else Unknown("LoraConfig is not passed to the trainer here", (True,))
    facts.record(FACT, Held(value, adapter.place))


def _presume(facts: ScriptFacts, ran: Executed, loaded: list[Event]) -> None:
    """State that the first trainer trains an adapter that is `loaded` to be trained; none if none is made.

    One that is loaded for inference may be merged into the model.
    """
    place = ran.trainers[0].place
    trainable = next((held for event in loaded if (held := event.settings.get("is_trainable")) is not None), None)
    # This fact alone presumes it.
    if trainable is not None and isinstance(trainable.value, Const) and trainable.value.value is True:
        text = "the model with the loaded adapter is the one that is trained"
        facts.set(FACT, True, "is_trainable", trainable.place, (Presumption(CALL, text, place),))
    elif given := [held for trainer in ran.trainers if (held := _may_be_adapter(trainer)) is not None]:
        if all(_is_of_call(held) for held in given):
            text = "what the trainer gets as peft_config is an adapter"
            facts.set(FACT, True, "peft_config", given[0].place, (Presumption(CALL, text, place),))
    elif not loaded and not ran.events("adapter", "adapted"):
        unsloth = facts.value("plan.framework") == "unsloth" or facts.is_open("plan.framework")
        if unsloth and b"get_peft_model(" in ran.source:
            # Its models keep their adapters on ways that are not followed.
            return
        text = "no function that cannot be followed gives the model an adapter"
        facts.set(FACT, False, f"{place} gets no adapter", place, (Presumption(CALL, text, place),))
