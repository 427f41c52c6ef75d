"""Rules: one known failure each, read from a TOML file and checked key by key.

``database`` loads rules; ``vcompat.evaluation`` evaluates them against facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import replaces_trl
from vcompat.facts.vocabulary import NUMBER, TEXT, VERSION, VOCABULARY, spec_of
from vcompat.foundation.errors import InputError
from vcompat.rules.condition import Condition, check_patterns, parse_condition
from vcompat.rules.keys import check_keys
from vcompat.rules.ranges import InvalidRange, parse_range

if TYPE_CHECKING:
    from vcompat.rules.fingerprint import Fingerprint
    from vcompat.rules.kernel_claim import KernelClaim
    from vcompat.rules.symptom import Symptom
    from vcompat.rules.trial import Trial

COMPONENTS = (
    "vllm",
    "trl",
    "torch",
    "transformers",
    "deepspeed",
    "peft",
    "accelerate",
    "driver",
    "triton",
    "settings",
    "code",
)
EFFECTS = ("silent-corruption", "crash", "hang", "degraded")
SEVERITIES = ("error", "warning", "note")


class Fix(NamedTuple):
    """One way to fix or avoid a failure.

    A patch or a version can be for some of the releases that the rule applies to; its key ``releases`` has a range for
    each package. A version is then offered only if the release is known. A patch with ``warns`` only logs a warning and
    does not fix the failure.
    """

    kind: str
    """One of ``FIX_KEYS``."""
    details: Mapping[str, Any]
    """The other keys of the fix; `FIX_KEYS` lists them by kind."""
    note: str
    """What to know before applying it; may be empty."""

    def fits(self, release_of: Callable[[str], object]) -> bool:
        """Whether the fix is for the releases in use. `release_of` returns a package's version, None if unknown."""
        for package, releases in self.details.get("releases", {}).items():
            version = release_of(package)
            if self.kind == "version" and not isinstance(version, Version):
                return False
            if isinstance(version, Version) and not parse_range(str(releases)).contains(version):
                return False
        return True

    @property
    def removes_failure(self) -> bool:
        """Whether it is a patch that fixes the failure."""
        return self.kind == "patch" and not self.details.get("warns")


#: For each kind of fix, its required keys and its optional keys, with their types.
FIX_KEYS: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    "patch": ({"patch": str}, {"releases": dict, "warns": bool}),
    "config": (
        {"setting": str},
        {"value": (bool, int, float, str, list), "expression": str, "nearest": dict, "where": str},
    ),
    "rename": ({"setting": str, "to": str}, {"where": str}),
    "remove": ({"setting": str}, {"where": str}),
    "env": ({"variable": str}, {"value": str, "unset": bool, "item": str}),
    "version": ({"package": str}, {"range": str, "remove": bool, "releases": dict}),
    "hardware": ({"advice": str}, {}),
    "advice": ({"advice": str}, {}),
}


#: What records beside those of fingerprints and requirements can be the evidence of a rule.
_RECORDS = ("settings", "names", "models", "wheels", "weight_names")


class Requirement(NamedTuple):
    """A requirement in upstream's metadata that a rule repeats: what releases of one package require of another."""

    package: str
    of: str
    """The required package."""
    since: str
    """The first release whose requirement the rule repeats; empty for the first release."""
    older: bool = False
    """Whether the rule is only about releases older than the required ones."""


class Evidence(NamedTuple):
    """How a rule's range was measured: in upstream's source or metadata, by running it, or why it was not."""

    fingerprints: tuple[Fingerprint, ...]
    requirements: tuple[Requirement, ...]
    unmeasured: str
    in_records: tuple[str, ...] = ()
    """The records that are the evidence, of `_RECORDS`."""
    trials: tuple[Trial, ...] = ()
    kernels: tuple[KernelClaim, ...] = ()

    @property
    def is_measured(self) -> bool:
        """Whether the rule's ranges were measured."""
        return bool(self.fingerprints or self.requirements or self.in_records or self.kernels)


