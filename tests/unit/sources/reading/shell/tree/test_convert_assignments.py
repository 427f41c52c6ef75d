"""Assignments and declarations in the tree."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
A=1 B= C="x y" D='z' E=$F G=$(h) I=`j` K=a"b"c L+=m _n1=o
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>} {Name=:B} {Name=:C Value=<DblQuoted(Parts=['x y'])>} {Name=:D Value=<SglQuoted(Value=z)>} {Name=:E Value=<$F>} {Name=:G Value=<CmdSubst(Stmts=[1:Call[<'h'>]])>} {Name=:I Value=<CmdSubst(Stmts=[1:Call[<'j'>]])>} {Name=:K Value=<'a' DblQuoted(Parts=['b']) 'c'>} {Append=True Name=:L Value=<'m'>} {Name=:_n1 Value=<'o'>}])
----
A=1 B=2 prog C=3 d
====>
1:CallExpr(Args=[<'prog'> <'C=3'> <'d'>] Assigns=[{Name=:A Value=<'1'>} {Name=:B Value=<'2'>}])
----
A=(a "b c" $D $(e)) B=() C+=(x) D=( )
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a'> :<DblQuoted(Parts=['b c'])> :<$D> :<CmdSubst(Stmts=[1:Call[<'e'>]])>]} Name=:A} {Array={Elems=[]} Name=:B} {Append=True Array={Elems=[:<'x'>]} Name=:C} {Array={Elems=[]} Name=:D}])
----
A=([0]=a [i+1]="b c" ["k"]=c [k k]=d [$x]=e f)
====>
error 1
----
A=(
  a # one
  # two
  b \
  c
)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a'> :<'b'> :<'c'>]} Name=:A}])
----
A[0]=a A[i]+=b A["k"]=c A[$i]="d" A[i+1]=e
====>
1:CallExpr(Assigns=[{Index=Word<'0'> Name=:A Value=<'a'>} {Append=True Index=Word<'i'> Name=:A Value=<'b'>} {Index=Word<DblQuoted(Parts=['k'])> Name=:A Value=<'c'>} {Index=Word<$i> Name=:A Value=<DblQuoted(Parts=['d'])>} {Index=(Word<'i'> + Word<'1'>) Name=:A Value=<'e'>}])
----
declare A B=1 -x C="x y" $D "E=1" F=(a b) G+=2 -A H[1]=2
====>
1:DeclClause(Args=[{Naked=True Name=:A} {Name=:B Value=<'1'>} {Naked=True Value=<'-x'>} {Name=:C Value=<DblQuoted(Parts=['x y'])>} {Naked=True Value=<$D>} {Naked=True Value=<DblQuoted(Parts=['E=1'])>} {Array={Elems=[:<'a'> :<'b'>]} Name=:F} {Append=True Name=:G Value=<'2'>} {Naked=True Value=<'-A'>} {Index=Word<'1'> Name=:H Value=<'2'>}] Variant=:declare)
----
export A B=1; typeset C; local D=1; readonly E; export -n F; declare -p
====>
1:DeclClause(Args=[{Naked=True Name=:A} {Name=:B Value=<'1'>}] Variant=:export)
1:DeclClause(Args=[{Naked=True Name=:C}] Variant=:typeset)
1:DeclClause(Args=[{Name=:D Value=<'1'>}] Variant=:local)
1:DeclClause(Args=[{Naked=True Name=:E}] Variant=:readonly)
1:DeclClause(Args=[{Naked=True Value=<'-n'>} {Naked=True Name=:F}] Variant=:export)
1:DeclClause(Args=[{Naked=True Value=<'-p'>}] Variant=:declare)
----
export "A=$B" $C=1 A-B=1 1A=2 'D'=3 E\=1
====>
1:DeclClause(Args=[{Naked=True Value=<DblQuoted(Parts=['A=' $B])>} {Naked=True Value=<$C '=1'>} {Naked=True Value=<'A-B=1'>} {Naked=True Value=<'1A=2'>} {Naked=True Value=<SglQuoted(Value=D) '=3'>} {Naked=True Value=<'E\\=1'>}] Variant=:export)
----
export A=1 B=2 > f
====>
{Cmd=DeclClause(Args=[{Name=:A Value=<'1'>} {Name=:B Value=<'2'>}] Pos=@1 Variant=:export) Pos=@1 Redirs=[{Op=> Word=<'f'>}]}
----
1A=2 prog; A-B=1; =x; "A"=1; $A=1; A\=1
====>
1:Call[<'1A=2'> <'prog'>]
1:Call[<'A-B=1'>]
1:Call[<'=x'>]
1:Call[<DblQuoted(Parts=['A']) '=1'>]
1:Call[<$A '=1'>]
1:Call[<'A\\=1'>]
----
A==b B=c=d C=[0]=1 D=+=1
====>
1:CallExpr(Assigns=[{Name=:A Value=<'=b'>} {Name=:B Value=<'c=d'>} {Name=:C Value=<'[0]=1'>} {Name=:D Value=<'+=1'>}])
----
A=b#c D="#" E=# x
====>
1:CallExpr(Args=[<'x'>] Assigns=[{Name=:A Value=<'b#c'>} {Name=:D Value=<DblQuoted(Parts=['#'])>} {Name=:E Value=<'#'>}])
----
A=1
prog b
C=2 D=3
prog d
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>}])
2:Call[<'prog'> <'b'>]
3:CallExpr(Assigns=[{Name=:C Value=<'2'>} {Name=:D Value=<'3'>}])
4:Call[<'prog'> <'d'>]
----
A=([1]+=a)
====>
error 1
----
A=(a [b c)
====>
error 1
----
A=(a)b
====>
error 1
----
A=x(a)
====>
error 1
----
A[1]x=2
====>
error 1
----
A[=2
====>
error 1
----
prog A=(b)
====>
error 1
----
A=(a;b)
====>
error 1
----
A=~ B=~/x C=a:~/b D={a,b} E=*
====>
1:CallExpr(Assigns=[{Name=:A Value=<'~'>} {Name=:B Value=<'~/x'>} {Name=:C Value=<'a:~/b'>} {Name=:D Value=<'{a,b}'>} {Name=:E Value=<'*'>}])
----
A=$'a' B=$"b" C=$((1)) D=<(e) F=${G:-h}
====>
1:CallExpr(Assigns=[{Name=:A Value=<SglQuoted(Dollar=True Value=a)>} {Name=:B Value=<DblQuoted(Parts=['b'])>} {Name=:C Value=<ArithmExp(X=Word<'1'>)>} {Name=:D Value=<ProcSubst(Op='<(' Stmts=[1:Call[<'e'>]])>} {Name=:F Value=<ParamExp(Exp={Op=:- Word=<'h'>} Param=:G)>}])
----
A=([x]="y" [z]= [w]) B=("[a]=b" [)
====>
error 1
----
A=1B=2 C =3
====>
1:CallExpr(Args=[<'C'> <'=3'>] Assigns=[{Name=:A Value=<'1B=2'>}])
----
export A=$(b) C="$(d)" E=`f` G=${H} I[0]=j
====>
1:DeclClause(Args=[{Name=:A Value=<CmdSubst(Stmts=[1:Call[<'b'>]])>} {Name=:C Value=<DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'d'>]])])>} {Name=:E Value=<CmdSubst(Stmts=[1:Call[<'f'>]])>} {Name=:G Value=<ParamExp(Param=:H)>} {Index=Word<'0'> Name=:I Value=<'j'>}] Variant=:export)
----
readonly -a A=(x y); declare -gx B=1 C
====>
1:DeclClause(Args=[{Naked=True Value=<'-a'>} {Array={Elems=[:<'x'> :<'y'>]} Name=:A}] Variant=:readonly)
1:DeclClause(Args=[{Naked=True Value=<'-gx'>} {Name=:B Value=<'1'>} {Naked=True Name=:C}] Variant=:declare)
----
A=1 \
B=2 prog \
  c
====>
1:CallExpr(Args=[<'prog'> <'c'>] Assigns=[{Name=:A Value=<'1'>} {Name=:B Value=<'2'>}])
----
declare -A M=(["a b"]=1 [c]="2 3" [d]=(e))
====>
error 1
----
A=(a)  B=(b) prog c
====>
1:CallExpr(Args=[<'prog'> <'c'>] Assigns=[{Array={Elems=[:<'a'>]} Name=:A} {Array={Elems=[:<'b'>]} Name=:B}])
----
A=([0]=a"b"$c [1]=)
====>
1:CallExpr(Assigns=[{Array={Elems=[{Index=Word<'0'> Value=<'a' DblQuoted(Parts=['b']) $c>} {Index=Word<'1'> Value=<>}]} Name=:A}])
----
A=('x' "y"z $'w') prog
====>
1:CallExpr(Args=[<'prog'>] Assigns=[{Array={Elems=[:<SglQuoted(Value=x)> :<DblQuoted(Parts=['y']) 'z'> :<SglQuoted(Dollar=True Value=w)>]} Name=:A}])
----
export A+=1 B[0]+=2
====>
1:DeclClause(Args=[{Append=True Name=:A Value=<'1'>} {Append=True Index=Word<'0'> Name=:B Value=<'2'>}] Variant=:export)
----
A=([0]=a [i+1]="b c")
====>
1:CallExpr(Assigns=[{Array={Elems=[{Index=Word<'0'> Value=<'a'>} {Index=(Word<'i'> + Word<'1'>) Value=<DblQuoted(Parts=['b c'])>}]} Name=:A}])
----
A=(["k"]=c [k k]=d)
====>
error 1
----
A=([$x]=e f)
====>
1:CallExpr(Assigns=[{Array={Elems=[{Index=Word<$x> Value=<'e'>} :<'f'>]} Name=:A}])
----
A=([w])
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'[w]'>]} Name=:A}])
----
A=([w]x)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'[w]x'>]} Name=:A}])
----
A=([w]x=y)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'[w]x=y'>]} Name=:A}])
----
A=([x]="y" [z]=)
====>
1:CallExpr(Assigns=[{Array={Elems=[{Index=Word<'x'> Value=<DblQuoted(Parts=['y'])>} {Index=Word<'z'> Value=<>}]} Name=:A}])
----
B=("[a]=b")
====>
1:CallExpr(Assigns=[{Array={Elems=[:<DblQuoted(Parts=['[a]=b'])>]} Name=:B}])
----
A=(a	b)  B=()
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a'> :<'b'>]} Name=:A} {Array={Elems=[]} Name=:B}])
----
A=(a   "b"   $c)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a'> :<DblQuoted(Parts=['b'])> :<$c>]} Name=:A}])
----
A=(a"b"c $d$e)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a' DblQuoted(Parts=['b']) 'c'> :<$d $e>]} Name=:A}])
----
A=($(a b) `c d` "$(e)")
====>
1:CallExpr(Assigns=[{Array={Elems=[:<CmdSubst(Stmts=[1:Call[<'a'> <'b'>]])> :<CmdSubst(Stmts=[1:Call[<'c'> <'d'>]])> :<DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'e'>]])])>]} Name=:A}])
----
A=(*.py {1..3})
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'*.py'> :<'{1..3}'>]} Name=:A}])
----
A=(--a=b -c "--d=$e")
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'--a=b'> :<'-c'> :<DblQuoted(Parts=['--d=' $e])>]} Name=:A}])
----
A+=("$@" --x)
====>
1:CallExpr(Assigns=[{Append=True Array={Elems=[:<DblQuoted(Parts=[$@])> :<'--x'>]} Name=:A}])
----
A=(a
)
prog
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'a'>]} Name=:A}])
3:Call[<'prog'>]
----
A[$(b)]=c
====>
1:CallExpr(Assigns=[{Index=Word<CmdSubst(Stmts=[1:Call[<'b'>]])> Name=:A Value=<'c'>}])
----
A["b c"]=d
====>
1:CallExpr(Assigns=[{Index=Word<DblQuoted(Parts=['b c'])> Name=:A Value=<'d'>}])
----
A[b]+=(c)
====>
1:CallExpr(Assigns=[{Append=True Array={Elems=[:<'c'>]} Index=Word<'b'> Name=:A}])
----
A[0]=(b)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'b'>]} Index=Word<'0'> Name=:A}])
----
export "A"=b
====>
1:DeclClause(Args=[{Naked=True Value=<DblQuoted(Parts=['A']) '=b'>}] Variant=:export)
----
export A"B"=c
====>
1:DeclClause(Args=[{Naked=True Value=<'A' DblQuoted(Parts=['B']) '=c'>}] Variant=:export)
----
export -- A=1
====>
1:DeclClause(Args=[{Naked=True Value=<'--'>} {Name=:A Value=<'1'>}] Variant=:export)
----
export A=(1)
====>
1:DeclClause(Args=[{Array={Elems=[:<'1'>]} Name=:A}] Variant=:export)
----
local a=1 b c=$d
====>
1:DeclClause(Args=[{Name=:a Value=<'1'>} {Naked=True Name=:b} {Name=:c Value=<$d>}] Variant=:local)
----
typeset -i A=1+2
====>
1:DeclClause(Args=[{Naked=True Value=<'-i'>} {Name=:A Value=<'1+2'>}] Variant=:typeset)
----
declare A=$(b "c d") E
====>
1:DeclClause(Args=[{Name=:A Value=<CmdSubst(Stmts=[1:Call[<'b'> <DblQuoted(Parts=['c d'])>]])>} {Naked=True Name=:E}] Variant=:declare)
----
declare "$A"
====>
1:DeclClause(Args=[{Naked=True Value=<DblQuoted(Parts=[$A])>}] Variant=:declare)
----
readonly A=1 B
====>
1:DeclClause(Args=[{Name=:A Value=<'1'>} {Naked=True Name=:B}] Variant=:readonly)
----
export A=1; B=2 C=3; export D
====>
1:DeclClause(Args=[{Name=:A Value=<'1'>}] Variant=:export)
1:CallExpr(Assigns=[{Name=:B Value=<'2'>} {Name=:C Value=<'3'>}])
1:DeclClause(Args=[{Naked=True Name=:D}] Variant=:export)
----
A=1 B C=2
====>
1:CallExpr(Args=[<'B'> <'C=2'>] Assigns=[{Name=:A Value=<'1'>}])
----
A=$1$2 B=${3}4 C="$5"6
====>
1:CallExpr(Assigns=[{Name=:A Value=<$1 $2>} {Name=:B Value=<ParamExp(Param=:3) '4'>} {Name=:C Value=<DblQuoted(Parts=[$5]) '6'>}])
----
A=a:b C=http://d/?e=f D=@g
====>
1:CallExpr(Assigns=[{Name=:A Value=<'a:b'>} {Name=:C Value=<'http://d/?e=f'>} {Name=:D Value=<'@g'>}])
----
A=-1 B=--c D=[e] F=g[h]
====>
1:CallExpr(Assigns=[{Name=:A Value=<'-1'>} {Name=:B Value=<'--c'>} {Name=:D Value=<'[e]'>} {Name=:F Value=<'g[h]'>}])
----
A=\"b\" C=d\ e
====>
1:CallExpr(Assigns=[{Name=:A Value=<'\\"b\\"'>} {Name=:C Value=<'d\\ e'>}])
----
A="b
c"
prog
====>
1:CallExpr(Assigns=[{Name=:A Value=<DblQuoted(Parts=['b\nc'])>}])
3:Call[<'prog'>]
----
A='b
c' prog
====>
1:CallExpr(Args=[<'prog'>] Assigns=[{Name=:A Value=<SglQuoted(Value='b\nc')>}])
----
A=1 # b
C=2
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>}])
2:CallExpr(Assigns=[{Name=:C Value=<'2'>}])
----
A= prog
====>
1:CallExpr(Args=[<'prog'>] Assigns=[{Name=:A}])
----
A= B= prog
====>
1:CallExpr(Args=[<'prog'>] Assigns=[{Name=:A} {Name=:B}])
----
A=
prog
====>
1:CallExpr(Assigns=[{Name=:A}])
2:Call[<'prog'>]
----
A=1 export B=2
====>
1:CallExpr(Args=[<'export'> <'B=2'>] Assigns=[{Name=:A Value=<'1'>}])
----
A=1 declare B
====>
1:CallExpr(Args=[<'declare'> <'B'>] Assigns=[{Name=:A Value=<'1'>}])
----
A=1 unset B
====>
1:CallExpr(Args=[<'unset'> <'B'>] Assigns=[{Name=:A Value=<'1'>}])
----
A=1 [ b ]
====>
1:CallExpr(Args=[<'['> <'b'> <']'>] Assigns=[{Name=:A Value=<'1'>}])
----
A=1 f() { b; }
====>
error 1
----
export
declare
====>
1:DeclClause(Args=[] Variant=:export)
2:DeclClause(Args=[] Variant=:declare)
----
A=(b\
c)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'b\\\nc'>]} Name=:A}])
----
A=(
# b
c)
====>
1:CallExpr(Assigns=[{Array={Elems=[:<'c'>]} Name=:A}])
----
A=1 B=2 # x
C=3
prog
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>} {Name=:B Value=<'2'>}])
2:CallExpr(Assigns=[{Name=:C Value=<'3'>}])
3:Call[<'prog'>]
----
export A # x
B=1
====>
1:DeclClause(Args=[{Naked=True Name=:A}] Variant=:export)
2:CallExpr(Assigns=[{Name=:B Value=<'1'>}])
----
A=1 # x
# y
B=2 prog
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>}])
3:CallExpr(Args=[<'prog'>] Assigns=[{Name=:B Value=<'2'>}])
----
declare A=1 # x
prog
====>
1:DeclClause(Args=[{Name=:A Value=<'1'>}] Variant=:declare)
2:Call[<'prog'>]
----
A=1 # x
prog b # y
C=2
====>
1:CallExpr(Assigns=[{Name=:A Value=<'1'>}])
2:Call[<'prog'> <'b'>]
3:CallExpr(Assigns=[{Name=:C Value=<'2'>}])
----
export A[0] B[i]; declare C[1]
====>
error 1
----
declare A[0]="b" "C[0]" D[$e]
====>
error 1
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_an_assignment_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
