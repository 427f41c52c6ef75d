"""Addresses of the project: its site, its repository, and the page of each rule."""

from __future__ import annotations

#: The base of the site's canonical addresses. It ends with a slash.
SITE = "https://vcompat.github.io/vcompat/"
REPOSITORY = "https://github.com/vcompat/vcompat"


def rule_path(component: str, rule_id: str) -> str:
    """Return the path of a rule's page below the base of the site, such as ``rules/trl/colocate-fixed-port/``."""
    return f"rules/{component}/{rule_id}/"


def rule_page(component: str, rule_id: str) -> str:
    """Return the address of a rule's page."""
    return SITE + rule_path(component, rule_id)
