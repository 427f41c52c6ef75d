"""What kind of model it is, as vLLM's class of its architecture states.

Releases of vLLM that have the class agree on that but for a few, which gained or lost the images of a model. If the
installed release is not one of those that have it, all others must agree.
"""

from __future__ import annotations

from functools import cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.records.models import ARCHITECTURES, ELSEWHERE, HYBRID, MULTIMODAL, load_models

#: For each fact, the kind of names in the record, and what it means that an architecture is one of them, or is not.
_KINDS = {
    "plan.model_is_multimodal": (MULTIMODAL, "takes images, video or audio", "does not take images, video or audio"),
    "plan.model_is_hybrid": (HYBRID, "has layers that keep a state", "has no layers that keep a state"),
}


def set_model_kinds(facts: Facts) -> None:
    """Set whether the model takes images and is hybrid; leave unknown what vLLM's releases do not tell."""
    known, vllm = facts.get("plan.model_architecture"), facts.value("packages.vllm")
    for fact, (kind, is_one, is_none) in _KINDS.items():
        facts.leave_open(fact, "plan.model_architecture")
        if known is not None and isinstance(known.value, str):
            found = _is_of(kind, known.value, vllm.public if isinstance(vllm, Version) else "")
            if found is not None:
                facts.offer(fact, found, f"vLLM's {known.value} {is_one if found else is_none}", known.place)


@cache
def _is_of(kind: str, architecture: str, vllm: str) -> bool | None:
    """Return what the release `vllm` states, or else what all releases state that have the architecture.

    A search for releases asks for each of them many times.
    """
    record = load_models("vllm")
    if record is None or kind not in record.kinds():
        return None
    versions = {text: Version(text) for text in record.releases}
    having = [
        text
        for text, version in versions.items()
        if record.has(ARCHITECTURES, architecture, version) and not record.has(ELSEWHERE, architecture, version)
    ]
    answers = {record.has(kind, architecture, versions[text]) for text in ([vllm] if vllm in having else having)}
    return answers.pop() if len(answers) == 1 else None
