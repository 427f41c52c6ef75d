"""How a script or a notebook is presumably started that is given without the command that starts it."""

from __future__ import annotations

from vcompat.facts.facts import Facts

_STARTS = ("plan.launcher", "plan.world_size")


def is_alone(facts: Facts) -> bool:
    """Return whether a trainer is configured, nothing states how it is started, and one way is to be expected."""
    recorded = facts.names()
    return (
        any(name in recorded for name in ("plan.configuration", "plan.trainer"))
        and not any(name in recorded or facts.get(name) is not None for name in _STARTS)
        and (facts.value("plan.notebook") is True or facts.value("gpu.count") == 1)
    )


def presume_start(facts: Facts) -> None:
    """Presume that a notebook's kernel runs the trainer, and that one GPU needs no launcher."""
    if is_alone(facts):
        # Imported here: without run files, nothing is presumed.
        from vcompat.facts.presumption import CALLER, Presumption

        text = "the script is started with python, since there is one GPU"
        if facts.value("plan.notebook") is True:
            text = "the trainer runs in the kernel of the notebook"
        facts.set("plan.launcher", "python", "no launcher is named", presumes=(Presumption(CALLER, text),))
