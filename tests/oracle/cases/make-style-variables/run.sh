MODEL=${MODEL:-Qwen/Qwen2.5-7B}
NPROC=${NPROC:-8}
: ${MODE:=colocate}
torchrun --nproc_per_node=$NPROC train.py --model_name_or_path $MODEL --vllm_mode $MODE --use_vllm true
