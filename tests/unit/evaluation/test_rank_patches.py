"""Which process is a rank, and in what ranks differ."""

from __future__ import annotations

from typing import Any

from vcompat.evaluation.rank_patches import Difference, compare, rank_of
from vcompat.patching.ledger import Entry, Ledger
from vcompat.patching.process_reports import Process


def process(pid: int = 1, rank: int | None = 0, status: str = "applied", **more: Any) -> Process:
    variables = {} if rank is None else {"RANK": str(rank)}
    values: dict[str, Any] = {
        "pid": pid, "parent": 0, "host": "node1", "program": "train.py", "python": "3.11.7", "vcompat": "0.1.0",
        "began": float(pid), "ended": True, "variables": variables, "versions": {"vllm": "0.31.0"},
        "patches": Ledger({"a_patch": Entry(status, "")}),
    }  # fmt: skip
    return Process(**{**values, **more})


def test_ranks_with_the_same_outcome_do_not_differ() -> None:
    ranks = compare([process(11, 1), process(10, 0)])
    assert list(ranks.each) == [0, 1]
    assert not (ranks.differences or ranks.waiting or ranks.missing or ranks.others)


def test_a_patch_that_one_rank_refuses_is_a_difference() -> None:
    ranks = compare([process(10, 0), process(11, 1, "refused"), process(12, 2)])
    assert ranks.differences == [Difference("a_patch", {"applied": (0, 2), "refused": (1,)})]


def test_a_patch_that_one_rank_did_not_select_is_a_difference() -> None:
    (difference,) = compare([process(10, 0), process(11, 1, patches=Ledger({}))]).differences
    assert difference.values == {"applied": (0,), "not selected": (1,)}


def test_versions_of_packages_python_and_vcompat_are_compared() -> None:
    other = process(11, 1, versions={"vllm": "0.30.0", "trl": "1.16.0"}, python="3.12.0", vcompat="0.2.0")
    ranks = compare([process(10, 0), other])
    assert {difference.what: difference.values for difference in ranks.differences} == {
        "vcompat": {"0.1.0": (0,), "0.2.0": (1,)},
        "Python": {"3.11.7": (0,), "3.12.0": (1,)},
        "vllm": {"0.31.0": (0,), "0.30.0": (1,)},
    }


def test_a_patch_that_no_rank_needs_is_no_difference() -> None:
    ranks = compare([process(10, 0, "not needed"), process(11, 1, "pending")])
    assert not (ranks.differences or ranks.waiting)


def test_a_version_that_is_not_known_is_no_difference() -> None:
    assert compare([process(10, 0), process(11, 1, versions={"vllm": ""})]).differences == []


def test_a_rank_that_still_runs_may_be_waiting_for_an_import() -> None:
    ranks = compare([process(10, 0), process(11, 1, "pending", ended=False)])
    assert (ranks.differences, [one.what for one in ranks.waiting]) == ([], ["a_patch"])


def test_a_rank_that_ended_without_the_import_needed_no_patch() -> None:
    """In server mode, only rank 0 talks to vLLM."""
    ranks = compare([process(10, 0), process(11, 1, "pending"), process(12, 2, "pending", ended=False)])
    assert ranks.differences == []
    assert ranks.waiting == [Difference("a_patch", {"applied": (0,), "pending": (1, 2)})]


def test_a_program_that_another_one_replaced_in_its_process_is_not_listed() -> None:
    """`trl vllm-serve` becomes `vllm serve`."""
    first = process(10, None, "pending", program="trl", ended=False)
    second = process(10, None, began=11.0, program="main.py")
    later = process(10, None, began=12.0, program="python", parent=77)
    assert compare([later, second, first]).others == [second, later]


def test_ranks_that_differ_otherwise_differ_although_one_waits() -> None:
    others = [process(10, 0), process(11, 1, "refused"), process(12, 2, "pending", ended=False)]
    assert [one.what for one in compare(others).differences] == ["a_patch"]


def test_a_process_that_a_rank_starts_is_not_the_rank() -> None:
    """An engine core inherits RANK from the trainer that starts it."""
    core = process(20, 0, "pending", parent=10)
    ranks = compare([process(10, 0), core, process(11, 1)])
    assert ranks.others == [core] and not ranks.differences


def test_the_process_that_starts_the_ranks_is_none() -> None:
    agent = process(5, None, "pending")
    ranks = compare([agent, process(10, 0, parent=5), process(11, 1, parent=5)])
    assert (list(ranks.each), ranks.others, ranks.differences) == ([0, 1], [agent], [])


def test_a_process_with_the_same_number_on_another_host_is_no_parent() -> None:
    ranks = compare([process(10, 0), process(20, 1, parent=10, host="node2"), process(21, 0, parent=10, host="node2")])
    assert ranks.each[0].pid == 21 and ranks.each[1].pid == 20


def test_after_a_restart_the_last_process_is_the_rank() -> None:
    ranks = compare([process(30, 0), process(10, 0, "refused")])
    assert ranks.each[0].pid == 30


def test_ranks_of_the_run_that_wrote_nothing_are_named() -> None:
    assert compare([process(1, 0, variables={"RANK": "0", "WORLD_SIZE": "3"})]).missing == [1, 2]
    assert compare([process(1, 0, variables={"RANK": "0", "WORLD_SIZE": "9" * 30})]).missing == []


def test_a_rank_that_wrote_nothing_differs_once_the_others_of_its_host_have_ended() -> None:
    def rank(number: int, **more: Any) -> Process:
        variables = {"RANK": str(number), "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2"}
        return process(10 + number, variables=variables, **more)

    assert compare([rank(0), rank(1)]).short == {}, "the ranks of another host may have written there"
    assert compare([rank(0)]).short == {"node1": (1, 2)}
    assert compare([rank(0, ended=False)]).short == {}
    assert compare([rank(0), rank(1), rank(2, host="node2")]).short == {"node2": (1, 2)}


def test_launchers_number_processes_in_different_variables() -> None:
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
        assert rank_of(process(variables={name: "3"})) == 3
    assert rank_of(process(variables={"SLURM_PROCID": "0", "RANK": "5"})) == 5
    assert rank_of(process(variables={"RANK": "five"})) is None
    assert rank_of(process(variables={})) is None
