"""What `echo` and `printf` print, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started

TABLE = r"""
X=$(echo a  b "c  d"); prog "$X"; X=$(echo); prog "$X"; X=$(echo -n a; echo b); prog "$X"; X=$(echo "" a); prog "$X"; echo -n > f; prog "$(cat f)x" => a b c  d ;  ; ab ;  a ; x
X=$(echo -e 'a\tb'; echo -E 'a\tb'; echo 'a\tb'; echo -ne 'c\n'; echo -en 'd\n'; echo -nE 'e\n'; echo); prog "$X" => a␉b␊a\tb␊a\tb␊c␊d␊e\n
X=$(echo -e -n 'a\t'; echo -n -e 'b\t'; echo -eE 'c\t'; echo -Ee 'd\t'; echo -e -E 'e\t'; echo); prog "$X" => a␉b␉c\t␊d␉␊e\t
X=$(echo -x a; echo - b; echo -- c; echo -nx d; echo n; echo -e; echo -n; echo a -n; echo e -e '\t'); prog "$X" => -x a␊- b␊-- c␊-nx d␊n␊␊a -n␊e -e \t
X=$(echo -e '\x41\101\0101\u0041\\\a\b' '\e[1m' '\z' 'a\cb' c); prog "$X" => <any>
X=$(echo -e 'a\\tb' c); prog "$X" => a\tb c
X=$(echo -e '\0101\101\01' '\1' '\"\?' "\\'" '\x4g' '\u41g' '\U00000041' '\E[' '\q' '\' '\a\b\e\f\n\r\v'); prog "$X" => A\101␁ \1 \"\? \' ␄g Ag A ␛[ \q \ ␇␈␛␌␊␍␋
X=$(echo "$any"); prog "$X"; X=$(echo x"$any"); prog "$X"; X=$(echo "$any" a); prog "$X"; X=$(echo a "$any"); prog "$X"; X=$(echo -e "a\t$any"); prog "$X"; X=$(echo $any b); prog "$X"; X=$(echo -n "$any"); prog "$X" => <any> ; x<any> ; <any> ; a <any> ; a␉<any> ; <any> ; <any>
X=$(printf 'a'); prog "$X"; X=$(printf 'a\n'); prog "$X"; X=$(printf '%s' a); prog "$X"; X=$(printf '%s\n' a b); prog "$X"; X=$(printf '%s-%s,' a b c); prog "$X"; X=$(printf '%s' ''); prog "$X"; X=$(printf '%s/'); prog "$X"; X=$(printf ''); prog "$X"; X=$(printf x a b); prog "$X" => a ; a ; a ; a␊b ; a-b,c-, ;  ; / ;  ; x
X=$(printf '%d' 5); prog "$X"; X=$(printf '%d' -5); prog "$X"; X=$(printf '%d' 0); prog "$X"; X=$(printf '%d'); prog "$X"; X=$(printf '%d' ''); prog "$X"; X=$(printf '%d %d' 1 2 3); prog "$X"; X=$(printf '%d' 010); prog "$X"; X=$(printf '%d' 0x1f); prog "$X"; X=$(printf '%d' -0); prog "$X" => 5 ; -5 ; 0 ; 0 ; 0 ; 1 23 0 ; <one> ; <one> ; <one>
X=$(printf '%q' a); prog "$X"; X=$(printf '%q' 'a b'); prog "$X"; X=$(printf '%q' 'a/b.c:@=+-_1'); prog "$X"; X=$(printf '%q' ''); prog "$X" => a ; <any> ; a/b.c:@=+-_1 ; <any>
X=$(printf '%%'); prog "$X"; X=$(printf '100%%\n'); prog "$X"; X=$(printf 'a%sb%%c%sd' 1 2); prog "$X"; X=$(printf 'a\tb\\n%s\n' 'c\td'); prog "$X"; X=$(printf '\x41\101\u0041\1\"\?\\'); prog "$X"; X=$(printf "\'\\0101"); prog "$X" => % ; 100% ; a1b%c2d ; a␉b\nc\td ; AAA␁"?\ ; '␈1
X=$(printf '%5s' a); prog "$X"; X=$(printf '%-5s/' a); prog "$X"; X=$(printf '%05d' 7); prog "$X"; X=$(printf '%.2s' abc); prog "$X"; X=$(printf '%x' 255); prog "$X"; X=$(printf '%+d' 5); prog "$X"; X=$(printf '%c' abc); prog "$X"; X=$(printf '%b' 'a\tb'); prog "$X"; X=$(printf '%.1f' 1.25); prog "$X"; X=$(printf '%i' 5); prog "$X" => <any> ; <any>/ ; <any> ; <any> ; <any> ; <any> ; <any> ; <any> ; <any> ; <any>
printf -v X '%s-%s' a b; prog "$X"; printf -v Y 'a'; prog "$Y"; printf -v Z '%s\n' a; prog "$Z"; printf -v W '%03d' 7; prog "$W" => a-b ; a ; a␊ ; <any>
X=$(printf "$any"); prog "$X"; X=$(printf '%s' "$any"); prog "$X"; X=$(printf '%s/' a "$any"); prog "$X"; X=$(printf '%d' "$any"); prog "$X"; X=$(printf '%s/' $any); prog "$X"; X=$(printf "x$any%s" a); prog "$X"; X=$(printf '%q' "$any"); prog "$X" => <any> ; <any> ; a/<any>/ ; <one> ; <any> ; <any> ; <any>
X=$(printf '%s %s\n' a b c d e); prog "$X"; X=$(printf '%s' a b c); prog "$X"; X=$(printf '%s\n' "a b" c); prog "$X"; X=$(printf -- '-%s' a); prog "$X" => a b␊c d␊e  ; abc ; a b␊c ; -a
X=$(printf '%s=%d\n' a 1 b 2); prog "$X"; X=$(printf '%s' 'a\tb'); prog "$X"; X=$(printf 'a b\n'); prog $X => a=1␊b=2 ; a\tb ; a|b
X=$(echo a | cat); prog "$X"; X=$(echo 'a"b'\''c'); prog "$X"; X=$(echo '$HOME' "\$x"); prog "$X"; X=$(echo \\a '\\b' "\\c"); prog "$X" => a ; a"b'c ; $HOME $x ; \a \\b \c
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
X=$(printf 'a%'); prog "$X"; X=$(printf '%s%' a); prog "$X"; X=$(printf '%z' a); prog "$X"; X=$(printf); prog "$X"; X=$(printf '%d' abc); prog "$X"; X=$(printf '%d' 5x); prog "$X"; X=$(printf '%ld' 5); prog "$X"; X=$(printf '% d' 5); prog "$X" => <any> ; <any> ; <any> ;  ; <one> ; <one> ; <any>d ; <any>
X=$(printf '%(%Y)T'); prog "$X"; X=$(printf '%*d' 5 1); prog "$X"; X=$(printf '%1$s' a); prog "$X"; X=$(echo -e '\xe9' '\u00e9' '\0351'); prog "$X" => %(<any>)T ; <any> ; <any> ; <any> <any> <any>
A=({1..300}); X=$(printf '%s-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' "${A[@]}"); prog "$X" => <any>
X=$(echo -e 'a\0b' '\08'); prog "$X"; X=$(printf 'a\0b'); prog "$X"; X=$(printf '\ca'); prog "$X"; X=$(printf 'a\c'); prog "$X"; X=$(printf '\x80\351'); prog "$X"; X=$(printf '%s' $'a\0b'); prog "$X" => a<any>b <any>8 ; a<any>b ; \ca ; a\c ; <any> ; a
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []
