"""Configurations, trainers, engines and adapters: what is recorded when a script makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS

IMPORTS = """
import os, peft, torch, transformers, trl, vllm
from dataclasses import dataclass
from peft import LoraConfig
from transformers import TrainingArguments
from trl import GRPOConfig, GRPOTrainer, ModelConfig
from vllm import AsyncEngineArgs, EngineArgs, LLM
from elsewhere import OtherConfig, OtherTrainer
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


NAMES = (
    "GRPOConfig RLOOConfig OnlineDPOConfig XPOConfig NashMDConfig GOLDConfig AsyncGRPOConfig GMPOConfig A2POConfig "
    "GFPOConfig PAPOConfig MiniLLMConfig GRPOWithReplayBufferConfig DistillationConfig ServerDistillationConfig "
    "DPPOConfig AsyncDistillationConfig SelfDistillationConfig SDPOConfig SDFTConfig SSDConfig IWOPDConfig"
)


def test_a_configuration_of_each_trainer_that_generates_is_recorded(session: Session) -> None:
    assert sorted(NAMES.split()) == sorted(CONFIGURATIONS)
    for name in CONFIGURATIONS:
        assert f"configuration {name}@1:1(self=trl.{name}@1:1())" in session.outcome(f"trl.{name}()")


def test_a_configuration_is_recorded_with_what_it_got(session: Session) -> None:
    assert session.filled(MADE) == MADE


