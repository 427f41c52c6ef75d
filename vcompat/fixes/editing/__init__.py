"""Changes of a user's configuration files: what to change is decided in ``edit``, one file here for each kind of file.

Comments and layout stay. The libraries that see to that are the extra ``fix``.
"""
