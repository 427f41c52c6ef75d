export NCCL_DEBUG=INFO
for host in node1 node2; do
  ssh $host "cd /work && VLLM_USE_V1=0 torchrun --nnodes 2 --nproc_per_node 8 --node_rank 0 train.py" &
done
wait
