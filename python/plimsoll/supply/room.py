"""Whether there is room for a file that is to be written in full: the last bytes of a file system stay free, whoever keeps it."""

from __future__ import annotations

from plimsoll.base.errors import WorldError
from plimsoll.base.units import format_bytes

_FREE_BYTES_LEFT = 64 << 20


def check_room(folder: str, free: int | None, size: int, what: str = "") -> None:
    """`what` the size is for, where that is more than one file.

    Raises WorldError `disk-full`; nothing where it is not known how much is free.
    """
    if free is not None and size + _FREE_BYTES_LEFT > free:
        left = format_bytes(_FREE_BYTES_LEFT)
        raise WorldError(
            "disk-full",
            f"{folder} has {format_bytes(free)} free, and {format_bytes(size)} are needed{what},"
            f" with {left} beside them that stay free",
            "Ask for less with --size, or name a folder on another file system.",
        )
