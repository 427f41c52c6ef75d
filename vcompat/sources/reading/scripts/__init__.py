"""What an executed training script states: its configurations, model, adapter and engine."""
