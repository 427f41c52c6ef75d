"""What several runs have in common."""

from __future__ import annotations

from tests.unit.sources.reading.told import told
from vcompat.facts.facts import Facts, Place
from vcompat.facts.stated import Stated
from vcompat.facts.value import FactValue
from vcompat.sources.reading.runs import in_common

A, B = Place("a.sh", 1), Place("b.sh", 2)


def facts(place: Place, closed: str = "", **values: FactValue) -> Facts:
    found = Facts(closed=closed.split())
    for name, value in values.items():
        found.set(f"plan.{name}", value, str(place), place)
    return found


def test_one_run_has_all_of_its_facts_in_common() -> None:
    one = facts(A, "env", beta=1)
    common = in_common([("a", one)])
    assert told(common) == told(one)
    common.set("plan.beta", 2, "x")
    assert one.value("plan.beta") == 1


def test_facts_with_the_same_value_are_kept_and_others_are_unknown() -> None:
    one, other = facts(A, beta=1, bf16=True, optim="x"), facts(B, beta=1, bf16=False, fp16=None)
    common = in_common([("a", one), ("b", other)])
    assert told(common) == [
        "beta = 1 (a.sh:1)",
        "bf16 ? the runs differ: true in a, false in b at a.sh:1",
        "fp16 ? the runs differ: unknown in a, none in b at b.sh:2",
        "optim ? the runs differ: x in a, unknown in b at a.sh:1",
    ]
    assert told(one)[:2] == ["beta = 1 (a.sh:1)", "bf16 = True (a.sh:1)"]


def test_a_reason_of_one_run_is_the_reason_of_all() -> None:
    one, other, third = facts(A, beta=1), facts(B), facts(B, beta=1)
    other.forget("plan.beta", "computed", B)
    third.forget("plan.bf16", "first")
    other.forget("plan.bf16", "second", A)
    assert told(in_common([("a", one), ("b", other)])) == [
        "beta ? computed at b.sh:2",
        "bf16 ? second at a.sh:1",
    ]
    assert told(in_common([("a", one), ("c", third), ("b", other)])) == [
        "beta ? computed at b.sh:2",
        "bf16 ? first at no position",
    ]


def test_four_runs_are_named_in_a_reason() -> None:
    runs = [(f"run {number}", facts(A, beta=number)) for number in range(6)]
    told_runs = "0 in run 0, 1 in run 1, 2 in run 2, 3 in run 3"
    assert told(in_common(runs)) == [f"beta ? the runs differ: {told_runs} at a.sh:1"]


def test_a_family_is_complete_if_it_is_in_all_runs() -> None:
    both, one = facts(A, "env packages"), facts(B, "env")
    assert in_common([("a", both), ("b", one)]).closed == {"env"}
    assert in_common([("a", one), ("b", facts(B))]).closed == set()


def test_what_the_classes_of_any_run_get_is_kept_once() -> None:
    first, second, third = (Stated((name,), (), A) for name in "abc")
    one, other = facts(A), facts(B)
    one.stated, other.stated = (first, second), (second, third)
    assert in_common([("a", one), ("b", other), ("c", other)]).stated == (first, second, third)


def test_a_fact_of_a_complete_family_is_known_in_runs_that_do_not_set_it() -> None:
    one, other = facts(A, "env"), facts(B, "env")
    one.set("env.X", None, "not set")
    assert told(in_common([("a", one), ("b", other)])) == ["env.X = None (not set) at no position", "closed: env"]
    one.set("env.X", "1", "x.sh:1", Place("x.sh", 1))
    assert told(in_common([("a", one), ("b", other)]))[0] == "env.X ? the runs differ: 1 in a, none in b at x.sh:1"


def test_the_gpus_of_runs_on_some_of_them_are_all_of_these() -> None:
    one, all_, other = Facts(), Facts(), Facts()
    for found, capabilities in ((one, ("9.0",)), (all_, ("9.0", "9.0")), (other, ("8.0", "8.0"))):
        found.set("gpu.count", len(capabilities), "target")
        found.set("gpu.compute_capability", capabilities, "target")
        found.set("gpu.driver", str(len(capabilities)), "target")
    common = in_common([("a", one), ("b", all_)])
    assert (common.value("gpu.count"), common.value("gpu.compute_capability")) == (2, ("9.0", "9.0"))
    assert common.get("gpu.driver") is None
    assert in_common([("a", one), ("b", other)]).get("gpu.compute_capability") is None
