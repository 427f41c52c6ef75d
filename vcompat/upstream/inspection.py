"""Inspect releases in parallel: each is opened (fetched first if needed) and inspected for every subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.builds.cuda_builds import load_builds
from vcompat.facts.records.wheels import Compiled, load_wheels
from vcompat.patches import load_patches
from vcompat.rules.database import load_rules
from vcompat.rules.fingerprint import Seen
from vcompat.rules.record import Key
from vcompat.upstream.architectures.release_models import KINDS, models_of
from vcompat.upstream.archive import BadArchive
from vcompat.upstream.index import Release
from vcompat.upstream.processes import in_parts, spread
from vcompat.upstream.requirements import declared
from vcompat.upstream.settings.fields import Table
from vcompat.upstream.settings.release_settings import settings_of
from vcompat.upstream.settings.setting_classes import is_surveyed
from vcompat.upstream.settings.side_effects import Foreign
from vcompat.upstream.store import Store, Unavailable
from vcompat.upstream.subjects import Subject, subjects_of
from vcompat.upstream.wheels.compiled_code import WITHOUT_SOURCE, compiled_of
from vcompat.upstream.wheels.pipeline import builds_of
from vcompat.upstream.wheels.torch_wheel import TORCH, build_of, sources_of


class Looked(NamedTuple):
    """The results for one release, or why it could not be inspected."""

    package: str
    version: Version
    seen: dict[Key, Seen]
    declares: dict[str, str]
    """What it requires of other packages, as returned by `requirements.declared`."""
    trouble: str = ""
    settings: Mapping[str, Table] = {}
    """The configuration classes, as `vcompat.upstream.settings` finds them."""
    models: Mapping[str, frozenset[str]] = {}
    """The models, as `vcompat.upstream.architectures.release_models` finds them."""
    compiled: Mapping[str, Compiled] = {}
    """The compiled code of its wheel (`upstream/wheels/compiled_code.py`), if it is not recorded yet."""
    builds: Mapping[str, tuple[Version, ...]] = {}
    """The wheels that its pipeline builds (`upstream/wheels/pipeline.py`), if they are not recorded yet."""


def look_at(
    releases: Sequence[Release], foreign: Foreign | None = None, only: frozenset[str] | None = None
) -> Iterator[Looked]:
    """Inspect `releases` for the rules and patches `only`, or for all; yield results as they complete.

    With `foreign`, which states what is known of other packages' classes, also inspect the settings and the models.

    A release that is unavailable or unreadable is yielded with its `trouble`; the other releases are still inspected.
    """
    try:
        for batch in spread(partial(_judge, foreign=foreign, only=only), in_parts(releases)):
            yield from batch
    finally:
        # Clean up after processes that an interrupt terminated.
        Store().tidy()


def _judge(releases: Sequence[Release], foreign: Foreign | None, only: frozenset[str] | None) -> list[Looked]:
    store, subjects = _worker()
    chosen = [subject for subject in subjects if only is None or subject.id in only]
    return [judge(release, store, chosen, foreign) for release in releases]


@cache
def _worker() -> tuple[Store, list[Subject]]:
    """The store and the subjects, created once per process. Subjects in the same file follow each other."""
    return Store(), sorted(subjects_of(load_rules(), load_patches()), key=lambda subject: subject.file)


def judge(release: Release, store: Store, subjects: Sequence[Subject], foreign: Foreign | None = None) -> Looked:
    """Inspect one release for those of `subjects` in its package; of a torch release, inspect the build."""
    seen: dict[Key, Seen] = {}
    try:
        if release.package == TORCH:
            return _judge_torch(release, store, [subject for subject in subjects if subject.package == TORCH], foreign)
        if release.package in WITHOUT_SOURCE:
            return Looked(release.package, release.version, {}, {}, compiled=_compiled(release, foreign))
        with store.open(release) as archive:
            texts: dict[str, str | None] = {}

            def read(path: str) -> str | None:
                if path not in texts:
                    texts[path] = archive.read(path)
                return texts[path]

            is_wheel = read("PKG-INFO") is None
            for subject in subjects:
                if subject.package == release.package and (subject.in_wheels or not is_wheel):
                    seen[subject.key] = subject.look(read)
            declares = declared(release.package, release.version, read)
            if foreign is None:
                return Looked(release.package, release.version, seen, declares)
            files = (release.package, read, archive.names())
            settings = settings_of(*files, foreign) if is_surveyed(release.package, release.version) else {}
            models = models_of(*files) if release.package in KINDS else {}
            compiled = _compiled(release, foreign)
            builds = {} if _has_builds(release) else builds_of(release)
    except Unavailable as trouble:
        return Looked(release.package, release.version, {}, {}, str(trouble))
    except BadArchive as trouble:
        return Looked(release.package, release.version, {}, {}, f"{release.package} {release.version}: {trouble}")
    return Looked(release.package, release.version, seen, declares, "", settings, models, compiled, builds)


def _compiled(release: Release, foreign: Foreign | None) -> Mapping[str, Compiled]:
    return {} if foreign is None else compiled_of(release, recorded=load_wheels())


def _has_builds(release: Release) -> bool:
    """Whether the builds of a release are recorded. Its source distribution is fetched for them, so it is done once."""
    return any(release.version in releases for releases in load_builds().values())


def _judge_torch(release: Release, store: Store, subjects: Sequence[Subject], foreign: Foreign | None) -> Looked:
    """Inspect a torch release: its build, its Python source for `subjects`, and the options of torchrun."""
    seen: dict[Key, Seen] = {}
    if subjects:
        with store.open(release) as archive:
            seen = {subject.key: subject.look(archive.read) for subject in subjects}
    settings = {} if foreign is None else _settings_of_torch(release)
    return Looked(release.package, release.version, seen, build_of(release), settings=settings)


def _settings_of_torch(release: Release) -> Mapping[str, Table]:
    """Return the options of torchrun, which are all that is recorded of torch's settings. Raises Unavailable."""
    texts = sources_of(release, ("torch/distributed/run.py",))
    return settings_of(TORCH, texts.get, frozenset(texts), Foreign({}, {}))
