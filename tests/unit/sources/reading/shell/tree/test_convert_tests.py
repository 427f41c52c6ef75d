"""The expressions of ``[[ ... ]]`` in the tree, by bash's precedence."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
[[ a ]]
====>
1:TestClause(X=Word<'a'>)
----
[[ -n a && -z b || -f c ]]
====>
1:TestClause(X=test(test(UnaryTest(Op=-n X=Word<'a'>) && UnaryTest(Op=-z X=Word<'b'>)) || UnaryTest(Op=-f X=Word<'c'>)))
----
[[ a == b || c != d && e = f ]]
====>
1:TestClause(X=test(test(Word<'a'> == Word<'b'>) || test(test(Word<'c'> != Word<'d'>) && test(Word<'e'> = Word<'f'>))))
----
[[ ! a == b ]]
====>
1:TestClause(X=UnaryTest(Op=! X=test(Word<'a'> == Word<'b'>)))
----
[[ ! ( a == b || ! c ) && d ]]
====>
1:TestClause(X=test(UnaryTest(Op=! X=ParenTest(X=test(test(Word<'a'> == Word<'b'>) || UnaryTest(Op=! X=Word<'c'>)))) && Word<'d'>))
----
[[ a < b ]]; [[ a > b ]]
====>
1:TestClause(X=test(Word<'a'> < Word<'b'>))
1:TestClause(X=test(Word<'a'> > Word<'b'>))
----
[[ a -eq 1 && b -ne 2 && c -lt 3 && d -le 4 && e -gt 5 && f -ge 6 ]]
====>
1:TestClause(X=test(test(test(test(test(test(Word<'a'> -eq Word<'1'>) && test(Word<'b'> -ne Word<'2'>)) && test(Word<'c'> -lt Word<'3'>)) && test(Word<'d'> -le Word<'4'>)) && test(Word<'e'> -gt Word<'5'>)) && test(Word<'f'> -ge Word<'6'>)))
----
[[ a -nt b || c -ot d || e -ef f ]]
====>
1:TestClause(X=test(test(test(Word<'a'> -nt Word<'b'>) || test(Word<'c'> -ot Word<'d'>)) || test(Word<'e'> -ef Word<'f'>)))
----
[[ $x =~ ^a.b$ ]]
====>
1:TestClause(X=test(Word<$x> =~ Word<'^a.b$'>))
----
[[ $x =~ "a b"c ]]
====>
1:TestClause(X=test(Word<$x> =~ Word<DblQuoted(Parts=['a b']) 'c'>))
----
[[ $x == a* ]]; [[ $x == "a*" ]]; [[ $x != ?[b]* ]]; [[ $x = 'a b'* ]]
====>
1:TestClause(X=test(Word<$x> == Word<'a*'>))
1:TestClause(X=test(Word<$x> == Word<DblQuoted(Parts=['a*'])>))
1:TestClause(X=test(Word<$x> != Word<'?[b]*'>))
1:TestClause(X=test(Word<$x> = Word<SglQuoted(Value='a b') '*'>))
----
[[ "$x $y" == $z ]]
====>
1:TestClause(X=test(Word<DblQuoted(Parts=[$x ' ' $y])> == Word<$z>))
----
[[ $x == $y"z"* ]]
====>
1:TestClause(X=test(Word<$x> == Word<$y DblQuoted(Parts=['z']) '*'>))
----
[[ -v A ]]; [[ -v A[0] ]]; [[ -d "$x" ]]; [[ -e $x/y ]]; [[ -x a"b"c ]]
====>
1:TestClause(X=UnaryTest(Op=-v X=Word<'A'>))
1:TestClause(X=UnaryTest(Op=-v X=Word<'A[0]'>))
1:TestClause(X=UnaryTest(Op=-d X=Word<DblQuoted(Parts=[$x])>))
1:TestClause(X=UnaryTest(Op=-e X=Word<$x '/y'>))
1:TestClause(X=UnaryTest(Op=-x X=Word<'a' DblQuoted(Parts=['b']) 'c'>))
----
[[ ( a ) ]]; [[ ((a)) ]]
====>
1:TestClause(X=ParenTest(X=Word<'a'>))
1:TestClause(X=ParenTest(X=ParenTest(X=Word<'a'>)))
----
[[
  a
  && # x
  b
]]
====>
1:TestClause(X=test(Word<'a'> && Word<'b'>))
----
[[ a ]] && [[ b ]]
====>
1:BinaryCmd(Op=&& X=1:TestClause(X=Word<'a'>) Y=1:TestClause(X=Word<'b'>))
----
[[ -z ]]
====>
1:TestClause(X=Word<'-z'>)
----
[[ ]]
====>
error 1
----
[[ a == ]]
====>
error 1
----
[[ a b ]]
====>
error 1
----
[[ ( a ]]
====>
error 1
----
[[ a && ]]
====>
error 1
----
[[ a || b && c || d && e ]]
====>
1:TestClause(X=test(test(Word<'a'> || test(Word<'b'> && Word<'c'>)) || test(Word<'d'> && Word<'e'>)))
----
[[ $a -gt $((b + 1)) ]]
====>
1:TestClause(X=test(Word<$a> -gt Word<ArithmExp(X=(Word<'b'> + Word<'1'>))>))
----
[[ $a -eq b+1 ]]
====>
1:TestClause(X=test(Word<$a> -eq Word<'b+1'>))
----
[[ a == (b) ]]
====>
error 1
----
[[ $x == @(a|b)* ]]
====>
1:TestClause(X=test(Word<$x> == Word<ExtGlob(Value='@(a|b)') '*'>))
----
[[ a=b ]]
====>
1:TestClause(X=Word<'a=b'>)
----
[[ $x -eq 1 ]] || [[ ${y:-0} -lt "2" ]]
====>
1:BinaryCmd(Op=|| X=1:TestClause(X=test(Word<$x> -eq Word<'1'>)) Y=1:TestClause(X=test(Word<ParamExp(Exp={Op=:- Word=<'0'>} Param=:y)> -lt Word<DblQuoted(Parts=['2'])>)))
----
[[ $(a) == `b` ]]
====>
1:TestClause(X=test(Word<CmdSubst(Stmts=[1:Call[<'a'>]])> == Word<CmdSubst(Stmts=[1:Call[<'b'>]])>))
----
[[ ! -f a ]]; [[ ! $x ]]
====>
1:TestClause(X=UnaryTest(Op=! X=UnaryTest(Op=-f X=Word<'a'>)))
1:TestClause(X=UnaryTest(Op=! X=Word<$x>))
----
[[ -n "$x" ]] && a; [[ -n $x$y ]]; [[ "$x"y == z ]]
====>
1:BinaryCmd(Op=&& X=1:TestClause(X=UnaryTest(Op=-n X=Word<DblQuoted(Parts=[$x])>)) Y=1:Call[<'a'>])
1:TestClause(X=UnaryTest(Op=-n X=Word<$x $y>))
1:TestClause(X=test(Word<DblQuoted(Parts=[$x]) 'y'> == Word<'z'>))
----
[[ a == b ]] > f
====>
{Cmd=TestClause(Pos=@1 X=test(Word<'a'> == Word<'b'>)) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
[[ $x =~ a|b ]]
====>
1:TestClause(X=test(Word<$x> =~ Word<'a|b'>))
----
[[ a != *b* ]]
====>
1:TestClause(X=test(Word<'a'> != Word<'*b*'>))
----
[[ a -a b ]]
====>
error 1
----
[[ 1 -eq 1 == 2 ]]
====>
error 1
----
[[ a -o b ]]
====>
error 1
----
[[ ! ! a ]]
====>
1:TestClause(X=UnaryTest(Op=! X=UnaryTest(Op=! X=Word<'a'>)))
----
[[ -t 1 ]]; [[ -o errexit ]]; [[ -s a ]]; [[ -r b ]]; [[ -w c ]]; [[ -h d ]]; [[ -L e ]]
====>
1:TestClause(X=UnaryTest(Op=-t X=Word<'1'>))
1:TestClause(X=UnaryTest(Op=-o X=Word<'errexit'>))
1:TestClause(X=UnaryTest(Op=-s X=Word<'a'>))
1:TestClause(X=UnaryTest(Op=-r X=Word<'b'>))
1:TestClause(X=UnaryTest(Op=-w X=Word<'c'>))
1:TestClause(X=UnaryTest(Op=-h X=Word<'d'>))
1:TestClause(X=UnaryTest(Op=-L X=Word<'e'>))
----
[[ ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! a ]]
====>
1:TestClause(X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=Word<'a'>))))))))))))))))))))))))))))))
----
[[ ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( a ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ]]
====>
1:TestClause(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=Word<'a'>))))))))))))))))))))))))))))))
----
[[ ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! a ]]
====>
1:TestClause(X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=UnaryTest(Op=! X=Word<'a'>)))))))))))))))))))))))))))))))
----
[[ ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( a ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ]]
====>
1:TestClause(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=ParenTest(X=Word<'a'>)))))))))))))))))))))))))))))))
----
[[ ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! ! a ]]
====>
error 1
----
[[ ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( ( a ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ) ]]
====>
error 1
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_condition_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
