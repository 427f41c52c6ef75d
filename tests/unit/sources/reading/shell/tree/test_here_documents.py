"""Here-documents in the tree."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases
from vcompat.sources.reading.shell.tree.syntax import parse

TABLE = r"""
cat <<EOF
a
EOF
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'EOF'>}]}
4:Call[<'b'>]
----
cat <<EOF > f
a $X "b" `c` $(d) ${E:-g} $((1))
EOF
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a ' $X ' "b" ' CmdSubst(Stmts=[2:Call[<'c'>]]) ' ' CmdSubst(Stmts=[2:Call[<'d'>]]) ' ' ParamExp(Exp={Op=:- Word=<'g'>} Param=:E) ' ' ArithmExp(X=Word<'1'>) '\n'> Op=<< Word=<'EOF'>} {Op=> Word=<'f'>}]}
----
cat <<'EOF'
a $X `b` \c
EOF
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a $X `b` \\c\n'> Op=<< Word=<SglQuoted(Value="'EOF'")>}]}
----
cat <<"EOF"
a $X
EOF
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a $X\n'> Op=<< Word=<SglQuoted(Value='"EOF"')>}]}
----
cat <<\EOF
a $X
EOF
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a $X\n'> Op=<< Word=<SglQuoted(Value='\\EOF')>}]}
----
cat <<E"O"F
a $X
EOF
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a $X\n'> Op=<< Word=<SglQuoted(Value='E"O"F')>}]}
4:Call[<'b'>]
----
cat <<-EOF
	a
		b
	EOF
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\ta\n\t\tb\n'> Op=<<- Word=<'EOF'>}]}
5:Call[<'c'>]
----
cat <<-'EOF'
	a $X
EOF
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\ta $X\n'> Op=<<- Word=<SglQuoted(Value="'EOF'")>}]}
4:Call[<'c'>]
----
cat <<A <<B
a
A
b
B
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
6:Call[<'c'>]
----
cat <<A; cat <<B
a
A
b
B
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
6:Call[<'c'>]
----
cat <<A && b
a
A
c
====>
1:BinaryCmd(Op=&& X={Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]} Y=1:Call[<'b'>])
4:Call[<'c'>]
----
cat <<A | b
a
A
c
====>
1:BinaryCmd(Op=| X={Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]} Y=1:Call[<'b'>])
4:Call[<'c'>]
----
if cat <<A; then
a
A
b
fi
c
====>
1:IfClause(Cond=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}] Then=[4:Call[<'b'>]])
6:Call[<'c'>]
----
X=$(cat <<A
a
A
)
b
====>
1:CallExpr(Assigns=[{Name=:X Value=<CmdSubst(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}])>}])
5:Call[<'b'>]
----
cat <<A
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<> Op=<< Word=<'A'>}]}
3:Call[<'b'>]
----
cat <<A
a
====>
error 1
after 1
1:Call[<'a'>]
----
cat <<A
a

b
 A
