"""Archives that make Python's own readers fail in odd ways: a member that says so, and never an error of ours."""

from __future__ import annotations

import io
import tarfile
import zipfile

from plimsoll.reports import archives, contents


def zipped(*names: str) -> bytes:
    """Members of these names, each with the same text."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name in names:
            packed.writestr(name, "text")
    return made.getvalue()


def members(data: bytes) -> list[archives.Member]:
    kind = contents.archive_kind(data)
    assert kind is not None
    return list(archives.unpacked(io.BytesIO(data), kind, "input", archives.Growth("input", len(data))))


def test_a_zip_of_a_later_version() -> None:
    data = bytearray(zipped("a"))
    at = data.index(b"PK\x01\x02")
    data[at + 6] = 236  # version needed to extract, in tenths
    (member,) = members(bytes(data))
    assert member.error is not None
    assert member.error.id == "archive-broken"


def test_a_member_without_a_name_is_read_as_the_others_are() -> None:
    data = bytearray(zipped("x", "b"))
    at = data.index(b"PK\x01\x02")
    name_length = at + 28
    assert data[name_length] == 1
    # The central directory's entry says that its name is empty and its comment one longer.
    data[name_length] = 0
    data[at + 32] = 1
    found = members(bytes(data))
    assert [member.content for member in found if member.error is None] == [b"text"]
    assert len(found) == 2


def test_a_record_of_an_impossible_length() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as packed:
        info = tarfile.TarInfo("a")
        info.pax_headers = {"comment": "x" * 40}
        packed.addfile(info)
    data = made.getvalue()
    at = data.index(b" comment=")
    data = data[: at - 2] + b"9" * 30 + b" comment=" + b"\n" + data[at + 38 :]
    (member,) = members(data)
    assert member.error is not None
    assert member.error.id == "archive-broken"


def test_holes_are_refused_before_they_are_filled() -> None:
    """By the header of GNU tar's old form: a file of 1 TiB, of which one block is there."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as packed:
        info = tarfile.TarInfo("report.txt")
        info.type = tarfile.GNUTYPE_SPARSE
        info.size = 512
        packed.addfile(info, io.BytesIO(b"x" * 512))
    data = bytearray(made.getvalue())
    data[386:410] = b"00000000000\0" + b"00000001000\0"
    data[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    (member,) = members(bytes(data))
    assert member.error is not None
    assert member.error.id == "archive-sparse"
