"""Whether the code of a run imports TRL's trainers, so that what fails in their modules fails in the run."""

from __future__ import annotations

from enum import Enum

from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import TRL
from vcompat.facts.presumption import CALL, Presumption

#: What is presumed of a run that makes the configuration of a trainer which its code is not seen to import.
PRESUMED = (Presumption(CALL, "code that is not followed imports TRL's trainer"),)


class Imported(Enum):
    """Whether a run imports a trainer of TRL that generates."""

    YES = "yes"
    """It does, or that is not known."""
    UNSEEN = "unseen"
    """Its configuration is made, and no code that was read imports it."""
    NO = "no"


def imported(facts: Facts) -> Imported:
    """Return whether the run imports a trainer of TRL that generates, by the code that was read."""
    if not facts.uses or facts.value("plan.framework", TRL) != TRL or facts.is_open("plan.framework"):
        return Imported.YES
    uses = [each.use for each in facts.uses if each.package == "trl"]
    if any(_is_trainer(use.name.partition(".")[0]) or _has_trainer(use.module, use.name) for use in uses):
        return Imported.YES
    trainer, configuration = facts.value("plan.trainer"), facts.value("plan.configuration")
    if isinstance(trainer, str):
        return Imported.YES if _is_trainer(trainer) else Imported.NO
    unknown = [
        name for name in ("plan.trainer", "plan.configuration") if facts.get(name) is None and facts.is_open(name)
    ]
    if any(facts.likely(name) is None for name in unknown):
        return Imported.YES
    makes = isinstance(configuration, str) and _is_trainer(f"{configuration.removesuffix('Config')}Trainer")
    return Imported.UNSEEN if makes else Imported.NO


def _has_trainer(module: str, name: str) -> bool:
    """Return whether a module that is imported has trainers, or all names of one are."""
    parts = f"{module}.{name}".split(".")
    return name == "*" or any(part.endswith("_trainer") or part == "generation" for part in parts)


def _is_trainer(name: str) -> bool:
    """Return whether a class of TRL is a trainer that generates, by the settings of its configuration."""
    # Imported here: without a script, no name is known.
    from vcompat.facts.records.recorded_settings import all_names

    return name.endswith("Trainer") and "use_vllm" in all_names("trl", f"{name.removesuffix('Trainer')}Config")
