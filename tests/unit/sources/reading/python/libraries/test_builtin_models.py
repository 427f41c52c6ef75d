"""Builtin functions: what the abstract execution returns for values that are known, and what it leaves unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import collections, os, pathlib, sys
from argparse import Namespace
from dataclasses import dataclass
from types import SimpleNamespace
from trl import GRPOConfig
from elsewhere import Other
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


def test_sequences_are_made_of_items_that_are_known(session: Session) -> None:
    assert session.filled(SEQUENCES) == SEQUENCES


SEQUENCES = r"""
>>> [range(3), range(1, 3), range(5, 0, -2), range(0)]
[[0, 1, 2]@1:2, [1, 2]@1:12, [5, 3, 1]@1:25, []@1:42]

>>> [len(range(1000)), len(range(1001)), range(1001)]
[1000@1:2, <computed at run time>@1:20, [<computed at run time>]@1:38]

>>> [range(u()), range("a"), range(), range(0, 4, 0), range(3, u())]
[[<computed at run time>]@1:2, [<computed at run time>]@1:14, [<computed at run time>]@1:26, [<computed at run time>]@1:35, [<computed at run time>]@1:51]

>>> [zip([1, 2], "ab"), zip(), zip([1], [])]
[[(1@1:7, 'a'), (2@1:10, 'b')]@1:2, []@1:21, []@1:28]

>>> [zip([1], u()), zip(*u()), zip([1], **u())]
[[<computed at run time>]@1:2, [<computed at run time>]@1:17, [<computed at run time>]@1:28]

>>> [enumerate("ab"), enumerate([]), enumerate(u())]
[[(0, 'a'), (1, 'b')]@1:2, []@1:19, [<computed at run time>]@1:34]

>>> [enumerate("ab", 1), enumerate("ab", start=1), enumerate()]
[[<computed at run time>]@1:2, [<computed at run time>]@1:22, [<computed at run time>]@1:48]

>>> [list(), tuple(), set(), list("ab"), tuple([1]), set([1, 1])]
[[]@1:2, ()@1:10, set()@1:19, ['a', 'b']@1:26, (1@1:45)@1:38, set(1@1:55, 1@1:58)@1:50]

>>> [list(u()), tuple(u()), set(u())]
[[<computed at run time>]@1:2, (<computed at run time>)@1:13, set(<computed at run time>)@1:25]

>>> [map(str, [1, 2]), map(len, []), map(str, u()), map(str), map(str, [1], [2])]
[['1', '2']@1:2, []@1:20, <computed at run time>@1:34, <computed at run time>@1:49, <computed at run time>@1:59]

>>> n = 0
>>> def count(i):
>>>     global n
>>>     n += i
>>>     return n
>>> map(count, [1, 2])
[1, 3]
n = <depends on a condition: 0 or 3>@4:10

>>> map(lambda i: i + 1, [1, 2])
[2, 3]

>>> def seen(i):
>>>     c.append(i)
>>> c = []
>>> map(seen, u())
<computed at run time>
c = [<depends on a condition>]@3:5

>>> k = [1]
>>> map(f, k, [2])
<computed at run time>
k = [<map() may change it>, ..<map() may change it>]@1:5

>>> map(GRPOConfig, ["o"])
[trl.GRPOConfig@1:1(output_dir='o'@1:18)]
configuration GRPOConfig@1:1(self=trl.GRPOConfig@1:1(output_dir='o'@1:18)) perhaps: it is evaluated lazily

>>> map(str, [0] * 100)[99:], map(str, [0] * 101)
(['0']@1:1, <computed at run time>@1:27)
"""


def test_dictionaries_are_made_of_keys_pairs_and_dictionaries(session: Session) -> None:
    assert session.filled(DICTIONARIES) == DICTIONARIES


DICTIONARIES = r"""
>>> [dict(), dict(a=1), dict({"a": 1}, b=2), dict([("a", 1)], a=2), collections.OrderedDict(a=1)]
[{}@1:2, {'a': 1@1:17}@1:10, {'a': 1@1:32, 'b': 2@1:38}@1:21, {'a': 2@1:61}@1:42, {'a': 1@1:91}@1:65]

