"""Parsers that fill dataclasses: HfArgumentParser, TrlParser and H4ArgumentParser, with all that they record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.facts.facts import Place
from vcompat.sources.reading.python.values.core import Start

IMPORTS = """
import os, yaml
from dataclasses import dataclass, field
from typing import ClassVar, List, Optional, Union
from transformers import HfArgumentParser
from trl import GRPOConfig, ModelConfig, TrlParser
from elsewhere import OtherConfig
@dataclass
class Own:
    n: int = 1
    on: bool = True
"""
FILES = {
    "a.yaml": "n: 2\nbeta: 0.1\nenv:\n  A: 1\n  2: b\n",
    "b.json": '{"n": 3}',
    "c.yml": "on: false\n",
    "d.yaml": "reward_weights: [1, 2]\nstrange: null\nodd: x\nenv: {}\n",
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return Session(tmp_path, IMPORTS)


def test_fields_are_options_of_the_kind_that_their_annotation_names(session: Session) -> None:
    assert session.filled(KINDS) == KINDS


KINDS = r"""
$ train.py --i 1 --f 2 --s 3 --b true --l x y --oi 4 --of 5.5 --os z --ob no --ol v --u 6 --q 7 --t 8 --a 9
>>> @dataclass
>>> class Mine:
>>>     i: int
>>>     f: float
>>>     s: str
>>>     b: bool
>>>     l: list[str]
>>>     oi: Optional[int] = None
>>>     of: "Optional[float]" = None
>>>     os: Optional[str] = None
>>>     ob: Optional[bool] = None
>>>     ol: Optional[List[str]] = None
>>>     u: Union[int, str] = 1
>>>     q: 'int' = 1
>>>     t: typing.Optional[list[str]] = None
>>>     a: Any = 1
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@17:1(oi=4 (--oi in run.sh:3:1)@run.sh:3:1, of=5.5 (--of in run.sh:3:1)@run.sh:3:1, os='z' (--os in run.sh:3:1)@run.sh:3:1, ob=False (--ob in run.sh:3:1)@run.sh:3:1, ol=['v' (--ol in run.sh:3:1)]@run.sh:3:1, u='6' (--u in run.sh:3:1)@run.sh:3:1, q=7 (--q in run.sh:3:1)@run.sh:3:1, t=['8' (--t in run.sh:3:1)]@run.sh:3:1, a='9' (--a in run.sh:3:1)@run.sh:3:1, i=1 (--i in run.sh:3:1)@run.sh:3:1, f=2.0 (--f in run.sh:3:1)@run.sh:3:1, s='3' (--s in run.sh:3:1)@run.sh:3:1, b=True (--b in run.sh:3:1)@run.sh:3:1, l=['x' (--l in run.sh:3:1), 'y' (--l in run.sh:3:1)]@run.sh:3:1))

$ train.py
>>> @dataclass
>>> class Mine:
>>>     i: int
>>>     b: bool
>>>     c: ClassVar[int] = 3
>>>     k: list[int] = field(default_factory=lambda: [1])
>>>     d: int = field(default=4)
>>>     e: str = u()
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@9:1(k=[1@6:51]@6:42, d=4@7:28, e=<computed at run time>@8:14))

$ train.py --a --b --no_c --no-d --e 0 --f-g 1 --no-h-i
>>> @dataclass
>>> class Mine:
>>>     a: bool = False
>>>     b: Optional[bool] = False
>>>     c: bool = True
>>>     d: Optional[bool] = True
>>>     e: bool = True
>>>     f_g: int = 0
>>>     h_i: bool = True
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@10:1(a=True (--a in run.sh:3:1)@run.sh:3:1, b=True (--b in run.sh:3:1)@run.sh:3:1, c=False (--c in run.sh:3:1)@run.sh:3:1, d=False (--d in run.sh:3:1)@run.sh:3:1, e=False (--e in run.sh:3:1)@run.sh:3:1, f_g=1 (--f_g in run.sh:3:1)@run.sh:3:1, h_i=False (--h_i in run.sh:3:1)@run.sh:3:1))

$ train.py --ob
>>> @dataclass
>>> class Mine:
>>>     ob: Optional[bool] = None
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(ob=<the command line does not fit its parser: argument --ob: expected one argument: None>@3:26, ..<the command line does not fit its parser: argument --ob: expected one argument>))

$ train.py --b
>>> @dataclass
>>> class Mine:
>>>     b: Optional[bool] = u()
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(b=<the command line does not fit its parser: argument --b: expected one argument>@3:25, ..<the command line does not fit its parser: argument --b: expected one argument>))

$ train.py --no_a
>>> @dataclass
>>> class Mine:
>>>     a: bool = False
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(a=False@3:15))

$ train.py --i {?} --f {?} --s {?} --b {?} --l a {?} --on={?}
>>> @dataclass
>>> class Mine(Own):
>>>     i: int = 1
>>>     f: float = 0.5
>>>     s: str = "s"
>>>     b: bool = False
>>>     l: list[str] = field(default_factory=list)
>>> HfArgumentParser([Mine]).parse_args_into_dataclasses()
(class Mine@8:1(n=<the command line is not fully known: 1>@10:14, on=<the launch script computes it: True or False>@run.sh:3:1, i=<the command line is not fully known>, f=<the command line is not fully known>, s=<the command line is not fully known>, b=<the command line is not fully known: True>, l=<the command line is not fully known>, ..<the command line is not fully known>))

$ train.py --l a{?} b --s x{?} --i {?} --f {?} --b={?}
>>> @dataclass
>>> class Mine:
>>>     i: int = 1
>>>     f: float = 0.5
>>>     s: str = "s"
>>>     b: bool = False
>>>     l: list[str] = field(default_factory=list)
>>> HfArgumentParser([Mine]).parse_args_into_dataclasses()
(class Mine@8:1(i=<the launch script computes it>@run.sh:3:1, f=<the launch script computes it>@run.sh:3:1, s=<the launch script computes it>@run.sh:3:1, b=<the launch script computes it: True or False>@run.sh:3:1, l=[<the launch script computes it>, 'b' (--l in run.sh:3:1)]@run.sh:3:1))

