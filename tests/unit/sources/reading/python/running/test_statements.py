"""What is known after statements. ``#>`` starts what is expected; each case is also run by Python, for several values."""

from __future__ import annotations

import sys

import pytest

from tests.unit.sources.reading.python.executed import contradictions, known

ASSIGNMENTS = r"""
x = y = [1]
y.append(2)
#> x = [1 @1:10, 2 @2:10] @1:9
#> y = [1 @1:10, 2 @2:10] @1:9

a, b = 1, 2
(c, d), [e] = (3, 4), 'e'
#> a = 1 @1:8
#> b = 2 @1:11
#> c = 3 @2:16
#> d = 4 @2:19
#> e = 'e'

first, *rest = [1, 2, 3]
*init, last = 1, 2
one, *none = 'o'
p, *q, r = [1, 2, 3, 4]
#> first = 1 @1:17
#> rest = [2 @1:20, 3 @1:23]
#> init = [1 @2:15]
#> last = 2 @2:18
#> one = 'o'
#> none = []
#> p = 1 @4:13
#> q = [2 @4:16, 3 @4:19]
#> r = 4 @4:22

a, *b, c = [1, 2]
#> a = 1 @1:13
#> b = []
#> c = 2 @1:16

a, b = U
#> a = <U is given>
#> b = <U is given>
#> may raise

a, b = [1, U]
#> a = 1 @1:9
#> b = <U is given> @1:12

a, b = 1, 2, 3
#> a = <computed at run time>
#> b = <computed at run time>
#> may raise

*a, b, c = [1]
#> a = <computed at run time>
#> b = <computed at run time>
#> c = <computed at run time>
#> may raise

a, b = (1, 2) if A else (3, 4)
#> a = <depends on a condition: 1 or 3> @1:26
#> b = <depends on a condition: 2 or 4> @1:29

a, b = [1, 2] if A else U
#> a = <computed at run time>
#> b = <computed at run time>
#> may raise

a, b = [1, 2] if A else (3,)
#> a = <computed at run time>
#> b = <computed at run time>
#> may raise

a, b = [1, 2, 3] if A else [4, 5, 6]
#> a = <computed at run time>
#> b = <computed at run time>
#> may raise

a, *b = [1, 2, 3] if A else [4, 5, 6]
#> a = <computed at run time>
#> b = <computed at run time>
#> may raise

a, b = [1, 2] if A else [3, 4]
#> a = <depends on a condition: 1 or 3> @1:26
#> b = <depends on a condition: 2 or 4> @1:29

a, b = [1, 2] if A else ([3, 4] if B else [5, 6])
#> a = <depends on a condition: 1 or 3 or 5> @1:44
#> b = <depends on a condition: 2 or 4 or 6> @1:47

a, b = {'x': 1, 'y': 2} if A else [3, 4]
#> a = <depends on a condition: 'x' or 3> @1:36
#> b = <depends on a condition: 'y' or 4> @1:39

x: int = 4
y: int
d = {}
d['k']: str = 'v'
#> x = 4 @1:10
#> d = {'k': 'v' @4:15} @3:5

d = {'a': 1}
d['b'] = d['c'] = U
d['a'], n = 2, 3
#> d = {'a': 2 @3:13, 'b': <U is given> @2:19, 'c': <U is given> @2:19} @1:5
#> n = 3 @3:16

l = [1, 2, 3]
l[0], l[-1] = 'a', 'c'
m = [1, 2, 3]
m[0:2] = [9]
#> l = ['a' @2:15, 2 @1:9, 'c' @2:20] @1:5
#> m = [*<computed at run time>, **computed at run time] @3:5

l = [1]
l[U] = 2
#> l = [*<an unknown key is set>, **an unknown key is set] @1:5

d = {'a': 1}
d[U] = 2
#> d = {'a': <an unknown key is set: 1> @1:11, **an unknown key is set} @1:5

l = [1, 2, 3]
del l[0], l[-1]
#> l = [2 @1:9] @1:5

d = {'a': 1, 'b': 2}
del d['a']
e = {'a': 1}
del e[U]
s = [1, 2]
del s[:1]
#> d = {'b': 2 @1:19} @1:5
#> e = {'a': <an unknown key is set: 1> @3:11, **an unknown key is set} @3:5
#> s = [*<computed at run time>, **computed at run time] @5:5

x, y = 1, 2
del x
#> y = 2 @1:11
"""

AUGMENTED = r"""
x = 1
x += 2
y = 'a'
y += 'b'
z = 10
z -= U
#> x = 3 @2:6
#> y = 'ab' @4:6
#> z = <U is given> @6:6
#> may raise

l = [1]
m = l
l += [2]
l += (3,)
l += 'a'
#> l = [1 @1:6, 2 @3:7, 3 @4:7, 'a'] @1:5
#> m = [1 @1:6, 2 @3:7, 3 @4:7, 'a'] @2:5

l = [1]
m = l
l += U
#> l = [*<unknown items are added>] @1:5
#> m = [*<unknown items are added>] @2:5

l = m = [1, 2]
l *= 2
#> l = [1, 2, 1, 2] @1:9
#> m = [1, 2, 1, 2] @1:9

s = t = {1}
s |= {2}
#> s = set(1, 2) @1:9
#> t = set(1, 2) @1:9

t = u = (1,)
t += (2,)
#> t = (1 @1:10, 2 @2:7) @2:6
#> u = (1 @1:10) @1:9

d = e = {'a': 1}
d |= {'b': 2}
d |= [('c', 3)]
#> d = {'a': 1 @1:15, 'b': 2 @2:12, 'c': 3 @3:13} @1:9
#> e = {'a': 1 @1:15, 'b': 2 @2:12, 'c': 3 @3:13} @1:9

d = e = {'a': 1}
d |= U
#> d = {'a': <U is given: 1> @1:15, **U is given} @1:9
#> e = {'a': <U is given: 1> @1:15, **U is given} @1:9

a, b = [1], [2]
c = a if A else b
c += [3]
#> a = [*<computed at run time>, **computed at run time] @1:8
#> b = [*<computed at run time>, **computed at run time] @1:13
#> c = [*<computed at run time>] | [*<computed at run time>] @3:6

a, b = {'x': 1}, {'y': 2}
c = a if A else b
c |= {'z': 3}
#> a = {'x': <computed at run time: 1> @1:14, **computed at run time} @1:8
#> b = {'y': <computed at run time: 2> @1:24, **computed at run time} @1:18
#> c = {'x': <computed at run time: 1> @1:14, 'z': 3 @3:12, **computed at run time} | {'y': <computed at run time: 2> @1:24, 'z': 3 @3:12, **computed at run time} @3:6

d = {'n': 1, 'l': [1]}
d['n'] += 2
d['l'] += [2]
l = [1, 2]
l[0] += 5
l[U] += 5
#> d = {'n': 3 @2:11, 'l': [1 @1:20, 2 @3:12] @1:19} @1:5
#> l = [*<an unknown key is set>, **an unknown key is set] @4:5
#> may raise

class A_:
    n = 1
a = A_()
a.n += 2
#> A_ = class A_(n=1 @2:9)
#> a = A_(n=3 @4:8) @3:5

class Sum:
    total = 0
    def __iadd__(self, n):
        self.total += n
        return self
s = Sum()
s += 3
#> Sum = class Sum(total=0 @2:13)
#> s = <computed at run time> @7:6
#> may raise
"""

