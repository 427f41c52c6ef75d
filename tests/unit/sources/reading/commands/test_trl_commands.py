"""The subcommands of `trl`, and all that is stated about them."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.marked_words import word
from tests.unit.sources.reading.told import examples, told_part
from vcompat.facts.facts import Place
from vcompat.sources.reading.commands.trl_commands import source_of_subcommand
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

COMMANDS = """
$ trl grpo
configuration = 'GRPOConfig' (run.sh:3)
loaded_in_bits = None (run.sh:3)
patched = () (run.sh does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
takes_defaults
configuration python GRPOConfig at run.sh:3

$ trl grpo --model_name_or_path a/b --use_vllm true --num_generations 4
configuration = 'GRPOConfig' (run.sh:3)
loaded_in_bits = None (run.sh:3)
model = 'a/b' (run.sh:3, --model_name_or_path in run.sh:3)
model_by_name = True (run.sh:3)
num_generations = 4 (run.sh:3, --num_generations in run.sh:3)
patched = () (run.sh does not call vcompat.patch()) at no position
peft = False (run.sh:3)
trainer = 'GRPOTrainer' (run.sh:3)
use_vllm = True (run.sh:3, --use_vllm in run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
- use_vllm = True by option at run.sh:3
- num_generations = 4 by option at run.sh:3
- model_name_or_path = 'a/b' by option at run.sh:3
takes_defaults
configuration python GRPOConfig at run.sh:3

$ trl rloo --model_name_or_path a/b --use_peft --lora_r 4
configuration = 'RLOOConfig' (run.sh:3)
loaded_in_bits = None (run.sh:3)
lora_dropout = 0.05 (run.sh:3)
lora_rank = 4 (run.sh:3, --lora_r in run.sh:3)
lora_targets = () (run.sh:3)
model = 'a/b' (run.sh:3, --model_name_or_path in run.sh:3)
model_by_name = True (run.sh:3)
modules_to_save = () (run.sh:3)
patched = () (run.sh does not call vcompat.patch()) at no position
peft = True (run.sh:3)
trainer = 'RLOOTrainer' (run.sh:3)
trl.RLOOScriptArguments trl.RLOOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
- lora_r = 4 by option at run.sh:3
- model_name_or_path = 'a/b' by option at run.sh:3
- use_peft = True by option at run.sh:3
takes_defaults
configuration python RLOOConfig at run.sh:3

$ trl grpo --model_name_or_path a/b --load_in_4bit --load_in_8bit true
configuration = 'GRPOConfig' (run.sh:3)
loaded_in_bits = 4 (run.sh:3)
model = 'a/b' (run.sh:3, --model_name_or_path in run.sh:3)
model_by_name = True (run.sh:3)
patched = () (run.sh does not call vcompat.patch()) at no position
peft = False (run.sh:3)
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
- model_name_or_path = 'a/b' by option at run.sh:3
- load_in_4bit = True by option at run.sh:3
- load_in_8bit = True by option at run.sh:3
takes_defaults
configuration python GRPOConfig at run.sh:3

$ trl grpo --model_name_or_path a/b --load_in_8bit true --load_in_4bit false
configuration = 'GRPOConfig' (run.sh:3)
loaded_in_bits = 8 (run.sh:3)
model = 'a/b' (run.sh:3, --model_name_or_path in run.sh:3)
model_by_name = True (run.sh:3)
patched = () (run.sh does not call vcompat.patch()) at no position
peft = False (run.sh:3)
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
- model_name_or_path = 'a/b' by option at run.sh:3
- load_in_4bit = False by option at run.sh:3
- load_in_8bit = True by option at run.sh:3
takes_defaults
configuration python GRPOConfig at run.sh:3

$ trl grpo --model_name_or_path a/b --load_in_8bit ?
configuration = 'GRPOConfig' (run.sh:3)
dtype ? run.sh:3: the command line is not fully known
loaded_in_bits ? run.sh:3: load_in_4bit is not known
model ? run.sh: the command line is not fully known; it may be 'a/b'
patched = () (run.sh does not call vcompat.patch()) at no position
peft ? run.sh:3: the command line is not fully known; it may be True
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_command, abbreviates
- model_name_or_path = COMPUTED by option at None
- load_in_8bit = COMPUTED by option at None
other settings ? run.sh:3: the command line is not fully known
configuration python GRPOConfig at run.sh:3

$ trl grpo --model_name_or_path ? --dtype bfloat16 --num_processes 2
configuration = 'GRPOConfig' (run.sh:3)
dtype = 'bfloat16' (run.sh:3, --dtype in run.sh:3)
loaded_in_bits = None (run.sh:3)
model ? run.sh:3: the launch script computes it
patched = () (run.sh does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_complete, is_command, abbreviates
- dtype = 'bfloat16' by option at run.sh:3
- model_name_or_path = COMPUTED by option at run.sh:3
- num_processes = COMPUTED by option at run.sh:3
takes_defaults
configuration python GRPOConfig at run.sh:3

$ trl grpo *
configuration = 'GRPOConfig' (run.sh:3)
dtype ? run.sh:3: the command line may name a file of settings
loaded_in_bits ? run.sh:3: load_in_4bit is not known
patched = () (run.sh does not call vcompat.patch()) at no position
peft ? run.sh:3: the command line may name a file of settings; it may be True
trainer = 'GRPOTrainer' (run.sh:3)
trl.GRPOScriptArguments trl.GRPOConfig trl.ModelConfig trl.DatasetMixtureConfig accelerate.launch at run.sh:3: own accelerate_config, is_command, abbreviates
other settings ? run.sh:3: the command line may name a file of settings
configuration python GRPOConfig at run.sh:3

"""


@pytest.mark.parametrize(("command", "expected"), [example[::2] for example in examples(COMMANDS)])
def test_a_subcommand_states_what_its_script_does(command: str, expected: list[str]) -> None:
    _, name, *words = map(word, command.split())
    source = source_of_subcommand(name)
    lines = [3] * (source.count(b"\n") + 1)
    start = Start(tuple(words), Place("run.sh", 3), lines=lines, is_command=True)
    assert told_part(read_source("run.sh", source, start)) == expected


@pytest.mark.parametrize("name", ["sft", "dpo", "GRPO", "", "vllm-serve"])
def test_other_subcommands_have_no_script(name: str) -> None:
    assert source_of_subcommand(name) == b""
