"""Lists, pipelines, branches, loops and functions in the tree."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases
from vcompat.sources.reading.shell.tree.syntax import parse

TABLE = r"""
a; b & c
d
====>
1:Call[<'a'>]
{Background=True Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1}
1:Call[<'c'>]
2:Call[<'d'>]
----
a && b || c && d
====>
1:BinaryCmd(Op=&& X=1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=1:Call[<'b'>]) Y=1:Call[<'c'>]) Y=1:Call[<'d'>])
----
a | b |& c
====>
1:BinaryCmd(Op=|& X=1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>]) Y=1:Call[<'c'>])
----
! a | b; ! ! c
====>
error 1
----
! a && ! b || ! c | d
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X={Cmd=CallExpr(Args=[<'a'>] Pos=@1) Negated=True Pos=@1} Y={Cmd=CallExpr(Args=[<'b'>] Pos=@1) Negated=True Pos=@1}) Y={Cmd=BinaryCmd(Op=| Pos=@1 X=1:Call[<'c'>] Y=1:Call[<'d'>]) Negated=True Pos=@1})
----
a &&
  b ||
  # comment
  c |
  d
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=2:Call[<'b'>]) Y=4:BinaryCmd(Op=| X=4:Call[<'c'>] Y=5:Call[<'d'>]))
----
a & b & c &
====>
{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}
{Background=True Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1}
{Background=True Cmd=CallExpr(Args=[<'c'>] Pos=@1) Pos=@1}
----
a; # b
c # d
# e
f
====>
1:Call[<'a'>]
2:Call[<'c'>]
4:Call[<'f'>]
----
{ a; b; }; { c
d
}
====>
1:Block(Stmts=[1:Call[<'a'>] 1:Call[<'b'>]])
1:Block(Stmts=[1:Call[<'c'>] 2:Call[<'d'>]])
----
(a; b); ( (c) ); (d &)
====>
1:Subshell(Stmts=[1:Call[<'a'>] 1:Call[<'b'>]])
1:Subshell(Stmts=[1:Subshell(Stmts=[1:Call[<'c'>]])])
1:Subshell(Stmts=[{Background=True Cmd=CallExpr(Args=[<'d'>] Pos=@1) Pos=@1}])
----
f() { a; }; function g { b; }; function h() { c; }; i() ( d )
====>
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'a'>]]) Name=:f)
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'b'>]]) Name=:g)
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'c'>]]) Name=:h)
1:FuncDecl(Body=1:Subshell(Stmts=[1:Call[<'d'>]]) Name=:i)
----
f() if a; then b; fi
====>
1:FuncDecl(Body=1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]]) Name=:f)
----
f()
{
  a
}
f
====>
1:FuncDecl(Body=2:Block(Stmts=[3:Call[<'a'>]]) Name=:f)
5:Call[<'f'>]
----
if a; then b; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]])
----
if a; b; then c; d; else e; f; fi
====>
1:IfClause(Cond=[1:Call[<'a'>] 1:Call[<'b'>]] Else=IfClause(Pos=@1 Then=[1:Call[<'e'>] 1:Call[<'f'>]]) Then=[1:Call[<'c'>] 1:Call[<'d'>]])
----
if a; then b; elif c; then d; elif e; then f; else g; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[1:Call[<'c'>]] Else=IfClause(Cond=[1:Call[<'e'>]] Else=IfClause(Pos=@1 Then=[1:Call[<'g'>]]) Pos=@1 Then=[1:Call[<'f'>]]) Pos=@1 Then=[1:Call[<'d'>]]) Then=[1:Call[<'b'>]])
----
if a
then
  b
elif c
then
  d
else
  e
fi
prog
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[4:Call[<'c'>]] Else=IfClause(Pos=@7 Then=[8:Call[<'e'>]]) Pos=@4 Then=[6:Call[<'d'>]]) Then=[3:Call[<'b'>]])
10:Call[<'prog'>]
----
if a; then
  # x
  b
# y
else
  # z
  c
fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@5 Then=[7:Call[<'c'>]]) Then=[3:Call[<'b'>]])
----
if a; then b; else # x
c; fi; if d; then # y
e
fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@1 Then=[2:Call[<'c'>]]) Then=[1:Call[<'b'>]])
2:IfClause(Cond=[2:Call[<'d'>]] Then=[3:Call[<'e'>]])
----
while a; b; do c; d; done; until e; do f; done
====>
1:WhileClause(Cond=[1:Call[<'a'>] 1:Call[<'b'>]] Do=[1:Call[<'c'>] 1:Call[<'d'>]])
1:WhileClause(Cond=[1:Call[<'e'>]] Do=[1:Call[<'f'>]] Until=True)
----
while a
do
  b # x
done
====>
1:WhileClause(Cond=[1:Call[<'a'>]] Do=[3:Call[<'b'>]])
----
for x in a "b c" $d; do e $x; done; for y; do f; done; for z in; do g; done
====>
error 1
----
for x
do
  a
