cd project
python scripts/train.py --preset big
