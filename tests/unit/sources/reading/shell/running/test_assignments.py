"""What assignments and declarations give variables, and to which programs."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
A=1; A+=2; prog $A; A+=; prog $A; B+=x; prog $B; A=; prog "$A"; C=(a b); C+=c; prog "${C[@]}"; C=d; prog "${C[@]}"; D=(); D+=x; prog "${D[@]}"
=>
1: prog 12
1: prog 12
1: prog x
1: prog ''
1: prog ac b
1: prog d b
1: prog …
----
X=$(nproc); A=(1); A+=$X; prog "${A[@]}"; B=($(ls)); B+=x; prog "${B[@]}"; C+=$X; prog $C; declare -A M=([a]=1); M+=x; prog "${M[a]}"
=>
1: nproc
1: prog 1¿
1: ls
1: prog …
1: prog ¿
1: prog ¿
----
A=(a b); A+=(c "d e"); prog "${A[@]}"; B=x; B+=(y); prog "${B[@]}"; C=; C+=(y); prog "${C[@]}"; A=(z); prog "${A[@]}"; A=([1]=b [0]=a); prog "${A[@]}"
=>
1: prog a b c 'd e'
1: prog x y
1: prog '' y
1: prog z
1: prog …
----
A=([0]=a [1]="b c" d [3]=); prog "${A[@]}" "${#A[@]}"; A=([1]=b); prog "${A[@]}"; A=([x=0]=a); prog "${A[@]}"; N=1; A=(a [N]=b [N+1]=c); prog "${A[@]}"
=>
1: prog a 'b c' d '' 4
1: prog …
1: prog a
1: prog a b c
----
A=($(ls) [1]=a); prog "${A[@]}"; A=($(nproc) [1]=a); prog "${A[@]}"; A=([$(nproc)]=a); prog "${A[@]}"; U+=(a); prog "${U[@]}"
=>
1: ls
1: prog …
1: nproc
1: prog ¿ a
1: nproc
1: prog …
1: prog a
----
X=$(nproc); X+=(a); prog "${X[@]}"; Y=$(ls); Y+=(a); prog "${Y[@]}"; Z=$Y$Y; Z+=(a); prog "${Z[@]}"
=>
1: nproc
1: prog ¿ a
1: ls
1: prog … a
1: prog … a
----
declare -A M=([a]=1 ["b c"]='2 3' [d]=); prog "${M[a]}" "${M[b c]}" "${M[d]}" "${#M[@]}"; M+=([a]=9 [e]=5); prog "${M[a]}" "${M[e]}" "${#M[@]}"; M=([z]=1); prog "${M[z]}" "${#M[@]}"
=>
1: prog 1 '2 3' '' 3
1: prog 9 5 4
1: prog 1 1
----
declare -A M=(a 1); prog "${M[a]}"; declare -A N=([$(nproc)]=1); prog "${N[a]}"; declare -A O; O[a]=1; O[$(nproc)]=2; prog "${O[a]}"; declare -A P=([x]=1); P[x]+=2; prog "${P[x]}"
=>
1: prog ¿
1: nproc
1: prog ¿
1: nproc
1: prog ¿
1: prog ¿
----
declare -A M; M=([a]=1); prog "${M[a]}" ; M[a]=3; M["c d"]=4; prog "${M[a]}" "${M[c d]}" "${#M[@]}"; declare -A M; prog "${M[a]}"; typeset -A T; T[x]=1; prog "${T[x]}"
=>
1: prog 1
1: prog 3 4 2
1: prog 3
1: prog 1
----
A[0]=a; A[1]=b; prog "${A[@]}"; A[1]=c; prog "${A[@]}"; A[3]=d; prog "${A[@]}"; B[1]=x; prog "${B[@]}"; C=(a b); C[-1]=z; prog "${C[@]}"; D=(a); D[0]+=b; prog "${D[@]}"
=>
1: prog a b
1: prog a c
1: prog …
1: prog …
1: prog …
1: prog …
----
A=text; A[1]=b; prog "${A[@]}"; B=(a b c); B[0]=x; B[2]=y; B[3]=z; prog "${B[@]}"; C=($(ls)); C[0]=x; prog "${C[@]}"; D=(a); D[$(nproc)]=x; prog "${D[@]}"
=>
1: prog …
1: prog x b y z
1: ls
1: prog …
1: nproc
1: prog …
----
export A; A=1; prog; export -n A; prog; declare -x B=2; prog; declare +x B; prog; typeset -x C=3; prog; readonly D=4; prog "$D"; declare -gx E=5; prog; export -- F=6; prog
=>
1: prog {A=1@1}
1: prog
1: prog {B=2@1}
1: prog
1: prog {C=3@1}
1: prog 4 {C=3@1}
1: prog {C=3@1, E=5@1}
1: prog {C=3@1, E=5@1, F=6@1}
----
A=1; B=2; export A B; prog; declare A=3; prog; export A=(1 2); prog; export B+=x; prog; readonly B; prog "$B"
=>
1: prog {A=1@1, B=2@1}
1: prog {A=3@1, B=2@1}
1: prog {A=¿@1, B=2@1}
1: prog {A=¿@1, B=2x@1}
1: prog 2x {A=¿@1, B=2x@1}
----
readonly R=1; export R; prog; declare -r S=2; prog "$S"; export -r T=3; prog "$T"
=>
1: prog {R=1@1}
1: prog 2 {R=1@1}
1: prog 3 {R=1@1, T=3@1}
----
readonly R=1; R=2; prog "$R"
=>
1: prog ¿
----
declare -r R=1; prog a; unset R; prog "${R-none}"
=>
1: prog a
1: prog ¿ {R=¿@1}
----
declare -i I=5; prog $I; I=2+3; prog $I; declare -i J=2+3; prog $J; declare -i K=05; prog $K; declare -i L=' 7 '; prog "$L"; typeset -i M=x; prog "$M"
=>
1: prog 5
1: prog …
1: prog …
1: prog …
1: prog 7
1: prog ¿
----
declare -u U=ab; prog $U; declare -l L=AB; prog $L; declare -c C=ab; prog $C; U=cd; prog $U; declare -xu V=ab; prog; export -u W=ab; prog $?
=>
1: prog …
1: prog …
1: prog …
1: prog …
1: prog {V=¿@1}
1: prog 0 {V=¿@1, W=¿@1}
----
export T=a; declare -n R=T; R=5; prog "$T"
=>
1: prog ¿ {others unknown, since run.sh:1:1: a reference to another variable}
----
export T=a; X=-n; declare $X R=T; R=5; prog "$T"
=>
1: prog ¿ {others unknown, since run.sh:1:1: a reference to another variable}
----
X='A=1'; export $X; prog; export "B=x y" "C=$X"; prog; export D=~/x E="~"; prog; declare "F=3"; prog $F; export $(echo G=7 H=8); prog
=>
1: prog {A=1@1}
1: prog {A=1@1, B='x y'@1, C=A=1@1}
1: prog {A=1@1, B='x y'@1, C=A=1@1, D=¿/x@1, E=~@1}
1: prog 3 {A=1@1, B='x y'@1, C=A=1@1, D=¿/x@1, E=~@1}
1: prog {A=1@1, B='x y'@1, C=A=1@1, D=¿/x@1, E=~@1, G=7@1, H=8@1}
----
X=A+=1; A=0; export $X; prog; Y='x y'; export Z=$Y; prog; export $(nproc); prog; export A=9; prog
=>
1: prog {A=¿@1}
1: prog {A=¿@1, Z='x y'@1}
1: nproc {A=¿@1, Z='x y'@1}
1: prog {others unknown, since run.sh:1:1: export of names that are not known}
1: prog {others unknown, since run.sh:1:1: export of names that are not known}
----
export N=$(nproc); prog; export L=$(ls); prog; X=$(ls); export M=$X; prog; export $X=1; prog
=>
1: nproc
1: prog {N=¿@1}
1: ls {N=¿@1}
1: prog {L=¿@1, N=¿@1}
1: ls {L=¿@1, N=¿@1}
1: prog {L=¿@1, M=¿@1, N=¿@1}
1: prog {others unknown, since run.sh:1:1: export of names that are not known}
----
export A=1; declare $(ls); prog; A=2; export A; unset Q; export P=$(ls); prog
=>
1: ls {A=1@1}
1: prog {others unknown, since run.sh:1:1: declare of names that are not known}
1: ls {A=2@1, Q-@1, others unknown, since run.sh:1:1: declare of names that are not known}
1: prog {others unknown, since run.sh:1:1: declare of names that are not known}
----
A={a,b}; prog $A; export B={a,b}; prog; declare C={1..3}; prog $C; export D=x{a,b} E; prog; export F+={a,b}; prog; export G="{a,b}"; prog
=>
1: prog {a,b}
1: prog {B=b@1}
1: prog 3 {B=b@1}
1: prog {B=b@1, D=xb@1}
1: prog {B=b@1, D=xb@1, F=¿@1}
1: prog {B=b@1, D=xb@1, F=¿@1, G={a,b}@1}
----
export 1A=x; prog $?; export A-B; prog; declare -x -i N=4; prog; declare +x -i N; prog; declare -xi P=1 Q=2; prog; readonly -a L=(a b); prog "${L[@]}"
=>
1: prog ¿
1: prog
1: prog {N=4@1}
1: prog
1: prog {P=1@1, Q=2@1}
1: prog a b {P=1@1, Q=2@1}
----
f() { local A=$1 B; local -x C=3; declare -x D=4; export -n D; local -a E=(a b); prog "$A" "$B" "${E[@]}"; }; B=0; export C=0; f 1; prog "$A" "$B" "$C" "$D" "$E"
=>
1: prog 1 '' a b {C=3@1}
1: prog '' 0 0 '' '' {C=0@1}
----
export A=1; f() { local A; prog "${A-unset}"; A=2; prog "$A"; g; }; g() { prog "$A"; A=3; }; f; prog "$A"
=>
1: prog ¿ {A=¿@1}
1: prog 2 {A=¿@1}
1: prog 2 {A=¿@1}
1: prog 1 {A=1@1}
----
A=1; f() { local A=2; f2() { local A; prog "${A-unset}"; local B=5; }; f2; prog "$A" "$B"; unset A; prog "$A"; }; f; prog "$A"
=>
1: prog unset
1: prog 2 ''
1: prog ''
1: prog 1
----
f() { local A; local A=5; A=6; prog $A; local A; prog "$A"; }; f; prog "${A-unset}"; g() { declare -g A=7; local -g B=8; }; g; prog "$A" "$B"
=>
1: prog 6
1: prog 6
1: prog unset
1: prog 7 8
----
f() { local "A=1" "B"; prog "$A" "${B-u}"; local $X; X=C=3; local $X; prog $C; }; f; prog "${A-u}" "${C-u}"; f() { local $(nproc); prog; }; export Z=1; f
=>
1: prog 1 u
1: prog 3
1: prog u u
1: nproc {Z=1@1}
1: prog {others unknown, since run.sh:1:1: local of names that are not known}
----
f() { local -r R=1; prog $R; }; f; R=2; prog $R; f() { local -i I=1; I=x; prog "$I"; }; f; prog "${I-u}"; f() { local -n N=T; N=1; }; export T=0; f; prog
=>
1: prog 1
1: prog 2
1: prog ¿
1: prog u
1: prog {others unknown, since run.sh:1:1: a reference to another variable}
----
f() { local A; }; f; prog $? "${A-u}"; f() { local A=$(false); prog $?; }; f; A=$(false); prog $?; A=$(exit 3) B=$(true); prog $?; export A=$(false); prog $?
=>
1: prog 0 u
1: prog 0
1: prog 1
1: prog 0
1: prog 0 {A=''@1}
----
A=(a b c); A=x; prog "${A[@]}"; B=($(ls)); B=x; prog "${B[@]}"; C=(a); C=x; prog "${C[@]}"; declare -A M=([k]=v); M=x; prog "${M[k]}" "${M[0]}" "${#M[@]}"; D=(a b); D=$(nproc)x; prog "${D[@]}"; E=(a b); E=$(ls); prog "${E[@]}"
=>
1: prog x b c
1: ls
1: prog x …
1: prog x
1: prog v x 2
1: nproc
1: prog ¿x b
1: ls
1: prog …
----
A=(a b); for A in x y; do prog "${A[@]}"; done; B=(a b); printf -v B q; prog "${B[@]}"; F=(a b); f() { local F=x; prog "${F[@]}"; F=(p q); F=r; prog "${F[@]}"; }; f; prog "${F[@]}"; G=(a b); G=(c); prog "${G[@]}"; G=(a $(ls)); G=y; prog "${G[@]}"
=>
1: prog x b
1: prog y b
1: prog q b
1: prog x
1: prog r q
1: prog a b
1: prog c
1: ls
1: prog y …
----
A=1; f() { local A+=2; prog "$A"; local A+=3; prog "$A"; declare -g A+=4; }; f; prog "$A"; export B=1; g() { local B+=2; prog "$B"; local -a C+=(x); prog "${C[@]}"; }; C=(1); g; prog "${C[@]}"
=>
1: prog 2
1: prog 23
1: prog 1
1: prog 2 {B=2@1}
1: prog x {B=2@1}
1: prog 1 {B=1@1}
----
export A+={a,b}; prog; declare -A M=([a]={x,y}); prog "${M[a]}"; declare B=(x{1,2}); prog "${B[@]}"; export C="{a,b}"; prog; export D=$A; prog
=>
1: prog {A=¿@1}
1: prog {x,y} {A=¿@1}
1: prog x1 x2 {A=¿@1}
1: prog {A=¿@1, C={a,b}@1}
1: prog {A=¿@1, C={a,b}@1, D=¿@1}
----
declare -A M=([x]=1); f() { local -A M=([y]=2); prog "${M[x]-u}" "${M[y]}"; local -A N; N[z]=3; prog "${N[z]}"; }; f; prog "${M[x]}" "${N[z]-u}"; local -A Q; prog $?
=>
1: prog u 2
1: prog 3
1: prog 1 u
1: prog 1
----
declare -a L; L+=(a); prog "${L[@]}"; declare -a P=(); prog "${#P[@]}"; declare -ax X=1; prog; declare -A Y; Y+=([a]=1); prog "${Y[a]}"; Z=abc; declare -A Z; prog "$Z"; declare -A W=x; prog "$W"
=>
1: prog a
1: prog 0
1: prog {X=¿@1}
1: prog 1 {X=¿@1}
1: prog abc {X=¿@1}
1: prog ¿ {X=¿@1}
----
readonly A=1 B; A=2; B=3; prog "$A" "$B"; readonly C; unset C; prog "${C-u}"; declare -r D; D=1; prog "$D"; export -r E=1; declare -i F; F=2; prog "$F"; declare -l G=1; G=A; prog "$G"; declare -c H; H=a; prog "$H"
=>
1: prog ¿ ¿
1: prog ¿ {C=¿@1}
1: prog ¿ {C=¿@1}
1: prog ¿ {C=¿@1, E=1@1}
1: prog ¿ {C=¿@1, E=1@1}
1: prog ¿ {C=¿@1, E=1@1}
----
export -x A=1; export -i B=2; B=3; prog; export -n A B; prog; declare -t C=1; C=2; prog "$C"; declare -I D=1; D=2; prog $D; declare +r E=1; E=2; prog $E; declare -u F; F=$(nproc); prog $F; declare -i N=10 M=0 O= P=-1; prog $N $M "$O" $P
=>
1: prog {A=1@1, B=3@1}
1: prog
1: prog 2
1: prog 2
1: prog 2
1: nproc
1: prog …
1: prog 10 … ¿ …
----
declare -i A=1; declare -i A=5; prog $A; declare -u B; declare -u B=x; prog $B; declare -i C=' 12 ' D='0' E='1 2'; prog "$C" "$D" "$E"
=>
1: prog …
1: prog …
1: prog 12 ¿ ¿
----
declare -- A=1 -x; prog "$A"; export -- -n; prog $?; X='-x B=2'; declare $X; prog; export ''; prog $?; export "$(nproc)"; python x
=>
1: prog 1
1: prog ¿
1: prog {B=2@1}
1: prog ¿ {B=2@1}
1: nproc {B=2@1}
1: python x {others unknown, since run.sh:1:1: export of names that are not known}
----
export "A$(nproc)=1"; python x; export B="$(ls) y"; python y; export "C=$(ls)"; python z; W=$(ls); declare D=$W E; python "$D" "${E-u}"; export F=a$W; python w
=>
1: nproc
1: python x {others unknown, since run.sh:1:1: export of names that are not known}
1: ls {others unknown, since run.sh:1:1: export of names that are not known}
1: python y {B='¿ y'@1, others unknown, since run.sh:1:1: export of names that are not known}
1: ls {B='¿ y'@1, others unknown, since run.sh:1:1: export of names that are not known}
1: python z {B='¿ y'@1, C=¿@1, others unknown, since run.sh:1:1: export of names that are not known}
1: ls {B='¿ y'@1, C=¿@1, others unknown, since run.sh:1:1: export of names that are not known}
1: python ¿ ¿ {B='¿ y'@1, C=¿@1, D=¿@1, E=¿@1, W=¿@1, others unknown, since run.sh:1:1: export of names that are not known}
1: python w {B='¿ y'@1, C=¿@1, D=¿@1, E=¿@1, F=a¿@1, W=¿@1, others unknown, since run.sh:1:1: export of names that are not known}
----
A=(x); A[1]=y; A[2]+=z; prog "${A[@]}"; B[0]=$(nproc); B[1]=b; prog "${B[@]}"; C[2]=c; prog "${C[@]}"; D=(a b); D[1+0]=z; prog "${D[@]}"; E=(a b); E[9]=z; prog "${#E[@]}"; F=(); F[0]=q; prog "${F[@]}"
=>
1: prog …
1: nproc
1: prog ¿ b
1: prog …
1: prog a z
1: prog ¿
1: prog q
----
declare -a 'A=(x y)'; prog "${#A[@]}"; X='(1 2)'; declare -a B=$X; prog "${B[0]}"; declare -A M='([a]=1)'; prog "${M[a]}"; C=(1); declare C='(x y)'; prog "${#C[@]}"; declare -a D=([5]=x); prog "${#D[@]}"
=>
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
1: prog ¿
----
declare -a A=x B= C=x$(nproc); prog "${A[@]}" "${#B[@]}" "${C[@]}"; D=(1 2); declare -a D=x; prog "${D[@]}"; declare -A M=([a]=1); declare -A M=x; prog "${M[a]}" "${M[0]}"; E=(1 2); declare E=x; prog "${E[@]}"
=>
1: nproc
1: prog x 1 x¿
1: prog x 2
1: prog 1 x
1: prog x 2
----
declare -i N; export N; N=2+2; prog $N
=>
1: prog … {N=¿@1}
----
declare -a A=$(nproc); prog "${#A[@]}"; declare -ai B=1+1; prog "$B"; declare -au C=(a); prog "${C[0]}"; declare -au D=(); prog "${#D[@]}"; E=$(ls); declare -a E=x; prog "${#E[@]}"
=>
1: nproc
1: prog ¿
1: prog ¿
1: prog ¿
1: prog 0
1: ls
1: prog ¿
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_what_an_assignment_does(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
