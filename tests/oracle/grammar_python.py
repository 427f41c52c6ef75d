"""Training scripts: the ways in which Python code sets the settings of a trainer."""

from __future__ import annotations

import re
import textwrap

from tests.oracle.chance import Chance
from tests.oracle.example import Caller, Example
from tests.oracle.spelling import CALLER_VARIABLES, VARIABLES, Filler, block

_IMPORTS = """\
import argparse
import contextlib
import copy
import dataclasses
import functools
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

"""

#: Ways to make the configuration, which they leave in `args`.
CONFIGURATIONS = block(
    "configuration",
    """
### keywords
args = GRPOConfig(<K>)
### dictionary
cfg = <D>
<CHANGES>
args = GRPOConfig(**cfg)
### dict call
cfg = dict(<K>)
<CHANGES>
args = GRPOConfig(output_dir="out", **cfg)
### copied dictionary
base = <D>
cfg = base.copy()
<CHANGES>
args = GRPOConfig(**cfg)
### merged dictionaries
cfg = {**<D>, "<S>": <V>}
<CHANGES>
args = GRPOConfig(**{**cfg})
### keyword beside dictionary
cfg = {"<S>": <V>}
cfg.pop("learning_rate", None)
cfg = {key: value for key, value in cfg.items() if key not in <D>}
args = GRPOConfig(**cfg, <K>)
### function
def make<N>():
    return GRPOConfig(<K>)


args = make<N>()
### function with keywords
def make<N>(**more):
    return GRPOConfig(**{**<D>, **more})


args = make<N>(<S>=<V>)
### function with defaults
def make<N>(value=<V>):
    return GRPOConfig(<S>=value)


args = make<N>(<W>)
### function with default used
def make<N>(value=<V>, *, other=<U>):
    return GRPOConfig(<S>=value)


args = make<N>()
### two returns
def make<N>(fast):
    if fast:
        return GRPOConfig(<S>=<V>)
    return GRPOConfig(<K>)


args = make<N>(bool(os.environ.get("FAST")))
### two returns constant
def make<N>(fast=False):
    if fast:
        return GRPOConfig(<S>=<V>)
    return GRPOConfig(<K>)


args = make<N>()
### either or
args = GRPOConfig(<K>) if os.environ.get("DEBUG") else GRPOConfig(<S>=<V>)
### partial
make<N> = functools.partial(GRPOConfig, <K>)
args = make<N>()
### partial overridden
make<N> = functools.partial(GRPOConfig, <S>=<V>)
args = make<N>(<S>=<W>)
### lambda
make<N> = lambda **more: GRPOConfig(**{**<D>, **more})
args = make<N>(output_dir="x")
### subclass default
@dataclass
class MyConfig(GRPOConfig):
    <S>: object = <V>


args = MyConfig(**{"output_dir": "x"})
### subclass post init
@dataclass
class MyConfig(GRPOConfig):
    def __post_init__(self):
        self.<S> = <V>
        super().__post_init__()


args = MyConfig(<K>)
### subclass init
class MyConfig(GRPOConfig):
    def __init__(self, **more):
        super().__init__(**{**more, "<S>": <V>})


args = MyConfig(<K>)
### subclass default factory
@dataclass
class MyConfig(GRPOConfig):
    extra: list = field(default_factory=list)
    <S>: object = field(default_factory=lambda: <V>)


args = MyConfig()
### alias of the class
Config = GRPOConfig
args = Config(<K>)
### configuration in a list
configs = [GRPOConfig(<K>), GRPOConfig(<S>=<V>)]
args = configs[0]
### last of a loop
for value in [<V>, <W>]:
    args = GRPOConfig(<S>=value)
### configurations by name
configs = {"a": GRPOConfig(<K>), "b": GRPOConfig(<S>=<V>)}
args = configs[os.environ.get("VMODE", "a") if os.environ.get("VMODE") in configs else "b"]
### own dataclass
@dataclass
class Settings:
    <S>: object = <V>
    path: str = "x"


settings<N> = Settings()
args = GRPOConfig(<S>=settings<N>.<S>)
### own dataclass changed
@dataclass
class Settings:
    <S>: object = <V>


settings<N> = Settings()
settings<N>.<S> = <W>
args = GRPOConfig(**dataclasses.asdict(settings<N>))
### class constants
class Hyper:
    value = <V>


Hyper.value = <W>
args = GRPOConfig(<S>=Hyper.value)
### class method
class Setup:
    def __init__(self, value):
        self.value = value

    def configuration(self):
        return GRPOConfig(<S>=self.value)


args = Setup(<V>).configuration()
### instance attribute
class Setup:
    value = <V>

    def __init__(self):
        self.value = <W>


args = GRPOConfig(<S>=Setup().value)
### constant of another module
import constants<N>

args = GRPOConfig(<S>=constants<N>.VALUE)
=== constants<N>.py
VALUE = <V>
if __name__ == "__main__":
    VALUE = <W>
### function of another module
from helpers<N> import configuration

args = configuration(<W>)
=== helpers<N>.py
from trl import GRPOConfig


def configuration(value=<V>):
    return GRPOConfig(<S>=value)
### YAML file
import yaml

with open("config.yaml") as file:
    cfg = yaml.safe_load(file)
<CHANGES>
args = GRPOConfig(**cfg)
=== config.yaml
<Y>
### YAML section
import yaml

cfg = yaml.safe_load(Path("config.yaml").read_text())["training"]
<CHANGES>
args = GRPOConfig(**cfg)
=== config.yaml
training: <J>
other: {use_vllm: true}
### JSON file
cfg = json.load(open("config.json"))
<CHANGES>
args = GRPOConfig(**cfg)
=== config.json
<J>
### JSON text
cfg = json.loads('<J>')
<CHANGES>
args = GRPOConfig(**cfg)
### TOML file
import tomllib

cfg = tomllib.loads(Path("config.toml").read_text())["grpo"]
<CHANGES>
args = GRPOConfig(**cfg)
=== config.toml
[grpo]
<S> = <V>
### file beside the script
import yaml

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "config.yaml")) as file:
    cfg = yaml.safe_load(file)
<CHANGES>
args = GRPOConfig(**cfg)
=== config.yaml
<Y>
### items of an OmegaConf container
from omegaconf import OmegaConf

cfg = OmegaConf.merge({"more": {"logging_steps": 1}}, {"training": <D>})
keywords = {key: value for key, value in cfg.training.items() if key in cfg.training and key != "<S>"}
args = GRPOConfig(<S>=cfg.training.get("<S>", <W>), **keywords)
### path into an OmegaConf container
from typing import Any

from omegaconf import OmegaConf


@dataclass
class Structured<N>:
    value: Any = <V>


cfg = OmegaConf.create({"training": OmegaConf.structured(Structured<N>)})
OmegaConf.update(cfg, "training.other", <U>)
cfg.merge_with({"more": OmegaConf.select(cfg, "training.none", default=<W>)})
args = GRPOConfig(<S>=OmegaConf.select(cfg, "training.value"), <T>=cfg.training.other)
### settings of the signature
import inspect


def accepted<N>(kind, given):
    parameters = inspect.signature(kind).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
        return given
    names = {each.name for each in parameters}
    return {name: value for name, value in given.items() if name in names}


args = GRPOConfig(**accepted<N>(GRPOConfig, <D>))
### settings of the constructor's code
names = GRPOConfig.__init__.__code__.co_varnames
args = GRPOConfig(**{name: value for name, value in <D>.items() if name in names})
### settings of the fields
args = GRPOConfig(**{name: value for name, value in <D>.items() if name in GRPOConfig.__dataclass_fields__})
### settings that the class has
args = GRPOConfig()
for key, value in <D>.items():
    if hasattr(args, key):
        setattr(args, key, value)
### model of pydantic from a dictionary
from pydantic import BaseModel


class Model<N>(BaseModel):
    value: bool | int | float | str
    other: bool | int | float | str = <U>


made = Model<N>.model_validate({"value": <V>}).model_copy(update={"value": <W>})
args = GRPOConfig(<S>=made.value, <T>=made.other)
### YAML file by variable
import yaml

cfg = yaml.safe_load(open(os.environ.get("CONFIG", "config.yaml")))
<CHANGES>
args = GRPOConfig(**cfg)
=== config.yaml
<Y>
=== other.yaml
num_generations: 2
### argparse simple
p = argparse.ArgumentParser()
p.add_argument("--tp", type=int, default=1)
p.add_argument("--use-vllm", action="store_true")
p.add_argument("--mode", default="colocate", choices=["colocate", "server"])
a = p.parse_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.tp, use_vllm=a.use_vllm, vllm_mode=a.mode)
### argparse short
p = argparse.ArgumentParser()
p.add_argument("-t", "--tp", type=int, default=2, dest="size")
p.add_argument("--no-sleep", dest="sleep", action="store_false")
a = p.parse_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.size, vllm_enable_sleep_mode=a.sleep)
### argparse boolean
p = argparse.ArgumentParser()
p.add_argument("--use-vllm", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--tp", type=int, default=1)
a = p.parse_args()
args = GRPOConfig(use_vllm=a.use_vllm, vllm_tensor_parallel_size=a.tp)
### argparse set_defaults
p = argparse.ArgumentParser()
p.add_argument("--tp", type=int, default=1)
p.add_argument("--mode", default="server")
p.set_defaults(tp=4)
a = p.parse_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.tp, vllm_mode=a.mode)
### argparse known
p = argparse.ArgumentParser(allow_abbrev=False)
p.add_argument("--tp", type=int, default=1)
a, rest = p.parse_known_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.tp, use_vllm="--use-vllm" in rest)
### argparse fixed
p = argparse.ArgumentParser()
p.add_argument("--<S>", type=type(<V>), default=<V>)
p.add_argument("--tp", type=int, default=1)
a = p.parse_args(["--tp", "2"])
args = GRPOConfig(<S>=a.<S>, vllm_tensor_parallel_size=a.tp)
### argparse changed
p = argparse.ArgumentParser()
p.add_argument("--tp", type=int, default=1)
p.add_argument("--mode", default="colocate")
a = p.parse_args()
a.tp = 4
if a.mode == "server":
    a.tp = 1
args = GRPOConfig(vllm_tensor_parallel_size=a.tp, vllm_mode=a.mode)
### argparse namespace
p = argparse.ArgumentParser()
p.add_argument("--vllm_tensor_parallel_size", "--tp", type=int, default=1)
p.add_argument("--vllm_mode", "--mode", default="colocate")
args = GRPOConfig(**vars(p.parse_args()))
### argparse group
p = argparse.ArgumentParser()
g = p.add_mutually_exclusive_group()
g.add_argument("--use-vllm", dest="vllm", action="store_true", default=True)
g.add_argument("--no-vllm", dest="vllm", action="store_false")
p.add_argument("--tp", type=int, nargs="?", const=8, default=1)
a = p.parse_args()
args = GRPOConfig(use_vllm=a.vllm, vllm_tensor_parallel_size=a.tp)
### argparse parents
common = argparse.ArgumentParser(add_help=False)
common.add_argument("--tp", type=int, default=2)
p = argparse.ArgumentParser(parents=[common])
p.add_argument("--mode", default="colocate")
a = p.parse_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.tp, vllm_mode=a.mode)
### argparse subcommands
p = argparse.ArgumentParser()
p.add_argument("--mode", default="colocate")
sub = p.add_subparsers(dest="command")
train = sub.add_parser("train")
train.add_argument("--tp", type=int, default=2)
train.set_defaults(sleep=True)
a = p.parse_args()
args = GRPOConfig(vllm_mode=a.mode, vllm_tensor_parallel_size=getattr(a, "tp", 1))
### argparse append
p = argparse.ArgumentParser()
p.add_argument("--set", action="append", default=[])
p.add_argument("--tp", type=int, default=1)
a = p.parse_args()
args = GRPOConfig(vllm_tensor_parallel_size=a.tp)
for item in a.set:
    key, value = item.split("=")
    setattr(args, key, value)
### argparse bool type
p = argparse.ArgumentParser()
p.add_argument("--use_vllm", type=bool, default=False)
p.add_argument("--tp", type=lambda text: int(text) * 2, default="1")
a = p.parse_args()
args = GRPOConfig(use_vllm=a.use_vllm, vllm_tensor_parallel_size=a.tp)
### argparse fromfile
p = argparse.ArgumentParser(fromfile_prefix_chars="@")
p.add_argument("--tp", type=int, default=1)
a = p.parse_args(["@options.txt", *sys.argv[1:]])
args = GRPOConfig(vllm_tensor_parallel_size=a.tp)
=== options.txt
--tp
2
### sys.argv
args = GRPOConfig(vllm_tensor_parallel_size=int(sys.argv[2]) if len(sys.argv) > 2 else 1, <S>=<V>) if "<S>" != "vllm_tensor_parallel_size" else GRPOConfig(<K>)
### HfArgumentParser
from transformers import HfArgumentParser

(args,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
### HfArgumentParser with own class
from transformers import HfArgumentParser


@dataclass
class More:
    size: int = field(default=2, metadata={"help": "x"})
    sleepy: bool = field(default=True)


more, args = HfArgumentParser((More, GRPOConfig)).parse_args_into_dataclasses()
args.vllm_tensor_parallel_size = more.size
args.vllm_enable_sleep_mode = more.sleepy
### HfArgumentParser with more options
from transformers import HfArgumentParser

p = HfArgumentParser(GRPOConfig)
p.add_argument("--my_size", type=int, default="2")
p.add_argument("--my_mode", default="colocate", choices=["colocate", "server"])
p.add_argument("--my_sleep", action="store_true")
args, more = p.parse_args_into_dataclasses()
args.vllm_tensor_parallel_size = more.my_size
args.vllm_mode = more.my_mode
args.vllm_enable_sleep_mode = more.my_sleep
### HfArgumentParser fixed words
from transformers import HfArgumentParser

(args,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses(args="<O>".split())
### HfArgumentParser of a dictionary
from transformers import HfArgumentParser

(args,) = HfArgumentParser(GRPOConfig).parse_dict(<D>)
### HfArgumentParser of a file
from transformers import HfArgumentParser

(args,) = HfArgumentParser(GRPOConfig).parse_yaml_file("config.yaml")
=== config.yaml
<Y>
### TrlParser
from trl import ModelConfig, ScriptArguments, TrlParser

script_args, args, model_args = TrlParser((ScriptArguments, GRPOConfig, ModelConfig)).parse_args_and_config()
=== config.yaml
dataset_name: x
<Y>
### TrlParser with more options
from trl import ScriptArguments, TrlParser


def make_parser<N>(subparsers=None):
    if subparsers is not None:
        p = subparsers.add_parser("grpo", dataclass_types=(ScriptArguments, GRPOConfig))
    else:
        p = TrlParser((ScriptArguments, GRPOConfig))
    p.add_argument("--my_size", type=int, default=1)
    return p


script_args, args, more = make_parser<N>().parse_args_and_config()
args.vllm_tensor_parallel_size = more.my_size
=== config.yaml
dataset_name: x
<Y>
### TrlParser by index
from trl import ScriptArguments, TrlParser

args = TrlParser((ScriptArguments, GRPOConfig)).parse_args_and_config()[1]
=== config.yaml
dataset_name: x
<Y>
env:
  <E>: "<F>"
### TrlParser fixed words
from trl import TrlParser

(args,) = TrlParser(GRPOConfig).parse_args_and_config(args=["--config", "config.yaml"])
=== config.yaml
<Y>
### TrlParser subclass
from trl import TrlParser


@dataclass
class MyConfig(GRPOConfig):
    <S>: type(<V>) = field(default=<V>)
    extra_words: str = "x"


(args,) = TrlParser(MyConfig).parse_args_and_config()
=== config.yaml
output_dir: x
### setdefault of keywords
def make<N>(**cfg):
    cfg.setdefault("<S>", <V>)
    cfg.setdefault("output_dir", "x")
    return GRPOConfig(**cfg)


args = make<N>(<K>)
### star arguments
def build<N>(*values, **options):
    return GRPOConfig(<S>=values[-1], **{key: value for key, value in options.items() if key != "<S>"})


args = build<N>(<W>, <V>, <K>)
### zip
args = GRPOConfig(**dict(zip(["<S>"], [<V>])))
### comprehension
args = GRPOConfig(**{name: value for name, value in [("<S>", <V>), ("output_dir", "x")]})
### getattr of a module
import trl

args = getattr(trl, "GRPOConfig")(<K>)
### namespace
from types import SimpleNamespace

ns = SimpleNamespace(<K>)
ns.<S> = <V>
args = GRPOConfig(**vars(ns))
### environment value
args = GRPOConfig(vllm_tensor_parallel_size=int(os.environ.get("TP", "1")), vllm_mode=os.getenv("VMODE", "colocate"))
### environment value or
args = GRPOConfig(num_generations=int(os.environ.get("NGEN") or 8), vllm_server_port=int(os.getenv("PORT", default="8000")))
### computed values
n = 2
args = GRPOConfig(num_generations=n * 4, vllm_gpu_memory_utilization=1 - 0.5, vllm_tensor_parallel_size=n // 2 or 1)
### computed text
kind = "colo"
args = GRPOConfig(vllm_mode=f"{kind}cate", vllm_server_host="node" + str(7), use_vllm=not False)
### GPU count
import torch

args = GRPOConfig(vllm_tensor_parallel_size=torch.cuda.device_count(), bf16=torch.cuda.is_bf16_supported())
### reassigned variable
value = <V>
if os.environ.get("DEBUG"):
    value = <W>
args = GRPOConfig(<S>=value)
### reassigned in a loop
value = <V>
for item in range(3):
    value = <W>
args = GRPOConfig(<S>=value)
### try and except
try:
    args = GRPOConfig(<K>)
    json.loads("{")
except ValueError:
    args = GRPOConfig(<S>=<V>)
### match
match os.environ.get("VMODE", "none"):
    case "server":
        args = GRPOConfig(<S>=<V>)
    case _:
        args = GRPOConfig(<K>)
### constant condition
MODE = "fast"
if MODE == "fast":
    args = GRPOConfig(<K>)
else:
    args = GRPOConfig(<S>=<V>)
""",
)

