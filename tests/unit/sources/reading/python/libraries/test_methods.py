"""Methods of dictionaries, lists, texts, paths, classes and instances."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import argparse, functools, os
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from trl import GRPOConfig, GRPOTrainer
from elsewhere import Other, OtherConfig
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


def test_dictionaries_are_read_by_key(session: Session) -> None:
    assert session.filled(READ) == READ


READ = r"""
>>> d = {"a": 1}
>>> [d.get("a"), d.get("b"), d.get("b", 2), d.get(key="a", default=3), d.get(u()), d.get(u(), 4), d.get()]
[1@2:2, None@2:14, 2@2:26, 1@2:41, <computed at run time>@2:68, <computed at run time>@2:80, <computed at run time>@2:95]
d = {'a': 1@1:11}@1:5

>>> d = {"a": 1, **u()}
>>> [d.get("a"), d.get("b"), d.get("b", 2)]
[<computed at run time: 1>@2:2, <computed at run time: None>@2:14, <computed at run time: 2>@2:26]
d = {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@1:5

>>> d = {}
>>> if u():
>>>     d["a"] = 1
>>> [d.get("a"), d.get("a", 2), d.get("b", 3)]
[<depends on a condition: 1 or None>@4:2, <depends on a condition: 1 or 2>@4:14, 3@4:29]
d = {'a': 1@3:14 maybe}@1:5

>>> d = {"a": 1, "b": [2]}
>>> [d.items(), d.keys(), d.values(), d.copy()]
[[('a'@1:11, 1@1:11), ('b'@1:19, [2@1:20]@1:19)]@2:2, ['a'@1:11, 'b'@1:19]@2:13, [1@1:11, [2@1:20]@1:19]@2:23, {'a': 1@1:11, 'b': [2@1:20]@1:19}@2:35]
d = {'a': 1@1:11, 'b': [2@1:20]@1:19}@1:5

>>> d = {"a": 1, **u()}
>>> [d.items(), d.keys(), d.values(), d.copy()]
[[<computed at run time>]@2:2, [<computed at run time>]@2:13, [<computed at run time>]@2:23, {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@2:35]
d = {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@1:5

>>> d = {1: 2, None: 3}
>>> [d.items(), d.values()]
[[(1@1:9, 2@1:9), (None@1:18, 3@1:18)]@2:2, [2@1:9, 3@1:18]@2:13]
d = {1: 2@1:9, None: 3@1:18}@1:5

>>> d = {"a": 1}
>>> e = d.copy()
>>> e["b"] = 2
d = {'a': 1@1:11}@1:5
e = {'a': 1@1:11, 'b': 2@3:10}@2:5

>>> d = {"a": 1}
>>> [d.unknown(), d]
[<computed at run time>@2:2, {'a': <d.unknown() may change it: 1>@1:11, ..<d.unknown() may change it>}@2:15]
d = {'a': <d.unknown() may change it: 1>@1:11, ..<d.unknown() may change it>}@1:5
"""


def test_dictionaries_are_changed_by_methods(session: Session) -> None:
    assert session.filled(CHANGED) == CHANGED


CHANGED = r"""
>>> d = {"a": 1}
>>> [d.setdefault("a", 2), d.setdefault("b", 3), d.setdefault("c"), d.setdefault(key="d", default=4)]
[1@2:2, 3@2:24, None@2:46, 4@2:65]
d = {'a': 1@1:11, 'b': 3@2:42, 'c': None, 'd': 4@2:95}@1:5

>>> d = {"a": 1}
>>> [d.setdefault(u(), 2), d.setdefault()]
[<computed at run time>@2:2, <computed at run time>@2:24]
d = {'a': <an unknown key is set: 1>@1:11, ..<an unknown key is set>}@1:5

>>> d = {"a": 1, **u()}
>>> [d.setdefault("a", 2), d.setdefault("b", 3)]
[<computed at run time: 1>@2:2, <computed at run time: 3>@2:24]
d = {'a': <computed at run time: 1>@1:11, 'b': <computed at run time: 3>@2:42, ..<computed at run time>}@1:5

>>> d = {}
>>> if u():
>>>     d["a"] = 1
>>> [d.setdefault("a", 2), d["a"]]
[<depends on a condition: 1 or 2>@4:2, <depends on a condition: 1 or 2>@4:24]
d = {'a': <depends on a condition: 1 or 2>@4:20}@1:5

>>> d = {"a": 1}
>>> [d.update(b=2), d.update({"c": 3}), d.update([("d", 4)], e=5), d.update()]
[None@2:2, None@2:17, None@2:37, None@2:64]
d = {'a': 1@1:11, 'b': 2@2:13, 'c': 3@2:32, 'd': 4@2:53, 'e': 5@2:60}@1:5

>>> d = {"a": 1}
>>> d.update(u())
None
d = {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@1:5

>>> d = {"a": 1}
>>> d.update(**u())
None
d = {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@1:5

>>> d = {"a": 1, "b": 2}
>>> [d.pop("a"), d.pop("c", 3), d.pop("d", None)]
[1@2:2, 3@2:14, None@2:29]
d = {'b': 2@1:19}@1:5

>>> d = {"a": 1, "b": 2}
>>> d.pop(u())
<computed at run time>
d = {'a': <an unknown key is removed: 1>@1:11, 'b': <an unknown key is removed: 2>@1:19, ..<an unknown key is removed>}@1:5

>>> d = {"a": 1, "b": 2}
>>> d.popitem()
<computed at run time>
d = {'a': <an item is removed: 1>@1:11, 'b': <an item is removed: 2>@1:19, ..<an item is removed>}@1:5

>>> d = {"a": 1, "b": 2}
>>> d.clear()
None
d = {}@1:5

>>> d = {"a": 1}
>>> d.__setitem__("b", 2)
None
d = {'a': 1@1:11, 'b': 2@2:20}@1:5

>>> d = {"a": 1}
>>> d.__setitem__("b")
None
d = {'a': <computed at run time: 1>@1:11, ..<computed at run time>}@1:5

>>> k = [1]
>>> d = {"a": k}
>>> d.unknown(1)
<computed at run time>
k = [<d.unknown() may change it>, ..<d.unknown() may change it>]@1:5
d = {'a': <d.unknown() may change it>@2:11, ..<d.unknown() may change it>}@2:5
"""


def test_variables_of_the_environment_are_read_and_changed_by_methods(session: Session) -> None:
    assert session.filled(ENVIRONMENT) == ENVIRONMENT


ENVIRONMENT = r"""
$ A=1 B={unset}
>>> e = os.environ
>>> [e.get("A"), e.get("B"), e.get("B", "2"), e.get("C"), e.get("C", "3"), e.get(u())]
['1'@2:2, None@2:14, '2'@2:26, <read from an environment variable: None>@2:43, <read from an environment variable: '3'>@2:55, <computed at run time>@2:72]
e = environ@1:5

$ -i A=1
>>> e = os.environ
>>> [e.get("A"), e.get("C"), e.get("C", "3"), "C" in e, e.copy()]
['1'@2:2, None@2:14, '3'@2:26, False@2:43, {'A': '1'@run.sh:3:1, ..<the caller's variables are not all known>}@2:53]
e = environ@1:5

$ A=1 B={unset} D={?}
>>> e = os.environ
>>> [e.setdefault("A", "2"), e.setdefault("B", "3"), e.setdefault("C", "4"), e.setdefault("D", "5")]
['1'@2:2, '3'@2:26, <set only if it is not set yet: '4' unless set>@2:50, <the launch script computes it: '5'>@2:74]
e = environ@1:5
environ B = '3'@2:44
environ D = <the launch script computes it: '5'>@2:92
environ C = <set only if it is not set yet: '4' unless set>@2:68

$ A=1
>>> e = os.environ
>>> [e.setdefault("C", u()), e.setdefault(u(), "4")]
[<computed at run time>@2:2, <computed at run time>@2:26]
e = environ@1:5
environ A = <an unknown key is set: '1'>@run.sh:3:1
environ C = <an unknown key is set>@2:20
environ .. = 'an unknown key is set'

$ A=1
>>> if u():
>>>     os.environ["E"] = "5"
>>> [os.environ.setdefault("E", "6"), os.environ.setdefault("F", "7"), os.environ.setdefault("F", "8")]
[<depends on a condition: '5' or '6'>@3:2, <set only if it is not set yet: '7' unless set>@3:35, <set only if it is not set yet: '7' or '8'>@3:68]
environ E = <depends on a condition: '5' or '6'>@3:29
environ F = <set only if it is not set yet: '7' or '8'>@3:95

$ A=1 B=2
>>> [os.environ.pop(key="A"), os.environ.pop("C", None), os.environ.update(B="3", D="4")]
['1'@1:2, <read from an environment variable: None>@1:27, None@1:54]
environ A = <UNSET>
environ B = '3'@1:74
environ C = <UNSET>
environ D = '4'@1:81

$ A=1
>>> os.environ.clear()
None
environ A = <the script clears it: '1'>@run.sh:3:1
environ .. = 'the script clears it'
cleared os.environ@1:1()

$ A=1 B={unset}
>>> d = os.environ.copy()
>>> d["A"] = "2"
>>> d
{'A': '2'@2:10, ..<the caller's variables are not all known>}
d = {'A': '2'@2:10, ..<the caller's variables are not all known>}@1:5

$ A=1
>>> [os.environ.items(), os.environ.keys(), os.environ.values()]
[[<computed at run time>]@1:2, [<computed at run time>]@1:22, [<computed at run time>]@1:41]
"""


def test_lists_are_changed_by_methods(session: Session) -> None:
    assert session.filled(LISTS) == LISTS


LISTS = r"""
>>> k = [1]
>>> [k.append(2), k.extend([3, 4]), k.insert(0, 5), k.insert(index=1), k]
[None@2:2, None@2:15, None@2:33, <computed at run time>@2:49, [<computed at run time>, ..<computed at run time>]@2:68]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1]
>>> [k.append(), k]
[None@2:2, [<unknown items are added>]@2:14]
k = [<unknown items are added>]@1:5

>>> k = [1]
>>> [k.append(1, 2), k]
[None@2:2, [<unknown items are added>]@2:18]
k = [<unknown items are added>]@1:5

>>> k = [1]
>>> [k.extend(), k]
[None@2:2, [<unknown items are added>]@2:14]
k = [<unknown items are added>]@1:5

>>> k = [1]
>>> [k.extend(u()), k]
[None@2:2, [<unknown items are added>]@2:17]
k = [<unknown items are added>]@1:5

>>> k = [1, 2, 3]
>>> [k.pop(), k.pop(0), k]
[3@2:2, 1@2:11, [2@1:9]@2:21]
k = [2@1:9]@1:5

>>> k = [1, 2, 3]
>>> [k.pop(1), k.pop(-1), k]
[2@2:2, 3@2:12, [1@1:6]@2:23]
k = [1@1:6]@1:5

>>> k = [1, 2, 3]
>>> [k.pop(u()), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:14]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2, 3]
>>> [k.pop(9), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:12]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2, 3]
>>> [k.pop("a"), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:14]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2, 3]
>>> [k.insert(1, 4), k.insert(-1, 5), k]
[None@2:2, None@2:18, [1@1:6, 4@2:14, 2@1:9, 5@2:31, 3@1:12]@2:35]
k = [1@1:6, 4@2:14, 2@1:9, 5@2:31, 3@1:12]@1:5

>>> k = [1, 2, 1]
>>> [k.remove(1), k]
[None@2:2, [2@1:9, 1@1:12]@2:15]
k = [2@1:9, 1@1:12]@1:5

>>> k = [1, 2]
>>> [k.remove(3), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:15]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, u()]
>>> [k.remove(1), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:15]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2]
>>> [k.remove(), k]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:14]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2]
>>> [k.reverse(), k, k.copy()]
[None@2:2, [2@1:9, 1@1:6]@2:15, [2@1:9, 1@1:6]@2:18]
k = [2@1:9, 1@1:6]@1:5

>>> k = [2, 1]
>>> [k.sort(), k]
[None@2:2, [<computed at run time>, ..<computed at run time>]@2:12]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [2, 1]
>>> [k.clear(), k]
[None@2:2, []@2:13]
k = []@1:5

>>> k = [*u()]
>>> [k.pop(), k, k.copy(), k.clear()]
[<computed at run time>@2:2, [<computed at run time>, ..<computed at run time>]@2:11, [<computed at run time>]@2:14, <computed at run time>@2:24]
k = [<computed at run time>, ..<computed at run time>]@1:5

>>> k = [1, 2]
>>> m = k.copy()
>>> m.append(3)
None
k = [1@1:6, 2@1:9]@1:5
m = [1@1:6, 2@1:9, 3@3:10]@2:5

>>> k = {1}
>>> [k.add(2), k.add(1), k, k.copy()]
[None@2:2, None@2:12, set(1@1:6, 2@2:8, 1@2:18)@2:22, set(1@1:6, 2@2:8)@2:25]
k = set(1@1:6, 2@2:8, 1@2:18)@1:5

>>> k, m, n = {1, 2}, {1, 2}, {1, 2}
>>> [k.pop(), m.discard(1), n.remove(1), n.clear()]
[<computed at run time>@2:2, <computed at run time>@2:11, None@2:25, None@2:38]
k = set(<k.pop() may change it>, ..<k.pop() may change it>)@1:11
m = set(<m.discard() may change it>, ..<m.discard() may change it>)@1:19
n = set()@1:27

>>> k, m = [1, 2], [1, 2]
>>> [k.__setitem__(0, 3), m.__delitem__(0)]
[<computed at run time>@2:2, <computed at run time>@2:23]
k = [<k.__setitem__() may change it>, ..<k.__setitem__() may change it>]@1:8
m = [<m.__delitem__() may change it>, ..<m.__delitem__() may change it>]@1:16

>>> k = [1, 2, 1]
>>> [k.count(1), k.index(2), (1, 2).count(2), k.unknown(), k]
[2@2:2, 1@2:14, 1@2:26, <computed at run time>@2:43, [<k.unknown() may change it>, ..<k.unknown() may change it>]@2:56]
k = [<k.unknown() may change it>, ..<k.unknown() may change it>]@1:5
"""


def test_methods_of_texts_and_numbers_compute(session: Session) -> None:
    assert session.filled(PLAIN) == PLAIN


PLAIN = r"""
>>> ["a".upper(), "a-b".split("-", 1), "a b".split(maxsplit=0), "{}-{n}".format(1, n=2), (4).bit_length(), b"a".decode()]
['A'@1:2, ['a', 'b']@1:15, ['a b']@1:36, '1-2'@1:61, 3@1:86, 'a'@1:104]

>>> ["a".upper(1), "a".split(u()), "a".split(*u()), "a".unknown(), "a".split(sep=u()), "a".format(**u())]
[<computed at run time>@1:2, <computed at run time>@1:16, <unknown arguments>@1:32, <computed at run time>@1:49, <computed at run time>@1:64, <computed at run time>@1:84]
"""


def test_methods_of_paths_keep_the_file_that_they_name(session: Session) -> None:
    (session.folder / "a.txt").write_text("text")
    assert session.filled(PATHS) == PATHS


PATHS = r"""
>>> p = Path("a.txt")
>>> [p.read_text(), p.open(), p.open("w"), p.read_bytes(), Path("b.txt").read_text()]
['text'@2:2, io.TextIOWrapper@2:17(path='a.txt')@2:17, io.TextIOWrapper@2:27(path=<computed at run time>)@2:27, <computed at run time>@2:40, <computed at run time>@2:56]
p = 'a.txt'@1:5
writes a.txt

>>> p = Path("a.txt")
>>> p.write_text("b")
>>> p.read_text()
<computed at run time>
p = 'a.txt'@1:5
writes a.txt

>>> [Path("b.txt").unlink(), Path("./c.txt").write_bytes(b"c"), Path("d.txt").exists(), (1).unlink()]
[<computed at run time>@1:2, <computed at run time>@1:26, <computed at run time>@1:61, <computed at run time>@1:85]
writes 1
writes b.txt
writes c.txt

>>> p = Path("a")
>>> [p.joinpath("b", "c"), p.joinpath(), p.__truediv__("b"), p / "b"]
['a/b/c'@2:2, 'a'@2:24, 'a/b'@2:38, 'a/b'@2:58]
p = 'a'@1:5

>>> p = Path("a")
>>> [p.resolve(), p.absolute(), p.expanduser(), p.as_posix(), p.with_suffix(".x"), p.with_name("b")]
['a'@2:2, 'a'@2:15, 'a'@2:29, 'a'@2:45, <computed at run time>@2:59, <computed at run time>@2:80]
p = 'a'@1:5

>>> p = Path("a")
>>> [p.exists(), p.is_file(), p.is_dir(), p.glob("*"), p.mkdir(), p.write_text("b"), p.unlink()]
[<computed at run time>@2:2, <computed at run time>@2:14, <computed at run time>@2:27, <computed at run time>@2:39, <computed at run time>@2:52, <computed at run time>@2:63, <computed at run time>@2:82]
p = 'a'@1:5
writes a

>>> [(1).read_text(), (1).open(), (1).joinpath("a"), (1).__truediv__(2), (1).resolve(), (1).as_posix()]
[<computed at run time>@1:2, <computed at run time>@1:19, <computed at run time>@1:31, <computed at run time>@1:50, 1@1:70, 1@1:85]
"""


def test_super_calls_what_libraries_define(session: Session) -> None:
    assert session.filled(SUPER) == SUPER


SUPER = r"""
>>> class Mine(GRPOConfig):
>>>     def __init__(self, n, **more):
>>>         super().__init__(beta=n, **more)
>>>         self.m = super().unknown(n)
>>> Mine(1, epsilon=2)
class Mine@5:1(beta=<super().unknown() may change it: 1>@3:31, epsilon=<super().unknown() may change it: 2>@5:17, m=<computed at run time>@4:18, ..<super().unknown() may change it>)
configuration GRPOConfig@5:1(self=class Mine@5:1(beta=<super().unknown() may change it: 1>@3:31, epsilon=<super().unknown() may change it: 2>@5:17, m=<computed at run time>@4:18, ..<super().unknown() may change it>))
stated trl.GRPOConfig@3:9: keyword beta=1@3:31, keyword epsilon=2@5:17 is_complete

>>> class Mine(GRPOTrainer):
>>>     def __init__(self, *a, **k):
>>>         super().__init__(*a, **k)
>>> Mine("m", args=GRPOConfig(beta=1))
class Mine@4:1()
configuration GRPOConfig@4:16(self=trl.GRPOConfig@4:16(beta=1@4:32))
trainer GRPOTrainer@3:9(args=trl.GRPOConfig@4:16(beta=1@4:32)@4:16, model='m'@4:6, made=trl.GRPOConfig@4:16(beta=1@4:32)@4:16, environ={}) now class Mine@4:1()
stated trl.GRPOConfig@4:16: keyword beta=1@4:32 is_complete

>>> class Mine(torch.nn.Module, Other):
>>>     def __init__(self):
>>>         super().__init__()
>>>         self.n = 1
>>> Mine()
class Mine@5:1(n=1@4:18)

>>> class Mine(Other):
>>>     def __setattr__(self, name, value):
>>>         super().__setattr__(name, 2)
>>>     def f(self):
>>>         super().__setattr__("n")
>>>         super().__setattr__(u(), 1)
>>>         return self.n
>>> m = Mine()
>>> m.k = 1
>>> m.f()
<super().__setattr__() may change it>
m = class Mine@8:5(..<super().__setattr__() may change it>)@8:5

>>> class Mine(Other):
>>>     def f(self):
>>>         return [super().__setattr__("n", 5), self.n]
>>> Mine().f()
[None@3:17, 5@3:46]

>>> class Mine(Other):
>>>     def f(self):
>>>         return [super().__post_init__(), super().__init_subclass__(), super().__enter__(), super().__exit__(), super().f()]
>>> Mine().f()
[None@3:17, None@3:42, None@3:71, None@3:92, <computed at run time>@3:112]

>>> class Mine:
>>>     @classmethod
>>>     def make(cls): return super().make()
>>> Mine.make()
<computed at run time>
"""


def test_classes_and_instances_have_the_methods_of_their_library_class(session: Session) -> None:
    assert session.filled(INSTANCES) == INSTANCES


INSTANCES = r"""
>>> class Mine(GRPOConfig): pass
>>> class More(Mine):
>>>     def __init__(self, n):
>>>         Mine.__init__(self, beta=n)
>>> More(1)
class More@5:1(beta=1@4:34)
configuration GRPOConfig@5:1(self=class More@5:1(beta=1@4:34))
stated trl.GRPOConfig@4:9: keyword beta=1@4:34 is_complete

>>> class Mine(GRPOConfig): pass
>>> c = GRPOConfig(beta=1)
>>> [Mine.from_dict(c), Mine.__init__(), c]
[<computed at run time>@3:2, <computed at run time>@3:21, trl.GRPOConfig@2:5(beta=<Mine.from_dict() may change it: 1>@2:21, ..<Mine.from_dict() may change it>)@3:38]
c = trl.GRPOConfig@2:5(beta=<Mine.from_dict() may change it: 1>@2:21, ..<Mine.from_dict() may change it>)@2:5
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=1@2:21)) now trl.GRPOConfig@2:5(beta=<Mine.from_dict() may change it: 1>@2:21, ..<Mine.from_dict() may change it>)
stated trl.GRPOConfig@2:5: keyword beta=1@2:21 is_complete

