"""``torchrun ... -m vcompat.fleet``: all ranks of a job report, and rank 0 judges them.

The only part of vcompat beside the patches that imports torch: the ranks find each other as those of the run would.
"""
