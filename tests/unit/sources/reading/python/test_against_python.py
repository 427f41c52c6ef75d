"""Code that computes ``x``, followed by the abstract execution and really run by Python.

``N`` is a number that the environment gives. If it is known, ``x`` is known and what Python computes. If it is not, ``x`` is
unknown, or the same whatever ``N`` is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script

HEAD = """
import collections, copy, dataclasses, functools, importlib, json, math, operator, os, os.path, sys, types
from argparse import Namespace
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
N = int(os.environ["N"])
"""
TAIL = """
from trl import GRPOConfig, GRPOTrainer
GRPOTrainer(model="m", args=GRPOConfig(vllm_mode=f"{x!r}"), reward_funcs=len)
"""

EXPRESSIONS = """
N + 2 * 3 - 1 | N // 3, N % 3, N / 2, -N, +N, ~N | 2 ** N, N << 2, N >> 1, N & 6, N | 3, N ^ 1 | not N, not 0 | N + 0.5
N == 4, N != 4, N < 4, N <= 4, N > 4, N >= 4 | 1 < N < 5, 1 < N < 3, 5 > N > 3 > 2 | N is None, N is not None
N in (1, 4), N not in (1, 4), N in [1], 'a' in 'cat', N in {4: 1}, N not in {4: 1}, 'b' in {'a': 1}
N and 2, N or 2, 0 and N, 0 or N, '' or None or N, 1 and 'a' and N | 'a' if N > 3 else 'b' | 'a' if N > 5 else 'b'
[N, *[1, 2], *(3,)] | (N, 1), len({N}), len({1, 2, N, 4}), len({1, True, 1.0}) | len(set([1, N, 4])), sorted({2, 1, 2}), 4 in {N, 1}, 'b' in {'a', 'b'} | {'a': N, **{'b': 2, 'a': 3}} | {'a': 1} | {'b': N} | [1] + [N], (1,) + (N,) | [0] * N, 'ab' * N
[1, 2, 3][N - 4], [1, 2, 3][-1], (1, 2)[1], 'abc'[1], {'a': N}['a'] | [1, 2, 3, 4][1:], [1, 2, 3][:-1], [1, 2, 3, 4][::2], 'abcdef'[N:], 'abc'[::-1], (1, 2, 3)[0:2]
f'{N}-{N:03d}-{N / 3:.2f}-{"a"!r}-{"a":>4}|' | f'{N!s}{"é"!a}' | f'' | f'{N:{N}}' | '%d-%s' % (N, 'a') | '{}-{n}'.format(N, n=1)
'a,b,c'.split(','), 'a b'.split(), 'a,b,c'.rsplit(',', 1), ' a '.strip(), 'xax'.strip('x'), ' a'.lstrip(), 'a '.rstrip()
'aB'.upper(), 'aB'.lower(), 'a.b'.partition('.'), 'a.b.c'.rpartition('.'), 'aXa'.replace('a', 'b', 1), 'ab'.startswith('a'), 'ab'.endswith(('b', 'c'))
'a-b'.join(['1', '2']), ','.join(str(i) for i in range(N)), 'abc'.find('c'), 'abca'.rfind('a'), 'abc'.index('b'), 'aab'.count('a'), '7'.zfill(3)
'1'.isdigit(), 'a'.isalpha(), 'pre_x'.removeprefix('pre_'), 'x.py'.removesuffix('.py'), 'a\\nb'.splitlines(), 'aa bb'.title(), 'ab'.capitalize(), 'é'.encode(), b'a'.decode()
(1.0).is_integer(), N.bit_length() | int('7') + N, int('0x1f', 16), float('1e-6'), str(N), bool(N), bool([]), bool('') | abs(-N), round(2.567, 1), round(2.5), repr('a'), len([1, N]), len('abc'), len({'a': 1})
min(N, 2), max([1, N, 3]), sum([1, N]), sorted([3, 1, N]), any([0, N]), all([1, 0]), divmod(N, 3), pow(N, 2), sorted([3, 1, 2], reverse=True)
math.ceil(N / 3), math.floor(N / 3), math.ceil(-N / 3), operator.add(N, 1) | os.path.join('a', 'b', str(N)), os.path.basename('/a/b.py'), os.path.dirname('/a/b.py'), os.path.splitext('a.tar.gz'), os.path.normpath('a//b/../c')
list(range(N)), list(range(1, N)), list(range(N, 0, -2)), list(zip([1, 2], 'ab', (N, 5, 6))), list(enumerate(['a', N])) | list((1, N)), tuple([1, N]), dict(a=1, b=N), dict({'a': 1}, b=2), dict([('a', N)]), list('ab'), list({'a': 1, 'b': 2}), list(), tuple(), dict()
[i * N for i in range(3) if i != 1], [i + j for i in (1, 2) for j in (10, N)], {k: v * N for k, v in {'a': 1, 'b': 2}.items()}, sum(i for i in [1, N]), [a for a, in [(1,), (N,)]], len({i % 2 for i in range(N)})
list(map(str, [1, N])), list(map(int, '1 2'.split())), (lambda a, b=2, *c, d=4, **e: [a, b, c, d, e])(N, d=5, z=6) | isinstance(N, int), isinstance('a', (int, str)), isinstance([], list), isinstance({}, dict), isinstance(True, int), isinstance(N, str), isinstance((), list)
getattr(SimpleNamespace(a=N), 'a'), getattr(SimpleNamespace(a=1), 'b', N), hasattr(SimpleNamespace(a=1), 'a'), hasattr(Namespace(a=1), 'b'), vars(SimpleNamespace(a=N))
partial(dict, a=1)(b=N), partial(max, 3)(N), copy.copy([1, N]), copy.deepcopy({'a': [N]}), json.loads('{"a": [1, null, true, 2.5]}')['a'], eval('N + 1')
{'a': N}.get('a'), {'a': 1}.get('b'), {'a': 1}.get('b', N), {'a': 1, 'b': N}.pop('b'), {'a': 1}.pop('b', N), {'a': N}.setdefault('a', 2), {'a': 1}.setdefault('b', N), list({'a': N}.items()), list({'a': 1}.keys()), list({'a': N}.values()), {'a': N}.copy()
[1, N].copy(), [3, N, 5].pop(), [3, N, 5].pop(0), [3, N, 5].pop(-2), [1, 2, 1].count(1), [1, N, 3].index(3), ('a', N).index('a') | str(Path('a') / 'b'), str(Path('a', 'b').joinpath('c')), os.environ.get('N'), os.environ['N'], os.getenv('N', '7'), 'N' in os.environ
None or N, [] or [N], {} or {'a': N}, not [], not {'a': 1}, [] == [], [N] == [4], {'a': N} == {'a': 4}, None is None, 'a' < 'b', [1] is None, {} is not None
(y := N) + y, [*range(2), N], (*'ab', N), {**dict(a=N)}, dict(zip(['a', 'b'], [N, 2])), [[1, N], [2]][0][1], {'a': {'b': [N]}}['a']['b'][0], 'a' 'b', 10_000, 0x1F, 1e-6, True + N, -True
"""

BLOCKS = """
x = y = N; y += 1; z, *w = [1, 2, N]; (a, b), c = (1, N), 3; x = [x, y, z, w, a, b, c]
----
x = 1
x += N; x *= 2; x -= 1; x //= 2; x **= 2; x %= 7; x <<= 2; x |= 1; x &= 7; x ^= 2; x >>= 1; x /= 2
----
x = [1]
x += [N]; x.append(2); x.extend([3, 4]); x.insert(0, 'a'); x.remove(3); x.reverse(); x[0] = 'b'; del x[1]
----
x = [1, 2, 3]
y = x
y.append(N)
z = x[:]
z.append(9)
----
x = {'a': 1}
x['b'] = N; x.update(c=2); x.update({'d': 3}, e=4); x |= {'f': 5}; del x['a']; x.pop('c'); x.setdefault('g', N); x.setdefault('b', 0)
----
x = {'a': 1}
y = x; y['b'] = N
z = x.copy(); z['c'] = 1; w = dict(x); w['d'] = 1
----
x = {'a': {'b': 1}}
x['a']['b'] = N; x['a'].update(c=2)
y = copy.deepcopy(x); y['a']['b'] = 0
z = copy.copy(x); z['a']['d'] = 3
----
x = []
x.clear(); y = {'a': 1}; y.clear(); x.append(y); x.append(N)
----
x = 'none'
if N > 5:
    x = 'big'
