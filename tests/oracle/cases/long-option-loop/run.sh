gpus=4
rest=()
for word in "$@"; do
  case "$word" in
    --gpus=*) gpus="${word#*=}" ;;
    *) rest+=("$word") ;;
  esac
done
accelerate launch --num_processes "$gpus" train.py "${rest[@]}"
