"""Which patches a script applies: those that the call of `vcompat.patch()` chooses, if it is certainly reached in time."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts, Place
from vcompat.patches import patch_ids
from vcompat.sources.reading.scripts.script import read_source

ALL = tuple(patch_ids())
ONE, TWO = ALL[:2]


def stated(text: str) -> Facts:
    return read_source("dir/train.py", f"import vcompat\n{text}\n".encode()).facts


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("", ALL),
        (f"only={ONE!r}", (ONE,)),
        (f"only=[{ONE!r}, {TWO!r}]", (ONE, TWO)),
        (f"only=({TWO!r},)", (TWO,)),
        (f"{ONE!r}", (ONE,)),
        ("only=None", ALL),
        ("only=[]", ()),
        (f"skip={ONE!r}", ALL[1:]),
        (f"skip=[{ONE!r}, {TWO!r}]", ALL[2:]),
        ("skip=()", ALL),
        ("skip=None", ALL),
        (f"[{ONE!r}, {TWO!r}], {ONE!r}", (TWO,)),
        (f"only={ONE!r}, skip={ONE!r}", ()),
        ("strict=True", ALL),
    ],
)
def test_the_arguments_choose_the_patches(call: str, expected: tuple[str, ...]) -> None:
    known = stated(f"if True:\n  vcompat.patch({call})").get("plan.patched")
    assert known == (expected, "train.py:3:1", Place("dir/train.py", 3, 1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("vcompat.patch(only=u())", "train.py:2:1: its arguments are computed at run time"),
        ("vcompat.patch(skip=u())", "train.py:2:1: its arguments are computed at run time"),
        ("vcompat.patch(**u())", "train.py:2:1: its arguments are computed at run time"),
        ("vcompat.patch(only=1)", "train.py:2:1: its arguments are computed at run time"),
        ("vcompat.patch(skip={})", "train.py:2:1: its arguments are computed at run time"),
        ("if u():\n  vcompat.patch()", "train.py:3:1: not certainly called: depends on a condition"),
        ("import trl\nvcompat.patch()", "train.py:3:1: called after the import of trl in line 2"),
        ("from vllm.x import y\n\nvcompat.patch()", "train.py:4:1: called after the import of vllm in line 2"),
        ("import unsloth.models\nvcompat.patch()", "train.py:3:1: called after the import of unsloth in line 2"),
        ("T = GRPOTrainer('m')\nvcompat.patch()", "train.py:3:1: called after GRPOTrainer is made in line 2"),
        ("e = LLM('m')\nvcompat.patch()", "train.py:3:1: called after LLM is made in line 2"),
        ("vcompat.patch()\nvcompat.patch()", "train.py:2:1: vcompat.patch() is called, too"),
        ("vcompat.patch()\nvcompat.unpatch()", "train.py:2:1: vcompat.unpatch() is called, too"),
        ("vcompat.unpatch()\nvcompat.patch()", "train.py:3:1: vcompat.unpatch() is called, too"),
        (
            "import trl\nimport vllm\nif u():\n  vcompat.patch()",
            "train.py:5:1: not certainly called: depends on a condition",
        ),
    ],
)
def test_a_call_that_may_not_have_its_effect_makes_the_patches_unknown(text: str, reason: str) -> None:
    facts = stated(text)
    assert facts.get("plan.patched") is None
    assert facts.why_unknown("plan.patched") == reason
    line = int(reason.split(":")[1])
    assert facts.open_at("plan.patched") == Place("dir/train.py", line, 1)


@pytest.mark.parametrize(
    "text",
    [
        "vcompat.patch()\nimport trl\nimport vllm",
        "import transformers\nimport torch\nvcompat.patch()",
        "c = GRPOConfig()\nvcompat.patch()\nimport trl",
        "vcompat.patch()\nGRPOTrainer('m')\nLLM('m')",
    ],
)
def test_what_comes_after_the_call_does_no_harm(text: str) -> None:
    assert stated(text).value("plan.patched") == ALL


def test_without_a_call_there_are_no_patches() -> None:
    known = stated("vcompat.unpatch()").get("plan.patched")
    assert known is not None and (known.value, known.source, known.place) == (
        (),
        "train.py does not call vcompat.patch()",
        None,
    )