#: Changes of the dictionary `cfg`.
DICTIONARY_CHANGES = block(
    "dictionary",
    """
### item
cfg["<S>"] = <V>
### update with keywords
cfg.update(<S>=<V>)
### update with a dictionary
cfg.update({"<S>": <V>, "<T>": <U>})
### update with pairs
cfg.update([("<S>", <V>)])
### or
cfg |= {"<S>": <V>}
### new by or
cfg = cfg | {"<S>": <V>}
### new by stars
cfg = {"<S>": <W>, **cfg, "<T>": <U>}
### pop
cfg.pop("<S>", None)
### delete if there
if "<S>" in cfg:
    del cfg["<S>"]
### setdefault
cfg.setdefault("<S>", <V>)
### item in a condition
if os.environ.get("DEBUG"):
    cfg["<S>"] = <V>
### update from the environment
cfg.update(json.loads(os.environ.get("OVERRIDES", "{}")))
### update in a function
def adjust<N>(d):
    d["<S>"] = <V>


adjust<N>(cfg)
### returned by a function
def adjusted<N>(d, **more):
    return {**d, **more}


cfg = adjusted<N>(cfg, <S>=<V>)
### copy changed
other = dict(cfg)
other["<S>"] = <V>
### alias changed
other = cfg
other["<S>"] = <V>
### items in a loop
for key, value in [("<S>", <V>), ("<T>", <U>)]:
    cfg[key] = value
### keys filtered
cfg = {key: value for key, value in cfg.items() if key != "<S>"}
### falsy values dropped
cfg = {key: value for key, value in cfg.items() if value}
### clear
if len(sys.argv) > 1:
    cfg.clear()
### function of another module
from changes<N> import adjust

adjust(cfg)
=== changes<N>.py
def adjust(d):
    d.update({"<S>": <V>})
### in a with block
with contextlib.suppress(KeyError):
    cfg["<T>"] = cfg["no such key"]
    cfg["<S>"] = <V>
### popitem
if os.environ.get("FAST") and len(cfg) > 1:
    cfg.popitem()
""",
)

