"""Scripts whose effect is known, followed by `run_shell` and really run by bash with stand-in programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.shell.more_scripts import FEATURES, PARTLY
from tests.unit.sources.reading.shell.real_bash import all_known, claimed, differences, really_run

#: Scripts that `run_shell` follows completely: it leaves nothing open.
FOLLOWED = (
    r"""
A=1 B=2
python train.py
----
export T1=1; T1=2; python a
----
B=q; A=1 B="x y" env C=3 prog --a="$B" $B 'q' $'e\n\x41\t' {0..3} a{b,c}d
----
set -a; T=1; set +a; S=2; prog $T $S
----
export T=a; export -n T; prog; export T; prog; unset T; prog
----
T=1 prog; prog
----
X=x
read -r -d '' A <<EOF

  prog --a \
    --b $X 'q'  c
  --d \\n

EOF
prog $A; prog "$A"
----
env -i T=1 PATH="$PATH" RECORD="$RECORD" prog a
----
export T=1; env -u T U=2 nohup nice -n 5 timeout 60 prog --x
----
(export T=1; cd /; prog in); prog out
----
cd sub && prog x; cd ..; prog y; pushd sub; popd
----
A=(--a 1 "x y"); A+=(--b); prog "${A[@]}" "${#A[@]}" ${A[0]} "${A[-1]}" "${A[@]:1:2}" "${!A[@]}"
----
A=(a b); prog x"${A[@]}"y "${A[*]}" ${A[@]/a/c}
----
declare -A M=([k]=v [j]="w x"); M[l]=3; prog "${M[k]}" "${M[j]}" "${#M[@]}"
----
X=train.tar.gz; prog ${X%.*} ${X%%.*} ${X#*.} ${X##*.} ${X/tar/zip} ${X//a/b} ${X^^} ${X:2} ${X:2:3} ${X: -2} ${#X} ${X/#train/t} ${X/%gz/z}
----
X=/a/b/c.py; prog ${X##*/} ${X%/*} $(dirname $X) $(basename $X .py)
----
X=; prog "${X:-d}" "${X-d}" "${X:+s}" "${X+s}" ${X:-a b} "${X:=v}" $X; unset X; prog "${X-d}" ${X+s}
----
unset X; prog "${X:-$(echo a b)}" ${X:-"a b" c} ${X:-'q r'} "${X:-'q'}"
----
N=4; M=$((N * 2 + 1)); prog $M $((M % 4)) $((M ** 2)) $((M > 4 ? 1 : 0)) $((-M / 2)) $((N++)) $N $((N += 2)) $((0x10 + 010)) $((1 << 3 | 1))
----
i=0; while [ $i -lt 3 ]; do prog $i; i=$((i + 1)); done; prog end $i
----
for ((i = 0; i < 3; i++)); do prog $i; done; prog $i
----
for x in a "b c" {1..2}; do prog "$x"; done
----
for x in 1 2 3 4; do if [ $x = 2 ]; then continue; fi; [ $x = 4 ] && break; prog $x; done
----
for a in 1 2; do for b in x y; do [ $b = y ] && continue 2; prog $a $b; done; done
----
if [ 1 = 1 ]; then prog yes; else prog no; fi; if [[ abc == a* && ! -z x ]]; then prog yes; elif true; then prog no; fi
----
X=abc; case $X in x) prog 1;; a*c|z) prog 2;; *) prog 3;; esac; case "$X" in "a*") prog no;; ab?) prog yes ;& d) prog fall;; esac
----
[[ 10 -gt 9 ]] && prog a; [ 10 -gt 9 -a 1 = 1 ] && prog b; (( 3 > 4 )) || prog c; test -n "" || prog d; [[ "x" =~ ^[a-z]+$ ]] && prog e
----
f() { local T=1; export T; prog "$1" "$#" "$@"; }; export T=0; f a "b c"; prog $T
----
f() { X=set; return 3; prog no; }; f || prog $X $?; f; prog $?
----
function g { prog in; exit 0; prog no; }; g; prog never
----
set -e; prog a; false; prog never
----
set -e; false || true; if false; then :; fi; ! true; prog a; (exit 3); prog never
----
set -e; f() { false; python in; }; f && prog x; prog y
----
exec prog a "b c"; prog never
----
echo hi > f.txt; X=$(cat f.txt); prog "$X" "$(< f.txt)"
----
cat > run.py <<'EOF'
a $X
EOF
X=1; cat <<EOF > g
b $X \$X `echo q` $(echo r)
EOF
prog "$(cat run.py)" "$(cat g)"
----
cat <<-EOF | tee h > /dev/null
<TAB>x
<TAB>  y
<TAB>EOF
prog "$(cat h)"; echo more >> h; printf '%s-%d\n' a 3 b 4 >> h; prog "$(cat h)"
----
X=$(printf '%s ' a b); Y=`echo c`; prog "$X" $Y "$(echo -n x; echo y)" "$(echo -e 'a\tb')"
----
set -- a "b c" d; prog $# "$1" "${@:2}" "$*"; shift; prog "$@"; shift 2; prog "$@" end
----
prog "$0" "$(basename "$0")"
----
D=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd); prog "$D/x"; cd "$D/sub"; prog "$PWD" "$(pwd)"
----
cd /; X=$(echo a; pwd; pwd); prog "$X"
----
echo 'export T=5; prog "$@"' > s.sh; source ./s.sh a b; prog $T; . s.sh
----
echo 'prog "$@" $U $0; T=6; cd /' > s.sh; unset U; export T=1; U=2; bash s.sh a b; prog
----
bash -c 'prog $0 "$@"' x y z; X=q; sh -c "prog $X"; bash -c "export T=1; python a && prog b"
----
eval "export T='x y'; prog \$T"; CMD="prog a 'b c'"; $CMD; eval $CMD
----
C="prog --n 2"; D="x.py --y"; $C $D; bash -c "$C $D"
----
unset T; prog a | cat; prog c & wait; { prog d; T=1; } | cat; prog "$T"
----
true && prog a; true || prog b; false && prog c || prog d; ! false && prog e
----
X=a; X+=b; readonly R=1; declare -x T=2; typeset -i I=3; prog $X $R $I
----
X=Y; Y=z; prog ${!X}; printf -v V '%s' q; prog $V
----
A="a  b"; prog $A "$A" x$A'y'; IFS=,; B=1,2; prog $B
----
prog \
  --a 1 \
  --b "x
