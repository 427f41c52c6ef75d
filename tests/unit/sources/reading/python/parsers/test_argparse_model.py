"""Parsers that scripts build with argparse: each attribute with its value, the place that sets it, and why it is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.values.core import Start

IMPORTS = """
import argparse, json, os, sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
p = argparse.ArgumentParser()
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


def test_options_have_their_values_and_places(session: Session) -> None:
    assert session.filled(OPTIONS) == OPTIONS


OPTIONS = r"""
$ train.py --n 3
>>> p.add_argument("--n", type=int, default=4)
>>> p.add_argument("-m", "--other-name", "--more", default="x")
>>> p.add_argument("-s")
>>> p.parse_args()
argparse.Namespace@4:1(n=3 (--n in run.sh:3:1)@run.sh:3:1, other_name='x' (default of --other-name)@2:1, s=None (default of -s)@3:1)

$ train.py -s 1 --more y f.txt
>>> p.add_argument("file")
>>> p.add_argument("-s", "--size", dest="s", type=float)
>>> p.add_argument("--other-name", "--more", default="x")
>>> p.parse_args()
argparse.Namespace@4:1(file='f.txt' (file in run.sh:3:1)@run.sh:3:1, s=1.0 (--size in run.sh:3:1)@run.sh:3:1, other_name='y' (--other-name in run.sh:3:1)@run.sh:3:1)

$ train.py
>>> p.add_argument("--a", type=int, default="7")
>>> p.add_argument("--b", type=str, default=3)
>>> p.add_argument("--c", default=u())
>>> p.add_argument("--d", default=[1, u()])
>>> p.add_argument("--e", default={"k": 1})
>>> p.add_argument("--f", default=Path("a"))
>>> p.add_argument("--g", default=len)
>>> p.add_argument("--h", default=os.environ)
>>> p.add_argument("--i", default=p.format_help)
>>> p.parse_args()
argparse.Namespace@10:1(a=7 (default of --a)@1:1, b=3 (default of --b)@2:1, c=<computed at run time>@3:1, d=[1@4:32, <computed at run time>@4:35]@4:1, e={'k': 1}@5:1, f='a' (default of --f)@6:1, g=~len@7:1, h=environ@8:1, i=<computed at run time>@9:1)

$ train.py --a 1 --b 2.5 --c x --d yes --e [1] --f p --g q
>>> p.add_argument("--a", type=int)
>>> p.add_argument("--b", type=float)
>>> p.add_argument("--c", type=str)
>>> p.add_argument("--d", type=bool)
>>> p.add_argument("--e", type=json.loads)
>>> p.add_argument("--f", type=Path)
>>> p.add_argument("--g", type=os.fspath)
>>> p.parse_args()
argparse.Namespace@8:1(a=1 (--a in run.sh:3:1)@run.sh:3:1, b=2.5 (--b in run.sh:3:1)@run.sh:3:1, c='x' (--c in run.sh:3:1)@run.sh:3:1, d=True (--d in run.sh:3:1)@run.sh:3:1, e=[1]@run.sh:3:1, f='p' (--f in run.sh:3:1)@run.sh:3:1, g='q' (--g in run.sh:3:1)@run.sh:3:1)

$ train.py --a {?} --b {?} --c {?} --d {?} --e {?} --f {?} --g {?} --h {?} --i {?} --j x{?}
>>> p.add_argument("--a", type=int)
>>> p.add_argument("--b", type=float, default=0.5)
>>> p.add_argument("--c", type=str)
>>> p.add_argument("--d", type=bool)
>>> p.add_argument("--e", type=json.loads)
>>> p.add_argument("--f", type=Path)
>>> p.add_argument("--g", choices=["a", "b"])
>>> p.add_argument("--h", type=lambda text: int(text))
>>> p.add_argument("--i", type=other)
>>> p.add_argument("--j")
>>> p.parse_args()
argparse.Namespace@11:1(a=<taken from the command line>@run.sh:3:1, b=<taken from the command line>@run.sh:3:1, c=<taken from the command line>@run.sh:3:1, d=<taken from the command line>@run.sh:3:1, e=<taken from the command line>@run.sh:3:1, f=<taken from the command line>@run.sh:3:1, g=<taken from the command line>@run.sh:3:1, h=<taken from the command line>@run.sh:3:1, i=<converted by an unknown function>@run.sh:3:1, j=<taken from the command line>@run.sh:3:1)

$ train.py --a 1 --b 2 --c 3
>>> def convert(text): return [int(text), u()]
>>> class Kind:
>>>     def __init__(self, text): self.text = text
>>> p.add_argument("--a", type=convert)
>>> p.add_argument("--b", type=Kind)
>>> p.add_argument("--c", type=unknown)
>>> p.add_argument("--d", type=lambda text: u(), default="x")
>>> p.add_argument("--e", type=lambda text, more=2: text + str(more), default="x")
>>> p.parse_args()
argparse.Namespace@9:1(a=[1@1:28, <computed at run time>@1:39]@run.sh:3:1, b=class Kind@script(text='2'@3:43)@run.sh:3:1, c=<converted by an unknown function>@run.sh:3:1, d=<computed at run time>@7:1, e='x2' (default of --e)@8:1)

$ train.py --a --b --d --e --e --f 1 --f 2 --g 1 2 --g 3 --no-h --i
>>> p.add_argument("--a", action="store_true")
>>> p.add_argument("--b", action="store_false")
>>> p.add_argument("--c", action="store_true")
>>> p.add_argument("--d", action="store_const", const=7)
>>> p.add_argument("--e", action="count", default=0)
>>> p.add_argument("--f", action="append")
>>> p.add_argument("--g", action="extend", nargs="+", type=int)
>>> p.add_argument("--h", action=argparse.BooleanOptionalAction)
>>> p.add_argument("--i", action="append_const", const=1)
>>> p.add_argument("--version", action="version", version="1")
>>> p.add_argument("--long-help", action="help")
>>> p.parse_args()
argparse.Namespace@12:1(a=True (--a in run.sh:3:1)@run.sh:3:1, b=False (--b in run.sh:3:1)@run.sh:3:1, c=False (default of --c)@3:1, d=7 (--d in run.sh:3:1)@run.sh:3:1, e=2 (--e in run.sh:3:1)@run.sh:3:1, f=['1', '2']@run.sh:3:1, g=[1, 2, 3]@run.sh:3:1, h=False (--h in run.sh:3:1)@run.sh:3:1, i=[1]@run.sh:3:1)

$ train.py --f {?}
>>> p.add_argument("--f", action="append")
>>> p.add_argument("--g", action="extend", nargs="+")
>>> p.add_argument("--h", nargs=2, default=(1, 2))
>>> p.add_argument("--i", nargs=2, default=(1, u()))
>>> p.parse_args()
argparse.Namespace@5:1(f=[<taken from the command line>]@run.sh:3:1, g=None (default of --g)@2:1, h=(1, 2)@3:1, i=(1@4:41, <computed at run time>@4:44)@4:1)

$ train.py --g x{?} y
>>> p.add_argument("--g", action="extend", nargs="+")
>>> p.parse_args()
argparse.Namespace@2:1(g=[<taken from the command line>, 'y']@run.sh:3:1)

$ train.py --a=1 {?} --b 2
>>> p.add_argument("--a", default=0)
>>> p.add_argument("--b", default=0)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: '1'>@1:1, b='2' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py --f {?} --g {?} {?}
>>> p.add_argument("--f", action="append")
>>> p.add_argument("--g", action="extend", nargs="+")
>>> p.parse_args()
argparse.Namespace@3:1(..<the command line does not fit its parser: argument --g: expected at least one argument>)

$ train.py a b
>>> p.add_argument("first")
>>> p.add_argument("rest", nargs="*", default=[])
>>> p.add_argument("--maybe", nargs="?", const="c", default="d")
>>> p.add_argument("--needed", required=u())
>>> p.add_argument("--mode", choices=u())
>>> p.parse_args()
argparse.Namespace@6:1(first='a' (first in run.sh:3:1)@run.sh:3:1, rest=['b']@run.sh:3:1, maybe='d' (default of --maybe)@3:1, needed=None (default of --needed)@4:1, mode=None (default of --mode)@5:1)
"""


