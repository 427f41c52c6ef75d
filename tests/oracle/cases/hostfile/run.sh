deepspeed --hostfile hosts --num_nodes 2 --num_gpus 4 train.py
