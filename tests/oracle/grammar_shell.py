"""Launch scripts: the ways in which a shell starts a training, with the files that it needs."""

from __future__ import annotations

import re

from tests.oracle import grammar_files
from tests.oracle.chance import Chance
from tests.oracle.example import Caller, Example
from tests.oracle.grammar_python import script, variables
from tests.oracle.spelling import Filler, block

#: Kinds of the user's default configuration. One that limits every run to one process is taken not to exist, as
#: `vcompat.sources.reading.launchers.launch_facts` says.
_OF_THE_USER = ("MULTI_GPU", "DEEPSPEED", "FSDP")
#: What a launch script does before the launch.
PRELUDES = block(
    "shell",
    """
### export
export <E>=<F>
### export quoted
export <E>="<F>"  # as recommended
### assignment only
<E>=<F>
### assignment, then export
<E>=<F>
export <E>
### export default
export <E>=${<E>:-<F>}
### export alternative
export <E>="${DEBUG:+<F>}"
### assign default
: "${<E>:=<F>}"
export <E>
### unset
unset <E>
### export and unset
export <E>=<F>
unset <E>
### export in an if
if [ -n "$DEBUG" ]; then
  export <E>=<F>
fi
### export in both branches
if [[ "$DEBUG" == 1 ]]; then
  export <E>=<F>
else
  export <E>=other
fi
### export if unset
[[ -z "$<E>" ]] && export <E>=<F>
### test and export
test -n "$FAST" && export <E>=<F>
### test or export
[ -n "$FAST" ] || export <E>=<F>
### false and export
false && export <E>=<F>
### true or export
true || export <E>=<F>
### case
case "$VMODE" in
  server) export <E>=<F> ;;
  *) export <E>=x ;;
esac
### case of the host
case "$(hostname)" in
  node9*) export <E>=<F> ;;
esac
### loop
for value in 1 <F>; do
  export <E>=$value
done
### function called
prepare<N>() {
  export <E>=<F>
}
prepare<N>
### function not called
prepare<N>() {
  export <E>=<F>
}
### function with local
prepare<N>() {
  local <E>=<F>
}
prepare<N>
### function with arguments
set_variable<N>() { export "$1=$2"; }
set_variable<N> <E> <F>
### subshell
(export <E>=<F>)
### group
{ export <E>=<F>; }
### pipeline
true | export <E>=<F>
### source
source env<N>.sh
=== env<N>.sh
export <E>=<F>
### dot
. ./env<N>.sh
=== env<N>.sh
[ -n "$FAST" ] && return
export <E>=<F>
### set -a
set -a
source vars<N>.env
set +a
=== vars<N>.env
<E>=<F>
### export of a file
export $(grep -v '^#' vars<N>.env | xargs)
=== vars<N>.env
# comment
<E>=<F>
### source that is missing
source ~/.secrets 2>/dev/null
### declare
declare -x <E>=<F>
### eval
eval "export <E>=<F>"
### several exports
export A=1 <E>=<F> B=2
### substitution
export <E>=$(echo <F>)
### arithmetic
N<N>=$((1 + 1))
export <E>=$N<N>
### variable of a variable
name=<E>
export $name=<F>
### read
read -r <E> <<< "<F>"
export <E>
### printf
printf -v <E> '%s' <F>
export <E>
### append
export <E>=a
export <E>+=b
### here-document for a file
cat > more<N>.sh <<EOF
export <E>=<F>
EOF
source more<N>.sh
### early exit
if [ "$VMODE" = server ] && [ -n "$DEBUG" ]; then
  exit 0
fi
### set -e
set -euo pipefail
set +u
### directory
mkdir -p logs
cd "$(dirname "$0")"
### server
CUDA_VISIBLE_DEVICES=7 trl vllm-serve --model Qwen/Qwen2.5-0.5B &
sleep 5
### server not started
# trl vllm-serve --model Qwen/Qwen2.5-0.5B &
### server in a condition
if [ -n "$FAST" ]; then
  trl vllm-serve --model a/b &
fi
### export in a comment
# export <E>=<F>
### here-document that is no command
cat <<'EOF' > notes.txt
export <E>=<F>
torchrun --nproc_per_node 16 other.py
EOF
### while
while [ "$i" != 1 ]; do
  export <E>=<F>
  i=1
done
### trap
trap 'unset <E>' EXIT
### count of GPUs
COUNT=$(nvidia-smi --list-gpus | wc -l)
export <E>=$COUNT
### conditional assignment
[[ "$DEBUG" ]] && VALUE<N>=<F> || VALUE<N>=x
export <E>=$VALUE<N>
### substring
VALUE<N>=<F>
export <E>=${VALUE<N>:0:1}
### array element
VALUES=(a <F>)
export <E>=${VALUES[1]}
### unexport
export <E>=<F>
export -n <E>
""",
)

