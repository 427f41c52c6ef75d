"""Everything that is known about one rule, for someone who reads about it for the first time."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from click import style
from packaging.version import Version

from vcompat.report.checks.text import COLORS, fix_lines
from vcompat.report.parts.layout import field
from vcompat.report.parts.release_ranges import runs
from vcompat.report.parts.wording import EFFECTS
from vcompat.report.rules.tried import tried
from vcompat.rules.metric_signatures import SIGNATURES
from vcompat.rules.rule import Rule
from vcompat.rules.symptom import Symptom

#: Columns of a bar, at most.
_BAR = 60


class Span(NamedTuple):
    """The releases of one package, and those of them that are affected."""

    package: str
    releases: Sequence[Version]
    """Oldest first."""
    affected: Collection[Version]
    measured: bool
    """Whether the source of every release was looked at; otherwise the range is as declared."""


def explain(rule: Rule, width: int, spans: Iterable[Span] = (), ascii_only: bool = False) -> str:
    """The rule as text. `spans` are the releases that it is about; `ascii_only` draws without block characters."""
    lines = [
        style(f"{rule.severity}: ", fg=COLORS[rule.severity], bold=True) + style(rule.title, bold=True),
        f"{rule.id} ({rule.component}): {EFFECTS[rule.effect]}",
        "",
        *textwrap.wrap(rule.summary, width),
        "",
    ]
    for span in spans:
        lines += [*_bar(span, width, ascii_only), ""]
    lines += [*fix_lines(rule.fixes, width, indent=""), ""]
    if rule.wrong_advice:
        lines += [*field("wrong", rule.wrong_advice, width, color="red"), ""]
    if rule.only_if:
        lines += [*field("only if", rule.only_if, width), ""]
    if rule.no_symptoms:
        lines += [*field("in a log", rule.no_symptoms, width), ""]
    if rule.symptoms:
        lines += [*_symptoms(rule.symptoms, width), ""]
    lines += [*_evidence(rule, width)]
    lines += [f"{'see':<11}{url}" for url in rule.references]
    return "\n".join(lines)


def _symptoms(symptoms: Iterable[Symptom], width: int) -> Iterator[str]:
    """The patterns to search a log for, and what metrics look like."""
    patterns = [each for each in symptoms if each.pattern]
    if patterns:
        yield "In a log (regular expressions):"
    yield from map(_pattern, patterns)
    for each in symptoms:
        yield from field("stops in", each.stops_in and f"{each.stops_in}, if a traceback is cut off there", width)
        if each.signature:
            yield from field("in metrics", f"{SIGNATURES[each.signature]} ({each.signature})", width)


def _pattern(symptom: Symptom) -> str:
    limits = [f"not with {symptom.unless}"] if symptom.unless else []
    limits += [f"in {' or '.join(symptom.frames)}"] if symptom.frames else []
    limits += [f"raised in {' or '.join(symptom.raised_in)}"] if symptom.raised_in else []
    limits += ["if facts make the rule certain"] if symptom.is_common else []
    return f"  {symptom.pattern}" + (f"  ({'; '.join(limits)})" if limits else "")


def _bar(span: Span, width: int, ascii_only: bool) -> Iterator[str]:
    """The affected releases in words, and as a bar from the oldest release to the newest."""
    how = "affected" if span.measured else "affected, as declared"
    yield from field(
        "versions",
        f"{span.package} {runs(span.affected, span.releases)} {how}, of {len(span.releases)} releases",
        width,
    )
    if len(span.releases) < 2:
        return
    hit, miss = ("#", ".") if ascii_only else ("█", "░")
    first, last = str(span.releases[0]), str(span.releases[-1])
    columns = max(10, min(_BAR, len(span.releases), width - 13 - len(first) - len(last)))
    cells = []
    for column in range(columns):
        begin = column * len(span.releases) // columns
        end = max(begin + 1, (column + 1) * len(span.releases) // columns)
        # A column stands for several releases; one that is affected is enough to show.
        affected = any(version in span.affected for version in span.releases[begin:end])
        cells.append(style(hit, fg="red") if affected else miss)
    yield f"{'':<11}{first} {''.join(cells)} {last}"


#: What a record that is the evidence of a rule has.
IN_RECORDS = {
    "settings": "the settings of configuration classes in every release (evidence/settings)",
    "names": "the names in the code of every release (evidence/names)",
    "models": "the architectures and model types in every release (evidence/models)",
    "wheels": "the GPU architectures and the CUDA versions in every release's wheels (evidence/wheels)",
    "weight_names": "what becomes of the weights of tiny models, in pairs of releases (evidence/weight_names)",
}


def _evidence(rule: Rule, width: int) -> Iterator[str]:
    for fingerprint in rule.evidence.fingerprints:
        code = [f"contains `{text}`" for text in fingerprint.has] + [f"lacks `{text}`" for text in fingerprint.lacks]
        code += ["does not exist"] if fingerprint.missing else []
        yield from field("measured", f"{fingerprint.place} {', '.join(code)}", width)
    for statement in rule.evidence.requirements:
        since = f" {statement.since} and later" if statement.since else ""
        text = f"what each release of {statement.package}{since} requires of {statement.of}, from its metadata"
        yield from field("measured", text, width)
    for name in rule.evidence.in_records:
        yield from field("measured", IN_RECORDS[name], width)
    for trial in rule.evidence.trials:
        yield from field("tried", tried(rule, trial), width)
    for claim in rule.evidence.kernels:
        # Imported here: few rules have a grid, and it takes the records of the kernels.
        from vcompat.report.parts.kernels import grid

        yield from grid(claim)
    yield from field("unmeasured", rule.evidence.unmeasured, width)
