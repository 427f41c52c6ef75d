GENERATIONS=16
sed "s/@N@/$GENERATIONS/" template.yaml > grpo.yaml
python train.py --config grpo.yaml
