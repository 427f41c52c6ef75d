export CUDA_VISIBLE_DEVICES=3
exec trl vllm-serve --model a/b --port 8001