#: Changes of the configuration `args`.
OBJECT_CHANGES = block(
    "change",
    """
### attribute
args.<S> = <V>
### attribute in a condition
if os.environ.get("DEBUG"):
    args.<S> = <V>
### attribute in both branches
if os.environ.get("DEBUG"):
    args.<S> = <V>
else:
    args.<S> = <V>
### attribute in an else
if not os.environ.get("FAST"):
    pass
else:
    args.<S> = <V>
### setattr
setattr(args, "<S>", <V>)
### setattr in a loop
for key, value in {"<S>": <V>, "<T>": <U>}.items():
    setattr(args, key, value)
### setattr of unknown names
for name in os.environ.get("FLAGS", "").split():
    setattr(args, name, True)
### setattr of arguments
for item in sys.argv[1:]:
    if item.startswith("+"):
        setattr(args, item[1:], False)
### replace
args = dataclasses.replace(args, <S>=<V>)
### copy changed
other = copy.copy(args)
other.<S> = <V>
### deep copy used
args = copy.deepcopy(args)
args.<S> = <V>
### alias changed
other = args
other.<S> = <V>
### function changes it
def tune<N>(a):
    a.<S> = <V>


tune<N>(args)
### function with a default
def tune<N>(a, value=<V>):
    a.<S> = value
    return a


args = tune<N>(args)
### function with an early return
def tune<N>(a):
    if os.environ.get("FAST"):
        return a
    a.<S> = <V>
    return a


args = tune<N>(args)
### function never called
def tune<N>(a):
    a.<S> = <V>
### closure
def outer<N>():
    def inner():
        args.<S> = <V>

    return inner


outer<N>()()
### lambda
(lambda a: setattr(a, "<S>", <V>))(args)
### vars
vars(args).update({"<S>": <V>})
### __dict__
args.__dict__["<S>"] = <V>
### __dict__ update
args.__dict__.update(<S>=<V>)
### object setattr
object.__setattr__(args, "<S>", <V>)
### try
try:
    args.<S> = <V>
except AttributeError:
    args.<T> = <U>
### try that fails
try:
    int("x")
    args.<S> = <V>
except ValueError:
    args.<T> = <U>
finally:
    args.output_dir = "out"
### loop with break
for value in (<V>, <W>):
    args.<S> = value
    break
### loop over nothing
for value in []:
    args.<S> = <V>
### while
count = 0
while count < 2:
    args.<S> = <V>
    count += 1
### match
match len(sys.argv):
    case 1:
        args.<S> = <V>
    case _:
        args.<S> = <W>
### with
with contextlib.suppress(ValueError):
    args.<S> = <V>
### with suppress
with contextlib.suppress(ValueError):
    int("y")
    args.<S> = <V>
### exec
exec("args.<S> = <V>")
### walrus
if (count := len(sys.argv)) > 2:
    args.<S> = <V>
### false condition
if False:
    args.<S> = <V>
### list item
[args][0].<S> = <V>
### dictionary item
{"args": args}["args"].<S> = <V>
### tuple assignment
args.<S>, args.output_dir = <V>, "x"
### augmented
args.num_generations += 4
### augmented product
args.gradient_accumulation_steps *= int(os.environ.get("GPUS", 1))
### conditional value
args.<S> = <V> if os.environ.get("DEBUG") == "1" else <W>
### value of another setting
args.vllm_mode = "server" if args.use_vllm else "colocate"
### boolean or
args.use_vllm = args.use_vllm or bool(os.environ.get("FAST"))
### decorator
def configured<N>(function):
    args.<S> = <V>
    return function


@configured<N>
def reward<N>(completions):
    return [0.0 for _ in completions]
### class that changes it
class Tuner<N>:
    def __init__(self, target):
        self.target = target
        target.<S> = <V>


Tuner<N>(args)
### method that changes it
class Tuner<N>:
    def apply(self, target):
        target.<S> = <V>
        return self


Tuner<N>().apply(args)
### function of another module
from tuning<N> import tune

tune(args)
=== tuning<N>.py
def tune(a):
    a.<S> = <V>
### function of another module by importlib
import importlib

importlib.import_module("tuning<N>").tune(args)
=== tuning<N>.py
def tune(a):
    a.<S> = <V>
### lazy map
changes = map(lambda a: setattr(a, "<S>", <V>), [args])
### consumed map
list(map(lambda a: setattr(a, "<S>", <V>), [args]))
### comprehension
[setattr(args, name, value) for name, value in [("<S>", <V>)]]
### partial
functools.partial(setattr, args, "<S>")(<V>)
### bound method
args.__setattr__("<S>", <V>)
### getattr
target = getattr(sys.modules[__name__], "args", None) or args
target.<S> = <V>
### assert
assert setattr(args, "<S>", <V>) is None
### short circuit
os.environ.get("DEBUG") and setattr(args, "<S>", <V>)
### delete the attribute
args.<S> = <V>
del args.<S>
### main guard
if __name__ == "__main__":
    args.<S> = <V>
### imported guard
if __name__ != "__main__":
    args.<S> = <V>
### exit before
if "--never" in sys.argv:
    sys.exit(1)
args.<S> = <V>
### recursion
def descend<N>(a, depth=0):
    if depth < 2:
        return descend<N>(a, depth + 1)
    a.<S> = <V>


descend<N>(args)
### generator
def changes<N>(a):
    a.<S> = <V>
    yield


changes<N>(args)
### keyword call
def apply<N>(target, **values):
    for key, value in values.items():
        setattr(target, key, value)


apply<N>(args, <S>=<V>)
### callback in a dictionary
actions = {"set": lambda: setattr(args, "<S>", <V>), "other": lambda: None}
actions["set" if not os.environ.get("VMODE") else "other"]()
### shadowed name
def shadow<N>(args):
    args = copy.copy(args)
    args.<S> = <V>


shadow<N>(args)
### file present
if Path("marker.txt").exists():
    args.<S> = <V>
""",
)

