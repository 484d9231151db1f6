"""What a server counted over a whole span: the sum over its known intervals, of what is known in each of them."""

from __future__ import annotations

from plimsoll.demand import classes
from plimsoll.demand.amounts import plus
from plimsoll.demand.deltas import COUNTS, TIMES, Delta
from plimsoll.facts import Database, IoCounters

_Key = tuple[str, str, str]


class Counted:
    """Sums that grow by an interval at a time. What one interval does not tell is unknown of all of them."""

    def __init__(self) -> None:
        self._totals: dict[str, float | None] | None = None
        self._io: dict[_Key, IoCounters] | None = None
        self._release: int | None = None

    @property
    def totals(self) -> dict[str, float]:
        """Counts by `view.column`."""
        return {name: value for name, value in (self._totals or {}).items() if value is not None}

    @property
    def io(self) -> tuple[IoCounters, ...]:
        """Counts of I/O by who, on what and why."""
        return tuple((self._io or {}).values())

    def add(self, delta: Delta, database: Database) -> None:
        """A further interval; `database` is as it was throughout that interval."""
        told = classes.sorting(database).told(delta, database)
        rows = {(row.backend, row.object, row.context): row for row in told.io}
        if self._totals is None:
            self._totals, self._io = dict(told.totals), rows
        else:
            self._totals = {name: plus(value, told.totals.get(name)) for name, value in self._totals.items()}
            self._io = _sums(self._io or {}, rows) if self._io and rows and self._is_same(database) else {}
        self._release = database.version_number // 10000

    def _is_same(self, database: Database) -> bool:
        """Whether the release counts as the one before did: 18 counts requests where 17 counted blocks."""
        return self._release == database.version_number // 10000


def _sums(before: dict[_Key, IoCounters], more: dict[_Key, IoCounters]) -> dict[_Key, IoCounters]:
    """A row that is absent in one of them was zero there."""
    found = before | more
    for key in before.keys() & more.keys():
        sums = {
            name: plus(getattr(before[key], name), getattr(more[key], name)) for name in (*COUNTS, *TIMES)
        }
        found[key] = more[key].model_copy(update=sums)
    return found
