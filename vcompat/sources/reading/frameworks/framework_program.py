"""The program of a framework, as a command starts it."""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import Presumption
from vcompat.sources.reading.document import Document, parse_document, read_document
from vcompat.sources.reading.invocation import Invocation, written
from vcompat.sources.reading.locate import Locator
from vcompat.sources.reading.part import Mention
from vcompat.sources.reading.word import Word


class Program(NamedTuple):
    """A program of a framework that trains, with what it gets."""

    framework: str
    """The value of the fact ``plan.framework``."""
    command: str
    """The subcommand, such as ``rlhf``, or the module, such as ``verl.trainer.main_ppo``."""
    words: tuple[Word, ...]
    """The words after it."""
    invocation: Invocation

    @property
    def place(self) -> Place:
        """The position of the command."""
        return self.invocation.place


class Files:
    """Finds and reads the configuration files that the words of a program name."""

    def __init__(self, locator: Locator, invocation: Invocation) -> None:
        self.locator = locator
        self.invocation = invocation
        self.read: list[str] = []
        """The paths of the files that were read."""
        self.missing: list[Mention] = []
        self.given: Document | None = None
        """A file that is handed over without a command: every name stands for it."""

    def document(self, name: Word) -> Document | None:
        """Return the contents of the file `name`; None if they are not known. Raises InputError if it is malformed."""
        if self.given is not None:
            return self.given
        if not isinstance(name, str) or not name:
            return None
        place, folder = self.invocation.place, self.invocation.folder
        is_written, text = written(self.invocation.files, folder, name)
        if is_written:
            return parse_document(name, text) if text is not None else None
        path = self.locator.find(name, place.path, folder)
        if not path:
            self.missing.append(Mention(name, "", place))
            return None
        self.read.append(path)
        return read_document(path)


#: What the presuming reading has presumed; None in the certain reading.
Presumed = list[Presumption] | None
