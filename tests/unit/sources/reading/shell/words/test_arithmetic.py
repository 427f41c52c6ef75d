"""Shell arithmetic, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started

TABLE = r"""
prog $((1 + 2)) $((5 - 7)) $((3 * 4)) $((7 / 2)) $((-7 / 2)) $((7 / -2)) $((-7 / -2)) $((7 % 3)) $((-7 % 3)) $((7 % -3)) $((2 ** 10)) $((0 / 5)) $((0 % 5)) $((6 / 3)) => 3|-2|12|3|-3|-3|3|1|-1|1|1024|0|0|2
prog $((1 << 4)) $((16 >> 2)) $((5 & 3)) $((5 | 3)) $((5 ^ 3)) $((~5)) $((-5)) $((+5)) $((!5)) $((!0)) $((- -5)) $((-1 >> 1)) => 16|4|1|7|6|-6|-5|5|0|1|5|-1
prog $((1 < 2)) $((2 < 1)) $((1 < 1)) $((1 > 2)) $((2 > 1)) $((1 > 1)) $((1 <= 1)) $((2 <= 1)) $((1 <= 2)) $((1 >= 1)) $((1 >= 2)) $((2 >= 1)) => 1|0|0|0|1|0|1|0|1|1|0|1
prog $((1 == 1)) $((1 == 2)) $((1 != 1)) $((1 != 2)) $((1 && 1)) $((1 && 0)) $((0 && 1)) $((2 && 3)) $((0 || 0)) $((0 || 2)) $((3 || 0)) $((0 || 0 || 5)) => 1|0|0|1|1|0|0|1|0|1|1|1
prog $((1 ? 5 : 6)) $((0 ? 5 : 6)) $((1, 2)) $(((1 + 2) * 3)) $((2 ** 3 ** 2)) $((1 - 2 - 3)) $((-2 ** 2)) $((1 + 2 * 3)) $((2 ? 0 : 1)) => 5|6|2|9|512|-4|4|7|0
A=5; prog $((A++)) $A $((A--)) $A $((++A)) $A $((--A)) $A => 5|6|6|5|6|6|5|5
A=5; prog $((A = 7)) $((A += 2)) $((A -= 1)) $((A *= 3)) $((A /= 2)) $((A %= 5)) $((A <<= 3)) $((A >>= 1)) $((A &= 6)) $((A |= 9)) $((A ^= 5)) $A => 7|9|8|24|12|2|16|8|0|9|12|12
A=5; prog $((A = B = 2)) $A $B $(((A = 3) + A)) $((A, A + 1)) => 2|2|2|6|4
A=B B=3; prog $((A)) $((A + 1)) $(($A * 2)); C=A; prog $((C)) $((C = 1)) $C $A => 3|4|6 ; 3|1|1|B
unset U; E=; prog $((U)) $((E)) $((U + 1)) $((U++)) $U $((-U)) => 0|0|1|0|1|-1
A=0x1F; prog $((A)) $((0x1f)) $((0X1F)) $((010)) $((2#101)) $((16#ff)) $((16#FF)) $((36#z)) $((0)) $((00)) $((10#08)) $((8#17)) $((3#12)) => 31|31|31|8|5|255|255|35|0|0|8|15|5
A=" 5 "; prog $((A)) $((A + 1)); B=-5; prog $((B)) $((-B)) $((B * 2)); C=+3; prog $((C)); D="- 4"; prog $((D)) => 5|6 ; -5|5|-10 ; 3 ; -4
A=(3 4 5); i=1; prog $((A)) $((A[1])) $((A[i] + A[i + 1])) $((A[0] * A[-1])) => 3|4|9|15
A=(); prog $((A)) $((${#A[@]} + 1)) => 0|1
A=(3 4); ((A[1]++)); prog "${A[@]}"; ((A[0] = 9)); prog ${A[0]} => <words> ; <words>
declare -A M=([a]=2); prog $((M[a])) $((${M[a]} + 1)) => 2|3
prog $((any)) "$((any + 1))" $((any * 0)) $((any ? 1 : 1)) $((RANK + 1)) $(($any)) => <one>|<one>|<one>|<one>|<one>|<one>
A=$any; prog $((A)) $((A = 3)) $A; ((A += any)); prog $A "$A" => <one>|3|3 ; <words>|<any>
A=1; prog $((any && (A = 2))) $A; B=1; prog $((any || B++)) $B; C=1; prog $((any ? (C = 2) : 3)) $C; D=1; prog $((any ? 3 : D--)) $D => <one>|<words> ; <one>|<words> ; <one>|<words> ; <one>|<words>
A=1 B=1; prog $((0 && (A = 2))) $A $((1 || (B = 2))) $B $((1 && (A = 3))) $A $((0 || (B = 4))) $B => 0|1|1|1|1|3|1|4
A=1 B=1; prog $((1 ? (A = 2) : (B = 2))) $A $B $((0 ? (A = 3) : (B = 3))) $A $B => 2|2|1|3|2|3
A=(1 2); prog $((any && (A[0] = 5))) "${A[0]}" "${A[1]}" => <one>|<any>|<any>
A=1; prog $((any && -(A++))) $A; B=1; prog $((any || (1 + (B = 2)))) $B; C=1; prog $((any && any && C++)) $C => <one>|<words> ; <one>|<words> ; <one>|<words>
((A = 5)); prog $?; ((A - 5)); prog $?; ((0)); prog $?; ((1, 0)); prog $? $A => 0 ; 1 ; 1 ; 1|5
((any)); prog $? => <one>
((A = any)); prog "$A" $? => <any>|<one>
let A=1+2 B=A*2; prog $A $B $?; let A=0; prog $?; let "A = 5" 'B = 6' C=7; prog $A $B $C; let A++ B--; prog $A $B; let A+=2; prog $A => 3|6|0 ; 1 ; 5|6|7 ; 6|5 ; 8
let any+1; prog $? => <one>
X=5; ((X > 3)) && prog more; ((X < 3)) || prog less; if ((X == 5 && X != 6)); then prog five; fi => more ; less ; five
A=9223372036854775807; prog $((9223372036854775807)) $((-9223372036854775807)) $((999999999999999999)) => <one>|<one>|999999999999999999
prog $((2 ** 62)) $((1 << 62)) $((2 ** 0)) $((5 ** 1)) $((0 ** 0)) $((1 << 0)) => 4611686018427387904|4611686018427387904|1|5|1|1
A=5; prog $((A > 3 ? A : 3)) $((A == 5 ? 10 : 20)) $((A<3)) $(((A))) => 5|10|0|5
A=3; prog $((A * A - A / A + A % A)) $((A - -A)) $((A+-1)) $((!A + !0)) => 8|6|2|1
A=1; ((A++, A++)); prog $A; ((A = 2, B = A + 1)); prog $A $B => 3 ; 2|3
for ((i = 0; i < 3; i++)); do prog $i; done; prog $i => 0 ; 1 ; 2 ; 3
for ((i = 3; i; i -= 1)); do prog $i; done => 3 ; 2 ; 1
A=2; while ((A--)); do prog $A; done; prog $A => 1 ; 0 ; -1
A=5; B=$((A / 2)) C=$((A % 2)); prog $B $C; N=$((B * C + 10#09)); prog $N => 2|1 ; 11
A=x; x=y; y=7; prog $((A)) $((A + x)) => 7|14
A=1; prog $[A + 1] $[2 * 3] => 2|6
A=5; ((A)); prog $?; ((!A)); prog $? => 0 ; 1
A=010; prog $((A)) $((A + 1)); B=08; prog ${B#0} => 8|9 ; 8
prog $((1 / 2)) $((-1 / 2)) $((1 / -2)) $((-1 % 2)) $((1 % -2)) $((-6 / 3)) $((6 / -3)) $((-6 % 3)) $((0 / -3)) $((-8 / 3)) $((-8 % 3)) $((8 % 3)) => 0|0|0|-1|1|-2|-2|0|0|-2|-2|2
prog $((-(1 << 62) * 2)) $(((1 << 62) - 1 + (1 << 62))) $((1 && any)) $((0 || any)) $((any && 0)) $((any, 5)) $((1 ? any : 2)) => -9223372036854775808|9223372036854775807|<one>|<one>|<one>|5|<one>
A=(1 2); ((A[0]++)); prog "${A[1]}" "$?"; B=1; ((B++)); prog $B; ((--B)); prog $B; ((B = any)); prog "$B"; ((any > 0 && (B = 3))); prog "$B" => <any>|0 ; 2 ; 1 ; <any> ; <any>
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
prog $((9223372036854775807 + 1)) $((-9223372036854775807 - 1)) $((2 ** 63)) $((2 ** 64)) $((1 << 63)) $((1 << 64)) $((1 << -1)) $((2 ** -1)) => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $((-9223372036854775807 - 2)) $((1 >> 64)) $((4611686018427387904 * 2)) $((4611686018427387904 * -2)) => <one>|<one>|<one>|<one>
prog $((1 / 0)); prog $((1 % 0)); prog after => <one> ; <one> ; after
prog $((08)) $((09 + 1)); prog $((2#3)) $((1#0)) $((37#1)) $((64#a)) $((0#1)) => <one>|<one> ; <one>|<one>|<one>|<one>|<one>
A=A; prog $((A)); B=C; C=B; prog $((B)) => <one> ; <one>
A=a-b; prog $((A)); A='1 + 2'; prog $((A)); A=1.5; prog $((A)); A=x@; prog $((A)) => <one> ; <one> ; <one> ; <one>
prog $((9999999999999999999)) $((1234567890123456789)) $((0x123456789abcdef01234)) $((123456789012345678)) => <one>|<one>|<one>|123456789012345678
A=5; prog $((A /= 0)) "$A"; B=5; ((B = 1 / 0)); prog "$B" => <one>|<any> ; <any>
A=5; prog $((A++ + A++)) $((any++)) "$any" => 11|<one>|<any>
prog $((0x)) $((1 +)); prog b => nothing
A=(1 2); ((A[any] = 5)); prog "${A[0]}" "${A[1]}"; ((A[0] += any)); prog "${A[@]}" => <any>|<any> ; <words>
declare -A M=([a]=1); prog $((M)) $((M + 1)); ((M[b] = 2)); prog "${M[a]}" => <one>|<one> ; <any>
A=$'\x31'; prog $((A)); A="1${any}"; prog $((A)); A=("$any" 2); prog $((A)) $((A[1])) => 1 ; <one> ; <one>|2
A=1; ((any && (A = 2) || 0)); prog $A; B=1; ((any, B = 2)); prog $B; C=1; ((any ? C++ : 0)); prog $C => <words> ; 2 ; <words>
A=5; let "A = 1 / 0" ; prog "$A" $? => <any>|<one>
prog $((-010)) $((+0x10)) $((-2#11)) $((- 3)) $((-16#f)) => -8|16|-3|-3|-15
prog $(((1 << 62) * 2)) $((-(1 << 62) * 2 - 1)) $((0#1)) $((1#1)) $((2#1)) $((36#Z)) => <one>|<one>|<one>|<one>|1|35
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []


@pytest.mark.parametrize(
    ("opening", "operator", "closing", "terms"),
    [("", "+1", "", 101), ("(" * 20, "+1", ")" * 20, 81), ("- " * 19 + "(", "+1", ")", 81), ("a=" * 20, "+1", "", 81),
     ("", "||0", "", 101), ("", "&&1", "", 101), ("1+(" , "+1", ")", 99), ("0||(", "+1", ")", 99),
     ("1&&(", "+1", ")", 99), ("0,(", "+1", ")", 99), ("1?(", "+1", "):0", 99), ("0?0:(", "+1", ")", 99)],
)  # fmt: skip
def test_an_expression_is_evaluated_to_a_limit(opening: str, operator: str, closing: str, terms: int) -> None:
    for number, is_known in ((terms, True), (terms + 1, False)):
        first = "0" if operator == "||0" else "1"
        result = started(f"prog $(({opening}{first}{operator * (number - 1)}{closing}))")
        assert (result != "<one>") == is_known


def test_variables_in_variables_are_followed_to_a_limit() -> None:
    names = [f"A{number}=A{number + 1}" for number in range(20)]
    assert started("; ".join([*names[:9], "A9=5", "prog $((A0)) $((A0 + 1))"])) == "5|<one>"
    assert started("; ".join([*names[:10], "A10=5", "prog $((A0)) $((A1))"])) == "<one>|5"