#: Changes of the environment.
ENVIRONMENT = block(
    "environment",
    """
### item
os.environ["<E>"] = "<F>"
### setdefault
os.environ.setdefault("<E>", "<F>")
### update
os.environ.update({"<E>": "<F>"})
### update with keywords
os.environ.update(<E>="<F>")
### or
os.environ |= {"<E>": "<F>"}
### pop
os.environ.pop("<E>", None)
### delete
os.environ["<E>"] = "<F>"
del os.environ["<E>"]
### delete if there
if "<E>" in os.environ:
    del os.environ["<E>"]
### putenv
os.putenv("<E>", "<F>")
### in a condition
if os.environ.get("DEBUG"):
    os.environ["<E>"] = "<F>"
### in a function
def prepare<N>():
    os.environ["<E>"] = "<F>"


prepare<N>()
### in a function never called
def prepare<N>():
    os.environ["<E>"] = "<F>"
### of a default
os.environ["<E>"] = os.environ.get("<E>", "<F>")
### in a loop
for name, value in {"<E>": "<F>"}.items():
    os.environ[name] = value
### alias
from os import environ

environ["<E>"] = "<F>"
### if missing
if "<E>" not in os.environ:
    os.environ["<E>"] = "<F>"
### of a number
os.environ["<E>"] = str(1)
### clear
if os.environ.get("FAST"):
    os.environ.clear()
### of a rank
os.environ["<E>"] = os.environ.get("LOCAL_RANK", "0")
### twice
os.environ["<E>"] = "<F>"
os.environ["<E>"] = "x"
### other module
import settings_of_environment
=== settings_of_environment.py
import os

os.environ["<E>"] = "<F>"
""",
)

