"""The values of expressions. ``#>`` starts what is expected; each case is also run by Python, for several values."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.python.executed import contradictions, known

LITERALS = r"""
x = [None, True, 1, 1.5, 'a', b'b', ...]
y = (1, [2], {3})
z = {'a': 1, 2: U, None: [], 1.5: ()}
#> x = [None @1:6, True @1:12, 1 @1:18, 1.5 @1:21, 'a' @1:26, b'b' @1:31, Ellipsis @1:37] @1:5
#> y = (1 @2:6, [2 @2:10] @2:9, set(3 @2:15) @2:14) @2:5
#> z = {'a': 1 @3:11, 2: <U is given> @3:17, None: [] @3:26, 1.5: () @3:35} @3:5

a = [1, 2]
x = [0, *a, *'b', *(U,)]
y = (*a, *L)
z = {*a, 3}
#> a = [1 @1:6, 2 @1:9] @1:5
#> x = [0 @2:6, 1 @1:6, 2 @1:9, 'b', <U is given> @2:21] @2:5
#> y = (*<computed at run time>) @3:5
#> z = set(1 @1:6, 2 @1:9, 3 @4:10) @4:5

a = {'a': 1, 'b': 2}
x = {**a, 'b': 3, 'c': 4}
y = {'b': 3, **a}
z = {'c': 1, **U}
#> a = {'a': 1 @1:11, 'b': 2 @1:19} @1:5
#> x = {'a': 1 @1:11, 'b': 3 @2:16, 'c': 4 @2:24} @2:5
#> y = {'b': 2 @1:19, 'a': 1 @1:11} @3:5
#> z = {'c': <U is given: 1> @4:11, **U is given} @4:5

d = {'a': 1}
if A:
    d['b'] = 2
x = {'b': 3, **d}
y = {**d}
z = {**d, 'b': 3}
#> d = {'a': 1 @1:11, 'b': maybe 2 @3:14} @1:5
#> x = {'b': <set only under a condition: 3 or 2> @3:14, 'a': 1 @1:11} @4:5
#> y = {'a': 1 @1:11, 'b': maybe 2 @3:14} @5:5
#> z = {'a': 1 @1:11, 'b': 3 @6:16} @6:5

x = dict([(1, 2), (3, U)])
y = dict([(1, 2, 3)])
z = dict(['ab', U])
w = dict(L)
#> x = {1: 2 @1:15, 3: <U is given> @1:23} @1:5
#> y = {**computed at run time} @2:5
#> z = {'a': <computed at run time: 'b'>, **computed at run time} @3:5
#> w = {**L is given} @4:5

x = len({1, 2})
y = {[1]} == {2}
#> x = 2 @1:5
#> y = <computed at run time> @2:5
#> may raise

x = {U: 1}
y = {(1, 2): 1}
z = {**({'a': 1} if A else {'a': 2, 'b': 3})}
#> x = {**an unknown key is set} @1:5
#> y = {**an unknown key is set} @2:5
#> z = {'a': <depends on a condition: 1 or 2> @3:34, 'b': maybe 3 @3:42} @3:5

x = {**None}
#> x = {} @1:5
#> may raise

x = lambda: 1
y = lambda a, /, b=2, *, c=U: (a, b, c)
z = y(1)
#> x = def lambda() @1:5
#> y = def lambda(b=2 @2:20, c=<U is given> @2:28) @2:5
#> z = (1 @2:32, 2 @2:35, <U is given> @2:38) @3:5

x = 4 if 1 else 5
y = 4 if 0 else 5
z = 4 if A else 5
w = 4 if A else 4
#> x = 4 @1:5
#> y = 5 @2:5
#> z = <depends on a condition: 4 or 5> @3:5
#> w = 4 @4:5

u = 'é'; x = [u, 2]
#> u = 'é' @1:5
#> x = ['é' @1:15, 2 @1:18] @1:14

x = [*{3, 1}]
y = [*{3}]
z = {2, 1} == {1, 2}
w = [{1} == [1], {1} | {2}, {1, 2} <= {1, 2, 3}, 2 in {1, 2}, sorted({2, 1}), len({1, 1})]
#> x = [*<computed at run time>] @1:5
#> y = [3 @2:8] @2:5
#> z = True @3:5
#> w = [False @4:6, set(1, 2) @4:18, True @4:29, True @4:50, [1, 2] @4:63, 1 @4:79] @4:5

x = str({'a', 'b'})
y = ','.join({'a', 'b'})
z = f"{ {'a', 'b'} }"
w = '%s' % {'a'}
#> x = <computed at run time> @1:5
#> y = <computed at run time> @2:5
#> z = <computed at run time> @3:5
#> w = <computed at run time> @4:5
#> may raise

