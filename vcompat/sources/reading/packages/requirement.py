"""One requirement of pip: a pinned version, a range, or a location such as a wheel or a repository."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from vcompat.facts.facts import Place
from vcompat.sources.reading.packages.origin import Origin, of_file, shown
from vcompat.sources.reading.packages.platforms import Platforms, without_extras
from vcompat.sources.reading.packages.stated_packages import Entry, package_of

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
#: Options of one requirement, which follow it: --hash, --config-settings.
_OPTIONS = re.compile(r"\s--[a-z].*", re.DOTALL)
_LOCATION = re.compile(r"[a-z][a-z0-9+.-]*:|\.{0,2}/|\.$|[^\s@]+\.whl\b", re.IGNORECASE)
_NAMED_LOCATION = re.compile(_NAME.pattern + r"\s*(?:\[[^\]]*\])?\s*@")
#: The revision of a repository, after the last "@" that is not part of the host; the name of an archive of a tag.
_REVISION = re.compile(r"://[^/]*/[^@#]*@([^#]+)")
_ARCHIVE = re.compile(r"/(?:archive|zipball|tarball)/(?:refs/(?:tags|heads)/)?([^/#]+?)(?:\.tar\.gz|\.zip)?(?:#|$)")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def name_of(line: str) -> str | None:
    """Return the package of the vocabulary that a line starting with a name requires; None if there is none."""
    match = _NAME.match(line)
    return package_of(match[0]) if match else None


def entry_of(line: str, place: Place, platforms: Platforms) -> Entry | None:
    """Return what a requirement says; None if it is about a package that is not in the vocabulary.

    Raises nothing: a requirement that cannot be read leaves the version of its package open.
    """
    from packaging.requirements import InvalidRequirement, Requirement

    plain = re.sub(r"^(?:-e|--editable)[ =]\s*", "", line)
    text = _unquoted(_OPTIONS.sub("", plain).strip().rstrip(" ;"))
    if plain != line or (_LOCATION.match(text) and not _NAMED_LOCATION.match(text)):
        return _location_entry(text, place, platforms)
    name = name_of(text)
    if name is None:
        return None
    try:
        parsed = Requirement(text)
    except InvalidRequirement:
        what = "uses a variable of the shell" if "${" in text else f"is not a requirement that pip accepts: {text[:60]}"
        return Entry(name, place, why=what)
    marker = str(parsed.marker) if parsed.marker else ""
    applies = platforms.applies(without_extras(marker))
    if parsed.url:
        return _at(parsed.name, parsed.url, place)._replace(applies=applies, depends=marker)
    pins = [s.version for s in parsed.specifier if s.operator in ("==", "===") and not s.version.endswith(".*")]
    allowed = re.sub(r"^[\w.-]+\s*(?:\[[^\]]*\])?", "", text).partition(";")[0].strip(" ()")
    return Entry(
        parsed.name,
        place,
        version=pins[0] if pins else "",
        why=f"allows {allowed}" if allowed else "allows any version",
        allowed=parsed.specifier,
        applies=applies,
        depends=marker,
        extras=frozenset(parsed.extras),
    )


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[0] == text[-1] else text


def _location_entry(text: str, place: Place, platforms: Platforms) -> Entry | None:
    """Read a requirement that begins with its location, such as ``git+https://.../trl@v0.25.0#egg=trl``."""
    location, _, marker = text.partition(" ;") if " ;" in text else text.partition("; ")
    egg = re.search(r"[#&]egg=([A-Za-z0-9._-]+)", location)
    path = unquote(urlsplit(location).path or location).rstrip("/")
    file = re.sub(r"(?:\.git)?(?:@[^/]*)?(?:\[[^\]]*\])?$", "", path).rpartition("/")[2]
    name = egg[1] if egg else file
    if file.endswith((".whl", ".tar.gz", ".zip")):
        name = egg[1] if egg else file.partition("-")[0]
    if package_of(name) is None:
        return None
    applies = platforms.applies(without_extras(marker.strip()))
    return _at(name, location.strip(), place)._replace(applies=applies, depends=marker.strip())


def _at(name: str, url: str, place: Place) -> Entry:
    """Return what a location says about the release of `name`: a file's name does, a repository's revision does not."""
    version = version_of_file(name, url)
    if version:
        return Entry(name, place, version, origin=file_origin(url))
    revision = _REVISION.search(url) if url.startswith(("git+", "git:", "git@")) else _ARCHIVE.search(url)
    if revision is None:
        return Entry(name, place, why=f"gives a location without a version: {shown(url)}")
    return Entry(name, place, why=why_revision(revision[1]))


def why_revision(revision: str) -> str:
    """Return why the revision of a repository leaves the version open, for a message that starts with the place."""
    tag = re.fullmatch(r"v?(\d+(?:\.\d+)+(?:\.?(?:post|rc|a|b|dev)\d+)?)", revision)
    if tag:
        return f"installs the revision {revision[:40]}, probably release {tag[1]}"
    if _COMMIT.fullmatch(revision):
        return f"installs the commit {revision[:12]}, whose version is not known"
    return f"installs the revision {revision[:40]}, whose version is not known"


def version_of_file(name: str, url: str) -> str:
    """Return the version in the name of a wheel or a source distribution of `name`; empty for other names."""
    from packaging.utils import (
        InvalidSdistFilename,
        InvalidWheelFilename,
        canonicalize_name,
        parse_sdist_filename,
        parse_wheel_filename,
    )

    file = os.path.basename(unquote(url.partition("#")[0]))
    try:
        if file.endswith(".whl"):
            distribution, version = parse_wheel_filename(file)[:2]
        else:
            distribution, version = parse_sdist_filename(file)
    except (InvalidWheelFilename, InvalidSdistFilename):
        return ""
    return str(version) if distribution == canonicalize_name(name) else ""


def file_origin(url: str) -> Origin:
    """Return the origin of a distribution file at `url`, which can be a path."""
    return of_file(url) if "://" in url and not url.startswith("file:") else Origin(shown(url))
