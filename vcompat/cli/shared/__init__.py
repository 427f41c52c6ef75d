"""What the commands have in common: options, outputs and the terminal."""