NAMES = r"""
n = 1
def f():
    global n, new
    n = 2
    new = 3
f()
#> n = 2 @4:9
#> f = def f()
#> new = 3 @5:11

n = 1
def f():
    m = 1
    def g():
        global n
        nonlocal m
        n = m = 2
    g()
    return m
x = f()
#> n = 2 @7:17
#> f = def f()
#> x = 2 @10:5

def f():
    n = m = 1
    def g():
        nonlocal n, m
        n = 2
        def h():
            nonlocal m
            m = 5
        h()
    g()
    return [n, m]
x = f()
#> f = def f()
#> x = [2 @11:13, 5 @11:16] @12:5

n = 1
def f():
    n = 2
    del n
    def g():
        global n
        del n
    g()
f()
#> f = def f()

def f():
    global k
    (k := 4)
f()
#> f = def f()
#> k = 4 @3:11

def f():
    n = 1
    def g():
        nonlocal n
        (n := 4)
        return n
    return [g(), n]
x = f()
#> f = def f()
#> x = [4 @7:13, 4 @7:18] @8:5

x = [y := i for i in (1, 2)]
#> y = 2 @1:11
#> x = [1 @1:6, 2 @1:6] @1:5

y = 0
x = [(y := i) for i in (1, 2)]
#> y = 2 @2:12
#> x = [1 @2:7, 2 @2:7] @2:5

def f():
    y = 0
    x = {(y := i): [(y := j) for j in (i,)] for i in (1, 2)}
    return y
z = f()
y = 5
#> f = def f()
#> z = 2 @5:5
#> y = 5 @6:5

x = [(y := i) for i in L]
#> y = maybe <computed at run time> @1:12
#> x = [*<computed at run time>] @1:5

y = 1
x = any((y := i) for i in (1, 2))
z = y
#> y = <depends on a condition: 1 or 2> @2:15
#> x = True @2:5
#> z = <depends on a condition: 1 or 2> @3:5

def f():
    class K:
        nonlocal_ = 1
    return K.nonlocal_
x = f()
#> f = def f()
#> x = 1 @5:5

n = 1
class K:
    n = 2
    def f(self):
        return n
x = K().f()
#> n = 1 @1:5
#> K = class K(n=2 @3:9)
#> x = 1 @6:5
"""

BRANCHES = r"""
if A:
    x = 1
else:
    x = 2
#> x = <depends on a condition: 1 or 2> @4:9

if A:
    x = y = 1
else:
    x = 1
#> x = 1 @4:9
#> y = maybe 1 @2:13

if A:
    x = 1
elif B:
    x = 2
#> x = maybe <depends on a condition: 1 or 2> @4:9

x = 0
if A:
    x = 1
#> x = <depends on a condition: 1 or 0> @1:5

x = 0
if 1:
    x = 1
else:
    x = 2
if 0:
    x = 3
#> x = 1 @3:9

l, d = [1], {'a': 1}
if A:
    l.append(2)
    d['a'] = 2
    d['b'] = 3
#> l = [*<depends on a condition>] @1:8
#> d = {'a': <depends on a condition: 2 or 1> @1:19, 'b': maybe 3 @5:14} @1:13

l = d = 0
if A:
    l, d = [1], {'a': 1, 'c': 2}
else:
    l, d = [2], {'a': 2, 'b': 3}
#> l = [1 @3:13] | [2 @5:13] @5:12
#> d = {'a': 1 @3:23, 'c': 2 @3:31} | {'a': 2 @5:23, 'b': 3 @5:31} @5:17

t = (1, 2) if A else (1, 3)
u = (1, 2) if A else (1,)
v = [1, 2] if A else [1, 3]
#> t = (1 @1:23, <depends on a condition: 2 or 3> @1:26) @1:5
#> u = (*<computed at run time>) @2:5
#> v = [1 @3:6, 2 @3:9] | [1 @3:23, 3 @3:26] @3:5

l = [1]
if A:
    l[0] = 2
else:
    l[0] = 3
#> l = [<depends on a condition: 2 or 3> @5:12] @1:5

l = [1]
if A:
    l.append(2)
else:
    l.append(3)
#> l = [1 @1:6, <depends on a condition: 2 or 3> @5:14] @1:5

x = 1
if A:
    del x
#> x = maybe 1 @1:5

x = 1
if A:
    x = U
if B:
    x = 2
#> x = <U is given: 2 or 1> @1:5

if A:
    if B:
        x = 1
    else:
        x = 2
else:
    x = 3
#> x = <depends on a condition: 1 or 2 or 3> @7:9

d = {'a': 1}
if A:
    F(d)
#> d = {'a': <F() may change it: 1> @1:11, **F() may change it} @1:5
#> may raise

x = 1
if A:
    raise ValueError
x = 2
#> x = 2 @4:5
#> may raise

x = 1
if A:
    x = 3
    raise SystemExit
y = x
#> x = 1 @1:5
#> y = 1 @5:5

x = 1
if A:
    x = 2
else:
    raise ValueError
y = x
#> x = 2 @3:9
#> y = 2 @6:5
#> may raise

x = 1
if A:
    raise ValueError
else:
    raise SystemExit
x = 2
#> x = 1 @1:5

def f():
    if A:
        return 1
    return 2
x = f()
#> f = def f()
#> x = <depends on a condition: 1 or 2> @5:5

def f():
    if A:
        return
    return 2
x = f()
#> f = def f()
#> x = <depends on a condition: None or 2> @5:5

def f(l):
    if A:
        l.append(1)
        return l
    l.append(2)
    if B:
        raise ValueError
    l.append(3)
l = []
x = f(l)
#> f = def f()
#> l = [*<depends on a condition>] @9:5
#> x = [*<depends on a condition>] | None @10:5
#> may raise

def f(d):
    if A:
        d['n'] = 1
    elif B:
        d['n'] = 2
        return 'b'
    d['m'] = 3
    return 'end'
d = {}
x = f(d)
#> f = def f()
#> d = {'n': maybe <depends on a condition: 2 or 1> @3:18, 'm': maybe 3 @7:14} @9:5
#> x = <depends on a condition: 'b' or 'end'> @10:5

def f():
    if A:
        raise ValueError
    raise ValueError
if B:
    f()
    x = 1
x = 2
#> f = def f()
#> x = 2 @8:5
#> may raise
"""

