"""What runs in the training processes of a rehearsal. Only these modules import torch, and only inside functions."""
