"""Functions of the standard library, runners of commands and TRL's helpers: what the abstract execution makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import absl, asyncio, copy, dataclasses, functools, importlib, os, threading, types
import fire, multiprocessing, typer
from absl import app
from argparse import Namespace
from dataclasses import asdict, dataclass, field, replace
from peft import LoraConfig
from trl import GRPOConfig, ModelConfig, get_peft_config
from vllm import EngineArgs, LLM
from elsewhere import OtherConfig
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


def test_variables_are_read_and_set_by_functions_of_os(session: Session) -> None:
    assert session.filled(VARIABLES) == VARIABLES


VARIABLES = r"""
$ A=1 B={unset}
>>> [os.getenv("A"), os.getenv("B"), os.getenv("B", "2"), os.getenv("C"), os.getenv(key="B", default="3")]
['1'@1:2, None@1:18, '2'@1:34, <read from an environment variable: None>@1:55, '3'@1:71]

$ -i A=1
>>> [os.getenv("C"), os.getenv("C", 4), os.getenv("A", 4), os.getenv(u()), os.getenv()]
[None@1:2, 4@1:18, '1'@1:37, <computed at run time>@1:56, <computed at run time>@1:72]

$ A=1 B={unset}
>>> os.putenv("A", "2")
>>> os.putenv("B", "2")
>>> os.putenv("C", "2")
>>> os.putenv(u(), "2")
>>> os.putenv()
None
environ A = <set with putenv: '1'>@1:1
environ B = <set with putenv>@2:1
environ C = <computed at run time>@3:1
"""


def test_a_copy_has_what_the_original_has_and_changes_by_itself(session: Session) -> None:
    assert session.filled(COPIES) == COPIES


COPIES = r"""
>>> k = {"a": [1]}
>>> m, n = copy.copy(k), copy.deepcopy(k)
>>> k["b"] = 1
>>> k["a"].append(2)
>>> [m, n]
[{'a': [1@1:12, 2@4:15]@1:11}@5:2, {'a': [1@1:12]@1:11}@5:5]
k = {'a': [1@1:12, 2@4:15]@1:11, 'b': 1@3:10}@1:5
m = {'a': [1@1:12, 2@4:15]@1:11}@2:8
n = {'a': [1@1:12]@1:11}@2:22

>>> k = [[1]]
>>> m, n = copy.copy(x=k), copy.deepcopy(x=k)
>>> k[0].append(2)
>>> [m, n, copy.copy(1), copy.deepcopy(u()), copy.copy(), copy.deepcopy()]
[[[1@1:7, 2@3:13]@1:6]@4:2, [[1@1:7]@1:6]@4:5, 1@4:8, <computed at run time>@4:22, <computed at run time>@4:42, <computed at run time>@4:55]
k = [[1@1:7, 2@3:13]@1:6]@1:5
m = [[1@1:7, 2@3:13]@1:6]@2:8
n = [[1@1:7]@1:6]@2:24
"""


def test_replace_makes_an_object_with_other_settings(session: Session) -> None:
    assert session.filled(REPLACED) == REPLACED


REPLACED = r"""
>>> c = GRPOConfig(beta=1, epsilon=2)
>>> d = replace(c, beta=3)
c = trl.GRPOConfig@1:5(beta=1@1:21, epsilon=2@1:32)@1:5
d = trl.GRPOConfig@2:5(beta=3@2:21, epsilon=2@1:32)@2:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21, epsilon=2@1:32))
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=3@2:21, epsilon=2@1:32))
stated trl.GRPOConfig@1:5: keyword beta=1@1:21, keyword epsilon=2@1:32 is_complete
stated trl.GRPOConfig@2:5: keyword beta=3@2:21

>>> c = GRPOConfig(beta=1)
>>> d = replace(c, **u())
c = trl.GRPOConfig@1:5(beta=1@1:21)@1:5
d = trl.GRPOConfig@2:5(beta=<computed at run time: 1>@1:21, ..<computed at run time>)@2:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21))
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=<computed at run time: 1>@1:21, ..<computed at run time>))
stated trl.GRPOConfig@1:5: keyword beta=1@1:21 is_complete
stated trl.GRPOConfig@2:5

