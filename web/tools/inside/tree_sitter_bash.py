"""The grammar of bash for the module `tree_sitter` beside this one, which has no other."""


def language() -> str:
    """Return what names the grammar."""
    return "bash"
