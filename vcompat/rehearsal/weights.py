"""Judges whether weights arrive in vLLM: by the probabilities of its tokens, and by checksums of its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vcompat.rehearsal.generations import FAR, NEAR, UNCLEAR, UNUSABLE, Generation, generations, which
from vcompat.rehearsal.protocol import OUTPUT, PROBLEM, Told, values_of
from vcompat.rehearsal.protocol import WEIGHTS as CHECKSUMS
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, WEIGHTS, Check

#: How far vLLM's probabilities may be from those of the trainer's weights, as a share of the distance between those and
#: the probabilities of other weights: where both compute in float32, and where one has fewer bits. `bench/canary.py`
#: measures healthy and broken runs: in healthy ones the shares were at most 0.00001 and 0.06.
MOST_FLOAT32, MOST = 0.01, 0.12
#: With fewer bits, a share above is a failure only if rounding does not explain it: the distance is so many times what
#: other last bits of all weights make. In healthy runs it was at most 0.7 times, in broken ones at least 5 times.
MOST_NOISE = 2.0
#: A quantized engine rounds more than that. There, the probabilities must not follow the move: the slope is off by so
#: much, and by so many standard errors.
_SLOPE, _ERRORS = 0.1, 5
#: A distance of logarithmic probabilities below which no difference of weights shows.
LEAST_MOVED = 1e-4
#: Types of vLLM's cache that round no more than the engine.
_FULL = ("auto", "bfloat16", "float16", "float32", "")
#: Entries that are shown, and parameters of one layer that are named one by one.
_SHOWN, _OF_ONE_LAYER = 8, 3
_LAYER = re.compile(r".*?\.\d+(?=\.)")


def probabilities(ranks: Sequence[Told]) -> Check:
    """Judge the comparison of vLLM's probabilities with the trainer's."""
    reason = next((str(one.trainer["cannot_move"]) for one in ranks if one.trainer["cannot_move"]), "")
    if reason:
        return Check(WEIGHTS, NOT_EXERCISED, reason)
    made = judged(ranks)
    without = sum(int(one.values["not_finite"]) for one in made)
    if without:
        return Check(WEIGHTS, FAILED, f"vLLM reports no finite probability for {without} of the tokens that it sampled")
    usable = [one for one in made if one.result != UNUSABLE]
    if not usable:
        return Check(WEIGHTS, NOT_EXERCISED, _why_unusable(ranks, [one.values for one in made]))
    return _by_distance(usable, _most(ranks))


def _by_distance(usable: Sequence[Generation], most: float) -> Check:
    """Judge generations by the one whose probabilities are farthest from the trainer's."""
    far, near = ([one for one in usable if one.result == result] for result in (FAR, NEAR))
    worst = max((one.values for one in far or near or usable), key=share)
    text = f"vLLM's log probabilities differ by {worst['to_moved']:.2g} from the trainer's"
    other = f"with old weights it would be {worst['moved']:.2g}"
    if far:
        what = "they are those of old weights" if worst["to_restored"] < worst["to_moved"] * most else other
        text = f"{text} in {len(far)} of {len(usable)} generations; {what}"
        return Check(WEIGHTS, FAILED, text, which(far, usable))
    if near:
        return Check(WEIGHTS, PASSED, f"{text}; {other} ({len(near)} generation{'s' * (len(near) > 1)})")
    return Check(WEIGHTS, NOT_EXERCISED, f"{text}; {other}, which is too little to tell them apart")


def judged(ranks: Sequence[Told]) -> list[Generation]:
    """Return the generations of all ranks, with what their probabilities show."""
    is_float32, is_quantized, most = _is_float32(ranks), _is_quantized(ranks), _most(ranks)

    def result(canary: Mapping[str, Any]) -> str:
        if canary["not_finite"]:
            return FAR
        if not canary["exact"] or not canary["tokens"] or canary["moved"] < LEAST_MOVED:
            return UNUSABLE
        if share(canary) <= most:
            return NEAR
        return FAR if is_float32 or not _is_noise(canary, is_quantized) else UNCLEAR

    return [one._replace(result=result(one.values)) for one in generations(ranks)]