>>> c = GRPOConfig(beta=1) if u() else GRPOConfig(beta=2)
>>> replace(c, epsilon=3)
trl.GRPOConfig@2:1(beta=1@1:21, epsilon=3@2:20) | trl.GRPOConfig@2:1(beta=2@1:52, epsilon=3@2:20)
c = trl.GRPOConfig@1:5(beta=1@1:21) | trl.GRPOConfig@1:36(beta=2@1:52)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21)) perhaps: depends on a condition
configuration GRPOConfig@1:36(self=trl.GRPOConfig@1:36(beta=2@1:52)) perhaps: depends on a condition
configuration GRPOConfig@2:1(self=trl.GRPOConfig@2:1(beta=1@1:21, epsilon=3@2:20))
configuration GRPOConfig@2:1(self=trl.GRPOConfig@2:1(beta=2@1:52, epsilon=3@2:20))

>>> [replace(u(), a=1), replace(), replace(1), replace(v(), a=2), replace({}, a=1)]
[<computed at run time>@1:2, <computed at run time>@1:21, <computed at run time>@1:32, <computed at run time>@1:44, <computed at run time>@1:63]

$ A={?}
>>> replace(os.environ["A"])
<the launch script computes it>

>>> @dataclass
>>> class Mine:
>>>     n: int = 1
>>>     def __post_init__(self):
>>>         self.m = self.n + 1
>>> replace(Mine(), n=5)
class Mine@6:1(n=5@6:19, m=6@5:18)

>>> @dataclass
>>> class Mine:
>>>     n: int = 1
>>> replace(Mine(), n=5)
class Mine@4:1(n=5@4:19)

>>> @dataclass
>>> class Mine:
>>>     n: list = field(default_factory=list)
>>> m = Mine()
>>> o = replace(m)
>>> o.n.append(1)
>>> o.k = 1
m = class Mine@4:5(n=[1@6:12]@3:37)@4:5
o = class Mine@5:5(n=[1@6:12]@3:37, k=1@7:7)@5:5

>>> @dataclass
>>> class Mine:
>>>     n: int = 1
>>>     def __post_init__(self, k=0, **more):
>>>         self.m = k, more
>>> replace(Mine(), n=5, **u())
class Mine@6:1(n=<computed at run time: 5>@6:19, m=(0@5:18, {}@5:21)@5:18, ..<computed at run time>)
"""


def test_a_partial_function_has_its_first_arguments(session: Session) -> None:
    assert session.filled(PARTIAL) == PARTIAL


PARTIAL = r"""
>>> f = functools.partial(dict, a=1)
>>> [f(b=2), f(a=3), f.func(c=4)]
[{'a': 1@1:31, 'b': 2@2:6}@2:2, {'a': 3@2:14}@2:10, {'c': 4@2:27}@2:18]
f = partial(~dict, a=1@1:31)@1:5

>>> def f(*a, **k): return a, k
>>> g = functools.partial(f, 1, b=2)
>>> g(3, c=4)
((1@2:26, 3@3:3)@1:24, {'b': 2@2:31, 'c': 4@3:8}@1:27)
g = partial(function f, 1@2:26, b=2@2:31)@2:5

>>> functools.partial(), functools.partial(u()), functools.partial(dict, **u()), functools.partial(dict, *u())
(<computed at run time>@1:1, partial(<computed at run time>)@1:22, <computed at run time>@1:46, <computed at run time>@1:78)
"""


def test_a_configuration_as_a_dictionary_has_more_keys_than_are_set(session: Session) -> None:
    assert session.filled(AS_DICTIONARIES) == AS_DICTIONARIES


AS_DICTIONARIES = r"""
>>> @dataclass
>>> class Mine:
>>>     n: int = 1
>>>     k: list = field(default_factory=list)
>>> m = Mine()
>>> d = asdict(m)
>>> d["k"].append(1)
>>> m.n = 2
m = class Mine@5:5(n=2@8:7, k=[]@4:37)@5:5
d = {'n': 1@3:14, 'k': [1@7:15]@4:37}@6:5