done
for x in a \
  b
do c; done
====>
1:ForClause(Do=[3:Call[<'a'>]] Loop=WordIter(Name=:x))
5:ForClause(Do=[7:Call[<'c'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:x))
----
for x do a; done
====>
error 1
----
select x in a b; do c; done
====>
1:ForClause(Do=[1:Call[<'c'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:x) Select=True)
----
for x in a b # c
do d; done
====>
1:ForClause(Do=[2:Call[<'d'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:x))
----
for x in {1..3}; do a; done
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=WordIter(Items=[<'{1..3}'>] Name=:x))
----
for ((i = 0; i < 3; i++)); do a; done; for ((;;)); do b; done; for ((i=0,j=1;;j++)) { c; }
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<'3'>) Init=(Word<'i'> = Word<'0'>) Post=UnaryArithm(Op=++ Post=True X=Word<'i'>)))
1:ForClause(Do=[1:Call[<'b'>]] Loop=CStyleLoop())
1:ForClause(Do=[1:Call[<'c'>]] Loop=CStyleLoop(Init=((Word<'i'> = Word<'0'>) , (Word<'j'> = Word<'1'>)) Post=UnaryArithm(Op=++ Post=True X=Word<'j'>)))
----
for ((; i < 3; )); do a; done
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<'3'>)))
----
for ((i = 0; i < 3; i++))
do
  a
done
====>
1:ForClause(Do=[3:Call[<'a'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<'3'>) Init=(Word<'i'> = Word<'0'>) Post=UnaryArithm(Op=++ Post=True X=Word<'i'>)))
----
for ((i = $(a; b); i < "${#A[@]}"; i += ${B:-1})); do c; done
====>
1:ForClause(Do=[1:Call[<'c'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<DblQuoted(Parts=[ParamExp(Index=Word<'@'> Length=True Param=:A)])>) Init=(Word<'i'> = Word<CmdSubst(Stmts=[1:Call[<'a'>] 1:Call[<'b'>]])>) Post=(Word<'i'> += Word<ParamExp(Exp={Op=:- Word=<'1'>} Param=:B)>)))
----
case $x in a) b;; c|d) e; f;; (g) h;& i) j;;& *) k; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[1:Call[<'b'>]]} {Op=;; Patterns=[<'c'> <'d'>] Stmts=[1:Call[<'e'>] 1:Call[<'f'>]]} {Op=;& Patterns=[<'g'>] Stmts=[1:Call[<'h'>]]} {Op=;;& Patterns=[<'i'>] Stmts=[1:Call[<'j'>]]} {Op=;; Patterns=[<'*'>] Stmts=[1:Call[<'k'>]]}] Word=<$x>)
----
case "$x y" in
  a)
    b
    ;;
  # c
  d | "e f")
    g