def test_what_is_not_known_of_a_parser_leaves_all_unknown(session: Session) -> None:
    assert session.filled(NOT_KNOWN) == NOT_KNOWN


NOT_KNOWN = r"""
$ train.py
>>> p.add_argument("--a", default=1, **u())
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py --long-help
>>> p.add_argument("--long-help", action="help")
>>> p.parse_known_args()
(argparse.Namespace@2:1(..<the command line does not fit its parser: it prints help and ends>), [<computed at run time>])

>>> p.add_argument("--version", action="version", version="1")
>>> p.add_argument("--long-help", action="help")
>>> p.parse_args()
argparse.Namespace@3:1()

$ train.py
>>> p.add_argument("--a", action=u())
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py
>>> p.add_argument("--a", action=Mine)
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py
>>> p.add_argument("--a", action=1)
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py
>>> p.add_argument(u(), default=1)
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py
>>> p.add_argument("--a", nargs=u())
>>> p.parse_args()
argparse.Namespace@2:1(..<computed at run time>)

$ train.py
>>> p.add_argument("--a", default=1)
>>> if u():
>>>     p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@4:1(..<computed at run time>)

$ train.py
>>> if u():
>>>     p.add_argument("--a")
>>> else:
>>>     p.set_defaults(a=1)
>>> p.parse_args()
argparse.Namespace@5:1(..<depends on a condition>)

$ train.py
>>> if u():
>>>     p.add_argument("--a")
>>> else:
>>>     p.add_argument("--a", "--b")
>>> p.parse_args()
argparse.Namespace@5:1(..<depends on a condition>)

$ train.py
>>> if u():
>>>     p.add_argument("--a")
>>> else:
>>>     p.add_argument("--a", default=1)
>>> p.parse_args()
argparse.Namespace@5:1(..<depends on a condition>)

$ train.py
>>> p.add_argument("--a", default=1 if u() else 2)
>>> if u():
>>>     p.add_argument("--c", default=1)
>>> else:
>>>     p.add_argument("--d", default=1)
>>> p.parse_args()
argparse.Namespace@6:1(..<depends on a condition>)

$ train.py
>>> if u():
>>>     p.add_argument("--a")
>>> else:
>>>     p.add_argument("--a", **u())
>>> p.parse_args()
argparse.Namespace@5:1(..<depends on a condition>)

$ train.py
>>> if u():
>>>     s = p.add_argument_group()
>>> else:
>>>     s = p.add_mutually_exclusive_group()
>>> s.add_argument("--a", default=1)
>>> p.parse_args()
argparse.Namespace@6:1(..<depends on a condition>)
s = argparse.ArgumentParser@2:9(<depends on a condition> steps) | argparse.ArgumentParser@4:9(<depends on a condition> steps)@4:9

$ train.py
>>> p.add_argument("--a", default=1)
>>> p.unknown()
>>> p.parse_args()
argparse.Namespace@3:1(..<computed at run time>)

$ train.py
>>> p.add_argument("--a", default=1)
>>> u(p)
>>> p.parse_args()
argparse.Namespace@3:1(..<u() may change it>)

$ train.py
>>> p.add_argument("--a", default=argparse.SUPPRESS)
>>> p.parse_args()
argparse.Namespace@2:1(..<an option sets nothing unless it is given>)

$ train.py --a 1
>>> q = ArgumentParser(argument_default=argparse.SUPPRESS)
>>> q.add_argument("--a")
>>> q.parse_args()
argparse.Namespace@3:1(..<its options depend on a condition>)
q = argparse.ArgumentParser@1:5(<its options depend on a condition> steps, ..<its options depend on a condition>)@1:5

$ train.py --b 1
>>> p.add_argument("--a")
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: unrecognized arguments --b 1>)

$ train.py --a x
>>> p.add_argument("--a", type=int)
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: argument --a: invalid int value: 'x'>)

$ train.py --help
>>> p.parse_args()
argparse.Namespace@1:1(..<the command line does not fit its parser: it prints help and ends>)

$ train.py --version
>>> p.add_argument("--version", action="store_true")
>>> p.parse_args()
argparse.Namespace@2:1(version=True (--version in run.sh:3:1)@run.sh:3:1)

$ train.py
>>> p.add_argument("--a", required=True)
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: the following arguments are required: --a>)

$ train.py
>>> p.add_argument("--a")
>>> p.add_argument("--a")
>>> p.parse_args()
argparse.Namespace@3:1(..<the command line does not fit its parser: argument --a: conflicting option string: --a>)

$ train.py
>>> p.add_argument("--a", action="no_such")
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: unknown action "no_such">)

$ train.py
>>> if u():
>>>     p = 1
>>> p.add_argument("--a", default=1)
>>> p.parse_args()
<computed at run time> | argparse.Namespace@4:1(..<computed at run time>)
p = 1 | argparse.ArgumentParser@5:5(<depends on a condition> steps)@5:5
"""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--g c", "p.add_argument('--g', choices=['a', 'b'])"),
        ("-v", "p.add_argument('-v', '--version', action='version', version='1')"),
        ("", "p.add_argument()"),
    ],
)
def test_what_argparse_refuses_leaves_all_unknown(session: Session, words: str, code: str) -> None:
    (line, *_) = session.outcome(f"{code}\np.parse_known_args()[0]", f"train.py {words}")
    assert line.startswith("argparse.Namespace@2:1(..<the command line does not fit its parser: ")
    assert len(line) <= len("argparse.Namespace@2:1(..<>)") + 100