class Rule:
    """One known failure, as stated in its file.

    The keys of INDEX are read at once. The others are parsed on first use, because a check needs them only for the few
    rules that apply. `parse_rule` parses all of them, so that a malformed file is detected when it is read.
    """

    def __init__(self, index: Mapping[str, Any], details: Callable[[], Mapping[str, Any]], where: str) -> None:
        """`index` has the keys of INDEX, `details` returns the file's other keys, `where` names the file in errors."""
        self.id: str = index["id"]
        self.component: str = index["component"]
        self.effect: str = index["effect"]
        """One of EFFECTS."""
        self.severity: str = index["severity"]
        """One of SEVERITIES."""
        self.only_where_known: bool | list[str] = index.get("only_where_known", False)
        """Whether the rule is skipped if a fact that it needs is unknown, or the facts without which it is skipped."""
        self._condition: Mapping[str, Any] = index["when"]
        self.is_about_settings: bool = "settings" in self._condition
        """Whether the rule has a finding for each setting that does not fit the releases at hand."""
        self.is_about_names: bool = "names" in self._condition
        """Whether the rule has a finding for each name in the code of a run that the releases at hand do not have."""
        self.has_subjects: bool = self.is_about_settings or self.is_about_names
        """Whether the rule can have several findings."""
        self._read_details = details
        self._where = where

    def __repr__(self) -> str:
        return f"Rule({self.id!r})"

    def excludes(self, facts: Facts) -> bool:
        """Return whether one plain test of the condition fails, so that the rule does not apply.

        This answers for most rules of a check with one comparison instead of the whole condition. A rule about TRL does
        not apply to the trainer of another framework.
        """
        if replaces_trl(facts) and self.is_about_trl:
            return True
        for name, expected in self._condition.items():
            known = facts.get(name) if isinstance(expected, str | bool) else None
            if known is not None and not isinstance(known.value, tuple) and _fails(name, expected, known.value):
                return True
        return False

    def waits(self, facts: Facts) -> bool:
        """Return whether a fact is unknown without which the condition cannot be certain."""
        return any(facts.get(name) is None and not facts.candidates(name) for name in self.needed)

    def may_be_possible(self, facts: Facts) -> bool:
        """Return whether the rule is reported although a fact that it needs is unknown."""
        if isinstance(self.only_where_known, bool):
            return not self.only_where_known
        return all(facts.get(name) is not None for name in self.only_where_known)

    @cached_property
    def is_about_trl(self) -> bool:
        """Whether the failure is TRL's, or depends on its release.

        What settings fit is decided by their class. A rule that names a framework is about that one's trainer.
        """
        if self.has_subjects or "plan.framework" in self._condition:
            return False
        return self.component == "trl" or "packages.trl" in self.when.names()

    @cached_property
    def is_about_trls_trainer(self) -> bool:
        """Whether the failure is in the code of TRL's trainers: a trainer of the project's own has other code."""
        modules = [module for one in self.evidence.fingerprints if one.package == "trl" for module in one.module]
        return any(module.endswith("_trainer.py") or module.startswith("trl/generation/") for module in modules)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The facts without which the condition cannot be certain."""
        return tuple(name for name in self._condition if name not in ("any", "all", "not", "settings", "names"))

    @cached_property
    def when(self) -> Condition:
        """The condition in the table ``[when]``."""
        return parse_condition(self._condition, f"{self._where}: when")

    @cached_property
    def _details(self) -> Mapping[str, Any]:
        return self._read_details()

    @cached_property
    def title(self) -> str:
        """The failure in one line, as a user would search for it."""
        return _line(self._details["title"], f"{self._where}: title")

    @cached_property
    def summary(self) -> str:
        """What happens, why, and since when, in a few sentences."""
        return " ".join(self._details["summary"].split())

    @cached_property
    def wrong_advice(self) -> str:
        """Common advice that is wrong, and why; empty if there is none."""
        return " ".join(self._details.get("wrong_advice", "").split())

    @cached_property
    def only_if(self) -> str:
        """What must be true besides the condition, and no fact tells; empty if the failure always happens.

        It completes the sentence 'it depends on whether ...'. Such a rule is never certain.
        """
        return " ".join(self._details.get("only_if", "").split())

    @cached_property
    def references(self) -> tuple[str, ...]:
        """URLs of reports and upstream changes."""
        return _references(self._details["references"], self._where)

    @cached_property
    def symptoms(self) -> tuple[Symptom, ...]:
        """What a log shows."""
        # Imported here: a check reads no log.
        from vcompat.rules.symptom import parse_symptoms

        return parse_symptoms(self._details.get("symptoms", []), self._where)

    @cached_property
    def no_symptoms(self) -> str:
        """Why no log shows a failure that ends or stops the run; empty if the rule has symptoms."""
        return " ".join(self._details.get("no_symptoms", "").split())

    @cached_property
    def fixes(self) -> tuple[Fix, ...]:
        """The fixes, best first."""
        fixes = self._details["fixes"]
        return tuple(_fix(fix, f"{self._where}: fixes[{index}]") for index, fix in enumerate(fixes))

    @cached_property
    def evidence(self) -> Evidence:
        """How the range was measured."""
        return _evidence(self._details["evidence"], self._where)


def _fails(name: str, expected: object, value: object) -> bool:
    """Whether the test of one fact fails for `value`; False for tests that are left to the condition itself."""
    if isinstance(expected, bool):
        return value is not expected
    kind = VOCABULARY[name].kind if name in VOCABULARY else ""
    if kind == TEXT:
        return value != expected
    return kind == VERSION and not (isinstance(value, Version) and _touches(str(expected), value))


def _touches(text: str, version: Version) -> bool:
    """Whether `version` is or might be in the range `text`."""
    try:
        range_ = parse_range(text)
    except InvalidRange:
        return True  # the condition's parser reports it
    return range_.contains(version) or range_.may_contain(version)


#: The keys that every check reads; the others are its details.
INDEX = ("id", "component", "effect", "severity", "only_where_known", "when")

_REQUIRED = {
    "id": str,
    "title": str,
    "component": str,
    "effect": str,
    "severity": str,
    "summary": str,
    "references": list,
    "when": dict,
    "fixes": list,
    "evidence": dict,
}
_OPTIONAL = {
    "wrong_advice": str,
    "symptoms": list,
    "no_symptoms": str,
    "only_where_known": (bool, list),
    "only_if": str,
}


def parse_rule(table: Mapping[str, Any], name: str, where: str, thorough: bool = True) -> Rule:
    """Check `table`, the contents of the rule file `name`.toml, and build the rule.

    Without `thorough`, neither the evidence nor the patterns of symptoms are checked: a check does not use them.
    Raises InputError with `where` (the file), the key, and what was expected.
    """
    check_keys(table, _REQUIRED, _OPTIONAL, where)
    if table["id"] != name:
        raise InputError(f"{where}: id", f"'{table['id']}' is not the file's name", f"'{name}'")
    for key, allowed in (("component", COMPONENTS), ("effect", EFFECTS), ("severity", SEVERITIES)):
        if table[key] not in allowed:
            raise InputError(f"{where}: {key}", f"'{table[key]}'", "one of " + ", ".join(allowed))
    _check_limits(table, where)
    rule = Rule(table, lambda: table, where)
    # Parse everything once to detect errors.
    _ = (rule.when, rule.title, rule.summary, rule.wrong_advice, rule.references, rule.fixes)
    check_patterns(table["when"], f"{where}: when")
    if thorough:
        from vcompat.rules.symptom import check_symptoms

        _ = rule.evidence
        check_symptoms(rule.symptoms, where)
    return rule


def _check_limits(table: Mapping[str, Any], where: str) -> None:
    """Check the keys that limit when a rule is reported, and the one that replaces symptoms."""
    names = table.get("only_where_known")
    for index, name in enumerate(names if isinstance(names, list) else ()):
        spec_of(str(name), f"{where}: only_where_known[{index}]")
    if table.get("symptoms") and table.get("no_symptoms"):
        raise InputError(f"{where}: no_symptoms", "the rule has symptoms", "one of symptoms and no_symptoms")


def _line(text: str, where: str) -> str:
    if "\n" in text.strip() or not text.strip():
        raise InputError(where, f"{text!r}", "one line")
    return text.strip()


def _references(items: list[Any], where: str) -> tuple[str, ...]:
    for index, item in enumerate(items):
        if not isinstance(item, str) or not item.startswith("https://"):
            raise InputError(f"{where}: references[{index}]", f"{item!r}", "an https URL")
    return tuple(items)


def _check_range(text: Any, where: str) -> None:
    try:
        parse_range(str(text))
    except InvalidRange:
        raise InputError(where, f"'{text}'", "a range such as '>=0.8.0,<0.9.0'") from None


def _fix(table: Mapping[str, Any], where: str) -> Fix:
    kind = table.get("kind") if isinstance(table, dict) else None
    if not isinstance(kind, str) or kind not in FIX_KEYS:
        raise InputError(f"{where}: kind", f"{kind!r}", "one of " + ", ".join(FIX_KEYS))
    required, optional = FIX_KEYS[kind]
    check_keys(table, {"kind": str, **required}, {**optional, "note": str}, where)
    _check_one_of(table, where)
    for package, releases in table.get("releases", {}).items():
        _check_range(releases, f"{where}: releases: {package}")
    details = {key: value for key, value in table.items() if key not in ("kind", "note")}
    return Fix(kind, details, " ".join(table.get("note", "").split()))


#: For kinds of fix with alternative keys: exactly one of the keys is required.
_ONE_OF = {"config": ("value", "expression", "nearest"), "version": ("range", "remove"), "env": ("value", "unset")}


def _check_one_of(table: Mapping[str, Any], where: str) -> None:
    keys = _ONE_OF.get(table["kind"], ())
    given = [key for key in keys if key in table]
    if keys and len(given) != 1:
        raise InputError(where, " and ".join(given) or "incomplete", f"one of {' and '.join(keys)}")
    if "nearest" in table:
        _check_nearest(table["nearest"], f"{where}: nearest")


def _check_nearest(table: Mapping[str, Any], where: str) -> None:
    """Check the range of a fix that takes the nearest value: each bound is a number or the name of a fact."""
    bound = (int, float, str)
    check_keys(table, {"least": bound, "most": bound}, {"step": bound}, where)
    for key, value in table.items():
        is_fact = isinstance(value, str) and spec_of(value, f"{where}.{key}").kind == NUMBER
        if isinstance(value, bool) or (isinstance(value, str) and not is_fact):
            raise InputError(f"{where}.{key}", f"{value!r}", "a number, or a fact that is one")


def _evidence(table: Mapping[str, Any], where: str) -> Evidence:
    # Imported here: a check does not use evidence.
    from vcompat.rules.fingerprint import parse_fingerprint
    from vcompat.rules.kernel_claim import parse_kernel_claim
    from vcompat.rules.trial import parse_trial

    here = f"{where}: evidence"
    check_keys(
        table,
        {},
        {
            "fingerprints": list,
            "requirements": list,
            "unmeasured": str,
            "trials": list,
            "kernels": list,
            **dict.fromkeys(_RECORDS, bool),
        },
        here,
    )
    if not table:
        expected = f"fingerprints, requirements, {', '.join(_RECORDS)}, or unmeasured with the reason"
        raise InputError(here, "empty", expected)
    prints, declared, trials, claims = (
        table.get(key, []) for key in ("fingerprints", "requirements", "trials", "kernels")
    )
    return Evidence(
        tuple(parse_fingerprint(item, f"{here}.fingerprints[{index}]") for index, item in enumerate(prints)),
        tuple(_requirement(item, f"{here}.requirements[{index}]") for index, item in enumerate(declared)),
        " ".join(table.get("unmeasured", "").split()),
        tuple(key for key in _RECORDS if table.get(key)),
        tuple(parse_trial(item, f"{here}.trials[{index}]") for index, item in enumerate(trials)),
        tuple(parse_kernel_claim(item, f"{here}.kernels[{index}]") for index, item in enumerate(claims)),
    )


def _requirement(table: Mapping[str, Any], where: str) -> Requirement:
    check_keys(table, {"package": str, "of": str}, {"since": str, "older": bool}, where)
    return Requirement(table["package"], table["of"], table.get("since", ""), table.get("older", False))
