"""What a file holds, by its first bytes: an archive to look into, something that cannot be a report, or perhaps a report.

The magic numbers are those of file(1) and of the formats' own specifications.
"""

from __future__ import annotations

from plimsoll.base.errors import WorldError

HEAD_BYTES = 1024
"""Enough for every magic number below; that of tar stands at 257."""

GZIP, ZIP, TAR = "gzip", "zip", "tar"
ARCHIVES = (GZIP, ZIP, TAR)

_PACKED = (
    (0, b"\x1f\x8b", GZIP),
    (0, b"PK\x03\x04", ZIP),
    (0, b"PK\x05\x06", ZIP),
    (257, b"ustar", TAR),
)
_PACKED_OTHERWISE = (
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x1f\x9d", "compress"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_NAMED = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF-", "a PDF document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document"),
    (b"{\\rtf", "an RTF document"),
)
"""What somebody may have taken for a report, or made from one."""

_NEVER_MEANT = (
    b"\x7fELF",
    b"SQLite format 3\0",
    b"PAR1",
    b"ARROW1",
    b"\xca\xfe\xba\xbe",
    b"MZ\x90\0",
)
"""Programs and data files that lie in folders beside reports, and that nobody names as one."""

_CONTROL = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_BINARY_SHARE_MIN = 0.05
"""Text that was damaged here and there stays below this; random bytes have a tenth of control characters."""
_SAMPLE_BYTES = 1 << 16
_PARTS = ((0, 1), (0, 2), (1, 2))
"""All bytes, and every other one."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

_AS_TEXT = "A report is text or HTML, as the database's script wrote it."


def archive_kind(head: bytes) -> str | None:
    """gzip, zip or tar; None when the file is none of these."""
    for at, magic, kind in _PACKED:
        if head.startswith(magic, at):
            return kind
    return None


def is_never_meant(head: bytes) -> bool:
    """Whether it is a program or a data file: passed over in a folder."""
    return head.startswith(_NEVER_MEANT)


def check_text(content: bytes, name: str) -> None:
    """That the content may be a report. Raises WorldError `report-file-empty`, `report-packed-otherwise`, `report-binary`."""
    if not content:
        raise WorldError("report-file-empty", f"{name} is empty", "Make the report again.")
    for magic, packer in _PACKED_OTHERWISE:
        if content.startswith(magic):
            message = f"{name} is packed with {packer}, which cannot be read here"
            raise WorldError("report-packed-otherwise", message, "Unpack it, or pack it with gzip or zip.")
    what = _what(content)
    if what is not None:
        raise WorldError("report-binary", f"{name} is {what}, not a report", _AS_TEXT)


def _what(content: bytes) -> str | None:
    for magic, named in _NAMED:
        if content.startswith(magic):
            return named
    if is_never_meant(content):
        return "a program or a data file"
    return None if _looks_like_text(content[:_SAMPLE_BYTES]) else "binary data"


def _looks_like_text(sample: bytes) -> bool:
    """Few control characters; in UTF-16 every other byte of a Western text is zero."""
    if sample.startswith(_UTF16_MARKS):
        return True
    return any(_is_mostly_printed(sample[first::step]) for first, step in _PARTS)


def _is_mostly_printed(sample: bytes) -> bool:
    return len(sample) - len(sample.translate(None, _CONTROL)) < _BINARY_SHARE_MIN * len(sample)