>>> dict(
>>>     [("a", 1)],
>>>     b=2)
{'a': 1@2:12, 'b': 2@3:7}

>>> [dict(u()), dict({"a": 1}, **u()), dict([1]), dict(a=1, **u())]
[{..<computed at run time>}@1:2, {'a': <computed at run time: 1>@1:24, ..<computed at run time>}@1:13, {..<computed at run time>}@1:36, {'a': <computed at run time: 1>@1:54, ..<computed at run time>}@1:47]
"""


def test_isinstance_is_decided_for_plain_values_and_builtin_types(session: Session) -> None:
    assert session.filled(TYPES) == TYPES


TYPES = r"""
>>> [isinstance(1, int), isinstance(1, str), isinstance(True, int), isinstance(1, bool), isinstance(1.0, float)]
[True@1:2, False@1:22, True@1:42, False@1:65, True@1:86]

>>> [isinstance(1, (str, int)), isinstance(1, [int]), isinstance(b"", bytes), isinstance(None, str)]
[True@1:2, True@1:29, True@1:51, False@1:75]

>>> [isinstance([], list), isinstance((), tuple), isinstance({1}, set), isinstance({}, dict), isinstance({}, list)]
[True@1:2, True@1:24, True@1:47, True@1:69, False@1:91]

>>> [isinstance([], (dict, list)), isinstance([], (dict, tuple))]
[True@1:2, False@1:32]

>>> [isinstance(1, Other), isinstance([], Other), isinstance(1, (int, Other)), isinstance([], (list, Other))]
[<computed at run time>@1:2, <computed at run time>@1:24, <computed at run time>@1:47, <computed at run time>@1:76]

>>> [isinstance(1, (int, float, str, bool, list, tuple, set, dict, bytes)), isinstance([], (int, float, str, bool, list, tuple, set, dict, bytes))]
[True@1:2, True@1:73]

>>> [isinstance(1), isinstance(1, u()), isinstance(1, (int, u())), isinstance(1, (*u(),)), isinstance(u(), int)]
[<computed at run time>@1:2, <computed at run time>@1:17, <computed at run time>@1:37, <computed at run time>@1:64, <computed at run time>@1:88]

>>> [isinstance(1, object), isinstance(GRPOConfig(), dict), isinstance(1, int, 2), isinstance(1, ())]
[<computed at run time>@1:2, <computed at run time>@1:25, <computed at run time>@1:57, False@1:80]
configuration GRPOConfig@1:36(self=trl.GRPOConfig@1:36())
stated trl.GRPOConfig@1:36 is_complete

>>> [type(GRPOConfig()), type(1), type(u()), type(), type("N", (), {})]
[trl.GRPOConfig@1:2, <computed at run time>@1:22, <computed at run time>@1:31, <computed at run time>@1:42, <computed at run time>@1:50]
configuration GRPOConfig@1:7(self=trl.GRPOConfig@1:7())
stated trl.GRPOConfig@1:7 is_complete

>>> class Mine: pass
>>> type(Mine())
class Mine
"""


def test_attributes_are_read_and_set_by_name(session: Session) -> None:
    assert session.filled(ATTRIBUTES) == ATTRIBUTES


ATTRIBUTES = r"""
>>> s = SimpleNamespace(a=1)
>>> [getattr(s, "a"), getattr(s, "a", 2), getattr(s, "b", 2), getattr(s, "b", None)]
[1@2:2, 1@2:19, 2@2:39, None@2:59]
s = argparse.Namespace@1:5(a=1@1:23)@1:5

>>> s = Namespace(a=1)
>>> [getattr(s, "b", 2), hasattr(s, "a"), hasattr(s, "b"), hasattr(s, u()), hasattr(s), hasattr(s, "a", 1)]
[2@2:2, True@2:22, False@2:39, <computed at run time>@2:56, <computed at run time>@2:73, <computed at run time>@2:85]
s = argparse.Namespace@1:5(a=1@1:17)@1:5