A 
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n\nb\n A\nA \n'> Op=<< Word=<'A'>}]}
8:Call[<'c'>]
----
cat << A
a
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A 2>&1 > f b
a
A
c
====>
{Cmd=CallExpr(Args=[<'cat'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {N=:2 Op=>& Word=<'1'>} {Op=> Word=<'f'>}]}
4:Call[<'c'>]
----
cat 2>f <<A g
a
A
b
====>
{Cmd=CallExpr(Args=[<'cat'> <'g'>] Pos=@1) Pos=@1 Redirs=[{N=:2 Op=> Word=<'f'>} {Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat 0<<A 3<<-B
a
A
	b
B
c
====>
error 1
after 1
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'b'>]
4:Call[<'B'>]
5:Call[<'c'>]
----
{ cat; } <<A
a
A
b
====>
{Cmd=Block(Pos=@1 Stmts=[1:Call[<'cat'>]]) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
while read x; do a; done <<A
b
A
c
====>
{Cmd=WhileClause(Cond=[1:Call[<'read'> <'x'>]] Do=[1:Call[<'a'>]] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
cat <<A
it's "a" \$X \` \\ \a
b'
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'it\'s "a" \\$X \\` \\\\ \\a\nb\'\n'> Op=<< Word=<'A'>}]}
5:Call[<'c'>]
----
cat <<A
$(echo "a b") `echo "c"` ${X:-"d"}
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<CmdSubst(Stmts=[2:Call[<'echo'> <DblQuoted(Parts=['a b'])>]]) ' ' CmdSubst(Stmts=[2:Call[<'echo'> <DblQuoted(Parts=['c'])>]]) ' ' ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['d'])>} Param=:X) '\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A
a $(b
c) d
A
e
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a ' CmdSubst(Stmts=[2:Call[<'b'>] 3:Call[<'c'>]]) ' d\n'> Op=<< Word=<'A'>}]}
5:Call[<'e'>]
----
cat <<A
$ a$ $% "
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'$ a$ $% "\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A
$((1 + $X)) $[2]
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<ArithmExp(X=(Word<'1'> + Word<$X>)) ' ' ArithmExp(X=Word<'2'>) '\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A
${X
A
b
====>
error 1
after 1
error 2
after 2
1:Call[<'A'>]
2:Call[<'b'>]
----
cat <<A
`a
A
b
====>
error 1
after 1
error 4
----
cat <<A "b
c"
a
A
====>
error 1
after 1
error 4
----
cat <<A 'b' "c" \" # it's
a
A
d
====>
{Cmd=CallExpr(Args=[<'cat'> <SglQuoted(Value=b)> <DblQuoted(Parts=['c'])> <'\\"'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'d'>]
----
cat <<A \
  b
a
A
c
====>
{Cmd=CallExpr(Args=[<'cat'> <'b'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
5:Call[<'c'>]
----
cat <<$X
a
$X
b
====>
error 1
after 1
1:Call[<'a'>]
2:Call[<$X>]
3:Call[<'b'>]
----
cat <<
a
====>
error 1
after 1
1:Call[<'a'>]
----
cat <<<a
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Op=<<< Word=<'a'>}]}
2:Call[<'b'>]
----
cat <<A
a
A
cat <<B
b
B
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
7:Call[<'c'>]
----
cat <<A
<<B
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'<<B\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
# <<A
a
====>
2:Call[<'a'>]
----
echo "<<A" '<<B'
a
====>
1:Call[<'echo'> <DblQuoted(Parts=['<<A'])> <SglQuoted(Value=<<B)>]
2:Call[<'a'>]
----
echo $((1<<2)) $((1 <<2))
a
====>
1:Call[<'echo'> <ArithmExp(X=(Word<'1'> << Word<'2'>))> <ArithmExp(X=(Word<'1'> << Word<'2'>))>]
2:Call[<'a'>]
----
((a<<=1))
b
====>
1:ArithmCmd(X=(Word<'a'> <<= Word<'1'>))
2:Call[<'b'>]
----
a() { cat <<A
b
A
}
c
====>
1:FuncDecl(Body=1:Block(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}]) Name=:a)
5:Call[<'c'>]
----
a=(1
<<A)
====>
error 2
----
for x in a; do
  cat <<A
$x
A
done
b
====>
1:ForClause(Do=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<$x '\n'> Op=<< Word=<'A'>}]}] Loop=WordIter(Items=[<'a'>] Name=:x))
6:Call[<'b'>]
----
case x in
a) cat <<A
b
A
;;
esac
c
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}]}] Word=<'x'>)
7:Call[<'c'>]
----
cat <<A && cat <<'B' || d
$X
A
$Y
B
c
====>
1:BinaryCmd(Op=|| X=1:BinaryCmd(Op=&& X={Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<$X '\n'> Op=<< Word=<'A'>}]} Y={Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'$Y\n'> Op=<< Word=<SglQuoted(Value="'B'")>}]}) Y=1:Call[<'d'>])
6:Call[<'c'>]
----
cat <<A > f
größe $X é
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'größe ' $X ' é\n'> Op=<< Word=<'A'>} {Op=> Word=<'f'>}]}
4:Call[<'b'>]
----
cat <<A
a \
b
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a \\\nb\n'> Op=<< Word=<'A'>}]}
5:Call[<'c'>]
----
(cat <<A
a
A
)
b
====>
1:Subshell(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}])
5:Call[<'b'>]
----
cat <<A &
a
A
b
====>
{Background=True Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A #b
a
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
cat <<A;b
a
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
1:Call[<'b'>]
4:Call[<'c'>]
----
cat <<A>f
a
A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {Op=> Word=<'f'>}]}
4:Call[<'b'>]
----
cat <<A|b
a
A
c
====>
1:BinaryCmd(Op=| X={Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]} Y=1:Call[<'b'>])
4:Call[<'c'>]
----
cat <<A.b-c_1
a
A.b-c_1
d
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A.b-c_1'>}]}
4:Call[<'d'>]
----
cat <<"A B"
a
A B
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<SglQuoted(Value='"A B"')>}]}
4:Call[<'b'>]
----
cat <<A'B'"C"\D
a
ABCD
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<SglQuoted(Value='A\'B\'"C"\\D')>}]}
4:Call[<'b'>]
----
cat <<A
a${X}b${Y:-c}
A
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a' ParamExp(Param=:X) 'b' ParamExp(Exp={Op=:- Word=<'c'>} Param=:Y) '\n'> Op=<< Word=<'A'>}]}
----
cat <<A
a

A

b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n\n'> Op=<< Word=<'A'>}]}
6:Call[<'b'>]
----
sudo tee f > /dev/null <<A
a
A
b
====>
{Cmd=CallExpr(Args=[<'sudo'> <'tee'> <'f'>] Pos=@1) Pos=@1 Redirs=[{Op=> Word=<'/dev/null'>} {Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A
x "$(b "c")" 'd $(e)'
A
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'x "' CmdSubst(Stmts=[2:Call[<'b'> <DblQuoted(Parts=['c'])>]]) '" \'d ' CmdSubst(Stmts=[2:Call[<'e'>]]) "'\n"> Op=<< Word=<'A'>}]}
----
cat <<A
"a $X"
A
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'"a ' $X '"\n'> Op=<< Word=<'A'>}]}
----
cat <<A
\"a\" $(b)
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\\"a\\" ' CmdSubst(Stmts=[2:Call[<'b'>]]) '\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
cat <<A
$(b \"c\")
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<CmdSubst(Stmts=[2:Call[<'b'> <'\\"c\\"'>]]) '\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
cat <<A
$(b 'c "d"')
A
e
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<CmdSubst(Stmts=[2:Call[<'b'> <SglQuoted(Value='c "d"')>]]) '\n'> Op=<< Word=<'A'>}]}
4:Call[<'e'>]
----
time cat <<A
a
A
time b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'b'>]
----
cat <<A
time b
A
time c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'time b\n'> Op=<< Word=<'A'>}]}
4:Call[<'c'>]
----
time a; time b
time c | time d
====>
1:Call[<'a'>]
1:Call[<'b'>]
2:BinaryCmd(Op=| X=2:Call[<'c'>] Y=2:Call[<'d'>])
----
cat <<A
${X:-`b`}
A
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<ParamExp(Exp={Op=:- Word=<CmdSubst(Stmts=[2:Call[<'b'>]])>} Param=:X) '\n'> Op=<< Word=<'A'>}]}
----
cat <<''
a

b
====>
error 1
after 1
1:Call[<'a'>]
3:Call[<'b'>]
----
cat <<A <<A
a
A
b
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
6:Call[<'c'>]
----
if a; then
  b <<A
  c
A
else
  d <<-B
	e
	B
fi
f
====>
1:IfClause(Cond=[1:Call[<'a'>]] Else=IfClause(Pos=@5 Then=[{Cmd=CallExpr(Args=[<'d'>] Pos=@6) Pos=@6 Redirs=[{Hdoc=<'\te\n'> Op=<<- Word=<'B'>}]}]) Then=[{Cmd=CallExpr(Args=[<'b'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'  c\n'> Op=<< Word=<'A'>}]}])
10:Call[<'f'>]
----
a <<A
b
A
if c
====>
{Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
error 4
----
a <<A b <<B
c
A
====>
error 1
after 1
1:Call[<'c'>]
2:Call[<'A'>]
----
cat <<-A
	a $X
	 b
  	c
	A
d
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\ta ' $X '\n\t b\n  \tc\n'> Op=<<- Word=<'A'>}]}
6:Call[<'d'>]
----
cat <<-A
	$X	a
	$(b)
A
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\t' $X '\ta\n\t' CmdSubst(Stmts=[3:Call[<'b'>]]) '\n'> Op=<<- Word=<'A'>}]}
----
echo `cat <<A
a
A
`
b
====>
1:Call[<'echo'> <CmdSubst(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'zqdocument0q'>}]}])>]
5:Call[<'b'>]
----
$(cat <<A
a $X
A
) b
c
====>
1:Call[<CmdSubst(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a ' $X '\n'> Op=<< Word=<'A'>}]}])> <'b'>]
5:Call[<'c'>]
----
cat <<A
a
A; b
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\nA; b\n'> Op=<< Word=<'A'>}]}
5:Call[<'c'>]
----
cat <<A <<'B' > f
a
A
b
B
c "d
e"
f
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {Hdoc=<'b\n'> Op=<< Word=<SglQuoted(Value="'B'")>} {Op=> Word=<'f'>}]}
6:Call[<'c'> <DblQuoted(Parts=['d\ne'])>]
8:Call[<'f'>]
----
cat <<A
a
A
)
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
error 4
after 4
1:Call[<'b'>]
----
cat <<A
${X:-a
b}
A
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<ParamExp(Exp={Op=:- Word=<'a\nb'>} Param=:X) '\n'> Op=<< Word=<'A'>}]}
5:Call[<'c'>]
----
cat <<zqbodyq
$(a "b")"
zqbodyq
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<CmdSubst(Stmts=[2:Call[<'a'> <DblQuoted(Parts=['b'])>]]) '"\n'> Op=<< Word=<'zqbodyq'>}]}
4:Call[<'c'>]
----
a
b
cat <<A
\"a\" $(b)
$(c)
A
d
====>
1:Call[<'a'>]
2:Call[<'b'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@3) Pos=@3 Redirs=[{Hdoc=<'\\"a\\" ' CmdSubst(Stmts=[4:Call[<'b'>]]) '\n' CmdSubst(Stmts=[5:Call[<'c'>]]) '\n'> Op=<< Word=<'A'>}]}
7:Call[<'d'>]
----
a

cat <<A
$(b "c
d")
A
e
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@3) Pos=@3 Redirs=[{Hdoc=<CmdSubst(Stmts=[4:Call[<'b'> <DblQuoted(Parts=['c\nd'])>]]) '\n'> Op=<< Word=<'A'>}]}
7:Call[<'e'>]
----
a
cat <<A
`b`
${X:-`c`}
A
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<CmdSubst(Stmts=[3:Call[<'b'>]]) '\n' ParamExp(Exp={Op=:- Word=<CmdSubst(Stmts=[3:Call[<'c'>]])>} Param=:X) '\n'> Op=<< Word=<'A'>}]}
----
cat <<A "b\
c"
a
A
d
====>
{Cmd=CallExpr(Args=[<'cat'> <DblQuoted(Parts=['b\\\nc'])>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
5:Call[<'d'>]
----
cat <<A
a
A
cat <<B
<<C time x
time y
B
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'<<C time x\ntime y\n'> Op=<< Word=<'B'>}]}
8:Call[<'c'>]
----
cat <<A
a
A
cat <<B; cat <<C
b
B
c
C
cat <<D
d
D
time e
cat <<F
f
F
g
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'c\n'> Op=<< Word=<'C'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@9) Pos=@9 Redirs=[{Hdoc=<'d\n'> Op=<< Word=<'D'>}]}
12:Call[<'e'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@13) Pos=@13 Redirs=[{Hdoc=<'f\n'> Op=<< Word=<'F'>}]}
16:Call[<'g'>]
----
time a
cat <<A; cat <<B
a
A
b
B
time c
cat <<D
d
D
e
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
7:Call[<'c'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@8) Pos=@8 Redirs=[{Hdoc=<'d\n'> Op=<< Word=<'D'>}]}
11:Call[<'e'>]
----
cat <<A
a
A
echo time -p a; a time b; time=1; time a; (time b); { time c; }; ! time d; e && time f | time g
time -p a <<B
b
B
c
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'echo'> <'time'> <'-p'> <'a'>]
4:Call[<'a'> <'time'> <'b'>]
4:CallExpr(Assigns=[{Name=:time Value=<'1'>}])
4:Call[<'a'>]
4:Subshell(Stmts=[4:Call[<'b'>]])
4:Block(Stmts=[4:Call[<'c'>]])
{Cmd=CallExpr(Args=[<'d'>] Pos=@4) Negated=True Pos=@4}
4:BinaryCmd(Op=&& X=4:Call[<'e'>] Y=4:BinaryCmd(Op=| X=4:Call[<'f'>] Y=4:Call[<'g'>]))
{Cmd=CallExpr(Args=[<'a'>] Pos=@5) Pos=@5 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
8:Call[<'c'>]
----
cat <<LONGNAME; cat <<B
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
LONGNAME
b
B
cat <<C
c
C
time d
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n'> Op=<< Word=<'LONGNAME'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@7) Pos=@7 Redirs=[{Hdoc=<'c\n'> Op=<< Word=<'C'>}]}
10:Call[<'d'>]
----
a
cat <<A 'b
a
A
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'c'>]
----
a
cat <<A "b
a
A
c
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'c'>]
----
a
cat <<A `b
a` c
A
d
====>
1:Call[<'a'>]
error 2
after 2
error 5
----
a
cat <<A `b` $(c) "$(d "e")"
a
A
f
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'f'>]
----
a
cat <<A # b's "c `d
a
A
e
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@2) Pos=@2 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
5:Call[<'e'>]
----
a
cat <<A b#c'd
a
A
e
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'e'>]
----
cat <<-A

	a

	A
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'\n\ta\n\n'> Op=<<- Word=<'A'>}]}
6:Call[<'b'>]
----
cat <<É
a
É
b
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'É'>}]}
4:Call[<'b'>]
----
cat <<A <<B c
a
A
b
B
d
====>
{Cmd=CallExpr(Args=[<'cat'> <'c'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>} {Hdoc=<'b\n'> Op=<< Word=<'B'>}]}
6:Call[<'d'>]
----
a <<A
b
A
c <<B
d
====>
{Cmd=CallExpr(Args=[<'a'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
error 4
after 4
1:Call[<'d'>]
----
a;cat <<A
b
A
====>
1:Call[<'a'>]
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
----
cat <<A
b
A
(
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'b\n'> Op=<< Word=<'A'>}]}
error 4
----
cat <<A X XX "b" 'c' \' \" \` d
a
A
e
====>
{Cmd=CallExpr(Args=[<'cat'> <'X'> <'XX'> <DblQuoted(Parts=['b'])> <SglQuoted(Value=c)> <"\\'"> <'\\"'> <'\\`'> <'d'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
4:Call[<'e'>]
----
a
cat <<A b'c
a
A
d
====>
1:Call[<'a'>]
error 2
after 2
1:Call[<'a'>]
2:Call[<'A'>]
3:Call[<'d'>]
----
cat <<A
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
A
cat <<B
bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
B
cat <<C; time cat <<D
c
C
d
D
time e
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n'> Op=<< Word=<'B'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@7) Pos=@7 Redirs=[{Hdoc=<'c\n'> Op=<< Word=<'C'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@7) Pos=@7 Redirs=[{Hdoc=<'d\n'> Op=<< Word=<'D'>}]}
12:Call[<'e'>]
----
cat <<A
a
A
time cat <<C; cat <<D
c
C
d
D
e
====>
{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Hdoc=<'a\n'> Op=<< Word=<'A'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'c\n'> Op=<< Word=<'C'>}]}
{Cmd=CallExpr(Args=[<'cat'>] Pos=@4) Pos=@4 Redirs=[{Hdoc=<'d\n'> Op=<< Word=<'D'>}]}
9:Call[<'e'>]
"""  # noqa: E101, W291


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_here_document_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree


def test_here_documents_are_followed_to_a_limit() -> None:
    # Without the end that the tree has for each, the text would be parsed too often.
    (block,) = parse("cat <<A\nA\n" * 300, "run.sh")
    assert (len(block.statements), block.error) == (300, 0)
    blocks_of_more = parse("cat <<A\nA\n" * 301, "run.sh")
    assert [(len(block.statements), block.error) for block in blocks_of_more] == [(0, 0), (50, 101), (251, 0)]