#: How options reach the training script: what stands before the launch, and the words, after the line with %%%.
OPTIONS = block(
    "options",
    """
### inline
%%%
<O>
### with equals signs
%%%
--<S>=<V> --<T>=<U>
### twice
%%%
--<S> <V> --<S> <W>
### variable
OPTS="<O>"
%%%
$OPTS
### variable extended
OPTS="<O>"
OPTS="$OPTS --<S> <V>"
%%%
$OPTS
### variable appended
OPTS="<O>"
[ -n "$DEBUG" ] && OPTS+=" --<S> <V>"
%%%
$OPTS
### array
ARGS=(<O>)
%%%
"${ARGS[@]}"
### array appended
ARGS=(--<S> <V>)
ARGS+=(--<T> <U>)
%%%
"${ARGS[@]}"
### array appended in a condition
ARGS=(<O>)
if [ -n "$FAST" ]; then
  ARGS+=(--<S> <V>)
fi
%%%
"${ARGS[@]}"
### all arguments
%%%
<O> "$@"
### all arguments first
%%%
$@ <O>
### first argument
%%%
--num_generations ${1:-8} --<S> <V>
### first argument required
%%%
--num_generations $1
### shifted arguments
SIZE=${1:-2}
shift
%%%
--vllm_tensor_parallel_size "$SIZE" "$@"
### caller's variable
%%%
--vllm_tensor_parallel_size ${TP:-2} --vllm_mode ${VMODE:-colocate}
### caller's variable assigned
TP=${TP:-4}
%%%
--vllm_tensor_parallel_size $TP
### own variable
TP=4
%%%
--vllm_tensor_parallel_size "$TP" --num_generations $((TP * 2))
### own variable in a subshell
TP=2
(TP=8)
%%%
--vllm_tensor_parallel_size $TP
### loop variable
for size in 2 4; do TP=$size; done
%%%
--vllm_tensor_parallel_size $TP
### substitution
%%%
$(echo "--<S> <V>")
### from a file
%%%
$(cat options<N>.txt)
=== options<N>.txt
--<S> <V>
### quotes
%%%
--"<S>" '<V>' --run_name "a b"
### continued lines
%%%
--<S> <V> \\
  --<T> <U> \\
  --run_name x
### comment in backquotes
%%%
--<S> <V> \\
  `# größe of the group` \\
  --<T> <U> \\
  \\
  `# the author's "name"` \\
  --run_name x
### brace default of another
%%%
--num_generations ${NGEN:-${1:-8}}
### empty variable
EXTRA=""
%%%
$EXTRA --<S> <V>
### none
%%%
### configuration
%%%
--config config.yaml
### configuration and options
%%%
--config config.yaml --<S> <V>
### configuration by variable
CFG=config
%%%
--config $CFG.yaml
### configuration of the caller
%%%
--config ${CONFIG:-config.yaml}
### configuration changed by sed
sed -i 's/num_generations: .*/num_generations: 64/' config.yaml
%%%
--config config.yaml
### configuration written
cat > config.yaml <<EOF
dataset_name: x
<S>: <V>
num_generations: ${NGEN:-8}
EOF
%%%
--config config.yaml
### configuration appended
echo "num_iterations: 7" >> config.yaml
%%%
--config config.yaml
### configuration of sed
sed -e 's|num_generations: .*|num_generations: 48|' -e '/^beta/d' config.yaml > filled.yaml
%%%
--config filled.yaml
### configuration copied and changed
cp config.yaml filled.yaml
sed -i "s/^num_generations:.*/num_generations: 32/;s/dataset_name: x/dataset_name: z/" filled.yaml
%%%
--config filled.yaml
### configuration of envsubst
export GENERATIONS=24
printf 'dataset_name: x\nnum_generations: ${GENERATIONS}\n' > template.yaml
envsubst < template.yaml > filled.yaml
%%%
--config filled.yaml
### configuration that a search decides
if grep -q '^num_generations' config.yaml; then C=config; else C=other; fi
%%%
--config $C.yaml
### configuration copied
cp config.yaml copy.yaml
%%%
--config copy.yaml
""",
)