>>> s = SimpleNamespace(**u())
>>> [getattr(s, "b", 2), hasattr(s, "b")]
[<computed at run time: 2>@2:2, <computed at run time>@2:22]
s = argparse.Namespace@1:5(..<computed at run time>)@1:5

>>> s = SimpleNamespace()
>>> if u():
>>>     s.a = 1
>>> [getattr(s, "a", 2), hasattr(s, "a")]
[<depends on a condition: 1 or 2>@4:2, <computed at run time>@4:22]
s = argparse.Namespace@1:5(a=1@3:11 maybe)@1:5

>>> class Mine:
>>>     n = 1
>>>     def __init__(self):
>>>         if u():
>>>             self.n = 2
>>>             self.m = 3
>>> m = Mine()
>>> [m.n, m.m, getattr(m, "n", 4), getattr(m, "m", 4)]
[<depends on a condition: 2 or 1>@8:2, 3@8:7, <depends on a condition: 2 or 1 or 4>@8:12, <depends on a condition: 3 or 4>@8:32]
m = class Mine@7:5(n=2@5:22 maybe, m=3@6:22 maybe)@7:5

>>> class A:
>>>     n = 1
>>> class B(A):
>>>     if u():
>>>         n, m = 2, 3
>>>     if u():
>>>         def f(self): return 4
>>> [B.n, B().n, B.m, B.f]
[<depends on a condition: 2 or 1>@8:2, <depends on a condition: 2 or 1>@8:7, 3@8:14, function f@8:19]

>>> c = GRPOConfig()
>>> if u():
>>>     c.beta, c.reward_weights, c.vllm_mode = 0.04, [1], "colocate"
>>> [c.beta, c.reward_weights, c.vllm_mode]
[<has the default of its class: 0.04>@4:2, [1@3:52] | <has the default of its class>@4:10, <has the default of its class: 'colocate'>@4:28]
c = trl.GRPOConfig@1:5(beta=0.04@3:45 maybe, reward_weights=[1@3:52]@3:51 maybe, vllm_mode='colocate'@3:56 maybe)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5()) now trl.GRPOConfig@1:5(beta=0.04@3:45 maybe, reward_weights=[1@3:52]@3:51 maybe, vllm_mode='colocate'@3:56 maybe)
stated trl.GRPOConfig@1:5 is_complete

>>> [getattr(1), getattr(), getattr(SimpleNamespace(a=1), u()), getattr(u(), "a"), getattr(u(), "a", 2)]
[<computed at run time>@1:2, <computed at run time>@1:14, <computed at run time>@1:25, <computed at run time>@1:61, <computed at run time>@1:80]

>>> [getattr(os, "environ"), getattr(os, "sep", 2), hasattr(os, "sep"), hasattr(1, "real")]
[environ@1:2, os.sep@1:26, <computed at run time>@1:49, <computed at run time>@1:69]

>>> s = Other()
>>> [getattr(s, "a", 2), hasattr(s, "a")]
[<computed at run time>@2:2, <computed at run time>@2:22]
s = <computed at run time>@1:5

>>> s = GRPOConfig(a=1)
>>> [getattr(s, "b", 2), hasattr(s, "b"), hasattr(s, "a"), getattr(s, "a", 2)]
[<has the default of its class: 2>@2:2, <computed at run time>@2:22, True@2:39, 1@2:56]
s = trl.GRPOConfig@1:5(a=1@1:18)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(a=1@1:18))
stated trl.GRPOConfig@1:5: keyword a=1@1:18 is_complete

>>> class Mine:
>>>     n = 1
>>> [getattr(Mine, "n"), getattr(Mine, "n", 2), hasattr(Mine, "n"), getattr(Mine(), "n", 3), hasattr(Mine(), "n")]
[1@3:2, 1@3:22, <computed at run time>@3:45, <depends on a condition: 1 or 3>@3:65, <computed at run time>@3:90]

