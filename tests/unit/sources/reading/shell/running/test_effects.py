"""What common programs print, and the files that they write."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
A=$(nproc) B=$(whoami); prog $A "$B" --n=$A; [ -n "$A" ] && prog full; C=$(mktemp -d) D=$(uname -m) E=$(arch); prog $C $D $E; F=$(mktemp -p a); G=$(tty) H=$(uuidgen) I=$(logname); prog $F $G $H $I
=>
1: nproc
1: whoami
1: prog ¿ ¿ --n=¿
1: prog full
1: mktemp -d
1: uname -m
1: arch
1: prog ¿ ¿ ¿
1: mktemp -p a
1: tty
1: uuidgen
1: logname
1: prog … ¿ ¿ ¿
----
X=$(/usr/bin/nproc --all); prog $X; X=$(uname -r -s); prog $X
=>
1: /usr/bin/nproc --all
1: prog ¿
1: uname -r -s
1: prog …
----
echo a > f; cat f > g; cat f g > h; cat < h > i; cat - < f > j; cat -n f > k; cat f none > l; cat h f - < g > m; prog
=>
1: cat f files f:'a\n' g:¿
1: cat f g files f:'a\n' g:'a\n' h:¿
1: cat files f:'a\n' g:'a\n' h:'a\na\n' i:¿ -:'a\na\n'
1: cat - files f:'a\n' g:'a\n' h:'a\na\n' i:'a\na\n' j:¿ -:'a\n'
1: cat -n f files f:'a\n' g:'a\n' h:'a\na\n' i:'a\na\n' j:'a\n' k:¿
1: cat f none files f:'a\n' g:'a\n' h:'a\na\n' i:'a\na\n' j:'a\n' k:¿ l:¿
1: cat h f - files f:'a\n' g:'a\n' h:'a\na\n' i:'a\na\n' j:'a\n' k:¿ l:¿ m:¿ -:'a\n'
1: prog files f:'a\n' g:'a\n' h:'a\na\n' i:'a\na\n' j:'a\n' k:¿ l:¿ m:'a\na\na\na\n'
----
echo a | cat > f; cat nowhere > g; cat < nowhere > h; X=$(cat f h); prog "$X"; X=$(/bin/cat f); prog "$X"
=>
1: cat files f:¿ -:'a\n'
1: cat nowhere files f:'a\n' g:¿
1: cat files f:'a\n' g:¿ h:¿
1: cat f h files f:'a\n' g:¿ h:¿
1: prog a¿ files f:'a\n' g:¿ h:¿
1: /bin/cat f files f:'a\n' g:¿ h:¿
1: prog a files f:'a\n' g:¿ h:¿
----
echo a > f; echo b | tee f > /dev/null; echo c | tee -a f g > h; echo d | tee --append f i; echo e | tee j k > l; nproc | tee m; prog
=>
1: tee f files f:'a\n'
1: tee -a f g files f:'b\n' h:¿
1: tee --append f i files f:'b\nc\n' h:'c\n' g:¿
1: tee j k files f:'b\nc\nd\n' h:'c\n' g:¿ i:¿ l:¿
1: nproc files f:'b\nc\nd\n' h:'c\n' g:¿ i:¿ l:'e\n' j:'e\n' k:'e\n'
1: tee m files f:'b\nc\nd\n' h:'c\n' g:¿ i:¿ l:'e\n' j:'e\n' k:'e\n'
1: prog files f:'b\nc\nd\n' h:'c\n' g:¿ i:¿ l:'e\n' j:'e\n' k:'e\n' m:¿
----
echo a | tee $(nproc); X=$(echo q | tee z); Y=$(nproc | tee -a z); prog "$X" "$Y"
=>
1: nproc files -:'a\n'
1: tee ¿
1: tee z
1: nproc files z:'q\n'
1: tee -a z files z:'q\n'
1: prog q ¿ files z:¿
----
cd sub; echo a | tee f > ../g; tee -a f < ../g; cat f > /tmp/h; cp f e; prog
=>
1: tee f in sub files g:¿
1: tee -a f in sub files g:'a\n' sub/f:'a\n'
1: cat f in sub files g:'a\n' sub/f:'a\na\n' /tmp/h:¿
1: cp f e in sub files g:'a\n' sub/f:'a\na\n' /tmp/h:'a\na\n'
1: prog in sub files g:'a\n' sub/f:'a\na\n' /tmp/h:'a\na\n' sub/e:'a\na\n' sub/e/f:¿
----
echo a > f; cp f g; prog; mv g h; prog; ln -s f l; install f n; cp f g h sub; prog; cp -r a b; mv; prog
=>
1: cp f g files f:'a\n'
1: prog files f:'a\n' g:'a\n' g/f:¿
1: mv g h files f:'a\n' g:'a\n' g/f:¿
1: prog files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿
1: ln -s f l files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿
1: install f n files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿
1: cp f g h sub files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿ n:'a\n' n/f:¿
1: prog files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿ n:'a\n' n/f:¿ sub:¿
1: cp -r a b files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿ n:'a\n' n/f:¿ sub:¿
1: mv files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿ n:'a\n' n/f:¿ sub:¿ b:¿ b/a:¿
1: prog files f:'a\n' g:¿ g/f:¿ h:'a\n' h/g:¿ l:'a\n' l/f:¿ n:'a\n' n/f:¿ sub:¿ b:¿ b/a:¿
----
echo a > f; cp f sub/g; cat sub/g; cp none k; prog; rm f; touch e; truncate -s 0 k; prog; touch; rm -f sub/g h; prog
=>
1: cp f sub/g files f:'a\n'
1: cat sub/g files f:'a\n' sub/g:'a\n' sub/g/f:¿
1: cp none k files f:'a\n' sub/g:'a\n' sub/g/f:¿
1: prog files f:'a\n' sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿
1: rm f files f:'a\n' sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿
1: touch e files f:¿ sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿
1: truncate -s 0 k files f:¿ sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿ e:¿
1: prog files f:¿ sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿ e:¿ 0:¿
1: touch files f:¿ sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿ e:¿ 0:¿
1: rm -f sub/g h files f:¿ sub/g:'a\n' sub/g/f:¿ k:¿ k/none:¿ e:¿ 0:¿
1: prog files f:¿ sub/g:¿ sub/g/f:¿ k:¿ k/none:¿ e:¿ 0:¿ h:¿
----
echo a > f; echo b > g; rm *; prog; echo a > f; rm $(nproc); prog
=>
1: rm … files f:'a\n' g:'b\n'
1: prog files f:¿ g:¿
1: nproc files f:'a\n' g:¿
1: rm ¿ files f:'a\n' g:¿
1: prog files f:¿ g:¿
----
echo a > f; echo b > g; sed -i s/a/b/ f; prog; sed s/a/b/ g; prog; sed -ri.bak -e s/a/b/ g; prog
=>
1: sed -i s/a/b/ f files f:'a\n' g:'b\n'
1: prog files f:¿ g:'b\n' s/a/b:¿
1: sed s/a/b/ g files f:¿ g:'b\n' s/a/b:¿
1: prog files f:¿ g:'b\n' s/a/b:¿
1: sed -ri.bak -e s/a/b/ g files f:¿ g:'b\n' s/a/b:¿
1: prog files f:¿ g:¿ s/a/b:¿
----
echo a > f; yq -i .a f; prog; echo a > f; perl -pi -e x f; prog; echo a > f; yq --inplace .a f; prog; echo a > f; yq --in-place .a f; prog; echo a > f; sed -n p f; yq .i f; prog; perl -e f; prog
=>
1: yq -i .a f files f:'a\n'
1: prog files f:¿ .a:¿
1: perl -pi -e x f files f:'a\n' .a:¿
1: prog files f:¿ .a:¿ x:¿
1: yq --inplace .a f files f:'a\n' .a:¿ x:¿
1: prog files f:¿ .a:¿ x:¿
1: yq --in-place .a f files f:'a\n' .a:¿ x:¿
1: prog files f:¿ .a:¿ x:¿
1: sed -n p f files f:'a\n' .a:¿ x:¿
1: yq .i f files f:'a\n' .a:¿ x:¿
1: prog files f:'a\n' .a:¿ x:¿
1: perl -e f files f:'a\n' .a:¿ x:¿
1: prog files f:'a\n' .a:¿ x:¿
----
prog $(seq 3) $(seq 2 4) $(seq 1 2 7) $(seq 5 -2 1) $(seq 3 1) $(seq -1 1) $(seq 0) $(seq -2 -1 -4); prog "$(seq 2)" $(seq 1 1 1)
=>
1: seq 3
1: seq 2 4
1: seq 1 2 7
1: seq 5 -2 1
1: seq 3 1
1: seq -1 1
1: seq 0
1: seq -2 -1 -4
1: prog 1 2 3 2 3 4 1 3 5 7 5 3 1 -1 0 1 -2 -3 -4
1: seq 2
1: seq 1 1 1
1: prog '1\n2' 1
----
prog $(seq -s, 4 7) $(seq -s : 2) $(seq --separator=- 1 2 5) x$(seq -s, 3 1) $(seq -s '' 3) $(seq -s, -w 3) $(seq -s)
=>
1: seq -s, 4 7
1: seq -s : 2
1: seq --separator=- 1 2 5
1: seq -s, 3 1
1: seq -s '' 3
1: seq -s, -w 3
1: seq -s
1: prog 4,5,6,7 1:2 1-3-5 x 123 … …
----
prog $(seq 1.5) $(seq) $(seq 1 2 3 4) $(seq -w 1 3) $(seq 1 0 3) $(seq 1234567) $(seq $(nproc)) $(seq 1 x)
=>
1: seq 1.5
1: seq
1: seq 1 2 3 4
1: seq -w 1 3
1: seq 1 0 3
1: seq 1234567
1: nproc
1: seq ¿
1: seq 1 x
1: prog … … … … … … … …
----
prog x$(seq 3 1)y $(seq 3000); A=($(seq 5 1)); prog "${#A[@]}"
=>
1: seq 3 1
1: seq 3000
1: prog xy …
1: seq 5 1
1: prog 0
----
prog x; A=($(seq 1999)); prog ${#A[@]} ${A[-1]}; B=($(seq 2001)); prog ${#B[@]}
=>
1: prog x
1: seq 1999
1: prog 1999 1999
1: seq 2001
1: prog ¿
----
prog $(dirname a/b) $(dirname /a) $(dirname a) $(dirname /) $(dirname a/b/) $(dirname //a//b) $(dirname a//b) $(dirname) $(dirname a b) $(dirname .) $(dirname "")
=>
1: dirname a/b
1: dirname /a
1: dirname a
1: dirname /
1: dirname a/b/
1: dirname //a//b
1: dirname a//b
1: dirname
1: dirname a b
1: dirname .
1: dirname ''
1: prog a / . … a //a a … … . …
----
prog $(basename a/b.sh) $(basename /a/b/) $(basename /) $(basename a.sh .sh) $(basename .sh .sh) $(basename a.sh .py) $(basename a/ "") $(basename -s .sh a.sh) $(basename a b c) $(basename "$(nproc)/x" y)
=>
1: basename a/b.sh
1: basename /a/b/
1: basename /
1: basename a.sh .sh
1: basename .sh .sh
1: basename a.sh .py
1: basename a/ ''
1: basename -s .sh a.sh
1: basename a b c
1: nproc
1: basename ¿/x y
1: prog b.sh b … a .sh a.sh a … … …
----
prog $(basename a/b.tar.gz .gz) $(basename "a b/c d" d) $(basename $(nproc)) $(dirname "$(nproc)/a") $(basename x/.sh .sh) $(basename aab ab)
=>
1: basename a/b.tar.gz .gz
1: basename 'a b/c d' d
1: nproc
1: basename ¿
1: nproc
1: dirname ¿/a
1: basename x/.sh .sh
1: basename aab ab
1: prog b.tar c … … .sh a
----
prog $(realpath /a/../b/) $(realpath a) $(readlink -f /a/./b) $(readlink /a) $(realpath -s /a//b) $(readlink -e /a) $(realpath /) $(realpath /a /b)
=>
1: realpath /a/../b/
1: realpath a
1: readlink -f /a/./b
1: readlink /a
1: realpath -s /a//b
1: readlink -e /a
1: realpath /
1: realpath /a /b
1: prog /b … /a/b … /a/b … … …
----
echo "a b" > f; echo c >> f; prog $(wc -l < f) $(wc -w < f) $(wc -c < f) $(wc --lines < f) $(wc --words < f) $(wc -l f) $(wc -lw < f) $(wc < f) $(cat f | wc -l) $(nproc | wc -l) $(nproc | wc -w)
=>
1: wc -l files f:'a b\nc\n'
1: wc -w files f:'a b\nc\n'
1: wc -c files f:'a b\nc\n'
1: wc --lines files f:'a b\nc\n'
1: wc --words files f:'a b\nc\n'
1: wc -l f files f:'a b\nc\n'
1: wc -lw files f:'a b\nc\n'
1: wc files f:'a b\nc\n' -:'a b\nc\n'
1: cat f files f:'a b\nc\n'
1: wc -l files f:'a b\nc\n'
1: nproc files f:'a b\nc\n'
1: wc -l files f:'a b\nc\n'
1: nproc files f:'a b\nc\n'
1: wc -w files f:'a b\nc\n'
1: prog 2 3 ¿ 2 3 … … … 2 ¿ ¿ files f:'a b\nc\n'
----
N=$(ls | wc -l); prog --n=$N "$N"; M=$(wc -l < none); prog x$M; [ $N = 1 ] && prog; [ -n "$N" ] && prog filled
=>
1: ls
1: wc -l
1: prog --n=¿ ¿
1: wc -l
1: prog x¿
1: prog # run.sh:1:1: runs after && only
1: prog filled
----
A=$(hostname); prog $A; B=$(hostname -s) C=$(hostname -f) D=$(hostname -i) E=$(hostname --short) F=$(hostname --fqdn) G=$(hostname --ip-address); prog $A$B $C $D $E $F $G; H=$(hostname -I); prog $H; I=$(hostname --all-ip-addresses); prog "$I"; J=$(hostname -d); prog $J
=>
1: hostname
1: prog ¿
1: hostname -s
1: hostname -f
1: hostname -i
1: hostname --short
1: hostname --fqdn
1: hostname --ip-address
1: prog ¿¿ ¿ ¿ ¿ ¿ ¿
1: hostname -I
1: prog ¿ …
1: hostname --all-ip-addresses
1: prog '¿ ¿'
1: hostname -d
1: prog …
----
A=$(hostname -I | awk '{print $1}'); prog $A; B=$(hostname | head -1); prog $B; C=$(scontrol show hostnames "$X" | head -n 1); prog $C; D=$(scontrol show hostname x); prog "$D" $D; E=$(scontrol show job 1); prog $E
=>
1: hostname -I
1: awk '{print $1}'
1: prog ¿
1: hostname
1: head -1
1: prog ¿
1: scontrol show hostnames ''
1: head -n 1
1: prog ¿
1: scontrol show hostname x
1: prog ¿¿ ¿…
1: scontrol show job 1
1: prog …
----
prog $(printf 'a\nb\n' | head -n 1) $(printf 'a\nb\n' | head -n1) $(printf 'a b\nc\n' | head -1) "$(printf 'a b\nc\n' | head --lines=1)" $(printf 'a\n' | head -n 2) $(echo a | head) $(printf a | head -1) "$(nproc | head -1)" $(head -1 f) "$(date | head -1)"
=>
1: head -n 1
1: head -n1
1: head -1
1: head --lines=1
1: head -n 2
1: head files -:'a\n'
1: head -1
1: nproc
1: head -1
1: head -1 f
1: date
1: head -1
1: prog a a a b 'a b' … … … ¿ … ¿
----
prog $(echo a b | awk '{print $1}') $(echo a b | awk '{ print $1 }') $(echo a b | awk '{print $2}') $(echo ' x y' | gawk '{print $1}') $(printf 'a\nb\n' | awk '{print $1}') $(printf 'a b' | awk '{print $1}') $(awk '{print $1}' f) $(echo | awk '{print $1}') $(echo a | awk -F, '{print $1}')
=>
1: awk '{print $1}'
1: awk '{ print $1 }'
1: awk '{print $2}'
1: gawk '{print $1}'
1: awk '{print $1}'
1: awk '{print $1}'
1: awk '{print $1}' f
1: awk '{print $1}'
1: awk -F, '{print $1}'
1: prog a a … x … … … … …
----
prog $(echo a,b | tr , ' ') "$(echo a,b | tr , '\n')" "$(echo a,b | tr , '\t')" $(echo abc | tr a-z A-Z) $(echo aab | tr -d a) $(echo aab | tr a x) $(nproc | tr a b) $(tr a b) $(echo ab | tr ab x) $(printf 'a\nb\n' | tr '\n' ,) "$(printf 'a\tb' | tr '\t' _)" $(echo a | tr a)
=>
1: tr , ' '
1: tr , \n
1: tr , \t
1: tr a-z A-Z
1: tr -d a
1: tr a x
1: nproc
1: tr a b
1: tr a b
1: tr ab x
1: tr \n ,
1: tr \t _
1: tr a
1: prog a b 'a\nb' 'a\tb' … … xxb … … … a,b, a_b …
----
X=$(mkdir -p a); prog "$X"; X=$(cp f g); prog "$X"; X=$(curl x); prog "$X"; X=$(sleep 1); prog "$X"; X=$(touch a); prog "$X"; X=$(rm a; chmod +x b; chown c d; mv e f; ln g h); prog "$X"
=>
1: mkdir -p a
1: prog ''
1: cp f g
1: prog '' files g:¿ g/f:¿
1: curl x files g:¿ g/f:¿
1: prog ¿ files g:¿ g/f:¿
1: sleep 1 files g:¿ g/f:¿
1: prog '' files g:¿ g/f:¿
1: touch a files g:¿ g/f:¿
1: prog '' files g:¿ g/f:¿ a:¿
1: rm a files g:¿ g/f:¿ a:¿
1: chmod +x b files g:¿ g/f:¿ a:¿
1: chown c d files g:¿ g/f:¿ a:¿
1: mv e f files g:¿ g/f:¿ a:¿
1: ln g h files g:¿ g/f:¿ a:¿ f:¿ f/e:¿ e:¿
1: prog '' files g:¿ g/f:¿ a:¿ f:¿ f/e:¿ e:¿ h:¿ h/g:¿
----
X=$(grep a f); prog "$X"; echo x | grep -q x && prog a; find . | xargs rm; which python && prog b
=>
1: grep a f
1: prog ¿
1: grep -q x
1: prog a # run.sh:1:1: runs after && only
1: find .
1: xargs rm
1: which python
1: prog b # run.sh:1:1: runs after && only
----
X=$(uname); prog $X; X=$(uname -a -b); prog "$X"; X=$(truncate f); prog "$X"; X=$(tee f); prog "$X"; X=$(sed -i s f); prog "$X"; X=$(install a b); prog "$X"; X=$(hostname -I -s); prog "$X"; X=$(scontrol hostnames); prog "$X"
=>
1: uname
1: prog ¿
1: uname -a -b
1: prog ¿
1: truncate f
1: prog '' files f:¿
1: tee f files f:¿
1: prog ¿ files f:¿
1: sed -i s f files f:¿
1: prog '' files f:¿ s:¿
1: install a b files f:¿ s:¿
1: prog '' files f:¿ s:¿ b:¿ b/a:¿
1: hostname -I -s files f:¿ s:¿ b:¿ b/a:¿
1: prog ¿ files f:¿ s:¿ b:¿ b/a:¿
1: scontrol hostnames files f:¿ s:¿ b:¿ b/a:¿
1: prog ¿¿ files f:¿ s:¿ b:¿ b/a:¿
----
echo a > f; cat f; cat < f | tee g; cat f -; cat -; prog "$(cat -)" "$(cat)"; cat -A f > h; tee < f; tee -a < f; tee -i j < f; tee --append j < f; prog
=>
1: cat f files f:'a\n'
1: cat files f:'a\n' -:'a\n'
1: tee g files f:'a\n'
1: cat f - files f:'a\n' g:'a\n'
1: cat - files f:'a\n' g:'a\n'
1: cat - files f:'a\n' g:'a\n'
1: cat files f:'a\n' g:'a\n'
1: prog ¿ ¿ files f:'a\n' g:'a\n'
1: cat -A f files f:'a\n' g:'a\n' h:¿
1: tee files f:'a\n' g:'a\n' h:¿ -:'a\n'
1: tee -a files f:'a\n' g:'a\n' h:¿
1: tee -i j files f:'a\n' g:'a\n' h:¿
1: tee --append j files f:'a\n' g:'a\n' h:¿ j:'a\n'
1: prog files f:'a\n' g:'a\n' h:¿ j:'a\na\n'
----
cd d; echo a > f; cp f ../g; mv ../g h; ln h /i; rm f ../j; touch k; prog; cp -a h l; cp h; cp; mv l -f m; install -m 644 m n; prog
=>
1: cp f ../g in d files d/f:'a\n'
1: mv ../g h in d files d/f:'a\n' g:'a\n' g/f:¿
1: ln h /i in d files d/f:'a\n' g:¿ g/f:¿ d/h:'a\n' d/h/g:¿
1: rm f ../j in d files d/f:'a\n' g:¿ g/f:¿ d/h:'a\n' d/h/g:¿ /i:'a\n' /i/h:¿
1: touch k in d files d/f:¿ g:¿ g/f:¿ d/h:'a\n' d/h/g:¿ /i:'a\n' /i/h:¿ j:¿
1: prog in d files d/f:¿ g:¿ g/f:¿ d/h:'a\n' d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿
1: cp -a h l in d files d/f:¿ g:¿ g/f:¿ d/h:'a\n' d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿
1: cp h in d files d/f:¿ g:¿ g/f:¿ d/h:'a\n' d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿ d/l:'a\n' d/l/h:¿
1: cp in d files d/f:¿ g:¿ g/f:¿ d/h:¿ d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿ d/l:'a\n' d/l/h:¿
1: mv l -f m in d files d/f:¿ g:¿ g/f:¿ d/h:¿ d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿ d/l:'a\n' d/l/h:¿
1: install -m 644 m n in d files d/f:¿ g:¿ g/f:¿ d/h:¿ d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿ d/l:¿ d/l/h:¿ d/m:'a\n' d/m/l:¿
1: prog in d files d/f:¿ g:¿ g/f:¿ d/h:¿ d/h/g:¿ /i:'a\n' /i/h:¿ j:¿ d/k:¿ d/l:¿ d/l/h:¿ d/m:'a\n' d/m/l:¿ d/n:¿
----
echo a > f; cp -r f $(nproc); prog; echo b > f; mv $(ls) x; prog; echo c > f; rm -rf "$(nproc)"; prog; echo d > f; touch $(ls); prog
=>
1: nproc files f:'a\n'
1: cp -r f ¿ files f:'a\n'
1: prog files f:'a\n'
1: ls files f:'b\n'
1: mv … x files f:'b\n'
1: prog files f:'b\n' x:¿ x/…:¿ …:¿
1: nproc files f:'c\n' x:¿ x/…:¿ …:¿
1: rm -rf ¿ files f:'c\n' x:¿ x/…:¿ …:¿
1: prog files f:¿ x:¿ x/…:¿ …:¿
1: ls files f:'d\n' x:¿ x/…:¿ …:¿
1: touch … files f:'d\n' x:¿ x/…:¿ …:¿
1: prog files f:¿ x:¿ x/…:¿ …:¿
----
echo a > f; sed -n -i p f; echo b > g; sed -e i g; sed --in-place=x s g; echo c > h; perl -i.bak x h; perl -ne i h; yq eval -i . f; sed -Ei s f; sed i f; prog
=>
1: sed -n -i p f files f:'a\n'
1: sed -e i g files f:¿ p:¿ g:'b\n'
1: sed --in-place=x s g files f:¿ p:¿ g:'b\n'
1: perl -i.bak x h files f:¿ p:¿ g:¿ s:¿ h:'c\n'
1: perl -ne i h files f:¿ p:¿ g:¿ s:¿ h:¿ x:¿
1: yq eval -i . f files f:¿ p:¿ g:¿ s:¿ h:¿ x:¿
1: sed -Ei s f files f:¿ p:¿ g:¿ s:¿ h:¿ x:¿ eval:¿ .:¿
1: sed i f files f:¿ p:¿ g:¿ s:¿ h:¿ x:¿ eval:¿ .:¿
1: prog files f:¿ p:¿ g:¿ s:¿ h:¿ x:¿ eval:¿ .:¿
----
prog $(seq 0 0) $(seq 1 -1 0) $(seq 2 1) $(seq 1 3 2) $(seq 3 -1 3) $(seq 999999 999999) $(seq 10 5 20) $(seq -3 -2) "$(seq 0 -1 0)" $(seq 1 0 1) $(seq 1 -2 -3)
=>
1: seq 0 0
1: seq 1 -1 0
1: seq 2 1
1: seq 1 3 2
1: seq 3 -1 3
1: seq 999999 999999
1: seq 10 5 20
1: seq -3 -2
1: seq 0 -1 0
1: seq 1 0 1
1: seq 1 -2 -3
1: prog 0 1 0 1 3 999999 10 15 20 -3 -2 0 … 1 -1 -3
----
A=($(seq 2000)); prog ${#A[@]}; A=($(seq 0 2000)); prog ${#A[@]}; A=($(seq 0 1999)); prog ${#A[@]}; A=($(seq 1 2 3999)); prog ${#A[@]}
=>
1: seq 2000
1: prog 2000
1: seq 0 2000
1: prog ¿
1: seq 0 1999
1: prog 2000
1: seq 1 2 3999
1: prog 2000
----
prog $(basename a b) $(basename ab b) $(basename /a//b// b) $(basename "" x) $(basename a/b c d) $(basename -- a) $(basename a.py .p) $(basename -a x) $(dirname -z a/b) $(dirname a/) $(dirname /a/b/) $(dirname a/b/c) $(basename //) $(dirname ///)
=>
1: basename a b
1: basename ab b
1: basename /a//b// b
1: basename '' x
1: basename a/b c d
1: basename -- a
1: basename a.py .p
1: basename -a x
1: dirname -z a/b
1: dirname a/
1: dirname /a/b/
1: dirname a/b/c
1: basename //
1: dirname ///
1: prog a a b … a a.py … … . /a a/b … …
----
prog $(realpath /) $(realpath a/b) $(realpath /a/) $(readlink -f a) $(readlink -f /a/../b) $(readlink -m /a) $(realpath -m /a/b/..) $(realpath "$(nproc)/x") $(dirname "/$(nproc)")
=>
1: realpath /
1: realpath a/b
1: realpath /a/
1: readlink -f a
1: readlink -f /a/../b
1: readlink -m /a
1: realpath -m /a/b/..
1: nproc
1: realpath ¿/x
1: nproc
1: dirname /¿
1: prog … … /a … /b … /a … …
----
echo 'a b c' > f; prog $(cat f | wc -w) $(cat f | wc -c) $(wc -w -l < f) $(wc -l -) $(cat f | /usr/bin/wc -l) $(wc --lines < /dev/null) "$(wc -l < none)" $(echo -n x | wc -l) $(echo -n | wc -w)
=>
1: cat f files f:'a b c\n'
1: wc -w files f:'a b c\n'
1: cat f files f:'a b c\n'
1: wc -c files f:'a b c\n'
1: wc -w -l files f:'a b c\n'
1: wc -l - files f:'a b c\n'
1: cat f files f:'a b c\n'
1: /usr/bin/wc -l files f:'a b c\n'
1: wc --lines files f:'a b c\n'
1: wc -l files f:'a b c\n'
1: wc -l files f:'a b c\n'
1: wc -w files f:'a b c\n'
1: prog 3 ¿ … … 1 0 ¿ 0 0 files f:'a b c\n'
----
prog $(printf 'x y\nz\n' | head -n 1 | awk '{print $1}') $(printf ' \n' | awk '{print $1}') $(printf '\n' | head -1) "$(printf 'a\nb' | head -1)" $(nproc | awk '{print $1}') $(ls | awk '{print $1}') $(ls | head -1) $(echo "$(nproc) x" | awk '{print $1}') $(echo "x$(ls)" | head -1) $(head -n 1 -q < f) $(awk '{print $1}' < none)
=>
1: head -n 1
1: awk '{print $1}'
1: awk '{print $1}'
1: head -1
1: head -1
1: nproc
1: awk '{print $1}'
1: ls
1: awk '{print $1}'
1: ls
1: head -1
1: nproc
1: awk '{print $1}'
1: ls
1: head -1
1: head -n 1 -q
1: awk '{print $1}'
1: prog x … a ¿ … … ¿ … … …
----
X=$(prog); prog "$(echo a-b | tr "$X" _)" "$(echo a-b | tr - "$X")"
=>
1: prog
1: tr ¿ _
1: tr - ¿ files -:'a-b\n'
1: prog ¿ a¿b
----
prog "$(echo a-b | tr - _)" "$(echo 'a b' | tr ' ' '\n')" "$(printf 'a\tb\n' | tr '\t' '\n')" $(echo abc | tr bc x) $(echo abc | tr b xy) "$(ls | tr a b)" $(echo a | tr a b c) $(tr a b < none) "$(echo ab | tr '\\' x)"
=>
1: tr - _ files -:'a-b\n'
1: tr ' ' \n
1: tr \t \n
1: tr bc x
1: tr b xy
1: ls
1: tr a b
1: tr a b c
1: tr a b
1: tr \\ x
1: prog a_b 'a\nb' 'a\nb' … … ¿ … … ¿
----
X=$(sed s f); prog "$X"; X=$(yq . f); prog "$X"; X=$(perl -e 1); prog "$X"; X=$(tr a b c); prog "$X"; X=$(basename -s .sh a.sh); prog "$X"; X=$(basename --suffix=.sh a.sh); prog "$X"; X=$(realpath --relative-to=/a /a/b); prog "$X"; X=$(basename -- a.b .b); prog "$X"; X=$(readlink -fn /a); prog "$X"; X=$(realpath -e /a -- ); prog "$X"; X=$(hostname -I x); prog "$X"; X=$(hostname -s -f); prog "$X"
=>
1: sed s f
1: prog ¿
1: yq . f
1: prog ¿
1: perl -e 1
1: prog ¿
1: tr a b c
1: prog ¿
1: basename -s .sh a.sh
1: prog ¿
1: basename --suffix=.sh a.sh
1: prog ¿
1: realpath --relative-to=/a /a/b
1: prog ¿
1: basename -- a.b .b
1: prog a
1: readlink -fn /a
1: prog ¿
1: realpath -e /a --
1: prog /a
1: hostname -I x
1: prog ¿
1: hostname -s -f
1: prog ¿
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_what_a_program_prints_and_writes(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
