export PYTHONPATH=$PWD/src
python -m rl.train --fast
