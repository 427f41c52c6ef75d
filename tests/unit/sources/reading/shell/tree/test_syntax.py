"""Texts that tree-sitter-bash does not parse as bash does, and texts that are not correct."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.shell.real_bash import all_known, claimed, differences, really_run
from vcompat.sources.reading.shell.tree.syntax import parse

#: `run_shell` follows them completely.
FOLLOWED = r"""
cat <<A > f && cat <<'B' > g
x "q" `echo 'r s'` $(echo "t)")
A
y $X
B
cat <<A > h
$((1 << 2)) $(
echo u)
A
prog "$(cat f)" "$(cat g)" "$(cat h)"
----
X=$(cat <<E
a
E
); cat > f <<-"E" | cat
	b
	E
prog "$X"
----
N=$((5 <<1)); M=$(( (1 + 2) * 3 - -4 ** 2 )); ((N<<=1)); prog $N $M $(( 2 ** 3 ** 2 )) $((1 ? 2 : 3 , 4)) $((7 & 3 | 8 ^ 1 && 1))
----
case a.b in (*.c|a*) prog 1 ;; esac; case "x y" in x\ y) prog 2;; esac; case z in [a-y]|"z") prog 3; esac
----
X=a/b/a; prog ${X//a/b} ${X/#a/c} ${X//\//-} "${X//\//.}" ${X/%a/} ${X#*/} "${X%"/a"}"
----
X=abcdef; i=2; prog ${X:$i:2} ${X:i} ${X: -2:1} ${X:$((i+1))} "${X:$i}"; A=(a b c); prog "${A[$i]}" "${A[i-1]}" "${A[@]:$i}"
----
X=a Y=
prog "$X$Y" b
Z=
export T=1; prog $T
----
time prog a; time -p prog b | cat; time { prog c; }; if time true; then prog e; fi; time (prog f)
----
function f { prog "$@"; }; function g () { f in "$1"; }; f a; g b; h() ( prog h ); h
----
for ((i = 0, j = 5; i < 2; i++, j--)); do prog $i $j; done; for ((k=0;k<1;k++)) { prog k; }
----
prog "a `echo c` $(echo d)" "$(echo e)	$(echo f)"; prog "a $(echo "b $(echo "c d")") e" $'a\'b' "$(echo ')')" "`echo "x y"`" a"b"'c'\d
----
prog "größe $(echo 日本)" é; X=ü; prog "${X}x" '🙂' # ß
prog b
----
! true && prog no || prog yes
----
[[ ! a == b && c == c ]] && prog three; [[ a == b || ( a == a && b == b ) ]] && prog four
----
[[ ab == a* ]] && prog 1; [[ "a*" == "a*" ]] && prog 2; [[ abc =~ ^a[b-c]+$ ]] && prog 3; [[ -n x && ! -z y ]] && prog 4
----
{ echo a; echo b; } > f 2>&1; echo c >> f; prog "$(<f)" 2>/dev/null >&2; prog > out b 2>&1 c; >g prog d
----
prog a {} \; = == ! y#z -- "#" $(echo a#b) \
  b \
  # comment
prog c
----
let "M = 2" N=3*4; prog $M $N; prog $((--M)) $((- -M)) $((M++ + ++M))
----
declare -A M=(["a b"]=1 [c]="2 3"); A=(
  x # comment
  "y z"
); A+=([2]=w); prog "${M["a b"]}" "${M[c]}" "${A[@]}"
----
if true; then
# comment
prog a # after
else # c
prog b
fi; while false
do
prog c
done; prog d; until true; do :; done
----
prog a \
  `# first` \
  --b \
    \
  `# größe, it's "q" $(x` \
	`#` `# $X ${Y} ; (z) < a` --c \
  `# last`
prog d
----
`# x` prog a; A=(a `# x` b); prog "${A[@]}" "c `# d` e" ` # f` 'g `# h` i'
if true; then `# x` prog b; fi; X=1 `# x` prog
cat > f <<E
 `# x` a
E
prog "$(cat f)" # `# x`
----
prog "a \
  `# it's "b"` \
  c" 'a \
  `# b` \
  c'
""".strip("\n").split("\n----\n")

#: Correct, but not followed to the end; what is claimed must be true.
OPEN = r"""
prog a; coproc cat; prog b
----
coproc X { cat; }
prog b
----
export T=1
for x do prog $x; done
T=2; prog
----
select x in a b; do prog $x; break; done < /dev/null; prog end
----
exec {fd}<> f; T=1; export T; prog
----
shopt -s extglob
case ab in @(a|b)*) prog 1;; *) prog 2;; esac; [[ ab == +(a|b) ]] && prog 3
----
export T=$( (echo a) | cat); prog; T=$((echo b) | cat); prog
----
while read -r x; do prog "$x"; done < <(echo a; echo b); cat <(prog in) > f
----
(( 1 < 2 )) && prog a; [[ $X =~ (a|b)\ c ]] || prog b; let "Y=$X+1"; prog $Y
----
export T=1
prog a; if true; prog b; fi
prog c
----
export T=1
prog 'a
prog b
----
export T=1
prog 'a \
  `# it's` \
  b' c
prog d
----
export T=1; prog `echo a `# b `echo c`; prog `echo a`#b`echo c`; prog `echo a `#; prog x; prog `b`
----
export T=1; prog "`# a`" b`# c` d; prog `# \`` e
""".strip("\n").split("\n----\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / "sub").mkdir(parents=True)
    return tmp_path / "work"


@pytest.mark.parametrize("text", FOLLOWED)
def test_a_text_is_parsed_as_bash_parses_it(folder: Path, text: str) -> None:
    assert [block.error for block in parse(text, "run.sh")] == [0]
    ran = claimed(text, folder, ())
    assert differences(list(ran.invocations), really_run(text, folder, (), {})) == ""
    assert all_known([claim for claim in ran.invocations if claim.words[0] == "prog"]) == ""


@pytest.mark.parametrize("text", OPEN)
def test_what_is_claimed_of_other_texts_is_true(folder: Path, text: str) -> None:
    ran = claimed(text, folder, ())
    assert ran.why_incomplete or differences(list(ran.invocations), really_run(text, folder, (), {})) == ""


def test_statements_before_and_after_an_error_are_kept() -> None:
    first, second = parse("prog a\nprog b; fi\nprog c", "run.sh")
    assert (len(first.statements), first.line, first.error) == (1, 0, 2)
    assert (len(second.statements), second.line, second.error) == (1, 2, 0)


def test_lines_after_here_documents_are_those_of_the_text() -> None:
    (block,) = parse("cat <<A <<B\n1\nA\n2\n3\nB\nprog `\nprog\n`\nprog", "run.sh")
    assert [statement.line for statement in block.statements] == [1, 7, 10]


@pytest.mark.parametrize(
    "part", ["$(", "((", "a=(", "{ ", "`a", "if a; then ", "[[ ( ", "a && ", "${", "a;", "cat <<E <<F\n"]
)
def test_a_long_text_that_is_not_correct_ends_with_an_error(part: str) -> None:
    assert parse(part * (150_000 // len(part)) + "$(", "run.sh")[-1].error
