"""Which weights of a model reach vLLM under the names that they have in the trainer's memory."""
