export NCCL_DEBUG=WARN
mpirun -np 2 -x NCCL_DEBUG=INFO python train.py
