"""What several reports have in common: words, layout, and parts of pages."""
