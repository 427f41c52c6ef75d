"""Calls of library functions: which ones compute, which ones leave their arguments alone, and which change variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.libraries.library import KNOWN_ROOTS
from vcompat.sources.reading.python.running.harmless import (
    READERS,
    STANDARD,
    WATCHED,
    is_foreign,
    only_reads,
    patches,
    sets_variables,
)
from vcompat.sources.reading.python.values.values import Const, Lib, Method, Obj, Value

IMPORTS = """
import json, math, operator, os, sys, torch, vcompat, yaml
from dataclasses import dataclass
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, TrlParser, get_peft_config
from elsewhere import Other, tune
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


def test_pure_functions_compute_what_python_computes(session: Session) -> None:
    assert session.filled(PURE) == PURE


PURE = r"""
>>> [os.path.join("a", "b"), os.path.basename("/a/b"), os.path.dirname("/a/b"), os.path.splitext("a.b"), os.path.normpath("a//b/.")]
['a/b'@1:2, 'b'@1:26, '/a'@1:52, ('a', '.b')@1:77, 'a/b'@1:102]

>>> [os.fspath("a"), int("4"), float("0.5"), str(4), bool(0), abs(-1), round(2.567, 1), repr("a"), len("abc")]
['a'@1:2, 4@1:18, 0.5@1:28, '4'@1:42, False@1:50, 1@1:59, 2.6@1:68, "'a'"@1:85, 3@1:96]

>>> [min(1, 2), max([1, 2]), sum([1, 2]), sorted([2, 1], reverse=True), any([0, 1]), all([0, 1])]
[1@1:2, 2@1:13, 3@1:26, [2, 1]@1:39, True@1:69, False@1:82]

>>> [math.ceil(1.5), math.floor(1.5), math.ceil(-1.5), math.floor(-1.5), divmod(7, 3), pow(2, 3), operator.add(1, 2)]
[2@1:2, 1@1:18, -1@1:35, -2@1:52, (2, 1)@1:70, 8@1:84, 3@1:95]

>>> [int("four"), int("4", **u()), int(*u()), int(u()), len(u()), min(), int("0x1f", base=16), pow(10, 129), str("a", **u())]
[<computed at run time>@1:2, <computed at run time>@1:15, <unknown arguments>@1:32, <computed at run time>@1:43, <computed at run time>@1:53, <computed at run time>@1:63, 31@1:70, <computed at run time>@1:92, <computed at run time>@1:106]

>>> x = [1, 2]
>>> [len(x), len([*u()]), len({1, 1}), len({"a": 1}), len()]
[2@2:2, <computed at run time>@2:10, 1@2:23, 1@2:36, <computed at run time>@2:51]
x = [1@1:6, 2@1:9]@1:5

>>> [bool([]), bool([u()]), bool(u()), bool(), bool(0, 1), bool(Other), bool(""), bool({}), bool(GRPOConfig())]
[False@1:2, True@1:12, <computed at run time>@1:25, False@1:36, <computed at run time>@1:44, <computed at run time>@1:56, False@1:69, False@1:79, True@1:89]
configuration GRPOConfig@1:94(self=trl.GRPOConfig@1:94())
stated trl.GRPOConfig@1:94 is_complete

>>> [any([u(), 1]), all([u()]), any([]), all([])]
[<computed at run time>@1:2, <computed at run time>@1:17, False@1:29, True@1:38]

>>> [sorted([1, 2], key=lambda i: -i), max([1], key=len), min(Other), sorted([2, 1])]
[<computed at run time>@1:2, <computed at run time>@1:36, <computed at run time>@1:55, [1, 2]@1:67]

>>> class Mine:
>>>     def f(self): return 1
>>> m = Mine()
>>> [sorted([1], key=m.f), str(Mine), sum([1], Mine)]
[<computed at run time>@4:2, <computed at run time>@4:24, <computed at run time>@4:35]
m = class Mine@3:5()@3:5

>>> [os.path.abspath("a.yaml"), os.path.realpath("b.yml"), os.path.expanduser("c.json"), os.path.abspath("d.toml")]
['a.yaml'@1:2, 'b.yml'@1:29, 'c.json'@1:56, 'd.toml'@1:86]

>>> [os.path.abspath("a"), os.path.abspath(u()), os.path.abspath(), os.path.abspath(1), os.path.abspath(path="a.yaml")]
[<computed at run time>@1:2, <computed at run time>@1:24, <computed at run time>@1:46, <computed at run time>@1:65, 'a.yaml'@1:85]
"""


def test_calls_of_vcompat_are_recorded(session: Session) -> None:
    assert session.filled(PATCHES) == PATCHES


