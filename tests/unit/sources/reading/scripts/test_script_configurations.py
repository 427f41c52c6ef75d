"""Configurations that scripts make, and all that is stated."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.facts.facts import Place
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> GRPOConfig(use_vllm=True)
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm = True (x.py:1:21)
takes_defaults
configuration python GRPOConfig at x.py:1:1

> x = 1
patched = () (x.py does not call vcompat.patch()) at no position
does not train

> def main():
>     GRPOConfig(use_vllm=True, vllm_mode=mode)
configuration ? x.py:2:5: in a function that the script does not call; it may be 'GRPOConfig'
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm ? x.py:2:25: in a function that the script does not call; it may be True
vllm_mode ? x.py:2:41: computed at run time
other settings ? x.py:2:5: in a function that the script does not call
configuration python GRPOConfig at x.py:2:5

> c = GRPOConfig(use_vllm=True)
> GRPOTrainer(model='a/b', args=c)
configuration = 'GRPOConfig' (x.py:1:5)
loaded_in_bits = None (x.py:2:19)
model = 'a/b' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)
use_vllm = True (x.py:1:25)
takes_defaults
configuration python GRPOConfig at x.py:1:5

> GRPOTrainer(model='a/b')
loaded_in_bits = None (x.py:1:19)
model = 'a/b' (x.py:1:19)
model_by_name = True (x.py:1:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:1:1)

> GRPOTrainer(model=m, args=None)
loaded_in_bits ? x.py:1:19: the script may quantize the model while loading it
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:1:1)

> GRPOTrainer(model='a/b', args=load())
configuration ? x.py:1:1: computed at run time at no position
loaded_in_bits = None (x.py:1:19)
model = 'a/b' (x.py:1:19)
model_by_name = True (x.py:1:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:1:1)
other settings ? x.py:1:1: computed at run time

> GRPOTrainer(model='a/b', **kw)
configuration ? x.py:1:1: computed at run time at no position
loaded_in_bits ? x.py:1:19: the script may quantize the model while loading it
model ? x.py:1:19: computed at run time; it may be 'a/b'
patched = () (x.py does not call vcompat.patch()) at no position
tools ? x.py:1:1: computed at run time
trainer = 'GRPOTrainer' (x.py:1:1)
other settings ? x.py:1:1: computed at run time

> c = GRPOConfig(use_vllm=True)
> if x:
>     c = GRPOConfig(use_vllm=False, beta=0.1)
> GRPOTrainer(args=c)
beta ? x.py:3:41: set in line 3 only, not for every configuration; it may be 0.1
configuration = 'GRPOConfig' (x.py:3:9)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:4:1)
use_vllm ? x.py:1:25: set to different values in lines 1, 3; it may be False or True
takes_defaults

> c = GRPOConfig(use_vllm=True)
> if x:
>     c = None
> GRPOTrainer(args=c)
configuration ? x.py:4:1: depends on a condition at no position
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:4:1)
use_vllm ? x.py:1:25: set in line 1 only, not for every configuration; it may be True
other settings ? x.py:4:1: depends on a condition
configuration python at x.py:1:5

> c = GRPOConfig(use_vllm=True)
> if x:
>     c = load()
> GRPOTrainer(args=c)
configuration ? x.py:4:1: computed at run time at no position
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:4:1)
use_vllm ? x.py:1:25: set in line 1 only, not for every configuration; it may be True
other settings ? x.py:4:1: computed at run time
configuration python at x.py:1:5

> c = GRPOConfig(use_vllm=True, beta=0)
> t = GRPOTrainer(args=c)
> c.use_vllm = False
> c.beta = 0
beta = 0 (x.py:1:36)
configuration = 'GRPOConfig' (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:5)
use_vllm ? x.py:1:25: changed after the trainer is made; it may be True
takes_defaults
configuration python GRPOConfig at x.py:1:5

> c = GRPOConfig(use_vllm=True)
> t = GRPOTrainer(args=c)
> change(c)
configuration = 'GRPOConfig' (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:5)
use_vllm ? x.py:1:25: changed after the trainer is made; it may be True
takes_defaults
configuration python GRPOConfig at x.py:1:5

> a = GRPOConfig(beta=1)
> b = GRPOConfig(beta=2, use_vllm=True)
> GRPOTrainer(args=a)
> GRPOTrainer(args=b)
beta ? x.py:2:21: set to different values in lines 1, 2; it may be 1 or 2
configuration = 'GRPOConfig' (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:4:1)
use_vllm ? x.py:2:33: set in line 2 only, not for every configuration; it may be True
takes_defaults

> GRPOConfig(beta=1)
> GRPOConfig(beta=1)
> GRPOConfig(num_iterations=2)
beta ? x.py:2:17: set in lines 1, 2 only, not for every configuration; it may be 1
configuration = 'GRPOConfig' (x.py:1:1)
num_iterations ? x.py:3:27: set in line 3 only, not for every configuration; it may be 2
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults

> TrainingArguments(bf16=True)
> GRPOConfig(bf16=False)
bf16 = False (x.py:2:17)
configuration = 'GRPOConfig' (x.py:2:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:2:1

> TrainingArguments(bf16=True)
bf16 = True (x.py:1:24)
configuration = 'TrainingArguments' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python TrainingArguments at x.py:1:1

> RLOOConfig(beta=1)
> GRPOConfig(beta=1)
beta = 1 (x.py:2:17)
configuration ? x.py:1:1: several at no position
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults

> SFTTrainer(args=SFTConfig(bf16=True))
> GRPOTrainer(args=GRPOConfig(bf16=False))
bf16 = False (x.py:2:34)
configuration = 'GRPOConfig' (x.py:2:18)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)
takes_defaults
configuration python GRPOConfig at x.py:2:18

> if x:
>     GRPOTrainer(args=GRPOConfig(bf16=False))
> SFTTrainer(args=SFTConfig(bf16=True))
bf16 ? x.py:3:32: set to different values in lines 2, 3; it may be False or True
configuration ? x.py:2:22: several at no position
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:3:1 and x.py:2:5 set different values; it may be GRPOTrainer or SFTTrainer at x.py:3:1
takes_defaults
configuration python GRPOConfig at x.py:2:22

> GRPOConfig(**kw)
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:1:1: computed at run time
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(beta=1, **kw)
beta ? x.py:1:17: computed at run time; it may be 1
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:1:1: computed at run time
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(use_vllm=1, vllm_mode=None, beta='x')
beta ? x.py:1:45: 'x' is a text; expected a number
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm ? x.py:1:21: plan.use_vllm is 1; expected a flag
vllm_mode = None (x.py:1:34)
takes_defaults
configuration python GRPOConfig at x.py:1:1

> GRPOConfig(beta=1 if x else 2, use_vllm=x)
beta ? x.py:1:17: depends on a condition; it may be 1 or 2
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm ? x.py:1:41: computed at run time
takes_defaults
configuration python GRPOConfig at x.py:1:1

> c = GRPOConfig()
> if x:
>     c.beta = 1
beta ? x.py:3:14: set only under a condition; it may be 1
configuration = 'GRPOConfig' (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:1:5

> kw = {}
> if x:
>     kw['beta'] = 1
> GRPOConfig(**kw)
beta ? x.py:3:18: set only under a condition; it may be 1
configuration = 'GRPOConfig' (x.py:4:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:4:1

> GRPOConfig(beta=0)
> GRPOConfig(beta=1)
> GRPOConfig(beta=2)
> GRPOConfig(beta=3)
> GRPOConfig(beta=4)
> GRPOConfig(beta=5)
> GRPOConfig(beta=6)
> GRPOConfig(beta=7)
> GRPOConfig(beta=8)
beta ? x.py:9:17: set to different values in lines 1, 2, 3, 4, 5, 6, 7, 8...; it may be 0, 1, 2, 3, 4, 5, 6 or 7
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults

> GRPOConfig(beta=0)
> GRPOConfig(beta=1)
> GRPOConfig(beta=2)
> GRPOConfig(beta=3)
> GRPOConfig(beta=4)
> GRPOConfig(beta=5)
> GRPOConfig(beta=6)
> GRPOConfig(beta=7)
beta ? x.py:8:17: set to different values in lines 1, 2, 3, 4, 5, 6, 7, 8; it may be 0, 1, 2, 3, 4, 5, 6 or 7
configuration = 'GRPOConfig' (x.py:1:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_the_configuration_that_the_trainer_gets(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected


@pytest.mark.parametrize("value", ["int('²')", "f'{1:²}'", "'%²d' % 1", "'{:²}'.format(1)", "'²'.zfill(int('3' * 3))"])
def test_digits_that_are_no_decimal_numbers_state_nothing(value: str) -> None:
    part = read_source(
        "dir/x.py", f"try:\n    b = {value}\nexcept ValueError:\n    b = u()\nGRPOConfig(beta=b)\n".encode()
    )
    assert "plan.beta" not in part.facts.known


def test_an_option_that_is_no_number_does_not_fit_its_parser() -> None:
    start = Start(("--beta", "²"), Place("run.sh", 3))
    part = read_source("dir/x.py", b"TrlParser(GRPOConfig).parse_args_and_config()\n", start)
    assert "plan.beta" not in part.facts.known


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ("gradient_checkpointing=True, activation_checkpointing=False", False),
        ("activation_checkpointing=False, gradient_checkpointing=True", False),
        ("activation_checkpointing=True", True),
        ("gradient_checkpointing=True, activation_checkpointing=None", True),
        ("gradient_checkpointing=True, activation_checkpointing=chosen()", None),
        ("gradient_checkpointing=True, activation_checkpointing=None if chosen() else False", None),
    ],
)
def test_activation_checkpointing_counts_instead_of_its_former_name_if_it_has_a_value(
    settings: str, value: bool | None
) -> None:
    facts = read_source("x.py", f"GRPOConfig({settings})\n".encode()).facts
    assert facts.value("plan.gradient_checkpointing") is value
    assert facts.is_open("plan.gradient_checkpointing") is (value is None)


def test_without_a_value_activation_checkpointing_leaves_the_default() -> None:
    facts = read_source("x.py", b"GRPOConfig(activation_checkpointing=None)\n").facts
    assert "plan.gradient_checkpointing" not in facts.names()


@pytest.mark.parametrize(("option", "value"), [("", True), (" False", False)])
def test_the_option_activation_checkpointing_is_read(option: str, value: bool) -> None:
    words = f"--activation_checkpointing{option} --gradient_checkpointing {not value}".split()
    start = Start(words=tuple(words), place=Place("run.sh", 2))
    source = b"(args,) = TrlParser((GRPOConfig,)).parse_args_and_config()\n"
    assert read_source("x.py", source, start).facts.value("plan.gradient_checkpointing") is value
