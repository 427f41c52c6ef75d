"""Judges what the processes of a rehearsal reported: one check for each hazardous transition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vcompat.rehearsal.command import Ended
from vcompat.rehearsal.ending import LAST_STEP, clean_exit, exit_of, last_step
from vcompat.rehearsal.memory import memory
from vcompat.rehearsal.protocol import OTHER, OUTPUT, PROBLEM, Told, phase_values, values_of
from vcompat.rehearsal.transitions import evaluation, second_generation, sleep
from vcompat.rehearsal.verdict import FAILED, NO_ESTIMATE, NOT_EXERCISED, PASSED, WEIGHTS, Check, Estimate
from vcompat.rehearsal.weights import parameters, probabilities


def judge(told: Sequence[Told], ended: Ended, estimate: Estimate = NO_ESTIMATE) -> tuple[Check, ...]:
    """Return the checks, in the order in which they matter. `estimate` is what `vcompat check` has of memory."""
    begun = [one for one in told if one.is_rank]
    ranks = [one for one in begun if one.trainer]
    if not ranks:
        return _without_trainer(told, begun, ended, estimate)
    checks = [
        probabilities(ranks),
        parameters(ranks),
        sleep(ranks),
        second_generation(ranks),
        evaluation(ranks),
        _accumulation(ranks),
        _tensor_parallel(ranks),
        _seeds(ranks),
        memory(begun, estimate),
        last_step(begun, ended),
        clean_exit(told, ended),
    ]
    return tuple(checks)


def setting(told: Told, name: str) -> object:
    """Return a setting that the trainer stated; None if it did not."""
    return told.trainer.get("settings", {}).get(name)


def _without_trainer(
    told: Sequence[Told], begun: Sequence[Told], ended: Ended, estimate: Estimate
) -> tuple[Check, ...]:
    """What can be stated if no rank has a trainer."""
    unknown = Check(WEIGHTS, NOT_EXERCISED, _why_no_trainer(told))
    if begun:
        return unknown, memory(begun, estimate), last_step(begun, ended)
    if ended.stuck:
        return unknown, Check(LAST_STEP, FAILED, "nothing made any progress, so all processes were ended")
    if ended.code and not values_of(told, OTHER):
        return unknown, Check(
            LAST_STEP, FAILED, f"the command ended {exit_of(ended.code)} before it made a GRPOTrainer"
        )
    return (unknown,)


def _why_no_trainer(told: Sequence[Told]) -> str:
    others = sorted({str(trainer.get("name")) for trainer in values_of(told, OTHER)})
    if others:
        return f"the command trains with {', '.join(others)}; only TRL's GRPOTrainer can be rehearsed"
    problems = values_of(told, PROBLEM)
    if problems:
        return str(problems[0].get("text"))
    if any(one.is_rank for one in told):
        return "no GRPOTrainer could be made"
    if told:
        return "the command imports transformers or TRL, but makes no GRPOTrainer"
    return "no process of the command imports TRL, or `vcompat run` does not reach it"


def _accumulation(ranks: Sequence[Told]) -> Check:
    name = "gradient accumulation"
    steps = setting(ranks[0], "gradient_accumulation_steps")
    if steps in (None, 1):
        return Check(name, NOT_EXERCISED, "one batch per step")
    done = len(phase_values(ranks[:1], "training step"))
    if not isinstance(steps, int) or done < steps:
        return Check(name, NOT_EXERCISED, f"the training ended after {done} of {steps} batches of its first step")
    return Check(name, PASSED, f"{steps} batches per step")


def groups_of(ranks: Sequence[Told]) -> tuple[int, dict[int, list[Told]]]:
    """Return the tensor-parallel size, and the ranks of each group."""
    given = setting(ranks[0], "vllm_tensor_parallel_size") if ranks else 1
    size = given if isinstance(given, int) and given > 0 else 1
    groups: dict[int, list[Told]] = {}
    for one in ranks:
        groups.setdefault(one.rank // size, []).append(one)
    return size, groups


def _tensor_parallel(ranks: Sequence[Told]) -> Check:
    name = "same tokens"
    size, groups = groups_of(ranks)
    if size == 1:
        return Check(name, NOT_EXERCISED, "no tensor parallelism")
    return _compared(name, groups, lambda rank: [output.get("digest") for output in values_of([rank], OUTPUT)])


def _compared(name: str, groups: dict[int, list[Told]], tokens: Callable[[Told], list[object]]) -> Check:
    compared = 0
    for members in groups.values():
        for other in members[1:]:
            for at, (mine, its) in enumerate(zip(tokens(members[0]), tokens(other), strict=False)):
                compared += 1
                if mine != its:
                    text = f"ranks {members[0].rank} and {other.rank} of one tensor-parallel group"
                    return Check(name, FAILED, f"{text} sampled different tokens in generation {at + 1}")
    if not compared:
        return Check(name, NOT_EXERCISED, "no two ranks of a group generated here")
    return Check(name, PASSED, f"in {compared} generations of the ranks of a tensor-parallel group")


def _seeds(ranks: Sequence[Told]) -> Check:
    name = "seeds of groups"
    _, groups = groups_of(ranks)
    if len(groups) == 1:
        return Check(name, NOT_EXERCISED, "one group")
    seeds = [{output.get("seed") for output in values_of(members, OUTPUT)} for members in groups.values()]
    if any(len(of_group) != 1 or None in of_group for of_group in seeds):
        return Check(name, NOT_EXERCISED, "the seeds are not known")
    if len(set.union(*seeds)) < len(seeds):
        return Check(name, FAILED, "two groups have the same seed, so they sample the same tokens for a prompt")
    return Check(name, PASSED, f"{len(seeds)} groups have different seeds")