x = {1, 2, U}
y = 1 in {1, 2, U}
z = {1, U} == {1}
w = len({U})
#> x = set(1 @1:6, 2 @1:9, <U is given> @1:12) @1:5
#> y = <computed at run time> @2:5
#> z = <computed at run time> @3:5
#> w = 1 @4:5
#> may raise

x = []
for i in {1, 2}:
    x.append(i)
a, b = {1, 2}
(c,) = {3}
#> x = [*<depends on a condition>] @1:5
#> i = maybe <computed at run time>
#> a = <computed at run time>
#> b = <computed at run time>
#> c = 3 @5:9
#> may raise
"""

TEXTS = r"""
n, s = 4, 'a'
x = f"{n}|{s!r}|{n:03d}|{'é'!a}|{s!s}|{n:{n}}|{1.5:.2f}"
y = f""
z = f"{U}"
w = f"{n}{C}"
#> n = 4 @1:8
#> s = 'a' @1:11
#> x = "4|'a'|004|'\\xe9'|a|   4|1.50" @2:5
#> y = '' @3:5
#> z = <U is given> @4:5
#> w = <C is given: '42' or '43'> @5:5
#> may raise

x = f"{4:9999}"
y = f"{4:999}"[:3]
z = f"{U:{4}}"
w = f"{U!r}{C!a}"
#> x = <computed at run time> @1:5
#> y = '   ' @2:5
#> z = <U is given> @3:5
#> w = <U is given> @4:5
#> may raise

x = len(f"{'a' * 5000}{'b' * 5000}")
y = f"{'a' * 5000}{'b' * 5001}"
#> x = 10000 @1:5
#> y = <computed at run time> @2:5
#> may raise

x = f"{C}-{C + 1}"
y = f"{C:02d}"
z = f"a{{b}}"
#> x = <C is given: '2-3' or '2-4' or '3-3' or '3-4'> @1:5
#> y = <C is given: '02' or '03'> @2:5
#> z = 'a{b}' @3:5
#> may raise

