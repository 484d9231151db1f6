"""What instances counted between two snapshots, added up over all of them.

A count is known where both snapshots have it. Where the first does not, it was 0 then if all lines of its statement were read and
names come with their first count; else it is unknown, and so is the sum. A name that was there and is gone is damaged, or its
successor is: then no name of that instance is new. Names are compared without spaces, of which one may be lost where a line was
wrapped. Each sum has the line of the second snapshot that ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from plimsoll.reports.spool.snapshots import SHAPES, Key, Row, Snapshot, Table, squeezed


@dataclass(frozen=True)
class Gain:
    """What was counted more, and the line in the second snapshot."""

    line: int
    values: tuple[Decimal | None, ...]


def gains(first: Snapshot, last: Snapshot, letter: str) -> dict[Key, Gain]:
    """By words, over all instances, in the order of lines."""
    before, after = first.table(letter), last.table(letter)
    pair = _Pair(
        before,
        after,
        SHAPES[letter].fixed,
        frozenset(instance for instance, _ in before.compared.keys() - after.compared.keys()),
    )
    found: dict[Key, Gain] = {}
    for key in dict.fromkeys(key for _, key in last.table(letter).rows):
        gain = pair.over_instances(squeezed(key), sorted(last.instances))
        if gain is not None:
            found[key] = gain
    return dict(sorted(found.items(), key=lambda one: one[1].line))


def names_apart(first: Snapshot, last: Snapshot, letter: str) -> Iterator[tuple[Key, int]]:
    """Names that only one of the two has although nothing takes them away or adds them, with their lines."""
    before, after = first.table(letter), last.table(letter)
    is_new_known = not SHAPES[letter].fixed
    for side, other in ((before, after), (after, before)):
        if other.is_whole and not (side is after and is_new_known):
            for instance, key in side.compared.keys() - other.compared.keys():
                yield key, side.compared[instance, key].line


def own_gains(first: Snapshot, last: Snapshot, letter: str) -> Iterator[tuple[int, Key, Gain]]:
    """By instance, of a list that holds only the highest counts: known where both snapshots list it."""
    before = first.table(letter)
    for (instance, key), row in last.table(letter).rows.items():
        old = before.compared.get((instance, squeezed(key)))
        if old is not None:
            yield instance, key, Gain(row.line, _less(row.values, old.values))


@dataclass(frozen=True)
class _Pair:
    before: Table
    after: Table
    is_fixed: bool
    lost: frozenset[int]
    """Instances of which the first has a name that the second does not have."""

    def over_instances(self, key: Key, instances: Sequence[int]) -> Gain | None:
        """The sum; None where that of one instance is not known."""
        total: tuple[Decimal | None, ...] | None = None
        line = 0
        for instance in instances:
            row, old = self.after.compared.get((instance, key)), self.before.compared.get((instance, key))
            if not self._is_known(row, old, instance):
                return None
            if row is not None:
                gained = row.values if old is None else _less(row.values, old.values)
                total = gained if total is None else tuple(map(_plus, total, gained))
                line = max(line, row.line)
        return None if total is None else Gain(line, total)

    def _is_known(self, row: Row | None, old: Row | None, instance: int) -> bool:
        """Of one instance; nothing in both is nothing, where names come with their first count."""
        if row is not None and old is not None:
            return True
        if self.is_fixed or old is not None or not self.after.is_whole:
            return False
        return self.before.is_whole and instance not in self.lost


def _less(values: tuple[Decimal | None, ...], old: tuple[Decimal | None, ...]) -> tuple[Decimal | None, ...]:
    return tuple(
        None if new is None or was is None else new - was for new, was in zip(values, old, strict=True)
    )


def _plus(one: Decimal | None, other: Decimal | None) -> Decimal | None:
    return None if one is None or other is None else one + other


def states(last: Snapshot, letter: str) -> Iterator[tuple[int, Key, Row]]:
    """What the second snapshot says of no count, by instance, in the order of lines."""
    rows = sorted(last.table(letter).rows.items(), key=lambda one: one[1].line)
    return ((instance, key, row) for (instance, key), row in rows)
