"""Words in the tree: texts, quotes, parameters and substitutions."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
prog a "b" 'c' $'d\n' $"e" a"b"'c'$'d'e
====>
1:Call[<'prog'> <'a'> <DblQuoted(Parts=['b'])> <SglQuoted(Value=c)> <SglQuoted(Dollar=True Value='d\\n')> <DblQuoted(Parts=['e'])> <'a' DblQuoted(Parts=['b']) SglQuoted(Value=c) SglQuoted(Dollar=True Value=d) 'e'>]
----
prog "" '' $'' $""
====>
1:Call[<'prog'> <DblQuoted(Parts=[])> <SglQuoted(Value='')> <SglQuoted(Dollar=True Value='')> <DblQuoted(Parts=[])>]
----
prog $A ${B} "$C" "${D}" $1 $@ $* $# $? $$ $! $- $0 ${10} $_x1
====>
1:Call[<'prog'> <$A> <ParamExp(Param=:B)> <DblQuoted(Parts=[$C])> <DblQuoted(Parts=[ParamExp(Param=:D)])> <$1> <$@> <$*> <$#> <$?> <$$> <$!> <$-> <$0> <ParamExp(Param=:10)> <$_x1>]
----
prog a$Ab "x$A-$B.y" $A$B "$1$@" $10
====>
1:Call[<'prog'> <'a' $Ab> <DblQuoted(Parts=['x' $A '-' $B '.y'])> <$A $B> <DblQuoted(Parts=[$1 $@])> <$1 '0'>]
----
prog "a\"b" a\ b "\$A" \$A 'a\' "a\\" "`echo \"a\"`"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a\\"b'])> <'a\\ b'> <DblQuoted(Parts=['\\$A'])> <'\\$A'> <SglQuoted(Value='a\\')> <DblQuoted(Parts=['a\\\\'])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=['a'])>]])])>]
----
prog $(echo a) "$(echo b)" `echo c` "`echo d`" a$(b)c`d`e
====>
1:Call[<'prog'> <CmdSubst(Stmts=[1:Call[<'echo'> <'a'>]])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <'b'>]])])> <CmdSubst(Stmts=[1:Call[<'echo'> <'c'>]])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <'d'>]])])> <'a' CmdSubst(Stmts=[1:Call[<'b'>]]) 'c' CmdSubst(Stmts=[1:Call[<'d'>]]) 'e'>]
----
prog `echo \`echo a\`` "`echo \"$A\" \\\$x`" `echo \$A \\\\ \"q\"`
====>
1:Call[<'prog'> <CmdSubst(Stmts=[1:Call[<'echo'> <CmdSubst(Stmts=[1:Call[<'echo'> <'a'>]])>]])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=[$A])> <'\\$x'>]])])> <CmdSubst(Stmts=[1:Call[<'echo'> <$A> <'\\\\'> <'\\"q\\"'>]])>]
----
prog $((1 + 2)) "$((A))" $[3 + 4] a$((1))b
====>
1:Call[<'prog'> <ArithmExp(X=(Word<'1'> + Word<'2'>))> <DblQuoted(Parts=[ArithmExp(X=Word<'A'>)])> <ArithmExp(X=(Word<'3'> + Word<'4'>))> <'a' ArithmExp(X=Word<'1'>) 'b'>]
----
prog <(echo a) >(cat) x
====>
1:Call[<'prog'> <ProcSubst(Op='<(' Stmts=[1:Call[<'echo'> <'a'>]])> <ProcSubst(Op='>(' Stmts=[1:Call[<'cat'>]])> <'x'>]
----
prog @(a|b) ?(a)*(b)+(c)!(d|e\)f)g x@y a+b
====>
error 1
----
prog "$(echo "a $(echo "b")")" "${A:-"x $B"}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=['a ' CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=['b'])>]])])>]])])> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['x ' $B])>} Param=:A)])>]
----
prog "a $(echo b)	$(echo c)" "  $A"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a ' CmdSubst(Stmts=[1:Call[<'echo'> <'b'>]]) '\t' CmdSubst(Stmts=[1:Call[<'echo'> <'c'>]])])> <DblQuoted(Parts=['  ' $A])>]
----
prog "x	${A}  $((1))"
====>
1:Call[<'prog'> <DblQuoted(Parts=['x\t' ParamExp(Param=:A) '  ' ArithmExp(X=Word<'1'>)])>]
----
prog a \
  b\
c
====>
1:Call[<'prog'> <'a'> <'b\\\nc'>]
----
prog größe "ß$Aß" $(echo é)
====>
1:Call[<'prog'> <'größe'> <DblQuoted(Parts=['ß' $A 'ß'])> <CmdSubst(Stmts=[1:Call[<'echo'> <'é'>]])>]
----
prog $ a$ "$" "a$ b" $% "$,"
====>
error 1
----
prog "it's" '"' "'$A'" \'a\' \"b
====>
1:Call[<'prog'> <DblQuoted(Parts=["it's"])> <SglQuoted(Value='"')> <DblQuoted(Parts=["'" $A "'"])> <"\\'a\\'"> <'\\"b'>]
----
prog ${A[0]} "${A[@]}" ${A[i+1]} ${A["k k"]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'0'> Param=:A)> <DblQuoted(Parts=[ParamExp(Index=Word<'@'> Param=:A)])> <ParamExp(Index=(Word<'i'> + Word<'1'>) Param=:A)> <ParamExp(Index=Word<DblQuoted(Parts=['k k'])> Param=:A)>]
----
prog $"a$B" x$"y"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a' $B])> <'x' DblQuoted(Parts=['y'])>]
----
prog ${A:-$B} ${A:-${B}} ${A:-$(echo c)} "${A:-a b}" ${A:-`echo d`}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<$B>} Param=:A)> <ParamExp(Exp={Op=:- Word=<ParamExp(Param=:B)>} Param=:A)> <ParamExp(Exp={Op=:- Word=<CmdSubst(Stmts=[1:Call[<'echo'> <'c'>]])>} Param=:A)> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<'a b'>} Param=:A)])> <ParamExp(Exp={Op=:- Word=<CmdSubst(Stmts=[1:Call[<'echo'> <'d'>]])>} Param=:A)>]
----
prog "`echo a`$B`echo c`" `a``b`
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <'a'>]]) $B CmdSubst(Stmts=[1:Call[<'echo'> <'c'>]])])> <CmdSubst(Stmts=[1:Call[<'a'>]]) CmdSubst(Stmts=[1:Call[<'b'>]])>]
----
prog "a`echo 'it'\''s' "b c"`d"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a' CmdSubst(Stmts=[1:Call[<'echo'> <SglQuoted(Value=it) "\\'" SglQuoted(Value=s)> <DblQuoted(Parts=['b c'])>]]) 'd'])>]
----
prog `echo a; echo b
echo c`
prog d
====>
1:Call[<'prog'> <CmdSubst(Stmts=[1:Call[<'echo'> <'a'>] 1:Call[<'echo'> <'b'>] 1:Call[<'echo'> <'c'>]])>]
3:Call[<'prog'> <'d'>]
----
prog "$(
echo a

echo b)" $(

echo c)
prog d
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[2:Call[<'echo'> <'a'>] 4:Call[<'echo'> <'b'>]])])> <CmdSubst(Stmts=[6:Call[<'echo'> <'c'>]])>]
7:Call[<'prog'> <'d'>]
----
prog $() `` "$()"
====>
error 1
----
prog $(# comment
echo a) $(echo b # x
)
====>
1:Call[<'prog'> <CmdSubst(Stmts=[2:Call[<'echo'> <'a'>]])> <CmdSubst(Stmts=[2:Call[<'echo'> <'b'>]])>]
----
prog "a${A}b$(c)d$((e))f`g`h"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a' ParamExp(Param=:A) 'b' CmdSubst(Stmts=[1:Call[<'c'>]]) 'd' ArithmExp(X=Word<'e'>) 'f' CmdSubst(Stmts=[1:Call[<'g'>]]) 'h'])>]
----
prog ${A}"${B}"'c'${D}
====>
1:Call[<'prog'> <ParamExp(Param=:A) DblQuoted(Parts=[ParamExp(Param=:B)]) SglQuoted(Value=c) ParamExp(Param=:D)>]
----
case $X in "a b"|c' 'd) prog;; $A"$B"*) prog;; "it's"*|'q"'?) prog;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<DblQuoted(Parts=['a b'])> <'c' SglQuoted(Value=' ') 'd'>] Stmts=[1:Call[<'prog'>]]} {Op=;; Patterns=[<$A DblQuoted(Parts=[$B]) '*'>] Stmts=[1:Call[<'prog'>]]} {Op=;; Patterns=[<DblQuoted(Parts=["it's"]) '*'> <SglQuoted(Value='q"') '?'>] Stmts=[1:Call[<'prog'>]]}] Word=<$X>)
----
case $X in a"b\"c"d) prog;; 'x
y') prog;; esac
====>
1:CaseClause(Items=[{Op=;; Patterns=[<'a' DblQuoted(Parts=['b\\"c']) 'd'>] Stmts=[1:Call[<'prog'>]]} {Op=;; Patterns=[<SglQuoted(Value='x\ny')>] Stmts=[2:Call[<'prog'>]]}] Word=<$X>)
----
prog $(< f) $(<f 2> g) "$(cat < f)"
====>
1:Call[<'prog'> <CmdSubst(Stmts=[{Pos=@1 Redirs=[{Op=< Word=<'f'>}]}])> <CmdSubst(Stmts=[{Pos=@1 Redirs=[{Op=< Word=<'f'>} {N=:2 Op=> Word=<'g'>}]}])> <DblQuoted(Parts=[CmdSubst(Stmts=[{Cmd=CallExpr(Args=[<'cat'>] Pos=@1) Pos=@1 Redirs=[{Op=< Word=<'f'>}]}])])>]
----
prog ~ ~/a ~b x=~/a a~b
====>
1:Call[<'prog'> <'~'> <'~/a'> <'~b'> <'x=~/a'> <'a~b'>]
----
prog a#b # c
====>
1:Call[<'prog'> <'a#b'>]
----
prog {a,b} {1..3} a{b,"c d"}e {} { }
====>
error 1
----
prog "$(echo ")")" "$(echo '(')" $(case a in a) echo;; esac)
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=[')'])>]])])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <SglQuoted(Value='(')>]])])> <CmdSubst(Stmts=[1:CaseClause(Items=[{Op=;; Patterns=[<'a'>] Stmts=[1:Call[<'echo'>]]}] Word=<'a'>)])>]
----
prog @(a|b)
====>
error 1
----
prog ?(a)b
====>
error 1
----
prog *(b) +(c)d !(e)
====>
error 1
----
prog x@y a+b c!d e?f g*h
====>
1:Call[<'prog'> <'x@y'> <'a+b'> <'c!d'> <'e?f'> <'g*h'>]
----
prog $ a
====>
1:Call[<'prog'> <'$'> <'a'>]
----
prog a$ b
====>
1:Call[<'prog'> <'a$'> <'b'>]
----
prog "$" "a$ b" "$,"
====>
1:Call[<'prog'> <DblQuoted(Parts=['$'])> <DblQuoted(Parts=['a$ b'])> <DblQuoted(Parts=['$,'])>]
----
prog $%
====>
error 1
----
prog ``
====>
error 1
----
prog "$()"
====>
error 1
----
prog $()
====>
error 1
----
prog {a,b} {1..3} a{b,"c d"}e {x}
====>
1:Call[<'prog'> <'{a,b}'> <'{1..3}'> <'a{b,' DblQuoted(Parts=['c d']) '}e'> <'{x}'>]
----
prog {}
====>
1:Call[<'prog'> <'{}'>]
----
prog \$"a" \\$"b" a$"c"$"d" $$"e" "f"$"g"
====>
1:Call[<'prog'> <'\\$' DblQuoted(Parts=['a'])> <'\\\\' DblQuoted(Parts=['b'])> <'a' DblQuoted(Parts=['c']) DblQuoted(Parts=['d'])> <$$ DblQuoted(Parts=['e'])> <DblQuoted(Parts=['f']) DblQuoted(Parts=['g'])>]
----
[[ $"a" == b$"c" ]]
====>
1:TestClause(X=test(Word<DblQuoted(Parts=['a'])> == Word<'b' DblQuoted(Parts=['c'])>))
----
A=$"b c" prog
====>
1:CallExpr(Args=[<'prog'>] Assigns=[{Name=:A Value=<DblQuoted(Parts=['b c'])>}])
----
prog "a`b
====>
error 1
----
case $x in a'b) c;; esac
====>
error 1
----
prog a`echo \\`b
====>
error 1
----
shopt -s extglob; prog @(a|b)c
====>
error 1
----
case $x in @(a|"b c")d) e;; +(f|\)g)h) i;; esac
====>
error 1
----
prog "`echo ${A}`" `echo "${B:-c d}"`
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'echo'> <ParamExp(Param=:A)>]])])> <CmdSubst(Stmts=[1:Call[<'echo'> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<'c d'>} Param=:B)])>]])>]
----
prog "a\`b" a\`b
====>
1:Call[<'prog'> <DblQuoted(Parts=['a\\`b'])> <'a\\`b'>]
----
prog <(a) <(b; c) >(d)
====>
1:Call[<'prog'> <ProcSubst(Op='<(' Stmts=[1:Call[<'a'>]])> <ProcSubst(Op='<(' Stmts=[1:Call[<'b'>] 1:Call[<'c'>]])> <ProcSubst(Op='>(' Stmts=[1:Call[<'d'>]])>]
----
prog $((a)) $( (b) ) $( (c); d)
====>
1:Call[<'prog'> <ArithmExp(X=Word<'a'>)> <CmdSubst(Stmts=[1:Subshell(Stmts=[1:Call[<'b'>]])])> <CmdSubst(Stmts=[1:Subshell(Stmts=[1:Call[<'c'>]]) 1:Call[<'d'>]])>]
----
prog $'a\'b' $'' x$'c'
====>
1:Call[<'prog'> <SglQuoted(Dollar=True Value="a\\'b")> <SglQuoted(Dollar=True Value='')> <'x' SglQuoted(Dollar=True Value=c)>]
----
prog "a\
b" 'c
d'
====>
1:Call[<'prog'> <DblQuoted(Parts=['a\\\nb'])> <SglQuoted(Value='c\nd')>]
----
prog "${A}" "$(b)"c "$((d))"e
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Param=:A)])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'b'>]])]) 'c'> <DblQuoted(Parts=[ArithmExp(X=Word<'d'>)]) 'e'>]
----
prog $[a[1]] "$[2]"
====>
1:Call[<'prog'> <ArithmExp(X=Word<ParamExp(Index=Word<'1'> Param=:a Short=True)>)> <DblQuoted(Parts=[ArithmExp(X=Word<'2'>)])>]
----
prog ${A:-`b`} "`c`"
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<CmdSubst(Stmts=[1:Call[<'b'>]])>} Param=:A)> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'c'>]])])>]
----
prog "$(a "b" 'c')" "x $(d "$(e "f")")"
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'a'> <DblQuoted(Parts=['b'])> <SglQuoted(Value=c)>]])])> <DblQuoted(Parts=['x ' CmdSubst(Stmts=[1:Call[<'d'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'e'> <DblQuoted(Parts=['f'])>]])])>]])])>]
----
prog "${A[`b`]}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Index=Word<CmdSubst(Stmts=[1:Call[<'b'>]])> Param=:A)])>]
----
[[ $x = 'a b'* ]]; [[ $x != *'c' ]]; [[ $x = @("a"|'b c')d ]]
====>
1:TestClause(X=test(Word<$x> = Word<SglQuoted(Value='a b') '*'>))
1:TestClause(X=test(Word<$x> != Word<'*' SglQuoted(Value=c)>))
1:TestClause(X=test(Word<$x> = Word<'@(' DblQuoted(Parts=['a']) '|' SglQuoted(Value='b c') ')d'>))
----
[[ $x =~ ^("a $y"|'b')$ ]]; [[ $x =~ ^("a\"b
c"|'d
e')$ ]]
====>
1:TestClause(X=test(Word<$x> =~ Word<'^(' DblQuoted(Parts=['a ' $y]) '|' SglQuoted(Value=b) ')$'>))
1:TestClause(X=test(Word<$x> =~ Word<'^(' DblQuoted(Parts=['a\\"b\nc']) '|' SglQuoted(Value='d\ne') ')$'>))
----
prog ${x/'a b'/c} ${x//"a"/'b'} "${x/'a'/b}" ${x#*"a"} ${x#'a'} ${x/#'c'/d}
====>
1:Call[<'prog'> <ParamExp(Param=:x Repl={Orig=<SglQuoted(Value='a b')> With=<'c'>})> <ParamExp(Param=:x Repl={All=True Orig=<DblQuoted(Parts=['a'])> With=<SglQuoted(Value=b)>})> <DblQuoted(Parts=[ParamExp(Param=:x Repl={Orig=<SglQuoted(Value=a)> With=<'b'>})])> <ParamExp(Exp={Op=# Word=<'*' DblQuoted(Parts=['a'])>} Param=:x)> <ParamExp(Exp={Op=# Word=<SglQuoted(Value=a)>} Param=:x)> <ParamExp(Param=:x Repl={Orig=<'#' SglQuoted(Value=c)> With=<'d'>})>]
----
prog "x `b` `c`" "$(a) `b`" "a	`b`" " `a`" `b` c
====>
1:Call[<'prog'> <DblQuoted(Parts=['x ' CmdSubst(Stmts=[1:Call[<'b'>]]) ' ' CmdSubst(Stmts=[1:Call[<'c'>]])])> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'a'>]]) ' ' CmdSubst(Stmts=[1:Call[<'b'>]])])> <DblQuoted(Parts=['a\t' CmdSubst(Stmts=[1:Call[<'b'>]])])> <DblQuoted(Parts=[' ' CmdSubst(Stmts=[1:Call[<'a'>]])])> <CmdSubst(Stmts=[1:Call[<'b'>]])> <'c'>]
----
prog "$A `b`"	`c` "
`d`" 'e'
====>
1:Call[<'prog'> <DblQuoted(Parts=[$A ' ' CmdSubst(Stmts=[1:Call[<'b'>]])])> <CmdSubst(Stmts=[1:Call[<'c'>]])> <DblQuoted(Parts=['\n' CmdSubst(Stmts=[1:Call[<'d'>]])])> <SglQuoted(Value=e)>]
----
prog $"a $(b) c" $"d" x$"e $(f)"; A=$"g $(h)" B=$"i"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a ' CmdSubst(Stmts=[1:Call[<'b'>]]) ' c'])> <DblQuoted(Parts=['d'])> <'x' DblQuoted(Parts=['e ' CmdSubst(Stmts=[1:Call[<'f'>]])])>]
1:CallExpr(Assigns=[{Name=:A Value=<DblQuoted(Parts=['g ' CmdSubst(Stmts=[1:Call[<'h'>]])])>} {Name=:B Value=<DblQuoted(Parts=['i'])>}])
----
[[ $"a $(b)" == $"c" ]]; case $"a" in $"b") c;; esac
====>
1:TestClause(X=test(Word<DblQuoted(Parts=['a ' CmdSubst(Stmts=[1:Call[<'b'>]])])> == Word<DblQuoted(Parts=['c'])>))
1:CaseClause(Items=[{Op=;; Patterns=[<DblQuoted(Parts=['b'])>] Stmts=[1:Call[<'c'>]]}] Word=<DblQuoted(Parts=['a'])>)
----
prog "$(a "b")" "c $(d)"e "$(f)$(g)" $(h)"i"$(j)
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'a'> <DblQuoted(Parts=['b'])>]])])> <DblQuoted(Parts=['c ' CmdSubst(Stmts=[1:Call[<'d'>]])]) 'e'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'f'>]]) CmdSubst(Stmts=[1:Call[<'g'>]])])> <CmdSubst(Stmts=[1:Call[<'h'>]]) DblQuoted(Parts=['i']) CmdSubst(Stmts=[1:Call[<'j'>]])>]
----
prog ${x#@(a|b)} ${x/+(c)/d}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=# Word=<'@(a|b)'>} Param=:x)> <ParamExp(Param=:x Repl={Orig=<'+(c)'> With=<'d'>})>]
----
[[ $x == ?(a)*(b)+(c)@(d)!(e) ]]; [[ a+b == a@b ]]
====>
1:TestClause(X=test(Word<$x> == Word<ExtGlob(Value='?(a)') ExtGlob(Value='*(b)') ExtGlob(Value='+(c)') ExtGlob(Value='@(d)') ExtGlob(Value='!(e)')>))
1:TestClause(X=test(Word<'a+b'> == Word<'a@b'>))
----
prog a\$b "a\$b" 'a$b' a\`b "a\`b" \"c\" "\\$d"
====>
1:Call[<'prog'> <'a\\$b'> <DblQuoted(Parts=['a\\$b'])> <SglQuoted(Value=a$b)> <'a\\`b'> <DblQuoted(Parts=['a\\`b'])> <'\\"c\\"'> <DblQuoted(Parts=['\\\\' $d])>]
----
prog "`a \`b \\\`c\\\` d\` e`" `a \\\$b`
====>
1:Call[<'prog'> <DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'a'> <CmdSubst(Stmts=[1:Call[<'b'> <CmdSubst(Stmts=[1:Call[<'c'>]])> <'d'>]])> <'e'>]])])> <CmdSubst(Stmts=[1:Call[<'a'> <'\\$b'>]])>]
----
prog $(( a ))$((b)) "$((c))$(d)"
====>
1:Call[<'prog'> <ArithmExp(X=Word<'a'>) ArithmExp(X=Word<'b'>)> <DblQuoted(Parts=[ArithmExp(X=Word<'c'>) CmdSubst(Stmts=[1:Call[<'d'>]])])>]
----
prog >(a) <(b)c d<(e)
====>
1:Call[<'prog'> <ProcSubst(Op='>(' Stmts=[1:Call[<'a'>]])> <ProcSubst(Op='<(' Stmts=[1:Call[<'b'>]]) 'c'> <'d' ProcSubst(Op='<(' Stmts=[1:Call[<'e'>]])>]
----
prog $(a)\
b "c$(d)\
e"
====>
1:Call[<'prog'> <CmdSubst(Stmts=[1:Call[<'a'>]]) '\\\nb'> <DblQuoted(Parts=['c' CmdSubst(Stmts=[2:Call[<'d'>]]) '\\\ne'])>]
----
prog ${A}${B} "${A}${B}" ${A}b${C} x${A:-"y"}z
====>
1:Call[<'prog'> <ParamExp(Param=:A) ParamExp(Param=:B)> <DblQuoted(Parts=[ParamExp(Param=:A) ParamExp(Param=:B)])> <ParamExp(Param=:A) 'b' ParamExp(Param=:C)> <'x' ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['y'])>} Param=:A) 'z'>]
----
prog "a\
$b" 'c' "$d
e"
====>
1:Call[<'prog'> <DblQuoted(Parts=['a\\\n' $b])> <SglQuoted(Value=c)> <DblQuoted(Parts=[$d '\ne'])>]
----
prog $x"$y"'z'`w`$(v)$((u))${t}
====>
1:Call[<'prog'> <$x DblQuoted(Parts=[$y]) SglQuoted(Value=z) CmdSubst(Stmts=[1:Call[<'w'>]]) CmdSubst(Stmts=[1:Call[<'v'>]]) ArithmExp(X=Word<'u'>) ParamExp(Param=:t)>]
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_word_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
