"""What kind of model it is, as vLLM's class of its architecture states.

Releases of vLLM that have the class agree on that but for a few, which gained or lost the images of a model. If the
installed release is not one of those that have it, all others must agree.
"""

from __future__ import annotations

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.models import ARCHITECTURES, ELSEWHERE, MULTIMODAL, ModelRecord, load_models

IS_MULTIMODAL = "plan.model_is_multimodal"


def set_model_kinds(facts: Facts) -> None:
    """Set whether the model takes images, video or audio; leave it unknown where vLLM's releases do not tell."""
    known, record = facts.get("plan.model_architecture"), load_models("vllm")
    facts.leave_open(IS_MULTIMODAL, "plan.model_architecture")
    if known is None or not isinstance(known.value, str) or record is None:
        return
    answers = _answers(record, known.value, facts.value("packages.vllm"))
    if len(answers) == 1:
        takes = answers.pop()
        word = "takes" if takes else "does not take"
        facts.offer(IS_MULTIMODAL, takes, f"vLLM's {known.value} {word} images, video or audio", known.place)


def _answers(record: ModelRecord, name: str, vllm: object) -> set[bool]:
    """Return what the installed release states, or else what all releases that have the architecture state."""
    having = [
        version
        for version in map(Version, record.releases)
        if record.has(ARCHITECTURES, name, version) and not record.has(ELSEWHERE, name, version)
    ]
    installed = [version for version in having if isinstance(vllm, Version) and version.public == vllm.public]
    return {bool(record.has(MULTIMODAL, name, version)) for version in installed or having}
