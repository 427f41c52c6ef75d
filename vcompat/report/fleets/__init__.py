"""The judgement of a fleet, one module a format."""