esac
h
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[3:Call[<'b'>]]} {Op=;; Patterns=[<'d'> <DblQuoted(Parts=['e f'])>] Stmts=[7:Call[<'g'>]]}] Word=<DblQuoted(Parts=[$x ' y'])>)
9:Call[<'h'>]
----
case x in esac
====>
1:CaseClause(Items=[] Word=<'x'>)
----
case x in a) esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[]}] Word=<'x'>)
----
case x in a) ;; b) ;& c) ;;& d) e esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[]} {Op=;& Patterns=[<'b'>] Stmts=[]} {Op=;;& Patterns=[<'c'>] Stmts=[]} {Op=;; Patterns=[<'d'>] Stmts=[1:Call[<'e'>]]}] Word=<'x'>)
----
case $x$y"z" in $a"b"*) c;; ?[!d]) e;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<$a DblQuoted(Parts=['b']) '*'>] Stmts=[1:Call[<'c'>]]} {Op=;; Patterns=[<'?[!d]'>] Stmts=[1:Call[<'e'>]]}] Word=<$x $y DblQuoted(Parts=['z'])>)
----
case x in a) b & ;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[{Background=True Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1}]}] Word=<'x'>)
----
[[ a ]]; [[ -n $x ]]; ((1)); [ a ]
====>
1:TestClause(X=Word<'a'>)
1:TestClause(X=UnaryTest(Op=-n X=Word<$x>))
1:ArithmCmd(X=Word<'1'>)
1:Call[<'['> <'a'> <']'>]
----
a && { b; c; } || (d)
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=1:Block(Stmts=[1:Call[<'b'>] 1:Call[<'c'>]])) Y=1:Subshell(Stmts=[1:Call[<'d'>]]))
----
if a; then b; fi && c || while d; do e; done
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]]) Y=1:Call[<'c'>]) Y=1:WhileClause(Cond=[1:Call[<'d'>]] Do=[1:Call[<'e'>]]))
----
if a; then b; fi | c; { d; } & e
====>
1:BinaryCmd(Op=| X=1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]]) Y=1:Call[<'c'>])
{Background=True Cmd=Block(Pos=@1 Stmts=[1:Call[<'d'>]]) Pos=@1}
1:Call[<'e'>]
----
a || { b
c
}
====>
1:BinaryCmd(Op=|| X=1:Call[<'a'>] Y=1:Block(Stmts=[1:Call[<'b'>] 2:Call[<'c'>]]))
----
if [ a = b ] && ! c; then d; fi
====>
1:IfClause(Cond=[1:BinaryCmd(Op=&& X=1:Call[<'['> <'a'> <'='> <'b'> <']'>] Y={Cmd=CallExpr(Args=[<'c'>] Pos=@1) Negated=True Pos=@1})] Then=[1:Call[<'d'>]])
----
time { a; b; }; time -p (c)
====>
1:Block(Stmts=[1:Call[<'a'>] 1:Call[<'b'>]])
1:Subshell(Stmts=[1:Call[<'c'>]])
----
A=1 | b; C=2 && d; E=3 & f
====>
1:BinaryCmd(Op=| X=1:CallExpr(Assigns=[{Name=:A Value=<'1'>}]) Y=1:Call[<'b'>])
1:BinaryCmd(Op=&& X=1:CallExpr(Assigns=[{Name=:C Value=<'2'>}]) Y=1:Call[<'d'>])
{Background=True Cmd=CallExpr(Assigns=[{Name=:E Value=<'3'>}] Pos=@1) Pos=@1}
1:Call[<'f'>]
----
a | A=1 b | { c; } 2>&1 | d > e
====>
1:BinaryCmd(Op=| X=1:BinaryCmd(Op=| X=1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:CallExpr(Args=[<'b'>] Assigns=[{Name=:A Value=<'1'>}])) Y={Cmd=Block(Pos=@1 Stmts=[1:Call[<'c'>]]) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>}]}) Y={Cmd=CallExpr(Args=[<'d'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'e'>}]})
----
a 2>&1 | b > f && c < g || d
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:BinaryCmd(Op=| X={Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>}]} Y={Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}) Y={Cmd=CallExpr(Args=[<'c'>] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'g'>}]}) Y=1:Call[<'d'>])
----
! { a; } > f
====>
error 1
----
! a > f 2>&1 && b
====>
1:BinaryCmd(Op=&& X={Cmd=CallExpr(Args=[<'a'>] Pos=@1) Negated=True Pos=@1 Redirs=[{Op=> Word=<'f'>} {N=:2 Op=>& Word=<'1'>}]} Y=1:Call[<'b'>])
----
if if a; then b; fi; then c; fi
====>
1:IfClause(Cond=[1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]])] Then=[1:Call[<'c'>]])
----
a
b \
c

d
====>
1:Call[<'a'>]
2:Call[<'b'> <'c'>]
5:Call[<'d'>]
----
    a
	b
====>
1:Call[<'a'>]
2:Call[<'b'>]
----
a;b;c;
====>
1:Call[<'a'>]
1:Call[<'b'>]
1:Call[<'c'>]
----
a ; ; b
====>
error 1
----
;; a
====>
error 1
----
a) b
====>
error 1
----
if a; then fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[])
----
if a; b; fi
====>
error 1
----
while a; done
====>
error 1
----
for x in a; b; done
====>
error 1
----
for 1 in a; do b; done
====>
1:ForClause(Do=[1:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:1))
----
case x a) b;; esac
====>
error 1
----
{ a
====>
error 1
----
( a
====>
error 1
----
a }
====>
1:Call[<'a'> <'}'>]
----
f() a
====>
error 1
----
f() { a; } b
====>
error 1
----
{ a; } b
====>
error 1
----
a (b)
====>
error 1
----
a & && b
====>
error 1
----
&& a
====>
error 1
----
| a
====>
error 1
----
a |
====>
error 1
----
!
====>
error 1
----
"f"() { a; }
====>
error 1
----
function f() { a; } > b 2> c
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{Op=> Word=<'b'>} {N=:2 Op=> Word=<'c'>}]} Name=:f)
----
f-g() { a; }; f.h() { b; }
====>
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'a'>]]) Name=:f-g)
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'b'>]]) Name=:f.h)
----
$(a) b; `c`; "$d" e
====>
1:Call[<CmdSubst(Stmts=[1:Call[<'a'>]])> <'b'>]
1:Call[<CmdSubst(Stmts=[1:Call[<'c'>]])>]
1:Call[<DblQuoted(Parts=[$d])> <'e'>]
----
(( a )) && b; [[ c ]] || d
====>
1:BinaryCmd(Op=&& X=1:ArithmCmd(X=Word<'a'>) Y=1:Call[<'b'>])
1:BinaryCmd(Op=|| X=1:TestClause(X=Word<'c'>) Y=1:Call[<'d'>])
----
if ! [ -f a ]; then
  exit 1
