"""Any bytes as a scratch journal: entries, and what is wrong with the other lines; never an error."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.context.journal import Claimed, Made, Started, Starting, as_line, read_entries


def seeds() -> Iterator[bytes]:
    """Each kind of entry alone, and all of them."""
    path = "/var/tmp/plimsoll-scratch-0123456789abcdef.dat"
    entries = (
        Claimed(path, (1, 2), "0" * 32),
        Made(path, (1, 3)),
        Starting("/usr/bin/sleep", (15, 9)),
        Started(7, 8, "0" * 32, "/usr/bin/sleep", "/var/tmp/plimsoll-work-0123456789abcdef", (9,)),
    )
    yield from map(as_line, entries)
    yield b"".join(map(as_line, entries))


def one(data: bytes) -> None:
    """Reads them, and writes what was understood: it is understood again."""
    entries, damaged = read_entries(data)
    assert len(entries) + len(damaged) == data.count(b"\n")
    again, nothing = read_entries(b"".join(map(as_line, entries)))
    assert (again, nothing) == (entries, ())
