"""Reports of `vcompat probe` on many nodes: found, separated, and validated, since their writers are not trusted."""