$ train.py --num_generations x
>>> HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1()) now trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num>)
stated trl.GRPOConfig@run.sh:3:1 abbreviates

$ train.py --f x
>>> @dataclass
>>> class Mine:
>>>     f: float = 1
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(f=<the command line does not fit its parser: argument --f: invalid float value: 'x': 1>@3:16, ..<the command line does not fit its parser: argument --f: invalid float value: 'x'>))

$ train.py --i x
>>> @dataclass
>>> class Mine:
>>>     i: int = 1
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(i=<the command line does not fit its parser: argument --i: invalid int value: 'x': 1>@3:14, ..<the command line does not fit its parser: argument --i: invalid int value: 'x'>))

$ train.py --b maybe
>>> @dataclass
>>> class Mine:
>>>     b: bool = True
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(b=<the command line does not fit its parser: argument --b: invalid _flag value: 'maybe': True>@3:15, ..<the command line does not fit its parser: argument --b: invalid _flag value: 'maybe'>))

$ train.py --value 3 --o
>>> @dataclass
>>> class Mine(Own):
>>>     value_of: int = 1
>>> HfArgumentParser(Mine).parse_args_into_dataclasses()
(class Mine@4:1(n=<the command line does not fit its parser: ambiguous option: --value could match --value_of, --value-: 1>@10:14, on=<the command line does not fit its parser: ambiguous option: --value could match --value_of, --value-: True>@11:16, value_of=<the command line does not fit its parser: ambiguous option: --value could match --value_of, --value-: 1>@3:21, ..<the command line does not fit its parser: ambiguous option: --value could match --value_of, --value->))
"""


def test_settings_of_library_classes_are_options(session: Session) -> None:
    assert session.filled(LIBRARY) == LIBRARY


LIBRARY = r"""
$ train.py --use_vllm --num_generations 4 --vllm-gpu-memory-utilization .5 --beta 1e-3 --model_name_or_path m --bf16 no
>>> c, m = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
c = trl.GRPOConfig@1:8(use_vllm=True (--use_vllm in run.sh:3:1)@run.sh:3:1, vllm_gpu_memory_utilization=0.5 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, bf16=False (--bf16 in run.sh:3:1)@run.sh:3:1, beta=0.001 (--beta in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, model_name_or_path='m' (--model_name_or_path in run.sh:3:1)@run.sh:3:1)
m = trl.ModelConfig@1:8(use_vllm=True (--use_vllm in run.sh:3:1)@run.sh:3:1, vllm_gpu_memory_utilization=0.5 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, bf16=False (--bf16 in run.sh:3:1)@run.sh:3:1, beta=0.001 (--beta in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, model_name_or_path='m' (--model_name_or_path in run.sh:3:1)@run.sh:3:1)
configuration GRPOConfig@1:8(self=trl.GRPOConfig@1:8(use_vllm=True (--use_vllm in run.sh:3:1)@run.sh:3:1, vllm_gpu_memory_utilization=0.5 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, bf16=False (--bf16 in run.sh:3:1)@run.sh:3:1, beta=0.001 (--beta in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, model_name_or_path='m' (--model_name_or_path in run.sh:3:1)@run.sh:3:1))
configuration ModelConfig@1:8(self=trl.ModelConfig@1:8(use_vllm=True (--use_vllm in run.sh:3:1)@run.sh:3:1, vllm_gpu_memory_utilization=0.5 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, bf16=False (--bf16 in run.sh:3:1)@run.sh:3:1, beta=0.001 (--beta in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, model_name_or_path='m' (--model_name_or_path in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig trl.ModelConfig@run.sh:3:1: option use_vllm=True@run.sh:3:1, option vllm_gpu_memory_utilization=0.5@run.sh:3:1, option bf16=False@run.sh:3:1, option beta=0.001@run.sh:3:1, option num_generations=4@run.sh:3:1, option model_name_or_path='m'@run.sh:3:1 is_complete abbreviates

$ train.py --num_generations +4 --vllm_gpu_memory_utilization -1 --reward_weights 1 2 --lora_modules_to_save a b --torch_dtype auto
>>> HfArgumentParser((GRPOConfig, ModelConfig)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(vllm_gpu_memory_utilization=-1 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, torch_dtype='auto' (--torch_dtype in run.sh:3:1)@run.sh:3:1, lora_modules_to_save=['a' (--lora_modules_to_save in run.sh:3:1), 'b' (--lora_modules_to_save in run.sh:3:1)]@run.sh:3:1, reward_weights='1' (--reward_weights in run.sh:3:1)@run.sh:3:1), trl.ModelConfig@1:1(vllm_gpu_memory_utilization=-1 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, torch_dtype='auto' (--torch_dtype in run.sh:3:1)@run.sh:3:1, lora_modules_to_save=['a' (--lora_modules_to_save in run.sh:3:1), 'b' (--lora_modules_to_save in run.sh:3:1)]@run.sh:3:1, reward_weights='1' (--reward_weights in run.sh:3:1)@run.sh:3:1))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(vllm_gpu_memory_utilization=-1 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, torch_dtype='auto' (--torch_dtype in run.sh:3:1)@run.sh:3:1, lora_modules_to_save=['a' (--lora_modules_to_save in run.sh:3:1), 'b' (--lora_modules_to_save in run.sh:3:1)]@run.sh:3:1, reward_weights='1' (--reward_weights in run.sh:3:1)@run.sh:3:1))
configuration ModelConfig@1:1(self=trl.ModelConfig@1:1(vllm_gpu_memory_utilization=-1 (--vllm_gpu_memory_utilization in run.sh:3:1)@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, torch_dtype='auto' (--torch_dtype in run.sh:3:1)@run.sh:3:1, lora_modules_to_save=['a' (--lora_modules_to_save in run.sh:3:1), 'b' (--lora_modules_to_save in run.sh:3:1)]@run.sh:3:1, reward_weights='1' (--reward_weights in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig trl.ModelConfig@run.sh:3:1: option vllm_gpu_memory_utilization=-1@run.sh:3:1, option num_generations=4@run.sh:3:1, option torch_dtype='auto'@run.sh:3:1, option lora_modules_to_save=['a', 'b']@run.sh:3:1, option reward_weights='1'@run.sh:3:1 is_complete abbreviates

$ train.py --num_generations {?} --use_vllm {?} --vllm_mode x{?} --lora_target_modules {?} --packing {?} --debug
>>> HfArgumentParser((GRPOConfig, ModelConfig)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --debug: expected one argument>), trl.ModelConfig@1:1(..<the command line does not fit its parser: argument --debug: expected one argument>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1()) now trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --debug: expected one argument>)
stated trl.GRPOConfig trl.ModelConfig@run.sh:3:1 abbreviates

$ train.py --num_gen 4 --no-such 1 word --other=2 -x 3 -- --after
>>> HfArgumentParser((GRPOConfig,)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1))
stated trl.GRPOConfig@run.sh:3:1: option no-such=COMPUTED@run.sh:3:1, option other=COMPUTED@run.sh:3:1, option after=COMPUTED@run.sh:3:1 is_complete abbreviates

$ train.py --num_gen 4
>>> HfArgumentParser((GRPOConfig, OtherConfig)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(), elsewhere.OtherConfig@1:1(..<elsewhere.OtherConfig was not found, so that its defaults are not known>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1())

$ train.py --num_gen 4
>>> HfArgumentParser((GRPOConfig, UndefinedConfig)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1), ~UndefinedConfig@1:1(num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1))

$ train.py --num_gen 4
>>> HfArgumentParser((GRPOConfig, u())).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(), <computed at run time>)
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1())

$ train.py --num_generations 4 {*}
>>> HfArgumentParser((GRPOConfig, Own)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(num_generations=<the command line is not fully known: 4>, ..<the command line is not fully known>), class Own@1:1(n=<the command line is not fully known: 1>@10:14, on=<the command line is not fully known: True>@11:16, ..<the command line is not fully known>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(num_generations=<the command line is not fully known: 4>)) now trl.GRPOConfig@1:1(num_generations=<the command line is not fully known: 4>, ..<the command line is not fully known>)
stated trl.GRPOConfig@run.sh:3:1: option num_generations=COMPUTED own n on abbreviates

$ train.py {*} --num_generations 4 --n {?}
>>> HfArgumentParser((GRPOConfig, Own)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(n=<the launch script computes it>@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, ..<the command line is not fully known>), class Own@1:1(n=<the launch script computes it>@run.sh:3:1, on=<the command line is not fully known: True>@11:16, ..<the command line is not fully known>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(n=<the launch script computes it>@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1)) now trl.GRPOConfig@1:1(n=<the launch script computes it>@run.sh:3:1, num_generations=4 (--num_generations in run.sh:3:1)@run.sh:3:1, ..<the command line is not fully known>)
stated trl.GRPOConfig@run.sh:3:1: option n=COMPUTED@run.sh:3:1, option num_generations=4@run.sh:3:1 own n on abbreviates

$ train.py {*} --num_generations 4 --num_generations 5
>>> HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(num_generations=5 (--num_generations in run.sh:3:1)@run.sh:3:1, ..<the command line is not fully known>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(num_generations=5 (--num_generations in run.sh:3:1)@run.sh:3:1)) now trl.GRPOConfig@1:1(num_generations=5 (--num_generations in run.sh:3:1)@run.sh:3:1, ..<the command line is not fully known>)
stated trl.GRPOConfig@run.sh:3:1: option num_generations=5@run.sh:3:1 abbreviates

>>> HfArgumentParser((GRPOConfig, Own)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(..<read from the command line, which is not known>), class Own@1:1(n=<read from the command line, which is not known: 1>@10:14, on=<read from the command line, which is not known: True>@11:16, ..<read from the command line, which is not known>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1()) now trl.GRPOConfig@1:1(..<read from the command line, which is not known>)
stated trl.GRPOConfig@1:1 own n on abbreviates

$ train.py --num_generations four
>>> HfArgumentParser((GRPOConfig, Own)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num>), class Own@1:1(n=<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num: 1>@10:14, on=<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num: True>@11:16, ..<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1()) now trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: invalid _num>)
stated trl.GRPOConfig@run.sh:3:1 own n on abbreviates

$ train.py --num_generations
>>> HfArgumentParser((GRPOConfig,)).parse_args_into_dataclasses()
(trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: expected one>))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1()) now trl.GRPOConfig@1:1(..<the command line does not fit its parser: argument --num_generations/--num-generations: expected one>)
stated trl.GRPOConfig@run.sh:3:1 abbreviates

$ train.py --beta 1
>>> class Mine(GRPOConfig): pass
>>> HfArgumentParser((Mine, Own)).parse_args_into_dataclasses()
(class Mine@2:1(beta=1 (--beta in run.sh:3:1)@run.sh:3:1), class Own@2:1(n=1@10:14, on=True@11:16))
configuration GRPOConfig@2:1(self=class Mine@2:1(beta=1 (--beta in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig@run.sh:3:1: option beta=1@run.sh:3:1 own n on is_complete abbreviates

$ train.py --beta 1
>>> GRPOConfig.__init__ = f
>>> HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
(trl.GRPOConfig@2:1(beta=<the script changes the class: 1>@run.sh:3:1, ..<the script changes the class>))
changes trl.GRPOConfig.__init__: the script replaces it
changes GRPOConfig: the script changes the class
configuration GRPOConfig@2:1(self=trl.GRPOConfig@2:1(beta=<the script changes the class: 1>@run.sh:3:1, ..<the script changes the class>))

$ train.py --beta 1
>>> if u():
>>>     HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=1 (--beta in run.sh:3:1)@run.sh:3:1)) perhaps: depends on a condition
"""


def test_parsers_are_made_and_called_in_several_ways(session: Session) -> None:
    assert session.filled(CALLS) == CALLS


CALLS = r"""
$ train.py --n 3
>>> [HfArgumentParser(dataclass_types=Own).parse_args_into_dataclasses(), HfArgumentParser(Own).parse_args(), TrlParser(Own).parse()]
[(class Own@1:2(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:2, (class Own@1:71(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:71, (class Own@1:107(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:107]

$ train.py --n 3
>>> [HfArgumentParser(Own).parse_args_into_dataclasses(["--n", "4"]), HfArgumentParser(Own).parse_args_into_dataclasses(args=None)]
[(class Own@1:2(n=4 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:2, (class Own@1:67(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:67]

$ train.py --n 3
>>> [HfArgumentParser(Own).parse_args_into_dataclasses(u()), HfArgumentParser(Own).parse_args_into_dataclasses(["--n", u()])]
[(class Own@1:2(n=<read from the command line, which is not known: 1>@10:14, on=<read from the command line, which is not known: True>@11:16, ..<read from the command line, which is not known>))@1:2, (class Own@1:58(n=<the launch script computes it>@run.sh:3:1, on=True@11:16))@1:58]

$ train.py --n 3 --x
>>> HfArgumentParser(Own).parse_args_into_dataclasses(return_remaining_strings=True)
(class Own@1:1(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16), [<computed at run time>])

$ train.py --n 3 --beta 1 --x
>>> HfArgumentParser(GRPOConfig).parse_args_into_dataclasses(**u())
(trl.GRPOConfig@1:1(activation_offloading=<an option is short for several names, of which the release may have one>@run.sh:3:1, assistant_only_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, auto_find_batch_size=<an option is short for several names, of which the release may have one>@run.sh:3:1, average_tokens_across_devices=<an option is short for several names, of which the release may have one>@run.sh:3:1, batch_eval_metrics=<an option is short for several names, of which the release may have one>@run.sh:3:1, bf16=<an option is short for several names, of which the release may have one>@run.sh:3:1, bf16_full_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, cast_lm_head_to_fp32=<an option is short for several names, of which the release may have one>@run.sh:3:1, chat_template_ids=<an option is short for several names, of which the release may have one>@run.sh:3:1, completion_only_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_drop_last=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_in_order=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_persistent_workers=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_pin_memory=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataset_streaming=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_broadcast_buffers=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_find_unused_parameters=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_static_graph=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_bf16=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_bf16_optimizer_states=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_fp16=<an option is short for several names, of which the release may have one>@run.sh:3:1, disable_dropout=<an option is short for several names, of which the release may have one>@run.sh:3:1, disable_tqdm=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_predict=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_train=<an option is short for several names, of which the release may have one>@run.sh:3:1, ds3_gather_for_generation=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_chunked_prefill=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_jit_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_prefix_caching=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_sleep_mode=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_do_concat_batches=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_on_start=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_packing=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_use_gather_object=<an option is short for several names, of which the release may have one>@run.sh:3:1, fp16=<an option is short for several names, of which the release may have one>@run.sh:3:1, fp16_full_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, full_determinism=<an option is short for several names, of which the release may have one>@run.sh:3:1, gradient_checkpointing=<an option is short for several names, of which the release may have one>@run.sh:3:1, greater_is_better=<an option is short for several names, of which the release may have one>@run.sh:3:1, hub_always_push=<an option is short for several names, of which the release may have one>@run.sh:3:1, hub_private_repo=<an option is short for several names, of which the release may have one>@run.sh:3:1, ignore_bias_buffers=<an option is short for several names, of which the release may have one>@run.sh:3:1, ignore_data_skip=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_best_model_at_end=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_in_4bit=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_in_8bit=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_completions=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_multimodal=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_on_each_node=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_unique_prompts=<an option is short for several names, of which the release may have one>@run.sh:3:1, logging_first_step=<an option is short for several names, of which the release may have one>@run.sh:3:1, logging_nan_inf_filter=<an option is short for several names, of which the release may have one>@run.sh:3:1, mask_truncated_completions=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_hybrid=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_moe=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_multimodal=<an option is short for several names, of which the release may have one>@run.sh:3:1, neftune_noise_alpha=<an option is short for several names, of which the release may have one>@run.sh:3:1, normalize_advantages=<an option is short for several names, of which the release may have one>@run.sh:3:1, notebook=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_completions_to_print=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_iterations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_train_epochs=<an option is short for several names, of which the release may have one>@run.sh:3:1, packing=<an option is short for several names, of which the release may have one>@run.sh:3:1, padding_free=<an option is short for several names, of which the release may have one>@run.sh:3:1, prediction_loss_only=<an option is short for several names, of which the release may have one>@run.sh:3:1, push_to_hub=<an option is short for several names, of which the release may have one>@run.sh:3:1, registers_models=<an option is short for several names, of which the release may have one>@run.sh:3:1, remove_unused_columns=<an option is short for several names, of which the release may have one>@run.sh:3:1, restore_callback_states_from_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, resumes_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, save_on_each_node=<an option is short for several names, of which the release may have one>@run.sh:3:1, save_only_model=<an option is short for several names, of which the release may have one>@run.sh:3:1, server_started=<an option is short for several names, of which the release may have one>@run.sh:3:1, shuffle_dataset=<an option is short for several names, of which the release may have one>@run.sh:3:1, skip_memory_metrics=<an option is short for several names, of which the release may have one>@run.sh:3:1, speculative_config=<an option is short for several names, of which the release may have one>@run.sh:3:1, sync_ref_model=<an option is short for several names, of which the release may have one>@run.sh:3:1, tf32=<an option is short for several names, of which the release may have one>@run.sh:3:1, torch_compile=<an option is short for several names, of which the release may have one>@run.sh:3:1, trust_remote_code=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_adaptive_entropy=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_bias_correction_kl=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_bnb_nested_quant=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_cache=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_cpu=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_dora=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_liger_kernel=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_liger_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_peft=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_rslora=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_transformers_continuous_batching=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_transformers_paged=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_vllm=<an option is short for several names, of which the release may have one>@run.sh:3:1, vllm_enable_sleep_mode=<an option is short for several names, of which the release may have one>@run.sh:3:1, vllm_importance_sampling_correction=<an option is short for several names, of which the release may have one>@run.sh:3:1, beta=1 (--beta in run.sh:3:1)@run.sh:3:1))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(activation_offloading=<an option is short for several names, of which the release may have one>@run.sh:3:1, assistant_only_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, auto_find_batch_size=<an option is short for several names, of which the release may have one>@run.sh:3:1, average_tokens_across_devices=<an option is short for several names, of which the release may have one>@run.sh:3:1, batch_eval_metrics=<an option is short for several names, of which the release may have one>@run.sh:3:1, bf16=<an option is short for several names, of which the release may have one>@run.sh:3:1, bf16_full_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, cast_lm_head_to_fp32=<an option is short for several names, of which the release may have one>@run.sh:3:1, chat_template_ids=<an option is short for several names, of which the release may have one>@run.sh:3:1, completion_only_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_drop_last=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_in_order=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_persistent_workers=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataloader_pin_memory=<an option is short for several names, of which the release may have one>@run.sh:3:1, dataset_streaming=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_broadcast_buffers=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_find_unused_parameters=<an option is short for several names, of which the release may have one>@run.sh:3:1, ddp_static_graph=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_bf16=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_bf16_optimizer_states=<an option is short for several names, of which the release may have one>@run.sh:3:1, deepspeed_fp16=<an option is short for several names, of which the release may have one>@run.sh:3:1, disable_dropout=<an option is short for several names, of which the release may have one>@run.sh:3:1, disable_tqdm=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_predict=<an option is short for several names, of which the release may have one>@run.sh:3:1, do_train=<an option is short for several names, of which the release may have one>@run.sh:3:1, ds3_gather_for_generation=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_chunked_prefill=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_jit_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_prefix_caching=<an option is short for several names, of which the release may have one>@run.sh:3:1, enable_sleep_mode=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_do_concat_batches=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_on_start=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_packing=<an option is short for several names, of which the release may have one>@run.sh:3:1, eval_use_gather_object=<an option is short for several names, of which the release may have one>@run.sh:3:1, fp16=<an option is short for several names, of which the release may have one>@run.sh:3:1, fp16_full_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, full_determinism=<an option is short for several names, of which the release may have one>@run.sh:3:1, gradient_checkpointing=<an option is short for several names, of which the release may have one>@run.sh:3:1, greater_is_better=<an option is short for several names, of which the release may have one>@run.sh:3:1, hub_always_push=<an option is short for several names, of which the release may have one>@run.sh:3:1, hub_private_repo=<an option is short for several names, of which the release may have one>@run.sh:3:1, ignore_bias_buffers=<an option is short for several names, of which the release may have one>@run.sh:3:1, ignore_data_skip=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_best_model_at_end=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_in_4bit=<an option is short for several names, of which the release may have one>@run.sh:3:1, load_in_8bit=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_completions=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_multimodal=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_on_each_node=<an option is short for several names, of which the release may have one>@run.sh:3:1, log_unique_prompts=<an option is short for several names, of which the release may have one>@run.sh:3:1, logging_first_step=<an option is short for several names, of which the release may have one>@run.sh:3:1, logging_nan_inf_filter=<an option is short for several names, of which the release may have one>@run.sh:3:1, mask_truncated_completions=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_hybrid=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_moe=<an option is short for several names, of which the release may have one>@run.sh:3:1, model_is_multimodal=<an option is short for several names, of which the release may have one>@run.sh:3:1, neftune_noise_alpha=<an option is short for several names, of which the release may have one>@run.sh:3:1, normalize_advantages=<an option is short for several names, of which the release may have one>@run.sh:3:1, notebook=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_completions_to_print=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_generations_eval=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_iterations=<an option is short for several names, of which the release may have one>@run.sh:3:1, num_train_epochs=<an option is short for several names, of which the release may have one>@run.sh:3:1, packing=<an option is short for several names, of which the release may have one>@run.sh:3:1, padding_free=<an option is short for several names, of which the release may have one>@run.sh:3:1, prediction_loss_only=<an option is short for several names, of which the release may have one>@run.sh:3:1, push_to_hub=<an option is short for several names, of which the release may have one>@run.sh:3:1, registers_models=<an option is short for several names, of which the release may have one>@run.sh:3:1, remove_unused_columns=<an option is short for several names, of which the release may have one>@run.sh:3:1, restore_callback_states_from_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, resumes_checkpoint=<an option is short for several names, of which the release may have one>@run.sh:3:1, save_on_each_node=<an option is short for several names, of which the release may have one>@run.sh:3:1, save_only_model=<an option is short for several names, of which the release may have one>@run.sh:3:1, server_started=<an option is short for several names, of which the release may have one>@run.sh:3:1, shuffle_dataset=<an option is short for several names, of which the release may have one>@run.sh:3:1, skip_memory_metrics=<an option is short for several names, of which the release may have one>@run.sh:3:1, speculative_config=<an option is short for several names, of which the release may have one>@run.sh:3:1, sync_ref_model=<an option is short for several names, of which the release may have one>@run.sh:3:1, tf32=<an option is short for several names, of which the release may have one>@run.sh:3:1, torch_compile=<an option is short for several names, of which the release may have one>@run.sh:3:1, trust_remote_code=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_adaptive_entropy=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_bias_correction_kl=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_bnb_nested_quant=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_cache=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_cpu=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_dora=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_liger_kernel=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_liger_loss=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_peft=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_rslora=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_transformers_continuous_batching=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_transformers_paged=<an option is short for several names, of which the release may have one>@run.sh:3:1, use_vllm=<an option is short for several names, of which the release may have one>@run.sh:3:1, vllm_enable_sleep_mode=<an option is short for several names, of which the release may have one>@run.sh:3:1, vllm_importance_sampling_correction=<an option is short for several names, of which the release may have one>@run.sh:3:1, beta=1 (--beta in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig@run.sh:3:1 abbreviates

$ train.py --n 3
>>> [HfArgumentParser().parse_args_into_dataclasses(), HfArgumentParser(u()).parse_args(), HfArgumentParser(Own, **u()).parse_args()]
[()@1:2, (<computed at run time>)@1:52, <computed at run time>@1:88]

$ train.py --n 3
>>> p = HfArgumentParser(Own)
>>> [p.add_argument("--x"), p.parse_args_into_dataclasses()]
[<computed at run time>@2:2, (class Own@2:25(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16), argparse.Namespace@2:25(x=None@2:2))@2:25]
p = transformers.HfArgumentParser@1:5(<classes>=class Own@1:22)@1:5

$ train.py --n 3
>>> p = HfArgumentParser(Own)
>>> [p.add_argument_group("--x"), p]
[<computed at run time>@2:2, transformers.HfArgumentParser@1:5(<classes>=<options are added to it>@1:22, ..<options are added to it>)@2:31]
p = transformers.HfArgumentParser@1:5(<classes>=<options are added to it>@1:22, ..<options are added to it>)@1:5

$ train.py --n 3
>>> p = HfArgumentParser(Own)
>>> [p.set_defaults(n=4), p]
[<computed at run time>@2:2, transformers.HfArgumentParser@1:5(<classes>=<options are added to it>@1:22, ..<options are added to it>)@2:23]
p = transformers.HfArgumentParser@1:5(<classes>=<options are added to it>@1:22, ..<options are added to it>)@1:5

$ train.py --n 3
>>> p = HfArgumentParser(Own)
>>> [p.unknown(), p]
[<computed at run time>@2:2, transformers.HfArgumentParser@1:5(<classes>=<computed at run time>@1:22, ..<computed at run time>)@2:15]
p = transformers.HfArgumentParser@1:5(<classes>=<computed at run time>@1:22, ..<computed at run time>)@1:5

$ train.py --n 3
>>> kinds = [Own]
>>> kinds.append(u())
>>> HfArgumentParser(kinds).parse_args_into_dataclasses()
(class Own@3:1(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16), <computed at run time>)
kinds = [class Own@1:10, <computed at run time>@2:14]@1:9

$ train.py --n 3
>>> kinds = [*u()]
>>> HfArgumentParser(kinds).parse_args_into_dataclasses()
<computed at run time>
kinds = [<computed at run time>]@1:9

$ train.py --n 3
>>> [HfArgumentParser(Own).parse_dict({"n": 4}), HfArgumentParser((Own, GRPOConfig)).parse_dict(args={"on": u()})]
[(class Own@1:2(n=4@1:41, on=True@11:16))@1:2, (class Own@1:46(n=1@10:14, on=<computed at run time>@1:105), trl.GRPOConfig@1:46(on=<computed at run time>@1:105))@1:46]
configuration GRPOConfig@1:46(self=trl.GRPOConfig@1:46()) now trl.GRPOConfig@1:46(on=<computed at run time>@1:105)
stated trl.GRPOConfig@1:46 is_complete

$ train.py --n 3
>>> [HfArgumentParser(Own).parse_dict(u()), HfArgumentParser(Own).parse_dict(), HfArgumentParser(u()).parse_dict({"n": 1})]
[(class Own@1:2(n=<set from an unknown dictionary: 1>@10:14, on=<set from an unknown dictionary: True>@11:16, ..<set from an unknown dictionary>))@1:2, <computed at run time>@1:41, (<computed at run time>)@1:77]

$ train.py --n 3
>>> [H4ArgumentParser(Own).parse(), H4ArgumentParser((Own, GRPOConfig)).parse()]
[class Own@1:2(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16)@1:2, (class Own@1:33(n=3 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16), trl.GRPOConfig@1:33(n=3 (--n in run.sh:3:1)@run.sh:3:1))@1:33]
configuration GRPOConfig@1:33(self=trl.GRPOConfig@1:33(n=3 (--n in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig@run.sh:3:1: option n=3@run.sh:3:1 own n on is_complete abbreviates
"""


def test_files_of_settings_come_below_the_command_line(session: Session) -> None:
    assert session.filled(CONFIGURED) == CONFIGURED


CONFIGURED = r"""
$ -i train.py --config a.yaml --on no
>>> TrlParser((Own, GRPOConfig)).parse_args_and_config()
>>> os.environ["A"]
'1'
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@run.sh:3:1() now 'settings'
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1, on=False (--on in run.sh:3:1)@run.sh:3:1))
stated trl.GRPOConfig@run.sh:3:1: option on=False@run.sh:3:1, file n=2@a.yaml:1:1, file beta=0.1@a.yaml:2:1 own n on is_complete abbreviates

$ -i train.py --n 9 --config a.yaml
>>> TrlParser((GRPOConfig, Own)).parse_args_and_config(fail_with_unknown_args=False)
(trl.GRPOConfig@1:1(n=9 (--n in run.sh:3:1)@run.sh:3:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1), class Own@1:1(n=9 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@run.sh:3:1() now 'settings'
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(n=9 (--n in run.sh:3:1)@run.sh:3:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))
stated trl.GRPOConfig@run.sh:3:1: option n=9@run.sh:3:1 own n on abbreviates

$ -i train.py --config a.yaml
>>> TrlParser((GRPOConfig, Own)).parse_args_and_config(return_remaining_strings=True)
(trl.GRPOConfig@1:1(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1), class Own@1:1(n=2@a.yaml:1:1, on=True@11:16), [<computed at run time>])
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@run.sh:3:1() now 'settings'
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))
stated trl.GRPOConfig@run.sh:3:1 own n on abbreviates

$ -i train.py --config a.yaml
>>> [HfArgumentParser(Own).parse_args_into_dataclasses(), HfArgumentParser(Own).parse_args_and_config()]
[(class Own@1:2(n=1@10:14, on=True@11:16))@1:2, (class Own@1:55(n=2@a.yaml:1:1, on=True@11:16))@1:55]
file a.yaml@run.sh:3:1() now 'settings'

$ -i train.py --config d.yaml --strange=2 --odd 3 word -x -- --{?}
>>> TrlParser((GRPOConfig,)).parse_args_and_config()
(trl.GRPOConfig@1:1(reward_weights=[1@d.yaml:1:1, 2@d.yaml:1:1]@d.yaml:1:1, strange=None@d.yaml:2:1, odd='x'@d.yaml:3:1, env={}@d.yaml:4:1))
file d.yaml@run.sh:3:1() now 'settings'
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(reward_weights=[1@d.yaml:1:1, 2@d.yaml:1:1]@d.yaml:1:1, strange=None@d.yaml:2:1, odd='x'@d.yaml:3:1, env={}@d.yaml:4:1))
stated trl.GRPOConfig@run.sh:3:1: option strange=COMPUTED@run.sh:3:1, option odd=COMPUTED@run.sh:3:1, file reward_weights=COMPUTED@d.yaml:1:1, file strange=None@d.yaml:2:1, file odd='x'@d.yaml:3:1 is_complete abbreviates

$ -i train.py --config
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<the command line does not fit its parser: argument --configuration: expected one argument: 1>@10:14, on=<the command line does not fit its parser: argument --configuration: expected one argument: True>@11:16, ..<the command line does not fit its parser: argument --configuration: expected one argument>))

$ -i A=0 train.py --config {?}
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<the file of settings is not known: 1>@10:14, on=<the file of settings is not known: True>@11:16, ..<the file of settings is not known>))
environ A = <a file of settings may set it: '0'>@run.sh:3:1

$ -i A=0 train.py --config {*}
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<the file of settings is not known: 1>@10:14, on=<the file of settings is not known: True>@11:16, ..<the file of settings is not known>))
environ A = <a file of settings may set it: '0'>@run.sh:3:1

$ -i A=0 train.py --config none.yaml
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<none.yaml was not found: 1>@10:14, on=<none.yaml was not found: True>@11:16, ..<none.yaml was not found>))
environ A = <a file of settings may set it: '0'>@run.sh:3:1
file none.yaml@run.sh:3:1() now 'missing'

$ -i A=0 train.py --n 5 {*}
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<the command line is not fully known: 5>, on=<the command line may name a file of settings: True>@11:16, ..<the command line may name a file of settings>))
environ A = <a file of settings may set it: '0'>@run.sh:3:1

$ -i A=0 train.py --n 5 {*}
>>> H4ArgumentParser((Own,)).parse()
class Own@1:1(n=<the command line is not fully known: 5>, on=<the command line is not fully known: True>@11:16, ..<the command line is not fully known>)

$ -i A=0
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<read from the command line, which is not known: 1>@10:14, on=<read from the command line, which is not known: True>@11:16, ..<read from the command line, which is not known>))
environ A = <a file of settings may set it: '0'>@run.sh:3:1

$ -i train.py a.yaml --on no
>>> H4ArgumentParser((Own,)).parse()
class Own@1:1(n=2@a.yaml:1:1, on=False (--on in run.sh:3:1)@run.sh:3:1)
file a.yaml@run.sh:3:1() now 'settings'

$ -i train.py c.yml --n 4
>>> [H4ArgumentParser((Own,)).parse(), TrlParser(Own).parse_args_and_config()]
[class Own@1:2(n=4 (--n in run.sh:3:1)@run.sh:3:1, on=False@c.yml:1:1)@1:2, (class Own@1:36(n=4 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@1:36]
file c.yml@run.sh:3:1() now 'settings'

$ -i train.py
>>> H4ArgumentParser((Own,)).parse()
class Own@1:1(n=1@10:14, on=True@11:16)

$ -i train.py {?}.yaml
>>> H4ArgumentParser((Own,)).parse()
class Own@1:1(n=<the file of settings is not known: 1>@10:14, on=<the file of settings is not known: True>@11:16, ..<the file of settings is not known>)

$ -i train.py --on no
>>> p = HfArgumentParser((Own, GRPOConfig))
>>> [p.parse_yaml_file("a.yaml"), p.parse_json_file("b.json"), p.parse_yaml_file(yaml_file="a.yaml", allow_extra_keys=True), p.parse_json_file(json_file="b.json")]
[(class Own@2:2(n=2@a.yaml:1:1, on=True@11:16), trl.GRPOConfig@2:2(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))@2:2, (class Own@2:31(n=3@b.json:1:2, on=True@11:16), trl.GRPOConfig@2:31(n=3@b.json:1:2))@2:31, (class Own@2:60(n=2@a.yaml:1:1, on=True@11:16), trl.GRPOConfig@2:60(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))@2:60, (class Own@2:122(n=3@b.json:1:2, on=True@11:16), trl.GRPOConfig@2:122(n=3@b.json:1:2))@2:122]
p = transformers.HfArgumentParser@1:5(<classes>=(class Own@1:23, trl.GRPOConfig@1:28)@1:22)@1:5
file a.yaml@script() now 'settings'
configuration GRPOConfig@2:2(self=trl.GRPOConfig@2:2(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))
file b.json@script() now 'settings'
configuration GRPOConfig@2:31(self=trl.GRPOConfig@2:31(n=3@b.json:1:2))
file a.yaml@script() now 'settings'
configuration GRPOConfig@2:60(self=trl.GRPOConfig@2:60(n=2@a.yaml:1:1, beta=0.1@a.yaml:2:1, env={'A': 1@a.yaml:3:1, '2': 'b'@a.yaml:3:1}@a.yaml:3:1))
file b.json@script() now 'settings'
configuration GRPOConfig@2:122(self=trl.GRPOConfig@2:122(n=3@b.json:1:2))
stated trl.GRPOConfig@run.sh:3:1: option n=2@a.yaml:1:1, option beta=0.1@a.yaml:2:1 own n on abbreviates
stated trl.GRPOConfig@run.sh:3:1: option n=3@b.json:1:2 own n on abbreviates
stated trl.GRPOConfig@run.sh:3:1 own n on abbreviates

$ -i train.py --on no
>>> p = HfArgumentParser((Own,))
>>> [p.parse_yaml_file("none.yaml"), p.parse_yaml_file(u()), p.parse_yaml_file("a.yaml", True), p.parse_yaml_file()]
[(class Own@2:2(n=<computed at run time: 1>@10:14, on=<computed at run time: True>@11:16, ..<computed at run time>))@2:2, (class Own@2:34(n=<computed at run time: 1>@10:14, on=<computed at run time: True>@11:16, ..<computed at run time>))@2:34, (class Own@2:58(n=2@a.yaml:1:1, on=True@11:16))@2:58, (class Own@2:93(n=<computed at run time: 1>@10:14, on=<computed at run time: True>@11:16, ..<computed at run time>))@2:93]
p = transformers.HfArgumentParser@1:5(<classes>=(class Own@1:23)@1:22)@1:5
file none.yaml@script() now 'missing'
file a.yaml@script() now 'settings'

$ -i train.py --on no
>>> p = HfArgumentParser((Own,))
>>> [p.parse_yaml_and_args("a.yaml"), p.parse_yaml_and_args("a.yaml", ["--n", "4"]), p.parse_yaml_and_args("a.yaml", other_args=["--n", "5"])]
[(class Own@2:2(n=2@a.yaml:1:1, on=False (--on in run.sh:3:1)@run.sh:3:1))@2:2, (class Own@2:35(n=4 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@2:35, (class Own@2:82(n=5 (--n in run.sh:3:1)@run.sh:3:1, on=True@11:16))@2:82]
p = transformers.HfArgumentParser@1:5(<classes>=(class Own@1:23)@1:22)@1:5
file a.yaml@script() now 'settings'
file a.yaml@script() now 'settings'
file a.yaml@script() now 'settings'

$ -i train.py --config a.yaml
>>> open("a.yaml", "w")
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@2:1(n=<a.yaml is changed before: 1>@10:14, on=<a.yaml is changed before: True>@11:16, ..<a.yaml is changed before>))
writes a.yaml
"""


def test_a_file_that_the_launch_script_changes_is_not_known(session: Session) -> None:
    files = {"a.yaml": None, "b.json": '{"n": 7}'}
    session.start = Start((), files=files)
    assert session.filled(REWRITTEN) == REWRITTEN


REWRITTEN = r"""
$ -i train.py --config a.yaml
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=<a.yaml is changed before: 1>@10:14, on=<a.yaml is changed before: True>@11:16, ..<a.yaml is changed before>))

$ -i train.py --config b.json
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=7@b.json:1:2, on=True@11:16))
"""


def test_a_file_of_settings_that_is_handed_over_is_read(session: Session) -> None:
    session.start = Start(None, Place("run.sh", 3), settings=str(session.folder / "a.yaml"))
    assert session.filled(HANDED_OVER) == HANDED_OVER


HANDED_OVER = r"""
>>> [TrlParser((Own,)).parse_args_and_config(), HfArgumentParser((Own,)).parse_args_into_dataclasses()]
[(class Own@1:2(n=2@a.yaml:1:1, on=True@11:16))@1:2, (class Own@1:45(n=<read from the command line, which is not known: 1>@10:14, on=<read from the command line, which is not known: True>@11:16, ..<read from the command line, which is not known>))@1:45]
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@a.yaml() now 'settings'

>>> HfArgumentParser((Own,)).parse_args_and_config()
(class Own@1:1(n=2@a.yaml:1:1, on=True@11:16))
file a.yaml@a.yaml() now 'settings'

>>> [HfArgumentParser((Own,)).parse_yaml_file(u())]
[(class Own@1:2(n=2@a.yaml:1:1, on=True@11:16))@1:2]
file a.yaml@a.yaml() now 'settings'

$ -i train.py --config {?}
>>> TrlParser((Own,)).parse_args_and_config()
(class Own@1:1(n=2@a.yaml:1:1, on=True@11:16))
environ A = '1'@a.yaml:4:3
environ 2 = 'b'@a.yaml:5:3
file a.yaml@a.yaml() now 'settings'
"""


def test_a_command_without_a_position_gives_options_without_a_place(session: Session) -> None:
    session.start = Start(("--n", "3", "--on", "no"))
    assert session.outcome("HfArgumentParser(Own).parse_args()") == ["(class Own@1:1(n=3 (--n), on=False (--on)))"]


def test_a_subcommand_of_trl_gets_options_of_accelerate_too(session: Session) -> None:
    session.start = Start(("--beta", "1"), Place("run.sh", 3), is_command=True)
    assert session.filled(COMMAND) == COMMAND


COMMAND = r"""
>>> TrlParser((GRPOConfig, Own)).parse_args_and_config()
(trl.GRPOConfig@1:1(beta=1 (--beta in run.sh:3)@run.sh:3), class Own@1:1(n=1@10:14, on=True@11:16))
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(beta=1 (--beta in run.sh:3)@run.sh:3))
stated trl.GRPOConfig accelerate.launch@run.sh:3: option beta=1@run.sh:3 own accelerate_config n on is_complete is_command abbreviates
"""


@pytest.mark.parametrize("words", ["yes true t y 1 Yes TRUE", "no false f n 0 No FALSE"])
def test_a_flag_is_any_of_ten_words(session: Session, words: str) -> None:
    for word in words.split():
        lines = session.outcome("HfArgumentParser(Own).parse_args()[0].on", f"train.py --on {word}")
        assert lines[0].startswith(str("yes" in words))


@pytest.mark.parametrize(
    ("library", "are_known"), [("transformers", True), ("peft", True), ("trl", True), ("elsewhere", False)]
)
def test_defaults_are_known_of_classes_whose_fields_trl_transformers_and_peft_define(
    library: str, are_known: bool, tmp_path: Path
) -> None:
    run = Session(tmp_path, f"{IMPORTS}from {library} import SomeArguments\n")
    filled = run.filled("$ train.py --beta 0.1\n>>> HfArgumentParser(SomeArguments).parse_args_into_dataclasses()\n")
    assert f"{library}.SomeArguments@1:1(beta=0.1" in filled
    assert ("its defaults are not known" not in filled) == are_known
