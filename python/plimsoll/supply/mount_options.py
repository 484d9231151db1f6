"""Options of an NFS mount that a database would suffer from, as notes beside what is measured there.

Sources: PostgreSQL's manual, "Creating a Database Cluster", on NFS; Oracle's installation guides, "Checking NFS Mount and Buffer
Size Parameters"; nfs(5).
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes
from plimsoll.facts import FileSystem, Note

_SIZE_MIN = 32_768
"""What Oracle asks rsize and wsize to be at least."""
_GIVES_UP = "the mount gives up after a while (soft), and a database takes the error for the loss of its file: mount it with hard"
_OVER_UDP = "the mount speaks UDP, over which a lost packet is waited for, and parts of two answers may be joined: proto=tcp"


def notes_of(mounted: FileSystem | None) -> tuple[Note, ...]:
    """None of another file system."""
    return () if mounted is None or not mounted.kind.startswith("nfs") else tuple(_notes(mounted))


def _notes(mounted: FileSystem) -> Iterator[Note]:
    pairs = (option.partition("=") for option in mounted.options.split(","))
    options = {name: value for name, _, value in pairs}
    if options.keys() & {"soft", "softerr"}:
        yield Note(code="mount-soft", message=f"{mounted.mount_point}: {_GIVES_UP}")
    if options.get("proto", "").startswith("udp"):
        yield Note(code="mount-udp", message=f"{mounted.mount_point}: {_OVER_UDP}")
    small = {
        name: size
        for name in ("rsize", "wsize")
        if (word := options.get(name, "")).isdecimal() and (size := int(word)) < _SIZE_MIN
    }
    if small:
        sizes = " and ".join(f"{name} of {format_bytes(size)}" for name, size in small.items())
        asked = f"Oracle asks for {format_bytes(_SIZE_MIN)} or more"
        message = f"{mounted.mount_point}: {sizes} makes many requests of one I/O: {asked}"
        yield Note(code="mount-small-requests", message=message)
