export VLLM_WORKER_MULTIPROC_METHOD=spawn
: ${PYTHON:=python}
$PYTHON train.py --tp 2