>>> [asdict(GRPOConfig(beta=1)), GRPOConfig(beta=1).to_dict()]
[{'beta': 1@1:25, ..<the defaults of its class are not all known>}@1:2, {'beta': 1@1:46, ..<the defaults of its class are not all known>}@1:30]
configuration GRPOConfig@1:9(self=trl.GRPOConfig@1:9(beta=1@1:25))
configuration GRPOConfig@1:30(self=trl.GRPOConfig@1:30(beta=1@1:46))
stated trl.GRPOConfig@1:9: keyword beta=1@1:25 is_complete
stated trl.GRPOConfig@1:30: keyword beta=1@1:46 is_complete

>>> asdict(EngineArgs(model="m"))
{'model': 'm'@1:25}
engine EngineArgs@1:8(model='m'@1:25, environ={}) now vllm.EngineArgs@1:8(model='m'@1:25)
stated vllm.EngineArgs@1:8: keyword model='m'@1:25 is_complete

>>> @dataclass
>>> class Mine(GRPOConfig):
>>>     n: int = 1
>>> asdict(Mine())
{'n': 1@3:14, ..<the defaults of its class are not all known>}
configuration GRPOConfig@4:8(self=class Mine@4:8(n=1@3:14))
stated trl.GRPOConfig@4:8 own n is_complete

>>> @dataclass
>>> class MineConfig:
>>>     n: int = 1
>>> asdict(MineConfig())
{'n': 1@3:14, ..<the defaults of its class are not all known>}

>>> @dataclass
>>> class LLM:
>>>     n: int = 1
>>> asdict(LLM())
{'n': 1@3:14}

>>> asdict(GRPOConfig(beta=1) if u() else GRPOConfig(beta=2))
{'beta': 1@1:24, ..<the defaults of its class are not all known>} | {'beta': 2@1:55, ..<the defaults of its class are not all known>}
configuration GRPOConfig@1:8(self=trl.GRPOConfig@1:8(beta=1@1:24)) perhaps: depends on a condition
configuration GRPOConfig@1:39(self=trl.GRPOConfig@1:39(beta=2@1:55)) perhaps: depends on a condition

>>> [asdict(u()), asdict(), asdict(1), asdict(obj=EngineArgs(model="m"))]
[<computed at run time>@1:2, <computed at run time>@1:15, <computed at run time>@1:25, {'model': 'm'@1:64}@1:36]
engine EngineArgs@1:47(model='m'@1:64, environ={}) now vllm.EngineArgs@1:47(model='m'@1:64)
stated vllm.EngineArgs@1:47: keyword model='m'@1:64 is_complete
"""


def test_namespaces_and_fields_hold_their_keywords(session: Session) -> None:
    assert session.filled(HELD) == HELD


HELD = r"""
>>> [types.SimpleNamespace(a=1), Namespace(a=1), types.SimpleNamespace(), Namespace(**u())]
[argparse.Namespace@1:2(a=1@1:26)@1:2, argparse.Namespace@1:30(a=1@1:42)@1:30, argparse.Namespace@1:46()@1:46, argparse.Namespace@1:71(..<computed at run time>)@1:71]

>>> @dataclass
>>> class Mine:
>>>     a: int = field(default=1)
>>>     b: list = dataclasses.field(default_factory=lambda: [1])
>>>     c: int = field(metadata={})
>>>     d: int = field(default=2, default_factory=list)
>>> Mine(c=3)
class Mine@7:1(a=1@3:28, b=[1@4:58]@4:49, d=2@6:28, c=3@7:8)

>>> field(default=1, repr=u())
dataclasses.field(default=1@1:15, repr=<computed at run time>@1:23)
"""


def test_runners_call_the_function_that_they_get(session: Session) -> None:
    assert session.filled(RUNNERS) == RUNNERS


RUNNERS = r"""
>>> def main(n=1, *more, **others): return n, more, others
>>> [fire.Fire(main), typer.run(main), app.run(main), absl.app.run(main), fire.Fire(main, 5, n=3)]
[(<taken from the command line: 1>@1:40, (<computed at run time>)@1:43, {..<taken from the command line>}@1:49)@2:2, (<taken from the command line: 1>@1:40, (<computed at run time>)@1:43, {..<taken from the command line>}@1:49)@2:19, (<taken from the command line: 1>@1:40, (<computed at run time>)@1:43, {..<taken from the command line>}@1:49)@2:36, (<taken from the command line: 1>@1:40, (<computed at run time>)@1:43, {..<taken from the command line>}@1:49)@2:51, (<taken from the command line: 1>@1:40, (<computed at run time>)@1:43, {..<taken from the command line>}@1:49)@2:71]

