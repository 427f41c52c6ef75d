"""Reports: one file per output format. Each turns findings into text and decides nothing."""
