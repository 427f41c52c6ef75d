"""What a release offers: names through re-exports, arguments through bases and ``**kwargs``, and unknown cases."""

from __future__ import annotations

import ast

import pytest

from vcompat.facts.use import ARGUMENT, ATTRIBUTE, IMPORT, METHOD, REPLACED, Use
from vcompat.upstream.offers.answer import offers
from vcompat.upstream.offers.definitions import Defined, Definitions

FILES = {
    "vllm/__init__.py": """
from typing import TYPE_CHECKING
ATTRIBUTES = {"LLM": ".llm:LLM", "Lazy": ".llm:Lazy"}
if TYPE_CHECKING:
    from vllm.llm import LLM
    from vllm.llm import Unlisted
else:
    def __getattr__(name): ...
""",
    "vllm/llm.py": """
from vllm.arguments import EngineArguments
from .arguments import *
from torch import Tensor
import os.path as path
try:
    from vllm.arguments import one
except ImportError:
    one = None
a, b = 1, 2
annotated: int
class Base:
    def sleep(self, level=1): ...
    def __init__(self): self.state = 0
class LLM(Base):
    def __init__(self, model, *, seed=None, **kwargs):
        EngineArguments(model=model, **kwargs)
    def generate(self, *args, use_tqdm=True): ...
    @overload
    def chat(self, a): ...
    def chat(self, b): ...
class Struct(Elsewhere):
    field: int = 0
def open_ended(**kwargs):
    print(kwargs)
""",
    "vllm/sampling.py": """
from pydantic.dataclasses import dataclass
@dataclass
class Loose:
    field: int = 0
class Derived(Loose):
    other: int = 0
@dataclass(config=STRICT)
class Configured:
    field: int = 0
""",
    "vllm/arguments.py": """
@dataclass
class Common:
    dtype: str = "auto"
@dataclass
class EngineArguments(Common):
    enforce_eager: bool = False
    notafield = 3
one = 1
""",
    "vllm/replaced.py": "import sys\nsys.modules[__name__] = Something()\n",
    "vllm/broken.py": "def (:\n",
}


def test_a_module_without_a_file_is_unknown_if_the_package_creates_modules() -> None:
    files = {"vllm/__init__.py": "sys.modules[alias] = module\n", "vllm/a.py": "one = 1\n"}
    release = Definitions("vllm", files.get, files)
    assert offers(release, Use(IMPORT, "vllm.gone", "name")) is None
    assert offers(release, Use(IMPORT, "vllm.a", "gone")) is False


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (Use(IMPORT, "vllm", ""), True),
        (Use(IMPORT, "vllm.gone", ""), False),
        (Use(IMPORT, "vllm", "LLM"), True),
        (Use(IMPORT, "vllm", "Lazy"), None),
        (Use(IMPORT, "vllm", "Unlisted"), True),
        (Use(IMPORT, "vllm", "Gone"), False),
        (Use(IMPORT, "vllm", "arguments"), True),
        (Use(IMPORT, "vllm.llm", "Tensor"), True),
        (Use(IMPORT, "vllm.llm", "path"), True),
        (Use(IMPORT, "vllm.llm", "one"), True),
        (Use(IMPORT, "vllm.llm", "Common"), True),
        (Use(IMPORT, "vllm.llm", "b"), True),
        (Use(IMPORT, "vllm.llm", "annotated"), False),
        (Use(IMPORT, "vllm.replaced", "Anything"), False),
        (Use(IMPORT, "vllm.broken", "anything"), None),
        (Use(METHOD, "vllm", "LLM.generate"), True),
        (Use(METHOD, "vllm", "LLM.sleep"), True),
        (Use(METHOD, "vllm", "LLM.state"), True),
        (Use(METHOD, "vllm", "LLM.gone"), False),
        (Use(METHOD, "vllm.llm", "Struct.anything"), None),
        (Use(METHOD, "vllm", "Gone.method"), None),
        (Use(REPLACED, "vllm.llm", "LLM.gone"), False),
        (Use(REPLACED, "vllm.llm", "Gone.method"), False),
        (Use(ARGUMENT, "vllm", "LLM", "seed"), True),
        (Use(ARGUMENT, "vllm", "LLM", "enforce_eager"), True),
        (Use(ARGUMENT, "vllm", "LLM", "dtype"), True),
        (Use(ARGUMENT, "vllm", "LLM", "device"), False),
        (Use(ARGUMENT, "vllm", "LLM.generate", "use_tqdm"), True),
        (Use(ARGUMENT, "vllm", "LLM.generate", "gone"), False),
        (Use(ARGUMENT, "vllm", "LLM.chat", "a"), True),
        (Use(ARGUMENT, "vllm", "LLM.chat", "c"), False),
        (Use(ARGUMENT, "vllm.llm", "Struct", "field"), None),
        (Use(ARGUMENT, "vllm.llm", "Struct", "other"), None),
        (Use(ARGUMENT, "vllm.llm", "open_ended", "anything"), None),
        (Use(ARGUMENT, "vllm.sampling", "Loose", "anything"), True),
        (Use(ARGUMENT, "vllm.sampling", "Derived", "anything"), True),
        (Use(ARGUMENT, "vllm.sampling", "Configured", "anything"), False),
    ],
    ids=str,
)
def test_the_answer_follows_from_the_source(use: Use, expected: bool | None) -> None:
    assert offers(Definitions("vllm", FILES.get, FILES), use) is expected


