cat > train.py <<'EOF'
from trl import GRPOConfig, GRPOTrainer

GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True, num_generations=4), reward_funcs=len).train()
EOF
sed -i 's/num_generations=4/num_generations=16/' train.py
python train.py