>>> class Mine(Other):
>>>     n = [1]
>>> [Mine.unknown(), Mine.n]
[<computed at run time>@3:2, <Mine.unknown() may change it>@3:18]

>>> n = Namespace(a=1)
>>> [n.__setattr__("b", 2), n.__getattribute__("a"), n.__getattr__("a"), n.__setitem__("c", 3)]
[None@2:2, 1@2:25, 1@2:50, None@2:70]
n = argparse.Namespace@1:5(a=1@1:17, b=2@2:21, c=3@2:89)@1:5

>>> n = Namespace(a=1)
>>> n.__setattr__("b")
<computed at run time>
n = argparse.Namespace@1:5(a=<n.__setattr__() may change it: 1>@1:17, ..<n.__setattr__() may change it>)@1:5

>>> n = Namespace(a=1)
>>> n.__getattribute__()
<computed at run time>
n = argparse.Namespace@1:5(a=<n.__getattribute__() may change it: 1>@1:17, ..<n.__getattribute__() may change it>)@1:5

>>> c = GRPOConfig(beta=1)
>>> [c.to_dict(), c.model_dump(), c.dict(), c.get_process_log_level(), c.get_other()]
[{'beta': 1@1:21, ..<the defaults of its class are not all known>}@2:2, {'beta': 1@1:21, ..<the defaults of its class are not all known>}@2:15, {'beta': 1@1:21, ..<the defaults of its class are not all known>}@2:31, <computed at run time>@2:41, <computed at run time>@2:68]
c = trl.GRPOConfig@1:5(beta=1@1:21)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21))
stated trl.GRPOConfig@1:5: keyword beta=1@1:21 is_complete

