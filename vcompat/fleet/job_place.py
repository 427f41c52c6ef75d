"""Where this process is in the job, as its launcher states it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from vcompat.evaluation.fleet.hostlist import expanded
from vcompat.foundation.errors import InputError

_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
#: The port of the rendezvous in a step of Slurm that states none: that of torchrun.
_PORT = "29500"
#: More ranks than any job has: rank 0 looks for each of them.
_SIZE_LIMIT = 200_000


class Place(NamedTuple):
    """This process among those of the job."""

    rank: int
    size: int
    address: str
    port: int
    hosts_store: bool
    """Whether this process has to start the store: torchrun's agent has one already."""
    attempt: str
    local_rank: int = 0

    @property
    def variables(self) -> dict[str, str]:
        """The variables with which a launcher states this."""
        return {
            "RANK": str(self.rank),
            "WORLD_SIZE": str(self.size),
            "LOCAL_RANK": str(self.local_rank),
            "MASTER_ADDR": self.address,
            "MASTER_PORT": str(self.port),
        }


def place(variables: Mapping[str, str] = os.environ) -> Place:
    """Return what the launcher states about this process. Raises InputError if it states nothing, or nonsense."""
    stated = {**_of_slurm(variables), **variables} if "RANK" not in variables else variables
    try:
        rank, size, port = (int(stated[name]) for name in ("RANK", "WORLD_SIZE", "MASTER_PORT"))
        address, local_rank = stated["MASTER_ADDR"], int(stated.get("LOCAL_RANK", "0"))
    except (KeyError, ValueError):
        shown = ", ".join(f"{name}={variables.get(name, '')}" for name in _VARIABLES)
        raise InputError("vcompat.fleet", f"no launcher: {shown}", "torchrun, accelerate launch or srun") from None
    if not 0 <= rank < size <= _SIZE_LIMIT or not 0 <= port < 65536 or local_rank < 0:
        reason = f"RANK={rank} with WORLD_SIZE={size}, LOCAL_RANK={local_rank}, MASTER_PORT={port}"
        raise InputError("vcompat.fleet", reason, "a rank below WORLD_SIZE, and a port")
    has_agent = variables.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    attempt = variables.get("TORCHELASTIC_RESTART_COUNT", "0")
    return Place(rank, size, address, port, rank == 0 and not has_agent, attempt, local_rank)


def _of_slurm(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a launcher for a task of `srun`, which starts all ranks, but names no rendezvous."""
    nodes = variables.get("SLURM_STEP_NODELIST", "")
    task, tasks = variables.get("SLURM_PROCID"), variables.get("SLURM_STEP_NUM_TASKS", variables.get("SLURM_NTASKS"))
    hosts = list(expanded(nodes))
    if task is None or tasks is None or not hosts:
        return {}
    local = variables.get("SLURM_LOCALID", "0")
    # Task 0 runs on the first node of the step.
    return {"RANK": task, "WORLD_SIZE": tasks, "MASTER_ADDR": hosts[0], "MASTER_PORT": _PORT, "LOCAL_RANK": local}