def test_parsers_have_groups_parents_and_subparsers(session: Session) -> None:
    assert session.filled(NESTED) == NESTED


NESTED = r"""
$ train.py --a 1 --c
>>> g = p.add_argument_group("g", description="d")
>>> g.add_argument("--a", type=int)
>>> m = p.add_mutually_exclusive_group(required=True)
>>> m.add_argument("--b", action="store_true")
>>> m.add_argument("--c", action="store_true")
>>> p.set_defaults(d=5, a=6)
>>> n = p.parse_args()
>>> [n, p.get_default("d"), p.print_help(), p.format_help(), p.print_usage(), p.format_usage(), g.set_defaults(e=7)]
[argparse.Namespace@7:5(a=1 (--a in run.sh:3:1)@run.sh:3:1, b=False (default of --b)@4:1, c=True (--c in run.sh:3:1)@run.sh:3:1, d=5 (default of d))@8:2, <taken from the command line>@8:5, None@8:25, None@8:41, None@8:58, None@8:75, None@8:93]
g = argparse.ArgumentParser@1:5(2 steps)@1:5
m = argparse.ArgumentParser@3:5(2 steps)@3:5
n = argparse.Namespace@7:5(a=1 (--a in run.sh:3:1)@run.sh:3:1, b=False (default of --b)@4:1, c=True (--c in run.sh:3:1)@run.sh:3:1, d=5 (default of d))@7:5

$ train.py --b --c
>>> m = p.add_mutually_exclusive_group()
>>> m.add_argument("--b", action="store_true")
>>> m.add_argument("--c", action="store_true")
>>> p.parse_args()
argparse.Namespace@4:1(..<the command line does not fit its parser: argument --c: not allowed with argument --b>)
m = argparse.ArgumentParser@1:5(2 steps)@1:5

$ train.py --a 1
>>> q = ArgumentParser(add_help=False)
>>> q.add_argument("--a", type=int)
>>> r = ArgumentParser(parents=[q], description="d")
>>> r.add_argument("--b", default=2)
>>> r.parse_args()
argparse.Namespace@5:1(a=1 (--a in run.sh:3:1)@run.sh:3:1, b=2 (default of --b)@4:1)
q = argparse.ArgumentParser@1:5(2 steps)@1:5
r = argparse.ArgumentParser@3:5(2 steps)@3:5

$ train.py -h 2
>>> q = ArgumentParser(add_help=False)
>>> q.add_argument("-h", "--height", type=int)
>>> q.parse_args()
argparse.Namespace@3:1(height=2 (--height in run.sh:3:1)@run.sh:3:1)
q = argparse.ArgumentParser@1:5(2 steps)@1:5

$ train.py sub -h 2
>>> s = p.add_subparsers()
>>> t = s.add_parser("sub", add_help=False)
>>> t.add_argument("-h", "--height", type=int)
>>> p.parse_args()
argparse.Namespace@4:1(height=2 (--height in run.sh:3:1)@run.sh:3:1)
s = argparse.ArgumentParser@1:5(1 steps)@1:5
t = argparse.ArgumentParser@2:5(1 steps)@2:5

$ train.py
>>> r = ArgumentParser(parents=[ArgumentParser()])
>>> r.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: argument -h/--help: conflicting option strings: -h, --help>)
r = argparse.ArgumentParser@1:5(1 steps)@1:5

$ train.py
>>> r = ArgumentParser(parents=[Namespace()])
>>> r.parse_args()
argparse.Namespace@2:1(..<computed at run time>)
r = argparse.ArgumentParser@1:5(1 steps)@1:5

$ train.py
>>> r = ArgumentParser(parents=[u()])
>>> r.parse_args()
argparse.Namespace@2:1(..<computed at run time>)
r = argparse.ArgumentParser@1:5(1 steps)@1:5

$ train.py
>>> r = ArgumentParser(parents=u())
>>> r.parse_args()
argparse.Namespace@2:1(..<computed at run time>)
r = argparse.ArgumentParser@1:5(1 steps)@1:5

$ train.py +a 1
>>> q = ArgumentParser(prefix_chars="+-")
>>> q.add_argument("+a", type=int)
>>> q.parse_args()
argparse.Namespace@3:1(a=1 (+a in run.sh:3:1)@run.sh:3:1)
q = argparse.ArgumentParser@1:5(2 steps)@1:5

$ train.py --ab 1
>>> q = ArgumentParser(allow_abbrev=False)
>>> q.add_argument("--abc")
>>> q.parse_known_args()
(argparse.Namespace@3:1(abc=None (default of --abc)@2:1), ['--ab', '1'])
q = argparse.ArgumentParser@1:5(2 steps)@1:5

$ train.py
>>> q = ArgumentParser(argument_default=3, conflict_handler="resolve")
>>> q.add_argument("--a")
>>> q.add_argument("--a", "--b")
>>> q.parse_args()
argparse.Namespace@4:1(a=3 (default of --a)@2:1)
q = argparse.ArgumentParser@1:5(3 steps)@1:5

$ train.py
>>> q = ArgumentParser(conflict_handler=u())
>>> q.parse_args()
argparse.Namespace@2:1(..<computed at run time>)
q = argparse.ArgumentParser@1:5(1 steps)@1:5

$ train.py --x 1 train --n 3
>>> p.add_argument("--x", default=0)
>>> s = p.add_subparsers(dest="command", required=True)
>>> t = s.add_parser("train", aliases=["t"], help="h")
>>> t.add_argument("--n", type=int, default=1)
>>> e = s.add_parser("eval")
>>> e.add_argument("--m", default="m")
>>> e.set_defaults(k=1)
>>> p.parse_args()
argparse.Namespace@8:1(x='1' (--x in run.sh:3:1)@run.sh:3:1, command='train' (command in run.sh:3:1)@run.sh:3:1, n=3 (--n in run.sh:3:1)@run.sh:3:1)
s = argparse.ArgumentParser@2:5(2 steps)@2:5
t = argparse.ArgumentParser@3:5(1 steps)@3:5
e = argparse.ArgumentParser@5:5(2 steps)@5:5

$ train.py t
>>> q = ArgumentParser(add_help=False)
>>> q.add_argument("--q", default=5)
>>> s = p.add_subparsers()
>>> t = s.add_parser("train", aliases=["t"], parents=[q])
>>> t.add_argument("--n", type=int, default=1)
>>> p.parse_args()
argparse.Namespace@6:1(q=5 (--q in run.sh:3:1)@run.sh:3:1, n=1 (--n in run.sh:3:1)@run.sh:3:1)
q = argparse.ArgumentParser@1:5(2 steps)@1:5
s = argparse.ArgumentParser@3:5(1 steps)@3:5
t = argparse.ArgumentParser@4:5(1 steps)@4:5

$ train.py {*}
>>> p.add_argument("--x", default=0)
>>> s = p.add_subparsers(dest="command")
>>> t = s.add_parser("train", aliases=["t"])
>>> t.add_argument("--n", type=int, default=1)
>>> t.add_argument("--x", type=int, default=2)
>>> t.set_defaults(k=1)
>>> p.parse_args()
argparse.Namespace@7:1(x=<taken from the command line: 0>@1:1, command=<taken from the command line: None>, n=<taken from the command line: 1>@4:1)
s = argparse.ArgumentParser@2:5(1 steps)@2:5
t = argparse.ArgumentParser@3:5(3 steps)@3:5

$ train.py train {*}
>>> p.add_argument("--x", default=0)
>>> s = p.add_subparsers(dest="command")
>>> t = s.add_parser("train")
>>> t.add_argument("--n", type=int, default=1)
>>> p.parse_args()
argparse.Namespace@5:1(x=<taken from the command line: 0>@1:1, command=<taken from the command line: 'train'>, n=<taken from the command line: 1>@4:1)
s = argparse.ArgumentParser@2:5(1 steps)@2:5
t = argparse.ArgumentParser@3:5(1 steps)@3:5

>>> p.add_argument("--x", default=0)
>>> s = p.add_subparsers(dest="command")
>>> t = s.add_parser("train")
>>> t.add_argument("--n", type=int, default=1)
>>> p.parse_args()
argparse.Namespace@5:1(x=<taken from the command line: 0>@1:1, command=<taken from the command line: None>, n=<taken from the command line: 1>@4:1)
s = argparse.ArgumentParser@2:5(1 steps)@2:5
t = argparse.ArgumentParser@3:5(1 steps)@3:5

$ train.py train --n 3 --x 2
>>> p.add_argument("--x", default=0)
>>> s = p.add_subparsers(dest="command")
>>> t = s.add_parser("train")
>>> t.add_argument("--n", type=int, default=1)
>>> p.parse_known_args()
(argparse.Namespace@5:1(x=0 (default of --x)@1:1, command='train' (command in run.sh:3:1)@run.sh:3:1, n=3 (--n in run.sh:3:1)@run.sh:3:1), ['--x', '2'])
s = argparse.ArgumentParser@2:5(1 steps)@2:5
t = argparse.ArgumentParser@3:5(1 steps)@3:5
"""