MADE = r"""
>>> GRPOConfig("o", beta=1)
trl.GRPOConfig@1:1(output_dir='o'@1:12, beta=1@1:22)
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(output_dir='o'@1:12, beta=1@1:22))
stated trl.GRPOConfig@1:1: keyword output_dir='o'@1:12, keyword beta=1@1:22 is_complete

>>> GRPOConfig("o", 2, beta=1)
trl.GRPOConfig@1:1(output_dir=<positional arguments are given: 'o'>@1:12, beta=1@1:25, ..<positional arguments are given>)
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(output_dir=<positional arguments are given: 'o'>@1:12, beta=1@1:25, ..<positional arguments are given>))
stated trl.GRPOConfig@1:1: keyword beta=1@1:25

>>> GRPOConfig(*u())
trl.GRPOConfig@1:1(..<unknown arguments>)
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(..<unknown arguments>))
stated trl.GRPOConfig@1:1

>>> GRPOConfig(beta=1, **u())
trl.GRPOConfig@1:1(beta=<computed at run time: 1>@1:17, ..<computed at run time>)
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(beta=<computed at run time: 1>@1:17, ..<computed at run time>))
stated trl.GRPOConfig@1:1: keyword beta=COMPUTED@1:17

>>> TrainingArguments("o", seed=1)
transformers.TrainingArguments@1:1(output_dir='o'@1:19, seed=1@1:29)
configuration TrainingArguments@1:1(self=transformers.TrainingArguments@1:1(output_dir='o'@1:19, seed=1@1:29))
stated transformers.TrainingArguments@1:1: keyword output_dir='o'@1:19, keyword seed=1@1:29 is_complete

>>> [trl.ScriptArguments("d"), trl.SFTConfig("o"), trl.DPOConfig("o"), trl.KTOConfig("o"), trl.RewardConfig("o")]
[trl.ScriptArguments@1:2(..<positional arguments are given>)@1:2, trl.SFTConfig@1:28(output_dir='o'@1:42)@1:28, trl.DPOConfig@1:48(output_dir='o'@1:62)@1:48, trl.KTOConfig@1:68(output_dir='o'@1:82)@1:68, trl.RewardConfig@1:88(output_dir='o'@1:105)@1:88]
stated trl.ScriptArguments@1:2
stated trl.SFTConfig@1:28: keyword output_dir='o'@1:42 is_complete
stated trl.DPOConfig@1:48: keyword output_dir='o'@1:62 is_complete
stated trl.KTOConfig@1:68: keyword output_dir='o'@1:82 is_complete
stated trl.RewardConfig@1:88: keyword output_dir='o'@1:105 is_complete

>>> ModelConfig("m", dtype="float16")
trl.ModelConfig@1:1(model_name_or_path='m'@1:13, dtype='float16'@1:24)
stated trl.ModelConfig@1:1: keyword model_name_or_path='m'@1:13, keyword dtype='float16'@1:24 is_complete

>>> LoraConfig(r=8)
peft.LoraConfig@1:1(r=8@1:14)
adapter LoraConfig@1:1(r=8@1:14) now peft.LoraConfig@1:1(r=8@1:14)
stated peft.LoraConfig@1:1: keyword r=8@1:14 is_complete

>>> LoraConfig("o", **u())
peft.LoraConfig@1:1(..<computed at run time>)
adapter LoraConfig@1:1() now peft.LoraConfig@1:1(..<computed at run time>) ..<computed at run time>
stated peft.LoraConfig@1:1

>>> peft.PeftConfig(task_type="t")
peft.PeftConfig@1:1(task_type='t'@1:27)
adapter PeftConfig@1:1(task_type='t'@1:27) now peft.PeftConfig@1:1(task_type='t'@1:27)
stated peft.PeftConfig@1:1: keyword task_type='t'@1:27 is_complete

>>> OtherConfig(beta=1)
elsewhere.OtherConfig@1:1(beta=1@1:18, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)

>>> OtherConfig(vllm_mode="colocate")
elsewhere.OtherConfig@1:1(vllm_mode='colocate'@1:23, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)
configuration OtherConfig@1:1(self=elsewhere.OtherConfig@1:1(vllm_mode='colocate'@1:23, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>))

>>> OtherConfig("o", vllm_mode="colocate", **u())
elsewhere.OtherConfig@1:1(vllm_mode=<computed at run time: 'colocate'>@1:28, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)
configuration OtherConfig@1:1(self=elsewhere.OtherConfig@1:1(vllm_mode=<computed at run time: 'colocate'>@1:28, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>))

>>> undefinedConfig(beta=1)
<computed at run time>

>>> UndefinedConfig(beta=1)
~UndefinedConfig@1:1(beta=1@1:22)

>>> UndefinedConfig(vllm_mode="colocate")
~UndefinedConfig@1:1(vllm_mode='colocate'@1:27)
configuration UndefinedConfig@1:1(self=~UndefinedConfig@1:1(vllm_mode='colocate'@1:27))

>>> UndefinedArguments("o", beta=1)
~UndefinedArguments@1:1(beta=1@1:30, ..<positional arguments are given>)

>>> [UndefinedArguments(vllm_mode=1), UndefinedArgs(vllm_mode=2)]
[~UndefinedArguments@1:2(vllm_mode=1@1:31)@1:2, ~UndefinedArgs@1:35(vllm_mode=2@1:59)@1:35]
configuration UndefinedArguments@1:2(self=~UndefinedArguments@1:2(vllm_mode=1@1:31))
configuration UndefinedArgs@1:35(self=~UndefinedArgs@1:35(vllm_mode=2@1:59))

>>> UndefinedArgs("o", beta=1)
~UndefinedArgs@1:1(beta=1@1:25, ..<positional arguments are given>)

>>> transformers.AutoConfig(vllm_mode=1)
transformers.AutoConfig@1:1(vllm_mode=1@1:35)
stated transformers.AutoConfig@1:1: keyword vllm_mode=1@1:35 is_complete

>>> transformers.GenerationConfig(vllm_mode=1)
transformers.GenerationConfig@1:1(vllm_mode=1@1:41)
stated transformers.GenerationConfig@1:1: keyword vllm_mode=1@1:41 is_complete

>>> transformers.BitsAndBytesConfig(vllm_mode=1)
transformers.BitsAndBytesConfig@1:1(vllm_mode=1@1:43)
stated transformers.BitsAndBytesConfig@1:1: keyword vllm_mode=1@1:43 is_complete

>>> peft.LoraConfig(vllm_mode=1)
peft.LoraConfig@1:1(vllm_mode=1@1:27)
adapter LoraConfig@1:1(vllm_mode=1@1:27) now peft.LoraConfig@1:1(vllm_mode=1@1:27)
stated peft.LoraConfig@1:1: keyword vllm_mode=1@1:27 is_complete

>>> trl.SFTConfig(beta=1)
trl.SFTConfig@1:1(beta=1@1:20)
stated trl.SFTConfig@1:1: keyword beta=1@1:20 is_complete

>>> trl.NoSuchArgs("o", vllm_mode=1)
trl.NoSuchArgs@1:1(vllm_mode=1@1:31, ..<positional arguments are given>)
configuration NoSuchArgs@1:1(self=trl.NoSuchArgs@1:1(vllm_mode=1@1:31, ..<positional arguments are given>))
stated trl.NoSuchArgs@1:1: keyword vllm_mode=1@1:31

>>> trl.NoSuchConfigs("o", vllm_mode=1)
<computed at run time>

>>> [torch.SomeConfig(a=1), omegaconf.SomeConfig(a=1), vllm.SomeConfig(a=1), os.SomeConfig(a=1)]
[torch.SomeConfig@1:2(a=1@1:21, ..<torch.SomeConfig was not found, so that its defaults are not known>)@1:2, ~omegaconf.SomeConfig@1:25(a=1@1:48)@1:25, vllm.SomeConfig@1:52(a=1@1:70)@1:52, os.SomeConfig@1:74(a=1@1:90, ..<os.SomeConfig was not found, so that its defaults are not known>)@1:74]
stated vllm.SomeConfig@1:52: keyword a=1@1:70 is_complete
"""