#: Calls of vcompat.patch(), at the top.
PATCHES = block(
    "patch",
    """
### patch
import vcompat

vcompat.patch()
### patch by name
from vcompat import patch

patch()
### patch in a condition
import vcompat

if os.environ.get("DEBUG"):
    vcompat.patch()
### patch in a function never called
import vcompat


def unused<N>():
    vcompat.patch()
### patch in a function
import vcompat


def start<N>():
    vcompat.patch()


start<N>()
### patch only
import vcompat

vcompat.patch(only=["vllm_real_pynvml"])
### patch and unpatch
import vcompat

vcompat.patch()
vcompat.unpatch()
### patch in a try
try:
    import vcompat

    vcompat.patch()
except ImportError:
    pass
### patch after vllm
import vllm
import vcompat

vcompat.patch()
### patch after the trainer
from trl import GRPOTrainer
import vcompat

vcompat.patch()
""",
)

#: The trainer.
TRAINERS = block(
    "trainer",
    """
### plain
trainer = GRPOTrainer(model="Qwen/Qwen2.5-0.5B-Instruct", args=args, reward_funcs=[len])
trainer.train()
### adapter
from peft import LoraConfig

trainer = GRPOTrainer("Qwen/Qwen2.5-7B", [len], args=args, peft_config=LoraConfig(r=8))
trainer.train()
### keywords in a dictionary
kwargs = {"model": "Qwen/Qwen2.5-0.5B", "args": args, "reward_funcs": len}
trainer = GRPOTrainer(**kwargs)
trainer.train()
### loaded model
from transformers import AutoModelForCausalLM
import torch

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-3B", torch_dtype=torch.bfloat16)
model.config.use_cache = False
trainer = GRPOTrainer(model=model, args=args, reward_funcs=len)
trainer.train()
### model of unsloth
from unsloth import FastLanguageModel

model, tokenizer = FastLanguageModel.from_pretrained("Qwen/Qwen2.5-3B", 1024, load_in_4bit=False, fast_inference=True)
model = FastLanguageModel.get_peft_model(model, r=16)
trainer = GRPOTrainer(model=model, processing_class=tokenizer, args=args, reward_funcs=len)
trainer.train()
### function
def train<N>(args):
    trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
    trainer.train()


train<N>(args)
### changed before training
trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
trainer.args.max_completion_length = 99
trainer.train()
### subclass
class MyTrainer(GRPOTrainer):
    pass


MyTrainer(model="a/b", args=args, reward_funcs=len).train()
### subclass that changes the configuration
class MyTrainer(GRPOTrainer):
    def __init__(self, *positional, args=None, **rest):
        args.<S> = <V>
        super().__init__(*positional, args=args, **rest)


MyTrainer(model="a/b", args=args, reward_funcs=len).train()
### adapter in a condition
from peft import LoraConfig

peft_config = LoraConfig(r=8) if os.environ.get("FAST") else None
trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len, peft_config=peft_config)
trainer.train()
### two trainings
for round in range(2):
    trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
    trainer.train()
    args.num_iterations = 3
### another trainer in a condition
from trl import SFTConfig, SFTTrainer

if os.environ.get("DEBUG"):
    SFTTrainer(model="a/c", args=SFTConfig(bf16=True)).train()
else:
    GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
### main guard
if __name__ == "__main__":
    trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
    trainer.train()
""",
)