>>> c = GRPOConfig(beta=1)
>>> [c.to_dict(drop=True), c.set_training(batch_size=2), c]
[{'beta': 1@1:21, ..<the defaults of its class are not all known>}@2:2, <computed at run time>@2:24, trl.GRPOConfig@1:5(beta=<c.set_training() may change it: 1>@1:21, ..<c.set_training() may change it>)@2:54]
c = trl.GRPOConfig@1:5(beta=<c.set_training() may change it: 1>@1:21, ..<c.set_training() may change it>)@1:5
configuration GRPOConfig@1:5(self=trl.GRPOConfig@1:5(beta=1@1:21)) now trl.GRPOConfig@1:5(beta=<c.set_training() may change it: 1>@1:21, ..<c.set_training() may change it>)
stated trl.GRPOConfig@1:5: keyword beta=1@1:21 is_complete

>>> t = GRPOTrainer("m", args=GRPOConfig(beta=1))
>>> [t.train(), t.start(), t.add_callback(t), t]
[<computed at run time>@2:2, <computed at run time>@2:13, <computed at run time>@2:24, trl.GRPOTrainer@1:5()@2:43]
t = trl.GRPOTrainer@1:5()@1:5
configuration GRPOConfig@1:27(self=trl.GRPOConfig@1:27(beta=1@1:43))
trainer GRPOTrainer@1:5(args=trl.GRPOConfig@1:27(beta=1@1:43)@1:27, model='m'@1:17, made=trl.GRPOConfig@1:27(beta=1@1:43)@1:27, environ={}) now trl.GRPOTrainer@1:5()
resume train@2:2(from=None@2:2) now trl.GRPOTrainer@1:5()
trained GRPOTrainer@2:2(args=trl.GRPOConfig@1:27(beta=1@1:43)@1:27) now trl.GRPOTrainer@1:5()
stated trl.GRPOConfig@1:27: keyword beta=1@1:43 is_complete