MATCHES = r"""
match 2:
    case 1:
        x = 1
    case 2 | 3:
        x = 2
    case _:
        x = 3
#> x = 2 @5:13

match U:
    case 3:
        x = 1
    case 'a':
        x = 2
    case _:
        x = 3
#> x = <depends on a condition: 1 or 2 or 3> @7:13
#> may raise

match None:
    case False:
        x = 1
    case None:
        x = 2
#> x = 2 @5:13

match True:
    case 1:
        x = 1
    case True:
        x = 2
#> x = 1 @3:13

match U:
    case None:
        x = 1
    case True:
        x = 2
#> x = maybe <depends on a condition: 1 or 2> @5:13
#> may raise

n = 1
match 5:
    case 4 as n:
        x = 4
    case 5:
        x = n
#> n = 1 @1:5
#> x = 1 @6:13

n = 1
match U:
    case 3 as n:
        x = n
    case m:
        x = n
#> n = <U is given: 1> @1:5
#> x = <U is given: 1> @6:13
#> m = maybe <U is given>
#> may raise

match 5:
    case (4 as n) | (5 as n):
        x = n
#> n = 5
#> x = 5 @3:13

match 5:
    case n if n > 5:
        x = 'more'
    case n if n == 5:
        x = 'five'
    case _:
        x = 'less'
#> n = 5
#> x = 'five' @5:13

match 5:
    case n if A:
        x = n
    case _:
        x = 'other'
#> n = 5
#> x = <depends on a condition: 5 or 'other'> @5:13

match 5:
    case 4 if A:
        x = 4
    case 5 if not A:
        x = 5
#> x = maybe 5 @5:13

match U:
    case 3 if True:
        x = 1
    case 3 if False:
        x = 2
    case _ if False:
        x = 3
#> x = maybe 1 @3:13
#> may raise

match [1, U]:
    case [a, *b]:
        x = a
    case c:
        x = c
#> a = <computed at run time>
#> b = <computed at run time>
#> x = <computed at run time> | [1 @1:8, <U is given> @1:11] @5:13
#> c = maybe [1 @1:8, <U is given> @1:11]

match {'k': 1}:
    case {'k': n, **rest}:
        x = n
#> rest = <computed at run time>
#> n = <computed at run time>
#> x = maybe <computed at run time> @3:13

match U:
    case int(n) | str(n):
        x = n
#> n = <computed at run time>
#> x = maybe <computed at run time> @3:13

match U:
    case 1 | 2:
        x = 1
    case 3 | _:
        x = 2
#> x = <depends on a condition: 1 or 2> @5:13
#> may raise

match 1:
    case 2:
        x = 2
y = 1
#> y = 1 @4:5

def f():
    match 1:
        case k:
            global m
            m = k
    return k
x = f()
#> f = def f()
#> m = 1 @5:17
#> x = 1 @7:5
"""

LOOPS = r"""
x = []
for i in (1, 2, 3):
    if i == 2:
        continue
    x.append(i)
else:
    y = 'else'
#> x = [1 @5:14, 3 @5:14] @1:5
#> i = 3 @2:17
#> y = 'else' @7:9

for i in (1, 2, 3):
    if i == 2:
        break
else:
    y = 'else'
#> i = 2 @1:14

for i in ():
    x = 1
else:
    y = 'else'
#> y = 'else' @4:9

x = 0
for i in L:
    x += 1
#> x = <changed in a loop: 0 or 1 or 2> @3:10
#> i = maybe <computed at run time>
#> may raise

x = y = 0
for i in L:
    x = i
    break
else:
    y = 'else'
#> x = <computed at run time: 0> @3:9
#> y = <depends on a condition: 'else' or 0> @1:9
#> i = maybe <computed at run time>

x = 0
for i in (1, 2):
    if A:
        continue
    x = i
#> x = <depends on a condition: 2 or 1 or 0> @1:5
#> i = 2 @2:14

x = 0
for i in (1, 2, 3):
    if A:
        break
    x = i
else:
    x = 'else'
#> x = <depends on a condition: 0 or 1 or 2 or 'else'> @7:9
#> i = <depends on a condition: 1 or 2 or 3> @2:17

x = []
for i in (1, 2):
    if A:
        x.append(i)
#> x = [*<unknown items are added>] @1:5
#> i = 2 @2:14

d = {}
for k in L:
    d['a'] = k
    d.setdefault('b', 1)
#> d = {'a': maybe <computed at run time> @3:14, 'b': maybe <changed in a loop: 1> @4:23} @1:5
#> k = maybe <computed at run time>

l = []
for k in L:
    l.append(k)
#> l = [*<depends on a condition>] @1:5
#> k = maybe <computed at run time>

x = y = 0
for i in L:
    y = x
    x = 1
#> x = <depends on a condition: 0 or 1> @4:9
#> y = <changed in a loop: 0 or 1> @3:9
#> i = maybe <computed at run time>

k = m = n = 0
for i in L:
    if m:
        k = 1
    if n:
        m = 1
    n = 1
#> k = <changed in a loop: 0 or 1> @1:13
#> m = <changed in a loop: 0 or 1> @1:13
#> n = <depends on a condition: 0 or 1> @7:9
#> i = maybe <computed at run time>

a = b = c = d = e = f = 0
for i in (*L, *L, *L):
    if f:
        n = 1
    if e:
        f = 1
    if d:
        e = 1
    if c:
        d = 1
    if b:
        c = 1
    if a:
        b = 1
    a = 1
#> a = <depends on a condition: 0 or 1> @15:9
#> b = <changed in a loop: 0 or 1> @1:25
#> c = <changed in a loop: 0 or 1> @1:25
#> d = <changed in a loop: 0 or 1> @1:25
#> e = <changed in a loop: 0 or 1> @1:25
#> f = <changed in a loop: 0 or 1> @1:25
#> i = maybe <computed at run time>
#> n = maybe <changed in a loop: 1> @4:13

for i in L:
    d = {}
    d['a'] = {}
    d['a']['b'] = i
#> i = maybe <computed at run time>
#> d = maybe {'a': {'b': <computed at run time> @4:19} @3:14} @2:9

a = b = c = d = e = 0
for i in L:
    e = d
    d = c
    c = b
    b = a
    a = 1
#> a = <depends on a condition: 0 or 1> @7:9
#> b = <changed in a loop: 0 or 1> @6:9
#> c = <changed in a loop: 0> @5:9
#> d = <changed in a loop: 0> @4:9
#> e = <changed in a loop: 0> @3:9
#> i = maybe <computed at run time>

def f():
    for i in (1, 2):
        if i == 2:
            return i
x = f()
#> f = def f()
#> x = 2 @5:5

def f():
    for i in (1, 2):
        if A:
            return i
    return 'end'
x = f()
#> f = def f()
#> x = <depends on a condition: 1 or 2 or 'end'> @6:5

def f():
    for i in L:
        return i
    return 'end'
x = f()
#> f = def f()
#> x = <computed at run time: 'end'> @5:5

def f():
    for i in L:
        if A:
            return i
    else:
        return 'else'
    return 'end'
x = f()
#> f = def f()
#> x = <computed at run time: 'else'> @8:5

def f():
    for i in L:
        pass
    else:
        return 'else'
    return 'end'
x = f()
#> f = def f()
#> x = 'else' @7:5

for i, (j, *k) in [(1, (2, 3)), (4, (5,))]:
    pass
#> i = 4 @1:34
#> j = 5 @1:38
#> k = []

for i in range(64):
    x = i
#> i = 63
#> x = 63 @2:9

for i in range(65):
    x = 1
#> i = maybe <computed at run time>
#> x = maybe 1 @2:9

for i in (1, 2):
    raise ValueError
x = 1
#> i = 1 @1:11

for i in L:
    raise ValueError
x = 1
#> x = 1 @3:5
#> may raise

x = 3
while x:
    x -= 1
else:
    y = 'else'
#> x = 0 @3:10
#> y = 'else' @5:9

x = 3
while x:
    x -= 1
    if x == 1:
        break
else:
    y = 'else'
#> x = 1 @3:10

x = 3
while x:
    x -= 1
    if x == 1:
        continue
    y = x
#> x = 0 @3:10
#> y = 0 @6:9

x = 0
while A:
    x = 1
    break
#> x = <depends on a condition: 0 or 1> @3:9

x = 0
while U and x < 3:
    x += 1
else:
    y = 'else'
#> x = <changed in a loop: 0 or 1 or 2> @3:10
#> y = 'else' @5:9
#> may raise

x = 0
while x < 64:
    x += 1
y = x
#> x = 64 @3:10
#> y = 64 @4:5

x = 0
while x < 65:
    x += 1
y = 1
#> x = <changed in a loop: 64 or 65 or 66> @3:10
#> y = 1 @4:5
#> may raise

x = 4
while x:
    x -= 1
    if A:
        break
else:
    y = 'else'
#> x = <changed in a loop: 3 or 2 or 1> @3:10
#> y = maybe 'else' @7:9
#> may raise

x = 4
while x:
    x -= 1
    if A:
        continue
    y = x
#> x = 0 @3:10
#> y = maybe <depends on a condition: 0 or 1 or 2 or 3> @6:9

def f():
    while A:
        return 1
    return 2
x = f()
#> f = def f()
#> x = <depends on a condition: 1 or 2> @5:5

while False:
    x = 1
else:
    x = 2
#> x = 2 @4:9

n = 0
while True:
    x = 1
    n += 1
    if U or n > 3:
        break
#> n = <changed in a loop: 1 or 2 or 3> @4:10
#> x = 1 @3:9
#> may raise

d = {'a': 1}
for i in (1, 2):
    while U:
        d['b'] = i
        break
#> d = {'a': 1 @1:11, 'b': maybe <depends on a condition: 1 or 2> @4:18} @1:5
#> i = 2 @2:14

for i in ([1] if A else [2]):
    x = i
#> i = maybe <computed at run time>
#> x = maybe <computed at run time> @2:9

for k in {'a': 1, 'b': 2}:
    x = k
#> k = 'b' @1:24
#> x = 'b' @2:9

d = {'a': 1}
if A:
    d['b'] = 2
for k in d:
    x = k
#> d = {'a': 1 @1:11, 'b': maybe 2 @3:14} @1:5
#> k = maybe <computed at run time>
#> x = maybe <computed at run time> @5:9
"""