PATCHES = r"""
>>> vcompat.patch()
<computed at run time>
patch vcompat.patch@1:1()

>>> vcompat.patch(["a"], "b", strict=True)
<computed at run time>
patch vcompat.patch@1:1(strict=True@1:34, only=['a'@1:16]@1:15, skip='b'@1:22)

>>> vcompat.patch(only="a", **u())
<computed at run time>
patch vcompat.patch@1:1(only=<computed at run time: 'a'>@1:20) ..<computed at run time>

>>> vcompat.patch("a", "b", "c")
<computed at run time>
patch vcompat.patch@1:1(only='a'@1:15, skip='b'@1:20)

>>> [vcompat.unpatch(), vcompat.patch.something()]
[<computed at run time>@1:2, <computed at run time>@1:21]
other patch call vcompat.unpatch@1:2()
other patch call vcompat.patch.something@1:21()
"""


def test_what_a_call_makes_depends_on_the_name(session: Session) -> None:
    assert session.filled(MAKERS) == MAKERS


MAKERS = r"""
>>> [torch.Trainer(1), torch.makeTrainer(1), torch.trainTrainer(1), torch._Trainer(1)]
[torch.Trainer@1:2()@1:2, <computed at run time>@1:20, <computed at run time>@1:42, <computed at run time>@1:65]
trainer Trainer@1:2(model=1@1:16, environ={}) now torch.Trainer@1:2()

>>> [torch.Config(), torch.makeConfig(), torch.Args(), torch.makeArgs(), torch.Arguments(), torch.makeArguments()]
[torch.Config@1:2(..<torch.Config was not found, so that its defaults are not known>)@1:2, <computed at run time>@1:18, torch.Args@1:38(..<torch.Args was not found, so that its defaults are not known>)@1:38, <computed at run time>@1:52, torch.Arguments@1:70(..<torch.Arguments was not found, so that its defaults are not known>)@1:70, <computed at run time>@1:89]

>>> [torch.HfArgumentParser(1), elsewhere.TrlParser(2), H4ArgumentParser(3), undefined.OtherParser(4), TrlParser()]
[transformers.HfArgumentParser@1:2(<classes>=1@1:25)@1:2, trl.TrlParser@1:29(<classes>=2@1:49)@1:29, transformers.H4ArgumentParser@1:53(<classes>=3@1:70)@1:53, <computed at run time>@1:74, trl.TrlParser@1:100(<classes>=())@1:100]

>>> undefined.get_peft_config(1)
<computed at run time: None>

>>> class Mine(GRPOConfig):
>>>     def __init__(self, n, **more):
>>>         GRPOConfig.__init__(self, beta=n, **more)
>>> Mine(1, epsilon=2)
class Mine@4:1(beta=1@3:40, epsilon=2@4:17)
configuration GRPOConfig@4:1(self=class Mine@4:1(beta=1@3:40, epsilon=2@4:17))

>>> class Mine(GRPOConfig):
>>>     def __init__(self, n):
>>>         GRPOConfig.__init__(self, "o", beta=n)
>>> Mine(1)
class Mine@4:1(beta=<positional arguments are given: 1>@3:45, ..<positional arguments are given>)
configuration GRPOConfig@4:1(self=class Mine@4:1(beta=<positional arguments are given: 1>@3:45, ..<positional arguments are given>))

>>> class Mine(GRPOTrainer):
>>>     def __init__(self, *a, **k):
>>>         GRPOTrainer.__init__(self, *a, **k)
>>> Mine("m", args=GRPOConfig(beta=1))
class Mine@4:1()
configuration GRPOConfig@4:16(self=trl.GRPOConfig@4:16(beta=1@4:32))
trainer GRPOTrainer@3:9(args=trl.GRPOConfig@4:16(beta=1@4:32)@4:16, model='m'@4:6, made=trl.GRPOConfig@4:16(beta=1@4:32)@4:16, environ={}) now class Mine@4:1()
stated trl.GRPOConfig@4:16: keyword beta=1@4:32 is_complete

>>> [GRPOConfig.__init__(), GRPOConfig.__init__(u(), 1)]
[<computed at run time>@1:2, <computed at run time>@1:25]

>>> class Mine(torch.nn.Module):
>>>     def __init__(self):
>>>         torch.nn.Module.__init__(self)
>>>         self.n = 1
>>> Mine()
class Mine@5:1(n=1@4:18)
"""


def test_functions_that_only_read_leave_their_arguments_alone(session: Session) -> None:
    assert session.filled(READING) == READING


