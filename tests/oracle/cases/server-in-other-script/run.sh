bash serve.sh &
python train.py
wait
