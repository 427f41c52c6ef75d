#!/bin/bash
export NCCL_DEBUG=INFO
exec python train.py
