"""Texts that are not correct: the statements before and after each error."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
prog a
[[ -n ] [ ]] && prog b
prog c
====>
1:Call[<'prog'> <'a'>]
error 2
after 2
1:Call[<'prog'> <'c'>]
----
prog a
prog b; fi
prog c
====>
1:Call[<'prog'> <'a'>]
error 2
after 2
1:Call[<'prog'> <'c'>]
----
fi
prog a
====>
error 1
after 1
1:Call[<'prog'> <'a'>]
----
prog a
fi
====>
1:Call[<'prog'> <'a'>]
error 2
----
prog a

fi

prog b
====>
1:Call[<'prog'> <'a'>]
error 3
after 3
2:Call[<'prog'> <'b'>]
----
prog a
if true; then
prog b
====>
1:Call[<'prog'> <'a'>]
error 2
after 2
1:Call[<'prog'> <'b'>]
----
if true; then
prog a
prog b
====>
error 1
after 1
1:Call[<'prog'> <'a'>]
2:Call[<'prog'> <'b'>]
----
prog a; )
prog b; )
prog c
====>
error 1
after 1
error 2
after 2
1:Call[<'prog'> <'c'>]
----
)
)
)
)
)
)
)
)
prog a
====>
error 1
after 1
error 2
after 2
error 3
after 3
error 4
after 4
error 5
after 5
error 6
after 6
error 7
after 7
error 8
after 8
error 9
----
)
)
)
)
)
)
)
prog a
====>
error 1
after 1
error 2
after 2
error 3
after 3
error 4
after 4
error 5
after 5
error 6
after 6
error 7
after 7
1:Call[<'prog'> <'a'>]
----
)
)
)
)
)
)
)
)
====>
error 1
after 1
error 2
after 2
error 3
after 3
error 4
after 4
error 5
after 5
error 6
after 6
error 7
after 7
error 8
----
a
)
b
)
c
)
d
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
error 4
after 4
1:Call[<'c'>]
error 6
after 6
1:Call[<'d'>]
----
prog 'a
prog b
====>
error 1
after 1
1:Call[<'prog'> <'b'>]
----
prog "a
prog b"
prog 'c
====>
1:Call[<'prog'> <DblQuoted(Parts=['a\nprog b'])>]
error 3
----
a
b \
c
)
d
====>
1:Call[<'a'>]
2:Call[<'b'> <'c'>]
error 4
after 4
1:Call[<'d'>]
----
a \
)
b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
) \
a
b
====>
error 1
after 1
1:Call[<'a'>]
2:Call[<'b'>]
----
a
x=(1
b
c
====>
1:Call[<'a'>]
error 4
----
a
[[ b
c
d
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
2:Call[<'d'>]
----
a
((b
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
----
a
{ b
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
----
a
for x in a; do
b
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
2:Call[<'c'>]
----
a
case x in
b) c
d
====>
1:Call[<'a'>]
error 2
after 2
error 3
after 3
1:Call[<'d'>]
----
a
f() {
b
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
2:Call[<'c'>]
----
a
while b; do
c
d
e
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
2:Call[<'d'>]
3:Call[<'e'>]
----
a; b; )
c
====>
error 1
after 1
1:Call[<'c'>]
----
if a; then
 b
 )
 c
fi
d
====>
error 3
after 3
1:Call[<'c'>]
error 5
after 5
1:Call[<'d'>]
----
a
b `c
d` e
f
====>
1:Call[<'a'>]
2:Call[<'b'> <CmdSubst(Stmts=[2:Call[<'c'>] 2:Call[<'d'>]])> <'e'>]
4:Call[<'f'>]
----
a
$(b
c
====>
1:Call[<'a'>]
error 3
----
a
prog ${A
b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
a
cat <<E
b
E
c
)
d
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'E'>}]}
5:Call[<'c'>]
error 6
after 6
1:Call[<'d'>]
----
cat <<E
b
E
)
cat <<F
c
F
d
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'E'>}]}
error 4
after 4
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'c\n'> Op=<< Word=<'F'>}]}
4:Call[<'d'>]
----
a
cat <<E
)
b
====>
1:Call[<'a'>]
error 2
after 2
error 3
after 3
1:Call[<'b'>]
----
a
cat <<E; cat <<F
b
E
c
)
d
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
2:Call[<'E'>]
3:Call[<'c'>]
error 6
after 6
1:Call[<'d'>]
----
a
cat <<$X
b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
a
prog $zq000000q
b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
a $zq12q
====>
1:Call[<'a'> <$zq12q>]
----
a
b (c)
d
e (f)
g
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'d'>]
error 4
after 4
1:Call[<'g'>]
----
a
coproc b
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
----
{ a
b
}
c )
d
====>
1:Block(Stmts=[1:Call[<'a'>] 2:Call[<'b'>]])
error 4
after 4
1:Call[<'d'>]
----
a "b
c" d
e )
f
====>
1:Call[<'a'> <DblQuoted(Parts=['b\nc'])> <'d'>]
error 3
after 3
1:Call[<'f'>]
----
a
b &&
)
c
====>
1:Call[<'a'>]
error 3
after 3
1:Call[<'c'>]
----
a &&
====>
error 1
----
# a
====>

----
a
# b
)
c # d
====>
1:Call[<'a'>]
error 3
after 3
1:Call[<'c'>]
----
  a
	)
  b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
a
if b; then c; )
d
fi
e
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'d'>]
error 4
after 4
1:Call[<'e'>]
----
a; if b
c
d
====>
error 1
after 1
1:Call[<'c'>]
2:Call[<'d'>]
----
x=1 )
a
x=2
====>
error 1
after 1
1:Call[<'a'>]
2:CallExpr(Assigns=[{Name=:x Value=<'2'>}])
----
a
b |
c )
d
====>
1:Call[<'a'>]
error 3
after 3
1:Call[<'d'>]
----
time a
time b )
time c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'c'>]
----
é )
ü
====>
error 1
after 1
1:Call[<'ü'>]
----
a ;; b
c
====>
error 1
after 1
1:Call[<'c'>]
----
for x in a
b; do c; done
d
====>
error 1
after 1
error 2
after 2
1:Call[<'d'>]
----
select
a
====>
error 1
after 1
1:Call[<'a'>]
----
a
function
b
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'b'>]
----
a b c d (
e
====>
error 1
after 1
1:Call[<'e'>]
----
a <
b
====>
error 1
after 1
1:Call[<'b'>]
----
a > > b
c
====>
error 1
after 1
1:Call[<'c'>]
----
a
b 'c' d" e
f
g
====>
1:Call[<'a'>]
error 4
----
a)
b
c)
d
e
====>
error 1
after 1
1:Call[<'b'>]
error 3
after 3
1:Call[<'d'>]
2:Call[<'e'>]
----
a &&
b \
)
c
====>
1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=2:Call[<'b'>])
error 3
after 3
1:Call[<'c'>]
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_statements_around_an_error_are_kept(text: str, tree: str) -> None:
    assert blocks(text) == tree
