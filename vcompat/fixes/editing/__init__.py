"""Changes to run files. ``edit`` decides what to change; there is one module per file type.

Comments and layout are kept. The libraries that this needs are in the extra ``fix``.
"""
