"""Classes that something changes after or while they are defined: what is stated is what Python computes."""

from __future__ import annotations

from typing import Any

import pytest

from vcompat.sources.reading.scripts.script import read_source

HEAD = """
from dataclasses import dataclass, field
from functools import partial
from trl import GRPOConfig
"""
#: Each computes `x`; what they would compute if nothing were changed is "before".
CHANGES = {
    "an attribute is set afterwards": """
class A:
    mode = "before"
A.mode = "after"
x = A().mode
""",
    "an attribute is set afterwards by name": """
class A:
    mode = "before"
setattr(A, "mode", "after")
x = A().mode
""",
    "a function sets it": """
class A:
    mode = "before"
def change(kind):
    kind.mode = "after"
change(A)
x = A.mode
""",
    "a method of the class sets it": """
class A:
    mode = "before"
    @classmethod
    def change(cls):
        cls.mode = "after"
A.change()
x = A.mode
""",
    "a base class is changed": """
class A:
    mode = "before"
class B(A):
    pass
A.mode = "after"
x = B().mode
""",
    "the default of a field is set afterwards, which changes nothing": """
@dataclass
class A:
    mode: str = "before"
A.mode = "after"
x = A().mode
""",
    "the defaults of the constructor are set": """
@dataclass
class A:
    mode: str = "before"
A.__init__.__defaults__ = ("after",)
x = A().mode
""",
    "the constructor is replaced": """
@dataclass
class A:
    mode: str = "before"
def init(self, mode="after"):
    self.mode = mode
A.__init__ = init
x = A().mode
""",
    "a function of the script decorates it": """
def decorated(kind):
    kind.mode = "after"
    return kind
@decorated
class A:
    mode = "before"
x = A.mode
""",
    "a decorator returns another class": """
def decorated(kind):
    class Other:
        mode = "after"
    return Other
@decorated
class A:
    mode = "before"
x = A().mode
""",
    "a decorator above dataclass changes it": """
def decorated(kind):
    kind.__init__ = lambda self: setattr(self, "mode", "after")
    return kind
@decorated
@dataclass
class A:
    mode: str = "before"
x = A().mode
""",
    "a metaclass changes it": """
class Meta(type):
    def __new__(meta, name, bases, cells):
        return super().__new__(meta, name, bases, {**cells, "mode": "after"})
class A(metaclass=Meta):
    mode = "before"
x = A().mode
""",
    "a metaclass of a base changes it": """
class Meta(type):
    def __init__(cls, name, bases, cells):
        cls.mode = "after"
class Base(metaclass=Meta):
    pass
class A(Base):
    mode = "before"
x = A.mode
""",
    "a metaclass makes the instances": """
class Meta(type):
    def __call__(cls):
        made = super().__call__()
        made.mode = "after"
        return made
class A(metaclass=Meta):
    mode = "before"
x = A().mode
""",
    "__init_subclass__ of a base changes it": """
class Base:
    def __init_subclass__(cls, **more):
        cls.mode = "after"
class A(Base):
    mode = "before"
x = A.mode
""",
    "__init_subclass__ of a base of a base changes it": """
class Base:
    def __init_subclass__(cls, mode="after", **more):
        cls.mode = mode
class Middle(Base):
    pass
class A(Middle, mode="later"):
    mode = "before"
x = A.mode
""",
    "__init_subclass__ changes something else": """
found = {"mode": "before"}
class Base:
    def __init_subclass__(cls, **more):
        found["mode"] = "after"
class A(Base):
    pass
x = found["mode"]
""",
    "__init_subclass__ runs before dataclass": """
class Base:
    def __init_subclass__(cls, **more):
        cls.mode = "after"
@dataclass
class A(Base):
    mode: str = "before"
x = A().mode
""",
    "__set_name__ of an attribute changes it": """
class Watch:
    def __set_name__(self, owner, name):
        owner.mode = "after"
class A:
    mode = "before"
    watch = Watch()
x = A.mode
""",
    "an attribute is deleted": """
class Base:
    mode = "after"
class A(Base):
    mode = "before"
del A.mode
x = A().mode
""",
    "make_dataclass and type make others": """
class A:
    mode = "before"
A = type("A", (A,), {"mode": "after"})
x = A().mode
""",
    "a decorator of a library returns the same": """
@dataclass(frozen=True)
class A:
    mode: str = "before"
x = A().mode
""",
}


def really(text: str) -> object:
    names: dict[str, Any] = {"__name__": __name__}
    exec(HEAD.replace("from trl import GRPOConfig", "") + text, names)
    return names["x"]


def stated(text: str) -> object:
    source = f"{HEAD}{text}\nGRPOConfig(vllm_mode=x)\n"
    return read_source("train.py", source.encode()).facts.value("plan.vllm_mode")


@pytest.mark.parametrize("name", CHANGES)
def test_a_class_that_is_changed_is_followed_or_unknown(name: str) -> None:
    assert stated(CHANGES[name]) in (really(CHANGES[name]), None)