x = 'a' 'b' + "c"
y = 'a' * 3 + 'b' * 0
z = '%d-%s' % (1, 'a')
w = 'ab' 'c' 'd'[0]
#> x = 'abc' @1:5
#> y = 'aaa' @2:5
#> z = '1-a' @3:5
#> w = 'a' @4:5
"""

OPERATORS = r"""
x = [7 + 2, 7 - 2, 7 * 2, 7 / 2, 7 // 2, 7 % 2, 7 ** 2, 7 | 8, 7 & 2, 7 ^ 2, 7 << 2, 7 >> 1]
y = [-7, +7, ~7, not 7, not 0, not '']
z = [not U, not C, -C, ~C, not L]
#> x = [9 @1:6, 5 @1:13, 14 @1:20, 3.5 @1:27, 3 @1:34, 1 @1:42, 49 @1:49, 15 @1:57, 2 @1:64, 5 @1:71, 28 @1:78, 3 @1:86] @1:5
#> y = [-7 @2:6, 7 @2:10, -8 @2:14, False @2:18, True @2:25, True @2:32] @2:5
#> z = [<depends on a condition: True or False> @3:6, <depends on a condition: True or False> @3:13, <C is given: -2 or -3> @3:20, <C is given: -3 or -4> @3:24, <depends on a condition: True or False> @3:28] @3:5
#> may raise

x = C + 1
y = 1 + C
z = C + C
w = C * 'a'
#> x = <C is given: 3 or 4> @1:5
#> y = <C is given: 3 or 4> @2:5
#> z = <C is given: 4 or 5 or 6> @3:5
#> w = <C is given: 'aa' or 'aaa'> @4:5
#> may raise

x = U + 1
y = C / 0
z = C + 'a'
w = 1 / (C - 2)
#> x = <U is given> @1:5
#> y = <C is given> @2:5
#> z = <C is given> @3:5
#> w = <C is given: 1.0> @4:5
#> may raise

x = 1 + 'a'
y = [1] + [U]
z = (1,) + (2,)
w = [1] + L
#> x = <computed at run time> @1:5
#> y = [1 @2:6, <U is given> @2:12] @2:5
#> z = (1 @3:6, 2 @3:13) @3:5
#> w = <L is given> @4:5
#> may raise

x = [1] + (2,)
#> x = <computed at run time> @1:5
#> may raise

x = 'a' + 1 if A else 2
#> x = <computed at run time: 2> @1:5
#> may raise

d = {'a': 1}
x = d | {'b': 2}
y = {'a': 0, **d} | U
z = d | d
#> d = {'a': 1 @1:11} @1:5
#> x = {'a': 1 @1:11, 'b': 2 @2:15} @2:5
#> y = {'a': <U is given: 1> @1:11, **U is given} @3:5
#> z = {'a': 1 @1:11} @4:5

x = [1, 2] * 2
y = 2 * [U]
z = [1] * C
#> x = [1, 2, 1, 2] @1:5
#> y = <U is given> @2:5
#> z = <C is given> @3:5
#> may raise

a = [1] if A else [2]
x = a + [3]
y = a * 2
z = a == [1]
w = not a
#> a = [1 @1:6] | [2 @1:20] @1:5
#> x = [1 @1:6, 3 @2:10] | [2 @1:20, 3 @2:10] @2:5
#> y = [1, 1] | [2, 2] @3:5
#> z = <depends on a condition> @4:5
#> w = False @5:5
#> may raise

a = 1 if A else [2]
x = a + 1
y = a == 1
z = 1 + a
#> a = 1 | [2 @1:18] @1:5
#> x = <computed at run time: 2> @2:5
#> y = <depends on a condition: True> @3:5
#> z = <depends on a condition: 2> @4:5
#> may raise

x = 2 ** 129
y = 2 ** 128 > 1
z = 1 << 129
w = 1000001 ** 2
#> x = <computed at run time> @1:5
#> y = True @2:5
#> z = <computed at run time> @3:5
#> w = <computed at run time> @4:5
#> may raise

x = 2 ** -1
y = U @ 3
z = (10 ** 60) * (10 ** 60) * (10 ** 60) * (10 ** 60) * (10 ** 60) * (10 ** 60)
#> x = 0.5 @1:5
#> y = <computed at run time> @2:5
#> z = <computed at run time> @3:5
#> may raise

x = 'a' * 10000
x = len(x)
y = 'a' * 10001
z = len('a' * 5000 + 'b' * 5000)
w = 'a' * 5000 + 'b' * 5001
#> x = 10000 @2:5
#> y = <computed at run time> @3:5
#> z = 10000 @4:5
#> w = <computed at run time> @5:5
#> may raise
"""

COMPARISONS = r"""
x = [1 == 1, 1 != 1, 1 < 2, 1 <= 1, 1 > 2, 1 >= 1, 1 is 1, 'a' in 'ab', 'a' not in 'ab']
y = [1 < 2 < 3, 1 < 3 < 2, 3 > 2 > 1 > 0]
#> x = [True @1:6, False @1:14, True @1:22, True @1:29, False @1:37, True @1:44, True @1:52, True @1:60, False @1:73] @1:5
#> y = [True @2:6, False @2:17, True @2:28] @2:5

x = [1 < U, U < 1, 1 < 2 < U, 2 < 1 < U, U < 1 < 0, 1 < C < 4]
y = [C == 2, C == 4, C in (2, 3), C in (4, 5)]
#> x = [<U is given> @1:6, <U is given> @1:13, <depends on a condition> @1:20, False @1:31, False @1:42, <depends on a condition> @1:53] @1:5
#> y = [<C is given: True or False> @2:6, <C is given: False> @2:14, <C is given> @2:22, <C is given> @2:35] @2:5
#> may raise

x = None
y = [x is None, x is not None, x == None, x != None, U is None, U is not None, C is None]
z = [L is None, [] is None, {} is not None, (lambda: 1) is None, [] == None, [] != None]
#> x = None @1:5
#> y = [True @2:6, False @2:17, True @2:32, False @2:43, <U is given> @2:54, <U is given> @2:65, <C is given: False> @2:80] @2:5
#> z = [<L is given> @3:6, False @3:17, True @3:29, False @3:45, False @3:66, True @3:78] @3:5
#> may raise

a = [1]
b = a
c = [1]
x = [a is b, a is not b, a == c, a != c, a is c, a is not c]
y = [a == [1], a == [U], a == 1]
#> a = [1 @1:6] @1:5
#> b = [1 @1:6] @2:5
#> c = [1 @3:6] @3:5
#> x = [True @4:6, False @4:14, True @4:26, False @4:34, False @4:42, True @4:50] @4:5
#> y = [True @5:6, <U is given> @5:16, False @5:26] @5:5
#> may raise

def f(): pass
class K: pass
k = K()
x = [f is f, f is not f, K is K, k is k, k == k, k != k, f is None, k is None, k is not None]
y = [k == K(), k is K(), f == 1, k == 1]
#> f = def f()
#> K = class K()
#> k = K() @3:5
#> x = [True @4:6, False @4:14, True @4:26, True @4:34, True @4:42, False @4:50, False @4:58, False @4:69, True @4:80] @4:5
#> y = [<computed at run time> @5:6, <computed at run time> @5:16, <computed at run time> @5:26, <computed at run time> @5:34] @5:5
#> may raise

d = {'a': 1}
if A:
    d['b'] = 2
x = ['a' in d, 'a' not in d, 'b' in d, 'b' not in d, 'c' in d, 'c' not in d]
y = [U in d, 'a' in D, 'a' not in D, 'a' in L, 1 in [1, U], 1 in [2, 3]]
#> d = {'a': 1 @1:11, 'b': maybe 2 @3:14} @1:5
#> x = [True @4:6, False @4:16, <depends on a condition> @4:30, <depends on a condition> @4:40, False @4:54, True @4:64] @4:5
#> y = [<U is given> @5:6, <D is given> @5:14, <D is given> @5:24, <L is given> @5:38, <U is given> @5:48, False @5:61] @5:5
#> may raise

a = None if A else [1]
x = a is None
y = a is not None
z = 1 if a else 2
#> a = None | [1 @1:21] @1:5
#> x = <depends on a condition: True> @2:5
#> y = <depends on a condition: False> @3:5
#> z = <depends on a condition: 1 or 2> @4:5
#> may raise

a = [1] if A else [2]
x = a is None
z = 1 if a else 2
y = (a or 5) == 5
#> a = [1 @1:6] | [2 @1:20] @1:5
#> x = <depends on a condition> @2:5
#> z = 1 @3:5
#> y = <depends on a condition> @4:5
#> may raise

x = [1, 2] < [1, 3]
y = ('a', 1) == ('a', 1)
z = [True == 1, 1.0 == 1, 'a' == b'a']
#> x = True @1:5
#> y = True @2:5
#> z = [True @3:6, True @3:17, False @3:27] @3:5

x = 1 if 1 < U else 2
y = [1 < 'a']
#> x = <depends on a condition: 1 or 2> @1:5
#> y = [<computed at run time> @2:6] @2:5
#> may raise
"""

BOOLEANS = r"""
x = [1 and 2, 0 and 2, 1 or 2, 0 or 2, None or '' or 3, 1 and 'a' and [], 0 or None]
y = [A and 1, A or 1, 1 and A, 0 or A, 0 and A, 1 or A]
z = [A and B, A and 0, A or B or 3, not A and 1]
#> x = [2 @1:6, 0 @1:15, 1 @1:24, 2 @1:32, 3 @1:40, [] @1:57, None @1:75] @1:5
#> y = [<A is given: 1> @2:6, <A is given: 1> @2:15, <A is given> @2:23, <A is given> @2:32, 0 @2:40, 1 @2:49] @2:5
#> z = [<A is given> @3:6, <A is given: 0> @3:15, <A is given: 3> @3:24, <depends on a condition: True or False or 1> @3:37] @3:5

l = []
x = A and l.append(1)
y = 0 and l.append(2)
z = 1 or l.append(3)
#> l = [*<depends on a condition>] @1:5
#> x = <A is given: None> @2:5
#> y = 0 @3:5
#> z = 1 @4:5

l = []
x = A or l.append(1)
y = 1 and l.append(2)
z = 0 or l.append(3)
#> l = [*<unknown items are added>] @1:5
#> x = <A is given: None> @2:5
#> y = None @3:5
#> z = None @4:5

x = 1 if A else F()
y = (lambda: 1) if A else None
z = [1] if A else None
#> x = <F is given: 1> @1:5
#> y = def lambda() | None @2:5
#> z = [1 @3:6] | None @3:5
#> may raise

def f():
    raise ValueError
x = A and f()
y = A or f()
#> f = def f()
#> x = <A is given> @3:5
#> y = <A is given> @4:5
#> may raise

def f():
    raise ValueError
x = 1 if A else f()
y = 1
#> f = def f()
#> x = 1 @3:5
#> y = 1 @4:5
#> may raise

def f():
    exit()
x = f() if A else f()
y = 1
#> f = def f()

def f():
    raise ValueError
try:
    x = 1 if A else f()
    y = x
except ValueError:
    y = 2
#> f = def f()
#> x = maybe 1 @4:9
#> y = <depends on a condition: 1 or 2> @7:9
#> may raise
"""

ITEMS = r"""
l = [1, 2, 3, 4]
x = [l[0], l[-1], l[1:3], l[:2], l[2:], l[::2], l[::-1], l[-2:], l[:]]
t = (1, U, 3)
y = [t[0], t[1], t[0:2], t[-1]]
z = ['abc'[0], 'abc'[1:], b'ab'[0], 'abc'[::2]]
#> l = [1 @1:6, 2 @1:9, 3 @1:12, 4 @1:15] @1:5
#> x = [1 @2:6, 4 @2:12, [2 @1:9, 3 @1:12] @2:19, [1 @1:6, 2 @1:9] @2:27, [3 @1:12, 4 @1:15] @2:34, [1 @1:6, 3 @1:12] @2:41, [4 @1:15, 3 @1:12, 2 @1:9, 1 @1:6] @2:49, [3 @1:12, 4 @1:15] @2:58, [1 @1:6, 2 @1:9, 3 @1:12, 4 @1:15] @2:66] @2:5
#> t = (1 @3:6, <U is given> @3:9, 3 @3:12) @3:5
#> y = [1 @4:6, <U is given> @4:12, (1 @3:6, <U is given> @3:9) @4:18, 3 @4:26] @4:5
#> z = ['a' @5:6, 'bc' @5:16, 97 @5:27, 'ac' @5:37] @5:5

l = [1, 2]
x = l[C - 2]
y = [l[U], [C, C][U], [U, 1][U]]
#> l = [1 @1:6, 2 @1:9] @1:5
#> x = <computed at run time: 1 or 2> @2:5
#> y = [<computed at run time: 1 or 2> @3:6, <computed at run time: 2 or 3> @3:12, <computed at run time: 1> @3:23] @3:5
#> may raise

x = [1][U]
y = [1, 2][U]
z = [][U]
#> x = 1 @1:5
#> y = <computed at run time: 1 or 2> @2:5
#> z = <computed at run time> @3:5
#> may raise

d = {'a': 1, 2: 'b', None: 3}
x = [d['a'], d[2], d[None], d[2.0]]
y = {'a': 1, 'b': 2}[U]
z = {'a': 5}[U]
#> d = {'a': 1 @1:11, 2: 'b' @1:17, None: 3 @1:28} @1:5
#> x = [1 @2:6, 'b' @2:14, 3 @2:20, 'b' @2:29] @2:5
#> y = <computed at run time: 1 or 2> @3:5
#> z = 5 @4:5
#> may raise

x = {'a': [1]}[U]
y = {'a': [1], 'b': [1]}[U]
z = {}[U]
w = {'a': 1, 'b': 2}[C]
#> x = [1 @1:12] @1:5
#> y = [1 @2:12] | [1 @2:22] @2:5
#> z = <computed at run time> @3:5
#> w = <computed at run time: 1 or 2> @4:5
#> may raise

x = {'a': 1}['b']
#> x = <computed at run time> @1:5
#> may raise

x = [1][3]
#> x = <computed at run time> @1:5
#> may raise

x = 'abc'[7]
#> x = <computed at run time> @1:5
#> may raise

x = 5[0] if A else 1
#> x = <computed at run time: 1> @1:5
#> may raise

x = D['a']
y = L[0]
z = L[:1]
w = U[1:]
#> x = <D is given> @1:5
#> y = <L is given> @2:5
#> z = <computed at run time> @3:5
#> w = <computed at run time> @4:5
#> may raise

l = [1, 2, 3]
x = l[U:]
y = 'abc'[U:]
z = l['a':]
#> l = [1 @1:6, 2 @1:9, 3 @1:12] @1:5
#> x = <computed at run time> @2:5
#> y = <computed at run time> @3:5
#> z = <computed at run time> @4:5

a = [1, 2] if A else [3, 4]
x = a[0]
y = a[U]
z = a[:1]
#> a = [1 @1:6, 2 @1:9] | [3 @1:23, 4 @1:26] @1:5
#> x = <depends on a condition: 1 or 3> @2:5
#> y = <computed at run time: 1 or 2 or 3 or 4> @3:5
#> z = <computed at run time> @4:5
#> may raise

a = {'k': 1} if A else {'k': 2, 'm': 3}
x = a['k']
y = a['m']
#> a = {'k': 1 @1:11} | {'k': 2 @1:30, 'm': 3 @1:38} @1:5
#> x = <depends on a condition: 1 or 2> @2:5
#> y = <computed at run time: 3> @3:5
#> may raise

d = {'a': 1, 'b': 2}
if A:
    del d['a']
x = d['a']
#> d = {'b': 2 @1:19, 'a': maybe 1 @1:11} @1:5
#> x = 1 @4:5
#> may raise

d = {'a': {'b': [1, {'c': 2}]}}
d['a']['b'][1]['c'] = 3
x = d['a']['b'][1]['c']
d['a']['b'][0] += 1
#> d = {'a': {'b': [2 @4:19, {'c': 3 @2:23} @1:21] @1:17} @1:11} @1:5
#> x = 3 @3:5

a, b = {'k': 1}, {'k': 2}
c = a if A else b
c['k'] = 3
c['n'] = 4
#> a = {'k': <depends on a condition: 1 or 3> @3:10, 'n': maybe 4 @4:10} @1:8
#> b = {'k': <depends on a condition: 2 or 3> @3:10, 'n': maybe 4 @4:10} @1:18
#> c = {'k': <depends on a condition: 1 or 3> @3:10, 'n': maybe 4 @4:10} | {'k': <depends on a condition: 2 or 3> @3:10, 'n': maybe 4 @4:10} @2:5

a, b = {'k': 1}, [2]
c = a if A else b
c[0] = 3
#> a = {'k': 1 @1:14, 0: maybe 3 @3:8} @1:8
#> b = [*<an item of one of several objects is set>, **an item of one of several objects is set] @1:18
#> c = {'k': 1 @1:14, 0: maybe 3 @3:8} | [*<an item of one of several objects is set>, **an item of one of several objects is set] @2:5

a, b = {'k': 1}, {'k': 2}
c = a if A else b
del c['k']
#> a = {'k': maybe 1 @1:14} @1:8
#> b = {'k': maybe 2 @1:24} @1:18
#> c = {'k': maybe 1 @1:14} | {'k': maybe 2 @1:24} @2:5

a, b = {'k': 1}, {'k': 2}
c = a if A else b
c[U] = 3
#> a = {'k': <an item of one of several objects is set: 1> @1:14, **an item of one of several objects is set} @1:8
#> b = {'k': <an item of one of several objects is set: 2> @1:24, **an item of one of several objects is set} @1:18
#> c = {'k': <an item of one of several objects is set: 1> @1:14, **an item of one of several objects is set} | {'k': <an item of one of several objects is set: 2> @1:24, **an item of one of several objects is set} @2:5

l = [1, 2]
l['a'] = 3
#> l = [1 @1:6, 2 @1:9] @1:5
#> may raise

l = [1, 2]
del l[2]
#> l = [1 @1:6, 2 @1:9] @1:5
#> may raise

l = [1, 2]
l[-3] = 3
#> l = [1 @1:6, 2 @1:9] @1:5
#> may raise

l = [1, 2]
l[-2] = 3
l[1] = 4
#> l = [3 @2:9, 4 @3:8] @1:5

t = [1, [2]]
t[1][0] = 3
t[-1].append(4)
#> t = [1 @1:6, [3 @2:11, 4 @3:14] @1:9] @1:5

class K: pass
k = K()
k['a'] = 1
#> K = class K()
#> k = K(**an item is set) @2:5

class K:
    def __setitem__(self, key, value):
        self.__dict__[key] = value
k = K()
k['a'] = 1
#> K = class K()
#> k = K(**an item is set) @4:5

class K: pass
k = K()
if A:
    k['a'] = 1
x = k[U] if A else 1
#> K = class K()
#> k = K(**an item is set) @2:5
#> x = <an item is set: 1> @5:5
#> may raise
"""

COMPREHENSIONS = r"""
x = [i for i in (1, 2, 3) if i > 1]
y = {i for i in (1, 1, 2)}
z = {i: i * 2 for i in (1, 2)}
w = [i + j for i in (1, 2) for j in (10, 20) if i + j != 12]
#> x = [2 @1:6, 3 @1:6] @1:5
#> y = set(1 @2:6, 1 @2:6, 2 @2:6) @2:5
#> z = {1: 2 @3:9, 2: 4 @3:9} @3:5
#> w = [11 @4:6, 21 @4:6, 22 @4:6] @4:5

x = [a + b for a, b in [(1, 2), (3, 4)]]
y = [[j for j in range(i)] for i in (0, 1, 2)]
z = list(i for i in (1, 2))
w = sum(i for i in (1, 2) if i if i > 1)
#> x = [3 @1:6, 7 @1:6] @1:5
#> y = [[] @2:6, [0 @2:7] @2:6, [0 @2:7, 1 @2:7] @2:6] @2:5
#> z = [1 @3:10, 2 @3:10] @3:5
#> w = 2 @4:5

x = [i for i in L]
y = {i for i in L}
z = {i: 1 for i in L}
w = [1 for i in (1, 2) if U]
#> x = [*<computed at run time>] @1:5
#> y = set(*<computed at run time>) @2:5
#> z = {**computed at run time} @3:5
#> w = [*<computed at run time>] @4:5

x = [U for i in (1, 2)]
y = [i for i in (1, U)]
z = [i for i in (1, U) if i]
#> x = [<U is given> @1:6, <U is given> @1:6] @1:5
#> y = [1 @2:6, <U is given> @2:6] @2:5
#> z = [*<computed at run time>] @3:5

l = []
x = [l.append(i) for i in (1, 2)]
y = [l for i in ()]
#> l = [1 @2:15, 2 @2:15] @1:5
#> x = [None @2:6, None @2:6] @2:5
#> y = [] @3:5

l = []
x = [l.append(i) for i in L]
#> l = [*<depends on a condition>] @1:5
#> x = [*<computed at run time>] @2:5

l = []
x = (l.append(i) for i in (1, 2))
#> l = [*<depends on a condition>] @1:5
#> x = [None @2:6, None @2:6] @2:5

l = []
x = list(l.append(i) for i in (1, 2))
#> l = [*<depends on a condition>] @1:5
#> x = [None @2:10, None @2:10] @2:5

def f():
    raise ValueError
x = (f() for i in (1, 2))
y = 1
#> f = def f()
#> x = <computed at run time> @3:5
#> y = 1 @4:5
#> may raise

d = {}
x = [d.setdefault(k, v) for k, v in L]
#> d = {**an unknown key is set} @1:5
#> x = [*<computed at run time>] @2:5
#> may raise

x = [i for i in range(200)][199]
y = [i for i in range(401)]
#> x = 199 @1:5
#> y = [*<computed at run time>] @2:5

k = 1
x = [k for k in (2, 3)]
y = [k for _ in (1,)]
#> k = 1 @1:5
#> x = [2 @2:6, 3 @2:6] @2:5
#> y = [1 @3:6] @3:5

d = {'a': 1}
if A:
    d['b'] = 2
x = [k for k in d]
#> d = {'a': 1 @1:11, 'b': maybe 2 @3:14} @1:5
#> x = [*<computed at run time>] @4:5

class K:
    def __init__(self, n):
        self.n = n
    def f(self):
        return [self.n + i for i in (1, 2)]
    def g(self):
        return [super(K, self).__class__ is K for _ in (1,)]
x = K(1).f()
#> K = class K()
#> x = [2 @5:17, 3 @5:17] @8:5

class P:
    def f(self):
        return 5
class K(P):
    def f(self):
        return [super(K, self).f() for _ in (1,)]
x = K().f()
#> P = class P()
#> K = class K()
#> x = [5 @6:17] @7:5

def f():
    global n
    n = 1
    def g():
        n = 2
        def h():
            global n
            return [n for _ in (1,)]
        return h()
    return g()
x = f()
#> f = def f()
#> n = 1 @3:9
#> x = [1 @8:21] @11:5

x = [i for l in [[1], L] for i in l]
y = [i for l in L for i in (1, 2)]
#> x = [*<computed at run time>] @1:5
#> y = [*<computed at run time>] @2:5

d = {'a': [1]}
x = [d['a'].append(2) for i in (1,) if A]
#> d = {'a': [*<depends on a condition>] @1:11} @1:5
#> x = [*<computed at run time>] @2:5
"""

CALLS = r"""
def f(*a, **k):
    return [a, k]
x = f(1, *[2, 3], b=4, **{'c': 5})
y = f(*L)
z = f(**U)
#> f = def f()
#> x = [(1 @3:7, 2 @3:12, 3 @3:15) @2:13, {'b': 4 @3:21, 'c': 5 @3:32} @2:16] @3:5
#> y = [(*<computed at run time>) @2:13, {**unknown arguments} @2:16] @4:5
#> z = [(*<computed at run time>) @2:13, {**U is given} @2:16] @5:5

def f(*a, **k):
    return [a, k]
d = {'a': 1}
if A:
    d['b'] = 2
x = f(**d)
#> f = def f()
#> d = {'a': 1 @3:11, 'b': maybe 2 @5:14} @3:5
#> x = [() @2:13, {'a': 1 @3:11, 'b': maybe 2 @5:14} @2:16] @6:5

x = [U.a, U.a.b, U(), U.f(1), U[0], U[0].a]
#> x = [<U is given> @1:6, <U is given> @1:11, <U is given> @1:18, <U is given> @1:23, <U is given> @1:31, <U is given> @1:37] @1:5
#> may raise

l = [1]
x = U.f(l)
#> l = [*<U.f() may change it>, **U.f() may change it] @1:5
#> x = <U is given> @2:5
#> may raise

l = [1]
x = U(l, 2)
#> l = [*<U() may change it>, **U() may change it] @1:5
#> x = <U is given> @2:5
#> may raise

d = {'a': [1]}
if A:
    d['f'] = 5
x = d['f']
#> d = {'a': [1 @1:12] @1:11, 'f': maybe 5 @3:14} @1:5
#> x = 5 @4:5
#> may raise

class K:
    def f(self):
        return 1
k = K()
if A:
    k.f = lambda: 2
x = k.f()
#> K = class K()
#> k = K(f=maybe def lambda() @6:11) @4:5
#> x = <depends on a condition: 2 or 1> @7:5

f = max if A else min
x = f(1, 2)
#> f = builtin max | builtin min @1:5
#> x = <depends on a condition: 2 or 1> @2:5

f = (lambda n: n) if A else (lambda n: n + 1)
x = f(1)
#> f = def lambda() | def lambda() @1:5
#> x = <depends on a condition: 1 or 2> @2:5

def f(l):
    l.append(1)
def g(l):
    l.append(2)
l = []
(f if A else g)(l)
#> f = def f()
#> g = def g()
#> l = [<depends on a condition: 1 or 2> @4:14] @5:5

class K:
    n = 1
k = K()
if A:
    k.n = 2
x = k.n
#> K = class K(n=1 @2:9)
#> k = K(n=maybe 2 @5:11) @3:5
#> x = <depends on a condition: 2 or 1> @6:5

import types
k = types.SimpleNamespace()
if A:
    k.n = 2
x = k.n
#> k = argparse.Namespace(n=maybe 2 @4:11) @2:5
#> x = 2 @5:5
#> may raise

import types
k = types.SimpleNamespace()
if A:
    k.n = 2
try:
    x = k.n
except AttributeError:
    x = 3
#> k = argparse.Namespace(n=maybe 2 @4:11) @2:5
#> x = <depends on a condition: 2 or 3> @8:9
#> may raise

d = {}
if A:
    d['n'] = 2
try:
    x = d['n']
except KeyError:
    x = 1
#> d = {'n': maybe 2 @3:14} @1:5
#> x = <depends on a condition: 2 or 1> @7:9
#> may raise

if A:
    n = 2
try:
    x = n
except NameError:
    x = 1
#> n = maybe 2 @2:9
#> x = <depends on a condition: 2 or 1> @6:9
#> may raise

class K:
    def m(self, l):
        l.append(self.n)
    n = 1
l = []
f = K().m
f(l)
#> K = class K(n=1 @4:9)
#> l = [1 @3:18] @5:5
#> f = def m() of K() @6:5

import functools
def f(a, b, c=3):
    return [a, b, c]
g = functools.partial(f, 1, c=4)
x = [g(2), g(2, c=5), g.func(7, 8)]
#> f = def f(c=3 @2:15)
#> g = partial def f(c=3 @2:15)(1 @4:26, c=4 @4:31) @4:5
#> x = [[1 @3:13, 2 @3:16, 4 @3:19] @5:6, [1 @3:13, 2 @3:16, 5 @3:19] @5:12, [7 @3:13, 8 @3:16, 3 @3:19] @5:23] @5:5

import asyncio
async def f():
    return 4
async def g():
    l.append(await f())
l = []
asyncio.run(g())
#> f = def f()
#> g = def g()
#> l = [4 @5:14] @6:5

x = [y for y in [*map(lambda n: n + 1, (1, 2))]]
#> x = [2 @1:6, 3 @1:6] @1:5

x = 'a-b'.split('-')
y = 'a'.join(U)
z = C.bit_length()
#> x = ['a', 'b'] @1:5
#> y = <U is given> @2:5
#> z = <C is given> @3:5
#> may raise

x = 5()
y = 1
#> x = <computed at run time> @1:5
#> y = 1 @2:5
#> may raise

x = None.a
y = 1
#> x = a of None @1:5
#> y = 1 @2:5

s = {1, 2}
try:
    s.append(3)
except AttributeError:
    x = 4
#> s = set(*<s.append() may change it>, **s.append() may change it) @1:5
#> x = maybe 4 @5:9
#> may raise

s = {1, 2, 1}
s.remove(1)
x = len(s)
s.clear()
y = len(s)
#> s = set() @1:5
#> x = 1 @3:5
#> y = 0 @5:5

l = [1]
x = l.unknown_method(2)
#> l = [*<l.unknown_method() may change it>, **l.unknown_method() may change it] @1:5
#> x = <computed at run time> @2:5
#> may raise

d = {'a': 1}
x = d.unknown_method(2)
#> d = {'a': <d.unknown_method() may change it: 1> @1:11, **d.unknown_method() may change it} @1:5
#> x = <computed at run time> @2:5
#> may raise

x = (1).unknown_method()
#> x = <computed at run time> @1:5
#> may raise
"""

CASES = "\n\n".join(
    table.strip("\n") for table in (LITERALS, TEXTS, OPERATORS, COMPARISONS, BOOLEANS, ITEMS, COMPREHENSIONS, CALLS)
).split("\n\n")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_known_of_expressions(case: str) -> None:
    lines = case.splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#> "))
    assert known(text).splitlines() == [line[3:] for line in lines if line.startswith("#> ")]
    assert not contradictions(text)
