"""Rules as text: one rule, the vocabulary, and what comparing releases found."""