def test_classes_of_the_script_are_recorded_as_the_library_class_that_they_extend(session: Session) -> None:
    assert session.filled(EXTENDED) == EXTENDED


EXTENDED = r"""
>>> class Mine(GRPOConfig): pass
>>> Mine(beta=1)
class Mine@2:1(beta=1@2:11)
configuration GRPOConfig@2:1(self=class Mine@2:1(beta=1@2:11))
stated trl.GRPOConfig@2:1: keyword beta=1@2:11 is_complete

>>> class Mine(GRPOConfig): pass
>>> class More(Mine): pass
>>> More("o", beta=1)
class More@3:1(output_dir='o'@3:6, beta=1@3:16)
configuration GRPOConfig@3:1(self=class More@3:1(output_dir='o'@3:6, beta=1@3:16))
stated trl.GRPOConfig@3:1: keyword output_dir='o'@3:6, keyword beta=1@3:16 is_complete

>>> class Mine(OtherConfig): pass
>>> Mine(beta=1)
class Mine@2:1(beta=1@2:11, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)

>>> class Mine(OtherConfig): pass
>>> Mine(vllm_mode=1)
class Mine@2:1(vllm_mode=1@2:16, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)
configuration OtherConfig@2:1(self=class Mine@2:1(vllm_mode=1@2:16, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>))

>>> class GRPOConfig: pass
>>> GRPOConfig()
class GRPOConfig@2:1()

>>> @dataclass
>>> class MineConfig:
>>>     vllm_mode: str = "colocate"
>>> MineConfig()
class MineConfig@4:1(vllm_mode='colocate'@3:22)
configuration MineConfig@4:1(self=class MineConfig@4:1(vllm_mode='colocate'@3:22))

>>> @dataclass
>>> class Mine:
>>>     vllm_mode: str = "colocate"
>>> Mine()
class Mine@4:1(vllm_mode='colocate'@3:22)

>>> class Mine(LoraConfig): pass
>>> Mine(r=8)
class Mine@2:1(r=8@2:8)
adapter LoraConfig@2:1(r=8@2:8) now class Mine@2:1(r=8@2:8)
stated peft.LoraConfig@2:1: keyword r=8@2:8 is_complete

>>> class Mine(u()): pass
>>> Mine(vllm_mode=1)
class Mine@2:1(vllm_mode=<its class cannot be followed: 1>@2:16, ..<its class cannot be followed>)

>>> @dataclass
>>> class Mine(TrainingArguments):
>>>     vllm_mode: str = "colocate"
>>> Mine("o")
class Mine@4:1(vllm_mode='colocate'@3:22, output_dir='o'@4:6)
configuration TrainingArguments@4:1(self=class Mine@4:1(vllm_mode='colocate'@3:22, output_dir='o'@4:6))
stated transformers.TrainingArguments@4:1: keyword output_dir='o'@4:6 own vllm_mode is_complete

>>> class Mixin: pass
>>> class Mine(Mixin, OtherConfig, GRPOConfig): pass
>>> Mine(beta=1)
class Mine@3:1(beta=1@3:11, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)
configuration GRPOConfig@3:1(self=class Mine@3:1(beta=1@3:11, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>))
"""