#: The launch. `@` is the script with its options.
LAUNCHES = block(
    "launch",
    """
### python
python @
### python3 -u
python3 -u @
### python with a variable
<E>=<F> python @
### env
env <E>=<F> python @
### env -u
env -u <E> python @
### exec
exec python @
### nohup
nohup python @ > log.txt 2>&1 &
wait
### tee
python @ 2>&1 | tee log.txt
### subshell
(export <E>=<F>; python @)
### bash -c
bash -c "python train.py --num_generations 8"
### command in a variable
CMD="python @"
$CMD
### eval
eval "torchrun --nproc_per_node 2 @"
### function
run() {
  torchrun --nproc_per_node 4 "$@"
}
run @
### torchrun
torchrun --nproc_per_node 4 @
### torchrun equals
torchrun --standalone --nproc-per-node=2 @
### torchrun nodes
torchrun --nnodes 2 --node_rank 0 --nproc_per_node 8 --master_addr 10.0.0.1 --master_port 1234 @
### torchrun elastic
torchrun --nnodes=1:2 --nproc_per_node=2 --rdzv_backend c10d --rdzv_endpoint localhost:0 @
### torchrun GPUs of the caller
torchrun --nproc_per_node ${GPUS:-8} @
### torchrun GPUs assigned
GPUS=4
torchrun --nproc_per_node $GPUS --nnodes ${NODES:-1} --node_rank 0 --master_addr localhost @
### torchrun auto
torchrun --nproc_per_node gpu @
### torchrun counted
torchrun --nproc_per_node $(nvidia-smi -L | wc -l) @
### torchrun devices
CUDA_VISIBLE_DEVICES=0,1,2 torchrun --nproc_per_node 3 @
### torchrun devices of a sequence
CUDA_VISIBLE_DEVICES=$(seq -s, 0 2) torchrun --nproc_per_node 3 @
### torchrun devices of an array
IFS=',' read -ra GPUS <<< "${DEVICES:-0,1,2}"
REST=$(IFS=','; echo "${GPUS[*]:1}")
CUDA_VISIBLE_DEVICES=$REST torchrun --nproc_per_node $((${#GPUS[@]} - 1)) @
### torchrun default
torchrun @
### torchrun by python
python -m torch.distributed.run --nproc_per_node=2 @
### torchrun first argument
torchrun --nproc_per_node ${1:-2} @
### torchrun environment
export PET_NPROC_PER_NODE=3
torchrun @
### torchrun module
torchrun --nproc_per_node 2 -m train
### torchrun in cd
cd sub && torchrun --nproc_per_node 2 ../train.py
=== sub/readme.txt
x
### torchrun continued
torchrun \\
  --nproc_per_node 4 \\
  @
### torchrun with comments in backquotes
`# start` torchrun \\
  `# 处理器, <E>` \\
  --nproc_per_node 2 `# of 8` --nnodes 1 \\
  `# don't forget` \\
  @
### accelerate
accelerate launch @
### accelerate processes
accelerate launch --num_processes 4 @
### accelerate configuration
accelerate launch --config_file acc.yaml @
### accelerate configuration and processes
accelerate launch --config_file acc.yaml --num_processes 2 @
### accelerate configuration and precision
accelerate launch --config_file=acc.yaml --mixed_precision fp16 --num_processes=4 @
### accelerate multi_gpu
accelerate launch --multi_gpu --num_processes 2 --mixed_precision bf16 @
### accelerate machines
accelerate launch --multi_gpu --num_machines 2 --machine_rank 0 --num_processes 16 \\
  --main_process_ip 10.0.0.1 --main_process_port 29501 @
### accelerate deepspeed
accelerate launch --use_deepspeed --zero_stage 3 --num_processes 4 --offload_optimizer_device cpu @
### accelerate deepspeed file
accelerate launch --use_deepspeed --deepspeed_config_file ds.json --num_processes 4 @
### accelerate deepspeed over the configuration
accelerate launch --config_file acc.yaml --use_deepspeed --zero_stage 2 @
### accelerate fsdp
accelerate launch --use_fsdp --fsdp_version 2 --num_processes 8 @
### accelerate fsdp over the configuration
accelerate launch --use_fsdp --config_file acc.yaml @
### accelerate gpu_ids
accelerate launch --gpu_ids 0,1 --num_processes 2 --multi_gpu @
### accelerate cpu
accelerate launch --cpu --num_processes 1 @
### accelerate dashes
accelerate launch --num-processes 4 --mixed-precision bf16 @
### accelerate variable
accelerate launch --num_processes ${GPUS:-4} @
### accelerate configuration of the caller
accelerate launch --config_file ${CONFIG_FILE:-acc.yaml} @
### accelerate in a variable
LAUNCHER="accelerate launch --num_processes 2"
$LAUNCHER @
### accelerate by python
python -m accelerate.commands.launch --num_processes 2 @
### accelerate written configuration
cat > acc2.yaml <<EOF
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: bf16
num_machines: 1
num_processes: ${GPUS:-4}
EOF
accelerate launch --config_file acc2.yaml @
### accelerate environment
ACCELERATE_MIXED_PRECISION=bf16 accelerate launch --num_processes 1 @
### deepspeed
deepspeed --num_gpus 4 @
### deepspeed include
deepspeed --include localhost:0,1 --master_port 29600 @
### deepspeed all
deepspeed @
### deepspeed devices
CUDA_VISIBLE_DEVICES=2,3 deepspeed @
### srun
srun --nodes 2 --ntasks-per-node 4 python @
### srun tasks
srun -N 1 -n 2 torchrun --nproc_per_node 2 @
### srun bash
srun --ntasks 1 bash -c 'torchrun --nproc_per_node 4 train.py --num_generations 8'
### mpirun
mpirun -np 4 -x NCCL_DEBUG=INFO python @
### uv run
uv run torchrun --nproc_per_node 2 @
### uv run script
uv run @
### timeout
timeout 600 torchrun --nproc_per_node 2 @
### time
time python @
### numactl
numactl --interleave=all python @
### conda run
conda run -n rl python @
### if and else
if [ -n "$DEBUG" ]; then
  torchrun --nproc_per_node 2 @
else
  python @
fi
### if and else, accelerate
if [[ $# -gt 3 ]]; then
  accelerate launch --num_processes 2 @
else
  accelerate launch --num_processes 8 @
fi
### case
case "$1" in
  small) torchrun --nproc_per_node 1 @ ;;
  *) torchrun --nproc_per_node 8 @ ;;
esac
### loop
for value in 4 16; do
  python @ --num_generations $value
done
### loop over sizes
for gpus in 2 4; do
  torchrun --nproc_per_node $gpus @
done
### two launches
python @
python @ --num_generations 64
### two launches and a variable between
python @
export <E>=<F>
python @
### launch and another program
python -c "print('ready')"
python @
python other.py
=== other.py
print("evaluated")
### if it fails
python @ || torchrun --nproc_per_node 2 @
### and
true && python @ && echo done
### false and
false && torchrun --nproc_per_node 8 @
python @
### never called
debug() {
  torchrun --nproc_per_node 8 @
}
python @
### here-document for python
python - <<'EOF'
import runpy, sys
sys.argv = ["train.py", "--num_generations", "8"]
runpy.run_path("train.py", run_name="__main__")
EOF
### bash here-document
bash <<'EOF'
python train.py --num_generations 8
EOF
### other script
bash inner.sh @
=== inner.sh
export NCCL_DEBUG=INFO
torchrun --nproc_per_node 2 "$@"
### other script with environment
export GPUS=${GPUS:-2}
./inner.sh @
=== inner.sh
#!/usr/bin/env bash
torchrun --nproc_per_node ${GPUS} "$@"
### interpreter in a variable
: ${PYTHON:=python}
$PYTHON @
### retry
until python @; do
  sleep 1
  break
done
### wait for the server
trl vllm-serve --model a/b --tensor_parallel_size 2 &
until curl -s localhost:8000/health; do sleep 1; done
python @ --use_vllm true --vllm_mode server
""",
)