fi
====>
1:IfClause(Cond=[{Cmd=CallExpr(Args=[<'['> <'-f'> <'a'> <']'>] Pos=@1) Negated=True Pos=@1}] Then=[2:Call[<'exit'> <'1'>]])
----
while read -r x y; do a; done < b > c
====>
{Cmd=WhileClause(Cond=[1:Call[<'read'> <'-r'> <'x'> <'y'>]] Do=[1:Call[<'a'>]] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'b'>} {Op=> Word=<'c'>}]}
----
until a; do b; done &
====>
{Background=True Cmd=WhileClause(Cond=[1:Call[<'a'>]] Do=[1:Call[<'b'>]] Pos=@1 Until=True) Pos=@1}
----
a # x \
b
====>
1:Call[<'a'>]
2:Call[<'b'>]
----
for x in $(seq 3); do
  for y in a b; do
    c
  done
done
====>
1:ForClause(Do=[2:ForClause(Do=[3:Call[<'c'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:y))] Loop=WordIter(Items=[<CmdSubst(Stmts=[1:Call[<'seq'> <'3'>]])>] Name=:x))
----
if a; then
  if b; then c; else d; fi
elif e; then f; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[3:Call[<'e'>]] Pos=@3 Then=[3:Call[<'f'>]]) Then=[2:IfClause(Cond=[2:Call[<'b'>]] Else=IfClause(Pos=@2 Then=[2:Call[<'d'>]]) Then=[2:Call[<'c'>]])])
----
A=1
B=2
c
D=3 E=4
f
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>}])
2:CallExpr(Assigns=[{Name=:B Value=<'2'>}])
3:Call[<'c'>]
4:CallExpr(Assigns=[{Name=:D Value=<'3'>} {Name=:E Value=<'4'>}])
5:Call[<'f'>]
----
export A=1
B=2
====>
1:DeclClause(Args=[{Name=:A Value=<'1'>}] Variant=:export)
2:CallExpr(Assigns=[{Name=:B Value=<'2'>}])
----
declare -x A
B=2 && c
====>
1:DeclClause(Args=[{Naked=True Value=<'-x'>} {Naked=True Name=:A}] Variant=:declare)
2:BinaryCmd(Op=&& X=2:CallExpr(Assigns=[{Name=:B Value=<'2'>}]) Y=2:Call[<'c'>])
----
unset A
B=1
====>
1:Call[<'unset'> <'A'>]
2:CallExpr(Assigns=[{Name=:B Value=<'1'>}])
----
a &
b
====>
{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}
2:Call[<'b'>]
----
{ a & }
====>
1:Block(Stmts=[{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}])
----
{ a & b; } ; (c & )
====>
1:Block(Stmts=[{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1} 1:Call[<'b'>]])
1:Subshell(Stmts=[{Background=True Cmd=CallExpr(Args=[<'c'>] Pos=@1) Pos=@1}])
----
case a in b) c ;; d) e; f & ;; esac &
====>
{Background=True Cmd=CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[1:Call[<'c'>]]} {Op=;; Patterns=[<'d'>] Stmts=[1:Call[<'e'>] {Background=True Cmd=CallExpr(Args=[<'f'>] Pos=@1) Pos=@1}]}] Pos=@1 Word=<'a'>) Pos=@1}
----
a|b&&c;d||e
====>
1:BinaryCmd(Op=&& X=1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>]) Y=1:Call[<'c'>])
1:BinaryCmd(Op=|| X=1:Call[<'d'>] Y=1:Call[<'e'>])
----
if (a); then {
b; }; fi
====>
1:IfClause(Cond=[1:Subshell(Stmts=[1:Call[<'a'>]])] Then=[1:Block(Stmts=[2:Call[<'b'>]])])
----
if a
then b; fi
c
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[2:Call[<'b'>]])
3:Call[<'c'>]
----
for x in a;do b;done;while c;do d;done
====>
1:ForClause(Do=[1:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x))
1:WhileClause(Cond=[1:Call[<'c'>]] Do=[1:Call[<'d'>]])
----
if a; then b; else if c; then d; fi; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@1 Then=[1:IfClause(Cond=[1:Call[<'c'>]] Then=[1:Call[<'d'>]])]) Then=[1:Call[<'b'>]])
----
for x in a b; do
# only a comment
c
done
====>
1:ForClause(Do=[3:Call[<'c'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:x))
----
coproc a
b
====>
error 1
after 1
1:Call[<'b'>]
----
select x; do a; done
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=WordIter(Name=:x) Select=True)
----
for x in a
b; do c; done
====>
error 1
after 1
error 2
----
! a | b
====>
{Cmd=BinaryCmd(Op=| Pos=@1 X=1:Call[<'a'>] Y=1:Call[<'b'>]) Negated=True Pos=@1}
----
! ! c
====>
error 1
----
! ! ! c
====>
error 1
----
! { a; }
====>
error 1
----
! ( a ) | b
====>
{Cmd=BinaryCmd(Op=| Pos=@1 X=1:Subshell(Stmts=[1:Call[<'a'>]]) Y=1:Call[<'b'>]) Negated=True Pos=@1}
----
for x in a "b c" $d; do e $x; done
====>
1:ForClause(Do=[1:Call[<'e'> <$x>]] Loop=WordIter(Items=[<'a'> <DblQuoted(Parts=['b c'])> <$d>] Name=:x))
----
for y; do f; done
====>
1:ForClause(Do=[1:Call[<'f'>]] Loop=WordIter(Name=:y))
----
for z in; do g; done
====>
error 1
----
for x in $(a) `b`; do c; done
====>
1:ForClause(Do=[1:Call[<'c'>]] Loop=WordIter(Items=[<CmdSubst(Stmts=[1:Call[<'a'>]])> <CmdSubst(Stmts=[1:Call[<'b'>]])>] Name=:x))
----
for x in "${A[@]}" "$@"; do c; done
====>
1:ForClause(Do=[1:Call[<'c'>]] Loop=WordIter(Items=[<DblQuoted(Parts=[ParamExp(Index=Word<'@'> Param=:A)])> <DblQuoted(Parts=[$@])>] Name=:x))
----
for x in a b; do c; done; d
====>
1:ForClause(Do=[1:Call[<'c'>]] Loop=WordIter(Items=[<'a'> <'b'>] Name=:x))
1:Call[<'d'>]
----
for x in *.py; do c & done
====>
1:ForClause(Do=[{Background=True Cmd=CallExpr(Args=[<'c'>] Pos=@1) Pos=@1}] Loop=WordIter(Items=[<'*.py'>] Name=:x))
----
for x in a
do
b
done
====>
1:ForClause(Do=[3:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x))
----
for x in a;
do b; done
====>
1:ForClause(Do=[2:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x))
----
for x	in a
do b; done
====>
1:ForClause(Do=[2:Call[<'b'>]] Loop=WordIter(Items=[<'a'>] Name=:x))
----
for x # y
do b; done
====>
1:ForClause(Do=[2:Call[<'b'>]] Loop=WordIter(Name=:x))
----
for x; # y
do b; done
====>
1:ForClause(Do=[2:Call[<'b'>]] Loop=WordIter(Name=:x))
----
for ((i=0;i<2)); do a; done
====>
error 1
----
for ((i=0;i<2;i++;j)); do a; done
====>
error 1
----
for ((i=0;i<2;i++)) { a; }
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<'2'>) Init=(Word<'i'> = Word<'0'>) Post=UnaryArithm(Op=++ Post=True X=Word<'i'>)))
----
for (( ; ; )) ; do a; done
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=CStyleLoop())
----
for ((i = 0 i < 2; i++)); do a; done
====>
error 1
----
for ((A[0]=1; A[0]<2; A[0]++)); do a; done
====>
error 1
----
for ((i=0;i<"${n}";i++)); do a; done
====>
1:ForClause(Do=[1:Call[<'a'>]] Loop=CStyleLoop(Cond=(Word<'i'> < Word<DblQuoted(Parts=[ParamExp(Param=:n)])>) Init=(Word<'i'> = Word<'0'>) Post=UnaryArithm(Op=++ Post=True X=Word<'i'>)))
----
while ((i < 3)); do a; done
====>
1:WhileClause(Cond=[1:ArithmCmd(X=(Word<'i'> < Word<'3'>))] Do=[1:Call[<'a'>]])
----
while [[ a ]]; do b; done
====>
1:WhileClause(Cond=[1:TestClause(X=Word<'a'>)] Do=[1:Call[<'b'>]])
----
while a && b; c | d; do e; done
====>
1:WhileClause(Cond=[1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=1:Call[<'b'>]) 1:BinaryCmd(Op=| X=1:Call[<'c'>] Y=1:Call[<'d'>])] Do=[1:Call[<'e'>]])
----
while :; do a; break; done
====>
1:WhileClause(Cond=[1:Call[<':'>]] Do=[1:Call[<'a'>] 1:Call[<'break'>]])
----
while a; do b; done; until ! c; do d; done
====>
1:WhileClause(Cond=[1:Call[<'a'>]] Do=[1:Call[<'b'>]])
1:WhileClause(Cond=[{Cmd=CallExpr(Args=[<'c'>] Pos=@1) Negated=True Pos=@1}] Do=[1:Call[<'d'>]] Until=True)
----
while # x
a; do # y
b; done
====>
1:WhileClause(Cond=[2:Call[<'a'>]] Do=[3:Call[<'b'>]])
----
while a; do done
====>
1:WhileClause(Cond=[1:Call[<'a'>]] Do=[])
----
if a && b || c; then d; fi
====>
1:IfClause(Cond=[1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=1:Call[<'b'>]) Y=1:Call[<'c'>])] Then=[1:Call[<'d'>]])
----
if a | b; then c; fi
====>
1:IfClause(Cond=[1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>])] Then=[1:Call[<'c'>]])
----
if a; then b & fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[{Background=True Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1}])
----
if a; then b; else c & fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@1 Then=[{Background=True Cmd=CallExpr(Args=[<'c'>] Pos=@1) Pos=@1}]) Then=[1:Call[<'b'>]])
----
if a; then b; elif c; then d & else e; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[1:Call[<'c'>]] Else=IfClause(Pos=@1 Then=[1:Call[<'e'>]]) Pos=@1 Then=[{Background=True Cmd=CallExpr(Args=[<'d'>] Pos=@1) Pos=@1}]) Then=[1:Call[<'b'>]])
----
if # x
a; then b; fi
====>
1:IfClause(Cond=[2:Call[<'a'>]] Then=[2:Call[<'b'>]])
----
if a; then b; elif # x
c; then d; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[2:Call[<'c'>]] Pos=@1 Then=[2:Call[<'d'>]]) Then=[1:Call[<'b'>]])
----
if a; # x
then b; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[2:Call[<'b'>]])
----
if a

