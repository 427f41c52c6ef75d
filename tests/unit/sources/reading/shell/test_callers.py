"""What is claimed if the variables and arguments of the caller are not known."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import cases, claims

TABLE = r"""
prog "$1" $# "$@"; A=1; prog $A; export A; prog; export B=2 C; prog; unset C; prog; D=$U; prog "$U" $U; readonly E=1; prog
=>
1: prog ¿ ¿ … {others inherited}
1: prog 1 {A=¿@1, others inherited}
1: prog {A=1@1, others inherited}
1: prog {A=1@1, B=2@1, C=¿@1, others inherited}
1: prog {A=1@1, B=2@1, C-@1, others inherited}
1: prog ¿ … {A=1@1, B=2@1, C-@1, D=¿@1, others inherited}
1: prog {A=1@1, B=2@1, C-@1, D=¿@1, E=¿@1, others inherited}
----
export A=1; unset A; prog "${A-u}"; A=2; prog $A; declare -x F; prog; export -n A; prog; declare +x G; prog; G=1; prog
=>
1: prog u {A-@1, others inherited}
1: prog 2 {A-@1, others inherited}
1: prog {A-@1, F=¿@1, others inherited}
1: prog {A-@1, F=¿@1, others inherited}
1: prog {A-@1, F=¿@1, G-@1, others inherited}
1: prog {A-@1, F=¿@1, G-@1, others inherited}
----
unset A; A=1; prog; unset B; export B; prog; export C; C=1; prog; declare D=1; prog; typeset -i I=3; prog; set -a; L=1; prog; set +a; M=1; prog
=>
1: prog {A-@1, others inherited}
1: prog {A-@1, B-@1, others inherited}
1: prog {A-@1, B-@1, C=1@1, others inherited}
1: prog {A-@1, B-@1, C=1@1, D=¿@1, others inherited}
1: prog {A-@1, B-@1, C=1@1, D=¿@1, I=¿@1, others inherited}
1: prog {A-@1, B-@1, C=1@1, D=¿@1, I=¿@1, L=1@1, others inherited}
1: prog {A-@1, B-@1, C=1@1, D=¿@1, I=¿@1, L=1@1, M=¿@1, others inherited}
----
f() { local A; prog "${A-u}"; A=2; prog "$A"; local B=3; prog "$B"; export B; prog; }; f; prog "$A" "$B"
=>
1: prog ¿ {A=¿@1, others inherited}
1: prog 2 {A=¿@1, others inherited}
1: prog 3 {A=¿@1, B=¿@1, others inherited}
1: prog {A=¿@1, B=3@1, others inherited}
1: prog ¿ ¿ {others inherited}
----
export V=1; f() { if [ -f x ]; then local V=2; else V=3; fi; }; f; prog; unset W; g() { if [ -f x ]; then local W=2; else export W=3; local W=4; fi; prog; }; g; prog
=>
1: prog {V=¿, others inherited}
1: prog {V=¿, W=¿@1, others inherited}
1: prog {V=¿, W=¿, others inherited}
----
export A=1; f() { local A; prog "${A-u}"; local A=2; prog; unset A; prog "${A-u}"; }; f; prog
=>
1: prog ¿ {A=¿@1, others inherited}
1: prog {A=¿@1, others inherited}
1: prog u {A-@1, others inherited}
1: prog {A=1@1, others inherited}
----
A=1 prog; prog "$A"; A=$B prog; A=1 f; if [ -f x ]; then A=1; fi; prog; if [ -f x ]; then export B=1; else unset B; fi; prog; if [ -f x ]; then unset C; fi; prog
=>
1: prog {A=1@1, others inherited}
1: prog ¿ {others inherited}
1: prog {A=¿@1, others inherited}
1: f {A=1@1, others inherited}
1: prog {A=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, others inherited}
----
if [ -f x ]; then unset C; else unset C; fi; prog; unset D; if [ -f x ]; then D=1; fi; prog; export E=1; if [ -f x ]; then E=1; fi; prog; F=1; if [ -f x ]; then F=2; fi; prog $F
=>
1: prog {C-@1, others inherited}
1: prog {C-@1, D-@1, others inherited}
1: prog {C-@1, D-@1, E=1@1, others inherited}
1: prog ¿ {C-@1, D-@1, E=1@1, F=¿@1, others inherited}
----
[ -n "$X" ] && prog a; [ -z "$X" ] || prog b; [ "$X" = 1 ] && export A=1; prog; case $X in a) A=2;; esac; prog; : ${Y:=5}; prog $Y; : "${Z:?no}"; prog "$Z"
=>
1: prog a {others inherited} # run.sh:1:1: runs after && only
1: prog b {others inherited} # run.sh:1:1: runs after || only
1: prog {A=¿@1, others inherited}
1: prog {A=¿@1, others inherited}
1: prog ¿ {A=¿@1, Y=¿@1, others inherited}
1: prog ¿ {A=¿@1, Y=¿@1, others inherited}
----
f() { prog f; }; unset f; f; g() { prog g; }; g=1; unset g; g; unset g; g; unset h; h; unset -f g; unset -v U; prog "${U-u}"
=>
1: f {f-@1, others inherited} # run.sh:1:1: the function f is not known
1: prog g {others unknown, since run.sh:1:1: the function f is not known}
1: g {g-@1, others unknown, since run.sh:1:1: the function f is not known} # run.sh:1:1: the function g is not known
1: h {others unknown, since run.sh:1:1: the function f is not known}
1: prog u {others unknown, since run.sh:1:1: the function f is not known}
----
shift; prog "$1"; shift 2 && prog; while [ $# -gt 0 ]; do case $1 in -a) export A=$2; shift 2;; *) shift;; esac; done; prog; set -- x; prog "$1" $#; getopts ab o; prog $? $o
=>
1: prog ¿ {others inherited}
1: prog {others inherited}
1: prog {A=¿@1, others inherited}
1: prog x 1 {A=¿@1, others inherited}
1: prog 1 … {A=¿@1, o=¿@1, others inherited}
----
env -i prog; env -u A prog; env -u A B=1 prog; sudo prog; sudo -E prog; bash -c 'prog "$A" $1'; export A=1; B=2; bash -c 'prog $A "$B"'; unset C; bash -c 'prog "${C-u}"; C=1; prog'
=>
1: prog
1: prog {A-@1, others inherited}
1: prog {A-@1, B=1@1, others inherited}
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: prog {others inherited}
1: prog ¿ {others inherited}
1: prog 1 ¿ {A=1@1, B=¿@1, others inherited}
1: prog u {A=1@1, B=¿@1, C-@1, others inherited}
1: prog {A=1@1, B=¿@1, C-@1, others inherited}
----
cd; prog; cd "$D"; prog; cd -; prog; cd ~/x; prog; pwd; X=$(pwd); prog "$X"; HOME=/h; cd; prog; unset HOME; cd; prog
=>
1: prog in ¿ {others inherited}
1: prog in ¿ {others inherited}
1: prog in ¿ {others inherited}
1: prog in ¿ {others inherited}
1: prog ¿ in ¿ {X=¿@1, others inherited}
1: prog in /h {HOME=¿@1, X=¿@1, others inherited}
1: prog in ¿ {HOME-@1, X=¿@1, others inherited}
----
prog $0 "$BASH_SOURCE" "$PWD" "$RANDOM" "$HOSTNAME" "$IFS" "${PIPESTATUS[0]}"; unset RANDOM; prog "$HOME"
=>
1: prog … ¿ ¿ ¿ ¿ ' \t\n' ¿ {others inherited}
1: prog ¿ {RANDOM-@1, others inherited}
----
source $X; prog; export A=1; prog; . "$X/bin/activate"; prog; source $(nproc)x; cd a; prog
=>
1: prog in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
1: prog in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
1: prog in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
1: nproc in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
1: prog in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
missing: $X launch 1
missing: ...x launch 1
----
source; prog; source --; prog; source venv/bin/activate && prog $?; source a/activate; source activate; source activate.sh; source conda.sh; . /x/mamba.sh; . micromamba.sh; prog
=>
1: prog {others inherited}
1: prog {others inherited}
1: prog ¿ {PATH=¿@1, others inherited}
1: prog {PATH=¿@1, others inherited}
----
source /etc/profile.d/modules.sh; . /usr/share/lmod/lmod/init/bash; . /usr/share/Modules/init/sh; source /usr/share/modules/init/bash; source z00_lmod.sh; source lmod.sh; . /etc/profile.d/my_conda.sh; . /etc/profile.d/x_lmodx.sh; . ~/.nvm/nvm.sh; . ~/.cargo/env; prog
=>
1: prog {PATH=¿@1, others inherited}
----
source "$V/bin/activate"; source $V/bin/activate; source ${V}/bin/activate x; prog; source ${V}activate; prog
=>
1: prog {PATH=¿@1, others inherited}
1: prog in ¿ {others unknown, since run.sh:1:1 runs $Vactivate, which is not known}
missing: $Vactivate launch 1
----
source xactivate; prog
=>
1: prog {others unknown, since run.sh:1:1 runs xactivate, which is not known}
missing: xactivate launch 1
----
source bin/activate2; prog
=>
1: prog {others unknown, since run.sh:1:1 runs bin/activate2, which is not known}
missing: bin/activate2 launch 1
----
source profile.d/x.sh; prog
=>
1: prog {others unknown, since run.sh:1:1 runs profile.d/x.sh, which is not known}
missing: profile.d/x.sh launch 1
----
source "x$(ls)"; prog
=>
1: ls {others inherited}
1: prog in ¿ {others unknown, since run.sh:1:1 runs x..., which is not known}
missing: x... launch 1
----
source $(ls); prog
=>
1: ls {others inherited}
1: prog in ¿ {others unknown, since run.sh:1:1 runs a file, which is not known}
missing: ... launch 1
----
export T=1; source a.sh; source b.sh; prog; set -e; false; prog; A=(x); prog "${A[0]}"
=>
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
missing: b.sh launch 1
----
export A=1; if [ -f x ]; then source a.sh; fi; prog; B=1; export B; prog; unset B; prog; C=1; prog; A=$C; prog
=>
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: prog {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
----
conda activate x; prog; module load cuda; prog; eval "$(conda shell.bash hook)"; prog; A=$(conda info); prog "$A"
=>
1: prog {PATH=¿@1, others inherited}
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1, others inherited}
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1, others inherited}
1: conda info {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1, others inherited}
1: prog ¿ {A=¿@1, CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1, others inherited}
----
read A; prog; export B=1; read B; prog; mapfile C; prog; for A in 1 2; do prog; done; printf -v P x; prog; getopts a o; prog; let N=3; prog; ((M=4)); prog
=>
1: prog {A=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, P=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, OPTARG=¿@1, OPTIND=¿@1, P=¿@1, o=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, N=¿@1, OPTARG=¿@1, OPTIND=¿@1, P=¿@1, o=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, C=¿@1, M=¿@1, N=¿@1, OPTARG=¿@1, OPTIND=¿@1, P=¿@1, o=¿@1, others inherited}
----
prog a; if then; fi; prog b
=>
after: {others unknown, since run.sh:1:1: a syntax error}
incomplete: run.sh:1:1: a syntax error
----
export A=1
prog a
fi
prog b; A=2
prog c
fi
prog d
=>
2: prog a {A=1@1, others inherited}
4: prog b {others unknown, since run.sh:3:1: a syntax error} # run.sh:3:1: after a syntax error
5: prog c {others unknown, since run.sh:3:1: a syntax error} # run.sh:3:1: after a syntax error
7: prog d {others unknown, since run.sh:3:1: a syntax error} # run.sh:3:1: after a syntax error; run.sh:6:1: after a syntax error
incomplete: run.sh:3:1: a syntax error
----
prog $(
echo a
prog in
) x
prog b
=>
3: prog in {others inherited}
1: prog a… x {others inherited}
5: prog b {others inherited}
----
source a.sh; export A=1; python x; B=2; ls; unset C; cat y; f; python z; D=1; other; python w
=>
1: python x {A=1@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: ls {A=1@1, B=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: cat y {A=1@1, B=¿@1, C-@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: f {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python z {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: other {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python w {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
----
export A=1; if [ -f x ]; then source a.sh; fi; python 1; B=1; export B; python 2; unset B; python 3; C=1; python 4; A=$C; ./x; python 5
=>
1: python 1 {A=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python 2 {A=¿@1, B=1@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python 3 {A=¿@1, B-@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python 4 {A=¿@1, B-@1, C=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: ./x {A=¿@1, B-@1, C=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python 5 {A=¿@1, B-@1, C=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
----
source a.sh; set -a; A=1; python x; set +a; B=1; python y; source b.sh; python z
=>
1: python x {A=1@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python y {A=1@1, B=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python z {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
missing: b.sh launch 1
----
source a.sh; A=1; if [ -f x ]; then B=2; fi; python x; export D=$(myfunc); python y; X=$(mkdir q); python z; $Y a; python w
=>
1: python x {A=¿@1, B=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: myfunc {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python y {A=¿@1, B=¿@1, D=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: mkdir q {A=¿@1, B=¿@1, D=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python z {A=¿@1, B=¿@1, D=¿@1, X=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: … a {A=¿@1, B=¿@1, D=¿@1, X=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python w {A=¿@1, B=¿@1, D=¿@1, X=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
----
source a.sh; f() { local A=1; python "$A"; source b.sh; python "$A"; }; f; python c; bash -c 'python d'; docker run i bash -c 'python e'; sudo -E python f; pip x; uv x; nohup x; srun x; accelerate x; python g
=>
1: python 1 {A=¿@1, others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python ¿ {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python c {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python d {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: docker run i python e in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: python f {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: pip x {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: uv x {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: x {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: srun x {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: accelerate x {others unknown, since run.sh:1:1 runs a.sh, which is not known}
1: python g {others unknown, since run.sh:1:1 runs a.sh, which is not known}
missing: a.sh launch 1
missing: b.sh launch 1
----
f() { local A; prog "${A-u}"; }; A=1; f; export A; f; prog; g() { local B=1 C; C=2; prog "$B$C"; unset B; prog "${B-u}"; }; g; prog "$B"; h() { local D+=x; prog "$D"; }; h
=>
1: prog ¿ {A=¿@1, others inherited}
1: prog ¿ {A=¿@1, others inherited}
1: prog {A=1@1, others inherited}
1: prog 12 {A=1@1, B=¿@1, C=¿@1, others inherited}
1: prog u {A=1@1, B-@1, C=¿@1, others inherited}
1: prog ¿ {A=1@1, others inherited}
1: prog x {A=1@1, D=¿@1, others inherited}
after: {A=1@1, others inherited}
----
A=(a b); prog; A=x; prog "${A[@]}"; export A; prog; unset A; declare -A M=([a]=1); prog; M=2; prog "${M[a]}"; set -a; B=(x); prog; C=1 D=(2) prog
=>
1: prog {A=¿@1, others inherited}
1: prog x b {A=¿@1, others inherited}
1: prog {A=¿@1, others inherited}
1: prog {A-@1, M=¿@1, others inherited}
1: prog 1 {A-@1, M=¿@1, others inherited}
1: prog {A-@1, B=¿@1, M=¿@1, others inherited}
1: prog {A-@1, B=¿@1, C=1@1, D=¿@1, M=¿@1, others inherited}
after: {A-@1, B=¿@1, M=¿@1, others inherited}
----
if [ -f x ]; then A=1; fi; if [ -f y ]; then A=2; fi; prog "$A"; unset B; if [ -f x ]; then export B=1; fi; prog; if [ -f x ]; then unset B; fi; prog; if [ -f x ]; then A=(1); fi; prog "${A[@]}"; if [ -f x ]; then A=q; else A=q; fi; prog $A
=>
1: prog ¿ {A=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, others inherited}
1: prog {A=¿@1, B=¿@1, others inherited}
1: prog … {A=¿@1, B=¿@1, others inherited}
1: prog q {A=¿@1, B=¿@1, others inherited}
----
declare -n R=A; R=1; prog; export S=1; prog; X=$(nproc); eval "$X"; python a; export T=1; python b; read $X; python c; unset $X; python d; mapfile $X; python e; printf -v "$X" a; python f
=>
1: prog {others unknown, since run.sh:1:1: a reference to another variable}
1: prog {others unknown, since run.sh:1:1: a reference to another variable}
1: nproc {others unknown, since run.sh:1:1: a reference to another variable}
1: ¿ {X=¿@1, others unknown, since run.sh:1:1: a reference to another variable}
1: python a {X=¿@1, others unknown, since run.sh:1:1: a reference to another variable}
1: python b {T=1@1, X=¿@1, others unknown, since run.sh:1:1: a reference to another variable}
1: python c {others unknown, since run.sh:1:1: a reference to another variable}
1: python d {others unknown, since run.sh:1:1: a reference to another variable}
1: python e {others unknown, since run.sh:1:1: a reference to another variable}
1: python f {others unknown, since run.sh:1:1: a reference to another variable}
----
env $X prog; env A=$X prog; env "A=$(ls)" prog; env -u $X prog; env -i $X prog; sudo -u me A=1 prog; sudo -E -u me prog; sudo env A=1 prog; env -C "$X" prog; cd "$X"; env -C a prog; env -C /a prog
=>
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: ls {others inherited}
1: prog {A=¿@1, others inherited}
1: prog {others inherited}
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: prog {A=1@1, others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: prog {others inherited}
1: prog {A=1@1, others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: prog in ¿ {others inherited}
1: prog in ¿ {others inherited}
1: prog in ¿ {others inherited}
----
source "$X"; python a
=>
1: python a in ¿ {others unknown, since run.sh:1:1 runs $X, which is not known}
missing: $X launch 1
----
export A=1; if [ -f x ]; then source "$X$Y"; fi; python a; f() { prog; }; . "${Z}/a$(nproc)"; f; python b
=>
1: python a in ¿ {A=¿@1, others unknown, since run.sh:1:1 runs $X$Y, which is not known}
1: nproc in ¿ {A=¿@1, others unknown, since run.sh:1:1 runs $X$Y, which is not known}
1: f in ¿ {others unknown, since run.sh:1:1 runs $X$Y, which is not known} # run.sh:1:1: the function f is not known
1: python b in ¿ {others unknown, since run.sh:1:1 runs $X$Y, which is not known}
missing: $X$Y launch 1
missing: $Z/a... launch 1
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_what_is_claimed_for_any_caller(script: str, expected: str) -> None:
    assert claims(script, reads=False) == expected
