"""What is kept beside a snapshot: rows of counters, one set for each kind of thing that a server counts row by row."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.facts._fact import Fact, Said, Text

KeptRowsKind = Literal["slru", "statements", "relations", "sizes", "waits", "host", "intervals"]
"""Small caches of PostgreSQL; statements; tables, indexes and what else has blocks; their sizes; what sessions were seen waiting
for; counters of the server's machine; what storage was asked for in each interval of a day, which is made of its snapshots."""


class KeptRows(Fact):
    """Rows of one kind, as a kept snapshot found them: all of them, or what changed since an earlier snapshot."""

    kind: KeptRowsKind
    """What is counted."""
    taken_at: datetime
    """When its snapshot was taken, by the server's clock."""
    after: datetime | None = None
    """The earlier snapshot whose rows these change. None: these are all that there are."""
    columns: tuple[str, ...] = ()
    """Names of the columns, in the order of the values."""
    keys: int = 1
    """How many columns say which row it is: the first ones."""
    names: int = 0
    """How many columns behind them describe it. The others are numbers."""
    rows: Text = ""
    """A line for each row, its values between tabs, as PostgreSQL's COPY writes text; \\N is unknown."""
    gone: tuple[Text, ...] = ()
    """Keys of rows that the earlier snapshot had, and that are not there any more."""
    left_out: tuple[Text, ...] = ()
    """Keys of rows that were there, and whose values at this moment were not kept because others gained more."""
    figures: dict[str, float | None] = {}
    """Figures of all rows together."""
    reset_at: datetime | None = None
    """When counters of this kind were last set to zero; None: never, or not told."""
    unknown: Said | None = None
    """Why nothing is known, where nothing is."""
