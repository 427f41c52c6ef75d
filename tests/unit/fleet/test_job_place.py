from __future__ import annotations

import pytest

from vcompat.fleet.job_place import place
from vcompat.foundation.errors import InputError

TORCHRUN = {"RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1", "MASTER_ADDR": "node1", "MASTER_PORT": "29511"}
SLURM = {
    "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1",
    "SLURM_STEP_NODELIST": "node[07-08]",
}  # fmt: skip


def test_a_rank_of_torchrun_does_not_start_the_store_of_its_agent() -> None:
    here = place({**TORCHRUN, "RANK": "0", "TORCHELASTIC_USE_AGENT_STORE": "True"})
    assert (here.rank, here.size, here.address, here.port, here.hosts_store) == (0, 16, "node1", 29511, False)
    assert place({**TORCHRUN, "RANK": "0"}).hosts_store
    assert not place(TORCHRUN).hosts_store


def test_a_task_of_srun_is_a_rank_and_meets_the_others_on_the_first_node() -> None:
    here = place(SLURM)
    assert (here.rank, here.size, here.address, here.port, here.local_rank) == (3, 4, "node07", 29500, 1)


def test_an_address_of_the_job_script_counts_more_than_the_first_node_of_slurm() -> None:
    here = place({**SLURM, "MASTER_ADDR": "10.0.0.1", "MASTER_PORT": "1234"})
    assert (here.address, here.port) == ("10.0.0.1", 1234)


@pytest.mark.parametrize(
    "wrong",
    [
        {"RANK": "16"},
        {"RANK": "-1"},
        {"RANK": "x"},
        {"MASTER_PORT": "99999"},
        {"LOCAL_RANK": "-1"},
        {"WORLD_SIZE": ""},
        {"WORLD_SIZE": "999999999"},
    ],
)
def test_variables_that_cannot_be_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        place({**TORCHRUN, **wrong})


def test_without_a_launcher_it_states_how_to_start_it() -> None:
    with pytest.raises(InputError, match="expected torchrun, accelerate launch or srun"):
        place({})
