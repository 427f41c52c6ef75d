"""The version of vcompat."""

__version__ = "0.1.0"
