trl grpo --config grpo.yaml --num_generations 4
