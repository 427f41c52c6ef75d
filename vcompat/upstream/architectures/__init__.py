"""Which models releases of vLLM and transformers have, and what they can."""