def _most(ranks: Sequence[Told]) -> float:
    return MOST_FLOAT32 if _is_float32(ranks) else MOST


def share(canary: Mapping[str, Any]) -> float:
    """Return how far vLLM's probabilities are from the trainer's, as a share of what other weights would make."""
    whole = max(float(canary["to_restored"]), float(canary["moved"]))
    return float(canary["to_moved"]) / whole if whole else 0.0


def noise(canary: Mapping[str, Any]) -> float:
    """Return how far vLLM's probabilities are from the trainer's, as a multiple of what rounding makes."""
    return float(canary["to_moved"]) / max(float(canary["noise"]), 1e-12)


def _is_noise(canary: Mapping[str, Any], is_quantized: bool) -> bool:
    if is_quantized:
        return abs(1 - float(canary["slope"])) <= max(_SLOPE, _ERRORS * float(canary["error"]))
    return noise(canary) <= MOST_NOISE


def _is_quantized(ranks: Sequence[Told]) -> bool:
    """Whether vLLM's weights or its cache have fewer bits than the type in which it computes."""
    outputs = values_of(ranks, OUTPUT)
    return any(output.get("quantization") or output.get("cache", "auto") not in _FULL for output in outputs)


def _is_float32(ranks: Sequence[Told]) -> bool:
    """Whether trainer and engine compute in float32."""
    engines = {output.get("dtype") for output in values_of(ranks, OUTPUT)}
    exact = (one.trainer["dtypes"] == ["float32"] and not one.trainer["mixed"] for one in ranks)
    return engines == {"float32"} and all(exact)


def _why_unusable(ranks: Sequence[Told], canaries: Sequence[Mapping[str, Any]]) -> str:
    problems = values_of(ranks, PROBLEM)
    if problems:
        return str(problems[0].get("text"))
    if not all(one["exact"] for one in canaries):
        return "something else changed the trained weights while vLLM generated"
    return "the moved weights do not change the probabilities" if canaries else "nothing was generated"


def parameters(ranks: Sequence[Told]) -> Check:
    """Judge the comparison of vLLM's parameters from one step to the next."""
    name = "parameters"
    events = values_of(ranks, CHECKSUMS)
    compared = max((int(one["compared"]) for one in events), default=0)
    if not compared:
        return Check(name, NOT_EXERCISED, "vLLM has none of the trained ones by name, or they are too small to compare")
    trained = max(int(one["trained"]) for one in events)
    stale = {str(text): None for one in events for text in one["stale"]}
    if not stale:
        return Check(name, PASSED, f"all {compared} compared parameters change in vLLM; {trained} are trained")
    count = max(int(one["count"]) for one in events)
    affected = sum(bool(one["stale"]) for one in events)
    some = f", in {affected} of {len(events)} comparisons" if affected < len(events) else ""
    if count == compared:
        initial = ", which has the weights of its start" if all(one.get("initial") for one in events) else ""
        return Check(name, FAILED, f"none of {compared} compared parameters arrives in vLLM{some}{initial}")
    text = f"{count} of {compared} compared parameters do not arrive in vLLM{some}"
    return Check(name, FAILED, text, shown(by_layer(list(stale))))


def shown(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the first of many texts, and how many more there are."""
    return *texts[:_SHOWN], *([f"and {len(texts) - _SHOWN} more"] if len(texts) > _SHOWN else [])


def by_layer(names: Sequence[str], what: str = "parameters") -> list[str]:
    """Return the names, with those of one layer as one entry if there are more than `_OF_ONE_LAYER`."""
    layers: dict[str, list[str]] = {}
    for name in names:
        found = _LAYER.match(name)
        layers.setdefault(found[0] if found else name, []).append(name)
    return [
        text
        for layer, members in layers.items()
        for text in ([f"{layer}: {len(members)} {what}"] if len(members) > _OF_ONE_LAYER else members)
    ]
