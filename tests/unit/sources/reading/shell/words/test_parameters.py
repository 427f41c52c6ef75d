"""Parameter expansions, with the results of bash."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.spelled import contradictions, lines, started
from vcompat.sources.reading.invocation import Others

TABLE = r"""
A=b; prog $A ${A} "$A" "${A}" x$A"y" => b|b|b|b|xby
unset U; prog $U "$U" ${U}x => |x
prog $any "$any" x$any "x$any" ${any} => <words>|<any>|x<words>|x<any>|<words>
prog $RANK $WORLD_SIZE $LOCAL_RANK $NODE_RANK $GROUP_RANK $GLOBAL_RANK $MACHINE_RANK $LOCAL_WORLD_SIZE => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $MASTER_ADDR $MASTER_PORT $CUDA_VISIBLE_DEVICES $USER $TMPDIR $LOGNAME $VIRTUAL_ENV $CONDA_PREFIX => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $SLURM_NNODES $SLURM_NODES $SLURM_JOB_NUM_NODES $SLURM_JOBID $SLURM_JOB_ID $SLURM_NODEID $SLURM_PROCID $SLURM_LOCALID $SLURM_NTASKS $SLURM_NPROCS => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $SLURM_NTASKS_PER_NODE $SLURM_GPUS_ON_NODE $SLURM_GPUS $SLURM_GPUS_PER_NODE $SLURM_CPUS_PER_TASK $SLURM_CPUS_ON_NODE $SLURM_ARRAY_TASK_ID => <one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $SLURM_ARRAY_JOB_ID $SLURM_SUBMIT_DIR $SLURM_JOB_NAME $SLURM_TMPDIR $OMPI_COMM_WORLD_RANK $PMI_RANK $PMI_SIZE $PBS_JOBID $PBS_O_WORKDIR $PBS_NODEFILE => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog $SLURM_X $XRANK $RANKX $MASTER_X $PBS_X $PMI_X $OMPI_COMM_WORLD_ $GROUP_WORLD_SIZE $WORLD $SLURM_NODELIST => <words>|<words>|<words>|<words>|<words>|<words>|<words>|<words>|<words>|<words>
prog "$RANK" "$HOME" $HOME => <any>|<any>|<one>
RANK=$any; prog $RANK => <words>
RANK="x y"; prog $RANK => x|y
unset RANK; prog $RANK => ()
prog $RANDOM $SRANDOM $SECONDS $LINENO $EPOCHSECONDS $PPID $UID $EUID $BASHPID $HOSTNAME $OSTYPE $SHLVL => <one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>|<one>
prog "$RANDOM" "$HOSTNAME" "$BASH_VERSION" "$EPOCHREALTIME" => <one>|<one>|<any>|<any>
RANDOM=5; UID2=6; prog $UID2 => 6
prog $1 $2 "$2" $3 "$3" ${1} ${10} ${2} => p|q|r|q r||p|q|r
prog $# $@ $* "$@" "$*" "x$@y" "x$*y" => 2|p|q|r|p|q|r|p|q r|p q r|xp|q ry|xp q ry
set --; prog $# $@ "$@" x"$@"y "$*" end => 0|xy||end
set -- a "" "b c"; prog $# $@ "$@" => 3|a|b|c|a||b c
set -- a b c d e f g h i j k; prog ${10} $10 ${11} ${12} => j|a0|k
prog $$ $! $- $_ "$$" "$-" => <one>|<one>|<words>|<words>|<one>|<any>
true; prog $?; false; prog $? => 0 ; 1
prog "$?"; (exit 3); prog $? => 0 ; 3
[ -f nowhere$any ]; prog "$?" => <one>
prog "$0" $0 => /home/run.sh|/home/run.sh
cd /tmp; prog "$PWD" "$OLDPWD" => /tmp|<any>
cd "$any"; prog "$PWD" => <any>
A=abc; prog ${#A} ${#1} ${#2} "${#A}" ${#} => 3|1|3|3|2
unset U; E=; prog ${#U} ${#E} => 0|0
prog ${#any} ${#RANK} => <one>|<one>
A=$any; prog ${#A}; A=x$any; prog ${#A} => <one> ; <one>
A=(a b c); prog ${#A[@]} ${#A[*]} ${#A} ${#A[1]} ${#A[9]} "${#A[@]}" => 3|3|1|1|0|3
unset A; prog ${#A[@]} => 0
A=x; prog ${#A[@]} => 1
A=(); prog ${#A[@]} => 0
A=($any); prog ${#A[@]} ${#A[0]} ${A[0]} "${A[0]}" => <one>|<one>|<words>|<any>
A=(a $any b); prog ${#A[@]} "${A[0]}" "${A[1]}" "${A[2]}" "${A[-1]}" "${A[@]}" => <one>|a|<any>|<any>|<any>|a|<words>|b
A=("$any" b); prog ${#A[@]} "${A[0]}" "${A[1]}" "${A[@]}" ${A[@]} => 2|<any>|b|<any>|b|<words>|b
declare -A M=([a]=1 [b]="c d"); prog ${#M[@]} ${M[a]} "${M[b]}" ${M[c]}x ${#M[b]} => 2|1|c d|x|3
declare -A M=([a]=1); prog "${M[@]}" "${M[*]}" ${M[$any]}x => 1|1|<words>x
declare -A M=([a]=1 [b]=2); prog "${M[@]}" => <words>
declare -A M=([$any]=1); prog "${M[a]}" => <any>
declare -A M; prog "${M[a]}" ${#M[@]} "${M[@]}" end => |0|end
declare -A M=([a]=1); prog "$M" => <any>
A=(a "b c" d); prog $A "$A" ${A[0]} ${A[1]} "${A[1]}" ${A[2]} ${A[3]}x "${A[-1]}" "${A[-3]}" "${A[-4]}" => a|a|a|b|c|b c|d|x|d|a|
A=(a "b c" d); prog ${A[@]} ${A[*]} "${A[@]}" "${A[*]}" x"${A[@]}"y "x${A[*]}y" => a|b|c|d|a|b|c|d|a|b c|d|a b c d|xa|b c|dy|xa b c dy
A=(a b c); i=1; prog ${A[i]} ${A[i+1]} ${A[$i]} ${A[any]} "${A[$i-1]}" => b|c|b|<words>|a
A=x; prog ${A[0]} "${A[@]}" "${A[1]}" "${A[*]}" => x|x|<any>|x
unset A; prog "${A[0]}" "${A[@]}" "${A[*]}" end => ||end
prog "${any[0]}" "${any[1]}" "${any[@]}" ${any[@]} => <any>|<any>|<words>|<words>
A=$any; prog "${A[0]}" "${A[@]}" => <any>|<words>
A=; prog "${A[@]}" ${A[@]} end => |end
A=(a b c); prog ${!A[@]} "${!A[*]}" => 0|1|2|0 1 2
A=(a $any); prog "${!A[@]}" => <words>
A=x; prog "${!A[@]}" => <words>
prog "${!any@}" ${!any*} "${!any[@]}" => <words>|<words>|<words>
A=B B=c; prog ${!A} "${!A}" => c|c
A=B B=; prog "${!A}" ${!A} end => |end
prog "${!any}" ${!any} => <any>|<words>
A=1; prog "${!A}"; A=2; prog "${!A}" ${!A} => p ; q r|q|r
A=B; unset B; prog "${!A}" ${!A:-d} "${!A:-d}" => |d|d
A=B B=xyz; prog ${!A%z} ${!A:1} ${!A/y/-} ${!A:+s} => xy|yz|x-z|s
A=(B C) B=x C=y; prog ${!A[0]} ${!A[1]} ${!A} => x|y|x
A=B[1] B=(x y); prog "${!A}" => <any>
prog "${!1}" ${!#} "${!#}" => <any>|q|r|q r
A=a E=; unset U; prog ${A:-d} ${A-d} "${E:-d}" "${E-d}" ${U:-d} ${U-d} ${E:-d e} "${U:-d e}" => a|a|d||d|d|d|e|d e
A=a E=; unset U; prog ${A:+s} ${A+s} "${E:+s}" "${E+s}" "${U:+s}" "${U+s}" ${A:+s t} => s|s||s|||s|t
A=a E=; unset U; prog ${A:=n} ${A=n} "${E=n}" ${E:=n} ${U=m} $A $E $U => a|a||n|m|a|n|m
A=a E=; unset U V; prog ${U:=m n} "$U" "${V:=o p}" "$V" => m|n|m n|o p|o p
A=a E=; prog ${A:?x} ${A?x} "${E?x}" "${A:?}" => a|a||a
unset U; prog a; prog ${U:?x}; prog b => a
E=; prog ${E:?x}; prog b => nothing
unset U; prog ${U?x}; prog b => nothing
prog ${any:?x} ${RANK:?x} "${RANK:?x}" ${any?y} => <words>|<one>|<any>|<words>
prog ${any:-8} ${any-8} "${any:-8}" ${any:-a b} "${any:-a b}" ${any:-} ${any:-$other} => <one>|<words>|<one>|<words>|<any>|<words>|<words>
prog ${RANK:-0} ${RANK-0} ${RANK:-} => <one>|<words>|<words>
A=$any; prog ${A:-8} ${A-8} "${A:-8}" => <words>|<words>|<any>
prog ${any:+8} "${any:+8}" ${any+8} "${any+8}" => <words>|<any>|<words>|<any>
prog ${any:=8} $any "$any" => <one>|<one>|<one>
prog ${any=8} "$any" => <words>|<any>
prog ${any:="a b"} "$any" => <words>|<any>
A=x$any; prog ${A:-8} "${A:-8}" ${A:+8} "${A-8}" => x<words>|x<any>|8|x<any>
prog ${any:+${B:=1}}; prog $B => <words> ; <one>
unset U; prog ${U:-"a b"} ${U:-'c d'} "${U:-'e f'}" "${U:-"g h"}" ${U:-"a b" c} ${U:-$1} ${U:-$2} ${U:-"$2"} => a b|c d|'e f'|g h|a b|c|p|q|r|q r
unset U; prog ${U:-} "${U:-}" ${U:-""} "${U:-$'a'}" ${U:-*.zz$any} => ||a|<words>
unset U V; prog ${U:-${V:-w}} ${U:-${V}} ${U:+${V}} end => w|end
unset U; prog ${U:-$(echo a b)} "${U:-$(echo a b)}" ${U:-~} ${U:-a\ b} "${U:-a\ b}" ${U:-{a,b}} => a|b|a b|<any>|a b|a\ b|{a,b}
set --; prog ${@:-d} "${@:-d e}" ${*:-d} ${@:+s} "${@:+s}" ${@-d} end => d|d e|d|d|end
set -- a "b c"; prog ${@:-d} "${@:-d}" ${@:+s} "${@:+s t}" ${@+s} "${*:+s}" "${*:-d}" => a|b|c|a|b c|s|s t|s|s|a b c
set -- ""; prog "${@:-d}" "${@:+s}" "${@+s}" => <words>|<words>|<words>
set -- $any; prog ${@:-d} "${@:+s}" "${@-d}" "$#" => <words>|<words>|<words>|<one>
A=(); prog "${A[@]:-d}" "${A[@]:+s}" "${A[@]-d}" "${A[@]+s}" end => d|d|end
A=(a b); prog "${A[@]:-d}" "${A[@]:+s}" "${A[@]+"${A[@]}"}" "${A[*]:-d}" => a|b|s|a|b|a b
A=(a b); prog "${A[@]:=d}" "${A[@]:?x}" => <words>|<words>
X=abcabc; prog ${X#a} ${X##a} ${X#*b} ${X##*b} ${X%c} ${X%%c} ${X%b*} ${X%%b*} ${X#z} ${X%z} ${X#abcabc}x ${X%*}x => bcabc|bcabc|cabc|c|abcab|abcab|abca|a|abcabc|abcabc|x|abcabcx
X=a/b/c.tar.gz; prog ${X##*/} ${X%/*} ${X#*/} ${X%%.*} ${X##*.} ${X%.*} => c.tar.gz|a/b|b/c.tar.gz|a/b/c|gz|a/b/c.tar
X=aXb; prog ${X#?} ${X%?} ${X#[ab]} ${X%[!a]} ${X#""} ${X%""} "${X#"a"}" ${X#'a'} => Xb|aX|Xb|aX|aXb|aXb|Xb|Xb
unset U; E=; prog ${U#a}x ${E%a}x ${U^}x => x|x|x
Y=b X=abc; prog ${X#a$Y} ${X%"$Y"c} ${X#$any} "${X#*$Y}" => c|a|<words>|c
prog ${any#a} "${any%b}" ${any##*/} "${any^}" "${any,,}" => <words>|<any>|<words>|<any>|<any>
X=aBc; prog ${X^} ${X^^} ${X,} ${X,,} ${X^b} ${X^^[ab]} => ABc|ABC|aBc|abc|<words>|<words>
X=éa; prog ${X^^} "${X,,}" "${X^}" "${X,}" ${#X} "${X:1}" "${X#?}" "${X#é}" "${X/[é]/a}" "${X%a}" "${X#*a}" => <words>|<any>|<any>|<any>|<one>|<any>|<any>|a|<any>|é|
E=$any; prog ${#E}; E=; prog ${#E} "${E^}" "${E:0}" => <one> ; 0||
X=ABC; prog ${X,} ${X,,} ${X^} => aBC|abc|ABC
A=(abc bcd); prog ${A[@]#a} ${A[@]%d} "${A[@]^}" "${A[@]^^}" ${A[@]##*b} ${A[@]%%c*} ${A[@],} "${A[@],,}" "${A[*]#a}" => bc|bcd|abc|bc|Abc|Bcd|ABC|BCD|c|cd|ab|b|abc|bcd|abc|bcd|bc bcd
set -- abc bcd; prog ${@#a} "${@%d}" ${*^} => bc|bcd|abc|bc|Abc|Bcd
A=(a $any); prog ${A[@]#a} "${A[@]/a/b}" => <words>|b|<words>
X=abcabc; prog ${X/b/-} ${X//b/-} ${X/#a/-} ${X/%c/-} ${X/b} ${X//b} ${X//[ab]/-} ${X/?c/-} ${X/z/-} ${X//b/} ${X/#b/-} ${X/%b/-} => a-cabc|a-ca-c|-bcabc|abcab-|acabc|acac|--c--c|a-abc|abcabc|acac|abcabc|abcabc
X=a/b/c; prog ${X//\//-} ${X/\//-} ${X////-} "${X//"/"/.}" ${X//\//} => a-b-c|a-b/c|a-b-c|a.b.c|abc
X="a b"; prog "${X/ /_}" ${X/ /_} ${X// /} "${X/b/c d}" ${X/b/c d} => a_b|a_b|ab|a c d|a|c|d
X=abc Y=b Z=q; prog ${X/$Y/$Z} "${X/"$Y"/"$Z"}" ${X/$any/-} ${X/b/$any} "${X/b/$any}" => aqc|aqc|<words>|a<words>c|a<any>c
X=abc; prog ${X/b/\\\\} => a\\c
unset U; prog ${U/a/b}x; E=; prog ${E/a/b}x "${E/#/a}" "${E/%/a}" => x ; x|a|a
X=abc; prog ${X/#/-} ${X/%/-} ${X//#b/-} "${X/#ab/}" ${X/%bc} => -abc|abc-|abc|c|a
prog ${any/a/b} "${any//a/b}" => <words>|<any>
A=(abc bcd); prog "${A[@]/b/-}" "${A[*]/b/-}" ${A[@]//[bc]} "${A[@]/#/--}" "${A[@]/%/.x}" => a-c|-cd|a-c -cd|a|d|--abc|--bcd|abc.x|bcd.x
X=abcdef; prog ${X:0} ${X:2} ${X:1:3} ${X: -2} ${X: -3:2} ${X:1:-1} ${X:0:0}x ${X:6}x ${X:7}x ${X:9:2}x ${X:2:9} ${X:(-2)} => abcdef|cdef|bcd|ef|de|bcde|x|x|x|x|cdef|ef
X=abcdef i=2; prog ${X:i} ${X:$i:1} ${X:i+1:i} ${X:i*2} ${X::2} ${X:2:}x ${X: -9}x ${X: -6} => cdef|c|de|ef|ab|x|x|abcdef
X=abcdef; prog ${X:any} ${X:0:any} "${X:$any}" "${X:1:$any}" => <words>|<words>|<any>|<any>
prog ${any:1} "${any:0:2}" => <words>|<any>
unset U; E=; prog ${U:1}x ${E:0}x ${U:0:1}x => x|x|x
set -- a b c d; prog ${@:2} "${@:2:2}" ${@:1:1} "${@:0}" "${*:3}" ${*:2:1} "${@:5}" "${@: -1}" "${@:2:0}" end => b|c|d|b|c|a|/home/run.sh|a|b|c|d|c d|b|<words>|end
set -- a b; prog "${@:any}" "${@:1:$any}" => <words>|<words>
set -- $any b; prog "${@:1}" "${@:2:1}" => <words>|<words>
A=(a b c d); prog "${A[@]:1}" "${A[@]:1:2}" ${A[@]:0:1} "${A[*]:2}" "${A[@]: -1}" "${A[@]:9}" "${A[@]:1:0}" end => b|c|d|b|c|a|c d|<words>|end
A=(a b c); i=1; prog "${A[@]:i}" "${A[@]:i:i}" "${A[@]:0:any}" => b|c|b|<words>
A=x; prog "${A[@]:0:1}" "${A[@]:1}" end => <words>|<words>|end
A=(a b); prog ${A[@]@Q} "${A@Q}" "${any@Q}" => <words>|<any>|<any>
X=a; prog "${X@U}" ${X@Q} => <any>|<words>
IFS=,; set -- a b; A=(c d); prog "$*" "${A[*]}" "$@" ${A[*]} => a,b|c,d|a|b|c|d
IFS=:,; A=(a b c); prog "${A[*]:1}" "x${A[*]#a}y" "${A[*]/b/d}" "$(IFS=-; echo "${A[*]}")"; A=(a $any); prog "${A[*]}" => b:c|x:b:cy|a:d:c|a-b-c ; <any>
IFS=; set -- a b; prog "$*" $* => ab|a|b
unset IFS; set -- a "b c"; prog "$*" $* => <any>|a|b|c
IFS=' '; set -- a b; prog "$*" => a b
A=(a b); B=("${A[@]}" c); prog "${B[@]}" ${#B[@]} => a|b|c|3
A="${any}x"; prog "$A" $A "${A}y" ${A}y => <any>x|<words>x|<any>xy|<words>xy
A=x"$RANK"; prog $A "$A" => x<words>|x<any>
readonly A=5; prog $A => 5
declare -i N=2+3; prog $N => <words>
A=(a "b c"); prog "${!A[*]}" "${!A[@]}" ${!A[*]} => 0 1|0|1|0|1
A=(); prog "${!A[*]}" "${!A[@]}" end => |end
A=x; prog "${A[*]:0}" "${any[@]:0}" => <any>|<words>
A=(a $any "c d"); prog "${A[@]#a}" "${A[@]^}" "${A[@]/c/e}" "${A[*]^}" => |<words>|c d|A|<words>|C d|a|<words>|e d|A<any>C d
unset U; HOME=/h; prog ${U:-~} ${U:-~/x} ${U:-~y} "${U:-~}" ${U:-"~"} ${U:-a~} ${U:-\~} ${U:-~"x"} => /h|/h/x|<one>|~|~|a~|~|~x
unset U HOME; HOME=$any; prog ${U:-~/x} ~/y "~/z" => <any>/x|<any>/y|~/z
prog ${any[$other]} "${any[0]:-d}" ${any[0]:-d} => <words>|<one>|<one>
A=(a b); unset 'A[0]'; prog "${A[@]}" => <words>
declare -A M=([a]=1 [b]=2); k=b; prog ${M[$k]} ${M["a"]} ${M['b']} ${#M[*]} "${M[c]:-d}" "${M[$k]+s}" => 2|1|2|2|d|s
A=(10 20 30); prog ${A[-1]} ${A[-2]} "${A[-9]}" ${A[2]} "${A[3]-none}" ${A[${#A[@]}-1]} => 30|20||30|none|30
A=($any 1); prog "${A[-1]}" "${A[0]}" "${#A[@]}" => <any>|<any>|<one>
A=(1 $any); prog "${A[0]}" "${A[1]}" "${A[-1]}" => 1|<any>|<any>
prog "${any:=x y}" "$any" => <any>|<any>
prog ${any:="x"} $any => <one>|<one>
B=; prog ${any:-$B} ${any:-x$B} => <words>|<one>
X=a; prog ${X:-$(prog sub)} ${X:+b} "${X:+$(echo c)}" => a|b|c
unset U; prog "${U-a}" "${U-}" "${U=b}" "$U" => a||b|b
E=; prog "${E-a}" "${E=b}" "${E+c}" "${E?d}" "${E:-e}" => ||c||e
unset U; prog "${U:?}"; prog b => nothing
X="a b"; prog ${X:-c} "${X:-c}" ${X:+$X} "${X:+$X}" ${X:=c} => a|b|a b|a|b|a b|a|b
unset A; prog ${A[@]:-a b} "${A[@]:-a b}" "${A[@]:+c}" ${#A} => a|b|a b|0
prog "${#any[@]}" ${#any[0]} => <one>|<one>
set -- "a*b" c; prog "$1" ${1%b} "${1#a}" => a*b|<words>|*b
X=abc; prog ${X:0:1}${X:1:1}"${X:2:1}" ${X:${#X}-1} ${X: -1} => abc|c|c
X=aaa; prog ${X/a/b} ${X//a/b} ${X/#a/b} ${X/%a/b} ${X//aa/b} ${X/a*/b} ${X//?/b} ${X/*/b} => baa|bbb|baa|aab|ba|b|bbb|b
X=a.b.c; prog ${X//./} ${X//./_} ${X/./} "${X//[.c]/-}" ${X%%.*}.x => abc|a_b_c|ab.c|a-b--|a.x
X="a b c"; prog "${X// /}" ${X// /,} "${X#* }" "${X##* }" "${X%% *}" ${X% *} => abc|a,b,c|b c|c|a|a|b
set -- one; prog ${1^} ${1^^} ${1:0:1} ${1/o/0} ${1:-x} ${2:-y} "${2:+z}" ${1:+w} ${#1} => One|ONE|o|0ne|one|y||w|3
set -- a b; prog "${@/a/c}" "${*/b/d}" "${@^}" "${@:1:1}" "${@:0:1}" "${@:1:0}" "${@: 2}" end => c|b|a d|A|B|a|/home/run.sh|b|end
IFS=,; set --; prog "$*" "x$*"; A=(); prog "${A[*]}x" => |x ; x
A=B; unset B; prog "${!A:-x y}" ${!A:-x y} "${!A:-'q'}"; X=${!A:-'z w'}; prog "$X"; B="c d"; prog ${!A} "${!A}" => x y|x|y|'q' ; z w ; c|d|c d
"""

#: Errors for bash, or what depends on the machine.
OTHER = r"""
prog "$BASH_SOURCE" $BASH_SOURCE "${BASH_SOURCE[0]}" "${BASH_SOURCE[1]}" "${BASH_SOURCE[@]}" "${BASH_SOURCE[i]}" "${BASH_SOURCE%/*}"; BASH_SOURCE=x; prog "$BASH_SOURCE" => /home/run.sh|/home/run.sh|/home/run.sh|<any>|<words>|<any>|/home ; x
A="B C" B=c; prog "${!A}" => <any>
unset U; prog "${!U}" => <any>
X=abc; prog ${X/b/&} "${X/b/a&}" => nothing
X=abc; prog "${X/b/"&"}" "${X/b/$any}" => <any>|a<any>c
Y='&' X=abc; prog "${X/b/$Y}" "${X/b/x$Y}" => <any>|<any>
prog $OLDPWD => <one>
X=abc; prog "${X:2:-2}" => <any>
prog "${any[0]}" "${any[1]}"; A=x; prog "${A[i+]}" => <any>|<any> ; <any>
prog ${any?} ${any:?} "${any?x}" => <words>|<words>|<any>
"""

#: Variables whose values have no blanks.
_SET = "CONDA_PREFIX CUDA_VISIBLE_DEVICES GLOBAL_RANK GROUP_RANK LOCAL_RANK LOCAL_WORLD_SIZE LOGNAME MACHINE_RANK MASTER_ADDR MASTER_PORT NODE_RANK OLDPWD OMPI_COMM_WORLD_RANK PBS_JOBID PBS_NODEFILE PBS_O_WORKDIR PMI_RANK PMI_SIZE SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_CPUS_ON_NODE SLURM_CPUS_PER_TASK SLURM_GPUS SLURM_GPUS_ON_NODE SLURM_GPUS_PER_NODE SLURM_JOBID SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NUM_NODES SLURM_LOCALID SLURM_NNODES SLURM_NODEID SLURM_NODES SLURM_NPROCS SLURM_NTASKS SLURM_NTASKS_PER_NODE SLURM_PROCID SLURM_SUBMIT_DIR SLURM_TMPDIR TMPDIR USER VIRTUAL_ENV WORLD_SIZE"


@pytest.mark.parametrize(("script", "result"), lines(TABLE + OTHER))
def test_a_script_starts_programs_with_these_words(script: str, result: str) -> None:
    assert started(script) == result


def test_bash_does_the_same() -> None:
    assert contradictions(TABLE, any="7", other="z", RANK="3", **dict.fromkeys(_SET.split(), "w")) == []
    assert contradictions(TABLE, any="1", other="", RANK="x", **dict.fromkeys(_SET.split(), "w")) == []


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ('prog "$X" "${X-d}" ${X:-d} "${X+s}"', "|d|d|"),
        ('prog "$-" "$_" "$PATH" "$PWD" "${A[@]}" "${#A[@]}" "${#X}"', "<any>|<any>|<any>|/home|0|0"),
        ('prog "$RANDOM" "$HOSTNAME" "$LINENO" "$UID"', "<one>|<one>|<one>|<one>"),
        ('prog "${!X}" "${!1}"', "<any>|"),
        ('prog "${X:?}"; prog a', "nothing"),
        ("prog ${X:=1} $X; : ${X:=2}; prog $X", "1|1 ; 1"),
        ('prog $1 "$2" "$#" "$@"', "p|q r|2|p|q r"),
    ],
)
def test_without_variables_of_a_caller_those_that_are_not_set_are_known(script: str, result: str) -> None:
    assert started(script, others=Others.UNSET) == result


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ('prog $1 "$1" "${2:-d}" "$#" "$@" $* "$*" ${10}', "<words>|<any>|<one>|<one>|<words>|<words>|<any>|<words>"),
        ('prog "${@:1}" "${@:-d}" "${@:+s}" "${#@}" "${@#a}"', "<words>|<words>|<words>|<one>|<words>"),
        ('prog "$0" "${!#}" ${1:?}', "/home/run.sh|<any>|<words>"),
        ('shift; prog "$1"; set -- a; prog "$1" "$#"', "<any> ; a|1"),
    ],
)
def test_arguments_that_are_not_known_are_open(script: str, result: str) -> None:
    assert started(script, arguments=None) == result


@pytest.mark.parametrize(("folder", "result"), [("/a/b", "/a/b"), ("a/b", "<any>"), ("", "<any>")])
def test_the_folder_is_known_by_its_whole_path_only(folder: str, result: str) -> None:
    assert started('prog "$PWD"', folder=folder) == result
