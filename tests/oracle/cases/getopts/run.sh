gpus=8
mode=colocate
while getopts "n:m:" option; do
  case $option in
    n) gpus=$OPTARG ;;
    m) mode=$OPTARG ;;
  esac
done
torchrun --nproc_per_node "$gpus" train.py --vllm_mode "$mode"
