"""What a server counted row by row over the span of a demand: waits that were seen, statements and relations, the first of each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from plimsoll.facts._fact import Fact, Said, Several, Text

Amount = Annotated[float, Field(ge=0)]
Gains = dict[str, Amount | None]
"""What each counter gained, by the name of its column. None where it is not known."""


class SeenWait(Fact):
    """Processes of one type that were seen waiting for the same."""

    backend_type: Text
    """Who: client backend, checkpointer, walwriter …"""
    wait_event_type: Text | None
    """The type of the wait. None: it waited for nothing, so it had a CPU or was ready for one."""
    wait_event: Text | None
    """What it waited for; None as above."""
    seen: int = Field(ge=0)
    """How often, added up over all looks; over `looks` it is how many did so on average."""


class SeenWaits(Fact):
    """What was seen in all looks of a span."""

    looks: int = Field(ge=0)
    """How often somebody looked."""
    missed: int = Field(ge=0)
    """Looks that failed."""
    seen: int = Field(ge=0)
    """All processes that were seen at work, added up over all looks."""
    waits: Several[SeenWait] = ()
    """The most frequent first."""
    unknown: tuple[Said, ...] = ()
    """Why nobody looked in some of the time."""


class CountedPart(Fact):
    """How much of the rows of one kind is known."""

    known_s: Amount
    """Seconds of the span of which the rows' counters are known."""
    gained: int = Field(ge=0)
    """Rows that gained something, as far as is known; `rows` are the first of them."""
    unkept: int = Field(ge=0)
    """Rows of which nothing is known in some of the time, as others gained more."""
    gone: int = Field(ge=0)
    """Rows that were there and are not any more: what they gained before they went is not known."""
    unknown: tuple[Said, ...] = ()
    """Why nothing is known of the rest of the time."""


class StatementGains(Fact):
    """What the server counted of one statement, by one user in one database."""

    query_id: Text
    """The server's number of the statement (`queryid`). Its text is not kept."""
    user_oid: Text
    """The user's number."""
    database_oid: Text
    """The database's number."""
    is_top_level: bool
    """False: it ran within a function, and what calls that function is counted with it."""
    gains: Gains
    """What each counter gained, by the name of its column. None where it is not known."""
    at_least: bool
    """Whether it may have gained more: of some of the time its counters are missing."""


class CountedStatements(CountedPart):
    """Statements of all databases of the server."""

    rows: Several[StatementGains] = ()
    """The first by time, by blocks read, by temporary files and by WAL."""
    totals: Gains = {}
    """What all statements gained together. None where it is not known, as some were forgotten."""


class RelationGains(Fact):
    """What the server counted of one relation of the watched database."""

    oid: Text
    """Its number."""
    relkind: Text | None
    """r: table, m: materialised view, i: index, t: TOAST table, S: sequence."""
    name: Text
    """Its name with its schema; its number where no name is known."""
    table_name: Text | None = None
    """Of an index and a TOAST table: the table. None of others, and where its name is not known."""
    gains: Gains
    """What each counter gained, by the name of its column. None where it is not known."""
    at_least: bool
    """Whether it may have gained more: of some of the time its counters are missing."""


class RelationGrowth(Fact):
    """How large a relation was at two moments, with its maps of free space and visibility."""

    oid: Text
    """Its number."""
    relkind: Text | None
    """As in `RelationGains`; None where no name is known."""
    name: Text
    """Its name with its schema; its number where no name is known."""
    table_name: Text | None = None
    """Of an index and a TOAST table: the table. None of others, and where its name is not known."""
    first_at: datetime
    """When it was looked at first: about the begin of the span."""
    first_bytes: int = Field(ge=0)
    """Its size at that moment, in bytes."""
    last_at: datetime
    """When it was looked at last in the span."""
    last_bytes: int = Field(ge=0)
    """Its size at that moment, in bytes."""


class CountedRelations(CountedPart):
    """Relations of the watched database."""

    rows: Several[RelationGains] = ()
    """The first by blocks read."""
    totals: Gains = {}
    """What all relations gained of which it is known."""


class RelationSizes(Fact):
    """How relations of the watched database grew."""

    compared: int = Field(ge=0)
    """Relations of which two sizes are known."""
    uncompared: int = Field(ge=0)
    """Those of which one is known: each snapshot asks for some of them only."""
    grown_bytes: int = Field(ge=0)
    """What those of them that grew gained together."""
    shrunk_bytes: int = Field(ge=0)
    """What those of them that shrank lost together."""
    rows: Several[RelationGrowth] = ()
    """Those that grew most, most first."""


class ServerRows(Fact):
    """What was kept row by row beside the snapshots of a demand. None: rows of that kind were not kept."""

    waits: SeenWaits | None = None
    statements: CountedStatements | None = None
    relations: CountedRelations | None = None
    sizes: RelationSizes | None = None
