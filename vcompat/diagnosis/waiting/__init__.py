"""Why a run hangs: which rank does not arrive, where it is, and what the other ranks wait for.

``signs`` has what a line can state, ``reader`` finds it, ``stacks`` reads tracebacks and stack dumps, ``clues`` does so
for a log, ``ranks`` names the ranks, ``states`` puts together what each rank does, ``verdict`` compares them.
"""
