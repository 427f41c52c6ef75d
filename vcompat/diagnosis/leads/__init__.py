"""What a failure means that no rule knows, by the code of every release."""