>>> class Mine(GRPOTrainer): pass
>>> c = GRPOConfig(beta=1)
>>> t = Mine("m", args=c)
>>> [t.train(c), c]
[<computed at run time>@4:2, trl.GRPOConfig@2:5(beta=1@2:21)@4:14]
c = trl.GRPOConfig@2:5(beta=1@2:21)@2:5
t = class Mine@3:5()@3:5
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=1@2:21))
trainer GRPOTrainer@3:5(args=trl.GRPOConfig@2:5(beta=1@2:21)@3:20, model='m'@3:10, made=trl.GRPOConfig@2:5(beta=1@2:21)@3:20, environ={}) now class Mine@3:5()
resume train@4:2(from=trl.GRPOConfig@2:5(beta=1@2:21)@4:10) now class Mine@3:5()
trained GRPOTrainer@4:2(args=trl.GRPOConfig@2:5(beta=1@2:21)@3:20) now class Mine@3:5()
stated trl.GRPOConfig@2:5: keyword beta=1@2:21 is_complete

>>> class Mine: pass
>>> c = GRPOConfig(beta=1)
>>> m = Mine()
>>> m.k = 1
>>> [m.train(c), m.start(c), m.get_value()]
[<computed at run time>@5:2, <computed at run time>@5:14, <computed at run time>@5:26]
c = trl.GRPOConfig@2:5(beta=<m.start() may change it: 1>@2:21, ..<m.start() may change it>)@2:5
m = class Mine@3:5(k=<m.get_value() may change it: 1>@4:7, ..<m.get_value() may change it>)@3:5
configuration GRPOConfig@2:5(self=trl.GRPOConfig@2:5(beta=1@2:21)) now trl.GRPOConfig@2:5(beta=<m.start() may change it: 1>@2:21, ..<m.start() may change it>)
stated trl.GRPOConfig@2:5: keyword beta=1@2:21 is_complete

