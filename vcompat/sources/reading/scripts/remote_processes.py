"""States the processes in which a trainer of Ray or Kubeflow runs a function of the script."""

from __future__ import annotations

from vcompat.sources.reading.python.libraries.remote_trainers import number_of_workers
from vcompat.sources.reading.scripts.executed import Executed
from vcompat.sources.reading.scripts.script_facts import ScriptFacts


def state_remote(facts: ScriptFacts, ran: Executed) -> None:
    """State how many processes there are, and that the command which starts the script does not launch them."""
    remote = next(iter(ran.events("remote")), None)
    if remote is None:
        return
    place, name = remote.place, {"ray": "Ray", "kubeflow": "Kubeflow"}[remote.name]
    for fact in ("launcher", "world_size", "num_machines", "processes_per_machine"):
        facts.forget(f"plan.{fact}", f"{place}: {name} starts the processes", place)
    workers = number_of_workers(dict(remote.settings))
    if remote.name == "ray":
        # It sets the variables of a rank, as launchers do.
        facts.set("plan.launcher", "launcher", str(place), place)
    if workers is not None:
        facts.set("plan.world_size", workers, f"num_workers in {place}", place)
