"""The files of the site that are no pages: a module for each, with a function that writes it."""