def test_words_that_are_not_known_leave_open_what_they_may_set(session: Session) -> None:
    assert session.filled(WORDS) == WORDS


WORDS = r"""
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=[2])
>>> p.set_defaults(c=3)
>>> p.parse_args()
argparse.Namespace@4:1(a=<taken from the command line: 1>@1:1, b=<taken from the command line>@2:1, c=<taken from the command line: 3>)

>>> p.add_argument("--a", default=1)
>>> p.parse_known_args()
(argparse.Namespace@2:1(a=<taken from the command line: 1>@1:1), [<computed at run time>])

$ train.py --a 3 {*}
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: '3'>@1:1, b=<taken from the command line: 2>@2:1)

$ train.py {*} --a 3
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2, required=True)
>>> p.parse_known_args()
(argparse.Namespace@3:1(a='3' (--a in run.sh:3:1)@run.sh:3:1, b=<taken from the command line: 2>@2:1), [<computed at run time>])

$ train.py --a {*}
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line>@run.sh:3:1, b=2 (default of --b)@2:1)

$ train.py {*} --f 1 --g 2 --h -vv --i
>>> p.add_argument("--f", action="append")
>>> p.add_argument("--g", action="extend", nargs="+")
>>> p.add_argument("--h", action="append_const", const=1)
>>> p.add_argument("-v", action="count", default=2)
>>> p.add_argument("--i", action="store_true")
>>> p.parse_args()
argparse.Namespace@6:1(f=<taken from the command line>@1:1, g=<taken from the command line>@2:1, h=<taken from the command line>@3:1, v=<taken from the command line: 2>@4:1, i=True (--i in run.sh:3:1)@run.sh:3:1)

$ train.py -vv --f 1 {*}
>>> p.add_argument("--f", action="append", default=["x"])
>>> p.add_argument("-v", action="count", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(f=<taken from the command line>@1:1, v=<taken from the command line: 2>@2:1)

$ train.py --a={*} --b 3
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: 1>@1:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py --a {*} --c 1
>>> p.add_argument("--a", action="store_true")
>>> p.add_argument("--ab", default=1)
>>> p.add_argument("--c", default=2)
>>> p.parse_args()
argparse.Namespace@4:1(a=<taken from the command line: True>@1:1, ab=<taken from the command line: 1>@2:1, c='1' (--c in run.sh:3:1)@run.sh:3:1)

$ train.py {*} --a {*}
>>> p.add_argument("--a", default=1)
>>> p.parse_args()
argparse.Namespace@2:1(a=<taken from the command line>@run.sh:3:1)

$ train.py {?} --a {?}
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=1)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line>@run.sh:3:1, b=<taken from the command line: 1>@2:1)

$ train.py --al {*}
>>> p.add_argument("--alpha", default=1)
>>> p.add_argument("--beta", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(alpha=<taken from the command line>@run.sh:3:1, beta=2 (default of --beta)@2:1)

$ train.py {?} --b 3
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: 1>@1:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py {?} --b 3
>>> p.add_argument("file")
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(file=<taken from the command line: None>@1:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py x{?} --b 3
>>> p.add_argument("file")
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(file=<taken from the command line>@run.sh:3:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py --a {?}
>>> p.add_argument("--a", action="store_true")
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: True>@1:1, b=<taken from the command line: 2>@2:1)

$ train.py --a {?} --b 3
>>> p.add_argument("--a", nargs="?", default=1)
>>> p.add_argument("--b", default=2)
>>> p.parse_args()
argparse.Namespace@3:1(a=<taken from the command line: None>@1:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)

$ train.py @file --b 3
>>> q = ArgumentParser(fromfile_prefix_chars="@")
>>> q.add_argument("--a", default=1)
>>> q.add_argument("--b", default=2)
>>> q.parse_args()
argparse.Namespace@4:1(a=<taken from the command line: 1>@2:1, b='3' (--b in run.sh:3:1)@run.sh:3:1)
q = argparse.ArgumentParser@1:5(3 steps)@1:5

$ train.py @file
>>> p.add_argument("file")
>>> p.parse_args()
argparse.Namespace@2:1(file='@file' (file in run.sh:3:1)@run.sh:3:1)

$ train.py --a 3 --b x y{?}
>>> p.add_argument("--a", default=1)
>>> p.parse_known_args()
(argparse.Namespace@2:1(a='3' (--a in run.sh:3:1)@run.sh:3:1), ['--b', 'x', <taken from the command line>])

$ train.py --a 3 b
>>> p.add_argument("--a", default=1)
>>> [p.parse_known_intermixed_args(), p.parse_intermixed_args()]
[(argparse.Namespace@2:2(a='3' (--a in run.sh:3:1)@run.sh:3:1), ['b'])@2:2, argparse.Namespace@2:35(..<the command line does not fit its parser: unrecognized arguments b>)@2:35]

$ train.py --a x {*}
>>> p.add_argument("--a", type=int, default=1)
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: argument --a: invalid int value: 'x'>)

$ train.py --a 3 {*} --a 4 --a
>>> p.add_argument("--a", type=int, default=1)
>>> p.parse_args()
argparse.Namespace@2:1(..<the command line does not fit its parser: argument --a: expected one argument>)
"""


