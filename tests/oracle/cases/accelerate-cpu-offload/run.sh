accelerate launch --config_file=zero.yaml --zero-stage 3 --num-processes=2 --gradient_accumulation_steps 8 train.py