def test_a_name_of_another_package_is_not_looked_for_in_the_module_that_imports_it() -> None:
    release = Definitions("vllm", FILES.get, FILES)
    assert [release.find("vllm.llm", name) for name in ("path", "Tensor")] == [Defined("", None)] * 2
    assert release.named("vllm.llm", parsed("path.LLM")) is None
    defined = release.find("vllm", "LLM")
    assert defined and defined.module == "vllm.llm" and isinstance(defined.node, ast.ClassDef)


def parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


#: A package of which some modules are compiled, created by its build, or load their names lazily.
BUILT = {
    "src/peft/__init__.py": """
import sys
from . import compiled
from .compiled import Fast
from peft.generated import *
from elsewhere import *
""",
    "src/peft/lazy.py": """
import sys
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .classes import Made
sys.modules[__name__] = Lazy({"classes": ["Made", "Listed"]})
""",
    "src/peft/moved.py": "def __getattr__(name):\n    return getattr(there, name)\n",
    "src/peft/computed.py": "for name in names:\n    globals()[name] = 1\n",
    "src/peft/bound.py": """
for a, (b, *c) in things: ...
with opened() as d: ...
def set_one():
    global e
match thing:
    case 1:
        f = 1
lambda: (g := 1)
""",
    "src/peft/classes.py": """
class Base: ...
class Made(Base):
    field: int = 0
    def __init__(self, size): self.size = size
    @classmethod
    def make(cls) -> "Self": ...
    @decorated
    def wrapped(self): ...
    def other(self) -> "Made | None": ...
    async def later(self) -> Made: ...
class Dynamic:
    def __getattr__(self, name): ...
class Meta(metaclass=Registry): ...
@strict(accept_kwargs=True)
class Strict:
    field: int = 0
def get(size=1) -> Made: ...
def get_any(): ...
@decorated
def deprecated(new): ...
def popping(**kwargs):
    kwargs.pop("old")
    get(**kwargs)
if sys.platform:
    def either(a): ...
else:
    def either(b): ...
def set_elsewhere(made):
    made.late = 1
""",
    "src/peft/folder/inside.py": "",
}


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (Use(IMPORT, "peft.gone", ""), False),
        (Use(IMPORT, "peft.compiled", ""), None),
        (Use(IMPORT, "peft.generated", "name"), None),
        (Use(IMPORT, "peft.folder", ""), None),
        (Use(IMPORT, "peft", "Fast"), True),
        (Use(IMPORT, "peft", "AnythingByStar"), None),
        (Use(IMPORT, "peft.lazy", "Made"), True),
        (Use(IMPORT, "peft.lazy", "Listed"), False),
        (Use(IMPORT, "peft.lazy", "Base"), None),
        (Use(IMPORT, "peft.lazy", "Nowhere"), False),
        (Use(IMPORT, "peft.lazy", "NowhereFast"), None),
        (Use(IMPORT, "peft.moved", "Made"), None),
        (Use(IMPORT, "peft.moved", "Nowhere"), False),
        (Use(IMPORT, "peft.computed", "Nowhere"), None),
        (Use(IMPORT, "peft.bound", "d"), True),
        *((Use(IMPORT, "peft.bound", name), None) for name in "abcef"),
        (Use(IMPORT, "peft.bound", "g"), False),
        (Use(ARGUMENT, "peft.lazy", "Made", "size"), True),
        (Use(ARGUMENT, "peft.lazy", "Made", "gone"), False),
        (Use(ARGUMENT, "peft.classes", "get", "gone"), False),
        (Use(ARGUMENT, "peft.classes", "deprecated", "gone"), None),
        (Use(ARGUMENT, "peft.classes", "popping", "gone"), False),
        (Use(ARGUMENT, "peft.classes", "popping", "old"), None),
        (Use(ARGUMENT, "peft.classes", "either", "a"), True),
        (Use(ARGUMENT, "peft.classes", "Strict", "gone"), None),
        (Use(ARGUMENT, "peft.classes", "Made.wrapped", "a"), None),
        (Use(METHOD, "peft.classes", "Made.gone"), False),
        (Use(METHOD, "peft.classes", "Dynamic.gone"), None),
        (Use(METHOD, "peft.classes", "Meta.gone"), None),
        (Use(ATTRIBUTE, "peft.classes", "Made.size"), True),
        (Use(ATTRIBUTE, "peft.classes", "Made().size"), True),
        (Use(ATTRIBUTE, "peft.classes", "get().size"), True),
        (Use(ATTRIBUTE, "peft.classes", "get().gone"), False),
        (Use(ATTRIBUTE, "peft.classes", "get_any().gone"), None),
        (Use(ATTRIBUTE, "peft.classes", "get().late"), None),
        (Use(ATTRIBUTE, "peft.classes", "Made.make().gone"), False),
        (Use(ATTRIBUTE, "peft.classes", "Made.other().gone"), False),
        (Use(ATTRIBUTE, "peft.classes", "Made.wrapped().gone"), None),
        (Use(ATTRIBUTE, "peft.classes", "Made.later().gone"), None),
        (Use(ATTRIBUTE, "peft.gone", "Made.gone"), None),
    ],
    ids=str,
)
def test_the_whole_release_is_searched_for_what_one_module_does_not_determine(use: Use, expected: bool | None) -> None:
    assert offers(Definitions("peft", BUILT.get, BUILT), use) is expected


def test_only_modules_with_the_end_of_a_computed_name_may_be_made() -> None:
    files = {
        "peft/__init__.py": 'for name in names:\n    sys.modules[f"{__name__}.models.{name}_fast"] = make(name)\n',
        "peft/a.py": "",
    }
    release = Definitions("peft", files.get, files)
    assert offers(release, Use(IMPORT, "peft.models.bert_fast", "")) is None
    assert offers(release, Use(IMPORT, "peft.models.bert", "")) is False
