"""Loops, with known and unknown numbers of passes."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
for a in; do prog no; done; prog $? "${a-u}"
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
false; for a in 1; do prog $?; done; prog $?; for a in 1; do false; done; prog $?; false; for a in $Z; do :; done; prog $?
=>
1: prog 1
1: prog ¿
1: prog 1
1: prog 0
----
for a in 1 $(ls) 2; do prog "$a"; B=$a; done; prog "$a" "$B"; for a in $(nproc); do prog $a; done; prog $a
=>
1: ls
1: prog ¿ # run.sh:1:1: in a loop
1: prog ¿ ¿
1: nproc
1: prog ¿
1: prog ¿
----
for a in {1..32}; do B=$a; done; prog $B; for a in {1..33}; do B=$a; export C=1; done; prog "$B"
=>
1: prog 32
1: prog ¿ {C=¿@1}
----
set -- a b; for x; do prog $x; done; for x in; do prog no; done; for x in "$@"; do prog $x; done; set -- $(ls); for x; do prog "$x"; done
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
select x in a b; do prog "$x"; break; done; prog end
=>
1: prog ¿ # run.sh:1:1: in a loop
1: prog end
----
for a in 1 2; do exit; done; prog a
=>
after: nothing set
----
for a in 1 2; do prog $a; exit 3; done
=>
1: prog 1
----
for a in 1 2; do [ -f x ] && { export B=1; continue; }; B=2; done; prog
=>
1: prog {B=¿@1}
----
for a in *; do export B=$a; echo x > f; cd d; done; prog; for a in *; do prog in; exit; done; prog out
=>
1: prog in ¿ {B=¿@1} files f:¿
1: prog in in ¿ {B=¿@1} files f:¿ # run.sh:1:1: in a loop
1: prog out in ¿ {B=¿@1} files f:¿
----
export N=0; for a in *; do N=1; done; prog; for a in *; do N=2; break; done; prog; for a in *; do continue; N=3; done; prog $?
=>
1: prog {N=¿@1}
1: prog {N=¿@1}
1: prog ¿ {N=¿@1}
----
N=0; for a in *; do N=$((N+1)); L="$L x"; done; prog $N "$L"; for a in *; do A+=(x); done; prog "${A[@]}" "${#A[@]}"
=>
1: prog ¿ ¿
1: prog … ¿
----
for ((i=0;i<3;i++)); do prog $i; done; prog $i $?; for ((;;)); do prog x; break; done; for ((i=0;i<2;)); do prog $i; i=$((i+1)); done; for ((i=5;i<3;i++)); do prog no; done; prog $? $i
=>
1: prog 0
1: prog 1
1: prog 2
1: prog 3 ¿
1: prog x
1: prog 0
1: prog 1
1: prog 0 5
----
for ((i=0;i<3;i++)); do [ $i = 1 ] && continue; prog $i; done; for ((i=0;i<40;i++)); do B=$i; done; prog $B $i; for ((i=0;i<N;i++)); do prog x; done
=>
1: prog 0
1: prog 2
1: prog … …
----
N=$(nproc); for ((i=0;i<N;i++)); do prog $i; export B=$i; done; prog $i $?; for ((i=N;i;i--)); do prog y; done; prog "$i"
=>
1: nproc
1: prog … {B=¿@1} # run.sh:1:1: in a loop
1: prog … ¿ {B=¿@1}
1: prog y {B=¿@1} # run.sh:1:1: in a loop
1: prog ¿ {B=¿@1}
----
for ((i=0;i<2;i++)); do [ -f x ] && continue; prog $i; done; prog $i; for ((i=0;i<2;i++)); do false; done; prog $?; for ((i=0;i<2;i++)); do exit; done; prog no
=>
1: prog 0 # run.sh:1:1: runs after && only
1: prog 1 # run.sh:1:1: runs after && only
1: prog 2
1: prog 1
----
while true; do prog a; break; done; prog $?; while false; do prog no; done; prog $?; until true; do prog no; done; until false; do prog b; break; done; i=0; while [ $i -lt 2 ]; do i=$((i+1)); false; done; prog $?
=>
1: prog a
1: prog 0
1: prog 0
1: prog b
1: prog 1
----
i=0; while true; do i=$((i+1)); [ $i = 40 ] && break; done; prog $i
=>
1: prog ¿
----
i=0; while [ $i -lt 32 ]; do i=$((i+1)); done; prog $i; i=0; while [ $i -lt 31 ]; do i=$((i+1)); done; prog $i; i=0; while [ $i -lt 33 ]; do i=$((i+1)); done; prog $i $?
=>
1: prog ¿
1: prog 31
1: prog ¿ ¿
----
while [ -f x ]; do prog a; export B=1; done; prog $?; until [ -f y ]; do sleep 1; done; prog b; while ls; do prog c; exit; done; prog d
=>
1: prog a {B=¿@1} # run.sh:1:1: in a loop
1: prog ¿ {B=¿@1}
1: sleep 1 {B=¿@1} # run.sh:1:1: in a loop
1: prog b {B=¿@1}
1: ls {B=¿@1} # run.sh:1:1: in a loop
1: prog c {B=¿@1} # run.sh:1:1: in a loop
1: ls {B=¿@1}
1: prog d {B=¿@1}
----
while read -r l; do prog "$l"; done < f; prog end; echo a | while read l; do A=1; done; prog "$A"
=>
1: prog ¿ # run.sh:1:1: in a loop
1: prog end
1: prog ''
----
i=0; while prog cond; do i=$((i+1)); prog $i; [ $i = 2 ] && break; done; prog $?
=>
1: prog cond # run.sh:1:1: in a loop
1: prog ¿ # run.sh:1:1: in a loop
1: prog cond # run.sh:1:1: runs after && only
1: prog ¿
----
while exit 1; do prog a; done; prog b
=>
1: prog a # run.sh:1:1: in a loop
1: prog b
----
while i=1; [ -f x ]; do prog $i; i=2; done; prog $i; while true; do [ -f x ] && break; prog a; done; prog b; while true; do [ -f x ] && exit; prog c; done; prog d
=>
1: prog 1 # run.sh:1:1: in a loop
1: prog 1
1: prog a # run.sh:1:1: runs after && only
1: prog a # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: prog b
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c
1: prog c # run.sh:1:1: in a loop
----
i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ -f x ] && break; prog $i; done; prog "$i"; while [ $i -lt 5 ]; do i=$((i+1)); [ -f x ] && continue; prog $i; done
=>
1: prog 1 # run.sh:1:1: runs after && only
1: prog ¿ # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: prog ¿
1: prog ¿ # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
----
set -e; while false; do :; done; while [ -f x ]; do false; done; prog a; until true; do :; done; i=0; while [ $i -lt 1 ]; do i=1; false; done; prog no
=>
1: prog a
after: nothing set
----
f() { for a in 1 2; do return $a; done; }; f; prog $?; g() { while true; do return 5; done; }; g; prog $?; h() { for a in *; do return 6; done; return 7; }; h; prog $?
=>
1: prog 1
1: prog 5
1: prog ¿
----
for a in 1 2; do case $a in 1) continue;; esac; prog $a; done; for a in x y; do if [ $a = x ]; then break; fi; done; prog $a
=>
1: prog 2
1: prog x
----
X=$(for a in 1 2; do echo $a; done); prog "$X"; X=$(for a in *; do echo q; done); prog "$X"; for a in 1 2; do echo $a; done > f; prog
=>
1: prog '1\n2'
1: prog ¿
1: prog files f:'1\n2\n'
----
for a in *; do for b in *; do prog in; done; done; prog; for a in *; do while :; do break 2; done; done; prog
=>
1: prog in # run.sh:1:1: in a loop
1: prog
1: prog
----
for a in *; do f$a() { :; }; f() { prog f; }; eval "x=$a"; done; export Q=1; prog; f
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
for a in 1 2; do for b in *; do [ -f x ] && break 2; prog $a; done; done; prog e
=>
1: prog 1 # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: prog 2 # run.sh:1:1: the loop may end before; run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: prog e
----
while [ -f x ]; do A=1; done; prog "${A-u}"; for x in *; do unset A; done; prog "${A-u}"
=>
1: prog ¿
1: prog ¿
----
A=0; for x in *; do B=$A; C=$B; D=$C; E=$D; F=$E; G=$F; H=$G; I=$H; J=$I; A=1; done; prog $J
=>
1: prog …
----
A=0; for x in *; do J=$I; I=$H; H=$G; G=$F; F=$E; E=$D; D=$C; C=$B; B=$A; A=$((A+1)); done; prog "${J-u}"
=>
1: prog ¿
----
while true; do prog a; done; prog no
=>
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a
1: prog a # run.sh:1:1: in a loop
----
while :; do :; done; prog no
=>

----
A=0; for x in *; do E=$D; D=$C; C=$B; B=$A; A=1; done; export Q=1; prog "$E"
=>
1: prog ¿ {Q=1@1}
----
A=0; for x in *; do F=$E; E=$D; D=$C; C=$B; B=$A; A=1; done; export Q=1; prog "$F"
=>
1: prog ¿ {Q=1@1}
----
A=0; for x in *; do G=$F; F=$E; E=$D; D=$C; C=$B; B=$A; A=1; done; export Q=1; prog "$G"
=>
1: prog ¿ {Q=1@1}
----
A=0; for x in *; do H=$G; G=$F; F=$E; E=$D; D=$C; C=$B; B=$A; A=1; done; export Q=1; prog "$H"
=>
1: prog ¿ {Q=1@1}
----
for x in *; do exit; done; prog a; for x in *; do return; done; for x in *; do prog; continue; done; for x in *; do [ -f x ] && continue; export B=1; done; prog
=>
1: prog a
1: prog # run.sh:1:1: in a loop
1: prog {B=¿@1}
----
for x in 1 2; do [ -f $x ] && break; [ -f y ] && continue; prog $x; done; for x in 1 2 3; do [ $x = 2 ] && { A=$x; continue; }; A=z; done; prog $A $x
=>
1: prog 1 # run.sh:1:1: runs after && only
1: prog 2 # run.sh:1:1: the loop may end before; run.sh:1:1: runs after && only
1: prog z 3
----
for ((i=0;i<2;i++)); do for ((j=0;j<2;j++)); do [ $j = 1 ] && continue 2; prog $i$j; done; done; for ((i=$(nproc);i<2;i++)); do exit; done; prog a
=>
1: prog 00
1: prog 10
1: nproc
1: prog a
----
for ((i=0;i<2;i++)) { prog $i; }; for ((i=0;i<2;i++)); do break; done; prog $i; for ((i=0;;i++)); do [ $i = 2 ] && break; done; prog $i; for ((i=0;i<2;i++)); do [ -f x ] && break; prog $i; done; prog "$i"
=>
1: prog 0
1: prog 1
1: prog 0
1: prog 2
1: prog 0 # run.sh:1:1: runs after && only
1: prog … # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: prog ¿
----
while ls; do break; done; prog $?; while ls; do [ -f x ] && break; prog a; done; while true; do ls && break; done; prog b; until ls; do prog c; done; prog d; while true; do exit; done; prog no
=>
1: ls # run.sh:1:1: in a loop
1: ls # run.sh:1:1: in a loop
1: prog ¿
1: ls # run.sh:1:1: in a loop
1: prog a # run.sh:1:1: in a loop; run.sh:1:1: runs after && only
1: ls # run.sh:1:1: runs after && only
1: ls
1: ls # run.sh:1:1: in a loop
1: prog b
1: ls # run.sh:1:1: in a loop
1: prog c # run.sh:1:1: in a loop
1: ls
1: prog d
----
while :; do ls || exit; break; done; prog a; while :; do if [ -f x ]; then exit; fi; sleep 1; done; prog no
=>
1: ls
1: prog a
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1
1: sleep 1 # run.sh:1:1: in a loop
----
n=0; while ((n < 2)); do ((n++)); done; prog $n $?; while ((n < M)); do ((n++)); prog x; done; prog $n; while false; do :; done; prog $?; until [ $n = 3 ]; do n=3; ls; done; prog $?
=>
1: prog 2 0
1: prog 2
1: prog 0
1: ls
1: prog ¿
----
export V=0; while read x; do V=1; done; prog; while read x; do exit; done; prog; while read x; do V=2; break; done; prog
=>
1: prog {V=¿@1}
1: prog {V=¿@1}
1: prog {V=¿@1}
----
for x in a; do cd d; export W=$x; echo $x; f() { prog $x; }; done; prog; f; for y in a b; do for x in c; do :; done; done; prog $x $y
=>
1: prog in d {W=a@1}
1: prog a in d {W=a@1}
1: prog c b in d {W=a@1}
----
export x y i
for x in *; do prog; done
for y in a; do
prog; done
for ((i=0;i<1;i++)); do prog; done
while true; do
  [ -f x ] && break
  prog; done
for z in 1 2; do
  [ -f x ] &&
    break; prog; done
=>
2: prog {x=¿@2} # run.sh:2:1: in a loop
4: prog {x=¿@2, y=a@3}
5: prog {i=0@5, x=¿@2, y=a@3}
8: prog {i=1@5, x=¿@2, y=a@3} # run.sh:7:1: runs after && only
8: prog {i=1@5, x=¿@2, y=a@3} # run.sh:6:1: in a loop; run.sh:7:1: runs after && only
11: prog {i=1@5, x=¿@2, y=a@3} # run.sh:11:1: runs after && only
11: prog {i=1@5, x=¿@2, y=a@3} # run.sh:9:1: the loop may end before; run.sh:11:1: runs after && only
----
while [ -f x ] && A=1; do prog; B=1; done; prog "$A" "$B" $?; until ls || cd d; do prog; done; prog; while [ -f x ] || [ -f y ]; do break; done; prog
=>
1: prog # run.sh:1:1: in a loop
1: prog ¿ ¿ ¿
1: ls in ¿ # run.sh:1:1: in a loop
1: prog in ¿ # run.sh:1:1: in a loop
1: ls in ¿
1: prog in ¿
1: prog in ¿
----
for x in 1; do for ((j=0;j<3;j++)); do [ $j = 1 ] && continue; prog $j; done; done; f() { for ((k=0;k<2;k++)); do [ $k = 0 ] && continue; prog $k; done; }; f; while true; do for ((;;)); do break 2; done; done; prog end
=>
1: prog 0
1: prog 2
1: prog 1
1: prog end
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_which_programs_a_loop_starts(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
