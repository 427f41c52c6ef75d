"""Programs behind other programs, and other shells."""

from __future__ import annotations

import pytest

from tests.unit.sources.plan.shell.claims import NOTHING, cases, claims

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
missing: ¿ launch 1
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
"""


@pytest.mark.parametrize(("script", "expected"), cases(TABLE))
def test_which_programs_are_started_by_others(script: str, expected: str) -> None:
    assert claims(script, start=NOTHING, arguments=(), reads=False) == expected
