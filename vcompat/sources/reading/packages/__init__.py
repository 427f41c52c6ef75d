"""Declared environments: the packages of a run, read from files instead of the environment that runs vcompat.

One module per kind: ``requirements``, ``lock`` (pylock.toml, uv.lock, poetry.lock), ``conda``, ``installed`` (a folder
of site-packages or another interpreter's environment) and ``image``. ``declared`` selects the module.
"""
