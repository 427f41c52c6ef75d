"""From the text of a shell script to its syntax tree."""