elif N > 3:
    x = 'middle'
else:
    x = 'small'
----
x = []
for i in range(N):
    if i == 1:
        continue
    if i == 3:
        break
    x.append(i)
else:
    x.append('else')
----
x = []
for i, (a, b) in enumerate([(1, 2), (N, 3)]):
    x.append((i, a, b))
else:
    x.append('else')
----
x = []
n = N
while n:
    n -= 1
    if n == 1:
        break
    x.append(n)
else:
    x.append('else')
----
x = n = 0
while n < N:
    n += 1
    for k in (1, 2):
        if k == 2:
            break
        x += k
----
x = []
for k in {'a': 1, 'b': N}:
    x.append(k)
for k, v in {'a': 1, 'b': N}.items():
    x.append([k, v])
for c in 'ab':
    x.append(c)
----
try:
    x = int('4')
except ValueError:
    x = 'except'
else:
    x += N
finally:
    x += 1
----
def f():
    try:
        return N
    finally:
        x.append('finally')
x = []
x.append(f())
----
def f(a, b=N, *c, d=3, **e):
    return [a, b, list(c), d, e]
x = [f(1), f(1, 2, 3, 4), f(a=1, d=5, z=6), f(*[1, 2], **{'d': 7, 'y': 8})]
----
def f(a, /, b, *, c):
    return [a, b, c]
