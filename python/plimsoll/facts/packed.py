"""Facts by the hundred thousand in the least room: each packed against the first of its kind, and made anew when it is asked for.

Findings of thousands of reports are much alike: one takes a tenth of what it takes as a fact, or less. `plimsoll.facts.slim` is
quicker, and for facts that are looked at again and again.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast, overload

from plimsoll.base.packing import Packed, Packer
from plimsoll.facts._fact import Fact

F = TypeVar("F", bound=Fact)

_KINDS_MAX = 256
"""More than there are rules of advice."""


class PackedFacts(Sequence[F], Generic[F]):
    """A list of facts, in the place of a tuple of them: it equals one, and is written as one."""

    def __init__(self) -> None:
        self._packer = Packer(_KINDS_MAX)
        self._found: list[Packed] = []

    def append(self, fact: F, kind: str = "") -> None:
        """One more; of a kind are those that are like each other."""
        self._found.append(self._packer.packed(pickle.dumps(fact, pickle.HIGHEST_PROTOCOL), kind))

    def at(self, places: Iterable[int]) -> PackedFacts[F]:
        """Those at these places, in that order."""
        made: PackedFacts[F] = PackedFacts()
        made._found = [self._found[place] for place in places]
        return made

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[F]:
        return map(self._whole, self._found)

    @overload
    def __getitem__(self, place: int) -> F: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[F, ...]: ...

    def __getitem__(self, place: int | slice) -> F | tuple[F, ...]:
        if isinstance(place, slice):
            return tuple(map(self._whole, self._found[place]))
        return self._whole(self._found[place])

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

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def _whole(packed: Packed) -> F:
        """Of what this process packed itself."""
        made: F = pickle.loads(packed.whole())
        return made
