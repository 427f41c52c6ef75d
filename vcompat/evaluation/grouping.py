"""Possible findings grouped by the input that would decide most of them, so that each group is one line of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vcompat.evaluation.finding import Finding, Need
from vcompat.facts.facts import Facts
from vcompat.facts.records.known_releases import RECORDED
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.sources.reading.packages.stated_packages import LEFT_OPEN


class Question(NamedTuple):
    """One thing that is not known and that the user can state."""

    subject: str
    """Such as 'the TRL version'."""
    answer: str
    """How to state it, as words of a command line, such as '--set packages.trl=...'; empty if no option helps."""
    also: str = ""
    """Another way, such as '--env'."""
    example: str = ""
    """What to add to the command line, with a placeholder in angle brackets for what only the user knows."""

    @property
    def advice(self) -> str:
        """What to do, such as 'pass --env or --set packages.trl=...'; empty if no option helps."""
        if not self.answer:
            return ""
        return f"pass {self.also} or {self.answer}" if self.also else f"pass {self.answer}"


class Group(NamedTuple):
    """The findings that one question decides, or comes first in deciding."""

    question: Question
    findings: tuple[Finding, ...]


#: How packages are called in a sentence; others are called by their own name.
_PROPER = {
    "trl": "TRL",
    "vllm": "vLLM",
    "deepspeed": "DeepSpeed",
    "peft": "PEFT",
    "nccl": "NCCL",
    "xformers": "xFormers",
}


#: Facts of `plan` that the launch script or the launcher's configuration states.
_LAUNCH = "world_size num_machines processes_per_machine launcher deepspeed deepspeed_stage fsdp fsdp_version".split()


def grouped(findings: Iterable[Finding], facts: Facts, files: Sequence[str] = ()) -> list[Group]:
    """Group possible `findings`; the question that most of them wait for comes first.

    A finding that waits for several questions is in the group of the one that decides most findings. `files` are the
    run files that were read: without any, the settings of the run are one question, and without GPUs in `facts` so are
    the GPUs.
    """
    asked: dict[Need, Question] = {}
    waiting = {finding.name: (finding, _questions(finding, facts, bool(files), asked)) for finding in findings}
    groups = []
    while waiting:
        counts: dict[Question, int] = {}
        for _, questions in waiting.values():
            for question in questions:
                counts[question] = counts.get(question, 0) + 1
        # Of two questions, the one that a file answers; a fact is one answer, a file is many.
        most = max(counts, key=lambda question: (counts[question], bool(question.answer[:2].strip("-"))))
        members = [rule for rule, (_, questions) in waiting.items() if most in questions]
        groups.append(Group(most, tuple(waiting.pop(rule)[0] for rule in members)))
    return groups


def _questions(finding: Finding, facts: Facts, has_files: bool, asked: dict[Need, Question]) -> list[Question]:
    """Return the questions of a finding; many findings wait for the same facts, whose questions are in `asked`."""
    for need in finding.needs:
        if need not in asked:
            asked[need] = question_of(need, facts, has_files)
    return list(dict.fromkeys(map(asked.__getitem__, finding.needs)))


#: Derived facts about a build and the hardware, each with the fact about the hardware that they depend on.
_OF_THE_HARDWARE = {
    "torch.has_kernels": "gpu.compute_capability",
    "vllm.has_kernels": "gpu.compute_capability",
    "torch.runs_on_driver": "gpu.driver",
}


_MAIN = ("packages.trl", "packages.vllm", "packages.torch", "packages.transformers")


def _has_project(facts: Facts) -> bool:
    """Return whether a file states releases of the main packages."""
    known = (facts.recorded(name) or facts.likely(name) for name in _MAIN)
    return any(one is not None and one.place is not None for one in known)


def question_of(need: Need, facts: Facts, has_files: bool) -> Question:
    """The question behind one unknown fact."""
    if not need.fact:
        return Question(need.reason, "")
    hardware = _OF_THE_HARDWARE.get(need.fact, "")
    if hardware and facts.get(hardware) is None:
        need = need._replace(fact=hardware)
    family, _, name = need.fact.partition(".")
    option = f"--set {need.fact}=..."
    if family == "packages":
        place = facts.open_at(need.fact)
        subject = f"the {_PROPER.get(name, name)} version" + (f" ({place})" if place else "")
        if place is not None and LEFT_OPEN in facts.why_unknown(need.fact):
            return Question(subject, option, "--newest", "--newest")
        if _has_project(facts):
            # A file of the project was read, and does not state it.
            return Question(subject, option, "", f"--set {need.fact}=<version>")
        if has_files and name in RECORDED and all(facts.recorded(one) is None for one in _MAIN):
            return Question(subject, option, "--newest", "--newest")
        return Question(subject, option, "--env", "--env <lock file>")
    if family == "gpu" and facts.get("gpu.count") is None and facts.open_at("gpu.count") is None:
        return Question("the GPUs", "--target, such as --target 8xH100", example="--target <GPUs>")
    if family in ("torch", "vllm"):
        return Question(f"the {_PROPER.get(family, family)} build", option, "--env", "--env <lock file>")
    if family == "env":
        return Question(name, option, "the launch script", "<launch script>")
    if family == "plan":
        if not has_files:
            return Question("the settings of the run", "the training or launch script", example="<script>")
        if name in _LAUNCH and need.place is None:
            return Question("how the run is launched", "the launch script", example="<launch script>")
    where = f" ({need.place})" if need.place is not None else ""
    return Question(f"{need.fact}{where}", option, example=f"--set {need.fact}=<{VOCABULARY[need.fact].kind}>")
