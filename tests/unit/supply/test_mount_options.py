"""What a database would suffer from is said of a mount, and nothing of others."""

from __future__ import annotations

import pytest

from plimsoll.facts import FileSystem
from plimsoll.supply.mount_options import notes_of

GOOD = "rw,relatime,vers=3,rsize=65536,wsize=65536,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys"


def _mounted(options: str, kind: str = "nfs") -> FileSystem:
    return FileSystem(kind=kind, mount_point="/u02", options=options, source="filer:/vol")


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (GOOD, []),
        (GOOD.replace("hard", "soft"), ["mount-soft"]),
        (GOOD.replace("hard", "softerr"), ["mount-soft"]),
        (GOOD.replace("proto=tcp", "proto=udp6"), ["mount-udp"]),
        (GOOD.replace("rsize=65536", "rsize=8192"), ["mount-small-requests"]),
        (GOOD.replace("size=65536", "size=odd"), []),
        ("soft,proto=udp,rsize=4096,wsize=4096", ["mount-soft", "mount-udp", "mount-small-requests"]),
    ],
)
def test_options_that_harm_are_told(options: str, codes: list[str]) -> None:
    assert [note.code for note in notes_of(_mounted(options))] == codes
    assert notes_of(_mounted(options, "ext4")) == ()


def test_the_sizes_are_named() -> None:
    (note,) = notes_of(_mounted(GOOD.replace("size=65536", "size=8192")))
    assert "rsize of 8 KiB and wsize of 8 KiB" in note.message


def test_without_a_mount_there_is_nothing_to_say() -> None:
    assert notes_of(None) == ()
