"""A page for each rule, one for each component with its rules, and the list of all."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.rules.instruction import instruction, note
from vcompat.rules.rule import COMPONENTS, Fix, Rule
from web import knowledge
from web.page import Page, shortened
from web.pages.conditions import conditions
from web.pages.log_text import in_log
from web.pages.measured import measured
from web.pages.related import related


def pages() -> Iterator[Page]:
    """Yield the pages of all rules, of components and the list."""
    rules = knowledge.rules()
    groups = [(one, [rule for rule in rules if rule.component == one]) for one in COMPONENTS]
    groups = [(component, members) for component, members in groups if members]
    yield Page(
        "rules",
        "rules/rules.html",
        f"{len(rules)} known failures of GRPO with TRL and vLLM",
        "Every failure that vcompat knows, by the package that causes it, with its affected releases and fixes.",
        {"groups": groups, "names": knowledge.NAMES, "name_of": knowledge.name_of},
    )
    for component, members in groups:
        called = knowledge.NAMES[component]
        yield Page(
            f"rules/{component}",
            "rules/component.html",
            f"Known failures: {called}",
            shortened(f"{len(members)} known failures of GRPO runs: {called}. " + "; ".join(r.title for r in members)),
            {"rules": members, "called": called, "name_of": knowledge.name_of, "effect": knowledge.effect},
        )
    for rule in rules:
        yield _page(rule)


def _page(rule: Rule) -> Page:
    spans = knowledge.spans(rule)
    return Page(
        knowledge.name_of(rule),
        "rules/rule.html",
        rule.title,
        _description(rule),
        {
            "rule": rule,
            "effect": knowledge.effect(rule),
            "called": knowledge.NAMES[rule.component],
            "spans": spans,
            "conditions": conditions(rule),
            "fixes": [_fix(fix) for fix in rule.fixes],
            "log": in_log(rule),
            "measured": measured(rule),
            "references": [(address, _short(address)) for address in rule.references],
            "related": [(knowledge.name_of(one), one) for one in related(rule, knowledge.rules())],
        },
        {
            "@type": "TechArticle",
            "headline": rule.title,
            "about": [span.package for span in spans] or [rule.component],
            "keywords": rule.id.replace("-", " "),
            **({"citation": list(rule.references)} if rule.references else {}),
        },
    )


def _description(rule: Rule) -> str:
    """Return the beginning of the summary, after the title where another rule's summary begins alike."""
    begun = shortened(rule.summary)
    alike = [one for one in knowledge.rules() if shortened(one.summary) == begun]
    return begun if len(alike) == 1 else shortened(f"{rule.title}. {rule.summary}")


def _fix(fix: Fix) -> dict[str, object]:
    """Return a fix as its text, whether that can be copied, what to know about it, and the patch that it names."""
    is_advice = fix.kind in ("advice", "hardware")
    return {"text": instruction(fix), "is_advice": is_advice, "note": note(fix), "patch": fix.details.get("patch", "")}


def _short(address: str) -> str:
    """Return a reference in few words: ``huggingface/trl#5312`` for a thread on GitHub, otherwise without https."""
    words = address.removeprefix("https://").rstrip("/").split("/")
    if words[0] == "github.com" and len(words) == 5 and words[3] in ("issues", "pull", "discussions"):
        return f"{words[1]}/{words[2]}#{words[4]}"
    return "/".join(words)
