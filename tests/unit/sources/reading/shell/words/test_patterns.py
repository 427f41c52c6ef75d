"""Shell patterns, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started

TABLE = r"""
t() { case "$1" in $2) prog yes;; *) prog no;; esac; }; t abc 'a*'; t abc '*c'; t abc '*b*'; t abc 'a?c'; t abc '???'; t abc '??'; t abc '????'; t abc '*'; t abc ''; t '' '*'; t '' ''; t '' '?'; t abc abc; t abc ab; t abc abcd; t a '**'; t ab 'a*b*'; t abab 'a*b'; t abac '*ab*c'; t abc '*?'; t aXbXc 'a*X*c' => yes ; yes ; yes ; yes ; yes ; no ; no ; yes ; no ; yes ; yes ; no ; yes ; no ; no ; yes ; yes ; yes ; yes ; yes ; yes
t() { case "$1" in $2) prog yes;; *) prog no;; esac; }; t a '[ab]'; t c '[ab]'; t a '[!ab]'; t c '[!ab]'; t c '[^ab]'; t b '[a-c]'; t d '[a-c]'; t - '[a-]'; t - '[-a]'; t ] '[]]'; t ] '[!]]'; t a '[]a]'; t a '[!]a]'; t b '[!]a]'; t ab '[a][b]'; t ab '[ab]*'; t '[' '['; t '[a' '[a'; t a 'a['; t 'a[' 'a['; t m '[a-fk-n]'; t h '[a-fk-n]'; t 5 '[0-9]'; t x '[0-9]'; t x '[xa-c]'; t b '[xa-c]'; t y '[xa-cy]'; t b '[c-a]'; t ! '[a!]' => yes ; no ; no ; yes ; yes ; yes ; no ; yes ; yes ; yes ; no ; yes ; no ; yes ; yes ; yes ; yes ; yes ; no ; yes ; yes ; no ; yes ; no ; yes ; yes ; yes ; no ; yes
t() { case "$1" in "$2") prog yes;; *) prog no;; esac; }; t abc 'a*'; t 'a*' 'a*'; t '?' '?'; t x '?'; t '[a]' '[a]'; t a '[a]' => no ; yes ; yes ; no ; yes ; no
t() { case "$1" in a"$2"*) prog yes;; *) prog no;; esac; }; t 'a*bc' '*'; t abc '*'; t ab b; t b b; t a '' => yes ; no ; yes ; no ; yes
t() { case "$1" in a\*|b\?) prog yes;; *) prog no;; esac; }; t 'a*'; t ab; t 'b?'; t bc => yes ; no ; yes ; no
case é in ?) prog one;; *) prog more;; esac; case aé in a*) prog a;; esac; case é in é) prog same;; esac; case é in *é) prog end;; esac; case "é" in [é]) prog class;; esac => ? one ; ? more ; a ; same ; end ; ? class
case $any in a) prog a;; esac; case $any in *) prog all;; esac; case x$any in y) prog no;; x*) prog x;; esac; case x$any in y*) prog no;; esac; case x$any in xy) prog xy;; esac => ? a ; all ; ? x ; ? no ; ? xy
case abc in $any) prog any;; a*) prog a;; esac => ? any ; ? a
X=aXbXc; prog ${X#*X} ${X##*X} ${X%X*} ${X%%X*} ${X#a} ${X#b} ${X%c} ${X%b} ${X#[ab]} ${X##[a-z]*} ${X%?} ${X%%?} ${X#??} ${X#*} ${X##*}x ${X%*} ${X%%*}x => bXc|c|aXb|a|XbXc|aXbXc|aXbX|aXbXc|XbXc|aXbX|aXbX|bXc|aXbXc|x|aXbXc|x
X=aXbXc; prog ${X/X/-} ${X//X/-} ${X/#a/-} ${X/#b/-} ${X/%c/-} ${X/%b/-} ${X/[A-Z]/-} ${X//[A-Z]/-} ${X/X*/-} ${X//X*X/-} ${X/*X/-} ${X/?/-} ${X//?/-} ${X/bX/} ${X//q/-} ${X/a*c/-} => a-bXc|a-b-c|-XbXc|aXbXc|aXbX-|aXbXc|a-bXc|a-b-c|a-|a-c|-c|-XbXc|-----|aXc|aXbXc|-
X=abab; prog ${X/ab/c} ${X//ab/c} ${X//a/} ${X/#ab/c} ${X/%ab/c} ${X/b*/c} ${X/%b*/c} ${X//b?/c} ${X/*/c} ${X//*/c} ${X/#*/c} ${X/%*/c} ${X/#/c} ${X/%/c} => cab|cc|bb|cab|abc|ac|ac|acb|c|c|c|c|cabab|ababc
X='a*b'; prog "${X/\*/-}" "${X/"*"/-}" "${X/'*'/-}" "${X#a\*}" "${X%"*"b}" "${X/[*]/-}" => a-b|a-b|a-b|b|a|a-b
X=a/b/c.d; prog ${X%%/*} ${X##*/} ${X%/*} ${X#*/} ${X%.*} ${X##*.} ${X/\//_} ${X//\//_} => a|c.d|a/b|b/c.d|a/b/c|d|a_b/c.d|a_b_c.d
X=aaa; prog ${X/%a/b} ${X/#a/b} ${X//aa/b} ${X/aaaa/b} ${X%%a*}x ${X##*a}x ${X%a} ${X#a} => aab|baa|ba|aaa|x|x|aa|aa
E=; prog "${E#a}" "${E%*}" "${E/a/b}" "${E/#/b}" "${E/%/b}" "${E//a/b}" "${E/*/b}" => |||b|b||b
X="a b  c"; prog "${X// /}" "${X/ /_}" "${X#* }" "${X##* }" "${X%% *}" => abc|a_b  c|b  c|c|a
X=abc; P='[ab]'; prog ${X//$P/-} ${X//"$P"/-} "${X/$P/$1}" "${X/b/$2}" => --c|abc|pbc|aq rc
X=ab-c; prog ${X/[-]/_} ${X/[a-]/_} ${X/[!a-c]/_} ${X//[^-]/_} ${X/[b-]*/_} => ab_c|_b-c|ab_c|__-_|a_
prog ${any#a*} "${any/b/c}" "${1#$any}" "${1/$any/c}" => <words>|<any>|<any>|<any>
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
X=abc; prog ${X#[[:alpha:]]} ${X/[[:space:]]/-} ${X/[a\]]/-} "${X#[\a]}"; case abc in [[:alpha:]]*) prog yes;; esac => <words>|<words>|abc|abc ; ? yes
X=$(printf '%2000s' x); X=${X// /a}; prog ${X#a} => <words>
X=aaaaaaaaaa; X=$X$X$X$X$X$X$X$X$X$X; X=$X$X$X$X$X$X$X$X$X$X; Y=$X$X; prog ${#Y} ${#X}; Z=${Y#a}; prog ${#Z}; W=a$Y; V=${W#a}; prog "$V"; V=${W/a/b}; prog "$V"; case a in $W) prog no;; *) prog other;; esac; prog "${1#$W}" => 2000|1000 ; 1999 ; <any> ; <any> ; ? no ; ? other ; <any>
shopt -s extglob; case ab in @(a|b)*) prog 1;; *) prog 2;; esac; [[ ab == +(a|b) ]] && prog 3 => ? 1 ; ? 2 ; ? 3
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []
