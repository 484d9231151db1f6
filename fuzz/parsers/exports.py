"""Any bytes as an export of monitoring: points, whatever could not be read, and what follows from them, or a usage error."""

from __future__ import annotations

from collections.abc import Iterator

import exports_made
from plimsoll.base.errors import UsageError
from plimsoll.dialects import exports


def seeds() -> Iterator[bytes]:
    """A small export of each format, and tables as CSV."""
    for text in exports_made.examples().values():
        yield text.encode()
    yield exports_made.pg_profile(exports_made.pg_profile_tables(float, float, 2), quoted=True).encode()
    yield exports_made.pgwatch_table({"size_b": [4e9, 5e9]}).encode()


def one(data: bytes) -> None:
    """Reads them."""
    found = exports.Found()
    try:
        content = exports.Content("input", data)
        exports.source_of(content).take(content, found)
    except UsageError:
        return
    exports.derive(found)
