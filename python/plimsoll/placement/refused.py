"""Databases that were refused together, and what that says of others: what a choice of them may not hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
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


def refused_by(databases: frozenset[int], groups: Sequence[int]) -> Iterator[Refused]:
    """What the refusal of these says, where those of one group are equal: whichever of a group are there, as many are too much."""
    members: defaultdict[int, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        members[group].add(number)
    for group in {groups[number] for number in databases}:
        own = databases & members[group]
        yield Refused(frozenset(members[group]), len(own), databases - own)
