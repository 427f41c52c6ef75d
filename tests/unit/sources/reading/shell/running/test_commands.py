"""Simple commands: assignments, functions, status, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell import run_shell

TABLE = r"""
A=1; prog $?; A=$(false); prog $?; A=$(true); prog $?; A=1 B=$(exit 3); prog $?; A=$(exit 2) B=$(true); prog $?; A="x$(false)"; prog $?; A=(1 $(false)); prog "$?"; A=$(nproc); prog "$?" => 0 ; 1 ; 0 ; 3 ; 0 ; 1 ; 1 ; <one>
A=1 prog $A; A=2; A=3 prog $A; prog $A; A=4 eval 'prog $A'; prog $A; A=5 B=6 eval 'prog $A $B'; prog "$A" "$B"; unset A; A=7 true; prog "${A-unset}" => <words> ; 2 ; 2 ; 4 ; 2 ; 5|6 ; 2|<any> ; unset
f() { prog "$A" "$@"; A=in; }; A=1; A=2 f x; prog $A; f y; prog $A; B=3 f; prog "${B-unset}" => 2|x ; 1 ; 1|y ; in ; in ; <any>
f() { prog f "$@"; return 3; }; f a "b c"; prog $?; f; prog $?; f() { prog second; }; f; unset -f f; echo() { prog "echo: $*"; }; echo hi; builtin echo x > /dev/null; unset -f echo; command echo q > /dev/null => f|a|b c ; 3 ; f ; 3 ; second ; echo: hi
$(true); prog $?; $(false); prog $?; $(exit 4); prog $?; ""; prog end; X=prog; $X a; "$X" b; ${X} $1; X="prog a"; $X b; A=(prog "a b"); "${A[@]}" c => 0 ; 1 ; 4 ; end ; a ; b ; p ; a|b ; a b|c
true; prog $?; false; prog $?; :; prog $?; ! true; prog $?; ! false; prog $?; true && false; prog $?; false || true; prog $?; (exit 5); prog $?; { false; }; prog $?; true | false; prog $?; false | true; prog $? => 0 ; 1 ; 0 ; 1 ; 0 ; 1 ; 0 ; 5 ; 1 ; 1 ; 0
eval; prog $?; eval ""; prog $?; eval 'prog a' b; eval "prog \"\$1\""; eval 'A=1; prog $A'; prog $A => 0 ; 0 ; a|b ; p ; 1 ; 1
A=1 B=$A prog; A=1; B=$A C=$B; prog $B $C; A+=2 prog; prog $A; A+=2 eval 'prog $A'; prog $A => () ; 1|1 ; () ; 1 ; 12 ; 1
prog a; wait; prog c => a ; c
A= B=; prog "$A$B" ${A:-x}; A=$U$1; prog $A => |x ; <words>p
f() { eval "$1=x"; }; f A; prog $A; f() { local A=2; prog $A; }; f; prog $A => x ; 2 ; x
f() { A=2 g; prog $A; }; g() { prog $A; }; A=1 f; prog $A => 2 ; 1 ; <words>
f() { exit 3; }; (f); prog $?; A=1 f; prog never => 3
f() { return; }; A=9 f; prog "${A-unset}" => <any>
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
eval "$(conda shell.bash hook)"; prog $? "$any"; eval "$(/opt/bin/conda shell.bash hook)"; A=1; eval "$(mamba shell)"; prog $A; eval $(ssh-agent); prog $A; eval "$(micromamba x)"; prog $A; eval "$(pyenv init -)"; prog $A; eval "$(brew shellenv)"; prog $A => 0|<any> ; 1 ; 1 ; 1 ; 1 ; 1
A=1; eval "$(direnv hook bash)"; prog $A; eval "$(starship init bash)"; prog $A; eval "$(rbenv init -)"; prog $A; eval "$(nodenv init -)"; prog $A; eval "$(fnm env)"; prog $A; eval `modulecmd bash load x`; prog $A; eval "$(conda)"; prog $A => 1 ; 1 ; 1 ; 1 ; 1 ; 1 ; 1
A=1; eval "$(something)"; prog "$A" => ? () ; <any>
A=1; eval "$(conda shell.bash hook; other)"; prog "$A" => ? () ; <any>
A=1; eval "x$(conda hook)"; prog "$A" => ? () ; <any>
A=1; eval "$(conda hook)" x; prog "$A" => ? x ; <any>
A=1; eval conda; prog "$A"; echo "$(conda hook)"; prog "$A" => 1 ; 1
A=1; eval "$(xconda hook)"; prog "$A" => ? () ; <any>
A=1; eval "$($conda hook)"; prog "$A" => hook ; ? () ; <any>
A=1; eval "$(false)"; prog $A $?; eval "$("conda" hook)"; prog "$A" => 1|0 ; ? () ; <any>
A=1; eval "$(A=2 conda hook)"; prog $A; eval '$(conda hook)'; prog "$A" => 1 ; () ; 1
A=1; eval "$(conda$1 hook)"; prog "$A" => ? () ; <any>
A=1; eval "$( { conda hook; } )"; prog "$A" => ? () ; <any>
A=1; source nowhere.sh; prog "${A}"; myfunction a; prog $A "$any"; python x; prog b => <any> ; <words>|<any> ; b
A=1; source nowhere.sh; A=2; myfunction a; prog "$A" => <any>
A=1; source nowhere.sh; A=2; X=$(myfunction a); prog "$A" "$X"; Y=$(python x); prog "$Y" => 2|<any> ; <any>
A=1; source nowhere.sh; A=2; torchrun a; prog "$A"; $any; prog "$A" => 2 ; () ; <any>
nowhere_$any; prog $?; prog a & prog b; wait; prog c => () ; <one> ; a ; b ; c
"""


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3") == []
    assert contradictions(TABLE, any="1", other="", RANK="x") == []


def test_a_program_has_the_variables_of_its_own_command() -> None:
    ran = run_shell(
        "export A=1\nB=2 C=$A \\\n prog x\nD=3\nA=4 eval prog\nprog\nexport D E=5",
        "run.sh",
        start=Environment({}, Others.UNSET),
    )
    first, second, third = (invocation.environment for invocation in ran.invocations)
    assert (first.values, _lines(first)) == ({"A": "1", "B": "2", "C": "1"}, {"A": 1, "B": 2, "C": 2})
    assert (second.values, _lines(second)) == ({"A": "4", "D": None}, {"A": 5, "D": 4})
    assert (third.values, _lines(third)) == ({"A": "1", "D": None}, {"A": 1, "D": 4})
    assert (ran.environment.values, _lines(ran.environment)) == (
        {"A": "1", "D": "3", "E": "5"},
        {"A": 1, "D": 7, "E": 7},
    )
    assert [invocation.place.line for invocation in ran.invocations] == [2, 5, 6]


def _lines(environment: Environment) -> dict[str, int]:
    return {name: place.line for name, place in environment.places.items()}


def test_after_a_file_that_is_not_there_a_word_may_be_a_function() -> None:
    ran = run_shell("export A=1\nsource nowhere.sh\nexport A=2\ntrain x\npython x", "run.sh", reads=False)
    first, second = (invocation.environment for invocation in ran.invocations[-2:])
    assert (first.values, first.others) == ({}, Others.UNKNOWN)
    assert second.why_open == first.why_open != ""
    ran = run_shell("source nowhere.sh\nexport A=2\npython x\ntorchrun y", "run.sh", reads=False)
    assert [invocation.environment.values for invocation in ran.invocations[-2:]] == [{"A": "2"}, {"A": "2"}]
