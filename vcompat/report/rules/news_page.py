"""What `vcompat rules update` found, as one page: Markdown for a pull request, or text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from click import style

from vcompat.report.parts.layout import printable
from vcompat.report.parts.markdown_parts import code, escaped
from vcompat.report.parts.release_ranges import runs
from vcompat.report.rules.verification import troubles
from vcompat.rules.record import PATCH, RULE
from vcompat.upstream.changes import BEGINS, DOUBTFUL, ENDS
from vcompat.upstream.news import News, Unexplained
from vcompat.upstream.verdicts import grouped

#: Characters of an entry's text. What is cut off is in the diff of the records.
_LONGEST = 500
#: Characters of a section in Markdown. GitHub accepts 65,536 for the text of a pull request.
_SECTION = 6000
#: Releases that the title names.
_NAMED = 4


class Entry(NamedTuple):
    """One line of a section."""

    about: str
    """What it is about, such as a release or a rule; may be empty."""
    text: str
    place: str = ""


class Section(NamedTuple):
    """A heading and its entries."""

    title: str
    entries: tuple[Entry, ...]
    always: bool = True
    """Whether it is shown without entries."""


def title(news: News) -> str:
    """The new releases in one line."""
    names = [f"{package} {version}" for package, versions in news.new.items() for version in versions]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"Upstream releases: {', '.join(names[:_NAMED])}{more}" if names else "Upstream releases: none is new"


def summary(news: News) -> str:
    """What was recorded, and whether somebody has to look at it."""
    written = f"{_count(news.files, 'file')} of the records written" if news.files else ""
    needs = "Nothing" if not news.needs else "1 entry" if news.needs == 1 else f"{news.needs} entries"
    unread = f"{len(news.troubles)} could not be read" if news.troubles else ""
    parts = (f"{needs} {'need' if news.needs > 1 else 'needs'} a person", written, unread)
    return f"{'; '.join(filter(None, parts))}."


def sections(news: News) -> list[Section]:
    """The sections of the page, in order."""
    settings = (Entry(f"{one.package} {one.version} {one.name}", one.text) for one in news.settings)
    return [
        Section("New releases", tuple(_releases(news))),
        Section("Yanked releases", tuple(_yanked(news)), always=False),
        Section("Rules that end", tuple(_turns(news, ENDS))),
        Section("Rules that begin", tuple(_turns(news, BEGINS)), always=False),
        Section("Doubtful: the code around a fingerprint changed", tuple(_turns(news, DOUBTFUL))),
        Section("Claims that do not hold", tuple(_contradictions(news)), always=False),
        Section("Settings that changed", tuple(settings)),
        Section("Misfits that need a rule", tuple(_misfits(news))),
        Section("Index of names", tuple(Entry(package, text) for package, text in news.names), always=False),
        Section("Kernels", tuple(Entry("", line) for line in news.kernels), always=False),
        Section("Could not be read", tuple(Entry("", line) for line in troubles(news.troubles))),
    ]


def _releases(news: News) -> Iterator[Entry]:
    different = [(turn.remark.package, turn.remark.version) for turn in news.turns]
    for package, versions in news.new.items():
        for version in versions:
            count = news.subjects.get((package, version), 0)
            same = count - different.count((package, version))
            text = f"{same} of {count} rules and patches find the same code as in the release before"
            yield Entry(f"{package} {version}", text if count else "no rule looks at its source")


def _yanked(news: News) -> Iterator[Entry]:
    for package, versions in news.yanked.items():
        yield Entry(package, f"{', '.join(map(str, versions))}, after it was recorded")


def _turns(news: News, word: str) -> Iterator[Entry]:
    wrong = {(one.kind, one.id, one.package, one.version) for one in news.contradictions}
    for turn in sorted(news.turns, key=lambda turn: not turn.here):
        kind, name, package, version, text, place = turn.remark
        if turn.word == word:
            end = (
                f"; its range must end before {version}" if word == ENDS and kind == RULE else "; see the claims below"
            )
            open_ = end if (kind, name, package, version) in wrong else ""
            yield Entry(f"{'patch ' if kind == PATCH else ''}{name}", f"{package} {version}: {text}{open_}", place)


def _contradictions(news: News) -> Iterator[Entry]:
    for (name, package, text), ones in grouped(news.contradictions).items():
        versions = [one.version for one in ones]
        place = f"{ones[0].place} in {versions[0]}" if ones[0].place else ""
        yield Entry(name, f"{package} {runs(versions, versions)}: {text}", place)
    yield from (Entry("", line) for line in news.kernel_contradictions)


def _misfits(news: News) -> Iterator[Entry]:
    if news.misfits is None and news.new:
        yield Entry("", "not searched for; vcompat rules scan --all does")
    yield from map(_misfit, news.misfits or ())


def _misfit(unexplained: Unexplained) -> Entry:
    misfit, pairs = unexplained.misfit, unexplained.misfit.left
    users, lacking = ({pair[side] for pair in pairs} for side in (0, 1))
    about = f"{unexplained.user} {runs(users, misfit.users)} {misfit.use}"
    text = f"{unexplained.other} {runs(lacking, sorted(misfit.lacking))} does not define it"
    return Entry(about, f"{text}; {_count(len(pairs), 'pair')} without a rule or a reason", misfit.place)


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def render(news: News) -> str:
    """The page as Markdown, short enough for the text of a pull request."""
    lines = [f"## {escaped(title(news))}", "", summary(news)]
    for section in sections(news):
        if section.entries or section.always:
            lines += ["", f"### {section.title}", "", *_listed(section.entries)]
    return "\n".join(lines) + "\n"


def _listed(entries: tuple[Entry, ...]) -> Iterator[str]:
    room = _SECTION
    for number, entry in enumerate(entries):
        about = f"`{code(entry.about)}`: " if entry.about else ""
        line = f"- {about}{escaped(_cut(entry.text))}" + (f" (`{code(entry.place)}`)" if entry.place else "")
        room -= len(line)
        if room < 0:
            yield f"- and {len(entries) - number} more: see the diff of the records"
            return
        yield line
    if not entries:
        yield "None."


def text(news: News, width: int) -> Iterator[str]:
    """Yield the lines of the page for a terminal, none longer than `width`."""
    yield from (style(line, bold=True) for line in textwrap.wrap(title(news), width))
    yield from textwrap.wrap(summary(news), width)
    for section in sections(news):
        if section.entries or section.always:
            yield from ("", style(section.title, bold=True))
        for entry in section.entries:
            about = f"{entry.about}: " if entry.about else ""
            place = f" ({entry.place})" if entry.place else ""
            shown = printable(f"{about}{_cut(entry.text)}{place}")
            yield from textwrap.wrap(
                shown, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
            )
        if not section.entries and section.always:
            yield "  none"


def _cut(words: str) -> str:
    """The text, shortened where it is too long."""
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ... (see the diff of the records)"
