"""The tools of the site, diagnose and check: vcompat itself in the reader's browser."""
