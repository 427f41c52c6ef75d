"""Judges transitions after which vLLM may have other weights: sleep, a second generation in a step, evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vcompat.rehearsal.generations import FAR, NEAR, Generation
from vcompat.rehearsal.protocol import AGAIN, KEPT, TRAINER, WEIGHTS, Told, phase_values, values_of
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check
from vcompat.rehearsal.weights import by_layer, judged, shown


def sleep(ranks: Sequence[Told]) -> Check:
    """Judge whether vLLM slept and woke up, and has what it must have then."""
    name = "sleep mode"
    asleep, awake = phase_values(ranks, "sleep"), phase_values(ranks, "wake up")
    failed = [phase for phase in (*asleep, *awake) if phase.get("failed")]
    if failed:
        return Check(name, FAILED, f"{failed[0]['name']} raised {failed[0]['failed']}")
    if not asleep or not awake:
        on = any(stated["settings"].get("vllm_enable_sleep_mode") for stated in values_of(ranks, TRAINER))
        return Check(name, NOT_EXERCISED, "the engine never slept" if on else "off")
    levels = sorted({str(phase.get("level", "unknown")) for phase in asleep})
    text = f"level {' and '.join(levels)}, {_times(len(phase_values(ranks[:1], 'sleep')))}"
    kept = values_of(ranks, KEPT)
    counts, lost = _lost(kept)
    if lost:
        return Check(name, FAILED, f"{text}; it loses of vLLM's model: {counts}", shown(lost))
    results = {generation.result for generation in judged(ranks)}
    if FAR in results:
        return Check(name, NOT_EXERCISED, f"{text}, but whether it keeps what it must is unknown: weights are wrong")
    if not kept and NEAR not in results:
        return Check(name, NOT_EXERCISED, f"{text}, but nothing could be compared")
    return Check(name, PASSED, f"{text}{'; '.join(['', *_kept(ranks, kept, NEAR in results)])}")


def _lost(kept: Sequence[dict[str, Any]]) -> tuple[str, list[str]]:
    """How many parameters and buffers sleep loses, in words, and which."""
    counts, texts = [], []
    for what in ("parameters", "buffers"):
        names = list(dict.fromkeys(str(name) for values in kept for name in values[f"lost_{what}"]))
        if names:
            counts.append(f"{len(names)} {what if len(names) > 1 else what[:-1]}")
            texts += by_layer(names, what)
    return ", ".join(counts), texts


def _kept(ranks: Sequence[Told], kept: Sequence[dict[str, Any]], is_near: bool) -> list[str]:
    """What was the same afterward."""
    texts = ["afterward, vLLM has the trainer's weights"] if is_near else ["weights were not compared"]
    if kept and kept[-1]["buffers"]:
        texts.append(f"its {kept[-1]['buffers']} buffers are as before")
    frozen = [values for values in values_of(ranks, WEIGHTS) if values.get("frozen")]
    if frozen:
        texts.append(f"{frozen[-1]['same']} of {frozen[-1]['frozen']} frozen parameters are as at the start")
    return texts


def second_generation(ranks: Sequence[Told]) -> Check:
    """Judge the generations of a step that are not its first: they must have the weights of the first."""
    name = "second generation"
    steps = [phase.get("step") for phase in phase_values(ranks[:1], "rollout")]
    again = len(steps) - len(set(steps))
    if not again:
        return Check(name, NOT_EXERCISED, "one generation per step")
    check = _by_weights(name, _times(again), [one for one in judged(ranks) if one.is_again])
    compared = [values for values in values_of(ranks, AGAIN) if values["compared"]]
    worst = max(compared, key=lambda values: int(values["count"]), default=None)
    if worst is None or (check.status == FAILED and not worst["count"]):
        return check
    if not worst["count"]:
        text = f"{_times(again)}, with the parameters of the first"
        return check if check.status == PASSED else Check(name, PASSED, text)
    text = f"{worst['count']} of {worst['compared']} parameters are not those of the first generation of the step"
    text = f"{check.text}; {text}" if check.status == FAILED else f"{_times(again)}, but {text}"
    # If all are others, their names tell nothing.
    names = worst["changed"] if worst["count"] < worst["compared"] else []
    return Check(name, FAILED, text, shown(by_layer(names)))


def evaluation(ranks: Sequence[Told]) -> Check:
    """Judge whether an evaluation ran, and with which weights it generated."""
    name = "evaluation"
    phases = phase_values(ranks, name)
    failed = [phase["failed"] for phase in phases if phase.get("failed")]
    if failed:
        return Check(name, FAILED, f"raised {failed[0]}")
    if not phases:
        return Check(name, NOT_EXERCISED, "not configured")
    text = f"took {max(phase['seconds'] for phase in phases):.1f} s"
    mine = [one for one in judged(ranks) if one.is_evaluation]
    return _by_weights(name, text, mine) if mine else Check(name, PASSED, text)


def _by_weights(name: str, text: str, made: Sequence[Generation]) -> Check:
    """Judge generations by the weights that they used."""
    far, near = (sum(one.result == result for one in made) for result in (FAR, NEAR))
    if far:
        return Check(name, FAILED, f"{far} of {len(made)} generations used other weights than the trainer's")
    if not near:
        return Check(name, NOT_EXERCISED, f"{text}, but its weights were not compared")
    return Check(name, PASSED, f"{text}, with the trainer's weights")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
