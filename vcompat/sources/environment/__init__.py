"""Declared environments: which packages a run will have, from files instead of the environment that runs vcompat.

One file here for each kind: ``requirements``, ``lock`` (pylock.toml, uv.lock, poetry.lock), ``conda``, ``installed`` (a
folder of site-packages or another interpreter's environment) and ``image``. ``declared`` tells them apart.
"""