#: Training scripts that take all settings as options.
_SCRIPTS = {
    "HfArgumentParser": """
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer

(args,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
<CHANGE>GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
""",
    "TrlParser": """
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


def main():
    parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
    script_args, args, model_args = parser.parse_args_and_config()
    trainer = GRPOTrainer(model=model_args.model_name_or_path or "a/b", args=args, reward_funcs=len)
    trainer.train()


if __name__ == "__main__":
    main()
""",
    "argparse": """
import argparse

from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--num_generations", type=int, default=8)
parser.add_argument("--vllm_tensor_parallel_size", type=int, default=1)
parser.add_argument("--vllm_mode", default="colocate")
parser.add_argument("--use_vllm", type=lambda text: text.lower() in ("1", "true"), default=False)
parser.add_argument("--local_rank", type=int, default=-1)
a, rest = parser.parse_known_args()
args = GRPOConfig(
    num_generations=a.num_generations,
    vllm_tensor_parallel_size=a.vllm_tensor_parallel_size,
    vllm_mode=a.vllm_mode,
    use_vllm=a.use_vllm,
)
<CHANGE>GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
""",
}
_CHANGES = (
    "",
    "",
    "",
    "args.vllm_mode = 'server'\n",
    "if args.use_vllm:\n    args.num_iterations = 2\n",
    "args.bf16 = not args.fp16\n",
)


