"""Documents that are much alike, such as lists of tables of reports: each is packed by itself, against the first of its kind.

That takes a tenth of the room that it takes alone, and less time.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

_LEVEL = 1
"""Lists of headings shrink fourfold at the lowest level already."""
_LEVEL_BESIDE = 3
"""Beside one of its kind the lowest level finds too little, and takes as long."""
_LIKE_BYTES_MAX = 1 << 15
"""How far back zlib looks."""
_KINDS_MAX = 16
"""Of more kinds at once only the first are kept to be looked at."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One document. `like` is what it was packed against, and is there once for all that were."""

    content: bytes
    like: bytes = b""

    def __reduce__(self) -> tuple[Any, ...]:
        """What a dataclass does for its slots takes twice as long."""
        return Packed, (self.content, self.like)

    def whole(self) -> bytes:
        """The document again."""
        unpacking = zlib.decompressobj(zdict=self.like) if self.like else zlib.decompressobj()
        return unpacking.decompress(self.content)


class Packer:
    """Packs documents that are kept together."""

    def __init__(self, kinds_max: int = _KINDS_MAX) -> None:
        self._kinds_max = kinds_max
        self._firsts: dict[str, bytes] = {}
        self._looked: tuple[str | None, Any] = (None, None)
        """zlib as it has looked at the first of the kind that was packed last, which takes as long as to pack another."""

    def packed(self, document: bytes, kind: str) -> Packed:
        """Of a kind are those that are like each other."""
        like = self._firsts.get(kind)
        if like is None:
            if document and len(self._firsts) < self._kinds_max:
                self._firsts[kind] = document[-_LIKE_BYTES_MAX:]
            return Packed(zlib.compress(document, _LEVEL))
        if self._looked[0] != kind:
            self._looked = kind, zlib.compressobj(_LEVEL_BESIDE, zdict=like)
        packing = self._looked[1].copy()
        return Packed(packing.compress(document) + packing.flush(), like)

    def __getstate__(self) -> dict[str, Any]:
        """zlib crosses to no other process, and looks again there."""
        return self.__dict__ | {"_looked": (None, None)}
