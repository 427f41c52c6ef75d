"""`test`, ``[ ]`` and ``[[ ]]``, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started

TABLE = r"""
[ a ]; prog $?; [ "" ]; prog $?; [ ]; prog $?; test; prog $?; test x; prog $?; [ "$any" ]; prog $?; [ x$any ]; prog $?; [ $RANK ]; prog $? => 0 ; 1 ; 1 ; 1 ; 0 ; <one> ; <one> ; 0
[ -n a ]; prog $?; [ -n "" ]; prog $?; [ -z a ]; prog $?; [ -z "" ]; prog $?; [ ! a ]; prog $?; [ ! "" ]; prog $?; [ -n ]; prog $?; [ -z ]; prog $? => 0 ; 1 ; 1 ; 0 ; 1 ; 0 ; 0 ; 0
[ -n "$any" ]; prog $?; [ -z "$any" ]; prog $?; [ -n "x$any" ]; prog $?; [ -z "x$any" ]; prog $?; [ -n "$RANK$RANK" ]; prog $?; [ ! "$any" ]; prog $? => <one> ; <one> ; 0 ; 1 ; <one> ; <one>
unset U; E= X=1; [ -v U ]; prog $?; [ -v E ]; prog $?; [ -v X ]; prog $?; [ -v any ]; prog $?; A=(1); [ -v A ]; prog $?; [ -v X$any ]; prog $?; test -v "A[0]"; prog "$?"; B=(); [ -v B ]; prog $?; C=$any; [ -v C ]; prog "$?"; D=($any); [ -v D ]; prog "$?"; declare -A M=([0]=1); [ -v M ]; prog "$?"; test -v 1x; prog "$?" => 1 ; 0 ; 0 ; <one> ; 0 ; <one> ; <one> ; 1 ; <one> ; <one> ; <one> ; <one>
[ a = a ]; prog $?; [ a = b ]; prog $?; [ a == a ]; prog $?; [ a == b ]; prog $?; [ a != a ]; prog $?; [ a != b ]; prog $?; [ "" = "" ]; prog $?; [ a = "" ]; prog $? => 0 ; 1 ; 0 ; 1 ; 1 ; 0 ; 0 ; 1
[ "$any" = a ]; prog $?; [ "x$any" = y ]; prog $?; [ "x$any" = xy ]; prog $?; [ "$any" != a ]; prog $?; [ "x$any" != y ]; prog $?; [ "${any}x" = y ]; prog $?; [ "$RANK" = "" ]; prog $? => <one> ; 1 ; <one> ; <one> ; 0 ; 1 ; <one>
[ "${any:-8}" = "" ]; prog $?; [ "" = "${any:-8}" ]; prog $?; [ "${any:-8}" = 8 ]; prog $?; [ "a$any" = "ab$other" ]; prog $?; [ "a${any}b" = a ]; prog $?; [ "${any:-8}" != "" ]; prog $? => 1 ; 1 ; <one> ; <one> ; 1 ; 0
[ 1 -eq 1 ]; prog $?; [ 1 -eq 2 ]; prog $?; [ 1 -ne 1 ]; prog $?; [ 1 -ne 2 ]; prog $?; [ 1 -lt 2 ]; prog $?; [ 2 -lt 2 ]; prog $?; [ 3 -lt 2 ]; prog $?; [ 2 -le 2 ]; prog $?; [ 3 -le 2 ]; prog $?; [ 1 -le 2 ]; prog $? => 0 ; 1 ; 1 ; 0 ; 0 ; 1 ; 1 ; 0 ; 1 ; 0
[ 1 -gt 2 ]; prog $?; [ 2 -gt 2 ]; prog $?; [ 3 -gt 2 ]; prog $?; [ 2 -ge 2 ]; prog $?; [ 1 -ge 2 ]; prog $?; [ 3 -ge 2 ]; prog $?; [ -1 -lt 0 ]; prog $?; [ 10 -gt 9 ]; prog $?; [ 010 -eq 10 ]; prog $?; [ " 1 " -eq 1 ]; prog $? => 1 ; 1 ; 0 ; 0 ; 1 ; 0 ; 0 ; 0 ; 0 ; 0
[ "$any" -eq 1 ]; prog $?; [ 1 -lt "$any" ]; prog $?; [ "$any" -ge "$other" ]; prog $? => <one> ; <one> ; <one>
test a \< b; prog $?; test b \< a; prog $?; test a \> b; prog $?; test 1 \< 2; prog $?; test 2 \< 1; prog $?; test 2 \> 1; prog $?; test 1 \> 2; prog $?; test 10 \< 9; prog $?; test 1 \< 1; prog $?; test 1 \> 1; prog $?; test 10 \> 9; prog $?; test "$any" \< 5; prog $?; test 1 \< a; prog $? => <one> ; <one> ; <one> ; 0 ; 1 ; 0 ; 1 ; 0 ; <one> ; <one> ; 1 ; <one> ; <one>
[ ! a = a ]; prog $?; [ ! a = b ]; prog $?; [ ! -n "" ]; prog $?; [ ! -z "" ]; prog $?; [ ! "$any" = a ]; prog $?; [ ! ! a ]; prog $?; [ ! 1 -eq 2 ]; prog $? => 1 ; 0 ; 0 ; 1 ; <one> ; 0 ; 0
[ a = a -a b = b ]; prog $?; [ a = a -a b = c ]; prog $?; [ a = b -a b = b ]; prog $?; [ a = b -o b = b ]; prog $?; [ a = b -o b = c ]; prog $?; [ a = a -o b = c ]; prog $? => 0 ; 1 ; 1 ; 0 ; 1 ; 0
[ a -a b ]; prog $?; [ a -a "" ]; prog $?; [ "" -o b ]; prog $?; [ "" -o "" ]; prog $?; [ -n a -a -z "" ]; prog $?; [ -n "" -o -z "" ]; prog $?; [ -n a -o -n "" -a -n "" ]; prog $? => 0 ; 1 ; 0 ; 1 ; 0 ; 0 ; 0
[ "$any" = a -a b = c ]; prog $?; [ b = c -a "$any" = a ]; prog $?; [ "$any" = a -o b = b ]; prog $?; [ b = b -o "$any" = a ]; prog $?; [ "$any" = a -a b = b ]; prog $?; [ "$any" = a -o b = c ]; prog $? => 1 ; 1 ; 0 ; 0 ; <one> ; <one>
[ ! a = a -a b = b ]; prog $?; [ ! a = b -a b = b ]; prog $?; [ a = a -a ! b = b ]; prog $?; [ ! a -a b ]; prog $? => 1 ; 0 ; 1 ; 1
test \( "" \); prog $?; test \( -n a \); prog $?; test \( -z a \); prog $?; test a = a -a b = b; prog $?; test \( a \); prog $? => 1 ; 0 ; 1 ; 0 ; 0
[ 1 -lt 2 -a 3 -gt 2 ]; prog $?; [ 1 -gt 2 -o 2 -gt 3 ]; prog $?; [ 1 -eq 1 -a 2 -eq 2 -a 3 -eq 4 ]; prog $?; [ 1 -eq 2 -o 2 -eq 3 -o 4 -eq 4 ]; prog $? => 0 ; 1 ; 1 ; 0
test =; prog $?; test !; prog $?; test -a; prog $?; test "("; prog $?; test = = =; prog $?; test ! = !; prog $?; test -n = -n; prog $?; test ! = a; prog $?; test ! -a !; prog $? => 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 0 ; 1 ; <one>
[[ a ]]; prog $?; [[ "" ]]; prog $?; [[ -n a ]]; prog $?; [[ -n "" ]]; prog $?; [[ -z "" ]]; prog $?; [[ ! a ]]; prog $?; [[ ! "" ]]; prog $?; [[ $any ]]; prog $?; [[ x$any ]]; prog $?; [[ -z $any ]]; prog $? => 0 ; 1 ; 0 ; 1 ; 0 ; 1 ; 0 ; <one> ; 0 ; <one>
[[ a == a ]]; prog $?; [[ a == b ]]; prog $?; [[ a = a ]]; prog $?; [[ a = b ]]; prog $?; [[ a != a ]]; prog $?; [[ a != b ]]; prog $?; [[ $any == a ]]; prog $?; [[ $any != a ]]; prog $?; [[ x$any == y ]]; prog $?; [[ x$any != y ]]; prog $? => 0 ; 1 ; 0 ; 1 ; 1 ; 0 ; <one> ; <one> ; 1 ; 0
[[ abc == a* ]]; prog $?; [[ abc == b* ]]; prog $?; [[ abc != a* ]]; prog $?; [[ abc = *c ]]; prog $?; [[ abc == "a*" ]]; prog $?; [[ abc == a?c ]]; prog $?; [[ abc == [ab]bc ]]; prog $?; [[ abc == [!a]* ]]; prog $?; [[ $any == a* ]]; prog $?; [[ a == $any* ]]; prog $? => 0 ; 1 ; 1 ; 0 ; 1 ; 0 ; 0 ; 1 ; <one> ; <one>
P='a*'; [[ abc == $P ]]; prog $?; [[ abc == "$P" ]]; prog $?; [[ "a*" == "$P" ]]; prog $?; [[ abc == $P$any ]]; prog $?; [[ ab == a"b"* ]]; prog $?; [[ é == ? ]]; prog "$?"; [[ é == é* ]]; prog $? => 0 ; 1 ; 0 ; <one> ; 0 ; <one> ; 0
[[ a && b ]]; prog $?; [[ a && "" ]]; prog $?; [[ "" && a ]]; prog $?; [[ a || b ]]; prog $?; [[ "" || b ]]; prog $?; [[ "" || "" ]]; prog $?; [[ $any && "" ]]; prog $?; [[ "" && $any ]]; prog $?; [[ $any || a ]]; prog $?; [[ a || $any ]]; prog $?; [[ $any && a ]]; prog $?; [[ $any || "" ]]; prog $? => 0 ; 1 ; 1 ; 0 ; 0 ; 1 ; 1 ; 1 ; 0 ; 0 ; <one> ; <one>
[[ ! a == a ]]; prog $?; [[ ! a == b ]]; prog $?; [[ ! ( a == a && b == c ) ]]; prog $?; [[ ( a ) ]]; prog $?; [[ ( "" ) || a ]]; prog $?; [[ a == b || a == a && b == b ]]; prog $?; [[ ! $any ]]; prog $? => 1 ; 0 ; 0 ; 0 ; 0 ; 0 ; <one>
A=3; [[ 1 -eq 1 ]]; prog $?; [[ 1 -ne 1 ]]; prog $?; [[ 2 -lt 10 ]]; prog $?; [[ 2 -gt 10 ]]; prog $?; [[ A -eq 3 ]]; prog $?; [[ $A -ge 3 ]]; prog $?; [[ 0x10 -eq 16 ]]; prog $?; [[ 010 -eq 8 ]]; prog $?; [[ 2 -le 2 ]]; prog $?; [[ 2 -le 1 ]]; prog $?; [[ U -eq 0 ]]; prog "$?" => 0 ; 1 ; 0 ; 1 ; 0 ; 0 ; 0 ; 0 ; 0 ; 1 ; <one>
[[ $any -eq 1 ]]; prog $?; [[ 1 -lt $any ]]; prog $?; unset U; [[ $U -eq 0 ]]; prog $?; [[ "" -eq 0 ]]; prog $? => <one> ; <one> ; 0 ; 0
[[ abc =~ b ]]; prog $?; [[ abc =~ ^b ]]; prog $?; [[ abc =~ ^a ]]; prog $?; [[ abc =~ c$ ]]; prog $?; [[ abc =~ b$ ]]; prog $?; [[ abc =~ ^abc$ ]]; prog $?; [[ abc =~ ^[a-c]+$ ]]; prog $?; [[ abd =~ ^[a-c]+$ ]]; prog $?; [[ a.c =~ ^a\.c$ ]]; prog $?; [[ abc =~ ^a\.c$ ]]; prog $? => 0 ; 1 ; 0 ; 0 ; 1 ; 0 ; 0 ; 1 ; 0 ; 1
[[ 123 =~ ^[0-9]+$ ]]; prog $?; [[ 12a =~ ^[0-9]+$ ]]; prog $?; [[ a =~ ^[0-9]*$ ]]; prog $?; [[ "" =~ ^[0-9]*$ ]]; prog $?; [[ x-1 =~ x-[0-9] ]]; prog $?; [[ "a b" =~ "a b" ]]; prog $?; [[ a1b =~ a[0-9]b ]]; prog $?; [[ $any =~ a ]]; prog $?; [[ abc =~ $any ]]; prog $?; [[ "a.b" =~ "a.b" ]]; prog $?; [[ axb =~ "a.b" ]]; prog $? => 0 ; 1 ; 1 ; 0 ; 0 ; <one> ; 0 ; <one> ; <one> ; 0 ; 1
[[ abc =~ (a|b)c ]]; prog $?; [[ abc =~ a.*c ]]; prog $?; [[ abc =~ a+ ]]; prog $?; [[ $'a\n' =~ ^a$ ]]; prog $?; [[ a/b =~ a/b ]]; prog $?; [[ a:b,c=d@e%f =~ ^a:b,c=d@e%f$ ]]; prog $? => <one> ; <one> ; <one> ; 1 ; 0 ; 0
[[ a < b ]]; prog $?; [[ 1 < 2 ]]; prog $?; [[ 2 < 1 ]]; prog $?; [[ 2 > 1 ]]; prog $?; [[ 1 > 1 ]]; prog $?; [[ $any < 2 ]]; prog $? => <one> ; 0 ; 1 ; 0 ; <one> ; <one>
unset U; E=; X=1; [[ -v U ]]; prog $?; [[ -v E ]]; prog $?; [[ -v X ]]; prog $?; [[ -v any ]]; prog $?; declare -A M=([a]=1); [[ -v M ]]; prog $? => 1 ; 0 ; 0 ; <one> ; <one>
[ -f nowhere ]; prog $?; [[ a -nt b ]]; prog $?; test a -ot b; prog $? => <one> ; <one> ; <one>
[ $1 = p ]; prog $?; [ "$2" = "q r" ]; prog $?; [ "$#" -eq 2 ]; prog $?; [ $# -gt 1 -a "$1" = p ]; prog $?; [ -z "$3" ]; prog $?; [ -n "${3:-}" ] || prog none => 0 ; 0 ; 0 ; 0 ; 0 ; none
if [ a = b ]; then prog 1; elif [[ a == a ]]; then prog 2; else prog 3; fi; [ a = a ] && prog 4; [[ a == b ]] || prog 5; ! [ a = a ]; prog $?; while [ "$n" != xx ]; do n=x$n; done; prog "${n:0:1}" => 2 ; 4 ; 5 ; 1 ; <any>
[ "$any" ] && X=1; prog "$X"; [ a = a ] && Y=1; prog "$Y"; [ a = b ] && Z=1; prog "${Z-unset}" => <any> ; 1 ; <any>
[ a = a ] || prog no; test a && test b && prog both; test "" || test b && prog or => both ; or
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
[ $any = a ]; prog $?; [ -n $any ]; prog $?; [ $any ]; prog $?; test "$any" "$other"; prog $?; test a b; prog $?; test a b c; prog $?; test a b c d; prog $?; test -z a b; prog $?; test ! a b; prog $? => <one> ; <one> ; <one> ; <one> ; <one> ; <one> ; <one> ; <one> ; <one>
[ a -eq 1 ]; prog $?; [ 1 -eq b ]; prog $?; [ 1 -eq "" ]; prog $?; [ 1.5 -lt 2 ]; prog $?; [ 123456789012345678 -eq 123456789012345678 ]; prog $?; [ 1234567890123456789 -eq 1 ]; prog $?; [ 1 -lt 1234567890123456789 ]; prog $? => 1 ; 1 ; 1 ; 1 ; 0 ; <one> ; <one>
test -x a = b; prog $?; test \( a = a -a b = b \) -o c = c; prog $?; test \( a = a \) -a b; prog $?; test \( a = a \); prog $?; test ! \( a \); prog $?; test ! \( a = b \); prog $?; test \( a b; prog $?; test \( ! a \); prog $?; test a -a \( b \); prog $?; test -a a -o; prog $?; test -o a; prog $? => <one> ; <one> ; <one> ; <one> ; 1 ; <one> ; <one> ; 1 ; <one> ; <one> ; <one>
test a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a -o a; prog $?; test a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a -o a; prog $? => 0 ; <one>
test a -o a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a; prog $? => 0
[[ a -eq 1 ]]; prog $?; [[ 1.5 -lt 2 ]]; prog $?; [[ "1 + 1" -eq 2 ]]; prog $? => <one> ; <one> ; <one>
[ a =~ a ]; prog $?; [ -q a ]; prog $?; [[ -q a ]]; prog $? => <one> ; <one> ; <one>
[[ $any =~ ^$other ]]; prog $?; [[ aab =~ (a)+b ]]; prog "${BASH_REMATCH[0]}"; [[ ab =~ [[:alpha:]] ]]; prog $? => <one> ; <any> ; <one>
test "(" -nt ")"; prog $?; test "(" -ot ")"; prog $?; test "(" -ef ")"; prog $?; test "(" "=~" ")"; prog $?; test ! ! ! ! a; prog $?; test ! ! ! ! ! a; prog $?; test b ! ! ! a; prog $? => <one> ; <one> ; <one> ; <one> ; 0 ; 1 ; <one>
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []
