"""The commands that print what vcompat knows: rules, facts, patches and releases."""