then

b

fi

c
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[5:Call[<'b'>]])
9:Call[<'c'>]
----
if a; then b; fi > f; c
====>
{Cmd=IfClause(Cond=[1:Call[<'a'>]] Pos=@1 Then=[1:Call[<'b'>]]) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
1:Call[<'c'>]
----
if [[ a ]]; then b; fi
====>
1:IfClause(Cond=[1:TestClause(X=Word<'a'>)] Then=[1:Call[<'b'>]])
----
if ((a)); then b; fi
====>
1:IfClause(Cond=[1:ArithmCmd(X=Word<'a'>)] Then=[1:Call[<'b'>]])
----
if a; then
  b; c
elif d; then
  e

else
  f
fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Cond=[3:Call[<'d'>]] Else=IfClause(Pos=@6 Then=[7:Call[<'f'>]]) Pos=@3 Then=[4:Call[<'e'>]]) Then=[2:Call[<'b'>] 2:Call[<'c'>]])
----
if a; then b; else fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@1 Then=[]) Then=[1:Call[<'b'>]])
----
if a; then b; elif c; fi
====>
error 1
----
if a; then b; else c; else d; fi
====>
error 1
----
case a in
b) c
;;
esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[2:Call[<'c'>]]}] Word=<'a'>)
----
case a in b) c;; esac; d
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[1:Call[<'c'>]]}] Word=<'a'>)
1:Call[<'d'>]
----
case a in b | c | d) e;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'> <'c'> <'d'>] Stmts=[1:Call[<'e'>]]}] Word=<'a'>)
----
case a in (b|c) d;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'> <'c'>] Stmts=[1:Call[<'d'>]]}] Word=<'a'>)
----
case a in b) c; d & e;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[1:Call[<'c'>] {Background=True Cmd=CallExpr(Args=[<'d'>] Pos=@1) Pos=@1} 1:Call[<'e'>]]}] Word=<'a'>)
----
case a in b) c # x
;; # y
d) e;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[1:Call[<'c'>]]} {Op=;; Patterns=[<'d'>] Stmts=[3:Call[<'e'>]]}] Word=<'a'>)
----
case "$(a)" in b) c;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[1:Call[<'c'>]]}] Word=<DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'a'>]])])>)
----
case a in b"c"|$d|${e}*) f;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b' DblQuoted(Parts=['c'])> <$d> <ParamExp(Param=:e) '*'>] Stmts=[1:Call[<'f'>]]}] Word=<'a'>)
----
case a in b c) d;; esac
====>
error 1
----
case a b in c) d;; esac
====>
error 1
----
case a in b) c
====>
error 1
----
case a in | b) c;; esac
====>
error 1
----
case a in b|) c;; esac
====>
error 1
----
case in in in) a;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'in'>] Stmts=[1:Call[<'a'>]]}] Word=<'in'>)
----
case a in [bc]|[!d]*) e;; *.f) g;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'[bc]'> <'[!d]*'>] Stmts=[1:Call[<'e'>]]} {Op=;; Patterns=[<'*.f'>] Stmts=[1:Call[<'g'>]]}] Word=<'a'>)
----
case a in b)c;;d)e;;esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b)c;;d'>] Stmts=[1:Call[<'e'>]]}] Word=<'a'>)
----
case ${a} in
  b)
    c
    d
  ;;

  *)
    e
  ;;
esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'b'>] Stmts=[3:Call[<'c'>] 4:Call[<'d'>]]} {Op=;; Patterns=[<'*'>] Stmts=[8:Call[<'e'>]]}] Word=<ParamExp(Param=:a)>)
----
f() { a; }
f() { b; }
====>
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'a'>]]) Name=:f)
2:FuncDecl(Body=2:Block(Stmts=[2:Call[<'b'>]]) Name=:f)
----
f () { a
b; }
====>
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'a'>] 2:Call[<'b'>]]) Name=:f)
----
f() { }
====>
1:FuncDecl(Body=1:Block(Stmts=[]) Name=:f)
----
f() { a; }; f b
====>
1:FuncDecl(Body=1:Block(Stmts=[1:Call[<'a'>]]) Name=:f)
1:Call[<'f'> <'b'>]
----
function f
{
a
}
====>
1:FuncDecl(Body=2:Block(Stmts=[3:Call[<'a'>]]) Name=:f)
----
function f { a; } 2>&1
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>}]} Name=:f)
----
f() for x in a; do b; done
====>
error 1
----
f() [[ a ]]
====>
1:FuncDecl(Body=1:TestClause(X=Word<'a'>) Name=:f)
----
f() ((a))
====>
1:FuncDecl(Body=1:ArithmCmd(X=Word<'a'>) Name=:f)
----
f() while a; do b; done
====>
error 1
----
f() case a in b) c;; esac
====>
error 1
----
{ a
}
====>
1:Block(Stmts=[1:Call[<'a'>]])
----
{ a; } | { b; }
====>
1:BinaryCmd(Op=| X=1:Block(Stmts=[1:Call[<'a'>]]) Y=1:Block(Stmts=[1:Call[<'b'>]]))
----
{ a; } && { b; } &
====>
{Background=True Cmd=BinaryCmd(Op=&& Pos=@1 X=1:Block(Stmts=[1:Call[<'a'>]]) Y=1:Block(Stmts=[1:Call[<'b'>]])) Pos=@1}
----
{ # x
a; # y
}
====>
1:Block(Stmts=[2:Call[<'a'>]])
----
( # x
a # y
)
====>
1:Subshell(Stmts=[2:Call[<'a'>]])
----
(a)
====>
1:Subshell(Stmts=[1:Call[<'a'>]])
----
()
====>
error 1
----
{ }
====>
1:Block(Stmts=[])
----
{ a; b & }
====>
1:Block(Stmts=[1:Call[<'a'>] {Background=True Cmd=CallExpr(Args=[<'b'>] Pos=@1) Pos=@1}])
----
(a) & (b)
====>
{Background=True Cmd=Subshell(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1}
1:Subshell(Stmts=[1:Call[<'b'>]])
----
(a | b) && c
====>
1:BinaryCmd(Op=&& X=1:Subshell(Stmts=[1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>])]) Y=1:Call[<'c'>])
----
( (a) )
====>
1:Subshell(Stmts=[1:Subshell(Stmts=[1:Call[<'a'>]])])
----
((a) )
====>
error 1
----
( a; (b; (c)) )
====>
1:Subshell(Stmts=[1:Call[<'a'>] 1:Subshell(Stmts=[1:Call[<'b'>] 1:Subshell(Stmts=[1:Call[<'c'>]])])])
----
((a))
====>
1:ArithmCmd(X=Word<'a'>)
----
[[ a ]] > b
====>
{Cmd=TestClause(Pos=@1 X=Word<'a'>) Pos=@1 Redirs=[{Op=> Word=<'b'>}]}
----
a; (b
====>
error 1
----
a; { b; }; }
====>
error 1
----
a


