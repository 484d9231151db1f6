"""How the document of a run gets into a store: as one text, or into its row part by part.

SQLite makes room for a text by two buffers of its length, for a moment; to have it as text before that, and a copy to hand it over,
took as much again. For a BLOB it makes room on its pages alone. So the longest documents are BLOBs: SQLite's JSON functions, and
our views with them, take text in a BLOB as they take text.

source: https://sqlite.org/json1.html, on input that is a BLOB and no JSONB: once a defect, and supported for good since 3.45.1
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator

from plimsoll.base import limits
from plimsoll.facts import Run
from plimsoll.facts.document import pieces_of

_PACKING_LEVEL = 1
"""Of zlib: higher ones take five times as long for one part in 300 less of a distribution."""
DOCUMENTS = "documents d"
"""What every view of ours reads first."""
_WITHOUT_BLOBS = ((3, 45, 0),)
"""The one version whose JSON functions refuse a BLOB that is text.

source: https://sqlite.org/releaselog/3_45_1.html
"""


def put_statement(document: str, again: bool) -> str:
    """The statement that puts this expression into a run's row in `documents`: a new one, or `again` the one that is there.

    Both take the document first and then the run's id. One that does either would want the right to change what is stored.
    """
    if again:
        return f"UPDATE documents SET document = {document} WHERE run_id = ?"
    return f"INSERT INTO documents (document, run_id) VALUES ({document}, ?)"


class RunDocument:
    """Of a run whose lists may be long. Its parts are made each time anew, and are the same each time."""

    def __init__(self, run: Run) -> None:
        self.run_id = run.id
        self._run = run
        self._whole: str | None = None
        blobs: dict[str, bytes] = {}
        self.size_bytes = 0
        for number, piece in enumerate(pieces_of(run, blobs)):
            self._whole = piece if number == 0 else None
            self.size_bytes += len(piece.encode())
        self.blobs = [
            [name, len(blob), zlib.compress(blob, _PACKING_LEVEL)] for name, blob in sorted(blobs.items())
        ]
        """SHA-256, length, and packed content of each distribution."""

    @property
    def is_long(self) -> bool:
        """Whether it comes in more than one part."""
        return self._whole is None

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """In parts."""
        return pieces_of(self._run, {}) if self._whole is None else iter((self._whole,))


def write_in_parts(connection: sqlite3.Connection, document: RunDocument, again: bool) -> None:
    """Into a row of SQLite's that has its length from the begin."""
    room = "zeroblob(?)" if _is_blob(document.size_bytes) else "CAST(zeroblob(?) AS TEXT)"
    connection.execute(put_statement(room, again), [document.size_bytes, document.run_id])
    ((row,),) = connection.execute(
        "SELECT rowid FROM documents WHERE run_id = ?", [document.run_id]
    ).fetchall()
    with connection.blobopen("documents", "document", row) as held:
        for piece in document.pieces():
            held.write(piece.encode())
        assert held.tell() == document.size_bytes, "the parts are the same each time"


def _is_blob(size_bytes: int) -> bool:
    return size_bytes > limits.DOCUMENT_TEXT_BYTES_MAX and sqlite3.sqlite_version_info not in _WITHOUT_BLOBS