def test_a_script_can_name_the_words_itself(session: Session) -> None:
    assert session.filled(OWN_WORDS) == OWN_WORDS


OWN_WORDS = r"""
$ train.py --a 3
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=2)
>>> [p.parse_args(["--a", "4"]), p.parse_args([]), p.parse_args(None), p.parse_args(args=["--b", "5"])]
[argparse.Namespace@3:2(a='4' (--a)@1:1, b=2 (default of --b)@2:1)@3:2, argparse.Namespace@3:30(a=1 (default of --a)@1:1, b=2 (default of --b)@2:1)@3:30, argparse.Namespace@3:48(a='3' (--a in run.sh:3:1)@run.sh:3:1, b=2 (default of --b)@2:1)@3:48, argparse.Namespace@3:68(a=1 (default of --a)@1:1, b='5' (--b)@2:1)@3:68]

$ train.py --a 3
>>> p.add_argument("--a", default=1)
>>> [p.parse_args(sys.argv[1:]), p.parse_args(u()), p.parse_args(["--a", u()]), p.parse_args(["--a", 7])]
[argparse.Namespace@2:2(a='3' (--a)@1:1)@2:2, argparse.Namespace@2:30(a=<taken from the command line: 1>@1:1)@2:30, argparse.Namespace@2:49(a=<taken from the command line>@1:1)@2:49, argparse.Namespace@2:77(a='7' (--a)@1:1)@2:77]

>>> p.add_argument("--a", default=1)
>>> [p.parse_args(u()), p.parse_known_args(["--c", "x"])]
[argparse.Namespace@2:2(a=<taken from the command line: 1>@1:1)@2:2, (argparse.Namespace@2:21(a=1 (default of --a)@1:1), ['--c', 'x'])@2:21]

$ train.py
>>> p.add_argument("--a", default=1)
>>> words = ["--a"]
>>> if u():
>>>     words[0] = "--b"
>>> [p.parse_args(words), p.parse_args("--a 5".split())]
[argparse.Namespace@5:2(a=<taken from the command line: 1>@1:1)@5:2, argparse.Namespace@5:23(a='5' (--a)@1:1)@5:23]
words = [<depends on a condition: '--b' or '--a'>@2:10]@2:9

$ train.py --a 3
>>> n = Namespace(k=1)
>>> p.add_argument("--a", default=1)
>>> [p.parse_args(namespace=n), p.parse_known_args([], u()), p.parse_args(None, None)]
[argparse.Namespace@1:5(k=<it may have attributes before: 1>@1:17, ..<it may have attributes before>)@3:2, (argparse.Namespace@3:29(..<it may have attributes before>), [<computed at run time>])@3:29, argparse.Namespace@3:58(a='3' (--a in run.sh:3:1)@run.sh:3:1)@3:58]
n = argparse.Namespace@1:5(k=<it may have attributes before: 1>@1:17, ..<it may have attributes before>)@1:5

$ train.py --a 3
>>> n = Namespace()
>>> p.add_argument("--a", default=1)
>>> [p.parse_args(None, n), p.parse_args(None, n)]
[argparse.Namespace@1:5(a=<it may have attributes before: '3'>@run.sh:3:1, ..<it may have attributes before>)@3:2, argparse.Namespace@1:5(a=<it may have attributes before: '3'>@run.sh:3:1, ..<it may have attributes before>)@3:25]
n = argparse.Namespace@1:5(a=<it may have attributes before: '3'>@run.sh:3:1, ..<it may have attributes before>)@1:5
"""


@pytest.mark.parametrize("end", ["p.error('no')", "p.exit()", "p.exit(1, 'no')"])
def test_a_parser_can_end_the_script(session: Session, end: str) -> None:
    assert session.outcome(f"k = 1\n{end}\nk = 2") == ["k = 1@1:5", "ends: exit"]


def test_a_command_without_a_position_leaves_the_place_of_the_option(session: Session) -> None:
    session.start = Start(("--a", "2"))
    assert session.filled(PLACELESS) == PLACELESS


PLACELESS = r"""
>>> p.add_argument("--a", default=1)
>>> p.add_argument("--b", default=1)
>>> p.parse_args()
argparse.Namespace@3:1(a='2' (--a)@1:1, b=1 (default of --b)@2:1)
"""