EXCEPTIONS = r"""
try:
    x = 1
except ValueError:
    x = 2
else:
    y = x
finally:
    z = 3
#> x = 1 @2:9
#> y = 1 @6:9
#> z = 3 @8:9

try:
    x = int('4')
    y = 1
except ValueError:
    x = 2
else:
    y = 2
finally:
    z = 3
#> x = 4 @2:9
#> y = 2 @7:9
#> z = 3 @9:9

try:
    x = 1
    F()
    x = 2
except ValueError:
    x = 3
#> x = <depends on a condition: 2 or 3> @6:9
#> may raise

x = 0
try:
    raise ValueError
except ValueError as error:
    x = 1
    e = error
else:
    x = 2
#> x = 1 @5:9
#> error = <computed at run time>
#> e = <computed at run time> @6:9
#> may raise

x = 0
try:
    x = 1
    raise ValueError
    x = 2
except KeyError:
    x = 3
except ValueError:
    y = x
finally:
    z = x
#> x = <depends on a condition: 3 or 1> @3:9
#> y = maybe 1 @9:9
#> z = <depends on a condition: 3 or 1> @11:9
#> may raise

d = {}
try:
    d['a'] = 1
    F()
    d['b'] = 2
except Exception:
    d['c'] = 3
else:
    d['d'] = 4
#> d = {'a': maybe 1 @3:14, 'b': maybe 2 @5:14, 'd': maybe 4 @9:14, 'c': maybe 3 @7:14} @1:5

try:
    if A:
        raise ValueError
    x = 1
except ValueError:
    x = 2
#> x = <depends on a condition: 1 or 2> @6:9
#> may raise

def f():
    try:
        return 1
    finally:
        d['f'] = 1
d = {}
x = f()
#> f = def f()
#> d = {'f': 1 @5:18} @6:5
#> x = 1 @7:5

def f():
    try:
        return 1
    finally:
        return 2
x = f()
#> f = def f()
#> x = 2 @6:5

def f():
    try:
        if A:
            return 1
    finally:
        d['f'] = 1
    return 2
d = {}
x = f()
#> f = def f()
#> d = {'f': 1 @6:18} @8:5
#> x = <depends on a condition: 1 or 2> @9:5

def f():
    try:
        if A:
            return 1
    finally:
        return 3
x = f()
#> f = def f()
#> x = 3 @7:5

def f():
    try:
        F()
        return 1
    except ValueError:
        return 2
    finally:
        d['f'] = 1
d = {}
x = f()
#> f = def f()
#> d = {'f': 1 @8:18} @9:5
#> x = <depends on a condition: 1 or 2> @10:5
#> may raise

def f():
    try:
        F()
    except ValueError:
        return 2
    else:
        return 3
x = f()
#> f = def f()
#> x = <depends on a condition: 3 or 2> @8:5
#> may raise

def f():
    try:
        pass
    except ValueError:
        return 2
    else:
        return 3
x = f()
#> f = def f()
#> x = 3 @8:5

x = []
for i in (1, 2):
    try:
        continue
    finally:
        x.append(i)
#> x = [1 @6:18, 2 @6:18] @1:5
#> i = 2 @2:14

x = []
for i in (1, 2):
    try:
        F()
        continue
    except ValueError:
        break
    finally:
        x.append(i)
#> x = [*<depends on a condition>] @1:5
#> i = <depends on a condition: 1 or 2> @2:14
#> may raise

try:
    try:
        raise ValueError
    finally:
        x = 1
except ValueError:
    y = 2
#> x = maybe 1 @5:13
#> y = 2 @7:9
#> may raise

try:
    try:
        F()
    except ValueError:
        x = 1
    y = 2
except ValueError:
    y = 3
#> x = maybe 1 @5:13
#> y = <depends on a condition: 2 or 3> @8:9
#> may raise

try:
    try:
        F()
    except Exception:
        x = 1
    y = 2
except ValueError:
    y = 3
#> x = maybe 1 @5:13
#> y = 2 @6:9

try:
    try:
        F()
    except:
        x = 1
    y = 2
except ValueError:
    y = 3
#> x = maybe 1 @5:13
#> y = 2 @6:9

try:
    try:
        F()
    except BaseException:
        x = 1
    y = 2
except ValueError:
    y = 3
#> x = maybe 1 @5:13
#> y = 2 @6:9

try:
    assert U
    x = 1
except AssertionError:
    x = 2
#> x = <depends on a condition: 1 or 2> @5:9
#> may raise

try:
    assert 0
    x = 1
except AssertionError:
    x = 2
#> x = 2 @5:9
#> may raise

try:
    assert 1
    x = 1
except AssertionError:
    x = 2
#> x = 1 @3:9

try:
    x = 1
finally:
    y = 2
#> x = 1 @2:9
#> y = 2 @4:9

try:
    raise ValueError
finally:
    y = 2
y = 3
#> y = 2 @4:9
#> may raise

try:
    x = {}['a']
except KeyError:
    x = 1
#> x = <computed at run time: 1> @4:9
#> may raise

try:
    x = [][0]
except IndexError:
    x = 1
#> x = <computed at run time: 1> @4:9
#> may raise

try:
    l = [1]
    l[5] = 2
except IndexError:
    l = 3
#> l = [1 @2:10] | 3 @5:9
#> may raise

try:
    x = D['a']
    y = 1
except KeyError:
    x = 1
#> x = <D is given: 1> @5:9
#> y = maybe 1 @3:9
#> may raise

try:
    x = U.y
except AttributeError:
    x = 1
#> x = <U is given: 1> @4:9
#> may raise

try:
    a, b = U
except TypeError:
    a = b = 1
#> a = <U is given: 1> @4:13
#> b = <U is given: 1> @4:13
#> may raise

try:
    x = {1, 2}[0]
except TypeError:
    x = 3
#> x = <computed at run time: 3> @4:9
#> may raise

try:
    x = [1] + (2,)
except TypeError:
    x = 3
#> x = <computed at run time: 3> @4:9
#> may raise

try:
    x = 1 + 'a'
except TypeError:
    x = 3
#> x = <computed at run time: 3> @4:9
#> may raise

x = y = l = 0
try:
    x, l = 1, [1]
    l.append(2)
    F()
    x = 2
    l.append(3)
except ValueError:
    y = x
#> x = <depends on a condition: 2 or 0> @1:13
#> y = <depends on a condition: 0 or 2> @9:9
#> l = [*<depends on a condition>] | 0 @1:13
#> may raise

x = y = 0
try:
    if A:
        x = 1
    F()
    x = 2
    raise KeyError
except (KeyError, ValueError):
    y = x
#> x = <depends on a condition: 0 or 2> @1:9
#> y = <depends on a condition: 0 or 2> @9:9
#> may raise

d = {}
def f():
    d['a'] = 1
    F()
    d['a'] = 2
try:
    f()
except ValueError:
    pass
#> d = {'a': maybe <depends on a condition: 2> @5:14} @1:5
#> f = def f()
#> may raise

x = 1
try:
    for i in L:
        x = i
        F()
        x = 3
except ValueError:
    pass
#> x = <depends on a condition: 1 or 3> @1:5
#> i = maybe <computed at run time>
#> may raise

try:
    raise KeyError
except KeyError:
    raise ValueError
x = 1
#> may raise

try:
    F()
except KeyError:
    raise ValueError
x = 1
#> x = 1 @5:5
#> may raise

try:
    F()
    x = 1
except KeyError:
    raise SystemExit
y = 1
#> x = 1 @3:9
#> y = 1 @6:5
#> may raise
"""

