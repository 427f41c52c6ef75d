"""How far the run of a log has got: what fails before that cannot be what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.rules.rule import Rule

#: What only runs in a training step or in a synchronization: functions of transformers' and TRL's trainers, of what
#: unsloth compiles from them, and of those that receive weights.
_IN_TRAINING = re.compile(
    r"\b(?:training_step|_inner_training_loop|_?compute_loss|_get_per_token_logps\w*|_generate_and_score_completions"
    r"|_generate_single_turn|_move_model_to_vllm|update_named_param|update_weights_from_\w+|masked_batch_mean)\b"
)
#: In patterns of symptoms: what Python, its loader and libraries raise while code is imported.
_AT_IMPORT = re.compile(
    r"cannot import name|No module named|undefined symbol|is required for a normal functioning|is already used by"
)
_CONSTRUCTOR = "Trainer.__init__"


def has_trained(lines: Iterable[Line]) -> bool:
    """Return whether the lines of a failure show that a trainer had been constructed and was at work."""
    return any(_IN_TRAINING.search(line.text) for line in lines)


def precedes_training(rule: Rule) -> bool:
    """Return whether the failure of a rule ends a run before its first training step."""
    if rule.effect != "crash":
        return False
    if any(_AT_IMPORT.search(symptom.pattern) for symptom in rule.symptoms):
        return True
    of_trainers = [one.object for one in rule.evidence.fingerprints if one.package == "trl" and one.object]
    return bool(of_trainers) and all(name.endswith(_CONSTRUCTOR) for name in of_trainers)
