"""What was named and is not in a result of many reports: files that could not be read, and those that were left."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Several, Text


class UnreadFile(Fact):
    """A file, or a member of an archive, that could not be read."""

    file: Text
    """As it was named, or found below what was named."""
    member: Text | None = None
    """In an archive, which member."""
    code: str | None = None
    """Why, for programs: the problem of a report. None: nothing is known."""
    message: Text | None = None
    """Why, for people."""
    hint: Text | None = None
    """What to do about it."""


class Unread(Fact):
    """Files that were named and are not in the result."""

    files: Several[UnreadFile] = ()
    """Those that could not be read, in the order in which they were found."""
    unreached: int = 0
    """How many were not read, or not all that is in them, as it was ended before: what they hold is unknown."""
