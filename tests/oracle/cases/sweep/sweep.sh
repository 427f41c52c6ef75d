for n in 4 8; do
  for tp in 1 2; do
    echo "n=$n tp=$tp"
    python train.py --num_generations $n --vllm_tensor_parallel_size $tp --use_vllm true
  done
done
