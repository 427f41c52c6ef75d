# torchrun --nproc_per_node 8 train.py
if false; then torchrun --nproc_per_node 4 train.py; fi
echo "torchrun --nproc_per_node 2 train.py"
: torchrun --nproc_per_node 3 train.py
python train.py # --num_generations 64
