"""Interfaces of classes, followed through modules."""

from __future__ import annotations

import ast

import pytest

from vcompat.upstream.architectures.model_classes import kinds_of, registered_classes

MODELS = "vllm/model_executor/models/"
FILES = {
    f"{MODELS}direct.py": "from .interfaces import SupportsMultiModal\nclass A(nn.Module, SupportsMultiModal):\n    pass\n",
    f"{MODELS}inherited.py": "from vllm.model_executor.models.direct import (\n    A as Base,  # the model\n)\n"
    "class B(Base, Generic[T]): ...\n",
    f"{MODELS}nested/__init__.py": "from .inner import C\nfrom ..inherited import B as D\n",
    f"{MODELS}nested/inner.py": "from ..direct import A\nclass C(\n    A,\n): ...\n",
    f"{MODELS}text.py": "from torch import nn\nclass E(nn.Module):\n    pass\nclass F(E): ...\nclass Loop(Loop): ...\n",
    f"{MODELS}states.py": "class L(nn.Module, HasInnerState): ...\nclass M(L, IsHybrid): ...\n"
    "class N(nn.Module, HasInnerState, IsAttentionFree): ...\nclass O(A, L): ...\nfrom .direct import A\n",
    f"{MODELS}open.py": "class G(Made): ...\nclass H(metaclass=M): ...\nfrom .gone import I\nclass J(I): ...\n",
    "vllm/models/new/__init__.py": "if nvidia:\n    from .nvidia import K\n",
}


@pytest.mark.parametrize(
    ("module", "name", "found"),
    [
        ("direct", "A", {"multimodal"}),
        ("inherited", "B", {"multimodal"}),
        ("nested", "C", {"multimodal"}),
        ("nested", "D", {"multimodal"}),
        ("text", "E", set()),
        ("text", "F", set()),
        ("text", "Loop", set()),
        ("states", "L", {"hybrid"}),
        ("states", "M", {"hybrid"}),
        ("states", "N", set()),
        ("states", "O", {"hybrid", "multimodal"}),
        ("open", "G", {"elsewhere"}),
        ("open", "H", set()),
        ("open", "J", {"elsewhere"}),
        ("missing", "X", {"elsewhere"}),
        ("vllm.models.new", "K", {"elsewhere"}),
    ],
)
def test_interfaces_are_those_of_all_bases_that_are_found(module: str, name: str, found: set[str]) -> None:
    kinds = kinds_of({"ModelForCausalLM": (module, name)}, FILES.get)
    assert {kind for kind, names in kinds.items() if names} == found


def test_a_registry_has_module_and_class_of_each_architecture_in_two_forms() -> None:
    text = '_A = {"XForCausalLM": ("x", "X")}\n_B: dict = {"YForCausalLM": ("text", "y", "Y"), **_A, "Z": 1}\nZ = f()\n'
    assert registered_classes(ast.parse(text)) == {"XForCausalLM": ("x", "X"), "YForCausalLM": ("y", "Y")}