def test_a_class_that_the_script_changes_makes_objects_of_which_nothing_is_known(session: Session) -> None:
    assert session.filled(CHANGED) == CHANGED


CHANGED = r"""
>>> GRPOConfig.__init__ = f
>>> GRPOConfig(beta=1)
trl.GRPOConfig@2:1(beta=<the script changes the class: 1>@2:17, ..<the script changes the class>)
changes trl.GRPOConfig.__init__: the script replaces it
changes GRPOConfig: the script changes the class
configuration GRPOConfig@2:1(self=trl.GRPOConfig@2:1(beta=<the script changes the class: 1>@2:17, ..<the script changes the class>))

>>> trl.GRPOConfig = f
>>> GRPOConfig(beta=1)
trl.GRPOConfig@2:1(beta=<the script replaces it: 1>@2:17, ..<the script replaces it>)
changes trl.GRPOConfig: the script replaces it
changes trl: the script changes the class
configuration GRPOConfig@2:1(self=trl.GRPOConfig@2:1(beta=<the script replaces it: 1>@2:17, ..<the script replaces it>))

>>> GRPOConfig.__init__ = f
>>> class Mine(GRPOConfig): pass
>>> Mine(beta=1)
class Mine@3:1(beta=<the script changes the class: 1>@3:11, ..<the script changes the class>)
changes trl.GRPOConfig.__init__: the script replaces it
changes GRPOConfig: the script changes the class
configuration GRPOConfig@3:1(self=class Mine@3:1(beta=<the script changes the class: 1>@3:11, ..<the script changes the class>))

>>> GRPOConfig(beta=1)
>>> GRPOConfig.beta = 2
changes trl.GRPOConfig.beta: the script replaces it
changes GRPOConfig: the script changes the class
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(beta=1@1:17)) now trl.GRPOConfig@1:1(beta=<the script changes the class: 1>@1:17, ..<the script changes the class>)
stated trl.GRPOConfig@1:1: keyword beta=1@1:17 is_complete

>>> GRPOTrainer.__init__ = f
>>> k = [1]
>>> GRPOTrainer("m", k, args=GRPOConfig(beta=1))
trl.GRPOTrainer@3:1()
k = [<the script changes the class>, ..<the script changes the class>]@2:5
changes trl.GRPOTrainer.__init__: the script replaces it
changes GRPOTrainer: the script changes the class
configuration GRPOConfig@3:26(self=trl.GRPOConfig@3:26(beta=1@3:42)) now trl.GRPOConfig@3:26(beta=<the script changes the class: 1>@3:42, ..<the script changes the class>)
trainer GRPOTrainer@3:1(args=trl.GRPOConfig@3:26(beta=<the script changes the class: 1>@3:42, ..<the script changes the class>)@3:26, model='m'@3:13, made=trl.GRPOConfig@3:26(beta=<the script changes the class: 1>@3:42, ..<the script changes the class>)@3:26, environ={}) now trl.GRPOTrainer@3:1() ..<the script changes the class>
stated trl.GRPOConfig@3:26: keyword beta=1@3:42 is_complete
"""


