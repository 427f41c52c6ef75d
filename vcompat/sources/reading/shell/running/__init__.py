"""How a shell script runs abstractly: commands, programs, loops and redirections."""
