"""Lists, pipelines, branches and functions."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
if [ -f x ]; then export A=1; fi; prog; if [ -f x ]; then export A=2; else export A=3; fi; prog; if [ -f x ]; then export A=4; elif [ -f y ]; then export A=4; else export A=4; fi; prog
=>
1: prog {A=¿@1}
1: prog {A=¿@1}
1: prog {A=4@1}
----
if [ -f x ]; then cd a; fi; prog; if [ -f x ]; then cd /b; else cd /b; fi; prog; if [ -f x ]; then set -- a; else set -- b; fi; prog "$@"; if [ -f x ]; then set -- c; else set -- c; fi; prog "$@"
=>
1: prog in ¿
1: prog in /b
1: prog … in /b
1: prog c in /b
----
A=$(nproc); if [ -f x ]; then A=a; else A=b; fi; prog $A; if [ -f x ]; then A='a b'; fi; prog $A; if [ -f x ]; then A=(1); else A=(2); fi; prog "${A[@]}"; if [ -f x ]; then A=q; fi; prog "$A"
=>
1: nproc
1: prog ¿
1: prog …
1: prog …
1: prog ¿
----
if [ -f x ]; then A=a; fi; prog "$A" ${A:-d}; if [ -f x ]; then A=1; else A=2; fi; if [ -f x ]; then A=3; fi; prog $A; unset A; if [ -f x ]; then unset A; fi; prog "${A-u}"
=>
1: prog ¿ …
1: prog ¿
1: prog u
----
if [ -f x ]; then export A=1; else A=1; fi; prog; if [ -f x ]; then set -a; fi; B=1; prog; export B; set +a; C=1; prog
=>
1: prog {A=¿@1}
1: prog {A=¿@1, B=¿@1}
1: prog {A=¿@1, B=1@1}
----
if [ -f x ]; then set -a; else set -a; fi; B=1; prog
=>
1: prog {B=1@1}
----
if [ -f x ]; then echo a > f; else echo a > f; echo b > g; fi; prog; if [ -f x ]; then echo c > f; fi; prog
=>
1: prog files f:'a\n' g:¿
1: prog files f:¿ g:¿
----
if [ -f x ]; then f() { prog 1; }; else f() { prog 1; }; fi; f; g() { prog g; }; if [ -f x ]; then g() { prog 2; }; fi; export A=1; g a b; prog $?; prog2
=>
1: prog 1
1: g a b {A=1@1} # run.sh:1:1: the function g is not known
1: prog ¿ {others unknown, since run.sh:1:1: the function g is not known}
1: prog2 {others unknown, since run.sh:1:1: the function g is not known}
----
if [ -f x ]; then false; else false; fi; prog $?; if [ -f x ]; then false; fi; prog $?; if [ -f x ]; then true; fi; prog $?
=>
1: prog 1
1: prog ¿
1: prog 0
----
if [ -f x ]; then set -e; fi; false; prog a
=>
1: prog a
----
if [ -f x ]; then set -e; fi; export A=1; false; prog a; false; prog b
=>
1: prog a {A=1@1}
1: prog b {A=1@1}
----
if [ -f x ]; then set -o pipefail; fi; false | true; prog $?; true | true; prog $?; true | false; prog $?
=>
1: prog ¿
1: prog 0
1: prog 1
----
if [ -f x ]; then set -f; fi; prog *.py a; set -f; prog *.py
=>
1: prog … a
1: prog *.py
----
X=$(if [ -f x ]; then echo a; else echo b; fi); prog $X; X=$(if [ -f x ]; then echo a; else echo a; fi); prog $X; X=$(echo p; if [ -f x ]; then echo a; fi); prog "$X"
=>
1: prog …
1: prog a
1: prog ¿
----
if [ -f x ]; then source nowhere; fi; export A=1; prog; A=2; prog; f; prog
=>
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: f {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
export A=1; source nowhere; B=2; export C=3; prog; unset C; prog; myfunc; export D=1; prog; python x; ls; D=2; prog
=>
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: myfunc {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: python x {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: ls {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
export A=1; source nowhere; source nowhere2; prog
=>
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
missing: nowhere2 launch 1
----
f() { prog f; }; source nowhere; f a; prog
=>
1: f a {others unknown, since run.sh:1:1 runs nowhere, which is not known} # run.sh:1:1: the function f is not known
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
set -e; source nowhere; false; prog a
=>
1: prog a {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
export A=1; f() { local A=2; source nowhere; prog; }; f; prog
=>
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
f() { local A=2; [ -f x ] && local B=1; [ -f x ] && return; prog; }; export A=1 B=0; f; prog
=>
1: prog {A=2@1, B=¿@1} # run.sh:1:1: runs after && only
1: prog {A=1@1, B=0@1}
----
f() { if [ -f x ]; then local A=2; else local A=3; fi; prog $A; }; A=1; f; prog $A
=>
1: prog ¿
1: prog 1
----
f() { if [ -f x ]; then local A=2; fi; prog $A; }; A=1; f; prog $A; g() { if [ -f x ]; then local N; N=7; fi; prog "$N"; }; g; prog "$N"
=>
1: prog ¿
1: prog 1
1: prog ¿
1: prog ''
----
f() { [ -f x ] && exit 1; prog in; }; f; prog out; (f; prog sub); prog end
=>
1: prog in
1: prog out
1: prog in # run.sh:1:1: runs after && only
1: prog sub # run.sh:1:1: runs after && only
1: prog end
----
[ -f x ] && { prog a; exit 1; }; prog b; [ -f y ] && { ls; exit 1; }; prog c; [ -f z ] || { echo no; exit 1; }; prog d
=>
1: prog a # run.sh:1:1: runs after && only
1: prog b # run.sh:1 may end the script before
1: ls # run.sh:1:1: runs after && only; run.sh:1 may end the script before
1: prog c # run.sh:1 may end the script before
1: prog d # run.sh:1 may end the script before
----
for i in 1 2; do [ -f x ] && { prog a; exit; }; prog b; done; prog c
=>
1: prog a # run.sh:1:1: runs after && only
1: prog b # run.sh:1 may end the script before
1: prog a # run.sh:1:1: runs after && only; run.sh:1 may end the script before
1: prog b # run.sh:1 may end the script before
1: prog c # run.sh:1 may end the script before
----
f() { [ -f x ] && { prog a; return; }; prog b; }; f; prog c
=>
1: prog a # run.sh:1:1: runs after && only
1: prog b # run.sh:1:1: runs after && only
1: prog c
----
prog a && prog b; prog a || prog b; prog a && prog b || prog c; mkdir d && prog e; mkdir d || prog f; mkdir d && prog e || prog g; [ -f x ] && mkdir d && prog h
=>
1: prog a
1: prog b # run.sh:1:1: runs after && only
1: prog a
1: prog b # run.sh:1:1: runs after || only
1: prog a
1: prog b # run.sh:1:1: runs after && only
1: prog c # run.sh:1:1: runs after || only
1: mkdir d
1: prog e
1: mkdir d
1: prog f # run.sh:1:1: runs after || only
1: mkdir d
1: prog e # run.sh:1:1: runs after && only
1: prog g # run.sh:1:1: runs after || only
1: mkdir d # run.sh:1:1: runs after && only
1: prog h # run.sh:1:1: runs after && only
----
python a && prog b; python a || exit 1; prog c; python a && python b && prog d; other && prog x; other || prog y; ls && prog z
=>
1: python a
1: prog b
1: python a
1: prog c
1: python a
1: python b
1: prog d # run.sh:1:1: runs after && only
1: other
1: prog x # run.sh:1:1: runs after && only
1: other
1: prog y # run.sh:1:1: runs after || only
1: ls
1: prog z # run.sh:1:1: runs after && only
----
! prog a && prog b; ! true; prog $?; ! false; prog $?; ! [ -f x ]; prog $?; ! mkdir d && prog c; ! exit 3; prog d
=>
1: prog a
1: prog b # run.sh:1:1: runs after && only
1: prog 1
1: prog 0
1: prog ¿
1: mkdir d
1: prog c # run.sh:1:1: runs after && only
----
mkdir d | prog a && prog b; ls | mkdir d && prog c; prog x | python y && prog d; true | mkdir e && prog e; mkdir d | cat && prog f
=>
1: mkdir d
1: prog a
1: prog b # run.sh:1:1: runs after && only
1: ls
1: mkdir d
1: prog c
1: prog x
1: python y
1: prog d
1: mkdir e
1: prog e
1: mkdir d
1: cat files -:''
1: prog f
----
prog a &
prog b; (prog c; prog d) & wait; { prog e; } & prog $?; A=1 & prog "$A"; exit 3 & prog f; false & prog $?
=>
1: prog a &
2: prog b
2: prog c &
2: prog d &
2: prog e &
2: prog 0
2: prog ''
2: prog f
2: prog 0
----
true && A=1 &
prog "$A"
=>
2: prog ''
----
coproc prog a; prog $? "$COPROC"
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
time prog a; time; prog $?; time -p prog b && prog c; { prog d; prog e; } > f; { echo x; A=2; } > g; prog $A "$(cat g)"
=>
1: prog a
1: time
1: prog ¿
1: prog b
1: prog c # run.sh:1:1: runs after && only
1: prog d files f:¿
1: prog e files f:¿
1: cat g files f:¿ g:'x\n'
1: prog 2 x files f:¿ g:'x\n'
----
(cd a; export B=1; prog; echo x > f; exit 3); prog $?; (echo y); X=$(echo a; (echo b); echo c); prog "$X"; (exit); prog $?; (true); prog $?
=>
1: prog in a {B=1@1}
1: prog 3 files a/f:'x\n'
1: prog 'a\nb\nc' files a/f:'x\n'
1: prog ¿ files a/f:'x\n'
1: prog 0 files a/f:'x\n'
----
((2)); prog $?; ((0)); prog $?; ((X)); prog $?; N=$(nproc); ((N)); prog $?; ((N > 1)) && prog a; ((1)) && prog b; ((0)) || prog c; let A=1; prog $?; let A=0; prog $?; let A=1 B=0 C=2; prog $? $A$B$C; let N=N+1; prog $?; let A=$N; prog $?
=>
1: prog 0
1: prog 1
1: prog 1
1: nproc
1: prog ¿
1: prog a # run.sh:1:1: runs after && only
1: prog b
1: prog c
1: prog 0
1: prog 1
1: prog 0 102
1: prog ¿
1: prog ¿
----
[[ a == a ]]; prog $?; [[ a == b ]]; prog $?; [[ -f x ]]; prog $?; [[ -f x ]] && prog a; [[ ab =~ b ]] && prog "${BASH_REMATCH[0]}"; [[ -n a ]] && prog c
=>
1: prog 0
1: prog 1
1: prog ¿
1: prog a # run.sh:1:1: runs after && only
1: prog ¿
1: prog c
----
BASH_REMATCH=1; [[ a ]]; prog "$BASH_REMATCH"; true; prog "$BASH_REMATCH"
=>
1: prog ¿
1: prog ¿
----
case a in a) prog 1;; a) prog 2;; esac; case $(nproc) in 1) prog 1;; 2) prog 2;; *) prog 3;; esac; prog $?; case a in b) prog no;; esac; prog $?; case a in a) false;; esac; prog $?
=>
1: prog 1
1: nproc
1: prog 1 # run.sh:1:1: in a branch of case
1: prog 2 # run.sh:1:1: in a branch of case
1: prog 3 # run.sh:1:1: in a branch of case
1: prog ¿
1: prog 0
1: prog 1
----
A=$(nproc); case $A in 1) export B=1;; 2) export B=2;; *) export B=3;; esac; prog; case $A in 1) export B=4;; *) export B=4;; esac; prog; case $A in 1) export C=1;; esac; prog $?
=>
1: nproc
1: prog {B=¿@1}
1: prog {B=4@1}
1: prog 0 {B=4@1, C=¿@1}
----
A=$(nproc); case $A in 1) exit 1;; *) prog a;; esac; prog b; case $A in 1) prog c; exit 1;; esac; prog d; case $A in *) prog e;; 2) prog f;; esac
=>
1: nproc
1: prog a # run.sh:1:1: in a branch of case
1: prog b
1: prog c # run.sh:1:1: in a branch of case
1: prog d # run.sh:1 may end the script before
1: prog e # run.sh:1 may end the script before
----
A=$(nproc); case $A in 1) prog 1;& 2) prog 2;; 3) prog 3;;& 4) prog 4;; *) prog 5;& x) prog 6;; esac; case a in a) prog 1;& b) prog 2;& esac; case a in a) prog 1;;& b) prog 2;;& *) prog 3;;& esac; prog $?
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
A=x$(nproc); case $A in y*) prog 1;; z) prog 2;; x) prog 3;; x1) prog 4;; [x]*) prog 5;; esac; case "" in "") prog 6;; esac; case $A in) prog 7;; esac
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
case a in @(a)) prog 1;; *) prog 2;; esac; case a in [[:alpha:]]) prog 3;; a) prog 4;; esac; case a in b|a) prog 5;; esac; case $(nproc) in 1|*) prog 6;; esac
=>
1: prog 1 # run.sh:1:1: in a branch of case
1: prog 2 # run.sh:1:1: in a branch of case
1: prog 3 # run.sh:1:1: in a branch of case
1: prog 4 # run.sh:1:1: in a branch of case
1: prog 5
1: nproc
1: prog 6
----
case $(nproc) in 1) A=1;;& *) A=2;; esac; prog $A; case $(nproc) in 1) exit;;& 2) prog x;; esac; prog y
=>
1: nproc
1: prog 2
1: nproc
1: prog x # run.sh:1:1: in a branch of case
1: prog y
----
f() { prog $# "$@"; A=1; }; f; f a 'b c'; prog $A "$@"; f $(ls); f "$(nproc)" x
=>
1: prog 0
1: prog 2 a 'b c'
1: prog 1
1: ls
1: prog ¿ …
1: nproc
1: prog 2 ¿ x
----
f() { f; }; f; prog a
=>
1: f # run.sh:1:1: the function f is not known
1: prog a {others unknown, since run.sh:1:1: the function f is not known}
----
f() { prog a; exit 2; }; f; prog b
=>
1: prog a
----
set -e; f() { false; prog no; }; if f; then prog a; fi; f || prog b; ! f; prog c; f; prog d
=>
1: prog no
1: prog a # run.sh:1:1: in a branch of if
1: prog no
1: prog b # run.sh:1:1: runs after || only
1: prog no
1: prog c
----
set -e; (false); prog a
=>

----
set -e; (false; prog x) || prog a; X=$(false); prog b
=>
1: prog x
1: prog a # run.sh:1:1: runs after || only
after: nothing set
----
set -e; let 0; prog a
=>

----
set -e; ((0)); prog a
=>

----
set -e; [[ a == b ]]; prog a
=>

----
set -e; export A=$(false); prog a; declare 1 2>/dev/null; [ -f x ]; prog b; false || false; prog c
=>
1: prog a {A=''@1}
1: prog b {A=''@1}
----
set -e; while false; do :; done; if false; then :; fi; for i in; do :; done; prog a; { false; }; prog b
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
set -e; [ -f x ] && false; prog a; false | true; prog b; true | false; prog c
=>
1: prog a
1: prog b
----
set -e; true && false; prog a
=>

----
set -e; { true && false; prog a; }; prog b
=>

----
set -e; prog && false || true; ls; python x; prog b
=>
1: prog
1: ls
1: python x
1: prog b
----
let; prog $?; X=$(truncate -s 0 f); prog "$X"
=>
1: prog ¿
1: truncate -s 0 f
1: prog '' files 0:¿ f:¿
----
A=$(nproc); case $A in 1) prog 1
;& 2) prog 2;; 3) prog 3;; *) prog 5
;& x) prog 6;; esac
case a in a) prog 1
;& b) prog 2
;& esac
=>
1: nproc
1: prog 1 # run.sh:1:1: in a branch of case
2: prog 2 # run.sh:1:1: in a branch of case
2: prog 2 # run.sh:1:1: in a branch of case
2: prog 3 # run.sh:1:1: in a branch of case
2: prog 5 # run.sh:1:1: in a branch of case
3: prog 6 # run.sh:1:1: in a branch of case
after: {others unknown, since run.sh:4:1: a syntax error}
incomplete: run.sh:4:1: a syntax error
----
case a in a) prog 1
;;& b) prog 2
;;& *) prog 3
;;& esac; prog $?
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
case $(nproc) in 1) A=1
;& 2) B=2
;& 3) C=3;; 4) D=4;; esac; prog "$A" "$B" "$C" "$D"
=>
1: nproc
3: prog ¿ ¿ ¿ ¿
----
case $(nproc) in a) exit
;;& b) exit
;;& *) prog; esac; case x in *) exit
;;& x) prog no; esac; prog no
=>
1: nproc
3: prog
4: prog no
4: prog no
----
case $(nproc) in a) exit;; b) exit;; *) exit;; esac; prog no
=>
1: nproc
----
case $(nproc) in a) prog 1; A=1;; *) prog 2; A=2;; esac; prog "$A"; case a$(nproc) in b*) prog 3;; ab) prog 4;; esac; case $(nproc) in ab) prog 5;; "") prog 6;; esac
=>
1: nproc
1: prog 1 # run.sh:1:1: in a branch of case
1: prog 2 # run.sh:1:1: in a branch of case
1: prog ¿
1: nproc
1: prog 3 # run.sh:1:1: in a branch of case
1: prog 4 # run.sh:1:1: in a branch of case
1: nproc
1: prog 5 # run.sh:1:1: in a branch of case
----
if ls; then exit; else exit; fi; prog no
=>
1: ls
----
if ls; then prog a; elif mkdir x; then prog b; elif true; then prog c; else prog d; fi; if false; then prog no; elif ls; then prog e; else prog f; fi
=>
1: ls
1: prog a # run.sh:1:1: in a branch of if
1: mkdir x # run.sh:1:1: in a branch of if
1: prog b # run.sh:1:1: in a branch of if
1: prog c # run.sh:1:1: in a branch of if
1: ls
1: prog e # run.sh:1:1: in a branch of if
1: prog f # run.sh:1:1: in a branch of if
----
if true; then prog a; false; fi; prog $?; if exit; then prog no; fi; prog no
=>
1: prog a
1: prog 1
----
{ prog; exit; } > f; prog no
=>
1: prog files f:¿
----
(exit 1) || { echo x > f; exit 3; } > g; prog no
=>
files: g:¿ f:'x\n'
----
f() { echo x; [ -f y ] && { echo b; return 3; } ; echo z; } > out; f; prog $?; f > g; prog
=>
1: prog ¿ files out:¿
1: prog files out:¿ g:¿
----
exit > f
=>
files: f:¿
----
ls && exit; prog a; ls || exit; prog b; ls && exit || prog c; mkdir q || exit 3; prog d; ls && { prog e; exit; } || { prog f; exit; }; prog no
=>
1: ls
1: prog a
1: ls
1: prog b
1: ls
1: prog c # run.sh:1:1: runs after || only
1: mkdir q
1: prog d
1: ls
1: prog e # run.sh:1:1: runs after && only
1: prog f # run.sh:1:1: runs after || only; run.sh:1 may end the script before
1: prog no # run.sh:1 may end the script before
----
python x && exit; prog a
=>
1: python x
1: prog a
----
prog x | exit; prog $?; exit | prog y; prog $?; set -o pipefail; ls | exit 3; prog $?; exit 4 | true; prog $?; ls | true; prog $?; false | ls; prog $?; false | false; prog $?; (exit 5) | (exit 6); prog $?
=>
1: prog x
1: prog 0
1: prog y
1: prog ¿
1: ls
1: prog 3
1: prog 4
1: ls
1: prog ¿
1: ls files -:''
1: prog ¿
1: prog 1
1: prog 6
----
X=$(echo a; exit; echo b); prog "$X"; X=$(exit 3); prog $?; X=$(ls) ; prog $?; X=$(mkdir a) && prog b; X=$(); prog $? "$X"; X=$(< f) && prog c; prog "$X"; echo q > f; X=$(< f); prog "$X" $?
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
cat <(prog a; echo x) > >(prog b); prog c; diff <(exit 3) <(ls); prog d
=>
1: prog b
1: prog a
1: cat ¿
1: prog c
1: ls
1: diff ¿ ¿
1: prog d
----
! { ls; exit; }; prog no
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
! ls && prog a; ! python x || prog b; ! { true; }; prog $?; ! (exit 3); prog $?; ! ls; prog $?
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
f() { local A=1; A=2 g; prog "$A"; }; g() { prog "$A"; exit 2; }; (f); prog $?; (A=3 g; prog no); prog "$A"
=>
1: prog 2 {A=2@1}
1: prog 2
1: prog 3 {A=3@1}
1: prog ''
----
f() { shift; prog "$@"; set -- z; }; set -- p q; f a b; prog "$@"; f() { prog "$BASH_SOURCE" "$0"; }; f
=>
1: prog b
1: prog p q
1: prog ¿ ¿
----
f() ( prog sub; A=1; exit 4 ); f; prog $? "$A"; f() { prog "$1"; [ "$1" = 3 ] || f $(($1 + 1)); }; f 1; f() if true; then prog if; fi; f
=>
1: prog sub
1: prog 4 ''
1: prog 1
1: prog 2
1: prog 3
1: prog if
----
f() { prog x; } > f.log; f; prog y; f 2> e; f < in
=>
1: prog x files f.log:¿
1: prog y files f.log:¿
1: prog x files f.log:¿ e:¿
1: prog x files f.log:¿ e:¿
----
set -e; f() { false; prog in; }; if f; then :; fi; f && prog a; (f) || prog b; ! f; { f; } || prog c; while f; do break; done; prog d; (f); prog no
=>
1: prog in
1: prog in
1: prog a # run.sh:1:1: runs after && only
1: prog in
1: prog b # run.sh:1:1: runs after || only
1: prog in
1: prog in
1: prog c # run.sh:1:1: runs after || only
1: prog in # run.sh:1:1: in a loop
1: prog in # run.sh:1:1: in a loop
1: prog d
----
set -e; A=$(false; echo x) || true; prog "$A"; echo $(false); prog a; true | (false; prog no) || prog b; false & prog c; eval false; prog no
=>
1: prog x
1: prog a
1: prog no
1: prog b # run.sh:1:1: runs after || only
1: prog c
----
set -e; ls; [ -f x ]; python y; prog a; exec 3>&1; cd nowhere; prog b; [[ -f y ]]; prog c; ((N=$(nproc))); prog d; let N=0 || prog e; (ls); prog f; ls | cat; prog g
=>
1: ls
1: python y
1: prog a
1: prog b in nowhere
1: prog c in nowhere
1: nproc in nowhere
1: prog d in nowhere
1: prog e in nowhere
1: ls in nowhere
1: prog f in nowhere
1: ls in nowhere
1: cat in nowhere files -:¿
1: prog g in nowhere
----
if [ -f x ]; then set -e; else set +e; fi; (false); prog a; false || prog b; export A=1; [ 1 = 2 ]; prog $A
=>
1: prog a
1: prog b
1: prog 1 {A=1@1}
after: {A=¿@1}
----
export A=1; f() { [ -f x ] && A=2; [ -f y ] && cd s; [ -f z ] && set -- n; }; f a; prog "$@"; f() { local A=3; [ -f x ] && return 1; local B=4; }; f; prog $? $A $B
=>
1: prog in ¿ {A=¿@1}
1: prog ¿ ¿ in ¿ {A=¿@1}
----
A=1 B=2; if [ -f x ]; then A=2; B=2; fi; prog $A $B; export A; if [ -f x ]; then export B; fi; prog; if [ -f x ]; then readonly A; fi; A=7; prog $A
=>
1: prog ¿ 2
1: prog {A=¿@1, B=¿@1}
1: prog … {A=¿@1, B=¿@1}
----
if [ -f x ]; then pushd a; else cd a; fi; cd -; prog; cd /r; if [ -f x ]; then cd /p; else cd /p; fi; cd -; prog; if [ -f y ]; then cd /q; cd /p; fi; cd -; prog
=>
1: prog in a
1: prog in /r
1: prog in ¿
----
if [ -f x ]; then source a.sh; fi; f; python a; if [ -f x ]; then :; else source b.sh; fi; export A=1; python b; g; python c
=>
1: f {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python a {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python b {A=1@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: g {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python c {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
missing: b.sh launch 1
----
if [ -f x ]; then echo a; true; else false; fi && prog a; if [ -f x ]; then mkdir a; else mkdir b; fi && prog b; if [ -f x ]; then python a; else mkdir b; fi && prog c; if [ -f x ]; then mkdir a; else ls; fi && prog d
=>
1: prog a # run.sh:1:1: runs after && only
1: mkdir a # run.sh:1:1: in a branch of if
1: mkdir b # run.sh:1:1: in a branch of if
1: prog b
1: python a # run.sh:1:1: in a branch of if
1: mkdir b # run.sh:1:1: in a branch of if
1: prog c
1: mkdir a # run.sh:1:1: in a branch of if
1: ls # run.sh:1:1: in a branch of if
1: prog d # run.sh:1:1: runs after && only
----
echo in | if [ -f x ]; then cat; else cat; fi > f; prog; echo in | { if [ -f x ]; then read A < g; fi; cat > h; }; prog
=>
1: cat files f:¿ -:'in\n' # run.sh:1:1: in a branch of if
1: cat files f:¿ -:'in\n' # run.sh:1:1: in a branch of if
1: prog files f:'in\n'
1: cat files f:'in\n' h:¿ -:'in\n'
1: prog files f:'in\n' h:'in\n'
----
echo a 2> f; echo b 1> g; echo c 2>&1 > h; { echo d > i; echo e; } > i; { echo f; ls; } > j; ls > k; cat < g > l; { cat; } < g; prog; cat g 2> m > n; echo o >> g; echo p >> none; echo q &> r; echo s &>> r; prog
=>
1: ls files f:¿ g:'b\n' h:'c\n' i:¿ j:¿
1: ls files f:¿ g:'b\n' h:'c\n' i:¿ j:¿ k:¿
1: cat files f:¿ g:'b\n' h:'c\n' i:¿ j:¿ k:¿ l:¿ -:'b\n'
1: cat files f:¿ g:'b\n' h:'c\n' i:¿ j:¿ k:¿ l:'b\n' -:'b\n'
1: prog files f:¿ g:'b\n' h:'c\n' i:¿ j:¿ k:¿ l:'b\n'
1: cat g files f:¿ g:'b\n' h:'c\n' i:¿ j:¿ k:¿ l:'b\n' m:¿ n:¿
1: prog files f:¿ g:'b\no\n' h:'c\n' i:¿ j:¿ k:¿ l:'b\n' m:¿ n:'b\n' none:¿ r:'q\ns\n'
----
echo a > $(nproc); echo b > f; prog; echo c > $(ls); prog; echo d > /dev/null; echo e > /dev/stderr; { echo f; } > "$(nproc)"; prog; prog > f < f
=>
1: nproc
1: prog files f:'b\n'
1: ls files f:'b\n'
1: prog files f:¿ ¿:¿
1: nproc files f:¿ ¿:¿
1: prog files f:¿ ¿:¿
1: prog files f:¿ ¿:¿
----
f() { if [ -f x ]; then :; else local A=2; fi; prog "$A"; }; A=1; f; prog "$A"; g() { if [ -f x ]; then local B=1; else local C=2; fi; prog "$B" "$C"; }; export C=3; g; prog "$B" "$C"; h() { local A=5; if [ -f x ]; then local B=6; fi; }; h; prog $A
=>
1: prog ¿
1: prog 1
1: prog ¿ ¿ {C=¿@1}
1: prog '' 3 {C=3@1}
1: prog 1 {C=3@1}
----
case b in a) prog 1;; b) prog 2;; esac; case c in a) prog 3;; b) prog 4;; c) prog 5;; esac; (: ${Z:?}; prog no); prog $?; X=$(echo "${Z:?x}"); prog $? "$X"; : "${Z:?}"; prog no
=>
1: prog 2
1: prog 5
1: prog 1
1: prog 1 ''
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_which_programs_a_statement_starts(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
