"""Simple commands and redirections in the tree."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
prog a > f b 2>> g c < h 2>&1 >&2 &> i &>> j >| k <> l <<< m 3<&- 4>&- <&- >&-
====>
error 1
----
> f prog a
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
> f
====>
{Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
2> g > f
====>
{Pos=@1 Redirs=[{N=:2 Op=> Word=<'g'>} {Op=> Word=<'f'>}]}
----
A=1 > f
====>
error 1
----
> f A=1 prog b
====>
{Cmd=CallExpr(Args=[<'prog'> <'b'>] Assigns=[{Name=:A Value=<'1'>}] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
prog 2>f 2 >g {fd}>h x{fd}>i a2>j 12>k "2">l
====>
{Cmd=CallExpr(Args=[<'prog'> <'2'> <'x{fd}'> <'a2'> <DblQuoted(Parts=['2'])>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>} {Op=> Word=<'g'>} {N=:'{fd}' Op=> Word=<'h'>} {Op=> Word=<'i'>} {Op=> Word=<'j'>} {N=:12 Op=> Word=<'k'>} {Op=> Word=<'l'>}]}
----
prog a>b"c"$d e
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'e'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'b' DblQuoted(Parts=['c']) $d>}]}
----
prog > "a b" > $f > a"b"c > $(d) >> ${e} 'f'
====>
{Cmd=CallExpr(Args=[<'prog'> <SglQuoted(Value=f)>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<DblQuoted(Parts=['a b'])>} {Op=> Word=<$f>} {Op=> Word=<'a' DblQuoted(Parts=['b']) 'c'>} {Op=> Word=<CmdSubst(Stmts=[1:Call[<'d'>]])>} {Op=>> Word=<ParamExp(Param=:e)>}]}
----
prog <<< "a b" <<< $X <<< a"b"
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=<<< Word=<DblQuoted(Parts=['a b'])>} {Op=<<< Word=<$X>} {Op=<<< Word=<'a' DblQuoted(Parts=['b'])>}]}
----
prog 2>&1 1>&2 >&- 2>&- <&0 >&$X 2>&1x
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>} {N=:1 Op=>& Word=<'2'>} {Op=>& Word=<'-'>} {N=:2 Op=>& Word=<'-'>} {Op=<& Word=<'0'>} {Op=>& Word=<$X>} {N=:2 Op=>& Word=<'1x'>}]}
----
prog &>f a &>>g b
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=&> Word=<'f'>} {Op=&>> Word=<'g'>}]}
----
prog a \
  > f \
  b
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
prog a>f b>g
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
----
if then
====>
error 1
----
x=1 if
====>
error 1
----
coproc prog
====>
error 1
----
} prog
====>
error 1
----
prog if then } { ! ]] [[
====>
error 1
----
let a=1 b=2 > f
====>
{Cmd=LetClause(Exprs=[(Word<'a'> = Word<'1'>) (Word<'b'> = Word<'2'>)] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
let
====>
1:LetClause(Exprs=[])
----
[ a = b ] && [ "$x" -eq 1 -a ! -f f ] || test a
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'['> <'a'> <'='> <'b'> <']'>] Y=1:Call[<'['> <DblQuoted(Parts=[$x])> <'-eq'> <'1'> <'-a'> <'!'> <'-f'> <'f'> <']'>]) Y=1:Call[<'test'> <'a'>])
----
[ a ] > f
====>
{Cmd=CallExpr(Args=[<'['> <'a'> <']'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
[ -n "$x" -o \( a = b \) ]
====>
error 1
----
[ ! a = "b c" ]
====>
1:Call[<'['> <'!'> <'a'> <'='> <DblQuoted(Parts=['b c'])> <']'>]
----
[ a == b* ]; [ $# -gt 1 ]; [ a \< b ]; [ -z ]
====>
error 1
----
unset A B; unset -v C "A[0]"; unset -f g
====>
1:Call[<'unset'> <'A'> <'B'>]
1:Call[<'unset'> <'-v'> <'C'> <DblQuoted(Parts=['A[0]'])>]
1:Call[<'unset'> <'-f'> <'g'>]
----
prog --a=b -c=d +e a:b a,b a=b a@b %d ^e
====>
1:Call[<'prog'> <'--a=b'> <'-c=d'> <'+e'> <'a:b'> <'a,b'> <'a=b'> <'a@b'> <'%d'> <'^e'>]
----
prog "a" 2>&1 | other
====>
1:BinaryCmd(Op=| X={Cmd=CallExpr(Args=[<'prog'> <DblQuoted(Parts=['a'])>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>}]} Y=1:Call[<'other'>])
----
prog > f > g; other
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
1:Call[<'other'>]
----
prog >
====>
error 1
----
prog a > # b
====>
error 1
----
{ prog; } > f 2>&1; (prog) < g; if a; then b; fi >> h; for x in a; do b; done 2> i; while a; do b; done <<< j; case a in b) ;; esac > k; [[ a ]] > l; ((1)) > m
====>
{Cmd=Block(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{Op=> Word=<'f'>} {N=:2 Op=>& Word=<'1'>}]}
{Cmd=Subshell(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{Op=< Word=<'g'>}]}
{Cmd=IfClause(Cond=[1:Call[<'a'>]] Pos=@1 Then=[1:Call[<'b'>]]) Pos=@1 Redirs=[{Op=>> Word=<'h'>}]}
{Cmd=ForClause(Do=[1:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x) Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'i'>}]}
{Cmd=WhileClause(Cond=[1:Call[<'a'>]] Do=[1:Call[<'b'>]] Pos=@1) Pos=@1 Redirs=[{Op=<<< Word=<'j'>}]}
{Cmd=CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[]}] Pos=@1 Word=<'a'>) Pos=@1 Redirs=[{Op=> Word=<'k'>}]}
{Cmd=TestClause(Pos=@1 X=Word<'a'>) Pos=@1 Redirs=[{Op=> Word=<'l'>}]}
{Cmd=ArithmCmd(Pos=@1 X=Word<'1'>) Pos=@1 Redirs=[{Op=> Word=<'m'>}]}
----
{ prog; } > "a b"c
====>
{Cmd=Block(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{Op=> Word=<DblQuoted(Parts=['a b']) 'c'>}]}
----
{ prog; } 2>f 3<g
====>
{Cmd=Block(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>} {N=:3 Op=< Word=<'g'>}]}
----
f() { prog; } > g
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{Op=> Word=<'g'>}]} Name=:f)
----
f() { prog; } 2>&1 >>g
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'prog'>]]) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>} {Op=>> Word=<'g'>}]} Name=:f)
----
echo a b>c d>e"f" g
====>
{Cmd=CallExpr(Args=[<'echo'> <'a'> <'b'> <'d'> <'g'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c'>} {Op=> Word=<'e' DblQuoted(Parts=['f'])>}]}
----
prog a >f"g"h i"j"
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'i' DblQuoted(Parts=['j'])>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f' DblQuoted(Parts=['g']) 'h'>}]}
----
prog 1>&2- 3<&4
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:1 Op=>& Word=<'2-'>} {N=:3 Op=<& Word=<'4'>}]}
----
time prog a
time -p prog b
====>
1:Call[<'prog'> <'a'>]
2:Call[<'prog'> <'b'>]
----
! prog a > f
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'>] Pos=@1) Negated=True Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
export A=1
B=2 prog > f
declare C
prog d
====>
1:DeclClause(Args=[{Name=:A Value=<'1'>}] Variant=:export)
{Cmd=CallExpr(Args=[<'prog'>] Assigns=[{Name=:B Value=<'2'>}] Pos=@2) Pos=@2 Redirs=[{Op=> Word=<'f'>}]}
3:DeclClause(Args=[{Naked=True Name=:C}] Variant=:declare)
4:Call[<'prog'> <'d'>]
----
prog 1 >f
====>
{Cmd=CallExpr(Args=[<'prog'> <'1'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
prog $x>f "a">g `b`>h
====>
{Cmd=CallExpr(Args=[<'prog'> <$x> <DblQuoted(Parts=['a'])> <CmdSubst(Stmts=[1:Call[<'b'>]])>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>} {Op=> Word=<'h'>}]}
----
prog <f"g" <h
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'f' DblQuoted(Parts=['g'])>} {Op=< Word=<'h'>}]}
----
>f prog "a" >g
====>
{Cmd=CallExpr(Args=[<'prog'> <DblQuoted(Parts=['a'])>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
----
<<< x prog
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=<<< Word=<'x'>}]}
----
command -v x &> /dev/null || exit 1
====>
1:BinaryCmd(Op=|| X={Cmd=CallExpr(Args=[<'command'> <'-v'> <'x'>] Pos=@1) Pos=@1 Redirs=[{Op=&> Word=<'/dev/null'>}]} Y=1:Call[<'exit'> <'1'>])
----
prog > f b 2>> g c < h
====>
{Cmd=CallExpr(Args=[<'prog'> <'b'> <'c'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {N=:2 Op=>> Word=<'g'>} {Op=< Word=<'h'>}]}
----
prog 2>&1 >&2
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>} {Op=>& Word=<'2'>}]}
----
prog &> i &>> j
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=&> Word=<'i'>} {Op=&>> Word=<'j'>}]}
----
prog >| k
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=>| Word=<'k'>}]}
----
prog <> l
====>
error 1
----
prog <<< m
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=<<< Word=<'m'>}]}
----
prog 3<&- 4>&-
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:3 Op=<& Word=<'-'>} {N=:4 Op=>& Word=<'-'>}]}
----
prog <&- >&-
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=<& Word=<'-'>} {Op=>& Word=<'-'>}]}
----
prog a 3<&- b
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'b'>] Pos=@1) Pos=@1 Redirs=[{N=:3 Op=<& Word=<'-'>}]}
----
[ a == b* ]
====>
1:Call[<'['> <'a'> <'=='> <'b*'> <']'>]
----
[ $# -gt 1 ]
====>
1:Call[<'['> <$#> <'-gt'> <'1'> <']'>]
----
[ a \< b ]
====>
error 1
----
[ -z ]
====>
1:Call[<'['> <'-z'> <']'>]
----
[ a -a b -o c ]
====>
1:Call[<'['> <'a'> <'-a'> <'b'> <'-o'> <'c'> <']'>]
----
[ "a b" = "$c" ] && d
====>
1:BinaryCmd(Op=&& X=1:Call[<'['> <DblQuoted(Parts=['a b'])> <'='> <DblQuoted(Parts=[$c])> <']'>] Y=1:Call[<'d'>])
----
[ ${A} != b ]
====>
1:Call[<'['> <ParamExp(Param=:A)> <'!='> <'b'> <']'>]
----
[ -n $(a) ]
====>
1:Call[<'['> <'-n'> <CmdSubst(Stmts=[1:Call[<'a'>]])> <']'>]
----
[ ! -f a ] || b
====>
1:BinaryCmd(Op=|| X=1:Call[<'['> <'!'> <'-f'> <'a'> <']'>] Y=1:Call[<'b'>])
----
[ -f a"b" ]
====>
1:Call[<'['> <'-f'> <'a' DblQuoted(Parts=['b'])> <']'>]
----
[ a
====>
error 1
----
[ a ] b
====>
error 1
----
test -n a -a b
====>
1:Call[<'test'> <'-n'> <'a'> <'-a'> <'b'>]
----
[ -n a ] 2> b
====>
{Cmd=CallExpr(Args=[<'['> <'-n'> <'a'> <']'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'b'>}]}
----
prog {a}>b {c}<&-
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:'{a}' Op=> Word=<'b'>} {N=:'{c}' Op=<& Word=<'-'>}]}
----
prog a{b}>c
====>
{Cmd=CallExpr(Args=[<'prog'> <'a{b}'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c'>}]}
----
prog 2> f"g"h 3
====>
{Cmd=CallExpr(Args=[<'prog'> <'3'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f' DblQuoted(Parts=['g']) 'h'>}]}
----
prog a\
b >c\
d e
====>
{Cmd=CallExpr(Args=[<'prog'> <'a\\\nb'> <'e'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c\\\nd'>}]}
----
prog >a\
>b
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'a'>} {Op=> Word=<'b'>}]}
----
prog 2\
>f
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>}]}
----
prog >f\
g
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f\\\ng'>}]}
----
let a=1 2>f
====>
{Cmd=LetClause(Exprs=[(Word<'a'> = Word<'1'>)] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>}]}
----
export A=1 2> f >g
====>
{Cmd=DeclClause(Args=[{Name=:A Value=<'1'>}] Pos=@1 Variant=:export) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
----
unset A > f
====>
{Cmd=CallExpr(Args=[<'unset'> <'A'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
A=1 prog > f < g
====>
{Cmd=CallExpr(Args=[<'prog'>] Assigns=[{Name=:A Value=<'1'>}] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=< Word=<'g'>}]}
----
A=1 B=2 prog 2>&1
====>
{Cmd=CallExpr(Args=[<'prog'>] Assigns=[{Name=:A Value=<'1'>} {Name=:B Value=<'2'>}] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>}]}
----
2>f A=1 prog
====>
{Cmd=CallExpr(Args=[<'prog'>] Assigns=[{Name=:A Value=<'1'>}] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>}]}
----
> f > g prog a b
====>
{Cmd=CallExpr(Args=[<'prog'> <'a'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
----
prog > f
other > g
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
{Cmd=CallExpr(Args=[<'other'>] Pos=@2) Pos=@2 Redirs=[{Op=> Word=<'g'>}]}
----
# a
> f
====>
{Pos=@2 Redirs=[{Op=> Word=<'f'>}]}
----
prog >f#g h
====>
{Cmd=CallExpr(Args=[<'prog'> <'h'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f#g'>}]}
----
prog >$f$g"h" i
====>
{Cmd=CallExpr(Args=[<'prog'> <'i'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<$f $g DblQuoted(Parts=['h'])>}]}
----
prog 1>f 0<g 10>h
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:1 Op=> Word=<'f'>} {N=:0 Op=< Word=<'g'>} {N=:10 Op=> Word=<'h'>}]}
----
prog a1>f 1a>g
====>
{Cmd=CallExpr(Args=[<'prog'> <'a1'> <'1a'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=> Word=<'g'>}]}
----
exec 3> f; prog >&3 2>&3-
====>
{Cmd=CallExpr(Args=[<'exec'>] Pos=@1) Pos=@1 Redirs=[{N=:3 Op=> Word=<'f'>}]}
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=>& Word=<'3'>} {N=:2 Op=>& Word=<'3-'>}]}
----
cat f - <g
====>
{Cmd=CallExpr(Args=[<'cat'> <'f'> <'-'>] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'g'>}]}
----
prog > >(a) < <(b)
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<ProcSubst(Op='>(' Stmts=[1:Call[<'a'>]])>} {Op=< Word=<ProcSubst(Op='<(' Stmts=[1:Call[<'b'>]])>}]}
----
prog 2> >(a b)
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<ProcSubst(Op='>(' Stmts=[1:Call[<'a'> <'b'>]])>}]}
----
x=1 then
====>
error 1
----
x=1 }
====>
error 1
----
x=1 coproc a
====>
error 1
----
then a
====>
error 1
----
else
====>
error 1
----
elif a
====>
error 1
----
fi
====>
error 1
----
do a
====>
error 1
----
done
====>
error 1
----
esac
====>
error 1
----
function
====>
error 1
----
{
====>
error 1
----
!
====>
error 1
----
]] a
====>
error 1
----
until
====>
error 1
----
while
====>
error 1
----
for
====>
error 1
----
select
====>
error 1
----
case
====>
error 1
----
prog then fi done
====>
1:Call[<'prog'> <'then'> <'fi'> <'done'>]
----
prog a;prog b>c;prog d
====>
1:Call[<'prog'> <'a'>]
{Cmd=CallExpr(Args=[<'prog'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c'>}]}
1:Call[<'prog'> <'d'>]
----
prog a|prog b>c
====>
1:BinaryCmd(Op=| X=1:Call[<'prog'> <'a'>] Y={Cmd=CallExpr(Args=[<'prog'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c'>}]})
----
prog "$a" >"$b" 2>"$c"
====>
{Cmd=CallExpr(Args=[<'prog'> <DblQuoted(Parts=[$a])>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<DblQuoted(Parts=[$b])>} {N=:2 Op=> Word=<DblQuoted(Parts=[$c])>}]}
----
prog >&$a >&"b" <&$c
====>
{Cmd=CallExpr(Args=[<'prog'>] Pos=@1) Pos=@1 Redirs=[{Op=>& Word=<$a>} {Op=>& Word=<DblQuoted(Parts=['b'])>} {Op=<& Word=<$c>}]}
----
{ a; } >$b 2>"c d"e f
====>
error 1
----
{ a; } > b
{ c; } < d
====>
{Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{Op=> Word=<'b'>}]}
{Cmd=Block(Pos=@2 Stmts=[2:Call[<'c'>]]) Pos=@2 Redirs=[{Op=< Word=<'d'>}]}
----
for x in a; do b; done > f < "g"h 2>&1
====>
{Cmd=ForClause(Do=[1:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x) Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>} {Op=< Word=<DblQuoted(Parts=['g']) 'h'>} {N=:2 Op=>& Word=<'1'>}]}
----
(a) 2>&1 >b"c" 3<&-
====>
{Cmd=Subshell(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>} {Op=> Word=<'b' DblQuoted(Parts=['c'])>} {N=:3 Op=<& Word=<'-'>}]}
----
f() { a; } 2> b > c; f > d
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{N=:2 Op=> Word=<'b'>} {Op=> Word=<'c'>}]} Name=:f)
{Cmd=CallExpr(Args=[<'f'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'d'>}]}
----
f() ( a ) < b
====>
1:FuncDecl(Body={Cmd=Subshell(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{Op=< Word=<'b'>}]} Name=:f)
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_simple_command_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