_NEEDS_TOP = re.compile(r"\bexec\(|sys\.modules\[__name__\]|environ \|=")

#: Words of the command line, for scripts that parse it.
_WORDS: dict[str, list[tuple[str, ...]]] = {
    "argparse": [("--tp", "4"), ("--tp=8",)],
    "p = HfArgumentParser": [("--my_size", "4", "--my_sl", "--use_vllm"), ("--my_mode=server", "--my_size", "8")],
    "HfArgumentParser": [("--vllm_tensor_parallel_size", "4"), ("--use_vllm", "--no_bf16")],
    "p = TrlParser": [
        ("--config", "config.yaml"),
        ("--config", "config.yaml", "--my_s", "4", "--use_vllm", "true"),
    ],
    "TrlParser": [
        ("--config", "config.yaml"),
        ("--config", "config.yaml", "--use_vllm", "true", "--num_generations", "32"),
    ],
    "sys.argv": [("a", "2")],
}


def scripts(chance: Chance) -> Example:
    """Draw a training script, handed over alone, with callers that start it in several ways."""
    filler = Filler(chance)
    text = script(filler, 3)
    files = {**filler.files, "train.py": text}
    return Example(files, ("train.py",), ("python", "train.py"), callers(chance, files), tuple(filler.names))


def script(filler: Filler, most: int) -> str:
    """Return the text of a training script with up to `most` changes of each kind."""
    chance = filler.chance
    head = _IMPORTS
    if chance.happens(20):
        head += filler.choose(PATCHES)
    head += "\nfrom trl import GRPOConfig, GRPOTrainer\n"
    before = [filler.choose(ENVIRONMENT) for _ in range(chance.number(0, 2))]
    configuration = filler.choose(CONFIGURATIONS)
    if "<CHANGES>" in configuration:
        changes = "".join(filler.choose(DICTIONARY_CHANGES) for _ in range(chance.number(0, most)))
        configuration = configuration.replace("<CHANGES>\n", changes)
    after = [filler.choose(OBJECT_CHANGES) for _ in range(chance.number(0, most))]
    if chance.happens(15):
        after.append(filler.choose(ENVIRONMENT))
    body = "\n".join([*before, configuration, *after, filler.choose(TRAINERS)])
    if chance.happens(40) and not _NEEDS_TOP.search(body):
        body = "\ndef main():\n" + textwrap.indent(body, "    ") + '\n\nif __name__ == "__main__":\n    main()\n'
    return head + "\n" + body


def callers(chance: Chance, files: dict[str, str]) -> tuple[Caller, ...]:
    """Draw states of the caller: nothing set; everything set that the files read; other machines and other words."""
    first, second = variables(chance, files)
    text = "\n".join(files.values())
    words = next((words for name, words in _WORDS.items() if name in text), [(), ()])
    plain = Caller({}, words[0] if "--config" in words[0] else ())
    if not re.search(r"environ|getenv|argv|Parser|cuda|Path", text.replace(_IMPORTS, "")):
        return (plain,)
    other = Caller(first, words[0], gpus=2, host="node9")
    launched = Caller(second, words[-1], gpus=1, launch=("torchrun", "--nproc_per_node=2"))
    return plain, chance.choice((other, launched))


def variables(chance: Chance, files: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return two environments with what the files read: without and with the variables that are facts."""
    text = "\n".join(files.values())
    read = {name: values for name, values in CALLER_VARIABLES.items() if re.search(rf"\b{name}\b", text)}
    facts = {name: values for name, values in VARIABLES.items() if name in text}
    second = {name: chance.choice(values) for name, values in (read | facts).items()}
    return {name: values[0] for name, values in read.items()}, second
