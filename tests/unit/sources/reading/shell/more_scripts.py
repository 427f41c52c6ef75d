"""More scripts, one feature of the shell in each."""

from __future__ import annotations

#: Scripts that `run_shell` follows completely.
FEATURES = r"""
prog {3..1} {0..6..2} {6..0..3} {a..e} {e..a..2} {01..03} {-1..1} x{1,2}y{a,b} {a,{b,c}} {x} {} {,a} a{1..2}b
----
for a in 1 2; do for b in 1 2; do for c in 1 2; do [ $c = 2 ] && continue 3; [ $b = 2 ] && break 2; prog $a $b $c; done; done; done; prog end
----
for a in 1 2 3; do for b in 1 2; do break 9; done; prog no; done; prog end
----
for a in 1 2; do while true; do prog $a; break 2; done; prog no; done; prog end
----
prog $((7 / 2)) $((-7 / 2)) $((7 % 3)) $((-7 % 3)) $((2 ** 10)) $((1 + 2 * 3)) $(((1 + 2) * 3)) $((!0)) $((~5)) $((5 & 3)) $((5 | 3)) $((5 ^ 3)) $((1 << 4)) $((16 >> 2))
----
prog $((1 < 2)) $((2 <= 1)) $((1 > 2)) $((2 >= 2)) $((1 == 1)) $((1 != 1)) $((1 && 0)) $((0 || 2)) $((1 ? 5 : 6)) $((0 ? 5 : 6)) $((1, 2))
----
A=5; prog $((A++)) $A $((++A)) $((A--)) $((--A)) $((A += 2)) $((A -= 1)) $((A *= 3)) $((A /= 2)) $((A %= 4)) $((A <<= 2)) $((A >>= 1)) $((A |= 1)) $((A &= 3)) $((A ^= 2)) $((A = 9)) $A
----
A=B B=3; prog $((A + 1)) $(( $A * 2 )); ((A = B == 3 ? 7 : 8)); prog $A; (( A )) && prog yes; (( A - 7 )) || prog zero
----
X=abcabc; prog ${X#a} ${X#*b} ${X##*b} ${X%c} ${X%b*} ${X%%b*} ${X/b/-} ${X//b/-} ${X/#a/-} ${X/%c/-} ${X/b} ${X//b} ${X#z} ${X%z} ${X//[ab]/-} ${X/?c/-}
----
X=aBc; prog ${X^} ${X^^} ${X,} ${X,,} ${X:1} ${X:1:1} ${X: -1} ${X:0:-1} ${X: -2:1} ${#X} ${X:9} ${X:0:0}x
----
X=a; unset U; E=; prog ${X:-d} ${U:-d} "${E:-d}" ${X-d} ${U-d} "${E-d}" ${X:+s} "${U:+s}" "${E:+s}" ${X+s} "${U+s}" "${E+s}" ${U:=n} $U ${E=x}z
----
set -- x y; for a; do prog "$a"; done; for a in "$@" z; do prog "$a"; done
----
X='a  b'; prog $X "$X" pre$X"post" $X$X "$X"$X; Y=' a '; prog x$Y"y"; Z=; prog $Z "$Z" ''$Z
----
prog "$(echo a; echo b)" "$(echo -n x)" "$(printf 'a\n\n\n')" "$(echo "a  b")" $(echo a b) `echo q` "$(echo $(echo deep))"
----
case a.py in *.sh) prog sh;; *.py|*.ipynb) prog py;; esac; case x in [abc]) prog 1;; [!abc]) prog 2;; esac; case ab in a) prog 1;; a?) prog 2;; esac; case "" in "") prog empty;; esac
----
V=b; case $V in "$V") prog same;; esac; case 'a*' in a\*) prog literal;; esac; case abc in a*) prog star;; *) prog no;; esac
----
[ a = a ] && prog 1; [ a != a ] || prog 2; [ a == a ] && prog 3; [ -n a ] && prog 4; [ -z "" ] && prog 5; [ 1 -eq 1 ] && prog 6; [ 1 -ne 2 ] && prog 7; [ 1 -lt 2 ] && prog 8; [ 2 -le 2 ] && prog 9; [ 3 -gt 2 ] && prog 10; [ 2 -ge 3 ] || prog 11
----
[ a = a -a b = b ] && prog 1; [ a = b -o b = b ] && prog 2; [ ! a = b ] && prog 3; test a = a && prog 5; test -n "" || prog 6
----
f() { local a=1 b; b=$1; T=$a$b; echo "$b"; }; export T=0; X=$(f q); prog $X $T; f w > /dev/null; prog $T; a=9; f x > /dev/null; prog $a
----
f() { return ${1:-0}; }; f; prog $?; f 3; prog $?; f 3 || prog failed; if f 0; then prog ok; fi; ! f 1; prog $?
----
f() { g; prog after; }; g() { prog $#; return; prog no; }; f a b; f() { prog second; }; f
----
f() { for x in 1 2 3; do [ $x = 2 ] && return 5; prog $x; done; }; f; prog $?
----
exec -a name prog a; prog never
----
exec > log; prog a; exec 2>&1; prog b
----
(exit 3); prog $?; { false; }; prog $?; true | false; prog $?; false | true; prog $?; ! true; prog $?
----
set -e; if ! false; then prog a; fi; false || prog b; false && prog no; { false || true; }; prog c; f() { false; true; }; f || prog no; prog d; f; prog never
----
set -e; X=$(false) || prog a; Y=$(echo y; false) || true; prog $Y; Z=$(false); prog never
----
cat > a.txt <<E1; cat > b.txt <<'E2'; prog "$(cat a.txt)" "$(cat b.txt)"
x $((1 + 1)) \$y
E1
x $((1 + 1)) \$y
E2
----
echo a > f; echo b >> f; printf 'c\n' >> f; { echo d; echo e; } >> f; prog $(cat f); > f; prog "x$(cat f)"; echo z | tee g > /dev/null; prog "$(cat g)"
----
env T=1 prog; env -u T prog; T=5; export T; env -u T U=1 prog; env -i A=1 prog2 2> /dev/null; env T=7 env U=8 prog
----
cd sub; prog; cd ..; prog; cd sub && cd .. && prog; pushd sub > /dev/null; prog; popd > /dev/null; prog; (cd sub; prog); prog; cd - > /dev/null; prog
----
nohup prog a; nice prog b; nice -n 3 prog c; timeout 5 prog d; timeout -k 3 5s prog e; time prog f; command prog g; stdbuf -oL prog h; setsid -w prog i
----
eval prog a 'b c'; eval "X=1; prog \$X"; C='prog x'; $C y; A=(prog "a b"); "${A[@]}" z; P=prog; $P q; "$P" r
----
X=5; while ((X > 2)); do ((X--)); [ $X = 3 ] && continue; prog $X; done; until [ $X = 4 ]; do X=$((X + 1)); prog $X; done
----
for ((i = 0, j = 5; i < j; i++, j--)); do prog $i $j; done; for ((;;)); do prog once; break; done
----
true && true || prog no; false || false || prog a; true && { prog b; false; } || prog c; if true && false; then prog no; else prog d; fi; if false || true; then prog e; fi
----
X=$(echo x | head -n 1); Y=$(printf 'a\nb\n' | head -1); Z=$(printf 'a\nb\n' | tail -n 1); prog "$X" "$Y"
----
echo a > f; echo b | tee -a f > /dev/null; echo c | tee g h > /dev/null; prog $(cat f) $(cat g h); wc --lines < f > /dev/null; prog $(cat f | wc -l) $(cat f g | wc -w)
----
exec -c true
----
shopt -s nullglob; set -x; set +x; trap 'true' EXIT; umask 022; hash -r; ulimit -c 0; wait; :; true; prog a
----
export A=1 B=2; for v in A B; do prog ${!v}; done; R=A; prog ${!R}; declare "D=5"; prog $D; printf -v "$R" 9; prog $A
""".strip("\n").split("\n----\n")