>>> s = SimpleNamespace(a=1, b=2)
>>> setattr(s, "a", 3)
>>> object.__setattr__(s, "c", 4)
>>> s
argparse.Namespace@1:5(a=3@2:17, b=2@1:28, c=4@3:28)
s = argparse.Namespace@1:5(a=3@2:17, b=2@1:28, c=4@3:28)@1:5

>>> s = SimpleNamespace(a=1)
>>> setattr(s, u(), 3)
>>> s
argparse.Namespace@1:5(a=<an unknown attribute is set: 1>@1:23, ..<an unknown attribute is set>)
s = argparse.Namespace@1:5(a=<an unknown attribute is set: 1>@1:23, ..<an unknown attribute is set>)@1:5

>>> s = SimpleNamespace(a=1)
>>> setattr(s, "a")
<computed at run time>
s = argparse.Namespace@1:5(a=<setattr() may change it: 1>@1:23, ..<setattr() may change it>)@1:5

>>> setattr(GRPOConfig, u(), 3)
None
changes trl.GRPOConfig.an unknown attribute: the script replaces it
changes GRPOConfig: the script changes the class

>>> setattr(GRPOConfig, "beta", 3)
None
changes trl.GRPOConfig.beta: the script replaces it
changes GRPOConfig: the script changes the class

>>> s, t = SimpleNamespace(a=1), SimpleNamespace(a=1)
>>> delattr(s, "a")
None
s = argparse.Namespace@1:8(a=<an attribute is deleted: 1>@1:26, ..<an attribute is deleted>)@1:8
t = argparse.Namespace@1:30(a=1@1:48)@1:30

>>> s, t = SimpleNamespace(a=1), SimpleNamespace(a=1)
>>> delattr(s, t)
None
s = argparse.Namespace@1:8(a=<an attribute is deleted: 1>@1:26, ..<an attribute is deleted>)@1:8
t = argparse.Namespace@1:30(a=1@1:48)@1:30

>>> delattr()
None
"""


def test_names_of_modules_and_functions_are_dictionaries(session: Session) -> None:
    assert session.filled(NAMES) == NAMES


NAMES = r"""
>>> s = SimpleNamespace(a=1)
>>> vars(s)["b"] = 2
>>> [vars(s), vars(s)["a"]]
[{'a': 1@1:23, 'b': 2@2:16}@3:2, 1@3:11]
s = argparse.Namespace@1:5(a=1@1:23, b=2@2:16)@1:5

>>> vars()["k"] = 2
>>> locals()["m"] = 3
>>> globals()["n"] = 4
>>> [vars()]
[this module@4:2]
k = 2@1:15
m = 3@2:17
n = 4@3:18

>>> def f():
>>>     k = 1
>>>     globals()["n"] = 4
>>>     return locals()["k"], vars()["k"]
>>> f()
(1@4:12, 1@4:27)
n = 4@3:22

>>> globals()
this module
"""


def test_super_is_the_next_class_of_the_method_that_runs(session: Session) -> None:
    assert session.filled(SUPER) == SUPER


SUPER = r"""
>>> class A:
>>>     def f(self): return 1
>>> class B(A):
>>>     def f(self): return 2
>>>     def g(self): return [super().f(), super(B, self).f(), (lambda: super().f())()]
>>> B().g()
[1@5:26, 1@5:39, <computed at run time>@5:59]

>>> class A:
>>>     def f(self): return 1
>>> class B(A):
>>>     def f(self): return 2
>>> class C(B):
>>>     def f(self): return super(B, self).f()
>>> C().f()
1

>>> super()
<computed at run time>

>>> super(u(), 1)
<computed at run time>

>>> class A:
>>>     def f(self): return super(u(), self)
>>> A().f()
<computed at run time>

>>> class A:
>>>     def f(self): return self.k
>>> class B(A):
>>>     k = 1
>>>     def g(self): return [super(B, self).f(), [super().f() for i in [1]], super(B).f(), super(B, self, 1), super(B)]
>>> B().g()
[1@5:26, [1@5:47]@5:46, <computed at run time>@5:74, <computed at run time>@5:88, <computed at run time>@5:107]

