"""How the document of a run gets into a store: as one text, or into its row part by part.

SQLite makes room for a text by two buffers of its length, for a moment; to have it as text before that, and a copy to hand it over,
took as much again.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

from plimsoll.facts import Run
from plimsoll.facts.document import pieces_of

_PACKING_LEVEL = 1
"""Of zlib: higher ones take five times as long for one part in 300 less of a distribution."""
DOCUMENTS = "documents d"
"""What every view of ours reads first."""
INSERT = "INSERT INTO documents (run_id, document) VALUES (?, ?)"


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


def write_in_parts(connection: Any, document: RunDocument) -> None:
    """Into a row of SQLite's that has its length from the begin."""
    empty = "INSERT INTO documents (run_id, document) VALUES (?, CAST(zeroblob(?) AS TEXT))"
    row = connection.execute(empty, [document.run_id, document.size_bytes]).lastrowid
    with connection.blobopen("documents", "document", row) as held:
        for piece in document.pieces():
            held.write(piece.encode())
        assert held.tell() == document.size_bytes, "the parts are the same each time"
