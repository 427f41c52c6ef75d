from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.fleet_reports import ranks
from vcompat.evaluation.fleet.exchanges import Exercise, exchanges, exercised, summary
from vcompat.sources.nodes.collect import validated
from vcompat.sources.nodes.stream import Document

SIZE, LIMIT = 4, 60.0


def result(rank: int, size: int = SIZE, **changed: Any) -> dict[str, Any]:
    """The result of a rank that did all exchanges, each pair in 1 ms."""
    partners = [other for other in range(size) if other != rank]
    return {
        "step": "point to point", "partner": partners[-1], "number": 30, "for": 0.0,
        "seconds": {"all-reduce": 0.004, "broadcast": 0.001},
        "wrong_sums": [], "wrong_roots": [], "wrong_partners": [],
        "tries": {str(other): [[0.001, 0.0]] * 5 for other in partners},
        "local": [], "error": "", "ended": True, **changed,
    }  # fmt: skip


def job(changed: dict[int, dict[str, Any]], size: int = SIZE, nodes: int = 1, **more: Any) -> Exercise:
    """The exercise of a job in which the results of some ranks are changed."""
    reports = validated(("all", Document(one)) for one in ranks(nodes, size // nodes)).reports
    texts = {rank: json.dumps(result(rank, size, **changed.get(rank, {}))) for rank in range(size)}
    quiet = more.get("quiet", {})
    done, refused = exercised({r: t for r, t in texts.items() if r not in quiet}, quiet, size, reports, LIMIT)
    assert refused == []
    return done


def found(done: Exercise) -> dict[str, list[tuple[str, str, tuple[str, ...]]]]:
    return {
        one.kind.id: [(entry.subject, group.value, group.nodes) for entry in one.entries for group in entry.groups]
        for one in exchanges(done)
    }


def waits(partner: int, step: str = "point to point", seconds: float = 50.0, number: int = 7) -> dict[str, Any]:
    return {"ended": False, "step": step, "partner": partner, "for": seconds, "number": number}


def tries(rank: int, slow: dict[int, float], waited: float | None = 0.0, size: int = SIZE) -> dict[str, Any]:
    others = [other for other in range(size) if other != rank]
    return {"tries": {str(other): [[slow.get(other, 0.001), waited]] * 5 for other in others}}


def test_a_sound_job_has_no_finding_and_one_sentence_with_times() -> None:
    done = job({})
    assert found(done) == {}
    assert summary(done, "gloo") == (
        "Exercised over gloo, 4 of 4 ranks to the end: all-reduce 4 ms, broadcast 1 ms, 6 pairs 1 ms to 1 ms"
    )


def test_a_rank_that_stopped_explains_why_others_wait() -> None:
    done = job({0: waits(2), 1: waits(0), 3: waits(1)}, quiet={2: (41.0, "point to point")})
    assert found(done) == {
        "ranks-stopped": [("exercise", "no sign for 41 s, last sign during point to point", ("node1 rank 2",))]
    }


def test_an_error_that_follows_from_a_rank_that_stopped_is_none_of_its_own() -> None:
    done = job({0: {"ended": False, "error": "Connection closed by peer"}}, quiet={1: (30.0, "")})
    assert found(done) == {"ranks-stopped": [("exercise", "no sign for 30 s", ("node1 rank 1",))]}


def test_two_ranks_that_wait_for_each_other_are_a_blocked_pair_and_those_behind_them_are_not() -> None:
    done = job({0: waits(3, number=7), 3: waits(0, number=7), 1: waits(0, number=8, seconds=49), 2: waits(3, number=8)})
    assert found(done) == {
        "exchange-blocked": [("point to point", "did not end within 50 s", ("node1 rank 0", "node1 rank 3"))]
    }


def test_a_pair_that_waits_for_less_than_half_the_limit_is_not_called_blocked() -> None:
    done = job({0: waits(3, seconds=29.0), 3: waits(0, seconds=29.0)})
    assert list(found(done)) == ["exchange-unfinished"]


def test_a_collective_operation_in_which_all_wait_is_blocked() -> None:
    done = job({rank: waits(-1, "all-reduce", 59.0, 2) for rank in range(4)})
    ((subject, text, _),) = found(done)["exchange-blocked"]
    assert (subject, text) == ("all-reduce", "all ranks take part, and it did not end within 59 s")


def test_a_collective_operation_that_one_rank_has_not_reached_is_not_blocked() -> None:
    behind = {rank: waits(-1, "all-reduce", 59.0, 2) for rank in range(3)}
    done = job({**behind, 3: waits(-1, "/dev/shm", 59.0, 1)})
    assert list(found(done)) == ["exchange-unfinished"]
    assert ("/dev/shm", "not ended after 60 s", ("node1 rank 3",)) in found(done)["exchange-unfinished"]


def test_what_a_backend_reports_is_grouped_by_text() -> None:
    failed = {"ended": False, "step": "all-reduce", "error": "NCCL error: unhandled system error"}
    done = job({0: failed, 2: failed})
    text = "all-reduce: NCCL error: unhandled system error"
    assert found(done) == {"exchange-failed": [("error", text, ("node1 rank 0", "node1 rank 2"))]}


def test_data_that_are_wrong_everywhere_name_the_sender_and_else_the_way() -> None:
    everywhere = job({rank: {"wrong_partners": [2]} for rank in (0, 1, 3)})
    assert found(everywhere) == {
        "exchange-wrong": [("point to point", "sends data that arrive wrong at all others", ("node1 rank 2",))]
    }
    one_way = job({3: {"wrong_partners": [2], "wrong_roots": [2]}})
    assert found(one_way) == {
        "exchange-wrong": [
            ("broadcast", "sends data that arrive wrong at node1 rank 3", ("node1 rank 2",)),
            ("point to point", "sends data that arrive wrong at node1 rank 3", ("node1 rank 2",)),
        ]
    }


def test_wrong_sums_name_the_rank_whose_part_is_wrong_or_that_adds_wrongly() -> None:
    part = job({rank: {"wrong_sums": [1, -1]} for rank in range(4)})
    all_ranks = ("node1 rank 0", "node1 rank 1", "node1 rank 2", "node1 rank 3")
    assert found(part) == {"exchange-wrong": [("all-reduce", "the part of node1 rank 1 is wrong", all_ranks)]}
    alone = job({2: {"wrong_sums": [0, 1, 2, 3, -1]}})
    assert found(alone) == {"exchange-wrong": [("all-reduce", "wrong sums", ("node1 rank 2",))]}


def test_a_slow_rank_is_named_once_and_a_slow_pair_by_both_ranks() -> None:
    rank = job({r: tries(r, {3: 0.1} if r != 3 else dict.fromkeys(range(3), 0.1)) for r in range(4)})
    assert found(rank) == {
        "exchange-slow": [
            ("point to point within a node", "100 ms or more with each partner, 1.0 ms is usual", ("node1 rank 3",))
        ]
    }
    pair = job({1: tries(1, {2: 0.1}), 2: tries(2, {1: 0.1})})
    assert found(pair) == {
        "exchange-slow": [("point to point within a node", "100 ms, 1.0 ms is usual", ("node1 rank 1", "node1 rank 2"))]
    }


@pytest.mark.parametrize("waited", [0.09, None])
def test_a_pair_whose_processes_waited_for_a_processor_is_not_called_slow(waited: float | None) -> None:
    assert found(job({1: tries(1, {2: 0.1}, waited), 2: tries(2, {1: 0.1})})) == {}


def test_one_fast_try_is_enough() -> None:
    slow_once = tries(1, {2: 0.1})
    slow_once["tries"]["2"] = [[0.1, 0.0]] * 4 + [[0.001, 0.0]]
    assert found(job({1: slow_once, 2: tries(2, {1: 0.1})})) == {}


def test_on_a_loaded_machine_the_tries_of_other_pairs_set_the_limit() -> None:
    slow = {"tries": {"2": [[0.1, 0.0]] * 5, "0": [[0.001, 0.0]] * 2 + [[0.2, 0.0]] * 3, "3": [[0.001, 0.0]] * 5}}
    other = {"tries": {"1": slow["tries"]["0"], "2": [[0.001, 0.0]] * 5, "3": [[0.001, 0.0]] * 5}}
    assert found(job({0: other, 1: slow, 2: tries(2, {1: 0.1})})) == {}


def test_a_slow_rank_is_named_though_one_of_its_pairs_waited_for_a_processor() -> None:
    slow = {r: tries(r, {3: 0.1} if r != 3 else dict.fromkeys(range(3), 0.1)) for r in range(4)}
    slow[0]["tries"]["3"] = [[0.1, 0.095]] * 5
    assert [nodes for _, _, nodes in found(job(slow))["exchange-slow"]] == [("node1 rank 3",)]


def test_one_side_that_came_late_does_not_make_a_pair_slow() -> None:
    assert found(job({1: tries(1, {2: 0.1})})) == {}


def test_three_ranks_are_too_few_to_say_what_is_usual() -> None:
    slow = {r: tries(r, {2: 0.1} if r != 2 else {0: 0.1, 1: 0.1}, size=3) for r in range(3)}
    assert found(job(slow, size=3)) == {}


def test_pairs_between_nodes_are_not_compared_with_pairs_within_one() -> None:
    # Two nodes of four ranks: 30 times slower between them is a network, not a failure.
    across = {r: tries(r, {o: 0.03 for o in range(8) if o // 4 != r // 4}, size=8) for r in range(8)}
    assert found(job(across, size=8, nodes=2)) == {}


def test_ranks_of_several_nodes_are_named_with_their_node() -> None:
    done = job({}, size=4, nodes=2, quiet={3: (40.0, "all-reduce")})
    assert found(done)["ranks-stopped"][0][2] == ("node2 rank 3",)


def test_what_is_wrong_on_a_node_is_stated_with_its_ranks() -> None:
    done = job({1: {"local": [["GPU 0 to GPU 1", "4096 of 16777216 bytes differ"]]}})
    assert found(done) == {"node-fails": [("GPU 0 to GPU 1", "4096 of 16777216 bytes differ", ("node1 rank 1",))]}


FORGED: dict[str, Any] = {
    "no object": [],
    "a rank above the size": result(0, wrong_roots=[4]),
    "a negative rank": result(0, wrong_partners=[-1]),
    "a truth value as a rank": result(0, wrong_sums=[True]),
    "a text as a time": result(0, **{"for": "long"}),
    "no number": result(0, **{"for": float("nan")}),
    "an infinite time": result(0, tries={"1": [[float("inf"), 0.0]]}),
    "a long text": result(0, error="x" * 10_000),
    "half a surrogate": result(0, step="\ud800"),
    "a partner that is no number": result(0, tries={"one": []}),
    "a try without its waiting time": result(0, tries={"1": [[0.1]]}),
    "a million tries": result(0, tries={"1": [[0.1, 0.0]] * 101}),
    "an unknown end": result(0, ended=1),
    "a number of exchanges that cannot be": result(0, number=2**70),
    "an event with three parts": result(0, local=[["a", "b", "c"]]),
}  # fmt: skip


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_forged_result_is_refused_with_the_reason(forged: Any) -> None:
    done, ((where, reason),) = exercised({0: json.dumps(forged)}, {}, SIZE, (), LIMIT)
    assert where == "rank 0"
    assert "malformed" in reason
    assert done.results == {}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"step": 1}', "x" * 2_000_000, "NaN"])
def test_a_result_that_is_no_json_object_is_refused(text: str) -> None:
    _, refused = exercised({0: text}, {}, SIZE, (), LIMIT)
    assert len(refused) == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(key=st.sampled_from(sorted(result(0))), value=VALUES)
def test_any_value_in_any_field_is_judged_or_refused(key: str, value: Any) -> None:
    texts = {rank: json.dumps(result(rank)) for rank in range(1, SIZE)}
    done, refused = exercised({0: json.dumps({**result(0), key: value}), **texts}, {}, SIZE, (), LIMIT)
    assert len(done.results) + len(refused) == SIZE
    found(done)
    assert summary(done, "gloo")