def test_a_trainer_is_recorded_with_its_configuration_at_that_moment(session: Session) -> None:
    assert session.filled(TRAINERS) == TRAINERS


TRAINERS = r"""
$ -i A=1
>>> c = GRPOConfig(beta=1)
>>> GRPOTrainer("m", [len], c, reward_funcs=[])
>>> c.beta = 2
c = trl.GRPOConfig@1:5(beta=2@3:10)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21)) now trl.GRPOConfig@1:5(beta=2@3:10)
trainer GRPOTrainer@2:1(reward_funcs=[]@2:41, model='m'@2:13, args=trl.GRPOConfig@1:5(beta=1@1:21)@2:25, made=trl.GRPOConfig@1:5(beta=2@3:10)@2:25, environ={'A': '1'@run.sh:3:1}) now trl.GRPOTrainer@2:1()
stated trl.GRPOConfig@1:5: keyword beta=1@1:21 is_complete

>>> GRPOTrainer(model="m")
trl.GRPOTrainer@1:1()
trainer GRPOTrainer@1:1(model='m'@1:19, environ={}) now trl.GRPOTrainer@1:1()

>>> GRPOTrainer()
trl.GRPOTrainer@1:1()
trainer GRPOTrainer@1:1(environ={}) now trl.GRPOTrainer@1:1()

>>> GRPOTrainer("m", args=1, model="n")
trl.GRPOTrainer@1:1()
trainer GRPOTrainer@1:1(args=1@1:23, model='n'@1:32, made=1@1:23, environ={}) now trl.GRPOTrainer@1:1()

>>> GRPOTrainer("m", **u())
trl.GRPOTrainer@1:1()
trainer GRPOTrainer@1:1(model='m'@1:13, environ={}) now trl.GRPOTrainer@1:1() ..<computed at run time>

>>> GRPOTrainer(OtherConfig(a=1), GRPOConfig(beta=1))
trl.GRPOTrainer@1:1()
configuration GRPOConfig@1:31(self=trl.GRPOConfig@1:31(beta=1@1:47))
trainer GRPOTrainer@1:1(model=elsewhere.OtherConfig@1:13(a=1@1:27, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)@1:13, args=elsewhere.OtherConfig@1:13(a=1@1:27, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)@1:13, made=elsewhere.OtherConfig@1:13(a=1@1:27, ..<elsewhere.OtherConfig was not found, so that its defaults are not known>)@1:13, environ={}) now trl.GRPOTrainer@1:1()
stated trl.GRPOConfig@1:31: keyword beta=1@1:47 is_complete

>>> GRPOTrainer("m", LoraConfig(r=1), GRPOConfig(beta=1))
trl.GRPOTrainer@1:1()
adapter LoraConfig@1:18(r=1@1:31) now peft.LoraConfig@1:18(r=1@1:31)
configuration GRPOConfig@1:35(self=trl.GRPOConfig@1:35(beta=1@1:51))
trainer GRPOTrainer@1:1(model='m'@1:13, args=trl.GRPOConfig@1:35(beta=1@1:51)@1:35, made=trl.GRPOConfig@1:35(beta=1@1:51)@1:35, environ={}) now trl.GRPOTrainer@1:1()
stated peft.LoraConfig@1:18: keyword r=1@1:31 is_complete
stated trl.GRPOConfig@1:35: keyword beta=1@1:51 is_complete

>>> GRPOTrainer("m", GRPOConfig(beta=1) if u() else GRPOConfig(beta=2))
trl.GRPOTrainer@1:1()
configuration GRPOConfig@1:18(self=trl.GRPOConfig@1:18(beta=1@1:34)) perhaps: depends on a condition
configuration GRPOConfig@1:49(self=trl.GRPOConfig@1:49(beta=2@1:65)) perhaps: depends on a condition
trainer GRPOTrainer@1:1(model='m'@1:13, args=trl.GRPOConfig@1:18(beta=1@1:34) | trl.GRPOConfig@1:49(beta=2@1:65)@1:18, made=trl.GRPOConfig@1:18(beta=1@1:34) | trl.GRPOConfig@1:49(beta=2@1:65)@1:18, environ={}) now trl.GRPOTrainer@1:1()

>>> GRPOTrainer("m", GRPOConfig(beta=1) if u() else None)
trl.GRPOTrainer@1:1()
configuration GRPOConfig@1:18(self=trl.GRPOConfig@1:18(beta=1@1:34)) perhaps: depends on a condition
trainer GRPOTrainer@1:1(model='m'@1:13, args=trl.GRPOConfig@1:18(beta=1@1:34) | None@1:18, made=trl.GRPOConfig@1:18(beta=1@1:34) | None@1:18, environ={}) now trl.GRPOTrainer@1:1()

>>> OtherTrainer("m", GRPOConfig(beta=1))
elsewhere.OtherTrainer@1:1()
configuration GRPOConfig@1:19(self=trl.GRPOConfig@1:19(beta=1@1:35))
trainer OtherTrainer@1:1(model='m'@1:14, args=trl.GRPOConfig@1:19(beta=1@1:35)@1:19, made=trl.GRPOConfig@1:19(beta=1@1:35)@1:19, environ={}) now elsewhere.OtherTrainer@1:1()
stated trl.GRPOConfig@1:19: keyword beta=1@1:35 is_complete

>>> if u():
>>>     GRPOTrainer("m")
trainer GRPOTrainer@2:5(model='m'@2:17, environ={}) now trl.GRPOTrainer@2:5() perhaps: depends on a condition

>>> @dataclass
>>> class Own:
>>>     n: int = 1
>>> GRPOTrainer("m", Own())
trl.GRPOTrainer@4:1()
trainer GRPOTrainer@4:1(model='m'@4:13, environ={}) now trl.GRPOTrainer@4:1()

>>> @dataclass
>>> class OwnArgs:
>>>     n: int = 1
>>> GRPOTrainer("m", OwnArgs())
trl.GRPOTrainer@4:1()
trainer GRPOTrainer@4:1(model='m'@4:13, args=class OwnArgs@4:18(n=1@3:14)@4:18, made=class OwnArgs@4:18(n=1@3:14)@4:18, environ={}) now trl.GRPOTrainer@4:1()

>>> c = GRPOConfig(model_init_kwargs={"dtype": "float16"})
>>> GRPOTrainer("m", args=c)
>>> c.model_init_kwargs["dtype"] = "bfloat16"
c = trl.GRPOConfig@1:5(model_init_kwargs={'dtype': 'bfloat16'@3:32}@1:34)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(model_init_kwargs={'dtype': 'float16'@1:44}@1:34)) now trl.GRPOConfig@1:5(model_init_kwargs={'dtype': 'bfloat16'@3:32}@1:34)
trainer GRPOTrainer@2:1(args=trl.GRPOConfig@1:5(model_init_kwargs={'dtype': 'float16'@1:44}@1:34)@2:23, model='m'@2:13, made=trl.GRPOConfig@1:5(model_init_kwargs={'dtype': 'bfloat16'@3:32}@1:34)@2:23, environ={}) now trl.GRPOTrainer@2:1()
stated trl.GRPOConfig@1:5: keyword model_init_kwargs={'dtype': 'float16'}@1:34 is_complete
"""


