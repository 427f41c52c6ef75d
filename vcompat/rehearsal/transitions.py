"""Judges transitions after which vLLM may have other weights: sleep, a second generation in a step, evaluation."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.rehearsal.generations import FAR, NEAR, Generation
from vcompat.rehearsal.protocol import AGAIN, KEPT, PHASE, TRAINER, WEIGHTS, Event, Told
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check
from vcompat.rehearsal.weights import by_layer, judged, shown

__all__ = ["evaluation", "second_generation", "sleep"]


def sleep(ranks: Sequence[Told]) -> Check:
    """Judge whether vLLM slept and woke up, and has what it must have then."""
    name = "sleep mode"
    asleep, awake = _phases(ranks, "sleep"), _phases(ranks, "wake up")
    failed = [event for event in (*asleep, *awake) if event.values.get("failed")]
    if failed:
        return Check(name, FAILED, f"{failed[0].values['name']} raised {failed[0].values['failed']}")
    if not asleep or not awake:
        on = any(event.values["settings"].get("vllm_enable_sleep_mode") for one in ranks for event in one.of(TRAINER))
        return Check(name, NOT_EXERCISED, "the engine never slept" if on else "off")
    levels = sorted({str(event.values.get("level", "unknown")) for event in asleep})
    text = f"level {' and '.join(levels)}, {_times(len(_phases(ranks[:1], 'sleep')))}"
    kept = [event.values for one in ranks for event in one.of(KEPT)]
    buffers = {str(lost): None for one in kept for lost in one["lost_buffers"]}
    parameters = {str(lost): None for one in kept for lost in one["lost_parameters"]}
    if buffers or parameters:
        lost = [(what, list(names)) for what, names in (("parameters", parameters), ("buffers", buffers)) if names]
        counts = ", ".join(f"{len(names)} {what if len(names) > 1 else what[:-1]}" for what, names in lost)
        texts = [text for what, names in lost for text in by_layer(names, what)]
        return Check(name, FAILED, f"{text}; it loses of vLLM's model: {counts}", shown(texts))
    results = {one.result for one in judged(ranks)}
    if FAR in results:
        return Check(name, NOT_EXERCISED, f"{text}, but whether it keeps what it must is unknown: weights are wrong")
    if not kept and NEAR not in results:
        return Check(name, NOT_EXERCISED, f"{text}, but nothing could be compared")
    return Check(name, PASSED, f"{text}{'; '.join(['', *_kept(ranks, kept, NEAR in results)])}")


def _kept(ranks: Sequence[Told], kept: Sequence[dict[str, object]], is_near: bool) -> list[str]:
    """What was the same afterward."""
    texts = ["afterward, vLLM has the trainer's weights"] if is_near else ["weights were not compared"]
    if kept and kept[-1]["buffers"]:
        texts.append(f"its {kept[-1]['buffers']} buffers are as before")
    frozen = [event.values for one in ranks for event in one.of(WEIGHTS) if event.values.get("frozen")]
    if frozen:
        texts.append(f"{frozen[-1]['same']} of {frozen[-1]['frozen']} frozen parameters are as at the start")
    return texts


def second_generation(ranks: Sequence[Told]) -> Check:
    """Judge the generations of a step that are not its first: they must have the weights of the first."""
    name = "second generation"
    steps = [event.values.get("step") for event in _phases(ranks[:1], "rollout")]
    again = len(steps) - len(set(steps))
    if not again:
        return Check(name, NOT_EXERCISED, "one generation per step")
    check = _by_weights(name, _times(again), [one for one in judged(ranks) if one.is_again])
    compared = [event.values for one in ranks for event in one.of(AGAIN) if event.values["compared"]]
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
    found = _phases(ranks, name)
    failed = [event for event in found if event.values.get("failed")]
    if failed:
        return Check(name, FAILED, f"raised {failed[0].values['failed']}")
    if not found:
        return Check(name, NOT_EXERCISED, "not configured")
    text = f"took {max(event.values['seconds'] for event in found):.1f} s"
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


def _phases(ranks: Sequence[Told], name: str) -> list[Event]:
    return [event for one in ranks for event in one.of(PHASE) if event.values.get("name") == name]
