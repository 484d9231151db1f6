"""What verbs tell of what was named and is not in their result, and how they end where they could open nothing of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted
from plimsoll.facts import Note, Report, Unread, UnreadFile


def status_of_unopened(failed: int, unopened: int, missing: int) -> ExitStatus | None:
    """2 where nothing of what was named is there, 4 where it is and could not be opened; None where anything was opened.

    Of `failed` names or files `unopened` could not be opened, and of those `missing` are not there.
    """
    if not unopened or unopened < failed:
        return None
    return ExitStatus.USAGE if missing == unopened else ExitStatus.WORLD_FAILED


def unread_of(reports: Sequence[Report], unreached: int) -> Unread | None:
    """What is not in a result; None where everything is."""
    return (
        Unread(files=tuple(map(_unread_file, reports)), unreached=unreached) if reports or unreached else None
    )


def _unread_file(report: Report) -> UnreadFile:
    first = report.problems[0] if report.problems else None
    told = {} if first is None else {"code": first.code, "message": first.message, "hint": first.hint}
    return UnreadFile.model_validate({"file": report.file, "member": report.member, **told})


def unreached_notes(unreached: int) -> Iterator[Note]:
    """That some were left; what they hold is unknown."""
    if unreached:
        were = "was" if unreached == 1 else "were"
        told = f"{counted(unreached, 'file')} {were} not read, or not all that is in them, as it was ended before"
        yield Note(code="files-unreached", message=told)
