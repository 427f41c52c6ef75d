"""What commands read, and the files that they write, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started

TABLE = r"""
echo a > f; prog "$(cat f)"; echo b >> f; prog "$(cat f)"; echo c > f; prog "$(cat f)"; > f; prog "x$(cat f)"; echo d >| f; prog "$(cat f)"; echo e &> f; prog "$(cat f)"; echo g &>> f; prog "$(cat f)"; echo h >& f; prog "$(cat f)" => a ; a␊b ; c ; x ; d ; e ; e␊g ; h
echo a 1> f; prog "$(cat f)"; echo a 2> g; prog "x$(cat g)"; echo b 2>&1 > h; prog "$(cat h)"; echo c > i 2>&1; prog "$(cat i)"; echo d >&2 > j; prog "$(cat j)"; { echo e; echo f; } > k; prog "$(cat k)"; { echo l >&2; } > m; prog "x$(cat m)"; echo n > o > p; prog "x$(cat o)y$(cat p)" => a ; x<any> ; b ; c ; d ; e␊f ; x ; x<any>yn
X=$(echo a > f); prog "x$X"; X=$(echo a >&2); prog "x$X"; X=$(echo a 2>&1); prog "$X"; X=$(echo a 1>&2); prog "x$X"; X=$(echo a > /dev/null); prog "x$X"; X=$(echo a 2> /dev/null); prog "$X"; X=$(echo a >&1); prog "$X"; X=$(echo a >&-); prog "x$X"; X=$(echo a 2>&-); prog "$X" => x ; x ; a ; x ; x ; a ; a ; x ; a
X=$(cat < f); prog "x$X"; echo b > f; X=$(cat < f); prog "$X"; X=$(< f); prog "$X"; X=$(<f); prog "$X"; X=$(cat <<< "a b"); prog "$X"; X=$(cat <<< a$1); prog "$X"; X=$(cat < /dev/null); prog "x$X"; X=$(cat 0< f); prog "$X"; X=$(cat <<< ""); prog "x$X" => x<any> ; b ; b ; b ; a b ; ap ; x ; b ; x
echo b > f; X=$(< f) Y=$(< f); prog "$X$Y"; X="$(< f)x"; prog "$X"; X=$(< f; echo c); prog "x$X"; X=$(true > f); prog "x$X$(cat f)" => bb ; bx ; xc ; x
cat > f <<E␊a $1 \$1 `echo b` $((1 + 1)) "q" \\ \a␊E␊prog "$(cat f)"; cat > g <<'E'␊a $1 \$1␊E␊prog "$(cat g)"; cat > h <<\E␊$1␊E␊prog "$(cat h)"; cat > i <<"E"␊\\$1␊E␊prog "$(cat i)" => a p $1 b 2 "q" \ \a ; a $1 \$1 ; $1 ; \\$1
cat > f <<-E␊␉a␊␉␉b $1␉c␊␉$1␉d␊␉E␊prog "$(cat f)"; cat > g <<-'E'␊␉a $1␊  ␉b␊E␊prog "$(cat g)"; cat > h <<E␊␉a␊E␊prog "$(cat h)" => a␊b p␉c␊p␉d ; a $1␊  ␉b ; ␉a
cat > f <<E␊␊a␊␊E␊prog "x$(cat f)"; cat > g <<E␊E␊prog "x$(cat g)"; cat > h <<E␊a\␊b␊E␊prog "$(cat h)"; cat > i <<E␊"$1" '$1' ${1:-x} ${9:-y}␊E␊prog "$(cat i)" => x␊a ; x ; ab ; "p" 'p' p y
cat <<A > f; cat <<B > g␊a␊A␊b␊B␊prog "$(cat f)" "$(cat g)" => a|b
F=f; echo a > $F; prog "$(cat f)"; echo b > "$F"; prog "$(cat f)"; echo c > ./f; prog "$(cat f)"; echo e > $PWD/f; prog "$(cat f)"; mkdir -p sub; cd sub; echo g > ../f; cd ..; prog "$(cat f)" => a ; b ; c ; e ; g
prog a > f; prog "x$(cat f)"; echo a > f; prog b >> f; prog "$(cat f)"; nproc > f; prog "$(cat f)"; echo a > f; nproc 2> f; prog "x$(cat f)" => a ; x<any> ; b ; <any> ; <one> ; x<any>
echo a > f; true > f; prog "x$(cat f)"; echo a > f; if true; then echo b; fi > f; prog "$(cat f)"; for i in 1 2; do echo $i; done > f; prog "$(cat f)"; (echo c; echo d) > f; prog "$(cat f)"; g() { echo e; }; g > f; prog "$(cat f)"; h() { echo i; } > f; h; prog "$(cat f)" => x ; b ; 1␊2 ; c␊d ; e ; i
echo a > f; { echo b; cat f; } > g; prog "$(cat g)"; { echo c > f; echo d; } > g; prog "$(cat f)$(cat g)"; { echo e >> g; } >> g; echo x; prog "x" => b␊a ; cd ; x
[ -f "$any" ] && echo a > f; prog "$(cat f)"; echo b > f; [ "$any" ] && echo c > f; prog "$(cat f)"; echo b > f; [ "$any" ] && echo c >> f; prog "$(cat f)" => <any> ; <any> ; <any>
echo a > "$any"; echo b > f; prog "$(cat f)"; echo c > "$any.x"; prog "$(cat f)"; echo "$any" > g; prog "$(cat g)"; echo x"$any" > g; prog "$(cat g)"; echo $any > h; prog "$(cat h)" => b ; <any> ; <any> ; x<any> ; <any>
echo a > f; echo b > "x$any"; prog "$(cat f)" => <any>
exec > log; echo a; prog b => b
echo a 3> f; prog "x$(cat f)"; echo a 3>&1 > f; prog "$(cat f)"; echo a 1>f 2>&1 3>&1; prog "$(cat f)"; cat <<< a 3<&0 > f; prog "$(cat f)" => x<any> ; a ; a ; a
read x <<< "a b"; prog "$x"; read x y <<< "a b c"; prog "$x" "$y"; while read x; do prog "$x"; done <<< "a"; read x < /dev/null; prog "x$x" => a b ; <any>|<any> ; ? <any> ; x
IFS=',' read -ra A <<< "a,b c,"; prog ${#A[@]} "${A[@]}"; read -r -a A <<< " d  e "; prog "${A[@]}" "$IFS."; IFS=, read -ra A <<< ","; prog ${#A[@]} "${A[@]}x"; IFS=, read -ra A <<< ""; prog ${#A[@]} => 2|a|b c ; d|e| ␉␊. ; 1|x ; 0
IFS=: read -r a b c <<< "1:2"; prog "$a" "$b" "x$c"; IFS=: read -r a b <<< "1:2:3"; prog "$a"; read -r a <<E␊ f  g ␊h␊E␊prog "$a"; echo i,j > f; IFS=, read -ra A < f; prog "${A[@]}" => 1|2|x ; <any> ; f  g ; i|j
IFS=', ' read -ra A <<< "a, b"; prog "${A[@]}"; read -a A <<< 'a\ b c'; prog "${A[@]}"; IFS=']^-' read -ra A <<< 'a^b-c]d'; prog "${A[@]}"; read -ra A <<< "$any"; prog "${A[@]}"; IFS= read -r x <<< " a "; prog "$x" => <words> ; <words> ; a|b|c|d ; <words> ;  a␠
g() { read x; read y; prog $x $y; }; g <<< $'a\nb'; eval 'read x; read y' <<< $'a\nb'; prog $x $y; printf 'a\nb\n' | while read -r x; do prog $x; done; read -r x < <(echo a); prog $x => <words>|<words> ; <words>|<words> ; ? <words> ; <words>
X=$(cat <<< "$any"); prog "$X"; X=$(cat < "$any"); prog "$X"; cat <<E > f␊a $any␊E␊prog "$(cat f)" => <any> ; <any> ; a <any>
echo a > f > g; prog "$(cat g)" "$(cat f)"; echo a > h >&2; prog "x$(cat h)"; echo a > i > /dev/null; prog "x$(cat i)"; echo a >> j > k; prog "$(cat k)"; echo a > l >&1; prog "$(cat l)"; echo a > l 2> m; prog "$(cat l)"; echo a 2> m > l; prog "$(cat l)" => a|<any> ; x<any> ; x<any> ; a ; a ; a ; a
echo a > f 2>&1 > g; prog "$(cat g)"; X=$(echo a > f > /dev/stderr); prog "x$X"; X=$(echo a > /dev/null >&1); prog "x$X"; echo a <&0 > f; prog "$(cat f)"; echo b 3>&- > f; prog "$(cat f)"; echo c 2>&1- > f; prog "$(cat f)" => a ; x ; x ; a ; b ; c
echo b > f; X=$(cat < f); prog "$X"; X=$(cat <<< c); prog "$X"; echo a > "f g"; prog "$(cat "f g")"; X=$(cat < "f g"); prog "$X"; X=$(cat 3< f); prog "x$X"; => b ; c ; a ; a ; x<any>
cat > f <<-E␊␉$1␉a␊␉␉$1␊␉$1$1␊␉X$1␊E␊prog "$(cat f)"; cat > g <<-E␊$1␊␉$1␉␊␉b␊E␊prog "$(cat g)"; cat > h <<-E␊E␊prog "x$(cat h)" => p␉a␊p␊pp␊Xp ; p␊p␉␊b ; x
cat > f <<E␊\"a\" \\ \` \x␊E␊prog "$(cat f)"; cat > g <<E␊a "b" 'c' `echo "d"`␊$(echo "e")␊E␊prog "$(cat g)"; cat > h <<E'F'␊$1␊EF␊prog "$(cat h)" => \"a\" \ ` \x ; a "b" 'c' d␊e ; $1
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
cat < nowhere; X=$(cat nowhere); prog "$X"; X=$(< nowhere); prog "$X" => <any> ; <any>
echo a > f; prog - < f; prog < f; prog -x < f => - ; () ; -x
X=$(cat < f <<< c); prog "$X" => nothing
X=$(cat <> f); prog "$X" => nothing
X=$(< f < f); prog "x$X" => x
X=$(> f); prog "x$X" => x
echo b >&f2; prog "$(cat f2)" => b
echo c <> f; prog "$(cat f)" => nothing
cat - > f <<< a; prog "$(cat f)" => nothing
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []
