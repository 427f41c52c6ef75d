"""What the builtin commands of the shell change, print and return."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
trap x EXIT; prog $?; wait; prog $?; type ls; prog $?; hash -r; prog $?; kill 1; prog $?; umask 022 && prog a
=>
1: prog 0
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog a
----
alias a=b && prog 1; ulimit -c 0 && prog 3; umask 022 && prog 4; shopt -s nullglob && prog 5; times > t && prog 6
=>
1: prog 1
1: prog 3
1: prog 4
1: prog 5
1: prog 6 files t:¿ # run.sh:1:1: runs after && only
----
X=$(jobs); Y=$(times); Z=$(type ls); prog "$X" "$Y" "$Z"; X=$(history); Y=$(help); Z=$(dirs); prog "$X" "$Y" "$Z"; X=$(umask); Y=$(alias); prog "$X" "$Y"
=>
1: prog ¿ ¿ ¿
1: prog ¿ ¿ ¿
1: prog ¿ ¿
----
:; prog $?; :; true && prog a; true; prog $?; false; prog $?; false || prog b; false && prog c
=>
1: prog 0
1: prog a
1: prog 0
1: prog 1
1: prog b
----
export A=1 B='x y' C D+=2; prog $?; export A B=2 && prog $A $B; unset A; prog
=>
1: prog 0 {A=1@1, B='x y'@1, D=2@1}
1: prog 1 2 {A=1@1, B=2@1, D=2@1}
1: prog {B=2@1, D=2@1}
----
X=$(export -p); prog "$X"; X=$(declare -f); prog "$X"; X=$(declare -F); prog "$X"; X=$(declare -x Z); prog "$X"
=>
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ''
----
local A=1; prog $? "$A"; local A=1 || prog b; builtin local B=1; prog $? "$B"; command local B=1 && prog c
=>
1: prog 1 ''
1: prog b
1: prog 1 ''
----
f() { local A=1 B; prog "$A" "$B"; export A; prog; local A; prog "$A"; declare C=2; declare -g D=4; prog "$C$D"; }; A=0; f; prog "$A" "$B" "$C" "$D"
=>
1: prog 1 ''
1: prog {A=1@1}
1: prog 1 {A=1@1}
1: prog 24 {A=1@1}
1: prog 0 '' '' 4
----
f() { builtin local A=1; prog "$A"; builtin declare B=2; builtin typeset T=3; prog "$B$T"; }; A=0; f; prog "$A" "$B" "$T"
=>
1: prog 1
1: prog 23
1: prog 0 '' ''
----
f() { typeset A=1; readonly B=2; export E=3; prog "$A" "$B"; }; f; prog "$A" "$B" "$E"
=>
1: prog 1 2 {E=3@1}
1: prog '' 2 3 {E=3@1}
----
A=1; B=2; export A B; unset A; prog "$A"; unset -v B; prog "${B-unset}"; C=(x y); unset C[0]; prog "${C[@]}"; unset 'C[1]' C; prog "${C-gone}"
=>
1: prog '' {B=2@1}
1: prog unset
1: prog …
1: prog gone
----
f() { prog f; }; f=1; unset f; f; unset f; f; f() { prog g; }; unset -f f; f; g() { prog h; }; unset -v g; g; unset -f none; unset none; prog $?
=>
1: prog f
1: f
1: f
1: prog h
1: prog 0
----
export A=1; X=$(nproc); unset $X; prog $?; export B=2; prog
=>
1: nproc {A=1@1}
1: prog 0 {others unknown, since run.sh:1:1: unset of names that are not known}
1: prog {others unknown, since run.sh:1:1: unset of names that are not known}
----
set -e; prog a; set +e; false; prog b; set -o errexit; set +o errexit; false; prog c; set -ex; false; prog d
=>
1: prog a
1: prog b
1: prog c
----
set -o errexit; false; prog d
=>

----
set -a; A=1; set +a; B=2; prog; set -o allexport; C=3; set +o allexport; D=4; prog
=>
1: prog {A=1@1}
1: prog {A=1@1, C=3@1}
----
set -f; prog *.py; set +f; prog *.py; set -o noglob; prog *.sh; set +o noglob; prog *.sh
=>
1: prog *.py
1: prog …
1: prog *.sh
1: prog …
----
set -o pipefail; false | true; prog $?; set +o pipefail; false | true; prog $?
=>
1: prog 1
1: prog 0
----
set -eo pipefail; false | true; prog a
=>

----
set -xo nounset -e; false; prog a
=>

----
set -- a b; prog $# "$@"; set - c; prog "$@"; set d e; prog "$@"; set -x f g; prog "$@"; set --; prog $#; set -e -- h; prog "$@"; set +e i; prog "$@"
=>
1: prog 2 a b
1: prog c
1: prog d e
1: prog f g
1: prog 0
1: prog h
1: prog i
----
set -- a b c d; shift; prog "$@"; shift 2; prog $? "$@"; shift 0; prog $? "$@"; shift 2; prog $? "$@"; shift 1; prog $? $#
=>
1: prog b c d
1: prog 0 d
1: prog 0 d
1: prog 1 d
1: prog 0 0
----
set -- a b; X=$(nproc); shift $X; prog $? "$@"
=>
1: nproc
1: prog ¿ …
----
set -- a $(ls) c; shift; prog "$@"; shift; prog "$@"
=>
1: ls
1: prog … c
1: prog …
----
set -- a b $(ls) c; shift 2; prog "$@"
=>
1: ls
1: prog … c
----
set -- a b; set $(nproc); prog "$@"
=>
1: nproc
1: prog …
----
set -- a b; set -$(nproc); prog "$@"; false; prog c; Z=1; prog *.py
=>
1: nproc
1: prog …
1: prog c
1: prog … {Z=¿@1}
----
cd a; prog; cd b; prog; cd ..; prog; cd ./; prog; cd -; prog; cd -P /x//y/; prog; cd -L -- ../z; prog; cd $(nproc); prog; cd w; prog; cd /v; prog
=>
1: prog in a
1: prog in a/b
1: prog in a
1: prog in a
1: prog in a/a
1: prog in /x/y
1: prog in /x/z
1: nproc in /x/z
1: prog in ¿
1: prog in ¿
1: prog in /v
----
X=$(cd -); prog "$X"; X=$(cd a); prog "$X"; X=$(pushd a); prog "$X"; X=$(popd); prog "$X"
=>
1: prog ¿
1: prog ''
1: prog ¿
1: prog ¿
----
cd a && prog $?; cd a b; prog
=>
1: prog ¿ in a
1: prog in ¿
----
HOME=/h; cd; prog; HOME=(); cd; prog; unset HOME; cd /; cd; prog
=>
1: prog in /h
1: prog in ¿
1: prog in ¿
----
cd /a; X=$(pwd); prog "$X"; pushd b; prog "$(pwd)"; popd; prog; pushd /c; prog
=>
1: prog /a in /a
1: prog /a/b in /a/b
1: prog in ¿
1: prog in /c
----
cd sub; X=$(pwd); prog "$X" --y=$X; cd ..; prog $(pwd)
=>
1: prog ¿ --y=¿ in sub
1: prog ¿
----
eval; prog $?; eval "  " && prog a; eval 'A=1;' 'prog $A' '$A'; eval "exit 3"; prog b
=>
1: prog 0
1: prog a
1: prog 1 1
----
eval "$(nproc)"; prog $?
=>
1: nproc
1: ¿
1: prog ¿
----
cd a; export A=1; eval "B=2; prog $(nproc)"; prog
=>
1: nproc in a {A=1@1}
1: prog ¿ in a {A=1@1}
1: prog in a {A=1@1}
----
export A=1; f() { prog f; }; eval "$(nproc)"; f; g; prog
=>
1: nproc {A=1@1}
1: ¿ {A=1@1}
1: prog f {A=1@1}
1: g {A=1@1}
1: prog {A=1@1}
----
exec prog a; prog b
=>
1: prog a
----
exec -c prog a; prog b
=>
1: prog a
----
exec -a x -l prog a; prog b
=>
1: prog a
----
f() { exec prog a; }; f; prog b
=>
1: prog a
----
(exec prog a; prog b); prog $?
=>
1: prog a
1: prog ¿
----
exec > log; prog $?; exec && prog b
=>
1: prog 0 files log:''
1: prog b files log:''
----
exec exit; prog
=>
1: exit
----
(exit 3); prog $?; (exit 256); prog $?; (exit 1000); prog $?; (exit 9999); prog $?; (exit -1); prog $?; (false; exit); prog $?; (exit 12345); prog $?
=>
1: prog 3
1: prog 0
1: prog 232
1: prog 15
1: prog ¿
1: prog 1
1: prog ¿
----
f() { return $1; prog no; }; f 4; prog $?; f 300; prog $?; f x; prog $?; f $(nproc); prog $?
=>
1: prog 4
1: prog 44
1: prog ¿
1: nproc
1: prog ¿
----
return 3; prog $?; f() { false; return; }; f; prog $?
=>
1: prog 2
1: prog 1
----
return && prog a || prog b
=>
1: prog b
----
cat > s.sh <<'E'
prog in; return 5; prog no
E
source ./s.sh; prog $?; . s.sh && prog no; source -- s.sh || prog yes
=>
1: cat files s.sh:¿ -:'prog in; return 5; prog no\n'
./s.sh:1: prog in files s.sh:'prog in; return 5; prog no\n'
4: prog 5 files s.sh:'prog in; return 5; prog no\n'
s.sh:1: prog in files s.sh:'prog in; return 5; prog no\n'
s.sh:1: prog in files s.sh:'prog in; return 5; prog no\n'
4: prog yes files s.sh:'prog in; return 5; prog no\n'
----
cat > s.sh <<'E'
prog "$@" $#; A=1; shift; set -- n; cd /
E
set -- p q; source s.sh x y; prog "$@" $A; cd /w; source s.sh; prog "$@"
=>
1: cat files s.sh:¿ -:'prog "$@" $#; A=1; shift; set -- n; cd /\n'
s.sh:1: prog x y 2 files s.sh:'prog "$@" $#; A=1; shift; set -- n; cd /\n'
4: prog n 1 in / files s.sh:'prog "$@" $#; A=1; shift; set -- n; cd /\n'
4: prog n in /w {others unknown, since run.sh:4:1 runs s.sh, which is not known} files s.sh:'prog "$@" $#; A=1; shift; set -- n; cd /\n'
missing: s.sh launch 4
----
for i in 1 2 3; do break; prog no; done; prog $?; for i in 1 2; do continue 1; prog no; done; prog $? $i; break; prog $?; continue 2 && prog x
=>
1: prog 0
1: prog 0 2
1: prog 0
1: prog x
----
for i in 1 2; do for j in 1 2; do prog $i$j; break 2; done; done; for i in 1 2; do for j in 1 2; do prog $i$j; continue 2; done; prog no; done
=>
1: prog 11
1: prog 11
1: prog 21
----
for i in 1 2; do for j in 1 2; do prog $i$j; break 1; done; done; for i in 1 2; do for j in 1 2; do prog $i$j; break 3; done; done; prog $i$j
=>
1: prog 11
1: prog 21
1: prog 11
1: prog 11
----
f() { break; prog in; }; for i in 1 2; do f; prog $i; done
=>
1: prog in
1: prog 1
1: prog in
1: prog 2
----
for i in 1 2; do (break; prog in); prog $i; done
=>
1: prog in
1: prog 1
1: prog in
1: prog 2
----
for i in 1 2; do [ $X ] && break; prog $i; done; X=$(nproc); for i in 1 2; do [ $X = 1 ] && break; prog $i; done; prog end
=>
1: prog 1
1: prog 2
1: nproc
1: prog 1 # run.sh:1:1: runs after && only
1: prog 2 # run.sh:1:1: the loop may end before; run.sh:1:1: runs after && only
1: prog end
----
X=$(nproc); for i in 1 2; do [ $X = 1 ] && continue; prog $i; done; prog end
=>
1: nproc
1: prog 1 # run.sh:1:1: runs after && only
1: prog 2 # run.sh:1:1: runs after && only
1: prog end
----
X=$(nproc); for i in 1 2; do for j in 1 2; do [ $X = 1 ] && continue 2; prog $i $j; done; prog j; done; prog end
=>
1: nproc
1: prog 1 1 # run.sh:1:1: runs after && only
1: prog 1 2 # run.sh:1:1: runs after && only
1: prog j # run.sh:1:1: runs after && only
1: prog 2 1 # run.sh:1:1: runs after && only
1: prog 2 2 # run.sh:1:1: runs after && only
1: prog j # run.sh:1:1: runs after && only
1: prog end
----
X=$(nproc); for i in 1 2; do for j in 1 2; do [ $X = 1 ] && break 2; prog $i $j; done; prog j; done; prog end
=>
1: nproc
1: prog 1 1 # run.sh:1:1: runs after && only
1: prog 1 2 # run.sh:1:1: runs after && only
1: prog j # run.sh:1:1: runs after && only
1: prog 2 1 # run.sh:1:1: the loop may end before; run.sh:1:1: runs after && only
1: prog 2 2 # run.sh:1:1: the loop may end before; run.sh:1:1: runs after && only
1: prog j # run.sh:1:1: the loop may end before; run.sh:1:1: runs after && only
1: prog end
----
read A; prog "$A" $?; read -r B C; prog "$B" "$C"; read; prog "$REPLY"; read -p text D; prog "$D" "${text-u}"; read -rp text -t 5 E; prog "$E" "${text-u}"
=>
1: prog ¿ ¿
1: prog ¿ ¿
1: prog ¿
1: prog ¿ u
1: prog ¿ u
----
read -d x -i y -n 1 -N 2 -u 3 A; prog "$A" "${x-u}"; read -ra L; prog "${L[@]}"; read -a M; prog "${M[@]}"; read -s P; prog "$P"; read -er Q && prog
=>
1: prog ¿ u
1: prog …
1: prog …
1: prog ¿
1: prog # run.sh:1:1: runs after && only
----
export A=1; X=$(nproc); read $X; prog; read B-C; prog $?
=>
1: nproc {A=1@1}
1: prog {others unknown, since run.sh:1:1: read into names that are not known}
1: prog ¿ {others unknown, since run.sh:1:1: read into names that are not known}
----
mapfile; prog "${MAPFILE[@]}"; mapfile -t; prog "${MAPFILE[@]}"; mapfile A; prog "${A[@]}"; readarray -t B && prog "${B[@]}" $?; mapfile -t $(nproc); prog
=>
1: prog …
1: prog …
1: prog …
1: prog … 0
1: nproc
1: prog {others unknown, since run.sh:1:1: mapfile into a name that is not known}
----
export MAPFILE=1; mapfile -t L; prog "$MAPFILE"
=>
1: prog 1 {MAPFILE=1@1}
----
getopts ab o; prog $? "$o"; getopts ab; prog $? "$opt"; set -- x; getopts ab o; prog $? "$o"; OPTIND=1; set -- -a; getopts ab o; prog $? "$o" "$OPTARG" "$OPTIND"
=>
1: prog 1 ?
1: prog ¿ ¿
1: prog 1 ?
1: prog ¿ ¿ ¿ ¿
----
set -- -a; getopts a: o && prog $o; getopts a o x; prog $? $o; set -- $(nproc); getopts a o; prog $? $o
=>
1: prog … # run.sh:1:1: runs after && only
1: prog ¿ …
1: nproc
1: prog ¿ …
----
test a; prog $?; test; prog $?; [ a ]; prog $?; [ a; prog $?; [; prog $?; [ ]; prog $?; [ -f x ]; prog $?; test a = ]; prog $?; [ "$(nproc)" ] && prog a
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
[ a = a ] && prog b; [ a = b ] && prog c; [ -f x ] && prog d; [ -f x ] || prog e; test -d x; prog $?
=>
1: prog b
1: prog d # run.sh:1:1: runs after && only
1: prog e # run.sh:1:1: runs after || only
1: prog ¿
----
command; prog $?; command -v ls; prog $?; command -V ls && prog a; command -p prog b; command -- prog c; command -p -- prog d; command exit 3; prog e
=>
1: prog ¿
1: prog ¿
1: prog a # run.sh:1:1: runs after && only
1: prog b
1: prog c
1: prog d
----
command -v prog || prog a; X=$(command -v ls); prog "$X" ; command cd sub; prog; builtin cd ..; prog; builtin echo a; prog $?
=>
1: prog a # run.sh:1:1: runs after || only
1: prog ¿
1: prog in sub
1: prog
1: prog 0
----
f() { prog f; }; command f; command prog x
=>
1: f
1: prog x
----
X=$(echo a  b; echo -n c; echo); prog "$X"; echo a && prog $?; X=$(printf a; printf '%s\n' b); prog "$X"; printf -v Y '%s-' a b; prog "$Y" $?; printf -- '%s' x; prog $?
=>
1: prog 'a b\nc'
1: prog 0
1: prog ab
1: prog a-b- 0
1: prog 0
----
export A=1; printf -v $(nproc) x; prog; printf -v; prog $?; printf -v 'B[0]' x; prog "${B[0]}"
=>
1: nproc {A=1@1}
1: prog {others unknown, since run.sh:1:1: printf -v into a name that is not plain}
1: prog 2 {others unknown, since run.sh:1:1: printf -v into a name that is not plain}
1: prog ¿ {others unknown, since run.sh:1:1: printf -v into a name that is not plain}
----
X=$(printf -v Z a; echo b); prog "$X" "$Z"; printf -v Z -- a; prog "$Z"; printf -v -- Z a; prog "$Z"
=>
1: prog b ''
1: prog a
1: prog ¿ {others unknown, since run.sh:1:1: printf -v into a name that is not plain}
----
X=$(declare -p A); prog "$X" $?; f() { :; }; export -f f; prog $?; X=$(export -f f); prog "$X"; X=$(typeset -F f); prog "$X" $?; X=$(declare -pf f); prog "$X"; X=$(readonly -p); prog "$X"; X=$(export); prog "$X" $?
=>
1: prog ¿ ¿
1: prog 0
1: prog ''
1: prog ¿ ¿
1: prog ¿
1: prog ¿
1: prog ¿ ¿
----
X=$(declare); prog "$X" $?; X=$(readonly -f f); prog "$X"; X=$(declare A=1 B); prog "$X" $?; builtin declare -p; prog $?; X=$(builtin export -p A); prog "$X"; declare -f none && prog a; typeset -f g || prog b
=>
1: prog ¿ ¿
1: prog ''
1: prog '' 0
1: prog ¿
1: prog ¿
1: prog a # run.sh:1:1: runs after && only
1: prog b # run.sh:1:1: runs after || only
----
wait && prog a; kill 1 && prog b; type x && prog c; hash x && prog d; unalias a && prog e; X=$(wait; alias a=b; ulimit -n 5; ulimit -Hn unlimited; umask 022; shopt -s a; shopt -u b; trap x EXIT); prog "$X"
=>
1: prog a
1: prog b # run.sh:1:1: runs after && only
1: prog c # run.sh:1:1: runs after && only
1: prog d # run.sh:1:1: runs after && only
1: prog e # run.sh:1:1: runs after && only
1: prog ''
----
X=$(trap -p); prog "$X"; X=$(trap $(ls)); prog "$X"; X=$(ulimit -n); prog "$X"; X=$(umask -S); prog "$X"; X=$(shopt -q a); prog "$X" $?; X=$(shopt a); prog "$X"; X=$(alias a); prog "$X"; X=$(kill -l); prog "$X"
=>
1: prog ¿
1: ls
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿ ¿
1: prog ¿
1: prog ¿
1: prog ¿
----
for b in unalias hash times jobs kill bg fg disown help enable history bind caller compgen complete dirs logout suspend type shopt alias; do $b; prog $?; done
=>
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
----
eval "echo a > f; exit $(nproc)"; python x; eval "echo b > g; $(nproc)"; python y
=>
1: nproc
files: f:'a\n'
----
eval "exit; $(nproc)"; prog no
=>
1: nproc
----
eval 'set -- a b'; prog "$@"; eval exit; prog no
=>
1: prog a b
----
unset -f f g; f() { prog f; }; g() { prog g; }; h=1; unset -f f h; f; prog $h; unset g h; g; prog "${h-u}"; A=(1 2); unset A[1] 'A[0]'; prog "${A[@]}"; unset -n x; prog "${x-u}"
=>
1: f
1: prog 1
1: g
1: prog u
1: prog …
1: prog u
----
f() { cd x; exec prog $1; }; (f a); prog; X=$(f b); prog "$X"; exec -l; exec -c -l prog z; prog no
=>
1: prog a in x
1: prog
1: prog b in x
1: prog ¿
1: prog z
----
exec 3> f; exec -a; prog
=>
1: prog files f:¿
----
shift -- 1; prog $?; shift x; prog $? "$@"; shift 1 2; prog $?; set -- a b c; shift 3; prog $? $#; set -- a b; shift 3; prog $? "$@"
=>
1: prog ¿
1: prog ¿ …
1: prog ¿
1: prog 0 0
1: prog 1 a b
----
set -eo pipefail -- a; prog "$@"; set +eo pipefail; false | true; prog b; set -euxo pipefail; set +o; set -o; prog c; false | true; prog no
=>
1: prog a
1: prog b
1: prog c
----
cd a > f; cd "" ; prog; cd .; prog; cd ..; prog; cd ../..; prog; cd /; prog; cd ..; prog; popd && prog x; pushd && prog y
=>
1: prog in a files f:''
1: prog in a files f:''
1: prog files f:''
1: prog in ../.. files f:''
1: prog in / files f:''
1: prog in / files f:''
1: prog x in ¿ files f:''
1: prog y in ¿ files f:''
----
cd -n a; prog; HOME=; cd; prog; cd -- -; prog; cd /a/./b/../c; prog; cd x y; prog; cd -; prog
=>
1: prog in a
1: prog in a
1: prog in a/a
1: prog in /a/c
1: prog in ¿
1: prog in /a/c
----
for i in 1 2; do for j in 1 2; do break 2; done; prog no; done; for i in 1 2; do break 0; prog no; done; for i in 1 2; do continue x; prog no; done; for i in 1 2; do break 1000; prog no; done; prog $i
=>
1: prog 1
----
f() { for i in 1 2; do g; prog $i; done; }; g() { for j in 1 2; do break 5; done; }; for k in 1 2; do f; done; prog $k; (for i in 1 2; do break 2; done; prog s)
=>
1: prog 1
1: prog 2
1: prog 1
1: prog 2
1: prog 2
1: prog s
----
getopts; prog $?; getopts a; prog $?; set -- -x; getopts x o; prog $?; set -- "$(nproc)"; getopts x o; prog $?; set -- a $(ls); getopts x o; prog $?; getopts x o -- a; prog $?
=>
1: prog ¿
1: prog ¿
1: prog ¿
1: nproc
1: prog ¿
1: ls
1: prog ¿
1: prog ¿
----
read -p; prog "$REPLY"; read -u 3 -t 1 A B; prog "$A" "$B"; read -n1 C; prog "$C"; read -dx D; prog "$D" "${x-u}"; read -rn 1 E; prog "$E"; read -i x -e F; prog "$F" "${x-u}"; read -a G -r; prog "${G[@]}"; read '' A[0]; prog
=>
1: prog ¿
1: prog ¿ ¿
1: prog ¿
1: prog ¿ u
1: prog ¿
1: prog ¿ u
1: prog …
1: prog
----
command; command -p; X=$(command -v a; command -V b); prog "$X"; X=$(command); prog "$X"; command command prog a; command builtin echo b; builtin false; prog $?; command source none; python c
=>
1: prog ¿
1: prog ¿
1: prog a
1: prog 1
1: python c {others unknown, since run.sh:1:1 runs none, which is not known}
missing: none launch 1
----
test; prog $?; test ]; prog $?; test a = a -a b = b; prog $?; test $(ls); prog $?; [ a = b ]; prog $?; [ -n "$(nproc)" ]; prog $?; test "$A" = a && prog no; test -z "$A" && prog yes; [ -v A ]; prog $?
=>
1: prog 1
1: prog 0
1: prog 0
1: ls
1: prog ¿
1: prog 1
1: nproc
1: prog 0
1: prog yes
1: prog 1
----
printf x > f; printf -v A x > g; printf a b > h; printf > i; prog; X=$(printf '%s' a; printf -v B q; printf '%d' 3); prog "$X" "$B"; printf -v A+B x; python
=>
1: prog files f:'x' g:'' h:'a' i:''
1: prog a3 '' files f:'x' g:'' h:'a' i:''
1: python {others unknown, since run.sh:1:1: printf -v into a name that is not plain} files f:'x' g:'' h:'a' i:''
----
command [ a; prog $?; command [; prog $?; command [ a ] && prog b; X=$(printf -v A); prog "$X" "${A-u}"; printf -v A || prog c; printf; prog $?; printf x && prog d; printf -v A '' && prog "${A-u}"
=>
1: prog ¿
1: prog ¿
1: prog b
1: prog '' u
1: prog c
1: prog 2
1: prog d
1: prog ''
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_what_a_builtin_does(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