y"
----
prog a#b # comment
# prog no
----
prog a \# "#" '#'
----
X='$Y'; prog $X "\$X" '$X' \$X "a\b" a\b
----
HOME=/h; prog ~/x "$HOME" a=~ b=~/c "~" \~ x~
----
true; prog $?; false; prog $?; X=$(false); prog a$?
----
if false; then prog a; elif [ x = y ]; then prog b; else prog c; fi > /dev/null 2>&1
----
export T; f() { if [ "$1" = a ]; then return 1; fi; T=2; }; f b; prog "$T"; f a; prog $?
----
n=; until [ "$n" = xx ]; do n+=x; prog "$n"; done
----
{ prog a; prog b; } > log 2>&1; ( prog c ) >> log
----
let N=3*4; ((N--)); prog $N; prog $((N == 11 && 1))
----
S=; X="1 2 3"; for x in $X; do S="$S$x,"; done; prog "${S%,}"
----
ARGS=""; ARGS="$ARGS --a 1"; [ -n "$ARGS" ] && ARGS+=" --b"; prog $ARGS
----
cd sub; echo x > f; prog "$(cat f)"; cd ..; prog "$(cat sub/f)"
----
command prog a; builtin echo x; time prog b; command -p true && prog c
----
trap 'echo bye' EXIT; ulimit -n 100; prog a; exit 0
----
X=1; ( X=2; prog $X; exit 3 ); prog $X $?
----
seq 3 > /dev/null; for i in $(seq 1 2 5); do prog $i; done; prog $(echo a b | wc -w)
----
export T=1; f() { T=2 prog; prog; }; T=3 f; prog
----
GPUS=0,1,2; N=$(echo $GPUS | tr ',' '\n' | wc -l); prog $N; IFS=',' ; set -- $GPUS; prog $#
----
unset -f f; f() { prog f; }; f; unset f; unset -v T; T=1; prog $T
----
set -o pipefail -e; false | true || prog a; prog b
----
X=a.b.c; prog "${X//./-}" "${X/./}" "${X//b}"; Y="a b"; prog ${Y// /_}
----
while true; do prog a; break; done; while false; do prog no; done; prog b
----
[ ] || prog a; [ x ] && prog b; [ ! x ] || prog c; [ -z "" ] && prog d; [ "a" != "b" ] && prog e; [ "(" = "(" ] && prog f
----
U=; [[ -z $U && -n "$PATH" ]] && echo; unset T; prog "${T:-x}"; export T=1; [[ $T -eq 1 ]] && prog eq; [[ $T == "1" ]] && prog s; [[ $T != 2 ]] && prog ne
----
cat > inner.sh <<EOF
#!/bin/bash
prog "\$1" \$T
EOF
chmod +x inner.sh; export T=7; ./inner.sh a
----
unset T; echo "prog \$1" | bash -s x; bash <<< 'prog heredoc'; bash <<'E'
prog "$T" doc
E
""".replace("<TAB>", "\t")
    .strip("\n")
    .split("\n----\n")
)

#: Scripts of which `run_shell` leaves something open; what it claims must still be true. Before `|||`: the caller's
#: environment and the arguments.
OPEN = r"""
GPUS=4 X=1 ||| prog ${GPUS:-8} "${GPUS:-8}" "$X" $X ${Y:-d}; export T=${GPUS:-8}; prog
----
||| prog ${GPUS:-8} "${X:+x}" ${X:+--flag} "$X"; [ -n "$X" ] && export T=1; prog
----
X=1 ||| [ -n "$X" ] && export T=1; prog; test "$X" = 1 || export T=2; prog; [[ $X ]] && prog in
----
T=caller ||| T=1; prog; unset T; prog; if [ -f /nowhere ]; then export T=3; else T=4; fi; prog
----
-- a 'b c' ||| prog "$@" $1 "$2" $#; for a in "$@"; do prog "$a"; done; case $1 in a) prog A;; *) prog no;; esac
----
||| prog "$(date)" $(nproc) $((RANDOM)) $$; N=$(nproc); prog --n $N --x; [ $N -gt 0 ] && prog some
----
||| for f in *.txt; do prog $f; done; for x in $LIST; do prog $x; done; prog *.sh
----
LIST='a b' ||| for x in $LIST; do T=$x; export T; prog $x; done; prog "$T"
----
||| while read -r line; do prog "$line"; L=$line; done < <(echo a; echo b); prog "$L"
----
||| i=0; while :; do prog $i; i=$((i+1)); [ $i -ge 40 ] && break; done; prog $i
----
||| i=0; while [ -d . ]; do prog $i; i=$((i+1)); [ $i -ge 3 ] && break; done; prog $i
----
FAILS=prog ||| for i in 1 2 3; do prog $i && break; other; done; prog end
----
FAILS=prog ||| prog a && prog b || prog c; prog a || exit 1; prog never
----
||| source ./nowhere.sh; T=1; prog $T; prog
----
||| [ -f nowhere.sh ] && source nowhere.sh; T=1; export T; prog
----
X='export T=2;' ||| eval "$X prog a"; prog b
----
||| [ -d sub ] || exit 1; prog a; if [ ! -d sub ]; then prog none; exit 0; fi; prog b
----
X=a ||| f() { [ "$X" = a ] && return 1; prog f; }; f; prog after; f && prog no
----
||| cd "$NOWHERE" 2>/dev/null || cd sub; prog a
----
||| (cd sub && prog in) || prog failed; mkdir -p d && cd d && prog in; prog out
----
||| read -r A B <<< "1 2"; prog "$A" $B; mapfile -t L < <(echo a); prog "${L[@]}"; IFS=, read -ra P <<< "1,2"; prog "${#P[@]}"
----
||| IFS=,; read -r -d '' A <<< " a, b ,"; prog "$A"; IFS= read -r -d '' A <<< " b "; prog "$A"
----
||| printf 'export T=1\n' > e; set -a; . ./e; set +a; prog; export $(echo U=2); prog
----
||| while getopts "n:" o; do case $o in n) N=$OPTARG;; esac; done; shift $((OPTIND-1)); prog "$N" "$@"
----
-n 4 x ||| while getopts "n:" o; do case $o in n) N=$OPTARG;; esac; done; shift $((OPTIND-1)); prog "$N" "$@"
----
--gpus 2 --x ||| while [[ $# -gt 0 ]]; do case $1 in --gpus) G=$2; shift 2;; *) E+=("$1"); shift;; esac; done; prog "$G" "${E[@]}"
----
||| X=$(prog inner); prog "$X"; Y=$(false) || Y=b; prog $Y; if ! X=$(grep -c nothing run.sh); then X=0; fi; prog $X
----
||| echo a,b > f; while IFS=, read -r x y; do prog $x; done < f; sed -i s/a/c/ f; prog "$(cat f)"
----
T=1 ||| f() { local T; prog "$T"; T=2; prog "$T"; }; f; prog "$T"
----
||| declare -i N=2+3; prog $N; declare -u U=abc; prog $U; declare -n R=T; R=5; export T; prog "$T"
----
||| (exit $((RANDOM % 1))) && export T=1; prog; grep -q prog run.sh && export T=2; prog
----
||| prog a & prog b & wait; echo x | while read -r y; do T=$y; done; prog "$T"
----
A=1 ||| X=$A; case $X in 1) export T=one;; 2) export T=two;; *) export T=other;; esac; prog
----
A=1 ||| prog ${A:0:1} ${A/1/2} ${#A} ${A%1} ${A^^} $((A + 1)) ${A@Q} ${!A:-x}
----
||| set -u; prog ${X:-y}; set -e; prog "${Z:?not set}"; prog never
----
||| if command -v nothing > /dev/null; then prog with; else prog without; fi; which bash && prog b
----
||| N=$(ls | wc -l); M=$((N * 2)); prog --n=$M --m $M; export T=$M; prog $(( M > 0 ))
----
||| X=$(cat nowhere 2>/dev/null); prog --a="$X" b$X; [ -z "$X" ] && prog empty
----
-- a ||| set -e; f() { false; prog in; }; f && prog x; prog a | cat; true && prog a || prog b; S="$S$T"; prog "$S" ~/x
----
||| bash -c "$X"; bash -c 'prog "$1"' _ "$X"; bash nowhere.sh; ./nowhere.sh; prog
----
||| echo 'prog $T' > a.sh; [ -f a.sh ] && echo 'prog other' > a.sh; T=1 bash a.sh
----
||| A=(1 2); [ -d sub ] && A+=(3); prog "${A[@]}"; prog "${#A[@]}"; B=("${A[@]}" x); prog "${B[@]}"
----
||| echo $X | xargs prog a; echo 1 2 | xargs -n 1 prog
----
||| case $RANDOM in 1*) exit 0;; esac; prog a; ${NOTHING} prog b; "$NOTHING" prog c; prog d
----
||| N=0; [ -d sub ] && N=1; while [ $N -lt 3 ]; do N=$((N+1)); prog; done; prog $N; for i in $(seq 40); do L=$i; done; prog $L
""".strip("\n").split("\n----\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / "sub").mkdir(parents=True)
    return tmp_path / "work"


@pytest.mark.parametrize("text", [*FOLLOWED, *FEATURES])
def test_a_script_is_followed_completely(folder: Path, text: str) -> None:
    ran = claimed(text, folder, ())
    started = really_run(text, folder, (), {})
    assert differences(list(ran.invocations), started) == ""
    names = [claim for claim in ran.invocations if claim.words[0] in ("prog", "python", "srun")]
    assert all_known(names) == ""


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("case", [*OPEN, *(f"||| {text}" for text in PARTLY)])
def test_what_is_claimed_is_true(folder: Path, case: str, known: bool) -> None:
    before, _, text = case.partition("|||")
    caller, arguments = _caller(before)
    ran = claimed(text.strip(), folder, arguments if known else None)
    started = really_run(text.strip(), folder, arguments, caller)
    assert differences(list(ran.invocations), started) == ""


def _caller(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    import shlex

    words = shlex.split(text)
    caller = {}
    while words and "=" in words[0] and not words[0].startswith("-"):
        name, _, value = words.pop(0).partition("=")
        caller[name] = value
    return caller, tuple(words[1:] if words[:1] == ["--"] else words)