>>> class A:
>>>     def f(self):
>>>         def g(): return super().f()
>>>         return g()
>>> A().f()
<computed at run time>

>>> class A:
>>>     def f(): return super()
>>> A.f()
<computed at run time>
"""


def test_code_in_texts_is_executed_and_unknown_code_changes_everything(session: Session) -> None:
    assert session.filled(CODE) == CODE


CODE = r"""
>>> exec("n = 1\nm = 2")
>>> [n, m]
[1@2:2, 2@2:5]
n = 1@1:5
m = 2@2:5

>>> if True:
>>>     exec("n = 1\n\nm = 2")
n = 1@2:5
m = 2@4:5

>>> exec("not Python")
None

>>> k = 1
>>> exec(u())
>>> k
<unknown code is executed>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'

>>> k = 1
>>> exec("k = 2", {})
>>> k
1
k = 1@1:5
environ .. = 'unknown code is executed'

>>> names, k = {"n": 1}, 1
>>> exec(u(), names)
>>> [k, names]
[1@3:2, {'n': <unknown code is executed: 1>@1:18, ..<unknown code is executed>}@3:5]
names = {'n': <unknown code is executed: 1>@1:18, ..<unknown code is executed>}@1:12
k = 1@1:22
environ .. = 'unknown code is executed'

>>> n = 5
>>> def f():
>>>     exec("m = 1\nn = m\no.append(n)")
>>>     return n
>>> o = []
>>> f()
5
n = 5@1:5
o = [1@5:10]@5:5

>>> class Mine:
>>>     exec("m = 1")
>>> Mine.m
1

>>> class Mine:
>>>     def f(self):
>>>         exec("n = 1")
>>>         return n
>>> n = 5
>>> Mine().f()
5
n = 5@5:5

>>> def f():
>>>     class Mine:
>>>         exec("m = 1")
>>>     return Mine.m
>>> f()
1

>>> k = 2
>>> eval("k + 1")
3
k = 2@1:5

>>> [eval("1 + 1"), eval("1 +"), eval("\0"), eval("(" * 400)]
[2@1:2, <computed at run time>@1:17, <computed at run time>@1:30, <computed at run time>@1:42]

>>> k = 1
>>> eval(u())
>>> k
<unknown code is executed>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'

>>> k = 1
>>> eval("k", {})
<computed at run time>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'

>>> k = [1]
>>> __unknown_magic__("%load_ext autoreload")
>>> k
<unknown code is executed>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'

>>> k = 1
>>> [__unknown_output__("ls"), k]
[<the output of a program>@2:2, 1@2:28]
k = 1@1:5

>>> k = 1
>>> eval(1)
<computed at run time>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'

>>> k = 1
>>> exec(b"k = 2")
<computed at run time>
__name__ = <unknown code is executed>
k = <unknown code is executed>
environ .. = 'unknown code is executed'
"""


@pytest.mark.parametrize("end", ["exit()", "quit()", "sys.exit(1)", "os._exit(1)", "os.abort()"])
def test_nothing_runs_after_the_end_of_the_program(session: Session, end: str) -> None:
    assert session.outcome(f"k = 1\n{end}\nk = 2") == ["k = 1@1:5", "ends: exit"]


def test_paths_are_kept_as_text(session: Session) -> None:
    assert session.filled(PATHS) == PATHS


PATHS = r"""
>>> [pathlib.Path("a"), pathlib.Path("a", "b"), pathlib.Path(), pathlib.Path("a") / "b", pathlib.Path("a", "/b")]
['a'@1:2, 'a/b'@1:21, '.'@1:45, 'a/b'@1:61, '/b'@1:86]

>>> [pathlib.Path(u()), pathlib.Path("a", u()), pathlib.Path(1)]
[<computed at run time>@1:2, <computed at run time>@1:21, <computed at run time>@1:45]
"""
