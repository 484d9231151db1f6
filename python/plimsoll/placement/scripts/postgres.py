"""A plan as a script for PostgreSQL 14 to 18, for psql or any other client that sends one statement after the other.

Indexes are built anew beside the old ones, and nobody waits for them. A table is copied under a lock that lets nobody read it.

source: PostgreSQL manual, "ALTER TABLE" (SET TABLESPACE), "REINDEX", "CREATE TABLESPACE", "ALTER TABLESPACE", "Planner cost
constants"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from plimsoll.base.units import format_bytes
from plimsoll.facts import Tier
from plimsoll.placement.scripts.moves import Move
from plimsoll.placement.scripts.names import comment, is_plain, literal, parts, quoted

Storage = Literal["table", "materialized view", "index", "exclusion index"]
_STORAGE: dict[str, Storage] = {"table": "table", "partition": "table", "index": "index"}
_BLOCK_BYTES = 8192
_CONCURRENCY_MAX = 1000
"""The most that effective_io_concurrency takes."""
_LOCK_S = 5
OWN_SPACES = frozenset({"pg_default", "pg_global"})


@dataclass(frozen=True)
class Statement:
    """What moves an object, and what it does to others meanwhile."""

    sql: str
    lock: str
    log: str


@dataclass(frozen=True)
class Left:
    """What the plan moves and a script cannot, with the reason."""

    object: str
    reason: str


def statement(storage: Storage, schema: str, name: str, space: str, size_bytes: int | None) -> Statement:
    """The statement that moves one object."""
    size = "its size" if size_bytes is None else format_bytes(size_bytes)
    where, target = quoted(schema, name), quoted(space)
    if storage == "index":
        return Statement(
            f"REINDEX (TABLESPACE {target}, CONCURRENTLY) INDEX {where}",
            "SHARE UPDATE EXCLUSIVE on its table: reads and writes go on; waits for transactions that are older than it",
            f"about {size}: the index is built anew",
        )
    if storage == "exclusion index":
        return Statement(
            f"ALTER INDEX {where} SET TABLESPACE {target}",
            "ACCESS EXCLUSIVE on the index: who wants its table waits (an exclusion constraint is not reindexed concurrently)",
            f"about {size}",
        )
    what = "MATERIALIZED VIEW" if storage == "materialized view" else "TABLE"
    return Statement(
        f"ALTER {what} {where} SET TABLESPACE {target}",
        "ACCESS EXCLUSIVE on the table: nobody reads or writes it until "
        "the copy is done; its TOAST table goes with it, its indexes do not",
        f"all of it, about {size}: every page goes into it, and through it to standbys (unless wal_level is minimal)",
    )


def script(
    moves: Sequence[Move],
    tiers: Sequence[Tier],
    spaces: dict[str, str],
    database: str | None = None,
    *,
    reverse: bool = False,
) -> str:
    """The whole script. `spaces` are the tablespaces of tiers; `database` is where temp_tablespaces is set."""
    return "\n".join(_lines(moves, tiers, spaces, database, reverse)) + "\n"


def _lines(
    moves: Sequence[Move], tiers: Sequence[Tier], spaces: dict[str, str], database: str | None, reverse: bool
) -> Iterator[str]:
    yield from _head(moves, reverse)
    yield from _tablespaces(moves)
    yield from _room(moves)
    for move in moves:
        yield from _move(move, database)
    yield from _costs(moves, tiers, spaces, reverse)
    yield from _check(moves)


def _head(moves: Sequence[Move], reverse: bool) -> Iterator[str]:
    known = [move.size_bytes for move in moves if move.size_bytes is not None]
    what = "Takes a placement back" if reverse else "Carries out a placement"
    count = "object" if len(moves) == 1 else "objects"
    yield comment(
        f"{what}: {len(moves):,} {count}, {format_bytes(sum(known))} of known size. PostgreSQL 14 to 18."
    )
    yield comment(
        "Statement by statement, outside of a transaction; stop at the first "
        "error. What is done stays done, and repeating it does no harm."
    )
    yield ""
    yield f"SET lock_timeout = '{_LOCK_S}s';"
    yield comment(
        "A statement that waits longer for a lock than that ends with an error, and does not hold up those behind it: try it again."
    )
    yield "SET search_path = pg_catalog, pg_temp;"
    yield "SET standard_conforming_strings = on;"


def _tablespaces(moves: Sequence[Move]) -> Iterator[str]:
    targets = sorted({move.target for move in moves} - OWN_SPACES)
    if not targets:
        return
    yield ""
    yield comment(
        "Tablespaces. Where one is not there yet: make its directory first on every standby, at the same path, then on the primary,"
    )
    yield comment(
        "owned by the server's account and closed to all others (chmod 700). A standby that lacks it stops replaying."
    )
    for target in targets:
        if is_plain(target):
            yield comment(f"CREATE TABLESPACE {quoted(target)} LOCATION '/path/on/every/host';")


def _room(moves: Sequence[Move]) -> Iterator[str]:
    yield ""
    yield comment(
        "Room. The server does not say how much is free: hold these sums against df of the locations, and of pg_wal. A copy needs"
    )
    yield comment("all of its room before the old one goes.")
    for target in sorted({move.target for move in moves}):
        mine = [move for move in moves if move.target == target]
        known = sum(move.size_bytes or 0 for move in mine)
        unknown = sum(move.size_bytes is None for move in mine)
        beside = f", and {unknown:,} of unknown size" if unknown else ""
        yield comment(f"{target}: {format_bytes(known)} arrive{beside}")
    if names := sorted({literal(move.target) for move in moves if is_plain(move.target)}):
        wanted = ", ".join(names)
        yield (
            "SELECT spcname, pg_tablespace_location(oid) AS location, pg_size_pretty(pg_tablespace_size(oid)) AS holds"
            f" FROM pg_tablespace WHERE spcname IN ({wanted});"
        )


def _move(move: Move, database: str | None) -> Iterator[str]:
    yield ""
    size = "unknown size" if move.size_bytes is None else format_bytes(move.size_bytes)
    yield comment(f"{move.object}, {move.kind}, {size}: {move.source} to {move.target}")
    reason = why_left(move)
    if reason is not None:
        yield comment(f"left to you: {reason}")
    elif move.kind == "temp":
        yield from _temp(move, database)
    else:
        yield from _relation(move)


def why_left(move: Move) -> str | None:
    """Why no statement moves it; None where one does."""
    if move.kind == "temp":
        return None if is_plain(move.target) else _ODD
    if move.kind == "toast":
        return "a TOAST table moves with its table"
    if move.kind in ("wal", "redo"):
        return (
            "the log moves while the server is down: stop it, move pg_wal to the new file system, put a symbolic link to it in its"
            " place (ln -s), start it; on every standby likewise, and back in the same way"
        )
    if move.kind not in _STORAGE:
        return f"nothing is known here that moves an object of the kind {move.kind}"
    if not (is_plain(move.object) and is_plain(move.target)):
        return _ODD
    if len(parts(move.object) or ()) != 2:
        return 'its schema cannot be told from its name; write it as schema."name" in the plan, or use plimsoll place apply'
    return None


_ODD = "its name holds a line break or another control character"


def _relation(move: Move) -> Iterator[str]:
    schema, name = parts(move.object) or ("", "")
    made = statement(_STORAGE[move.kind], schema, name, move.target, move.size_bytes)
    yield comment(f"lock: {made.lock}")
    yield comment(f"WAL: {made.log}")
    if move.kind == "index":
        yield comment(
            "An exclusion constraint's index is refused: ALTER INDEX … SET TABLESPACE moves it under a lock."
        )
        # It waits for old transactions without holding anybody up; ended in the middle it leaves an invalid index behind.
        yield "SET lock_timeout = 0;"
        yield f"{made.sql};"
        yield f"SET lock_timeout = '{_LOCK_S}s';"
        yield comment(
            f"Ended in the middle it leaves an invalid index {name}_ccnew or {name}_ccold: DROP INDEX CONCURRENTLY it, and repeat."
        )
    else:
        yield f"{made.sql};"


def temp_statement(database: str, space: str) -> str:
    """What sends temporary files of a database's new sessions to a tablespace; to its default one with an empty name."""
    if not space:
        return f"ALTER DATABASE {quoted(database)} RESET temp_tablespaces"
    # The value is a list of identifiers: a name is quoted as one within the string.
    return f"ALTER DATABASE {quoted(database)} SET temp_tablespaces = {quoted(space)}"