>>> [fire.Fire(), asyncio.run(), asyncio.run(1), asyncio.run(2, debug=True)]
[<computed at run time>@1:2, <computed at run time>@1:15, 1@1:30, 2@1:46]

>>> async def main(): return 3
>>> asyncio.run(main())
3

>>> c = GRPOConfig(beta=1, epsilon=2)
>>> def change(): c.beta = 3
>>> threading.Thread(target=change).start()
>>> c
trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)
c = trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21, epsilon=2@1:32)) now trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)
stated trl.GRPOConfig@1:5: keyword beta=1@1:21, keyword epsilon=2@1:32 is_complete

>>> c = GRPOConfig(beta=1, epsilon=2)
>>> def change(): c.beta = 3
>>> multiprocessing.Process(target=change).start()
>>> c
trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)
c = trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21, epsilon=2@1:32)) now trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:24, epsilon=2@1:32)
stated trl.GRPOConfig@1:5: keyword beta=1@1:21, keyword epsilon=2@1:32 is_complete

>>> c = GRPOConfig(beta=1, epsilon=2)
>>> threading.Thread(None, lambda: setattr(c, "beta", 3))
>>> threading.Thread(target=lambda: setattr(c, "epsilon", 3))
>>> c
trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:51, epsilon=<depends on a condition: 2 or 3>@3:55)
c = trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:51, epsilon=<depends on a condition: 2 or 3>@3:55)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21, epsilon=2@1:32)) now trl.GRPOConfig@1:5(beta=<depends on a condition: 1 or 3>@2:51, epsilon=<depends on a condition: 2 or 3>@3:55)
stated trl.GRPOConfig@1:5: keyword beta=1@1:21, keyword epsilon=2@1:32 is_complete

>>> class Mine:
>>>     def __init__(self): self.n = 1
>>>     def change(self): self.n = 2
>>> m = Mine()
>>> threading.Thread(target=m.change)
<computed at run time>
m = class Mine@4:5(n=<depends on a condition: 1 or 2>@3:32)@4:5

>>> k = [1]
>>> def change(k): k.append(2)
>>> threading.Thread(target=functools.partial(change, k))
<computed at run time>
k = [<depends on a condition>]@1:5

>>> def change(): GRPOConfig(beta=3)
>>> threading.Thread(target=change)
<computed at run time>
configuration GRPOConfig@1:15(self=trl.GRPOConfig@1:15(beta=3@1:31)) perhaps: runs in another thread or process

>>> k = [1]
>>> [threading.Thread(target=u(), args=k), threading.Thread(), threading.Thread(target=print)]
[<computed at run time>@2:2, <computed at run time>@2:40, <computed at run time>@2:60]
k = [<threading.Thread() may change it>, ..<threading.Thread() may change it>]@1:5

>>> k = [1]
>>> threading.Thread(target=v, args=(k,))
<computed at run time>
k = [<threading.Thread() may change it>, ..<threading.Thread() may change it>]@1:5
"""


def test_modules_are_imported_by_name(session: Session) -> None:
    assert session.filled(IMPORTED) == IMPORTED


IMPORTED = r"""
>>> [importlib.import_module("torch"), __import__("os"), importlib.import_module(name="vllm"), __import__("no.such")]
[torch@1:2, os@1:36, vllm@1:54, no.such@1:92]
import vllm@1:54()

