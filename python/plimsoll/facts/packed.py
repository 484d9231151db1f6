"""Facts by the hundred thousand in the least room: each packed against the first of its kind, and made anew when it is asked for.

Findings of thousands of reports are much alike: one takes a tenth of what it takes as a fact, or less. `plimsoll.facts.slim` is
quicker, and for facts that are looked at again and again.
"""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from plimsoll.base.packing import Packed, Packer
from plimsoll.facts._fact import Fact

F = TypeVar("F", bound=Fact)

_KINDS_MAX = 256
"""More than there are rules of advice."""


class PackedFacts(Sequence[F], Generic[F]):
    """A list of facts, in the place of a tuple of them: it equals one, has its hash, and is written as one."""

    def __init__(self) -> None:
        self._packer = Packer(_KINDS_MAX)
        # All in one piece: as objects of their own they would take twice as much.
        self._content = bytearray()
        self._likes: dict[bytes, int] = {}
        """What facts are packed against, with its number."""
        self._begins, self._lengths, self._numbers = array("Q"), array("L"), array("H")
        """Of each fact, where it begins, its length, and the number of what it is packed against."""

    def append(self, fact: F, kind: str = "") -> None:
        """One more; of a kind are those that are like each other."""
        packed = self._packer.packed(pickle.dumps(fact, pickle.HIGHEST_PROTOCOL), kind)
        self._begins.append(len(self._content))
        self._lengths.append(len(packed.content))
        self._numbers.append(self._likes.setdefault(packed.like, len(self._likes)))
        self._content += packed.content

    def at(self, places: Iterable[int]) -> PackedFacts[F]:
        """Those at these places, in that order. Nothing can be added to them."""
        made: PackedFacts[F] = PackedFacts()
        made._content, made._likes = self._content, self._likes
        for place in places:
            made._begins.append(self._begins[place])
            made._lengths.append(self._lengths[place])
            made._numbers.append(self._numbers[place])
        return made

    def __len__(self) -> int:
        return len(self._begins)

    def __iter__(self) -> Iterator[F]:
        likes = list(self._likes)
        return (self._whole(place, likes) for place in range(len(self)))

    @overload
    def __getitem__(self, place: int) -> F: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[F, ...]: ...

    def __getitem__(self, place: int | slice) -> F | tuple[F, ...]:
        likes = list(self._likes)
        if isinstance(place, slice):
            return tuple(self._whole(one, likes) for one in range(len(self))[place])
        return self._whole(range(len(self))[place], likes)

    def __eq__(self, other: object) -> bool:
        """As tuples are."""
        if not isinstance(other, tuple | PackedFacts):
            return NotImplemented
        others = cast("Sequence[Any]", other)
        return len(self) == len(others) and all(
            one == another for one, another in zip(self, others, strict=True)
        )

    def __repr__(self) -> str:
        return f"<{len(self):,} facts>"

    def __hash__(self) -> int:
        """That of the tuple, for which all are made at once."""
        return hash(tuple(self))

    def _whole(self, place: int, likes: Sequence[bytes]) -> F:
        """Of what this process packed itself."""
        begin = self._begins[place]
        content = bytes(self._content[begin : begin + self._lengths[place]])
        made: F = pickle.loads(Packed(content, likes[self._numbers[place]]).whole())
        return made
