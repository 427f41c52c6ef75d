"""Reads accelerate's configuration file, as written by `accelerate config`, where the command is not known."""

from __future__ import annotations

from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.launchers.accelerate_facts import accelerate_facts
from vcompat.sources.reading.launchers.accelerate_options import AccelerateOptions, of_document
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.settings import state

#: The facts of keys that are often left to the command line.
_LEFT_OUT = {
    "num_machines": ("plan.num_machines", "plan.processes_per_machine"),
    "mixed_precision": ("plan.mixed_precision",),
    "use_cpu": ("plan.use_cpu",),
}
_FILE = ("deepspeed_config", "deepspeed_config_file")


def read_accelerate_config(document: Document) -> Part:
    """Read what `accelerate launch` does with the file and no other options, without the defaults of keys left out."""
    facts = accelerate_facts(AccelerateOptions({}, document.place(), of_document(document)))
    state(facts, "plan.launcher", "accelerate", document.place())
    for key, left_out in _LEFT_OUT.items():
        if document.get(key) is None:
            for fact in left_out:
                facts.drop_known(fact)
    named = document.get(*_FILE)
    is_used = facts.value("plan.distributed_type") == "DEEPSPEED" and isinstance(named, str)
    return Part(facts, mentions=(Mention(named, kinds.DEEPSPEED, document.place(*_FILE)),) if is_used else ())
