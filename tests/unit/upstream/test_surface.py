"""What a release offers: names through re-exports, arguments through bases and ``**kwargs``, and unknown cases."""

from __future__ import annotations

import pytest

from vcompat.upstream.surface import Surface
from vcompat.upstream.uses import ARGUMENT, IMPORT, METHOD, REPLACED, Use

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
class Common:
    dtype: str = "auto"
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
    surface = Surface(files.get)
    assert surface.offers(Use(IMPORT, "vllm.gone", "name")) is None
    assert surface.offers(Use(IMPORT, "vllm.a", "gone")) is False


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (Use(IMPORT, "vllm", ""), True),
        (Use(IMPORT, "vllm.gone", ""), False),
        (Use(IMPORT, "vllm", "LLM"), True),
        (Use(IMPORT, "vllm", "Lazy"), True),
        (Use(IMPORT, "vllm", "Unlisted"), False),
        (Use(IMPORT, "vllm", "Gone"), False),
        (Use(IMPORT, "vllm", "arguments"), True),
        (Use(IMPORT, "vllm.llm", "Tensor"), True),
        (Use(IMPORT, "vllm.llm", "path"), True),
        (Use(IMPORT, "vllm.llm", "one"), True),
        (Use(IMPORT, "vllm.llm", "Common"), True),
        (Use(IMPORT, "vllm.llm", "b"), True),
        (Use(IMPORT, "vllm.llm", "annotated"), False),
        (Use(IMPORT, "vllm.replaced", "Anything"), None),
        (Use(IMPORT, "vllm.broken", "anything"), False),
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
        (Use(ARGUMENT, "vllm.llm", "Struct", "field"), True),
        (Use(ARGUMENT, "vllm.llm", "Struct", "other"), None),
        (Use(ARGUMENT, "vllm.llm", "open_ended", "anything"), None),
        (Use(ARGUMENT, "vllm.sampling", "Loose", "anything"), True),
        (Use(ARGUMENT, "vllm.sampling", "Derived", "anything"), True),
        (Use(ARGUMENT, "vllm.sampling", "Configured", "anything"), False),
    ],
    ids=str,
)
def test_the_answer_follows_from_the_source(use: Use, expected: bool | None) -> None:
    assert Surface(FILES.get).offers(use) is expected
