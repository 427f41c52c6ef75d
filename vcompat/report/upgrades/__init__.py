"""What an upgrade changes, and which releases work together."""
