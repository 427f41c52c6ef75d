"""Arithmetic expressions in the tree, by bash's precedence."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
((1 + 2 - 3))
====>
1:ArithmCmd(X=((Word<'1'> + Word<'2'>) - Word<'3'>))
----
((a * b / c % d ** e ** f))
====>
1:ArithmCmd(X=(((Word<'a'> * Word<'b'>) / Word<'c'>) % (Word<'d'> ** (Word<'e'> ** Word<'f'>))))
----
((1 || 2 && 3 | 4 ^ 5 & 6 == 7 != 8 < 9 > 10 <= 11 >= 12 << 13 >> 14 + 15 - 16 * 17 / 18 % 19 ** 20))
====>
1:ArithmCmd(X=(Word<'1'> || (Word<'2'> && (Word<'3'> | (Word<'4'> ^ (Word<'5'> & ((Word<'6'> == Word<'7'>) != ((((Word<'8'> < Word<'9'>) > Word<'10'>) <= Word<'11'>) >= ((Word<'12'> << Word<'13'>) >> ((Word<'14'> + Word<'15'>) - (((Word<'16'> * Word<'17'>) / Word<'18'>) % (Word<'19'> ** Word<'20'>))))))))))))
----
((1 ** 2 % 3 * 4 - 5 + 6 >> 7 << 8 >= 9 <= 10 > 11 < 12 != 13 == 14 & 15 ^ 16 | 17 && 18 || 19))
====>
1:ArithmCmd(X=((((((((((((((((((Word<'1'> ** Word<'2'>) % Word<'3'>) * Word<'4'>) - Word<'5'>) + Word<'6'>) >> Word<'7'>) << Word<'8'>) >= Word<'9'>) <= Word<'10'>) > Word<'11'>) < Word<'12'>) != Word<'13'>) == Word<'14'>) & Word<'15'>) ^ Word<'16'>) | Word<'17'>) && Word<'18'>) || Word<'19'>))
----
((a = b, c += 1, d -= 2, e *= 3, f /= 4, g %= 5, h <<= 6, i >>= 7, j &= 8, k |= 9, l ^= 10))
====>
1:ArithmCmd(X=(((((((((((Word<'a'> = Word<'b'>) , (Word<'c'> += Word<'1'>)) , (Word<'d'> -= Word<'2'>)) , (Word<'e'> *= Word<'3'>)) , (Word<'f'> /= Word<'4'>)) , (Word<'g'> %= Word<'5'>)) , (Word<'h'> <<= Word<'6'>)) , (Word<'i'> >>= Word<'7'>)) , (Word<'j'> &= Word<'8'>)) , (Word<'k'> |= Word<'9'>)) , (Word<'l'> ^= Word<'10'>)))
----
((a = b = c))
====>
1:ArithmCmd(X=(Word<'a'> = (Word<'b'> = Word<'c'>)))
----
((a ? b : c ? d : e))
====>
1:ArithmCmd(X=(Word<'a'> ? (Word<'b'> : (Word<'c'> ? (Word<'d'> : Word<'e'>)))))
----
((a ? b, c : d = e))
====>
error 1
----
((a = b ? c : d))
====>
1:ArithmCmd(X=(Word<'a'> = (Word<'b'> ? (Word<'c'> : Word<'d'>))))
----
((-a + +b * !c - ~d))
====>
1:ArithmCmd(X=((UnaryArithm(Op=- X=Word<'a'>) + (UnaryArithm(Op=+ X=Word<'b'>) * UnaryArithm(Op=! X=Word<'c'>))) - UnaryArithm(Op=~ X=Word<'d'>)))
----
((++a + --b + c++ - d--))
====>
1:ArithmCmd(X=(((UnaryArithm(Op=++ X=Word<'a'>) + UnaryArithm(Op=-- X=Word<'b'>)) + UnaryArithm(Op=++ Post=True X=Word<'c'>)) - UnaryArithm(Op=-- Post=True X=Word<'d'>)))
----
((- -a + !!b))
====>
1:ArithmCmd(X=(UnaryArithm(Op=- X=UnaryArithm(Op=- X=Word<'a'>)) + UnaryArithm(Op=! X=UnaryArithm(Op=! X=Word<'b'>))))
----
(((1 + 2) * (3)))
====>
1:ArithmCmd(X=(ParenArithm(X=(Word<'1'> + Word<'2'>)) * ParenArithm(X=Word<'3'>)))
----
((A[1] + A[i + 1] * B[$j]))
====>
1:ArithmCmd(X=(Word<ParamExp(Index=Word<'1'> Param=:A Short=True)> + (Word<ParamExp(Index=(Word<'i'> + Word<'1'>) Param=:A Short=True)> * Word<ParamExp(Index=Word<$j> Param=:B Short=True)>)))
----
((A[1] = 5, A[i]++, ++A[2]))
====>
1:ArithmCmd(X=(((Word<ParamExp(Index=Word<'1'> Param=:A Short=True)> = Word<'5'>) , UnaryArithm(Op=++ Post=True X=Word<ParamExp(Index=Word<'i'> Param=:A Short=True)>)) , UnaryArithm(Op=++ X=Word<ParamExp(Index=Word<'2'> Param=:A Short=True)>)))
----
(($A + ${B} * ${C:-1} + $1 + $# + $? + $(echo 1) + "2" + `echo 3`))
====>
error 1
----
((0x1F + 010 + 2#101 + 16#ff + 64#@_))
====>
1:ArithmCmd(X=((((Word<'0x1F'> + Word<'010'>) + Word<'2#101'>) + Word<'16#ff'>) + Word<'64#@_'>))
----
((a$B + $A$B + x${C}y))
====>
error 1
----
((a
+ b \
- c))
====>
1:ArithmCmd(X=((Word<'a'> + Word<'b'>) - Word<'c'>))
----
(())
====>
error 1
----
((  ))
====>
error 1
----
((a --b))
====>
error 1
----
((a++ + ++b))
====>
1:ArithmCmd(X=(UnaryArithm(Op=++ Post=True X=Word<'a'>) + UnaryArithm(Op=++ X=Word<'b'>)))
----
((--1))
====>
error 1
----
((a +))
====>
error 1
----
((a = ))
====>
error 1
----
((1 = 2))
====>
error 1
----
((a ? b))
====>
error 1
----
((a b))
====>
error 1
----
(((a))
====>
error 1
----
((a ? b : ))
====>
error 1
----
((a , ))
====>
error 1
----
((a @ b))
====>
error 1
----
((a[1))
====>
error 1
----
((a.b + 1))
====>
error 1
----
(($A[1] + 2))
====>
error 1
----
((1[2]))
====>
error 1
----
prog $((a[0])) $[b[1] + 1] $((A["x y"]))
====>
1:Call[<'prog'> <ArithmExp(X=Word<ParamExp(Index=Word<'0'> Param=:a Short=True)>)> <ArithmExp(X=(Word<ParamExp(Index=Word<'1'> Param=:b Short=True)> + Word<'1'>))> <ArithmExp(X=Word<ParamExp(Index=Word<DblQuoted(Parts=['x y'])> Param=:A Short=True)>)>]
----
let a=1 "b = 2" 'c += 3' d++ "e" ""
====>
1:LetClause(Exprs=[(Word<'a'> = Word<'1'>) (Word<'b'> = Word<'2'>) (Word<'c'> += Word<'3'>) UnaryArithm(Op=++ Post=True X=Word<'d'>) Word<'e'> Word<>])
----
let a=b*2 "f=$x + 1" g="1 + 2" h=$((1+1))
====>
1:LetClause(Exprs=[(Word<'a'> = (Word<'b'> * Word<'2'>)) (Word<'f'> = (Word<$x> + Word<'1'>)) (Word<'g'> = Word<DblQuoted(Parts=['1 + 2'])>) (Word<'h'> = Word<ArithmExp(X=(Word<'1'> + Word<'1'>))>)])
----
let i=A[1] "A[2] = 3"
====>
1:LetClause(Exprs=[(Word<'i'> = Word<ParamExp(Index=Word<'1'> Param=:A Short=True)>) (Word<ParamExp(Index=Word<'2'> Param=:A Short=True)> = Word<'3'>)])
----
((${a} ++))
====>
error 1
----
((a<b?1:0))
====>
1:ArithmCmd(X=((Word<'a'> < Word<'b'>) ? (Word<'1'> : Word<'0'>)))
----
((a<<2>>1))
====>
1:ArithmCmd(X=((Word<'a'> << Word<'2'>) >> Word<'1'>))
----
((a==1&&b!=2||!c))
====>
1:ArithmCmd(X=(((Word<'a'> == Word<'1'>) && (Word<'b'> != Word<'2'>)) || UnaryArithm(Op=! X=Word<'c'>)))
----
((a=1,b=2))
====>
1:ArithmCmd(X=((Word<'a'> = Word<'1'>) , (Word<'b'> = Word<'2'>)))
----
(($((1 + 1)) * 2))
====>
error 1
----
((a[b[1]] + 1))
====>
error 1
----
A[i+1]=1; A[i]=2 A[$i]=3 A["k"]=4 A[k k]=5 A[-1]+=6
====>
error 1
----
prog ${A[1 + ]} ${B[a b]} ${C[a.b]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'1 + '> Param=:A)> <ParamExp(Index=Word<'a b'> Param=:B)> <ParamExp(Index=Word<'a.b'> Param=:C)>]
----
((1 ? (2) : (3, 4)))
====>
error 1
----
((a = (b = 1) + 2))
====>
1:ArithmCmd(X=(Word<'a'> = (ParenArithm(X=(Word<'b'> = Word<'1'>)) + Word<'2'>)))
----
((a = 1 + b = 2))
====>
error 1
----
((!a = 1))
====>
error 1
----
((-x ** 2))
====>
1:ArithmCmd(X=(UnaryArithm(Op=- X=Word<'x'>) ** Word<'2'>))
----
((2 ** -1))
====>
1:ArithmCmd(X=(Word<'2'> ** UnaryArithm(Op=- X=Word<'1'>)))
----
((x ? y = 1 : z))
====>
1:ArithmCmd(X=(Word<'x'> ? ((Word<'y'> = Word<'1'>) : Word<'z'>)))
----
((1 , 2 , 3))
====>
1:ArithmCmd(X=((Word<'1'> , Word<'2'>) , Word<'3'>))
----
((a += b -= c))
====>
1:ArithmCmd(X=(Word<'a'> += (Word<'b'> -= Word<'c'>)))
----
((((((((((((((((((((((1))))))))))))))))))))))
====>
1:ArithmCmd(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=ParenArithm(X=Word<'1'>)))))))))))))))))))))
----
((a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=1))
====>
1:ArithmCmd(X=(Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = (Word<'a'> = Word<'1'>)))))))))))))))))))))
----
((- - - - - - - - - - - - - - - - - - - - 1))
====>
1:ArithmCmd(X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=UnaryArithm(Op=- X=Word<'1'>)))))))))))))))))))))
----
((1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?2:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3))
====>
1:ArithmCmd(X=(Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? ((Word<'1'> ? (Word<'2'> : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)) : Word<'3'>)))
----
((2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**1))
====>
1:ArithmCmd(X=(Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** (Word<'2'> ** Word<'1'>)))))))))))))))))))))
----
((1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:3))
====>
1:ArithmCmd(X=(Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : (Word<'1'> ? (Word<'2'> : Word<'3'>)))))))))))))))))))))))))))))))))))))))))
----
(((((((((((((((((((((((1)))))))))))))))))))))))
====>
error 1
----
((a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=1))
====>
error 1
----
((- - - - - - - - - - - - - - - - - - - - - 1))
====>
error 1
----
((1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?2:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3))
====>
error 1
----
((2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**1))
====>
error 1
----
((1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:3))
====>
error 1
----
((((((((((((((((((((((((1))))))))))))))))))))))))
====>
error 1
----
((a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=a=1))
====>
error 1
----
((- - - - - - - - - - - - - - - - - - - - - - 1))
====>
error 1
----
((1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?1?2:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3:3))
====>
error 1
----
((2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**2**1))
====>
error 1
----
((1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:1?2:3))
====>
error 1
----
((a ? (b, c) : d))
====>
error 1
----
(($A + ${B}))
====>
1:ArithmCmd(X=(Word<$A> + Word<ParamExp(Param=:B)>))
----
((${C:-1} * $1))
====>
1:ArithmCmd(X=(Word<ParamExp(Exp={Op=:- Word=<'1'>} Param=:C)> * Word<$1>))
----
(($# + $?))
====>
1:ArithmCmd(X=(Word<$#> + Word<$?>))
----
(($(echo 1) + 2))
====>
1:ArithmCmd(X=(Word<CmdSubst(Stmts=[1:Call[<'echo'> <'1'>]])> + Word<'2'>))
----
(("2" + `echo 3`))
====>
error 1
----
(('2' + 1))
====>
1:ArithmCmd(X=(Word<SglQuoted(Value=2)> + Word<'1'>))
----
((a$B))
====>
error 1
----
(($A$B + 1))
====>
error 1
----
((x${C}y))
====>
error 1
----
A[i+1]=1
====>
1:CallExpr(Assigns=[{Index=(Word<'i'> + Word<'1'>) Name=:A Value=<'1'>}])
----
A[$i]=3 A["k"]=4
====>
1:CallExpr(Assigns=[{Index=Word<$i> Name=:A Value=<'3'>} {Index=Word<DblQuoted(Parts=['k'])> Name=:A Value=<'4'>}])
----
A[k k]=5
====>
error 1
----
A[-1]+=6
====>
1:CallExpr(Assigns=[{Append=True Index=UnaryArithm(Op=- X=Word<'1'>) Name=:A Value=<'6'>}])
----
(($A = 1))
====>
error 1
----
((${A} = 1))
====>
error 1
----
(("a" = 1))
====>
error 1
----
let 'a'=1
====>
error 1
----
((a$B = 1))
====>
error 1
----
((A[1] += 2))
====>
1:ArithmCmd(X=(Word<ParamExp(Index=Word<'1'> Param=:A Short=True)> += Word<'2'>))
----
((-a = 1))
====>
error 1
----
(((a) = 1))
====>
error 1
----
((a.b))
====>
error 1
----
((a++b))
====>
error 1
----
((++$a))
====>
error 1
----
((++a[1]))
====>
1:ArithmCmd(X=UnaryArithm(Op=++ X=Word<ParamExp(Index=Word<'1'> Param=:a Short=True)>))
----
((a[1]--))
====>
1:ArithmCmd(X=UnaryArithm(Op=-- Post=True X=Word<ParamExp(Index=Word<'1'> Param=:a Short=True)>))
----
prog $((1)) $((a=1)) $[a++]
====>
1:Call[<'prog'> <ArithmExp(X=Word<'1'>)> <ArithmExp(X=(Word<'a'> = Word<'1'>))> <ArithmExp(X=UnaryArithm(Op=++ Post=True X=Word<'a'>))>]
----
prog $(( ))
====>
error 1
----
prog $((a b))
====>
error 1
----
prog ${A[a+]} ${A[1,2]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'a+'> Param=:A)> <ParamExp(Index=(Word<'1'> , Word<'2'>) Param=:A)>]
----
let
====>
1:LetClause(Exprs=[])
----
let a
====>
1:LetClause(Exprs=[Word<'a'>])
----
let "" ''
====>
1:LetClause(Exprs=[Word<> Word<>])
----
let a = 1
====>
error 1
----
let "a" b"c"
====>
1:LetClause(Exprs=[Word<'a'> Word<'b' DblQuoted(Parts=['c'])>])
----
let $"a=1"
====>
error 1
----
let $'a=1'
====>
error 1
----
prog $((10#$A)) $((2#${B}1))
====>
error 1
----
prog $((a\
+b))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> + Word<'b'>))>]
----
((a&&b||c))
====>
1:ArithmCmd(X=((Word<'a'> && Word<'b'>) || Word<'c'>))
----
((a|b^c&d))
====>
1:ArithmCmd(X=(Word<'a'> | (Word<'b'> ^ (Word<'c'> & Word<'d'>))))
----
((a<b>c<=d>=e))
====>
1:ArithmCmd(X=((((Word<'a'> < Word<'b'>) > Word<'c'>) <= Word<'d'>) >= Word<'e'>))
----
((a<<b>>c))
====>
1:ArithmCmd(X=((Word<'a'> << Word<'b'>) >> Word<'c'>))
----
((!a))
====>
1:ArithmCmd(X=UnaryArithm(Op=! X=Word<'a'>))
----
((~a))
====>
1:ArithmCmd(X=UnaryArithm(Op=~ X=Word<'a'>))
----
((a%b))
====>
1:ArithmCmd(X=(Word<'a'> % Word<'b'>))
----
((a?b:c))
====>
1:ArithmCmd(X=(Word<'a'> ? (Word<'b'> : Word<'c'>)))
----
((1,2))
====>
1:ArithmCmd(X=(Word<'1'> , Word<'2'>))
----
((a==b!=c))
====>
1:ArithmCmd(X=((Word<'a'> == Word<'b'>) != Word<'c'>))
----
((a=1)) && b
====>
1:BinaryCmd(Op=&& X=1:ArithmCmd(X=(Word<'a'> = Word<'1'>)) Y=1:Call[<'b'>])
----
prog $((A[0][1]))
====>
error 1
----
prog $((A [1]))
====>
error 1
----
prog $((1 [2]))
====>
error 1
----
prog $(([1]))
====>
error 1
----
prog $((${A}[1]))
====>
error 1
----
prog $((A[1]B))
====>
error 1
----
prog $((A[1] B))
====>
error 1
----
prog $((A[i]+B[j]*2))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<ParamExp(Index=Word<'i'> Param=:A Short=True)> + (Word<ParamExp(Index=Word<'j'> Param=:B Short=True)> * Word<'2'>)))>]
----
prog $((A[$(b)]))
====>
1:Call[<'prog'> <ArithmExp(X=Word<ParamExp(Index=Word<CmdSubst(Stmts=[1:Call[<'b'>]])> Param=:A Short=True)>)>]
----
prog $((A["$b"] + 1))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<ParamExp(Index=Word<DblQuoted(Parts=[$b])> Param=:A Short=True)> + Word<'1'>))>]
----
prog $((a ? b ? c : d : e))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> ? ((Word<'b'> ? (Word<'c'> : Word<'d'>)) : Word<'e'>)))>]
----
prog $((a ? b : c, d))
====>
1:Call[<'prog'> <ArithmExp(X=((Word<'a'> ? (Word<'b'> : Word<'c'>)) , Word<'d'>))>]
----
prog $((a, b = c))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> , (Word<'b'> = Word<'c'>)))>]
----
prog $((a = b, c = d))
====>
1:Call[<'prog'> <ArithmExp(X=((Word<'a'> = Word<'b'>) , (Word<'c'> = Word<'d'>)))>]
----
prog $((1 ? a = 2 : 3))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'1'> ? ((Word<'a'> = Word<'2'>) : Word<'3'>)))>]
----
prog $((- a ** b))
====>
1:Call[<'prog'> <ArithmExp(X=(UnaryArithm(Op=- X=Word<'a'>) ** Word<'b'>))>]
----
prog $((a - - b))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> - UnaryArithm(Op=- X=Word<'b'>)))>]
----
prog $((a - -b))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> - UnaryArithm(Op=- X=Word<'b'>)))>]
----
prog $((a - --b))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'a'> - UnaryArithm(Op=-- X=Word<'b'>)))>]
----
prog $((a-- - b))
====>
1:Call[<'prog'> <ArithmExp(X=(UnaryArithm(Op=-- Post=True X=Word<'a'>) - Word<'b'>))>]
----
prog $((${#A[@]} - 1))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<ParamExp(Index=Word<'@'> Length=True Param=:A)> - Word<'1'>))>]
----
prog $((${A[0]} + ${A[1]:-2}))
====>
1:Call[<'prog'> <ArithmExp(X=(Word<ParamExp(Index=Word<'0'> Param=:A)> + Word<ParamExp(Exp={Op=:- Word=<'2'>} Index=Word<'1'> Param=:A)>))>]
----
prog $((x++ + ++y))
====>
1:Call[<'prog'> <ArithmExp(X=(UnaryArithm(Op=++ Post=True X=Word<'x'>) + UnaryArithm(Op=++ X=Word<'y'>)))>]
----
prog $((++++a))
====>
error 1
----
prog $((a++ ++))
====>
error 1
----
let a"=1"
====>
error 1
----
let a='b' "c"++
====>
error 1
----
let a"++"
====>
error 1
----
let "--"a
====>
error 1
----
let a=$(b --c) "d"+1 $'e'
====>
1:LetClause(Exprs=[(Word<'a'> = Word<CmdSubst(Stmts=[1:Call[<'b'> <'--c'>]])>) (Word<DblQuoted(Parts=['d'])> + Word<'1'>) Word<SglQuoted(Dollar=True Value=e)>])
----
let a+"b = 1"
====>
error 1
----
((a[b c]))
====>
error 1
----
((a="1"))
====>
1:ArithmCmd(X=(Word<'a'> = Word<DblQuoted(Parts=['1'])>))
----
((a[1]=b[2]))
====>
1:ArithmCmd(X=(Word<ParamExp(Index=Word<'1'> Param=:a Short=True)> = Word<ParamExp(Index=Word<'2'> Param=:b Short=True)>))
----
prog $((a b
====>
error 1
----
let 'a
= 1' "b
+= 2"
====>
1:LetClause(Exprs=[(Word<'a'> = Word<'1'>) (Word<'b'> += Word<'2'>)])
----
((1.5))
====>
error 1
----
((a#b + @c))
====>
error 1
----
((a ** b ** c))
====>
1:ArithmCmd(X=(Word<'a'> ** (Word<'b'> ** Word<'c'>)))
----
((a * b + c * d))
====>
1:ArithmCmd(X=((Word<'a'> * Word<'b'>) + (Word<'c'> * Word<'d'>)))
----
((a = b, c))
====>
1:ArithmCmd(X=((Word<'a'> = Word<'b'>) , Word<'c'>))
----
((a, b, c = d))
====>
1:ArithmCmd(X=((Word<'a'> , Word<'b'>) , (Word<'c'> = Word<'d'>)))
----
(("a b"))
====>
1:ArithmCmd(X=Word<DblQuoted(Parts=['a b'])>)
----
((a? b : c ? d : e, f))
====>
1:ArithmCmd(X=((Word<'a'> ? (Word<'b'> : (Word<'c'> ? (Word<'d'> : Word<'e'>)))) , Word<'f'>))
----
((!a && !b || c))
====>
1:ArithmCmd(X=((UnaryArithm(Op=! X=Word<'a'>) && UnaryArithm(Op=! X=Word<'b'>)) || Word<'c'>))
----
((a -b +c))
====>
1:ArithmCmd(X=((Word<'a'> - Word<'b'>) + Word<'c'>))
----
((A[0]))
====>
1:ArithmCmd(X=Word<ParamExp(Index=Word<'0'> Param=:A Short=True)>)
----
((A["b c"]++))
====>
1:ArithmCmd(X=UnaryArithm(Op=++ Post=True X=Word<ParamExp(Index=Word<DblQuoted(Parts=['b c'])> Param=:A Short=True)>))
----
((x=A[1]))
====>
1:ArithmCmd(X=(Word<'x'> = Word<ParamExp(Index=Word<'1'> Param=:A Short=True)>))
----
((1+-1))
====>
1:ArithmCmd(X=(Word<'1'> + UnaryArithm(Op=- X=Word<'1'>)))
----
((a/b))
====>
1:ArithmCmd(X=(Word<'a'> / Word<'b'>))
----
((a^=b|c))
====>
1:ArithmCmd(X=(Word<'a'> ^= (Word<'b'> | Word<'c'>)))
----
((a !=b))
====>
1:ArithmCmd(X=(Word<'a'> != Word<'b'>))
----
((a! =b))
====>
error 1
----
((a = ( b , c )))
====>
error 1
----
((a)) ((b))
====>
error 1
----
prog ${A[]} ${B[ ]}
====>
error 1
----
prog ${A[ ]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<> Param=:A)>]
----
A[ ]=1
====>
error 1
----
prog $(($A[1]))
====>
error 1
----
prog $(($(a)[1]))
====>
error 1
----
prog $((a[1][2]))
====>
error 1
----
prog $((1 + [2]))
====>
error 1
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_an_arithmetic_expression_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
