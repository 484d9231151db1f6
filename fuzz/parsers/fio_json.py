"""Any bytes as a result of fio: a report, or a usage error that names the place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import fio_reports
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects.fio.json_read import read


def seeds() -> Iterator[bytes]:
    """What the tests have fio say."""
    document = json.dumps(fio_reports.report(fio_reports.job()))
    yield document.encode()
    yield f"fio: a word before\n{document}".encode()


def one(data: bytes) -> None:
    """Reads them."""
    try:
        read(Path("input"), data.decode(errors="replace"))
    except PlimsollError:
        return