def _temp(move: Move, database: str | None) -> Iterator[str]:
    yield comment(
        "Temporary tables and files of new sessions; those that are open stay where they are. A role's own setting wins over it,"
    )
    yield comment("and who may use them needs the right: GRANT CREATE ON TABLESPACE.")
    target = "" if move.target in OWN_SPACES else move.target
    if database is None:
        yield comment(f"Put the name of the database in its place: {temp_statement('DATABASE', target)};")
    else:
        yield f"{temp_statement(database, target)};"


def _costs(
    moves: Sequence[Move], tiers: Sequence[Tier], spaces: dict[str, str], reverse: bool
) -> Iterator[str]:
    """The planner's costs of a tier that now holds more than before."""
    targets = {move.target for move in moves}
    concerned = [tier for tier in tiers if spaces.get(tier.name, tier.name) in targets - OWN_SPACES]
    if reverse:
        yield from _costs_back(moves)
    if reverse or not concerned:
        return
    yield ""
    yield comment(
        "What the planner takes a read there to cost. Look at the plans of the largest statements again afterwards (EXPLAIN)."
    )
    yield comment("Back: ALTER TABLESPACE … RESET (random_page_cost, effective_io_concurrency);")
    for tier in concerned:
        space = quoted(spaces.get(tier.name, tier.name))
        settings = list(_settings(tier))
        if settings:
            yield f"ALTER TABLESPACE {space} SET ({', '.join(settings)});"
        if len(settings) < 2:
            yield comment(f"{tier.name}: {_not_said(tier)}")


