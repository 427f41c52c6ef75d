#!/usr/bin/env bash
CUDA_VISIBLE_DEVICES=0 nohup trl vllm-serve --model Qwen/Qwen2.5-7B > server.log 2>&1 &
SERVER=$!
trap "kill $SERVER 2>/dev/null" EXIT
sleep 60
CUDA_VISIBLE_DEVICES=1,2,3 accelerate launch --num_processes 3 --multi_gpu train.py
