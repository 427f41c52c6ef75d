"""What one package's releases use of another's, compared release by release."""
