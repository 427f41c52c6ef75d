accelerate launch --num_processes 2 -m pkg.train
