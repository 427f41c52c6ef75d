"""Parsers of command lines: argparse, and functions whose parameters are options."""
