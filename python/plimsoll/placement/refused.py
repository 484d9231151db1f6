"""Databases that were refused together, and what that says of others: what a choice of them may not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Refused(NamedTuple):
    """So many of these, whichever they are, do not fit on one storage, beside all of some others."""

    of: frozenset[int]
    many: int
    beside: frozenset[int] = frozenset()

    @staticmethod
    def whole(databases: frozenset[int]) -> Refused:
        """All of these together."""
        return Refused(databases, len(databases))

    def is_in(self, chosen: frozenset[int]) -> bool:
        """Whether these hold so many of them."""
        return self.beside <= chosen and len(self.of & chosen) >= self.many

    @property
    def spare(self) -> int:
        """By how many more there may be of them where one of the others is not there: as many as there are."""
        return len(self.of) - self.many + 1


def refused_by(
    databases: frozenset[int], others: Iterable[int], stands_in: Callable[[int, int], bool]
) -> Iterator[Refused]:
    """What the refusal of these says of others, where one may stand in for another: whichever are there, as many are too much."""
    alike = {
        frozenset(one for one in databases if stands_in(one, of) and stands_in(of, one)) for of in databases
    }
    spare = frozenset(others) - databases
    for own in {databases, *alike}:
        more = {one for one in spare if all(stands_in(one, of) for of in own)}
        yield Refused(own | more, len(own), databases - own)