CONTEXTS = r"""
class Open:
    def __enter__(self):
        d['in'] = 1
        return 'entered'
    def __exit__(self, kind, error, trace):
        d['out'] = kind
d = {}
with Open() as name, Open():
    x = dict(d)
    d['body'] = 1
#> Open = class Open()
#> d = {'in': 1 @3:19, 'body': 1 @10:17, 'out': None @6:20} @7:5
#> name = 'entered'
#> x = {'in': 1 @3:19} @9:9

class Catch:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True
with Catch() as c:
    x = 1
    F()
    x = 2
y = x
#> Catch = class Catch()
#> c = Catch()
#> x = maybe <depends on a condition: 2> @9:9
#> y = <depends on a condition: 2> @10:5
#> may raise

class Catch:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        order.append('catch')
        return True
class Leave:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        order.append('leave')
order = []
with Catch() as c, Leave() as l:
    order.append('body')
#> Catch = class Catch()
#> Leave = class Leave()
#> order = ['body' @14:18, 'leave' @11:22, 'catch' @5:22] @12:9
#> c = Catch()
#> l = Leave()

class Catch:
    def __enter__(self):
        return self
    def __exit__(self, *error):
        return True
with Catch():
    x = 1
    raise ValueError
y = 1
#> Catch = class Catch()
#> x = 1 @7:9
#> y = 1 @9:5

class Plain:
    def __enter__(self):
        return 5
    __exit__ = lambda *error: None
with Plain() as x:
    pass
#> Plain = class Plain()
#> x = 5

def f():
    class Plain:
        def __enter__(self):
            return 5
        def __exit__(self, *error):
            d['x'] = 1
    with Plain() as x:
        return x
d = {}
y = f()
#> f = def f()
#> d = {'x': 1 @6:22} @9:5
#> y = 5 @10:5
"""

ENDS = r"""
x = 1
raise SystemExit
x = 2
#> x = 1 @1:5

x = 1
raise SystemExit(3)
x = 2
#> x = 1 @1:5
#> may raise

x = 1
exit()
x = 2
#> x = 1 @1:5

x = 1
assert False
x = 2
#> x = 1 @1:5

if A:
    exit()
    x = 1
x = 2
#> x = 2 @4:5

if A:
    exit()
else:
    raise ValueError
x = 2

def f():
    exit()
f()
x = 2
#> f = def f()

def f():
    raise ValueError
x = [f() for i in (1,)]
x = 2
#> f = def f()

try:
    exit()
except ValueError:
    x = 1
x = 2

try:
    exit()
finally:
    x = 1
x = 2
#> x = 1 @4:9

def f():
    if A:
        raise ValueError
    else:
        exit()
f()
x = 1
#> f = def f()

if A:
    raise SystemExit(2)
x = 1
#> x = 1 @3:5
#> may raise

import builtins
try:
    if A:
        raise builtins.SystemExit
    x = 1
except ValueError:
    x = 2
#> x = 1 @5:9

try:
    if A:
        raise KeyError(2)
    x = 1
except KeyError:
    x = 2
#> x = <depends on a condition: 1 or 2> @6:9
#> may raise

def f(n):
    if n:
        raise ValueError
    return n
x = f(0)
y = f(U)
#> f = def f()
#> x = 0 @5:5
#> y = <U is given> @6:5
#> may raise

import sys
sys.exit()
x = 2
"""