x = f(1, b=N, c=3)
----
def f():
    return
def g():
    pass
x = [f(), g(), N]
----
k = 1
def f():
    k = 2
    def g():
        nonlocal k
        k += N
        return k
    g()
    return k
def h():
    global k
    k += 10
h()
x = [f(), k]
----
def outer(n):
    def inner(m):
        return n * m
    return inner
x = [outer(N)(2), outer(3)(3)]
----
fs = [lambda n=i: n + N for i in range(3)]
x = [f() for f in fs]
----
def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return [f(*args, **kwargs), f(*args, **kwargs)]
    return wrapper
@twice
def f(n):
    return n + N
x = f(1)
----
class A:
    k = N
    def __init__(self, n=1):
        self.n = n
    def add(self, m):
        self.n += m
        return self
    @property
    def double(self):
        return self.n * 2
    @staticmethod
    def static(a):
        return a
    @classmethod
    def make(cls, n):
        return cls(n + 1)
    def __call__(self, z):
        return z + self.n
a = A(2).add(N)
x = [a.n, a.double, A.k, a.k, A.static(3), A.make(4).n, a(5), A().n]
----
class A:
    def __init__(self, n):
        self.n = n
    def value(self):
        return self.n
class B(A):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m
    def value(self):
        return super().value() + self.m
x = [B(N, 2).value(), isinstance(B(1, 2), B)]
x = x[:1]
----
class A:
    n = 1
class B(A):
    pass
class C(B):
    m = N
a, b = A(), B()
a.n = 5
B.n = 7
x = [A.n, a.n, b.n, C.n, C().m, A().n]
----
@dataclass
class A:
    n: int
    m: int = 2
    k: list = field(default_factory=list)
    j: int = field(default=N)
    def __post_init__(self):
        self.total = self.n + self.m
a = A(N)
b = A(1, m=5, k=[1])
a.k.append(3)
x = [a.n, a.m, a.k, a.j, a.total, b.m, b.k, b.total, A(0).k]
----
@dataclass
class A:
    n: int = 1
    m: str = 'a'
