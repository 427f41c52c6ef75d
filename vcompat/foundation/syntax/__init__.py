"""What a syntax tree of Python states: answers that several readers of source need."""
