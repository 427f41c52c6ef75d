"""Where facts come from: this machine, run files, environments, targets; ``gather`` combines them.

Everything here reads and nothing judges. What a user hands over is parsed and never run.
"""
