"""States the trainers of a script, and how the model that they train is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from vcompat.facts.presumption import CALL, Presumption
from vcompat.sources.reading.python.classes.configurations import SKIPPED, UNREAD
from vcompat.sources.reading.python.parsers.argparse_builder import FROM_COMMAND_LINE
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import Const, Held, Loaded, Model, Unknown, text_of
from vcompat.sources.reading.scripts.adapter_facts import WITH_ADAPTER
from vcompat.sources.reading.scripts.executed import Executed, loads_policy, why_uncalled
from vcompat.sources.reading.scripts.model_loading import state_bits
from vcompat.sources.reading.scripts.quantization import MAY, divided_by, is_loaded, loads_of, quantized_to
from vcompat.sources.reading.scripts.script_configurations import of_trainer
from vcompat.sources.reading.scripts.script_facts import ScriptFacts
from vcompat.sources.reading.scripts.unsloth_facts import state_model
from vcompat.sources.reading.settings import fact_of

#: How the classes are named whose from_pretrained() loads a model that may generate.
_GENERATES = ("AutoModelFor", "AutoLigerKernel", "AutoPeftModelForCausalLM")
#: The facts of the arguments that such a call gets.
_FACTS = {
    "dtype": "plan.dtype",
    "torch_dtype": "plan.dtype",
    "attn_implementation": "plan.attn_implementation",
    "_attn_implementation": "plan.attn_implementation",
    "model": "plan.model",
}


def state_trainers(facts: ScriptFacts, ran: Executed) -> None:
    """State the trainers, and the model that each of them gets."""
    for trainer in ran.trainers:
        uncertain = why_uncalled([trainer])
        _state_class(facts, ran, trainer, uncertain)
        model = trainer.settings.get("model")
        if model is not None:
            _state_name(facts, model, uncertain)
        if model is not None and isinstance(model.value, Model):
            state_model(partial(facts.record, uncertain=uncertain), model.value)
        elif "load_in_4bit" in trainer.settings:
            state_bits(partial(facts.record, uncertain=uncertain), trainer.settings)
        elif model is not None:
            _state_loading(facts, ran, trainer, model)


def _state_class(facts: ScriptFacts, ran: Executed, trainer: Event, uncertain: str) -> None:
    """State the class of a trainer. One that skips the constructor of what it extends may do something else."""
    fact, name, place = "plan.trainer", trainer.name, trainer.place
    skips = trainer.settings.get(SKIPPED)
    if UNREAD in trainer.settings:
        facts.record(
            fact, Held(Unknown(f"{_why_unread(trainer)}, so that it may be another class than TRL's", (name,)), place)
        )
    elif skips is None:
        facts.record(fact, Held(Const(name), place), uncertain)
    elif ran.presuming and not uncertain and facts.recorded(fact) is None:
        presumes = (Presumption(CALL, f"a constructor that skips {name}'s does what {name} does", place),)
        facts.set(fact, name, str(place), place, presumes)
    else:
        facts.record(fact, Held(Unknown(f"extends {name} and skips its constructor", (name,)), place))


def _why_unread(trainer: Event) -> str:
    """Return why a trainer may load and divide its model in its own way; empty if it is TRL's or the script's."""
    unread = trainer.settings.get(UNREAD)
    return f"{text_of(unread.value)} was not found" if unread is not None else ""


def _state_name(facts: ScriptFacts, model: Held, uncertain: str) -> None:
    """State the model that a trainer gets, and whether it gets the name."""
    value = model.value
    is_name = text_of(value) is not None
    if isinstance(value, Model | Loaded):
        facts.record("plan.model_by_name", model._replace(value=Const(False)), uncertain)
    elif is_name or (isinstance(value, Unknown) and value.is_complete and {*map(type, value.candidates)} == {str}):
        facts.record("plan.model_by_name", model._replace(value=Const(True)), uncertain)
    if is_name:
        facts.record("plan.model", model, uncertain)
    elif isinstance(value, Unknown) and (value.candidates or value.why == FROM_COMMAND_LINE):
        facts.record("plan.model", model)


def _state_loading(facts: ScriptFacts, ran: Executed, trainer: Event, model: Held) -> None:
    """State how the model of a trainer is quantized and divided."""
    record = partial(facts.record, uncertain=why_uncalled([trainer]) or _why_unread(trainer))
    inits = [(c.settings.get("model_init_kwargs"), c.why_open) for c in of_trainer(ran, trainer)]
    loads = loads_of(ran, model, inits)
    is_known = ran.loads_or_names(model.value)
    if is_known and (b"device_map" in ran.source or is_loaded(model.value)):
        # Of a model that TRL gets by name, TRL's release decides.
        record("plan.device_map", model._replace(value=divided_by(loads), optional=False))
    bits = quantized_to(ran, loads) if is_known else Unknown(MAY)
    record("plan.loaded_in_bits", model._replace(value=bits, optional=False))
    if ran.presuming and isinstance(bits, Unknown):
        _presume_quantized(facts, ran, trainer)


def _presume_quantized(facts: ScriptFacts, ran: Executed, trainer: Event) -> None:
    """State the bits with which the script loads its one model before `trainer`, which presumably gets it."""
    before = ran.run.events[: ran.run.events.index(trainer)]
    loads = [event for event in before if loads_policy(event, "AutoModelFor")]
    bits = quantized_to(ran, [event.settings for event in loads])
    if b"unsloth" in ran.source or any(event.why_open for event in loads):
        return
    if loads and isinstance(bits, Const):
        place = loads[-1].place
        presumes = (Presumption(CALL, f"what {place} loads is the model that is trained", trainer.place),)
        # This fact alone presumes it.
        facts.set("plan.loaded_in_bits", bits.value, str(place), place, presumes)


def state_loaded(facts: ScriptFacts, ran: Executed) -> None:
    """State how the script loads the model that is trained."""
    if facts.value("plan.model_by_name") is True:
        return
    for settings, uncertain in _loads(ran):
        for name, fact in _FACTS.items():
            if name in settings:
                facts.record(fact, settings[name], uncertain)


def _loads(ran: Executed) -> list[tuple[Mapping[str, Held], str]]:
    """Return the arguments of the calls that load what is trained, each with why it may not; empty if it does.

    If the trainers do not tell, each call that loads a model for generation may be one of them.
    """
    models = [trainer.settings.get("model") for trainer in ran.trainers]
    loads = [model.value.load for model in models if model is not None and isinstance(model.value, Loaded)]
    if loads and None not in loads and len(loads) == len(models):
        return [(load.settings, why_uncalled(ran.trainers)) for load in loads if load is not None]
    return [(_of_model(event), event.uncertain) for event in ran.policies(*_GENERATES)]


def _of_model(load: Event) -> Mapping[str, Held]:
    """Return the arguments of a call that reach the loading of the model. An adapter names the model itself.

    PEFT's ``_BaseAutoPeftModel.from_pretrained`` (``peft/auto.py``) hands its further keywords on, since 0.4.0.
    """
    of_adapter = load.name.startswith(WITH_ADAPTER)
    return {key: held for key, held in load.settings.items() if key != "model" or not of_adapter}


def presume_loading(facts: ScriptFacts, ran: Executed, options: Mapping[str, Held]) -> None:
    """State how the model is loaded that a trainer gets from what is not followed; presumably as `options` state."""
    unclear = [trainer for trainer in ran.trainers if _is_loaded_somehow(ran, trainer)]
    if ran.presuming and ran.trainers and (unclear or "plan.model_by_name" not in facts.names()):
        _presume_options(facts, ran, options)
    for trainer in unclear:
        if "plan.dtype" not in facts.names():
            facts.forget("plan.dtype", f"{trainer.place}: how the model is loaded is not known", trainer.place)


def _is_loaded_somehow(ran: Executed, trainer: Event) -> bool:
    """Return whether a trainer gets a model that is loaded with arguments which are not known."""
    model = trainer.settings.get("model")
    if model is None or not isinstance(model.value, Loaded):
        return False
    if model.value.load is not None:
        return bool(model.value.load.why_open)
    loads = ran.loads(*_GENERATES)
    return not loads or any(event.why_open for event in loads)


def _presume_options(facts: ScriptFacts, ran: Executed, options: Mapping[str, Held]) -> None:
    for name, held in options.items():
        fact, place, text = fact_of(name), held.place or ran.trainers[0].place, text_of(held.value)
        if fact is not None and fact not in facts.names() and text is not None:
            presumes = (Presumption(CALL, f"what loads the model takes its {name} from the options", place),)
            facts.set(fact, text, str(place), place, presumes)