>>> [importlib.import_module(".near", "package"), importlib.import_module(u()), importlib.import_module(), importlib.import_module(1)]
[package.near@1:2, <computed at run time>@1:47, <computed at run time>@1:77, <computed at run time>@1:104]
"""


def test_an_adapter_follows_the_settings_of_the_model(session: Session) -> None:
    assert session.filled(ADAPTERS) == ADAPTERS


ADAPTERS = r"""
>>> get_peft_config(ModelConfig(use_peft=True))
peft.LoraConfig@1:1(lora_dropout=0.05@1:1, r=16@1:1)
adapter LoraConfig@1:1(lora_dropout=0.05@1:1, r=16@1:1) now peft.LoraConfig@1:1(lora_dropout=0.05@1:1, r=16@1:1)
stated trl.ModelConfig@1:17: keyword use_peft=True@1:38 is_complete

>>> get_peft_config(ModelConfig(use_peft=True, lora_r=8, lora_target_modules=["q"], lora_modules_to_save=["h"], n=1))
peft.LoraConfig@1:1(lora_dropout=0.05@1:1, modules_to_save=['h'@1:103]@1:102, r=8@1:51, target_modules=['q'@1:75]@1:74)
adapter LoraConfig@1:1(lora_dropout=0.05@1:1, modules_to_save=['h'@1:103]@1:102, r=8@1:51, target_modules=['q'@1:75]@1:74) now peft.LoraConfig@1:1(lora_dropout=0.05@1:1, modules_to_save=['h'@1:103]@1:102, r=8@1:51, target_modules=['q'@1:75]@1:74)
stated trl.ModelConfig@1:17: keyword use_peft=True@1:38, keyword lora_r=8@1:51, keyword lora_target_modules=['q']@1:74, keyword lora_modules_to_save=['h']@1:102, keyword n=1@1:111 is_complete

>>> [get_peft_config(ModelConfig(use_peft=False, lora_r=8)), get_peft_config(ModelConfig())]
[None@1:2, None@1:58]
stated trl.ModelConfig@1:18: keyword use_peft=False@1:39, keyword lora_r=8@1:53 is_complete
stated trl.ModelConfig@1:74 is_complete

>>> [get_peft_config(ModelConfig(use_peft=u())), get_peft_config(u()), get_peft_config(), get_peft_config(1)]
[<computed at run time: None>@1:2, <computed at run time: None>@1:46, <computed at run time: None>@1:68, <computed at run time: None>@1:87]
stated trl.ModelConfig@1:18: keyword use_peft=COMPUTED@1:39 is_complete

>>> get_peft_config(ModelConfig(**u()))
<computed at run time: None>
stated trl.ModelConfig@1:17

>>> get_peft_config(ModelConfig(use_peft=True, **u()))
<computed at run time: None>
stated trl.ModelConfig@1:17: keyword use_peft=COMPUTED@1:38

>>> m = ModelConfig(lora_r=8, **u())
>>> m.use_peft = True
>>> get_peft_config(m)
peft.LoraConfig@3:1(lora_dropout=<computed at run time>, modules_to_save=<computed at run time>, r=<computed at run time: 8>@1:24, target_modules=<computed at run time>)
m = trl.ModelConfig@1:5(lora_r=<computed at run time: 8>@1:24, use_peft=True@2:14, ..<computed at run time>)@1:5
adapter LoraConfig@3:1(lora_dropout=<computed at run time>, modules_to_save=<computed at run time>, r=<computed at run time: 8>@1:24, target_modules=<computed at run time>) now peft.LoraConfig@3:1(lora_dropout=<computed at run time>, modules_to_save=<computed at run time>, r=<computed at run time: 8>@1:24, target_modules=<computed at run time>)
stated trl.ModelConfig@1:5: keyword lora_r=COMPUTED@1:24

>>> m = ModelConfig()
>>> if u():
>>>     m.use_peft = True
>>> get_peft_config(m)
<computed at run time: None>
m = trl.ModelConfig@1:5(use_peft=True@3:18 maybe)@1:5
stated trl.ModelConfig@1:5 is_complete

>>> m = ModelConfig(use_peft=False)
>>> m.lora_r = u()
>>> get_peft_config(model_args=m)
None
m = trl.ModelConfig@1:5(use_peft=False@1:26, lora_r=<computed at run time>@2:12)@1:5
stated trl.ModelConfig@1:5: keyword use_peft=False@1:26 is_complete

$ A={?}
>>> get_peft_config(os.environ["A"])
<the launch script computes it: None>
"""