def test_engines_and_models_are_recorded(session: Session) -> None:
    assert session.filled(ENGINES) == ENGINES


ENGINES = r"""
$ -i A=1
>>> os.environ["B"] = "2"
>>> LLM("m", dtype="float16")
vllm.LLM@2:1(model='m'@2:5, dtype='float16'@2:16)
environ B = '2'@1:19
engine LLM@2:1(model='m'@2:5, dtype='float16'@2:16, environ={'A': '1'@run.sh:3:1, 'B': '2'@1:19}) now vllm.LLM@2:1(model='m'@2:5, dtype='float16'@2:16)
stated vllm.LLM@2:1: keyword model='m'@2:5, keyword dtype='float16'@2:16 is_complete

$ -i
>>> LLM(model="m", **u())
vllm.LLM@1:1(model=<computed at run time: 'm'>@1:11, ..<computed at run time>)
engine LLM@1:1(model=<computed at run time: 'm'>@1:11, environ={}) now vllm.LLM@1:1(model=<computed at run time: 'm'>@1:11, ..<computed at run time>) ..<computed at run time>
stated vllm.LLM@1:1: keyword model=COMPUTED@1:11

$ -i
>>> EngineArgs(model="m")
vllm.EngineArgs@1:1(model='m'@1:18)
engine EngineArgs@1:1(model='m'@1:18, environ={}) now vllm.EngineArgs@1:1(model='m'@1:18)
stated vllm.EngineArgs@1:1: keyword model='m'@1:18 is_complete

$ -i
>>> AsyncEngineArgs("m", 2)
vllm.AsyncEngineArgs@1:1(model=<positional arguments are given: 'm'>@1:17, ..<positional arguments are given>)
engine AsyncEngineArgs@1:1(model='m'@1:17, environ={}) now vllm.AsyncEngineArgs@1:1(model=<positional arguments are given: 'm'>@1:17, ..<positional arguments are given>)
stated vllm.AsyncEngineArgs@1:1

$ -i
>>> [vllm.LLM(), vllm.engine.LLM("m")]
[vllm.LLM@1:2()@1:2, vllm.engine.LLM@1:14(model='m'@1:30)@1:14]
engine LLM@1:2(environ={}) now vllm.LLM@1:2()
engine LLM@1:14(model='m'@1:30, environ={}) now vllm.engine.LLM@1:14(model='m'@1:30)
stated vllm.LLM@1:2 is_complete
stated vllm.LLM@1:14: keyword model='m'@1:30 is_complete

$ -i
>>> UndefinedEngineArgs(model="m")
~UndefinedEngineArgs@1:1(model='m'@1:27)

$ -i
>>> undefined.LLM("m")
<computed at run time>

$ -i
>>> import elsewhere
>>> elsewhere.LLM("m")
elsewhere.LLM@2:1(model='m'@2:15, ..<elsewhere.LLM was not found, so that its defaults are not known>)
engine LLM@2:1(model=<elsewhere.LLM was not found, so that it may be another class than vLLM's: 'm'>@2:15, environ={}) now elsewhere.LLM@2:1(model='m'@2:15, ..<elsewhere.LLM was not found, so that its defaults are not known>) ..<elsewhere.LLM was not found, so that it may be another class than vLLM's>

>>> class LLM: pass
>>> LLM("m")
class LLM@2:1(..<positional arguments are given>)

>>> transformers.AutoModelForCausalLM.from_pretrained("m", torch_dtype="auto")
<loaded by from_pretrained>
model AutoModelForCausalLM@1:1(torch_dtype='auto'@1:68, model='m'@1:51)

>>> [from_pretrained("m"), transformers.AutoModel.from_pretrained(pretrained="m", **u())]
[<loaded by from_pretrained>@1:2, <loaded by from_pretrained>@1:24]
model @1:2(model='m'@1:18)
model AutoModel@1:24(pretrained=<computed at run time: 'm'>@1:74) ..<computed at run time>
"""