FUNCTIONS = r"""
def f(a, b=2, *c, d=4, **e):
    return [a, b, c, d, e]
x = f(1)
y = f(1, 5, 6, 7, d=8, g=9)
#> f = def f(b=2 @1:12, d=4 @1:21)
#> x = [1 @2:13, 2 @2:16, () @2:19, 4 @2:22, {} @2:25] @3:5
#> y = [1 @2:13, 5 @2:16, (6 @4:13, 7 @4:16) @2:19, 8 @2:22, {'g': 9 @4:26} @2:25] @4:5

def f(a, /, b, *, c=U):
    return [a, b, c]
x = f(1, 2)
y = f(1, b=3, c=4)
#> f = def f(c=<U is given> @1:21)
#> x = [1 @2:13, 2 @2:16, <U is given> @2:19] @3:5
#> y = [1 @2:13, 3 @2:16, 4 @2:19] @4:5

def f(a, b=2):
    return [a, b]
x = f(*[1, 3])
y = f(**{'a': 1, 'b': 4})
z = f(*L)
#> f = def f(b=2 @1:12)
#> x = [1 @2:13, 3 @2:16] @3:5
#> y = [1 @2:13, 4 @2:16] @4:5
#> z = [<unknown arguments> @2:13, <unknown arguments: 2> @2:16] @5:5

def f(a, b=2, **c):
    return [a, b, c]
x = f(1, **D)
#> f = def f(b=2 @1:12)
#> x = [1 @2:13, <D is given: 2> @2:16, {**D is given} @2:19] @3:5

def f(a, *b, c=3):
    return [a, b, c]
x = f(1, *L)
#> f = def f(c=3 @1:16)
#> x = [1 @2:13, (*<computed at run time>) @2:16, <unknown arguments: 3> @2:19] @3:5

def f(a=1, **c):
    return [a, c]
d = {'b': 2}
if A:
    d['a'] = 5
x = f(**d)
#> f = def f(a=1 @1:9)
#> d = {'b': 2 @3:11, 'a': maybe 5 @5:14} @3:5
#> x = [<depends on a condition: 5 or 1> @2:13, {'b': 2 @3:11} @2:16] @6:5

def f(a, **c):
    return [a, c]
d = {'b': 2}
if A:
    d['a'] = 5
x = f(**d) if A else 1
#> f = def f()
#> d = {'b': 2 @3:11, 'a': maybe 5 @5:14} @3:5
#> x = [<not given here> @2:13, {'b': 2 @3:11} @2:16] | 1 @6:5

def f(l=[]):
    l.append(1)
    return l
x = f()
y = f()
#> f = def f(l=[1 @2:14, 1 @2:14] @1:9)
#> x = [1 @2:14, 1 @2:14] @4:5
#> y = [1 @2:14, 1 @2:14] @5:5

def f():
    pass
x = f()
#> f = def f()
#> x = None @3:5

def f():
    return U
x = f()
#> f = def f()
#> x = <U is given> @3:5

f = lambda a, b=2, *c, d=4, **e: [a, b, c, d, e]
x = f(1)
y = f(1, 5, 6, d=8, g=9)
n = 1
g = lambda: n
n = 2
z = g()
#> f = def lambda(b=2 @1:17, d=4 @1:26) @1:5
#> x = [1 @1:35, 2 @1:38, () @1:41, 4 @1:44, {} @1:47] @2:5
#> y = [1 @1:35, 5 @1:38, (6 @3:13) @1:41, 8 @1:44, {'g': 9 @3:23} @1:47] @3:5
#> n = 2 @6:5
#> g = def lambda() @5:5
#> z = 2 @7:5

def f(n):
    return n if n == 0 else f(n - 1)
x = f(2)
y = f(25)
#> f = def f()
#> x = 0 @3:5
#> y = <too complex to evaluate> @4:5

def f(n):
    d[n] = 1
    if n:
        return f(n - 1)
    return 'end'
d = {}
x = f(1)
#> f = def f()
#> d = {1: 1 @2:12, 0: 1 @2:12} @6:5
#> x = 'end' @7:5

async def f():
    return 1
async def g():
    x = await f()
    d['x'] = x
d = {}
#> f = def f()
#> g = def g()
#> d = {} @6:5

def f():
    yield 1
    d['x'] = 1
d = {}
y = f()
z = list(y)
#> f = def f()
#> d = {'x': maybe 1 @3:14} @4:5
#> y = <computed at run time> @5:5
#> z = [*<computed at run time>] @6:5

def f():
    d['x'] = 1
    yield from (1, 2)
d = {}
f()
#> f = def f()
#> d = {'x': maybe 1 @2:14} @4:5

def f():
    def g():
        yield 1
    return 2
x = f()
#> f = def f()
#> x = 2 @5:5

def f():
    l = lambda: (yield)
    return 2
x = f()
#> f = def f()
#> x = 2 @4:5

def make(n):
    def inner():
        return n
    return inner
x = make(1)() + make(2)()
#> make = def make()
#> x = 3 @5:5

def f():
    return g()
def g():
    return 3
x = f()
#> f = def f()
#> g = def g()
#> x = 3 @5:5

l = [1]
def f():
    l.append(2)
F(f)
#> l = [*<depends on a condition>] @1:5
#> f = def f()
#> may raise

def f(a):
    a.append(2)
l = [1]
F(f, l)
#> f = def f()
#> l = [*<F() may change it>, **F() may change it] @3:5
#> may raise

d = {}
def f():
    d['a'] = 1
if A:
    f()
#> d = {'a': maybe 1 @3:14} @1:5
#> f = def f()

l = [1]
d = {'a': l}
F(d)
#> l = [*<F() may change it>, **F() may change it] @1:5
#> d = {'a': <F() may change it> @2:11, **F() may change it} @2:5
#> may raise

l = [1]
d = {'a': 1}
t = (l, 5)
F(t, key=d)
#> l = [*<F() may change it>, **F() may change it] @1:5
#> d = {'a': <F() may change it: 1> @2:11, **F() may change it} @2:5
#> t = (*<F() may change it>, **F() may change it) @3:5
#> may raise

l = [1]
g = [l]
def f():
    return g
F(*L, **D)
F(*[g])
#> l = [*<F() may change it>, **F() may change it] @1:5
#> g = [*<F() may change it>, **F() may change it] @2:5
#> f = def f()
#> may raise

l = [1]
f = lambda: l.append(2)
h = {'f': f}
F(h)
#> l = [*<depends on a condition>] @1:5
#> f = def lambda() @2:5
#> h = {'f': <F() may change it> @3:11, **F() may change it} @3:5
#> may raise

l = [1]
def f():
    F(f)
    l.append(2)
F(f)
#> l = [*<depends on a condition>] @1:5
#> f = def f()
#> may raise

l = [1]
def f(n):
    if n == 0:
        F(lambda: l.append(2))
    else:
        f2(n - 1)
def f2(n):
    if n == 0:
        F(lambda: l.append(3))
    else:
        f3(n - 1)
def f3(n):
    l.append(n)
f(1)
#> l = [*<depends on a condition>] @1:5
#> f = def f()
#> f2 = def f2()
#> f3 = def f3()
#> may raise

import functools
l, m, n = [1], [2], [3]
def f(k):
    k.append(4)
class K:
    def g(self):
        m.append(5)
class P:
    def __init__(self):
        n.append(6)
F(functools.partial(f, l), K().g, functools.partial(P))
#> l = [*<F() may change it>, **F() may change it] @2:11
#> m = [*<depends on a condition>] @2:16
#> n = [*<depends on a condition>] @2:21
#> f = def f()
#> K = class K()
#> P = class P(__init__=<F() may change it>, <open>='F() may change it')
#> may raise

l = [1]
def f():
    yield l
    return 2
x = [m.append(2) for m in f()]
#> l = [*<depends on a condition>, **computed at run time] @1:5
#> f = def f()
#> x = [*<computed at run time>] @5:5
#> may raise

l = [1]
def f():
    yield from [l]
x = list(f())
#> l = [*<depends on a condition>, **computed at run time] @1:5
#> f = def f()
#> x = [*<computed at run time>] @4:5

class K: pass
from dataclasses import dataclass, field
k = K()
k.n = 1
@dataclass
class M:
    a: list = field(default_factory=F)
    b: list = field(default_factory=k)
m = 1 if A else M()
#> K = class K()
#> k = K(n=<an unknown function() may change it: 1> @4:7, **an unknown function() may change it) @3:5
#> M = class M()
#> m = 1 | M(a=<F is given> @7:37, b=<computed at run time> @8:37) @9:5
#> may raise

d = {'n': 0}
def f():
    d['n'] += 1
F(f)
F(f)
d['n'] = 0
F(f)
x = d['n']
#> d = {'n': <F() may change it: 0 or 1 or 2 or 3> @3:15} @1:5
#> f = def f()
#> x = <F() may change it: 0 or 1 or 2 or 3> @8:5
#> may raise

def f():
    raise ValueError
F(f)
x = 1
#> f = def f()
#> x = 1 @4:5
#> may raise

def f():
    d['n'] = d['n'] + 1
d = {'n': 0}
F(f)
#> f = def f()
#> d = {'n': <F() may change it: 0 or 1 or 2> @2:14} @3:5
#> may raise

x = 1
def f():
    global x
    x += 1
F(f)
#> x = <F() may change it: 1 or 2 or 3> @4:10
#> f = def f()
#> may raise

def outer():
    l = [1]
    def f(n):
        l.append(n)
        return f(n + 1)
    f(0)
    return l
x = outer()
#> outer = def outer()
#> x = [*<the script calls itself too deeply>, **the script calls itself too deeply] @8:5

def f(l, n):
    l.append(n)
    return f(l, n)
l = []
x = f(l, 0)
#> f = def f()
#> l = [*<the script calls itself too deeply>, **the script calls itself too deeply] @4:5
#> x = <too complex to evaluate> @5:5
"""

