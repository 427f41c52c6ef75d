"""Models of unsloth's functions: which model a script loads, and which adapter it adds.

A call of unsloth gets the model and the tokenizer, and may set any environment variable, as its import does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import LOADED, UNSET, Held, Lib, Model, Seq, Step, Unknown, Value

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Classes whose from_pretrained() loads a language model and returns it with its tokenizer or processor.
LOADERS = frozenset("FastLanguageModel FastModel FastVisionModel FastTextModel".split())
#: The first positional parameters of from_pretrained(), which no release has moved.
_OF_LOADING = ("model_name", "max_seq_length", "dtype", "load_in_4bit")
#: Those of get_peft_model() after the model.
_OF_ADAPTER = ("r", "target_modules", "lora_alpha", "lora_dropout")
_TOO_MANY = "positional arguments are given"
#: The variable that makes unsloth's engine sleep during training steps, and its name among the settings of a load.
STANDBY = "UNSLOTH_VLLM_STANDBY"


def call(run: Run, callee: Lib, site: Site) -> Value | None:
    """Call a function of unsloth; None if it is not one that makes a model."""
    owner = callee.owner
    if owner not in LOADERS:
        return None
    if callee.name == "from_pretrained":
        step, variable = _step("loaded", owner, site, _OF_LOADING), standby(run)
        made = Model(LOADED, steps=(step._replace(settings={**step.settings, **variable}),))
        run.record("unsloth", owner, site.place, variable, made)
        _called(run, site, owner)
        return Seq("tuple", [Held(made, site.place), Held(Unknown())])
    model = site.argument(0, "model")
    if callee.name == "get_peft_model" and isinstance(model, Model):
        rest = site._replace(
            arguments=site.arguments[1:], keywords={k: held for k, held in site.keywords.items() if k != "model"}
        )
        step = _step("adapter", owner, rest, _OF_ADAPTER)
        _called(run, site, owner)
        return Model(LOADED, steps=(*model.steps, step))
    return None


def standby(run: Run) -> dict[str, Held]:
    """Return the variable of standby as it is now, by its name; empty if nothing that is read sets it."""
    held = run.environ.cells.get(STANDBY)
    return {STANDBY: held} if held is not None and held.value is not UNSET else {}


def _step(kind: str, owner: str, site: Site, names: tuple[str, ...]) -> Step:
    given = {**dict(zip(names, site.arguments, strict=False)), **site.keywords}
    # As they are now: the call gets them, so that its lists are not known afterward.
    settings = {name: held._replace(value=objects.copied(held.value, deep=True)) for name, held in given.items()}
    why_open = site.why_open or (_TOO_MANY if len(site.arguments) > len(names) else "")
    return Step(kind, owner, settings, site.place, why_open)


def _called(run: Run, site: Site, owner: str) -> None:
    """Note what each of these calls does besides: it can raise, set variables, and change what it gets."""
    if not run.presuming:
        run.raises()
    why = f"{owner} of unsloth may change it"
    for value in site.values:
        run.open(value, why)
    run.open(run.environ, why)
