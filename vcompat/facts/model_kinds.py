"""What kind of model it is, as vLLM's class of its architecture states.

Releases of vLLM that have the class agree on that but for a few, which gained or lost the images of a model. If the
installed release is not one of those that have it, all others must agree.
"""

from __future__ import annotations

from functools import cache

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.models import ARCHITECTURES, ELSEWHERE, MULTIMODAL, load_models

IS_MULTIMODAL = "plan.model_is_multimodal"


def set_model_kinds(facts: Facts) -> None:
    """Set whether the model takes images, video or audio; leave it unknown where vLLM's releases do not tell."""
    known, vllm = facts.get("plan.model_architecture"), facts.value("packages.vllm")
    facts.leave_open(IS_MULTIMODAL, "plan.model_architecture")
    if known is None or not isinstance(known.value, str):
        return
    takes = _takes_images(known.value, vllm.public if isinstance(vllm, Version) else "")
    if takes is not None:
        word = "takes" if takes else "does not take"
        facts.offer(IS_MULTIMODAL, takes, f"vLLM's {known.value} {word} images, video or audio", known.place)


@cache
def _takes_images(architecture: str, vllm: str) -> bool | None:
    """Return what the release `vllm` states, or else what all releases state that have the architecture.

    A search for releases asks for each of them many times.
    """
    record = load_models("vllm")
    if record is None:
        return None
    versions = {text: Version(text) for text in record.releases}
    having = [
        text
        for text, version in versions.items()
        if record.has(ARCHITECTURES, architecture, version) and not record.has(ELSEWHERE, architecture, version)
    ]
    answers = {record.has(MULTIMODAL, architecture, versions[text]) for text in ([vllm] if vllm in having else having)}
    return answers.pop() if len(answers) == 1 else None