#: Scripts of which `run_shell` leaves something open.
PARTLY = r"""
A=0x1f B=010 C=2#101; prog $((A)) $((B)) $((C)) $((16#ff)) $((UNSET + 1)); unset UNSET
----
set -- a b c d; prog "$#" "$*" "$@" "${@:2:2}" "${@: -1}" "${*:3}" "${2}" "${!#}"; shift; prog "$1" $#; set --; prog $# "$@" end
----
A=(a "b c" d); prog "${A[0]}" "${A[@]}" "${A[*]}" "${#A[@]}" "${#A[1]}" "${A[@]:1}" "${A[@]:1:1}" "${A[-1]}" "${!A[@]}" "${A[@]#b}" "${A[@]/d/e}"; A[1]=z; A+=(e f); unset 'A[0]'; prog "${A[@]}"
----
A=([2]=c [0]=a); A[5]=f; prog "${!A[@]}" "${A[@]}"; A=(); prog "${#A[@]}" "${A[@]}" end; B=("${A[@]}" x); prog "${B[@]}"
----
declare -A M; M[a]=1; M["b c"]=2; M[a]+=3; prog "${M[a]}" "${M[b c]}" "${#M[@]}"; unset 'M[a]'; prog "${#M[@]}" "${M[a]:-none}"
----
IFS=:; X=a:b::c; prog $X; set -- $X; prog $# "$*"; IFS=; Y="a b"; prog $Y; unset IFS; prog $Y
----
printf -v A '%s' x; printf -v B '%d-%d' 3 4; printf -v C '%s,' a b c; printf -v D '%5s|%-3s|%03d' a b 7; printf -v E 'a\tb%%'; prog "$A" "$B" "$C" "$D" "$E"
----
prog $'a\tb' $'\x41\101' $'it\'s' $'\u00e9' "a\$b\"c\\d" 'a\b' a\ b "a\
b" "\n"
----
case a in a) prog 1;;& b) prog 2;;& ?) prog 3;; esac; case a in a) prog 1;& b) prog 2;& c) prog 3;; d) prog 4;; esac; case q in a) prog no;; esac; prog $?
----
X=ab; [[ $X == a* ]] && prog 1; [[ $X == "a*" ]] || prog 2; [[ $X != b* ]] && prog 3; [[ $X =~ ^a(b)$ ]] && prog 4 ${BASH_REMATCH[1]}; [[ -n $X && ! -z $X ]] && prog 5; [[ a < b ]] && prog 6; [[ ( a == b ) || a == a ]] && prog 7; [[ 2 -lt 10 ]] && prog 8; [[ -v X ]] && prog 9
----
export T1=1 T2="a b"; declare -x T3=3; T4=4; export T4; typeset -x T5=5; export -n T1; readonly T6=6; prog; unset T2; prog
----
set -eu; X=${U:-d}; prog $X; set +e; false; prog after; set +u; prog "$UNSET"x
----
prog "$(cat <<EOF
a
  b
EOF
)" "$(cat <<< "here string")"; read -r L <<< "a b c"; prog "$L"; read A B <<< "a b c"; prog "$A" "$B"
----
X=1 Y=2 prog; T=x prog $T; T=1; T=2 prog $T; prog $T; T=3 eval 'prog $T'; export T; T=4 prog
----
bash -c 'prog "$0" "$1" $#' a b c; bash -c "prog \"\$T\""; export T=5; bash -c 'prog $T; T=6'; prog $T; bash -ec 'false; prog no'; sh -c 'prog sh'
----
T=$(basename /a/b.sh .sh)-$(dirname /a/b.sh)-$(basename /a/b/); prog $T $(echo A | tr A-Z a-z) $(seq 3) $(seq 2 4) $(echo a,b | tr , ' ') $(echo "a b" | wc -w)
----
let A=1+2 B=A*2; prog $A $B; declare -i I=3*4; I+=1; prog $I; i=5; let i++; prog $i; let "i -= 2"; prog $i
----
X=a; X+=b; prog $X; A=(1); A+=(2); prog ${A[*]}; declare -i N=1; N+=2; prog $N; Y=${X}_${N}; prog "${Y}"
----
if [ -z "$U" ]; then U=default; fi; prog $U; : ${W:=w}; prog $W; [ -n "$U" ] && V=1 || V=2; prog $V; Z=${V:+set}; prog $Z
""".strip("\n").split("\n----\n")
