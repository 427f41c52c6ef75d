"""What releases that are not recorded yet mean for each rule and patch, compared with the release before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.patching.guard import APPLY, REFUSE
from vcompat.rules.fingerprint import PRESENT, Seen
from vcompat.rules.record import PATCH, RULE, Key, Record
from vcompat.upstream.verdicts import Remark

#: What a new release means for a rule or a patch.
ENDS, BEGINS, DOUBTFUL = "ends", "begins", "doubtful"
#: The verdict with which a release has the failure, or a patch changes it.
_SHOWN = {RULE: PRESENT, PATCH: APPLY}
_WORDS = {
    RULE: {"present": "affected", "fixed": "not affected", "absent": "code not found"},
    PATCH: {
        "apply": "applies",
        "not-needed": "not needed",
        "refuse": "refuses: not the code that the patch was written for",
        "absent": "code not found",
    },
}


class Change(NamedTuple):
    """One fingerprint of a rule, or one change of a patch, in a new release and in the release before."""

    key: Key
    package: str
    version: Version
    now: Seen
    before: Version
    """The newest earlier release that was inspected for it."""
    was: Seen

    @property
    def text(self) -> str:
        """How they differ; empty if they do not."""
        words = _WORDS[self.key[0]]
        if self.now.verdict != self.was.verdict:
            return f"{words[self.now.verdict]}; {self.before}: {words[self.was.verdict]}"
        changed = self.now.digest != self.was.digest
        return f"{words[self.now.verdict]}, as in {self.before}, but the code changed: review it" if changed else ""

    @property
    def remark(self) -> Remark:
        """The change as a remark."""
        kind, name, _ = self.key
        return Remark(kind, name, self.package, self.version, self.text, self.now.place if self.text else "")


class Turn(NamedTuple):
    """What a new release means for one rule or patch: all its changes in a package together."""

    word: str
    """ENDS, BEGINS or DOUBTFUL."""
    remark: Remark
    here: bool = True
    """Whether the new release has the failure, or the patch applies to it."""


def compared(
    versions: Iterable[Version], sightings: Mapping[Key, Mapping[Version, Seen]], record: Record
) -> Iterator[Change]:
    """Compare those of `versions` that `record` lacks with the release before, which may be new, too.

    `sightings` are the results of the inspection.
    """
    for version in versions if record.releases else ():
        for key, seen in sorted(sightings.items()) if version not in record.releases else ():
            row = record.rows.get(key)
            known = {**(row.seen if row else {}), **seen}
            before = max((one for one in known if one < version), default=None)
            if version in seen and before is not None:
                yield Change(key, record.package, version, seen[version], before, known[before])


def turns(changes: Iterable[Change]) -> Iterator[Turn]:
    """Yield what each new release means for each rule and patch for which anything differs."""
    groups: dict[tuple[str, str, str, Version], list[Change]] = {}
    for change in changes:
        groups.setdefault((*change.key[:2], change.package, change.version), []).append(change)
    for (kind, *_), group in groups.items():
        differing = [one.remark for one in group if one.text]
        if differing:
            texts = "; ".join(dict.fromkeys(one.text for one in differing))
            place = next((one.place for one in differing if one.place), "")
            here = any(one.now.verdict == _SHOWN[kind] for one in group)
            yield Turn(_word(_SHOWN[kind], group), differing[0]._replace(text=texts, place=place), here)


def _word(shown: str, group: Sequence[Change]) -> str:
    """A rule with several fingerprints is about a release as long as one is there; a patch that refuses is doubtful."""
    if any(one.now.verdict == REFUSE for one in group):
        return DOUBTFUL
    was = any(one.was.verdict == shown for one in group)
    now = any(one.now.verdict == shown for one in group)
    return DOUBTFUL if was == now else BEGINS if now else ENDS