@dataclass
class B(A):
    n: int = N
    k: float = 0.5
x = [B().n, B().m, B().k, replace(B(), m='b').m, asdict(A(n=3)), replace(A(), n=N).n]
----
s = SimpleNamespace(a=1)
s.b = N
setattr(s, 'c', 3)
s.__dict__['d'] = 4
vars(s).update(e=5)
x = [s.a, s.b, s.c, s.d, s.e, getattr(s, 'a'), getattr(s, 'f', 6), hasattr(s, 'b')]
----
match N:
    case 1 | 2:
        x = 'small'
    case 4 if N > 5:
        x = 'guarded'
    case 4:
        x = 'four'
    case _:
        x = 'other'
----
match 'text':
    case 'other':
        x = 1
    case name:
        x = name + str(N)
----
x = N
del x
x = 2
----
with open(os.devnull) as f:
    x = N
----
assert N
x = N
if True:
    pass
else:
    x = 0
----
exec('y = N + 1')
x = y
----
x = 0
for i in [1, 2, 3]:
    for j in [1, 2, 3]:
        if j == 2:
            continue
        if i == 3:
            break
        x += i * j + N
----
os.environ['A_VALUE'] = str(N)
os.environ.setdefault('A_VALUE', 'no')
os.environ.setdefault('B_VALUE', 'b')
os.environ.update(C_VALUE='c')
os.environ |= {'D_VALUE': 'd'}
x = [os.environ['A_VALUE'], os.environ.get('B_VALUE'), os.getenv('C_VALUE'), os.environ.pop('D_VALUE'), 'D_VALUE' in os.environ, os.environ.get('D_VALUE', 'none')]
----
import os as operating
from os import environ as env, getenv
env['A_VALUE'] = 'a'
x = [operating.environ['A_VALUE'], getenv('A_VALUE'), env['N']]
----
if __name__ == '__main__':
    x = N
else:
    x = 'imported'
----
def main():
    if N > 100:
        return 'big'
    for i in range(10):
        if i == N:
            return i
    return 'end'
x = main()
----
a, b = 1, 2
a, b = b, a + N
[c, d] = 'cd'
first, *_, last = range(N)
x = [a, b, c, d, first, last]
----
x = {}
for name in ('a', 'b'):
    x[name] = {}
    for n in range(2):
        x[name][n] = n * N
----
x = []
n = N
while True:
    n -= 1
    try:
        if n == 2:
            continue
        if n < 0:
            break
    finally:
        x.append(n)
----
kinds = {'a': lambda n: n + 1, 'b': lambda n: n * 2}
x = [kinds['a'](N), kinds['b'](N)]
----
class Meter:
    def __enter__(self):
        x.append('enter')
        return self
    def __exit__(self, *error):
        x.append('exit')
x = []
with Meter() as m:
    x.append(N)
----
def gen():
    return [i for i in range(N) if i % 2]
x = gen()
x: list = x + [1]
y: int
----
class Base:
    def run(self):
        return self.step() + 1
    def step(self):
        return 0
class Child(Base):
    def step(self):
        return N
x = Child().run()
----
class Registry(dict):
    pass
x = [len(sys.argv) > 0, N]
x = x[1:]
----
x = collections.OrderedDict(a=N)
x = x['a']
----
config = {'train': {'n': N, 'lr': 1e-6}, 'flags': ['a', 'b']}
n, lr = config['train']['n'], config['train']['lr']
config['train']['n'] += 1
x = [n, lr, config['train']['n'], *config['flags']]
----
x = None
if N == 4 and not x:
    x = []
if x is not None and len(x) == 0:
    x.append('empty')
----
try:
    import nowhere_to_be_found
    x = 1
except ImportError:
    x = N
x = N
----
def f(**settings):
    settings.setdefault('n', N)
    settings['m'] = settings.pop('k', 3)
    return settings
x = [f(), f(n=1, k=2)]
----
def f(items, extra=None):
    extra = extra or {}
    return {**extra, 'items': [*items, N]}
