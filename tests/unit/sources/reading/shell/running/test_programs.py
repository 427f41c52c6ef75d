"""Programs behind other programs, and other shells."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, cases, claims

TABLE = r"""
export T=1; env prog; env -i prog; env -i A=1 prog; env -u T prog; env T=2 U=3 prog; prog; env --unset=T --ignore-environment prog
=>
1: prog {T=1@1}
1: prog
1: prog {A=1@1}
1: prog
1: prog {T=2@1, U=3@1}
1: prog {T=1@1}
1: prog
after: {T=1@1}
----
export T=1; env > f; prog; X=$(env); prog "$X" $?; env A=1; sudo prog; sudo -E prog; sudo A=1 prog; env -C d prog; env --chdir d prog; cd /w; env -C x prog; env -S 'a b' prog
=>
1: env {T=1@1} files f:¿
1: prog {T=1@1} files f:¿
1: env {T=1@1} files f:¿
1: prog ¿ ¿ {T=1@1} files f:¿
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known} files f:¿
1: prog {T=1@1} files f:¿
1: prog {A=1@1, others unknown, since run.sh:1:1: the environment of sudo or env is not known} files f:¿
1: prog in d {T=1@1} files f:¿
1: prog in d {T=1@1} files f:¿
1: prog in /w/x {T=1@1} files f:¿
1: prog in /w {others unknown, since run.sh:1:1: the environment of sudo or env is not known} files f:¿
after: {T=1@1}
----
export T=1; nohup env A=1 nice -n 3 prog a; timeout 5 env B=2 prog b; time -p env C=3 prog c; prog
=>
1: prog a {A=1@1, T=1@1}
1: prog b {B=2@1, T=1@1}
1: prog c {C=3@1, T=1@1}
1: prog {T=1@1}
----
nohup cd x; nohup f; env $(nproc) prog; env $(ls) prog; nohup $(nproc) a; timeout $(nproc) prog
=>
1: cd x
1: f
1: nproc
1: ¿ prog
1: ls
1: prog {others unknown, since run.sh:1:1: the environment of sudo or env is not known}
1: nproc
1: ¿ a
1: nproc
1: prog
----
conda activate x; prog $?; export PATH=1; conda activate x && prog; export LD_LIBRARY_PATH=a CUDA_HOME=b CUDA_PATH=c; module load x; prog; ml y; prog; mamba deactivate; micromamba activate; conda env list; prog $?
=>
1: prog ¿ {PATH=¿@1}
1: prog {PATH=¿@1}
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1}
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1}
1: conda env list {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1}
1: prog ¿ {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1}
----
export PATH=1 CUDA_HOME=b; /opt/conda activate; prog; conda install x && prog a; conda; prog
=>
1: prog {CUDA_HOME=b@1, PATH=¿@1}
1: conda install x {CUDA_HOME=b@1, PATH=¿@1}
1: prog a {CUDA_HOME=b@1, PATH=¿@1}
1: conda {CUDA_HOME=b@1, PATH=¿@1}
1: prog {CUDA_HOME=b@1, PATH=¿@1}
----
mkdir a && prog 1; pip install x && prog 2; wget y && prog 3; /bin/mkdir b && prog 4; ls && prog 5; python3.11 x && prog 6; accelerate-launch x && prog 7; make && prog 8; cmakex && prog 9; ray x && prog 10
=>
1: mkdir a
1: prog 1
1: pip install x
1: prog 2
1: wget y
1: prog 3
1: /bin/mkdir b
1: prog 4
1: ls
1: prog 5 # run.sh:1:1: runs after && only
1: python3.11 x
1: prog 6
1: accelerate-launch x
1: prog 7
1: make
1: prog 8
1: cmakex
1: prog 9 # run.sh:1:1: runs after && only
1: ray x
1: prog 10
----
X=$(mkdir a) && prog "$X"; X=$(pip install x) && prog "$X"; X=$(/bin/sleep 1); prog "$X"; ls; prog $?; mkdir x; prog $?
=>
1: mkdir a
1: prog ''
1: pip install x
1: prog ¿
1: /bin/sleep 1
1: prog ''
1: ls
1: prog ¿
1: mkdir x
1: prog ¿
----
bash -c 'prog a'; prog $?; bash -c 'exit 3'; prog $?; X=$(bash -c 'echo x'); prog "$X"; sh -c 'prog $0 $1' a b; dash -c 'prog $0'; /bin/bash -lc 'prog $0'; zsh -ec 'false; prog no'; ksh -c ''; prog $?
=>
1: prog a
1: prog ¿
1: prog 3
1: prog x
1: prog a b
1: prog dash
1: prog bash
1: prog 0
----
export A=1; B=2; bash -c 'prog $A "$B"; A=3; export C=4'; prog $A "$C"; bash -ac 'D=5; prog'; bash -a -c 'E=1; prog'; bash +x -c 'prog'; bash --norc -c prog; bash --rcfile x -c prog; bash -o pipefail -c 'prog'; bash -eo pipefail -c 'false; prog no'; bash -c -- 'prog -'
=>
1: prog 1 '' {A=1@1}
1: prog 1 '' {A=1@1}
1: prog {A=1@1, D=5@1}
1: prog {A=1@1, E=1@1}
1: prog {A=1@1}
1: prog {A=1@1}
1: prog {A=1@1}
1: prog {A=1@1}
1: prog - {A=1@1}
----
bash -c; prog $?; bash -c "$(ls)"; prog; bash -c $(ls); prog; bash -c "prog $(nproc)"; bash -c "$(nproc) x; prog a; prog b"; prog c; bash -c "prog a; $(nproc)"; prog d
=>
1: bash -c
1: prog ¿
1: ls
1: … # run.sh:1:1: a part of the commands is not known
1: prog
1: ls
1: bash -c …
1: prog
1: nproc
1: prog ¿
1: nproc
1: ¿ x
1: prog a
1: prog b
1: prog c
1: nproc
1: prog a
1: ¿
1: prog d
----
bash -x; prog $?; bash; prog $?; bash -s a < f; echo 'prog $1 $0' | bash -s q r; echo 'prog $# $0' | bash; bash <<< 'prog here; exit 2'; prog $?; echo 'prog a' | sh -e; ls | bash; prog
=>
1: bash -x
1: prog ¿
1: bash
1: prog ¿
1: bash -s a
1: prog q bash
1: prog 0 bash
1: prog here
1: prog 2
1: prog a
1: ls
1: … files -:¿ # run.sh:1:1: a part of the commands is not known
1: prog
----
echo 'prog "$@" $0' > s.sh; bash s.sh a b; sh ./s.sh; bash -e s.sh x; bash -- s.sh y; bash nowhere.sh a; prog; bash -- nowhere; cd d; bash ../s.sh; bash $(nproc)
=>
s.sh:1: prog a b s.sh files s.sh:'prog "$@" $0\n'
./s.sh:1: prog ./s.sh files s.sh:'prog "$@" $0\n'
s.sh:1: prog x s.sh files s.sh:'prog "$@" $0\n'
s.sh:1: prog y s.sh files s.sh:'prog "$@" $0\n'
1: bash nowhere.sh a files s.sh:'prog "$@" $0\n'
1: prog files s.sh:'prog "$@" $0\n'
1: bash -- nowhere files s.sh:'prog "$@" $0\n'
../s.sh:1: prog ../s.sh in d files s.sh:'prog "$@" $0\n'
1: nproc in d files s.sh:'prog "$@" $0\n'
1: bash ¿ in d files s.sh:'prog "$@" $0\n'
missing: nowhere.sh launch 1
missing: nowhere launch 1
missing: ... launch 1
----
cat > s.sh <<'E'
#!/bin/bash
prog "$0" "$@"; export A=1; cd /; exit 4
E
./s.sh a; prog $?; ./t.sh; ./s.sh b && prog no; X=$(./s.sh c); prog "$X"; source ./s.sh; prog
=>
1: cat files s.sh:¿ -:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
./s.sh:2: prog ./s.sh a files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
5: prog 4 files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
5: ./t.sh files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
./s.sh:2: prog ./s.sh b files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
./s.sh:2: prog ./s.sh c files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
5: prog ¿ files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
./s.sh:2: prog ¿ files s.sh:'#!/bin/bash\nprog "$0" "$@"; export A=1; cd /; exit 4\n'
after: {A=1@./s.sh:2}
missing: ./t.sh launch 5
----
printf '#!/bin/sh -e\nfalse\nprog no\n' > a; ./a; printf '#!/usr/bin/env bash\nprog a\n' > b; ./b; printf '#!/usr/bin/python\nprog no\n' > c; ./c; printf 'prog no\n' > d; ./d; printf '# #!/bin/sh\n' > e; ./e; printf '#!/usr/bin/zsh\nprog z\n' > g; ./g; printf '#!/bin/fish\n' > h; ./h; printf '#!x ksh\nprog k\n' > i; ./i; printf '#!/bin/csh\n' > j; ./j
=>
./b:2: prog a files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n'
1: ./c files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n'
1: ./d files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n'
1: ./e files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n' e:'# #!/bin/sh\n'
./g:2: prog z files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n' e:'# #!/bin/sh\n' g:'#!/usr/bin/zsh\nprog z\n'
1: ./h files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n' e:'# #!/bin/sh\n' g:'#!/usr/bin/zsh\nprog z\n' h:'#!/bin/fish\n'
./i:2: prog k files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n' e:'# #!/bin/sh\n' g:'#!/usr/bin/zsh\nprog z\n' h:'#!/bin/fish\n' i:'#!x ksh\nprog k\n'
1: ./j files a:'#!/bin/sh -e\nfalse\nprog no\n' b:'#!/usr/bin/env bash\nprog a\n' c:'#!/usr/bin/python\nprog no\n' d:'prog no\n' e:'# #!/bin/sh\n' g:'#!/usr/bin/zsh\nprog z\n' h:'#!/bin/fish\n' i:'#!x ksh\nprog k\n' j:'#!/bin/csh\n'
----
./run.bash; ./a.slurm x; ./b.sbatch; ./c.py; ./python.sh; a/b/c.sh; /x/y.sh; $(nproc).sh; ./$(nproc).sh; ~/x.sh; s.sh
=>
1: ./run.bash
1: ./a.slurm x
1: ./b.sbatch
1: ./c.py
1: ./python.sh
1: a/b/c.sh
1: /x/y.sh
1: nproc
1: ¿.sh
1: nproc
1: ./¿.sh
1: ¿/x.sh
1: s.sh
missing: ./run.bash launch 1
missing: ./a.slurm launch 1
missing: ./b.sbatch launch 1
missing: a/b/c.sh launch 1
missing: /x/y.sh launch 1
----
srun -N 2 bash -c 'prog a; prog $A'; export A=1; srun bash -c 'prog $A'; srun bash s.sh; prog $?; srun env B=1 prog x; srun prog y; srun nohup bash -c 'prog z'; srun -n 1 srun bash -c 'prog w'; srun bash -c ''; prog
=>
1: srun -N 2 prog a
1: srun -N 2 prog
1: srun prog 1 {A=1@1}
1: srun bash s.sh {A=1@1}
1: prog ¿ {A=1@1}
1: srun prog x {A=1@1, B=1@1}
1: srun prog y {A=1@1}
1: srun prog z {A=1@1}
1: srun -n 1 srun bash -c 'prog w' {A=1@1}
1: srun bash -c '' {A=1@1}
1: prog {A=1@1}
missing: s.sh launch 1
----
export A=1; docker run --rm image bash -c 'prog $A; cd x; prog'; docker run image prog; podman exec c sh -c 'prog p'; singularity exec i bash -c 'prog s'; apptainer exec i bash -c 'prog t'; nvidia-docker run i bash -c 'prog u'; prog
=>
1: docker run --rm image prog … in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: docker run --rm image prog in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: docker run image prog {A=1@1}
1: podman exec c prog p in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: singularity exec i prog s in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: apptainer exec i prog t in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: nvidia-docker run i prog u in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: prog {A=1@1}
----
uv run bash -c 'prog a'; uv run s.sh; uv run env A=1 prog; echo 'prog $1' > s.sh; uv run s.sh x; srun s.sh y; srun ./s.sh z; srun nowhere.bash; conda run -n e bash -c 'prog c'; mpirun -np 2 env -u A bash -c 'prog m'; srun $(ls) bash -c 'prog n'
=>
1: uv run prog a
1: uv run s.sh
1: uv run prog {A=1@1}
1: uv run s.sh x files s.sh:'prog $1\n'
1: srun s.sh y files s.sh:'prog $1\n'
1: srun ./s.sh z files s.sh:'prog $1\n'
1: srun nowhere.bash files s.sh:'prog $1\n'
1: conda run -n e prog c files s.sh:'prog $1\n'
1: mpirun -np 2 prog m files s.sh:'prog $1\n'
1: ls files s.sh:'prog $1\n'
1: srun … bash -c 'prog n' files s.sh:'prog $1\n'
----
X=$(srun bash -c 'echo a'); prog "$X"; srun bash -c 'exit 3'; prog $?; srun bash -c 'echo x > f'; prog; srun time prog; srun env
=>
1: srun bash -c 'echo a'
1: prog ¿
1: srun bash -c 'exit 3'
1: prog ¿
1: srun bash -c 'echo x > f' files f:'x\n'
1: prog files f:'x\n'
1: srun prog files f:'x\n'
1: srun env files f:'x\n'
----
echo a | xargs prog b; xargs -n 1 prog; xargs -I {} prog {}; xargs -P 4 -L 1 python x; xargs -d , -a f -E e -s 9 prog; xargs rm; xargs -0 -r prog; xargs; xargs -n 1; X=$(xargs echo); prog "$X"; xargs bash -c 'prog q'; nohup xargs prog w
=>
1: xargs prog b
1: prog b … # run.sh:1:1: started by xargs, as in a loop
1: xargs -n 1 prog
1: prog … # run.sh:1:1: started by xargs, as in a loop
1: xargs -I {} prog {}
1: prog {} … # run.sh:1:1: started by xargs, as in a loop
1: xargs -P 4 -L 1 python x
1: python x … # run.sh:1:1: started by xargs, as in a loop
1: xargs -d , -a f -E e -s 9 prog
1: prog … # run.sh:1:1: started by xargs, as in a loop
1: xargs rm
1: xargs -0 -r prog
1: prog … # run.sh:1:1: started by xargs, as in a loop
1: xargs
1: xargs -n 1
1: xargs echo
1: prog ¿
1: xargs bash -c 'prog q'
1: bash -c 'prog q' … # run.sh:1:1: started by xargs, as in a loop
1: xargs prog w
1: prog w … # run.sh:1:1: started by xargs, as in a loop
----
srun xargs prog; A=1 env prog; A=1 B=$A prog $A; A=1 f; f() { prog; }; A=1 f; prog; A=2 A=3 prog; A=(1) prog; A+=x prog; export A=y; A+=z prog; prog; A=1 exit; prog no
=>
1: srun xargs prog
1: prog {A=1@1}
1: prog {A=1@1, B=1@1}
1: f {A=1@1}
1: prog {A=1@1}
1: prog
1: prog {A=3@1}
1: prog {A=¿@1}
1: prog {A=x@1}
1: prog {A=yz@1}
1: prog {A=y@1}
after: {A=1@1}
----
A=1 B=2 eval 'prog $A'; prog; A=1 source nowhere; prog
=>
1: prog 1 {A=1@1, B=2@1}
1: prog
1: prog {others unknown, since run.sh:1:1 runs nowhere, which is not known}
missing: nowhere launch 1
----
A=1 cd x; prog "$A"; IFS=, read a b; prog "$IFS"; A=1 :; prog "${A-u}"; A=1 unset A; prog "${A-u}"; A=1 export A; prog
=>
1: prog '' in x
1: prog ' \t\n' in x
1: prog u in x
1: prog u in x
1: prog in x
----
bash -c 'bash -c "bash -c \"prog deep\""'; bash -c 'cd x; prog; echo y > z'; prog
=>
1: prog deep
1: prog in x
1: prog files x/z:'y\n'
----
eval "$(conda shell.bash hook)"; prog $?; eval "$(/opt/bin/micromamba shell hook)"; eval $(ssh-agent -s) && prog; eval "$(brew x)"; eval "$(other)"; prog
=>
1: prog 0
1: prog
1: other
1: … # run.sh:1:1: eval of a text that is not known
1: prog in ¿ {others unknown, since run.sh:1:1: eval of a text that is not known}
----
eval "`conda shell.bash hook`"; eval "$(conda a; conda b)"; prog
=>
1: conda a
1: conda b
1: … # run.sh:1:1: eval of a text that is not known
1: prog in ¿ {others unknown, since run.sh:1:1: eval of a text that is not known}
----
eval "x$(conda hook)"; prog
=>
1: conda hook
1: x… # run.sh:1:1: eval of a text that is not known
1: prog in ¿ {others unknown, since run.sh:1:1: eval of a text that is not known}
----
printf '#!/bin/bash -e\nfalse\nprog no\n' > a; ./a; printf '#!/bin/bash -eux\nfalse\nprog no\n' > b; ./b; printf '#!/usr/bin/env -S bash -e\nfalse\nprog no\n' > c; ./c; printf '#!/bin/bash --norc\nfalse\nprog yes\n' > d; ./d; printf '#!/bin/sh -a\nA=1\nprog\n' > e; ./e; bash a
=>
./d:3: prog yes files a:'#!/bin/bash -e\nfalse\nprog no\n' b:'#!/bin/bash -eux\nfalse\nprog no\n' c:'#!/usr/bin/env -S bash -e\nfalse\nprog no\n' d:'#!/bin/bash --norc\nfalse\nprog yes\n'
./e:3: prog {A=1@./e:2} files a:'#!/bin/bash -e\nfalse\nprog no\n' b:'#!/bin/bash -eux\nfalse\nprog no\n' c:'#!/usr/bin/env -S bash -e\nfalse\nprog no\n' d:'#!/bin/bash --norc\nfalse\nprog yes\n' e:'#!/bin/sh -a\nA=1\nprog\n'
a:3: prog no files a:'#!/bin/bash -e\nfalse\nprog no\n' b:'#!/bin/bash -eux\nfalse\nprog no\n' c:'#!/usr/bin/env -S bash -e\nfalse\nprog no\n' d:'#!/bin/bash --norc\nfalse\nprog yes\n' e:'#!/bin/sh -a\nA=1\nprog\n'
----
docker run i bash -c 'echo x > f; echo y > g'; prog; echo x > f; docker run i bash -c 'echo x > f; echo q > h; python a'; prog; srun bash -c 'echo z > h; prog'; prog
=>
1: docker run i bash -c 'echo x > f; echo y > g' files f:¿ g:¿
1: prog files f:¿ g:¿
1: docker run i python a in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known} files f:'x\n' g:¿ h:'q\n'
1: prog files f:'x\n' g:¿ h:¿
1: srun prog files f:'x\n' g:¿ h:'z\n'
1: prog files f:'x\n' g:¿ h:'z\n'
----
X=$(srun -n 2 bash -c 'prog > /dev/null; echo a'); prog "$X"; srun bash -c 'prog; exit 3'; prog $?; srun bash -c 'python a' && prog b; f() { srun bash -c 'prog c'; }; X=$(f); prog "$X"
=>
1: srun -n 2 prog
1: prog ¿
1: srun prog
1: prog ¿
1: srun python a
1: prog b
1: srun prog c
1: prog ¿
----
time bash -c 'prog $$'; nohup bash -c 'prog a; exit 4'; prog $?; env A=1 bash -c 'prog "$A"; echo x > f'; prog; env -C d bash -c 'prog; cd e; prog'; prog; nice env -u A X=1 mkdir y && prog z
=>
1: prog ¿
1: prog a
1: prog 4
1: prog 1 {A=1@1}
1: prog files f:'x\n'
1: prog in d files f:'x\n'
1: prog in d/e files f:'x\n'
1: prog files f:'x\n'
1: mkdir y {X=1@1} files f:'x\n'
1: prog z files f:'x\n'
----
env A=1 echo x > f; env A=1 cat f; X=$(env A=1 seq 2); prog "$X"; X=$(nohup mkdir a); prog "$X"; env A=1; prog $?; nice; prog $?
=>
1: echo x {A=1@1} files f:¿
1: cat f {A=1@1} files f:¿
1: seq 2 {A=1@1} files f:¿
1: prog '1\n2' files f:¿
1: mkdir a files f:¿
1: prog '' files f:¿
1: prog ¿ files f:¿
1: nice files f:¿
1: prog ¿ files f:¿
----
docker run -e A=1 i prog; podman run i sh x.sh; kubectl exec p -- bash -c 'prog'; ssh h 'prog'; ssh h bash -c 'prog'; make x; cmake . && prog a; ray job submit -- bash -c 'prog'; trl x && prog b; vllm x && prog c; deepspeed x && prog d
=>
1: docker run -e A=1 i prog
1: podman run i sh x.sh in ¿ {others unknown, since run.sh:1:1: the environment in the container is not known}
1: kubectl exec p -- bash -c prog
1: ssh h prog in ¿ {others unknown, since run.sh:1:1: the environment on the other machine is not known}
1: ssh h prog in ¿ {others unknown, since run.sh:1:1: the environment on the other machine is not known}
1: make x
1: cmake .
1: prog a
1: ray job submit -- prog
1: trl x
1: prog b
1: vllm x
1: prog c
1: deepspeed x
1: prog d
missing: x.sh launch 1
----
./x.sh a | cat; bash x.sh | cat; bash; bash - ; bash -i; bash --login -c 'prog l'; bash --version; bash -xc 'prog x' y; bash -ce 'false; prog no'; bash +e -c 'false; prog p'; bash -O extglob -c 'prog O'; bash +O extglob -c 'prog P'; bash --init-file f -c 'prog i'
=>
1: ./x.sh a
1: cat files -:¿
1: bash x.sh
1: cat files -:¿
1: bash
1: bash -
1: bash -i
1: prog l
1: bash --version
1: prog x
1: prog O
1: prog P
1: prog i
missing: ./x.sh launch 1
missing: x.sh launch 1
missing: - launch 1
----
echo 'prog $1' > s.sh; bash -s < s.sh; bash -s a < s.sh; bash -s -- a b < s.sh; bash -es x < s.sh; bash < s.sh; bash -e < s.sh; cat s.sh | bash -s c; zsh s.sh d; ash s.sh; ./bash s.sh; /x/sh s.sh e
=>
1: prog files s.sh:'prog $1\n' -:'prog $1\n'
1: prog a files s.sh:'prog $1\n'
1: prog a files s.sh:'prog $1\n'
1: prog x files s.sh:'prog $1\n'
1: prog files s.sh:'prog $1\n' -:'prog $1\n'
1: prog files s.sh:'prog $1\n' -:'prog $1\n'
1: cat s.sh files s.sh:'prog $1\n'
1: prog c files s.sh:'prog $1\n'
s.sh:1: prog d files s.sh:'prog $1\n'
s.sh:1: prog files s.sh:'prog $1\n'
s.sh:1: prog files s.sh:'prog $1\n'
s.sh:1: prog e files s.sh:'prog $1\n'
----
export A=1; B=2; echo 'prog "$A" "$B" $PWD; A=3' > s.sh; bash s.sh; cd d; bash ../s.sh; . ../s.sh; prog; bash -c '. ../s.sh; prog'; bash -c 'f() { prog in; }; f; exit 2; prog no' || prog or
=>
s.sh:1: prog 1 '' ¿ {A=1@1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
../s.sh:1: prog 1 '' ¿ in d {A=1@1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
../s.sh:1: prog 1 2 ¿ in d {A=1@1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
1: prog in d {A=3@../s.sh:1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
../s.sh:1: prog 3 '' ¿ in d {A=3@../s.sh:1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
1: prog in d {A=3@../s.sh:1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
1: prog in in d {A=3@../s.sh:1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
1: prog or in d {A=3@../s.sh:1} files s.sh:'prog "$A" "$B" $PWD; A=3\n'
----
bash -c "$(nproc)a; prog"; bash -c "a$(nproc)"; bash -c "( $(nproc) )"; bash -c "a | $(ls)"; bash -c "x; $(ls)"; bash -c "x
$(nproc)"; bash -c "x & $(nproc)"; bash <<< "$(nproc) x"; prog
=>
1: nproc
1: ¿a
1: prog
1: nproc
1: a¿
1: nproc
1: ¿
1: ls
1: a # run.sh:1:1: a part of the commands is not known
1: … files -:¿ # run.sh:1:1: a part of the commands is not known
1: ls
1: x # run.sh:1:1: a part of the commands is not known
1: … # run.sh:1:1: a part of the commands is not known
2: nproc
1: x
2: ¿
2: nproc
2: x &
2: ¿
2: nproc
2: ¿ x
2: prog
----
xargs -n1 prog a; xargs -I{} bash -c 'prog {}'; xargs -I {} -P 2 python {}; xargs -i prog; xargs -t rm; xargs -L 2 -n 3 kill; xargs mkdir; xargs cp a; xargs -d '\n' grep; xargs -E x -s 3 basename; xargs echo; xargs cat; xargs ls; xargs mv; xargs dirname
=>
1: xargs -n1 prog a
1: prog a … # run.sh:1:1: started by xargs, as in a loop
1: xargs -I{} bash -c 'prog {}'
1: bash -c 'prog {}' … # run.sh:1:1: started by xargs, as in a loop
1: xargs -I {} -P 2 python {}
1: python {} … # run.sh:1:1: started by xargs, as in a loop
1: xargs -i prog
1: prog … # run.sh:1:1: started by xargs, as in a loop
1: xargs -t rm
1: xargs -L 2 -n 3 kill
1: xargs mkdir
1: xargs cp a
1: xargs -d \n grep
1: xargs -E x -s 3 basename
1: xargs echo
1: xargs cat
1: xargs ls
1: xargs mv
1: xargs dirname
----
export A=1 && source none; find .; which x; nvidia-smi; sort f; cut f; jq . f; grep a f; /x/y; ./z; python3 a; torchrun b; bash -c 'prog'; nohup x; srun y; pip z; export B=2; python c
=>
1: find . {others unknown, since run.sh:1:1 runs none, which is not known}
1: which x {others unknown, since run.sh:1:1 runs none, which is not known}
1: nvidia-smi {others unknown, since run.sh:1:1 runs none, which is not known}
1: sort f {others unknown, since run.sh:1:1 runs none, which is not known}
1: cut f {others unknown, since run.sh:1:1 runs none, which is not known}
1: jq . f {others unknown, since run.sh:1:1 runs none, which is not known}
1: grep a f {others unknown, since run.sh:1:1 runs none, which is not known}
1: /x/y {others unknown, since run.sh:1:1 runs none, which is not known}
1: ./z {others unknown, since run.sh:1:1 runs none, which is not known}
1: python3 a {others unknown, since run.sh:1:1 runs none, which is not known}
1: torchrun b {others unknown, since run.sh:1:1 runs none, which is not known}
1: prog {others unknown, since run.sh:1:1 runs none, which is not known}
1: x {others unknown, since run.sh:1:1 runs none, which is not known}
1: srun y {others unknown, since run.sh:1:1 runs none, which is not known}
1: pip z {others unknown, since run.sh:1:1 runs none, which is not known}
1: python c {B=2@1, others unknown, since run.sh:1:1 runs none, which is not known}
missing: none launch 1
----
for c in mkdir cp mv ln touch chmod chown rm sleep pip pip3 conda mamba micromamba apt apt-get git wget curl tar unzip; do $c x && prog; done; for c in tee cat sed module ml huggingface-cli hf wandb aws gsutil rsync date hostname clear docker; do $c x && prog; done
=>
1: mkdir x
1: prog
1: cp x
1: prog files x:¿
1: mv x files x:¿
1: prog files x:¿
1: ln x files x:¿
1: prog files x:¿
1: touch x files x:¿
1: prog files x:¿
1: chmod x files x:¿
1: prog files x:¿
1: chown x files x:¿
1: prog files x:¿
1: rm x files x:¿
1: prog files x:¿
1: sleep x files x:¿
1: prog files x:¿
1: pip x files x:¿
1: prog files x:¿
1: pip3 x files x:¿
1: prog files x:¿
1: conda x files x:¿
1: prog files x:¿
1: mamba x files x:¿
1: prog files x:¿
1: micromamba x files x:¿
1: prog files x:¿
1: apt x files x:¿
1: prog files x:¿
1: apt-get x files x:¿
1: prog files x:¿
1: git x files x:¿
1: prog files x:¿
1: wget x files x:¿
1: prog files x:¿
1: curl x files x:¿
1: prog files x:¿
1: tar x files x:¿
1: prog files x:¿
1: unzip x files x:¿
1: prog files x:¿
1: tee x files x:¿
1: prog files x:¿
1: cat x files x:¿
1: prog files x:¿
1: sed x files x:¿
1: prog files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: huggingface-cli x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: hf x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: wandb x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: aws x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: gsutil x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: rsync x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: date x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: hostname x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: clear x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: docker x {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
1: prog {CUDA_HOME=¿@1, CUDA_PATH=¿@1, LD_LIBRARY_PATH=¿@1, PATH=¿@1} files x:¿
----
for c in python python3 python3.11 torchrun accelerate accelerate-launch deepspeed trl vllm srun mpirun mpiexec uv ray make cmake; do $c && prog $c; done; for c in Python xtorchrun torchrunx accelerate-x vllm2 bash nohup; do $c && prog $c; done
=>
1: python
1: prog python
1: python3
1: prog python3
1: python3.11
1: prog python3.11
1: torchrun
1: prog torchrun
1: accelerate
1: prog accelerate
1: accelerate-launch
1: prog accelerate-launch
1: deepspeed
1: prog deepspeed
1: trl
1: prog trl
1: vllm
1: prog vllm
1: srun
1: prog srun
1: mpirun
1: prog mpirun
1: mpiexec
1: prog mpiexec
1: uv
1: prog uv
1: ray
1: prog ray
1: make
1: prog make
1: cmake
1: prog cmake
1: Python
1: prog Python # run.sh:1:1: runs after && only
1: xtorchrun
1: prog xtorchrun # run.sh:1:1: runs after && only
1: torchrunx
1: prog torchrunx # run.sh:1:1: runs after && only
1: accelerate-x
1: prog accelerate-x # run.sh:1:1: runs after && only
1: vllm2
1: prog vllm2 # run.sh:1:1: runs after && only
1: bash
1: prog bash # run.sh:1:1: runs after && only
1: nohup
1: prog nohup # run.sh:1:1: runs after && only
----
[ -f a ] && { cat; cp; date; dirname; basename; chmod; curl; df; du; /bin/ls; find; free; git; grep; head; hostname; id; kill; ln; lscpu; mkdir; mv; nproc; nvidia-smi; exit; }; prog a; [ -f b ] && { pip; pip3; pkill; ps; pwd; realpath; rm; sed; sleep; sort; sync; tail; tee; touch; tput; tr; uname; wc; wget; which; whoami; exit; }; prog b; [ -f c ] && { python; exit; }; prog c
=>
1: cat # run.sh:1:1: runs after && only
1: cp # run.sh:1:1: runs after && only
1: date # run.sh:1:1: runs after && only
1: dirname # run.sh:1:1: runs after && only
1: basename # run.sh:1:1: runs after && only
1: chmod # run.sh:1:1: runs after && only
1: curl # run.sh:1:1: runs after && only
1: df # run.sh:1:1: runs after && only
1: du # run.sh:1:1: runs after && only
1: /bin/ls # run.sh:1:1: runs after && only
1: find # run.sh:1:1: runs after && only
1: free # run.sh:1:1: runs after && only
1: git # run.sh:1:1: runs after && only
1: grep # run.sh:1:1: runs after && only
1: head # run.sh:1:1: runs after && only
1: hostname # run.sh:1:1: runs after && only
1: id # run.sh:1:1: runs after && only
1: ln # run.sh:1:1: runs after && only
1: lscpu # run.sh:1:1: runs after && only
1: mkdir # run.sh:1:1: runs after && only
1: mv # run.sh:1:1: runs after && only
1: nproc # run.sh:1:1: runs after && only
1: nvidia-smi # run.sh:1:1: runs after && only
1: prog a
1: pip # run.sh:1:1: runs after && only
1: pip3 # run.sh:1:1: runs after && only
1: pkill # run.sh:1:1: runs after && only
1: ps # run.sh:1:1: runs after && only
1: realpath # run.sh:1:1: runs after && only
1: rm # run.sh:1:1: runs after && only
1: sed # run.sh:1:1: runs after && only
1: sleep # run.sh:1:1: runs after && only
1: sort # run.sh:1:1: runs after && only
1: sync # run.sh:1:1: runs after && only
1: tail # run.sh:1:1: runs after && only
1: tee # run.sh:1:1: runs after && only
1: touch # run.sh:1:1: runs after && only
1: tput # run.sh:1:1: runs after && only
1: tr # run.sh:1:1: runs after && only
1: uname # run.sh:1:1: runs after && only
1: wc # run.sh:1:1: runs after && only
1: wget # run.sh:1:1: runs after && only
1: which # run.sh:1:1: runs after && only
1: whoami # run.sh:1:1: runs after && only
1: prog b
1: python # run.sh:1:1: runs after && only
1: prog c # run.sh:1 may end the script before
----
for c in nproc whoami mktemp uname arch logname uuidgen tty date; do X=$($c); prog --a=$X "$X"; done
=>
1: nproc
1: prog --a=¿ ¿
1: whoami
1: prog --a=¿ ¿
1: mktemp
1: prog --a=¿ ¿
1: uname
1: prog --a=¿ ¿
1: arch
1: prog --a=¿ ¿
1: logname
1: prog --a=¿ ¿
1: uuidgen
1: prog --a=¿ ¿
1: tty
1: prog --a=¿ ¿
1: date
1: prog --a=… ¿
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_which_programs_are_started_by_others(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
