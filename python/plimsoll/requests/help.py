"""What can be asked of `plimsoll help`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests.asked import Asked, Examples, Request

_WORDS = Asked("words", "The verb, such as io or store list.", metavar="VERB", stands_first=True)
_MAN = Asked(
    "man",
    "Write a manual page for each verb into this folder, and print nothing of a verb.",
    metavar="FOLDER",
    shown="",
    group="Output",
    is_written=True,
)


@dataclass(frozen=True)
class HelpRequest(Request):
    """The help of a verb, of a group of verbs, or without words of the program."""

    verb = "help"
    tells_events = False
    uses_store = False
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        ("What a verb does, and how", "help store export"),
        ("Pages for man, where it looks for them", "help --man ~/.local/share/man/man1"),
    )

    words: tuple[str, ...] = _WORDS.field(())
    man: str | None = _MAN.field(None)