CLASSES = r"""
class K:
    a = 1
    def __init__(self, b, *, c=3):
        self.b = b
        self.c = c
    def sum(self):
        return self.a + self.b + self.c
k = K(2)
x = k.sum()
y = K.sum(k)
z = K.a
#> K = class K(a=1 @2:9)
#> k = K(b=2 @4:18, c=3 @5:18) @8:5
#> x = 6 @9:5
#> y = 6 @10:5
#> z = 1 @11:5

class P:
    def __init__(self, n):
        self.n = n
class Q(P):
    def __init__(self):
        super().__init__(1)
        self.m = 2
class R(Q):
    def __init__(self):
        super(R, self).__init__()
        self.o = 3
q = R()
#> P = class P()
#> Q = class Q()
#> R = class R()
#> q = R(n=1 @3:18, m=2 @7:18, o=3 @11:18) @12:5

class P:
    n = 1
    def f(self):
        return 'P'
class Q(P):
    m = 2
class R(P):
    n = 3
    def f(self):
        return 'R' + super().f()
class S(Q, R):
    pass
s = S()
x = [s.n, s.m, s.f(), S.n]
#> P = class P(n=1 @2:9)
#> Q = class Q(m=2 @6:9)
#> R = class R(n=3 @8:9)
#> S = class S()
#> s = S() @13:5
#> x = [3 @14:6, 2 @14:11, 'RP' @14:16, 3 @14:23] @14:5

class K:
    @staticmethod
    def s(a):
        return a
    @classmethod
    def c(cls, a):
        return [cls.n, a]
    @property
    def p(self):
        return self.n + 1
    n = 1
k = K()
k.n = 5
x = [K.s(1), k.s(2), K.c(3), k.c(4), k.p]
#> K = class K(n=1 @11:9)
#> k = K(n=5 @13:7) @12:5
#> x = [1 @14:6, 2 @14:14, [1 @7:17, 3 @7:24] @14:22, [1 @7:17, 4 @7:24] @14:30, 6 @14:38] @14:5

class K:
    def __call__(self, a):
        return a + 1
x = K()(1)
#> K = class K()
#> x = 2 @4:5

class K:
    def __getitem__(self, key):
        return [key]
x = K()['a']
#> K = class K()
#> x = ['a' @3:17] @4:5

class K:
    def __init__(self):
        self._n = 1
    @property
    def n(self):
        return self._n
    @n.setter
    def n(self, value):
        self._n = value * 2
k = K()
k.n = 3
x = k.n
#> K = class K()
#> k = K(_n=6 @9:19) @10:5
#> x = <computed by a property of its class> @12:5

class K:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, 5)
k = K()
k.n = 3
#> K = class K()
#> k = K(**the class defines __setattr__) @4:5

class K:
    def __getattr__(self, name):
        return 7
k = K()
k.n = 1
#> K = class K()
#> k = K(n=1 @5:7, **its class computes its attributes) @4:5

class K:
    def __new__(cls):
        return 5
k = K()
#> K = class K()
#> k = K(**the class defines __new__) @4:5

class K:
    pass
k = K()
k.n = 1
del k.n
k.m = 2
F(k)
#> K = class K()
#> k = K(m=<F() may change it: 2> @6:7, **F() may change it) @3:5
#> may raise

class K:
    l = [1]
    def f(self):
        self.l.append(2)
        return self
k = K().f()
x = K.l
#> K = class K(l=[1 @2:10, 2 @4:23] @2:9)
#> k = K() @6:5
#> x = [1 @2:10, 2 @4:23] @7:5

class K:
    n = 1
k, l = K(), K()
m = k if A else l
m.n = 2
x = m.n
#> K = class K(n=1 @2:9)
#> k = K(n=maybe 2 @5:7) @3:8
#> l = K(n=maybe 2 @5:7) @3:13
#> m = K(n=maybe 2 @5:7) | K(n=maybe 2 @5:7) @4:5
#> x = <depends on a condition: 2 or 1> @6:5

class K:
    def __init__(self, n):
        self.n = n
k = K(1) if A else K(2)
x = k.n
#> K = class K()
#> k = K(n=1 @3:18) | K(n=2 @3:18) @4:5
#> x = <depends on a condition: 1 or 2> @5:5

class K:
    def __bool__(self):
        return False
class M:
    pass
x = 1 if K() else 2
y = 1 if M() else 2
z = 1 if K else 2
#> K = class K()
#> M = class M()
#> x = <depends on a condition: 1 or 2> @6:5
#> y = 1 @7:5
#> z = 1 @8:5

import functools
class K:
    m = 1
    @functools.cached_property
    def n(self):
        return self.m
k, l = K(), K()
k.n = 5
x = [k.n, l.n]
#> K = class K(m=1 @3:9)
#> k = K(n=5 @8:7) @7:8
#> l = K() @7:13
#> x = [5 @9:6, 1 @9:11] @9:5

class K:
    @property
    def n(self):
        return 1
    @n.deleter
    def n(self):
        pass
class M:
    @property
    def n(self):
        return 1
    @n.getter
    def n(self):
        return 2
k, m = K(), M()
k.__dict__['n'] = m.__dict__['n'] = 3
x = [k.n, m.n]
#> K = class K()
#> M = class M()
#> k = K(n=3 @16:37) @15:8
#> m = M(n=3 @16:37) @15:13
#> x = [<computed by a property of its class> @17:6, <computed by a property of its class> @17:11] @17:5

class K:
    def __len__(self):
        return 0
class L_(K):
    pass
class M(dict):
    pass
class N(object):
    pass
class O(F if A else F):
    pass
w = 1 if K() else 2
x = 1 if L_() else 2
y = 1 if M() else 2
z = 1 if N() else 2
u = 1 if O() else 2
#> K = class K()
#> L_ = class L_()
#> M = class M()
#> N = class N()
#> O = class O()
#> w = <depends on a condition: 1 or 2> @12:5
#> x = <depends on a condition: 1 or 2> @13:5
#> y = <depends on a condition: 1 or 2> @14:5
#> z = 1 @15:5
#> u = <depends on a condition: 1 or 2> @16:5

class K:
    @property
    def n(self):
        return 0
    @n.setter
    def n(self, value):
        pass
k = K()
x = 1 if k.n else 2
#> K = class K()
#> k = K() @8:5
#> x = <depends on a condition: 1 or 2> @9:5

class K:
    if A:
        n = 1
    else:
        n = 2
    for i in (1, 2):
        m = i
x = [K.n, K.m]
#> K = class K(n=<depends on a condition: 1 or 2> @5:13, i=2 @6:18, m=2 @7:13)
#> x = [<depends on a condition: 1 or 2> @8:6, 2 @8:11] @8:5

class K:
    n = 1
k = K()
k.__dict__['m'] = 2
x = k.m
vars(k)['n'] = 3
y = [k.__class__ is K, K.__name__]
#> K = class K(n=1 @2:9)
#> k = K(m=2 @4:19, n=3 @6:16) @3:5
#> x = 2 @5:5
#> y = [True @7:6, 'K' @7:24] @7:5

class K:
    def set(self, **settings):
        for name, value in settings.items():
            setattr(self, name, value)
k = K()
k.set(a=1, b=2)
k.__dict__.update(c=3)
#> K = class K()
#> k = K(a=1 @4:33, b=2 @4:33, c=3 @7:21) @5:5

def wrap(cls):
    cls.extra = 1
    return cls
@wrap
class K:
    pass
x = K().extra
#> wrap = def wrap()
#> K = class K(extra=1 @2:17)
#> x = 1 @7:5

def wrap(f):
    def inner(*a):
        return f(*a) + 1
    return inner
@wrap
def f(a):
    return a
x = f(1)
#> wrap = def wrap()
#> f = def inner()
#> x = 2 @8:5

def wrap(n):
    def with_(f):
        return lambda a: f(a) * n
    return with_
@wrap(3)
def f(a):
    return a
x = f(2)
#> wrap = def wrap()
#> f = def lambda()
#> x = 6 @8:5

@F
def f():
    return 1
x = f
#> f = def f()
#> x = def f() @4:5

l = [1]
@F
class K:
    def f(self):
        l.append(2)
#> l = [*<depends on a condition>] @1:5
#> K = class K()

@F
@(lambda f: 5)
def f():
    return 1
#> f = <computed at run time>

from dataclasses import dataclass
@dataclass
class K:
    a: int = 1
d = {}
if A:
    d['a'] = 2
k = K(**d)
#> K = class K(a=1 @4:14)
#> d = {'a': maybe 2 @7:14} @5:5
#> k = K(a=<depends on a condition: 1 or 2> @7:14) @8:5

class K:
    pass
x = dir(K)
vars(K)
y = never_bound
#> K = class K()
#> x = <computed at run time> @3:5
#> may raise

a, l = 1, [1]
def f():
    return [a, len(l)]
globals().update(D)
x = [a, f(), __name__]
#> A = <D is given>
#> B = <D is given>
#> U = <D is given>
#> C = <D is given: 2 or 3>
#> L = <D is given>
#> F = <D is given>
#> a = <D is given: 1> @1:8
#> l = <D is given> @1:11
#> f = def f()
#> x = [<D is given: 1> @5:6, [<D is given: 1> @3:13, <D is given> @3:16] @5:9, '__main__' @5:14] @5:5
#> may raise

a = 1
globals()[U] = 2
x = a
#> A = <an unknown key is set>
#> B = <an unknown key is set>
#> U = <an unknown key is set>
#> C = <an unknown key is set: 2 or 3>
#> L = <an unknown key is set>
#> D = <an unknown key is set>
#> F = <an unknown key is set>
#> a = <an unknown key is set: 1> @1:5
#> x = <an unknown key is set: 1> @3:5

@F
class K:
    n = 1
x = K
#> K = class K(n=<the class is changed by a decorator: 1> @3:9)
#> x = class K(n=<the class is changed by a decorator: 1> @3:9) @4:5

class K(F):
    n = 1
x = 1
#> K = class K(n=<a base of the class is not known: 1> @2:9)
#> x = 1 @3:5

class M(type):
    def __init__(cls, *a):
        global g
        g = 2
g = 1
class K(metaclass=M):
    n = 1
x = g
#> M = class M()
#> g = <depends on a condition: 1 or 2> @4:13
#> K = class K(n=<a metaclass makes the class: 1> @7:9)
#> x = <depends on a condition: 1 or 2> @8:5

class K(metaclass=U):
    n = 1
k = K()
#> K = class K(n=<a metaclass makes the class: 1> @2:9)
#> k = K(**its class cannot be followed) @3:5

from dataclasses import dataclass, field
@dataclass
class K:
    a: int
    b: int = 2
    c: list = field(default_factory=list)
    d: int = field(default=4)
    e: int = field(repr=False, default=U)
    def __post_init__(self):
        self.f = self.b + 1
k = K(1)
l = K(1, 5, d=6)
k.c.append(1)
#> K = class K(b=2 @5:14, d=4 @7:28, e=<U is given> @8:40)
#> k = K(b=2 @5:14, c=[1 @13:12] @6:37, d=4 @7:28, e=<U is given> @8:40, a=1 @11:7, f=3 @10:18) @11:5
#> l = K(b=5 @12:10, c=[] @6:37, d=6 @12:15, e=<U is given> @8:40, a=1 @12:7, f=6 @10:18) @12:5

from dataclasses import dataclass
from typing import ClassVar
@dataclass
class P:
    a: int = 1
    k: ClassVar[int] = 5
@dataclass
class Q(P):
    b: int = 2
    a: int = 3
q = Q()
r = Q(7, 8)
#> P = class P(a=1 @5:14, k=5 @6:24)
#> Q = class Q(b=2 @9:14, a=3 @10:14)
#> q = Q(a=3 @10:14, b=2 @9:14) @11:5
#> r = Q(a=7 @12:7, b=8 @12:10) @12:5

from dataclasses import dataclass
@dataclass
class K:
    a: int = 1
d = {'a': 2}
k = K(**d)
l = K(**D)
#> K = class K(a=1 @4:14)
#> d = {'a': 2 @5:11} @5:5
#> k = K(a=2 @5:11) @6:5
#> l = K(a=<D is given: 1> @4:14, **D is given) @7:5
"""

if sys.version_info >= (3, 11):
    EXCEPTIONS += """
try:
    F()
    x = 1
except* ValueError:
    x = 2
#> x = <depends on a condition: 1 or 2> @5:9
#> may raise"""

EXPECTED = "\n\n".join(
    table.strip("\n")
    for table in (
        ASSIGNMENTS, AUGMENTED, NAMES, BRANCHES, MATCHES, LOOPS, EXCEPTIONS, CONTEXTS, ENDS, FUNCTIONS, CLASSES,
    )
)  # fmt: skip
CASES = EXPECTED.split("\n\n")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_what_is_known_after_statements(case: str) -> None:
    lines = case.splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#> "))
    assert known(text).splitlines() == [line[3:] for line in lines if line.startswith("#> ")]
    assert not contradictions(text)