READING = r"""
>>> k = [1]
>>> json.dumps(k)
>>> k
[1@1:6]
k = [1@1:6]@1:5

>>> k = [1]
>>> tune(k)
>>> k
[<tune() may change it>, ..<tune() may change it>]
k = [<tune() may change it>, ..<tune() may change it>]@1:5

>>> k = [1]
>>> tune(values=k)
>>> k
[<tune() may change it>, ..<tune() may change it>]
k = [<tune() may change it>, ..<tune() may change it>]@1:5

>>> k = [1]
>>> undefined(k)
>>> k
[<undefined() may change it>, ..<undefined() may change it>]
k = [<undefined() may change it>, ..<undefined() may change it>]@1:5

>>> k = [1]
>>> print(k)
>>> k
[1@1:6]
k = [1@1:6]@1:5

>>> k = [1]
>>> logger.info(k)
>>> k
[<logger.info() may change it>, ..<logger.info() may change it>]
k = [<logger.info() may change it>, ..<logger.info() may change it>]@1:5

>>> k = [1]
>>> Other().info(k)
>>> k
[1@1:6]
k = [1@1:6]@1:5

$ -i A=1
>>> from dotenv import load_dotenv
>>> load_dotenv()
>>> os.environ.get("A")
<load_dotenv() may change it: '1'>
environ A = <load_dotenv() may change it: '1'>@run.sh:3:1
environ .. = 'load_dotenv() may change it'

$ -i A=1
>>> tune()
>>> os.environ.get("A")
<tune() may change it: '1'>
environ A = <tune() may change it: '1'>@run.sh:3:1

$ -i A=1
>>> undefined()
>>> os.environ.get("A")
'1'
"""

#: A callee, its name at the call, and whether it leaves its arguments as they are.
CALLEES: list[tuple[Value | None, str, bool]] = [
    (Lib("json.dumps"), "json.dumps", True),
    (Lib("elsewhere.f"), "elsewhere.f", False),
    (Lib("print"), "print", False),
    (Lib("print", False), "print", True),
    (Lib("open", False), "open", True),
    (Lib("wandb.log", False), "wandb.log", True),
    (Lib("undefined", False), "undefined", False),
    (Lib("undefined.info", False), "undefined.info", False),
    (Method(Obj(Lib("torch.Tensor")), "f"), "t.f", True),
    (Method(Obj(Lib("elsewhere.T")), "f"), "t.f", False),
    (Method(Obj(Lib("elsewhere.T")), "info"), "t.info", True),
    (Method(Const("a"), "f"), "a.f", False),
    (Method(Const("a"), "info"), "a.info", True),
    (None, "log.warning", True),
    (None, "info.other", False),
    (None, "info", True),
    (None, "a.b.error", True),
    (None, "f", False),
]


@pytest.mark.parametrize(("callee", "name", "expected"), CALLEES)
def test_a_function_reads_by_its_package_or_as_a_logger_does(callee: Value | None, name: str, expected: bool) -> None:
    assert only_reads(callee, name) is expected


def test_every_package_that_reads_and_every_builtin_that_reads_is_known() -> None:
    for root in READERS:
        assert only_reads(Lib(f"{root}.f"), "f") and only_reads(Lib(f"{root}.f", False), "f")
        assert not is_foreign(Lib(f"{root}.f"))
    for name in "print len map tuple SystemExit ValueError zip __import__ abs str".split():
        assert only_reads(Lib(name, False), name)
    for name in "info debug warning error critical exception log log_metrics print write".split():
        assert only_reads(None, f"logger.{name}")
    assert {"trl", "vllm", "torch", "yaml", "os", "absl", "zmq", "transformers", "hydra", "cv2"} <= READERS
    assert READERS | STANDARD | WATCHED == KNOWN_ROOTS
    assert {"vllm", "trl", "vcompat", "transformers", "unsloth"} == WATCHED and {"os", "sys", "json"} <= STANDARD


@pytest.mark.parametrize(
    ("path", "sets", "foreign", "changes_dictionaries"),
    [
        ("dotenv.load_dotenv", True, True, False),
        ("elsewhere.load_dotenv", True, True, False),
        ("os.activate_env", True, False, False),
        ("os.set_env", True, False, False),
        ("os.setup_env", True, False, False),
        ("os.dotenv_values", True, False, False),
        ("environs.Env", True, True, False),
        ("unsloth.FastLanguageModel", True, True, False),
        ("decouple.config", True, True, False),
        ("os.getenv", False, False, False),
        ("elsewhere.f", False, True, False),
        ("unittest.mock.patch.dict", False, False, True),
        ("mock.patch.dict", False, True, True),
        ("pytest.MonkeyPatch", False, False, True),
        ("collections.ChainMap", False, False, True),
    ],
)
def test_functions_that_change_variables_or_dictionaries(
    path: str, sets: bool, foreign: bool, changes_dictionaries: bool
) -> None:
    callee = Lib(path)
    assert (sets_variables(callee), is_foreign(callee), patches(callee)) == (sets, foreign, changes_dictionaries)
    for other in (None, Const(path)):
        assert not sets_variables(other) and not is_foreign(other) and not patches(other)
    assert not is_foreign(Lib(path, False))
