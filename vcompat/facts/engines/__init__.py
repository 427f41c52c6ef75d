"""What vLLM does with a run: its engine, its attention, and whether it serves the model."""
