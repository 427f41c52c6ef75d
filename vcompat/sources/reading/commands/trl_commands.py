"""The scripts behind the subcommands of `trl`, reduced to what they do with their command line.

TRL's own scripts (``trl/scripts/grpo.py`` and ``rloo.py``) parse these classes and build the trainer from them. They
quantize the model if ModelConfig's ``load_in_4bit`` or ``load_in_8bit`` is set; here, the trainer gets both.
"""

from __future__ import annotations

_SCRIPT = """\
import os
from trl import {name}Config, {name}Trainer, ModelConfig, TrlParser, get_peft_config
from trl.scripts.utils import DatasetMixtureConfig
from trl.scripts.{module} import {name}ScriptArguments
parser = TrlParser(({name}ScriptArguments, {name}Config, ModelConfig, DatasetMixtureConfig))
script_args, training_args, model_args, dataset_args = parser.parse_args_and_config()
training_args.model_init_kwargs = {{"dtype": model_args.dtype}}
{name}Trainer(
    model=model_args.model_name_or_path, args=training_args, peft_config=get_peft_config(model_args),
    load_in_4bit=model_args.load_in_4bit, load_in_8bit=model_args.load_in_8bit,
)
"""
_NAMES = {"grpo": "GRPO", "rloo": "RLOO"}


def source_of_subcommand(subcommand: str) -> bytes:
    """Return Python code that does with the command line what `trl SUBCOMMAND` does; empty if vLLM takes no part."""
    name = _NAMES.get(subcommand)
    return _SCRIPT.format(name=name, module=subcommand).encode() if name else b""
