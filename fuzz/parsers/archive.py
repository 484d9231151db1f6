"""Any bytes as an archive: members within the bounds, or members that say what is wrong; never an error."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator

from plimsoll.base.limits import ARCHIVE_FREE_BYTES, REPORT_BYTES_MAX
from plimsoll.reports import archives, contents
from tiny_reports import awr


def seeds() -> Iterator[bytes]:
    """Each kind of archive, and archives in archives."""
    report = awr()[:600]
    packed = _zip(report)
    yield from (packed, gzip.compress(report, 1), gzip.compress(_tar(report, tarfile.GNU_FORMAT), 1))
    yield from (_tar(report, kind) for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    yield _tar(packed, tarfile.PAX_FORMAT, "ü" * 80)
    yield _zip(gzip.compress(packed, 1))


def _zip(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a/report.txt", content)
        packed.writestr("__MACOSX/x", b"x")
    return made.getvalue()


def _tar(content: bytes, kind: int, name: str = "a/report.txt") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=kind) as packed:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        packed.addfile(info, io.BytesIO(content))
    return made.getvalue()


def one(data: bytes) -> None:
    """Unpacks them."""
    kind = contents.archive_kind(data[: contents.HEAD_BYTES])
    if kind is None:
        return
    total = 0
    for member in archives.unpacked(io.BytesIO(data), kind, "input", archives.Growth("input", len(data))):
        member.name.encode()
        assert len(member.content) <= REPORT_BYTES_MAX
        total += len(member.content)
    assert total <= ARCHIVE_FREE_BYTES + REPORT_BYTES_MAX
