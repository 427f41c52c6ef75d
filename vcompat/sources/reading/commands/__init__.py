"""What a command starts: the programs behind its words, the launcher and the script among them."""