>>> class Mine(OtherConfig): pass
>>> m = Mine()
>>> m.k = 1
>>> [m.get_value([1]), m.other()]
[<computed at run time>@4:2, <computed at run time>@4:20]
m = class Mine@2:5(k=<m.other() may change it: 1>@3:7, ..<m.other() may change it>)@2:5

>>> k = [1]
>>> n = Namespace(a=1)
>>> [n.start(k), n.join(k), n.run(k), k, n]
[<computed at run time>@3:2, <computed at run time>@3:14, <computed at run time>@3:25, [1@1:6]@3:35, argparse.Namespace@2:5(a=<n.run() may change it: 1>@2:17, ..<n.run() may change it>)@3:38]
k = [1@1:6]@1:5
n = argparse.Namespace@2:5(a=<n.run() may change it: 1>@2:17, ..<n.run() may change it>)@2:5

>>> k = [1]
>>> n = Namespace(a=1)
>>> [n.other(k), k, n]
[<computed at run time>@3:2, [1@1:6]@3:14, argparse.Namespace@2:5(a=<n.other() may change it: 1>@2:17, ..<n.other() may change it>)@3:17]
k = [1@1:6]@1:5
n = argparse.Namespace@2:5(a=<n.other() may change it: 1>@2:17, ..<n.other() may change it>)@2:5
"""


def test_names_of_a_module_are_read_and_changed_as_a_dictionary(session: Session) -> None:
    assert session.filled(NAMES) == NAMES


NAMES = r"""
>>> k = 1
>>> [globals().get("k"), globals().get("m", 2), globals().update(m=3), m, globals().setdefault("n", 4), n]
[1@2:2, 2@2:22, None@2:45, 3@2:68, 4@2:71, 4@2:101]
k = 1@1:5
m = 3@2:64
n = 4@2:97

>>> k = [1]
>>> [globals().unknown(k), k]
[<computed at run time>@2:2, [<globals().unknown() may change it>, ..<globals().unknown() may change it>]@2:24]
k = [<globals().unknown() may change it>, ..<globals().unknown() may change it>]@1:5

>>> k = [1]
>>> [print.unknown(k), u().method(k), k]
[<computed at run time>@2:2, <computed at run time>@2:20, [<u().method() may change it>, ..<u().method() may change it>]@2:35]
k = [<u().method() may change it>, ..<u().method() may change it>]@1:5

>>> k = [1]
>>> functools.partial(dict, k).unknown()
<computed at run time>
k = [<functools.partial(dict, k).unknown() may change it>, ..<functools.partial(dict, k).unknown() may change it>]@1:5

>>> k = [1]
>>> f = lambda: 1
>>> [f.unknown(k), k]
[<computed at run time>@3:2, [<f.unknown() may change it>, ..<f.unknown() may change it>]@3:16]
k = [<f.unknown() may change it>, ..<f.unknown() may change it>]@1:5
f = function lambda@2:5
"""
