"""Parameter expansions in the tree."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import blocks, cases

TABLE = r"""
prog ${A} ${!A} ${#A} ${!A@} ${!A*} ${A[0]} ${!A[@]} ${#A[@]} ${#A[*]} ${!A[0]}
====>
1:Call[<'prog'> <ParamExp(Param=:A)> <ParamExp(Excl=True Param=:A)> <ParamExp(Length=True Param=:A)> <ParamExp(Excl=True Names=@ Param=:A)> <ParamExp(Excl=True Names=* Param=:A)> <ParamExp(Index=Word<'0'> Param=:A)> <ParamExp(Excl=True Index=Word<'@'> Param=:A)> <ParamExp(Index=Word<'@'> Length=True Param=:A)> <ParamExp(Index=Word<'*'> Length=True Param=:A)> <ParamExp(Excl=True Index=Word<'0'> Param=:A)>]
----
prog ${1} ${12} ${@} ${*} ${#} ${?} ${$} ${!} ${-} ${##} ${#@} ${#*} ${#1} ${#?} ${#$} ${#!} ${#-} ${!1} ${!#}
====>
1:Call[<'prog'> <ParamExp(Param=:1)> <ParamExp(Param=:12)> <ParamExp(Param=:@)> <ParamExp(Param=:*)> <ParamExp(Param=:#)> <ParamExp(Param=:?)> <ParamExp(Param=:$)> <ParamExp(Param=:!)> <ParamExp(Param=:-)> <ParamExp(Length=True Param=:#)> <ParamExp(Length=True Param=:@)> <ParamExp(Length=True Param=:*)> <ParamExp(Length=True Param=:1)> <ParamExp(Length=True Param=:?)> <ParamExp(Length=True Param=:$)> <ParamExp(Length=True Param=:!)> <ParamExp(Length=True Param=:-)> <ParamExp(Excl=True Param=:1)> <ParamExp(Excl=True Param=:#)>]
----
prog ${A:-b} ${A-b} ${A:=b} ${A=b} ${A:?b} ${A?b} ${A:+b} ${A+b} ${A:-} ${A-} ${A:=} ${A=} ${A:?} ${A?} ${A:+} ${A+}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=- Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=:= Word=<'b'>} Param=:A)> <ParamExp(Exp={Op== Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=:? Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=? Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=:+ Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=+ Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=:-} Param=:A)> <ParamExp(Exp={Op=-} Param=:A)> <ParamExp(Exp={Op=:=} Param=:A)> <ParamExp(Exp={Op==} Param=:A)> <ParamExp(Exp={Op=:?} Param=:A)> <ParamExp(Exp={Op=?} Param=:A)> <ParamExp(Exp={Op=:+} Param=:A)> <ParamExp(Exp={Op=+} Param=:A)>]
----
prog ${A#b} ${A##b} ${A%b} ${A%%b} ${A^b} ${A^^b} ${A,b} ${A,,b} ${A#} ${A##} ${A%} ${A%%} ${A^} ${A^^} ${A,} ${A,,}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=# Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=## Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=% Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=%% Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=^ Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=^^ Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=, Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=,, Word=<'b'>} Param=:A)> <ParamExp(Exp={Op=#} Param=:A)> <ParamExp(Exp={Op=##} Param=:A)> <ParamExp(Exp={Op=%} Param=:A)> <ParamExp(Exp={Op=%%} Param=:A)> <ParamExp(Exp={Op=^} Param=:A)> <ParamExp(Exp={Op=^^} Param=:A)> <ParamExp(Exp={Op=,} Param=:A)> <ParamExp(Exp={Op=,,} Param=:A)>]
----
prog ${A/b/c} ${A//b/c} ${A/#b/c} ${A/%b/c} ${A/b} ${A//b} ${A/b/} ${A//b/} ${A///c} ${A/\//c} ${A//\//c} ${A/b/c/d} ${A////}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<'b'> With=<'c'>})> <ParamExp(Param=:A Repl={All=True Orig=<'b'> With=<'c'>})> <ParamExp(Param=:A Repl={Orig=<'#b'> With=<'c'>})> <ParamExp(Param=:A Repl={Orig=<'%b'> With=<'c'>})> <ParamExp(Param=:A Repl={Orig=<'b'>})> <ParamExp(Param=:A Repl={All=True Orig=<'b'>})> <ParamExp(Param=:A Repl={Orig=<'b'>})> <ParamExp(Param=:A Repl={All=True Orig=<'b'>})> <ParamExp(Param=:A Repl={All=True Orig=<'/' 'c'>})> <ParamExp(Param=:A Repl={Orig=<'\\/'> With=<'c'>})> <ParamExp(Param=:A Repl={All=True Orig=<'\\/'> With=<'c'>})> <ParamExp(Param=:A Repl={Orig=<'b'> With=<'c/d'>})> <ParamExp(Param=:A Repl={All=True Orig=<'/'>})>]
----
prog ${A:1} ${A:1:2} ${A: -1} ${A:(-1)} ${A:i+1:j*2} ${A:$i:$j} ${A::2} ${A:1:} ${A:A[1]:B[2]} ${A:(1+2):(3)}
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Offset=Word<'1'>})> <ParamExp(Param=:A Slice={Length=Word<'2'> Offset=Word<'1'>})> <ParamExp(Param=:A Slice={Offset=UnaryArithm(Op=- X=Word<'1'>)})> <ParamExp(Param=:A Slice={Offset=ParenArithm(X=UnaryArithm(Op=- X=Word<'1'>))})> <ParamExp(Param=:A Slice={Length=(Word<'j'> * Word<'2'>) Offset=(Word<'i'> + Word<'1'>)})> <ParamExp(Param=:A Slice={Length=Word<$j> Offset=Word<$i>})> <ParamExp(Param=:A Slice={Length=Word<'2'> Offset=None})> <ParamExp(Param=:A Slice={Length=Word<> Offset=Word<'1'>})> <ParamExp(Param=:A Slice={Length=Word<ParamExp(Index=Word<'2'> Param=:B Short=True)> Offset=Word<ParamExp(Index=Word<'1'> Param=:A Short=True)>})> <ParamExp(Param=:A Slice={Length=ParenArithm(X=Word<'3'>) Offset=ParenArithm(X=(Word<'1'> + Word<'2'>))})>]
----
prog ${A:1?2:3} x
====>
error 1
----
prog ${A:"1":'2'} "${A:$((1+1)):$(echo 2)}"
====>
error 1
----
prog ${A@Q} ${A[@]@U} "${A@}" ${A@x$B}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=@ Word=<'Q'>} Param=:A)> <ParamExp(Exp={Op=@ Word=<'U'>} Index=Word<'@'> Param=:A)> <DblQuoted(Parts=[ParamExp(Exp={Op=@ Word=<>} Param=:A)])> <ParamExp(Exp={Op=@ Word=<'x' $B>} Param=:A)>]
----
prog ${A:-"b c"} ${A:-'d e'} ${A:-$B$(c)} ${A:-${B:-${C}}} ${A:-a"b"c'd'$e}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['b c'])>} Param=:A)> <ParamExp(Exp={Op=:- Word=<SglQuoted(Value='d e')>} Param=:A)> <ParamExp(Exp={Op=:- Word=<$B CmdSubst(Stmts=[1:Call[<'c'>]])>} Param=:A)> <ParamExp(Exp={Op=:- Word=<ParamExp(Exp={Op=:- Word=<ParamExp(Param=:C)>} Param=:B)>} Param=:A)> <ParamExp(Exp={Op=:- Word=<'a' DblQuoted(Parts=['b']) 'c' SglQuoted(Value=d) $e>} Param=:A)>]
----
prog "${A:-"b c"}" "${A:-'d e'}" "${A:-$B}" "${A:+"${B}"}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['b c'])>} Param=:A)])> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<SglQuoted(Value='d e')>} Param=:A)])> <DblQuoted(Parts=[ParamExp(Exp={Op=:- Word=<$B>} Param=:A)])> <DblQuoted(Parts=[ParamExp(Exp={Op=:+ Word=<DblQuoted(Parts=[ParamExp(Param=:B)])>} Param=:A)])>]
----
prog ${A[1]:-b} ${A[@]:1:2} ${A[@]#x} ${A[*]/a/b} ${A[$i]%y} ${A[i+1]^} ${A["k"]:-d} ${A[-1]}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'b'>} Index=Word<'1'> Param=:A)> <ParamExp(Index=Word<'@'> Param=:A Slice={Length=Word<'2'> Offset=Word<'1'>})> <ParamExp(Exp={Op=# Word=<'x'>} Index=Word<'@'> Param=:A)> <ParamExp(Index=Word<'*'> Param=:A Repl={Orig=<'a'> With=<'b'>})> <ParamExp(Exp={Op=% Word=<'y'>} Index=Word<$i> Param=:A)> <ParamExp(Exp={Op=^} Index=(Word<'i'> + Word<'1'>) Param=:A)> <ParamExp(Exp={Op=:- Word=<'d'>} Index=Word<DblQuoted(Parts=['k'])> Param=:A)> <ParamExp(Index=UnaryArithm(Op=- X=Word<'1'>) Param=:A)>]
----
prog ${A/"b"/'c'} ${A/$B/$C} ${A//$(b)/`c`} "${A/"x y"/z}" ${A/b"c/d"/e} ${A//[ab]/-}
====>
error 1
----
prog ${A#"$B"} ${A%'x'*} ${A##*/} ${A%%.*} ${A#\#} ${A%\%} "${A#'x'}"
====>
1:Call[<'prog'> <ParamExp(Exp={Op=# Word=<DblQuoted(Parts=[$B])>} Param=:A)> <ParamExp(Exp={Op=% Word=<SglQuoted(Value=x) '*'>} Param=:A)> <ParamExp(Exp={Op=## Word=<'*/'>} Param=:A)> <ParamExp(Exp={Op=%% Word=<'.*'>} Param=:A)> <ParamExp(Exp={Op=# Word=<'\\#'>} Param=:A)> <ParamExp(Exp={Op=% Word=<'\\%'>} Param=:A)> <DblQuoted(Parts=[ParamExp(Exp={Op=# Word=<SglQuoted(Value=x)>} Param=:A)])>]
----
prog ${A:-a\}b} ${A:-\$x} ${A:-"\"q\""} ${A:-a/b} ${A:-*}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'a\\}b'>} Param=:A)> <ParamExp(Exp={Op=:- Word=<'\\$x'>} Param=:A)> <ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['\\"q\\"'])>} Param=:A)> <ParamExp(Exp={Op=:- Word=<'a/b'>} Param=:A)> <ParamExp(Exp={Op=:- Word=<'*'>} Param=:A)>]
----
prog ${A:-b
c}
prog d
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'b\nc'>} Param=:A)>]
3:Call[<'prog'> <'d'>]
----
prog ${#A:-b}
====>
error 1
----
prog ${#A[0]#b}
====>
error 1
----
prog ${}
====>
error 1
----
prog ${A B}
====>
error 1
----
prog ${A[]}
====>
error 1
----
prog ${A[0}
====>
error 1
----
prog ${A.b}
====>
error 1
----
prog ${A;b}
====>
error 1
----
prog ${!A*x} ${!A@Q}
====>
error 1
----
prog ${A[${B[1]}]} ${A[(1+2)]} ${A[B[1]]} ${A[a:b]} ${A[a/b]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<ParamExp(Index=Word<'1'> Param=:B)> Param=:A)> <ParamExp(Index=ParenArithm(X=(Word<'1'> + Word<'2'>)) Param=:A)> <ParamExp(Index=Word<ParamExp(Index=Word<'1'> Param=:B Short=True)> Param=:A)> <ParamExp(Index=Word<'a:b'> Param=:A)> <ParamExp(Index=(Word<'a'> / Word<'b'>) Param=:A)>]
----
prog ${A[$(echo 1)]} ${A["x]y"]} ${A[a.b]} ${A[@]} ${A[*]} ${A[@*]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<CmdSubst(Stmts=[1:Call[<'echo'> <'1'>]])> Param=:A)> <ParamExp(Index=Word<DblQuoted(Parts=['x]y'])> Param=:A)> <ParamExp(Index=Word<'a.b'> Param=:A)> <ParamExp(Index=Word<'@'> Param=:A)> <ParamExp(Index=Word<'*'> Param=:A)> <ParamExp(Index=Word<'@*'> Param=:A)>]
----
prog ${-x} ${=A}
====>
error 1
----
prog ${A:$B?1:2}
====>
error 1
----
prog ${#} ${#-b} ${#:-c}
====>
error 1
----
prog ${A:'1'}
====>
error 1
----
prog ${A:"1"}
====>
error 1
----
prog ${A:$((1+1))} ${A:$(b):$c}
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Offset=Word<ArithmExp(X=(Word<'1'> + Word<'1'>))>})> <ParamExp(Param=:A Slice={Length=Word<$c> Offset=Word<CmdSubst(Stmts=[1:Call[<'b'>]])>})>]
----
prog ${A/"b"/c}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<DblQuoted(Parts=['b'])> With=<'c'>})>]
----
prog ${A/b/'c'}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<'b'> With=<SglQuoted(Value=c)>})>]
----
prog ${A/$B/$C} ${A//${B}/${C}}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<$B> With=<$C>})> <ParamExp(Param=:A Repl={All=True Orig=<ParamExp(Param=:B)> With=<ParamExp(Param=:C)>})>]
----
prog ${A//$(b)/c} ${A/b/$(c)}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<CmdSubst(Stmts=[1:Call[<'b'>]])> With=<'c'>})> <ParamExp(Param=:A Repl={Orig=<'b'> With=<CmdSubst(Stmts=[1:Call[<'c'>]])>})>]
----
prog ${A//b/`c`}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<'b'> With=<CmdSubst(Stmts=[1:Call[<'c'>]])>})>]
----
"${A/"x y"/z}"
====>
1:Call[<DblQuoted(Parts=[ParamExp(Param=:A Repl={Orig=<DblQuoted(Parts=['x y'])> With=<'z'>})])>]
----
prog ${A/b"c/d"/e}
====>
error 1
----
prog ${A//[ab]/-} ${A/?*/-}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<'[ab]'> With=<'-'>})> <ParamExp(Param=:A Repl={Orig=<'?*'> With=<'-'>})>]
----
prog ${#} ${#-}
====>
1:Call[<'prog'> <ParamExp(Param=:#)> <ParamExp(Length=True Param=:-)>]
----
prog ${#:-c}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'c'>} Param=:#)>]
----
prog ${#-b}
====>
error 1
----
prog ${A:?"b c"} ${A:="d"} ${A:+$e f}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:? Word=<DblQuoted(Parts=['b c'])>} Param=:A)> <ParamExp(Exp={Op=:= Word=<DblQuoted(Parts=['d'])>} Param=:A)> <ParamExp(Exp={Op=:+ Word=<$e ' f'>} Param=:A)>]
----
prog ${A/ /_} ${A// /_} ${A/_/ }
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<' '> With=<'_'>})> <ParamExp(Param=:A Repl={All=True Orig=<' '> With=<'_'>})> <ParamExp(Param=:A Repl={Orig=<'_'> With=<' '>})>]
----
prog "${A// /\\}" "${A//\"/}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Param=:A Repl={All=True Orig=<' '> With=<'\\\\'>})])> <DblQuoted(Parts=[ParamExp(Param=:A Repl={All=True Orig=<'\\"'>})])>]
----
prog ${A/a\/b/c} "${A/a\/b/$c}"
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<'a\\/b'> With=<'c'>})> <DblQuoted(Parts=[ParamExp(Param=:A Repl={Orig=<'a\\/b'> With=<$c>})])>]
----
prog ${A/"/"/b} "${A/"a/b"/"c/d"}"
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<DblQuoted(Parts=['/'])> With=<'b'>})> <DblQuoted(Parts=[ParamExp(Param=:A Repl={Orig=<DblQuoted(Parts=['a/b'])> With=<DblQuoted(Parts=['c/d'])>})])>]
----
prog ${!A[@]:-x}
====>
1:Call[<'prog'> <ParamExp(Excl=True Exp={Op=:- Word=<'x'>} Index=Word<'@'> Param=:A)>]
----
prog ${!A:-x} ${!A#y}
====>
1:Call[<'prog'> <ParamExp(Excl=True Exp={Op=:- Word=<'x'>} Param=:A)> <ParamExp(Excl=True Exp={Op=# Word=<'y'>} Param=:A)>]
----
prog ${!A}  ${!1:-x}
====>
1:Call[<'prog'> <ParamExp(Excl=True Param=:A)> <ParamExp(Excl=True Exp={Op=:- Word=<'x'>} Param=:1)>]
----
prog ${A:(1):2} ${A:((1)):((2))} ${A:B[1:2]}
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Length=Word<'2'> Offset=ParenArithm(X=Word<'1'>)})> <ParamExp(Param=:A Slice={Length=ParenArithm(X=ParenArithm(X=Word<'2'>)) Offset=ParenArithm(X=ParenArithm(X=Word<'1'>))})> <ParamExp(Param=:A Slice={Offset=Word<ParamExp(Index=Word<'1:2'> Param=:B Short=True)>})>]
----
prog ${A: 1 : 2 }
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Length=Word<'2'> Offset=Word<'1'>})>]
----
prog ${A:1:$B} "${A:1:"$B"}"
====>
error 1
----
prog ${A[1]:2} ${A[1]/b/c} ${A[i]:-j}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'1'> Param=:A Slice={Offset=Word<'2'>})> <ParamExp(Index=Word<'1'> Param=:A Repl={Orig=<'b'> With=<'c'>})> <ParamExp(Exp={Op=:- Word=<'j'>} Index=Word<'i'> Param=:A)>]
----
prog ${A@} ${A@P}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=@ Word=<>} Param=:A)> <ParamExp(Exp={Op=@ Word=<'P'>} Param=:A)>]
----
prog ${A@Q$B}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=@ Word=<'Q' $B>} Param=:A)>]
----
prog ${A~}
====>
error 1
----
prog ${A|b}
====>
error 1
----
prog ${A:-${B:-"c"}}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=['c'])>} Param=:B)>} Param=:A)>]
----
prog ${A:-"$(b "c")"}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<DblQuoted(Parts=[CmdSubst(Stmts=[1:Call[<'b'> <DblQuoted(Parts=['c'])>]])])>} Param=:A)>]
----
prog ${A/#"b"/} ${A/%"c"/}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<'#' DblQuoted(Parts=['b'])>})> <ParamExp(Param=:A Repl={Orig=<'%' DblQuoted(Parts=['c'])>})>]
----
prog ${A///} ${A/}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<'/'>})> <ParamExp(Param=:A Repl={Orig=<>})>]
----
prog ${A//}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<>})>]
----
prog "${A/$"b"/c}"
====>
error 1
----
prog ${A/b/\/} ${A/b/\}}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={Orig=<'b'> With=<'\\/'>})> <ParamExp(Param=:A Repl={Orig=<'b'> With=<'\\}'>})>]
----
prog ${A["b"]} ${A[$b]} ${A["$b"]} ${A[b"c"]} ${A[$b$c]} ${A[${b}]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<DblQuoted(Parts=['b'])> Param=:A)> <ParamExp(Index=Word<$b> Param=:A)> <ParamExp(Index=Word<DblQuoted(Parts=[$b])> Param=:A)> <ParamExp(Index=Word<'b' DblQuoted(Parts=['c'])> Param=:A)> <ParamExp(Index=Word<$b $c> Param=:A)> <ParamExp(Index=Word<ParamExp(Param=:b)> Param=:A)>]
----
prog ${A[b c]} ${A[b-c]} ${A[b.c]} ${A[_b1]} ${A[é]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'b c'> Param=:A)> <ParamExp(Index=(Word<'b'> - Word<'c'>) Param=:A)> <ParamExp(Index=Word<'b.c'> Param=:A)> <ParamExp(Index=Word<'_b1'> Param=:A)> <ParamExp(Index=Word<'é'> Param=:A)>]
----
prog ${A[@]:-b} ${A[*]:+c} "${A[@]/#/d}" "${A[@]/%/e}"
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'b'>} Index=Word<'@'> Param=:A)> <ParamExp(Exp={Op=:+ Word=<'c'>} Index=Word<'*'> Param=:A)> <DblQuoted(Parts=[ParamExp(Index=Word<'@'> Param=:A Repl={Orig=<'#'> With=<'d'>})])> <DblQuoted(Parts=[ParamExp(Index=Word<'@'> Param=:A Repl={Orig=<'%'> With=<'e'>})])>]
----
prog ${A[0]@Q}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=@ Word=<'Q'>} Index=Word<'0'> Param=:A)>]
----
prog ${A["b]"]:-c}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'c'>} Index=Word<DblQuoted(Parts=['b]'])> Param=:A)>]
----
prog ${A['b']}
====>
1:Call[<'prog'> <ParamExp(Index=Word<SglQuoted(Value=b)> Param=:A)>]
----
prog ${A[(b]}
====>
error 1
----
prog ${A[[b]]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'[b]'> Param=:A)>]
----
prog ${A[b[c]d]}
====>
1:Call[<'prog'> <ParamExp(Index=Word<'b[c]d'> Param=:A)>]
----
prog ${A[B[1]]} ${A[(b]} ${A[(b)]} ${A[b)c]}
====>
error 1
----
prog ${A/(/b} ${A/[/b} ${A/(b/c} ${A//)/]}
====>
error 1
----
prog ${!A[0]@}
====>
1:Call[<'prog'> <ParamExp(Excl=True Exp={Op=@ Word=<>} Index=Word<'0'> Param=:A)>]
----
prog ${!A[0]*}
====>
error 1
----
prog ${A////$B} ${A///$B$C} ${A////"b"/c}
====>
1:Call[<'prog'> <ParamExp(Param=:A Repl={All=True Orig=<'/'> With=<$B>})> <ParamExp(Param=:A Repl={All=True Orig=<'/' $B $C>})> <ParamExp(Param=:A Repl={All=True Orig=<'/'> With=<DblQuoted(Parts=['b']) '/c'>})>]
----
prog ${A:(1?2:3):4} ${A:(b?c:d)}
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Length=Word<'4'> Offset=ParenArithm(X=(Word<'1'> ? (Word<'2'> : Word<'3'>)))})> <ParamExp(Param=:A Slice={Offset=ParenArithm(X=(Word<'b'> ? (Word<'c'> : Word<'d'>)))})>]
----
prog "${A[b\]c]}" "${A[\]]}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Index=Word<'b\\]c'> Param=:A)])> <DblQuoted(Parts=[ParamExp(Index=Word<'\\]'> Param=:A)])>]
----
prog ${A:b[1]:c[2]}
====>
1:Call[<'prog'> <ParamExp(Param=:A Slice={Length=Word<ParamExp(Index=Word<'2'> Param=:c Short=True)> Offset=Word<ParamExp(Index=Word<'1'> Param=:b Short=True)>})>]
----
prog ${A:
1}
====>
error 1
after 1
1:Call[<'1}'>]
----
prog "${A/
/b}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Param=:A Repl={Orig=<'\n'> With=<'b'>})])>]
----
prog "${A//\
/b}"
====>
1:Call[<'prog'> <DblQuoted(Parts=[ParamExp(Param=:A Repl={All=True Orig=<'\\\n'> With=<'b'>})])>]
----
prog ${A:-
}
====>
1:Call[<'prog'> <ParamExp(Exp={Op=:- Word=<'\n'>} Param=:A)>]
"""


@pytest.mark.parametrize(("text", "tree"), cases(TABLE))
def test_a_parameter_expansion_is_converted(text: str, tree: str) -> None:
    assert blocks(text) == tree