x = f([1], {'a': 2})
"""

#: Code that is not followed, or not completely.
OPEN = """
try:
    x = int('four')
except (TypeError, ValueError):
    x = N
else:
    x = 'else'
finally:
    y = 1
----
x = []
try:
    x.append(1)
    raise ValueError(N)
    x.append(2)
except KeyError:
    x.append('key')
except Exception as error:
    x.append('other')
finally:
    x.append('finally')
----
x = []
def f(n):
    if n == 0:
        return 'end'
    x.append(n)
    return f(n - 1)
x.append(f(N))
----
def f(values=[]):
    values.append(N)
    return values
f()
x = f()
----
match ['a', N]:
    case ['b', n]:
        x = n
    case ['a', n]:
        x = [n]
----
match {'k': N, 'm': 1}:
    case {'j': n}:
        x = 'j'
    case {'k': n}:
        x = n
----
x = [1]
try:
    x.remove(5)
except ValueError:
    x.append(N)
----
x = [N]
try:
    x.pop(7)
except IndexError:
    x.append(2)
----
x = [3, 1, N]
x.sort()
----
x = {'a': N}
x.popitem()
----
x = dict.fromkeys(['a', 'b'], N)
----
x = os.getenv(chr(78))
----
x = [sum(map(int, '123')), N]
----
class Switch:
    def __init__(self):
        self.on = False
    def __bool__(self):
        return self.on
x = 1 if Switch() else 2
----
x = 0
for i in range(N):
    x += i
    if x > 3:
        raise SystemExit if N > 50 else StopIteration
----
x = [len({(1, 2), (1, N)}), N]
----
x = set()
x.add(N); x.add(4); x = len(x)
----
x = [frozenset([N]), bytes(2), complex(1, 2)]
"""


def _snippets() -> list[str]:
    expressions = [part.strip() for line in EXPRESSIONS.strip().splitlines() for part in line.split(" | ")]
    return [f"x = [{text}]" for text in expressions] + [block.strip("\n") for block in BLOCKS.split("----\n")]


SNIPPETS = _snippets()
ALL = [*SNIPPETS, *(block.strip("\n") for block in OPEN.split("----\n"))]


def really(text: str, number: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What Python computes; 'an error' if it raises."""
    with monkeypatch.context() as changed:
        changed.setenv("N", str(number))
        for name in ("A_VALUE", "B_VALUE", "C_VALUE", "D_VALUE"):
            # Registered, so that what the code sets is undone.
            changed.setenv(name, "")
            changed.delenv(name)
        names: dict[str, Any] = {"__name__": "__main__"}
        try:
            exec(compile(HEAD + text, "script", "exec"), names)
        except Exception:
            return "an error"
        return repr(names["x"])


def followed(tmp_path: Path, text: str, environment: Environment) -> Part:
    path = tmp_path / "train.py"
    path.write_text(HEAD + text + TAIL)
    return read_script(str(path), Start((), None, environment))


@pytest.mark.parametrize("text", SNIPPETS)
def test_what_is_computed_from_known_values_is_what_python_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    expected = really(text, 4, monkeypatch)
    unset = dict.fromkeys(("A_VALUE", "B_VALUE", "C_VALUE", "D_VALUE"))
    part = followed(tmp_path, text, Environment({"N": "4", **unset}))
    assert expected != "an error"
    assert part.facts.value("plan.vllm_mode", "unknown") == expected


@pytest.mark.parametrize("text", ALL)
def test_what_is_computed_from_an_unknown_value_is_unknown_or_the_same_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    stated = followed(tmp_path, text, Environment()).facts.get("plan.vllm_mode")
    if stated is not None:
        results = {really(text, number, monkeypatch) for number in range(7)} - {"an error"}
        assert results == {stated.value}
    known = followed(tmp_path, text, Environment({"N": "4"})).facts.value("plan.vllm_mode")
    assert known in (None, really(text, 4, monkeypatch))