b; c
# d

e
====>
1:Call[<'a'>]
4:Call[<'b'>]
4:Call[<'c'>]
7:Call[<'e'>]
----
a \
&& b \
|| c
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=2:Call[<'b'>]) Y=3:Call[<'c'>])
----
a |

 b
====>
1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=3:Call[<'b'>])
----
a && # x
b
====>
1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=2:Call[<'b'>])
----
a | # x
b
====>
1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=2:Call[<'b'>])
----
a && \
b
====>
1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=2:Call[<'b'>])
----
a || b
c
====>
1:BinaryCmd(Op=|| X=1:Call[<'a'>] Y=1:Call[<'b'>])
2:Call[<'c'>]
----
a & b
====>
{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}
1:Call[<'b'>]
----
a & b && c &
====>
{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}
{Background=True Cmd=BinaryCmd(Op=&& Pos=@1 X=1:Call[<'b'>] Y=1:Call[<'c'>]) Pos=@1}
----
a && b & c
====>
{Background=True Cmd=BinaryCmd(Op=&& Pos=@1 X=1:Call[<'a'>] Y=1:Call[<'b'>]) Pos=@1}
1:Call[<'c'>]
----
a | b & c
====>
{Background=True Cmd=BinaryCmd(Op=| Pos=@1 X=1:Call[<'a'>] Y=1:Call[<'b'>]) Pos=@1}
1:Call[<'c'>]
----
a;
b
====>
1:Call[<'a'>]
2:Call[<'b'>]
----
a & # x
b
====>
{Background=True Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1}
2:Call[<'b'>]
----
a\
b
====>
1:Call[<'a\\\nb'>]
----
 a ; b