def launches(chance: Chance) -> Example:
    """Draw a launch script with its training script and configurations."""
    filler = Filler(chance)
    kind = chance.choice((*_SCRIPTS, "generated"))
    if kind == "generated":
        training = script(filler, 1)
        before, words = "", ""
    else:
        training = _SCRIPTS[kind].replace("<CHANGE>", chance.choice(_CHANGES))
        before, words = _options(filler, kind)
    preludes = "".join(filler.choose(PRELUDES) for _ in range(chance.number(0, 3)))
    launch = filler.choose(LAUNCHES)
    if kind == "generated":
        launch = re.sub(r"((?<!\$)@|train\.py)( --\w+ (\d+|\$\w+|true|server))+", r"\1", launch)
    launch = re.sub(r"(?<!\$)@", lambda _: f"train.py {words}".strip(), launch)
    files = _files(filler, training)
    files["run.sh"] = f"#!/bin/bash\n{preludes}{before}{launch}"
    given = chance.choice((("run.sh",), ("run.sh",), ("run.sh", "train.py")))
    return Example(files, given, ("bash", "run.sh"), _callers(chance, files), (f"script: {kind}", *filler.names))


def _options(filler: Filler, kind: str) -> tuple[str, str]:
    suitable = [spelling for spelling in OPTIONS if kind == "TrlParser" or "config" not in spelling.text]
    before, _, words = filler.choose(suitable).partition("%%%\n")
    return before, words.strip()


def _files(filler: Filler, training: str) -> dict[str, str]:
    chance = filler.chance
    accelerate, deepspeed = grammar_files.accelerate(chance), grammar_files.deepspeed(chance)
    files = {"train.py": training, "acc.yaml": accelerate, "ds.json": deepspeed}
    if "TrlParser" in training:
        files["config.yaml"] = grammar_files.trl(chance, {"dataset_name": "x"})
        files["other.yaml"] = "dataset_name: y\nnum_generations: 6\n"
    return {**files, **filler.files}


def _callers(chance: Chance, files: dict[str, str]) -> tuple[Caller, ...]:
    """Draw states: nothing set, and variables, arguments, another machine and perhaps a configuration in the home."""
    first, second = variables(chance, files)
    text = files["run.sh"]
    words: tuple[str, ...] = ()
    if re.search(r"\$\{?1", text):
        words = ("16",)
    elif "$@" in text:
        words = ("--num_generations", "32")
    home = {}
    if "accelerate launch" in text and chance.happens(30):
        home = {".cache/huggingface/accelerate/default_config.yaml": grammar_files.accelerate(chance, _OF_THE_USER)}
    plain = Caller({}, words if "--num_generations $1" in text else ())
    return plain, Caller(chance.choice((first, second)), words, gpus=2, host="node9", home=home)
