torchrun --nproc_per_node 2 --no-python ./worker.sh