====>
1:Call[<'a'>]
1:Call[<'b'>]
----
a;;b
====>
error 1
----
a & ; b
====>
error 1
----
a && || b
====>
error 1
----
a | | b
====>
error 1
----
a ||
====>
error 1
----
&
====>
error 1
----
;
====>
error 1
----
; a
====>
error 1
----
)
====>
error 1
----
}
====>
error 1
----
a )
====>
error 1
----
if
====>
error 1
----
if a
====>
error 1
----
if a then b fi
====>
error 1
----
fi
====>
error 1
----
a=1 b=2
c=3
====>
1:CallExpr(Assigns=[{Name=:a Value=<'1'>} {Name=:b Value=<'2'>}])
2:CallExpr(Assigns=[{Name=:c Value=<'3'>}])
----
a=1; b=2 c
====>
1:CallExpr(Assigns=[{Name=:a Value=<'1'>}])
1:CallExpr(Args=[<'c'>] Assigns=[{Name=:b Value=<'2'>}])
----
a=1 &&
b=2
====>
1:BinaryCmd(Op=&& X=1:CallExpr(Assigns=[{Name=:a Value=<'1'>}]) Y=2:CallExpr(Assigns=[{Name=:b Value=<'2'>}]))
----
a=1 | b=2
c
====>
1:BinaryCmd(Op=| X=1:CallExpr(Assigns=[{Name=:a Value=<'1'>}]) Y=1:CallExpr(Assigns=[{Name=:b Value=<'2'>}]))
2:Call[<'c'>]
----
export a
b
c=1
====>
1:DeclClause(Args=[{Naked=True Name=:a}] Variant=:export)
2:Call[<'b'>]
3:CallExpr(Assigns=[{Name=:c Value=<'1'>}])
----
unset a
b=1 c
d
====>
1:Call[<'unset'> <'a'>]
2:CallExpr(Args=[<'c'>] Assigns=[{Name=:b Value=<'1'>}])
3:Call[<'d'>]
----
local a=1
b
====>
1:DeclClause(Args=[{Name=:a Value=<'1'>}] Variant=:local)
2:Call[<'b'>]
----
a=(1)
b
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'1'>]} Name=:a}])
2:Call[<'b'>]
----
a >b
c <d
====>
{Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'b'>}]}
{Cmd=CallExpr(Args=[<'c'>] Pos=@2) Pos=@2 Redirs=[{Op=< Word=<'d'>}]}
----
a=1 b >c
d=2
====>
{Cmd=CallExpr(Args=[<'b'>] Assigns=[{Name=:a Value=<'1'>}] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'c'>}]}
2:CallExpr(Assigns=[{Name=:d Value=<'2'>}])
----
time a | b
====>
1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>])
----
time a && time b
====>
1:BinaryCmd(Op=&& X=1:Call[<'a'>] Y=1:Call[<'b'>])
----
time -p a; time
====>
1:Call[<'a'>]
1:Call[<'time'>]
----
! time a
====>
{Cmd=CallExpr(Args=[<'a'>] Pos=@1) Negated=True Pos=@1}
----
a | time b
====>
1:BinaryCmd(Op=| X=1:Call[<'a'>] Y=1:Call[<'b'>])
----
if time a; then b; fi
====>
1:IfClause(Cond=[1:Call[<'a'>]] Then=[1:Call[<'b'>]])
----
time ! a
====>
{Cmd=CallExpr(Args=[<'a'>] Pos=@1) Negated=True Pos=@1}
----
times; time1 a; xtime b; a time b
====>
1:Call[<'times'>]
1:Call[<'time1'> <'a'>]
1:Call[<'xtime'> <'b'>]
1:Call[<'a'> <'time'> <'b'>]
----
time=1 a
====>
1:CallExpr(Args=[<'a'>] Assigns=[{Name=:time Value=<'1'>}])
----
(time a)
====>
1:Subshell(Stmts=[1:Call[<'a'>]])
----
a; time	b
====>
1:Call[<'a'>]
1:Call[<'b'>]
----
f() { a; } > b > c; g() ( d ) 2>&1 < e
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{Op=> Word=<'b'>} {Op=> Word=<'c'>}]} Name=:f)
1:FuncDecl(Body={Cmd=Subshell(Pos=@1 Stmts=[1:Call[<'d'>]]) Pos=@1 Redirs=[{N=:2 Op=>& Word=<'1'>} {Op=< Word=<'e'>}]} Name=:g)
----
function f { a; } > b; c
====>
1:FuncDecl(Body={Cmd=Block(Pos=@1 Stmts=[1:Call[<'a'>]]) Pos=@1 Redirs=[{Op=> Word=<'b'>}]} Name=:f)
1:Call[<'c'>]
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_statement_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree


@pytest.mark.parametrize(
    ("opening", "inside", "closing", "deepest"),
    [
        ("{ ", "a", "; }", 119),
        ("{ a; ", "b", "; }", 119),
        ("{ `a`; ", "b", "; }", 108),
        ("if a; then ", "b", "; fi", 119),
        ("if ", "a", "; then b; fi", 119),
        ("$(", "a", ")", 59),
        ("$(", "`a`", ")", 54),
        ('"$(', "a", ')"', 39),
    ],
)
def test_nesting_is_followed_to_a_limit(opening: str, inside: str, closing: str, deepest: int) -> None:
    for depth, is_followed in ((deepest, True), (deepest + 1, False)):
        (block, *_) = parse(opening * depth + inside + closing * depth, "run.sh")
        assert (block.error == 0) == is_followed