def _costs_back(moves: Sequence[Move]) -> Iterator[str]:
    """What undoes the costs that a script has set, for whoever had set none before it."""
    sources = sorted(space for space in {move.source for move in moves} - OWN_SPACES if is_plain(space))
    if sources:
        yield ""
        yield comment("The planner's costs, where none were set before:")
    for space in sources:
        yield comment(f"ALTER TABLESPACE {quoted(space)} RESET (random_page_cost, effective_io_concurrency);")


def _settings(tier: Tier) -> Iterator[str]:
    cost, concurrency = page_cost(tier), io_concurrency(tier)
    if cost is not None:
        yield f"random_page_cost = {cost:.2g}"
    if concurrency is not None:
        yield f"effective_io_concurrency = {concurrency}"


def _not_said(tier: Tier) -> str:
    missing = (
        []
        if page_cost(tier) is not None
        else ["random_page_cost, since the size of its large reads is not known"]
    )
    missing += (
        []
        if io_concurrency(tier) is not None
        else ["effective_io_concurrency, since its iops_max is not known"]
    )
    return f"no {'; no '.join(missing)}"


def page_cost(tier: Tier) -> float | None:
    """A random read of a page in units of a sequential one, at no load; never below 1, as the server has it."""
    if tier.large_read_bytes is None:
        return None
    sequential_us = tier.large_read_us[0].latency_us / max(1.0, tier.large_read_bytes / _BLOCK_BYTES)
    return max(1.0, tier.small_read_us[0].latency_us / sequential_us) if sequential_us > 0 else None


def io_concurrency(tier: Tier) -> int | None:
    """How many reads it takes at once to reach its most I/Os per second (Little's law)."""
    if tier.iops_max is None:
        return None
    return max(1, min(_CONCURRENCY_MAX, round(tier.iops_max * tier.small_read_us[-1].latency_us / 1e6)))


def _check(moves: Sequence[Move]) -> Iterator[str]:
    """A query that shows where each object lies now."""
    named = [parts(move.object) for move in moves if move.kind in _STORAGE and why_left(move) is None]
    pairs = [f"({literal(name[0])}, {literal(name[1])})" for name in named if name is not None]
    if not pairs:
        return
    yield ""
    yield comment("Where they lie now, and whether their indexes are valid.")
    yield "SELECT n.nspname, c.relname, coalesce(t.spcname, d.spcname) AS tablespace, i.indisvalid"
    yield "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    yield "LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace LEFT JOIN pg_index i ON i.indexrelid = c.oid"
    yield "CROSS JOIN (SELECT spcname FROM pg_tablespace s JOIN pg_database b ON b.dattablespace = s.oid"
    yield "    WHERE b.datname = current_database()) d"
    yield f"WHERE (n.nspname, c.relname) IN ({', '.join(pairs)});"
