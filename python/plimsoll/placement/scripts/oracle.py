"""A plan as a script for Oracle Database 11.2 and newer, for SQL*Plus or SQLcl. No part of it was run on an Oracle Database by us.

What can be moved while sessions work depends on release and edition, which is asked for: without it the script is that of the
least able.

source: Oracle Database SQL Language Reference, "ALTER TABLE" (move_table_clause; ONLINE of a table from 12.2, of a partition
from 12.1), "ALTER INDEX" (rebuild_clause), "ALTER DATABASE" (move_datafile_clause), "ALTER DISKGROUP", storage_clause;
Licensing Information, "Permitted Features"; PL/SQL Packages and Types Reference, DBMS_REDEFINITION
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.placement.scripts.moves import Move
from plimsoll.placement.scripts.names import comment, is_plain, literal, parts, quoted

Edition = Literal["enterprise", "standard"]
Platform = Literal["oracle-linux", "solaris", "other"]
Release = tuple[int, int]

_OLDEST: Release = (11, 2)
ONLINE_PARTITION: Release = (12, 1)
_ONLINE_FILE: Release = (12, 1)
_REDEF_IN_ONE: Release = (12, 1)
ONLINE_TABLE: Release = (12, 2)
PREFERRED_READ_SINCE: Release = (12, 2)
_INTERIM = "PLACED_INTERIM"
_LOCK_S = 5
_CONTENTS = {"table": "", "partition": "", "index": "", "lob": "", "temp": "_TEMP", "undo": "_UNDO"}
"""Kinds of objects that a tablespace is named for, and the ending that keeps their tablespace apart from the others'."""


@dataclass(frozen=True)
class Server:
    """What the script is for, and what else it is to do."""

    release: Release = _OLDEST
    edition: Edition = "standard"
    platform: Platform = "other"
    flash_cache: bool = False
    """Keep the objects in Database Smart Flash Cache instead of moving them."""
    preferred_read: str | None = None
    """`DISKGROUP.FAILGROUP` that reads go to."""

    @property
    def is_enterprise(self) -> bool:
        return self.edition == "enterprise"

    def moves_online(self, since: Release) -> bool:
        """Whether what came with a release of Enterprise Edition is there."""
        return self.is_enterprise and self.release >= since

    @property
    def has_flash_cache(self) -> bool:
        """Whether Database Smart Flash Cache is in it."""
        return self.is_enterprise and self.platform != "other"

    @property
    def words(self) -> str:
        """As a person says it."""
        where = "" if self.platform == "other" else f", on {self.platform.replace('-', ' ').title()}"
        return f"Oracle Database {'.'.join(map(str, self.release))}, {self.edition.title()} Edition{where}"


def release_of(word: str) -> Release:
    """`19`, `19.3` or `12.2.0.1` as a release. Raises UsageError `release-unreadable`."""
    numbers = word.split(".")
    if not all(number.isascii() and number.isdigit() for number in numbers[:2]) or not numbers:
        raise UsageError(
            "release-unreadable", f"--release: '{word}' is not a release", "Write it like 19 or 12.2."
        )
    found = (int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else _second(int(numbers[0])))
    if found < _OLDEST:
        raise UsageError(
            "release-unreadable", f"--release: {word} is older than 11.2", "Scripts are for 11.2 and newer."
        )
    return found


def _second(first: int) -> int:
    """Of a release that was named by one number: from 18 on there is one, before it the first that this reads."""
    return 2 if first == 11 else 1 if first == 12 else 0


def script(moves: Sequence[Move], keep: Sequence[Move], server: Server, *, reverse: bool = False) -> str:
    """The whole script. `keep` are objects for the keep pool. Raises UsageError `flash-cache-elsewhere`,
    `preferred-read-unreadable`.
    """
    if server.flash_cache and not server.has_flash_cache:
        raise UsageError(
            "flash-cache-elsewhere",
            f"there is no Database Smart Flash Cache in {server.words}",
            "It is in Enterprise Edition on Oracle Linux and Solaris: --edition enterprise --platform oracle-linux.",
        )
    return "\n".join(_lines(_contents_apart(moves, reverse), keep, server, reverse)) + "\n"


def _contents_apart(moves: Sequence[Move], reverse: bool) -> list[Move]:
    """The moves with temporary space and undo in tablespaces of their own, as none holds two kinds of contents; the way back
    leads to the tablespace that the object is called after.
    """
    sources = _shared(moves, [move.source for move in moves])
    targets = _shared(moves, [move.target for move in moves])
    return [
        replace(move, source=source, target=(reverse and _own_tablespace(move)) or target)
        for move, source, target in zip(moves, sources, targets, strict=True)
    ]


def _own_tablespace(move: Move) -> str | None:
    """The tablespace that temporary space or undo is called after, as in `temporary tablespace TEMP`."""
    head, word, name = move.object.partition("tablespace ")
    return name if word and name and move.kind in ("temp", "undo") and head in ("", "temporary ") else None


def _shared(moves: Sequence[Move], names: Sequence[str]) -> list[str]:
    """Tablespaces of the moves; one that would hold several kinds of contents gets an ending for each but the permanent one."""
    kinds: dict[str, set[str]] = {}
    for move, name in zip(moves, names, strict=True):
        if move.kind in _CONTENTS:
            kinds.setdefault(name, set()).add(_CONTENTS[move.kind])
    return [
        name + _CONTENTS.get(move.kind, "") if len(kinds.get(name, ())) > 1 else name
        for move, name in zip(moves, names, strict=True)
    ]


def _lines(moves: Sequence[Move], keep: Sequence[Move], server: Server, reverse: bool) -> Iterator[str]:
    yield from _head(moves, server, reverse)
    if server.preferred_read is not None:
        yield from _preferred(server, server.preferred_read, reverse)
    for move in _after_their_tables(moves):
        yield from _move(move, server, reverse)
    for one in keep:
        yield from _keep(one, reverse)
    yield from _check(moves)


def _after_their_tables(moves: Sequence[Move]) -> Iterator[Move]:
    """The moves in their order, but no index before its table, which would have to be rebuilt again."""
    tables = [move.object for move in moves if move.kind == "table"]
    waiting: dict[str, list[Move]] = {}
    for number, move in enumerate(moves):
        later = {one.object for one in moves[number:] if one.kind == "table"}
        if move.kind == "index" and move.parent in later:
            waiting.setdefault(move.parent, []).append(move)
            continue
        yield move
        yield from waiting.get(move.object, ()) if move.object in tables else ()


def _head(moves: Sequence[Move], server: Server, reverse: bool) -> Iterator[str]:
    known = [move.size_bytes for move in moves if move.size_bytes is not None]
    what = "Takes a placement back" if reverse else "Carries out a placement"
    yield comment(
        f"{what}: {len(moves):,} objects, {format_bytes(sum(known))} of known size. For {server.words}."
    )
    yield comment(
        "NOT RUN: nothing of this was tried on an Oracle Database. Read it, and try it on a copy first."
    )
    yield comment(
        "A copy needs all of its room in the target tablespace before the "
        "old one goes, and the log holds it too, unless it is NOLOGGING,"
    )
    yield comment("which loses it to standbys and to recovery from older backups.")
    yield ""
    yield f"ALTER SESSION SET DDL_LOCK_TIMEOUT = {_LOCK_S};"
    if names := sorted({literal(move.target) for move in moves if is_plain(move.target)}):
        yield (
            "SELECT tablespace_name, SUM(bytes) AS free_bytes FROM dba_free_space"
            f" WHERE tablespace_name IN ({', '.join(names)}) GROUP BY tablespace_name;"
        )


def _preferred(server: Server, word: str, reverse: bool) -> Iterator[str]:
    """Reads go to one side of a mirror, writes to both."""
    group, dot, failgroup = word.partition(".")
    if not (group and dot and failgroup and is_plain(word)):
        hint = "Write the disk group and its failure group, such as --preferred-read DATA.FLASH."
        raise UsageError(
            "preferred-read-unreadable", f"--preferred-read: '{word}' is not GROUP.FAILGROUP", hint
        )
    yield ""
    yield comment(
        "Preferred read of ASM: reads go to the near side of the mirror, writes to both. In the ASM instance:"
    )
    if server.release >= PREFERRED_READ_SINCE:
        value = "FALSE" if reverse else "TRUE"
        yield f"ALTER DISKGROUP {quoted(group)} SET ATTRIBUTE 'preferred_read.enabled' = '{value}';"
        yield comment(
            f"Which side is near is said by sites: failure group {failgroup} must lie in the site of the instance."
        )
    else:
        value = "''" if reverse else literal(word)
        yield f"ALTER SYSTEM SET ASM_PREFERRED_READ_FAILURE_GROUPS = {value};"


def _move(move: Move, server: Server, reverse: bool) -> Iterator[str]:
    yield ""
    size = "unknown size" if move.size_bytes is None else format_bytes(move.size_bytes)
    yield comment(f"{move.object}, {move.kind}, {size}: {move.source} to {move.target}")
    if not (is_plain(move.object) and is_plain(move.target)):
        yield comment("left to you: its name holds a line break or another control character")
        return
    if server.flash_cache and move.kind in _STORED:
        yield from _stored(move, "FLASH_CACHE", reverse)
        return
    yield from _KINDS[move.kind](move, server)


def _left(reason: str) -> Iterator[str]:
    yield comment(f"left to you: {reason}")


def _named(move: Move) -> tuple[str, ...] | None:
    """Owner and name, and the partition of one; None where they cannot be told apart."""
    found = parts(move.object)
    return found if found is not None and len(found) in (2, 3) else None


_NAMELESS = (
    "its owner cannot be told from its name; write it as OWNER.NAME "
    "or OWNER.NAME.PARTITION, a part with dots in double quotes"
)


def _table(move: Move, server: Server) -> Iterator[str]:
    named = _named(move)
    if named is None:
        yield from _left(_NAMELESS)
    elif len(named) == 3:
        yield from _partition(move, server)
    elif server.moves_online(ONLINE_TABLE):
        yield comment("online: reads and writes go on, indexes stay usable")
        yield f"ALTER TABLE {quoted(*named)} MOVE ONLINE TABLESPACE {quoted(move.target)};"
    elif server.is_enterprise:
        yield from _redefined(named, move, server)
    else:
        yield comment("nobody writes it meanwhile, and its indexes are unusable until they are rebuilt:")
        yield f"ALTER TABLE {quoted(*named)} MOVE TABLESPACE {quoted(move.target)};"
        yield from _rebuild_query(named)


def _rebuild_query(named: tuple[str, ...]) -> Iterator[str]:
    """What prints the statements that make the indexes of a table usable again, where they are."""
    yield comment("This prints what rebuilds them; run it at once:")
    yield (
        "SELECT 'ALTER INDEX \"' || owner || '\".\"' || index_name || '\" REBUILD;' AS run_this FROM dba_indexes"
        f" WHERE table_owner = {literal(named[0])} AND table_name = {literal(named[1])} AND status = 'UNUSABLE';"
    )


def _redefined(named: tuple[str, ...], move: Move, server: Server) -> Iterator[str]:
    """A table that cannot be moved online, copied by DBMS_REDEFINITION while sessions work."""
    owner, table = literal(named[0]), literal(named[1])
    yield comment(
        "this release moves no table online: it is redefined, and written for but a moment at the end not"
    )
    if server.release >= _REDEF_IN_ONE:
        yield "BEGIN"
        yield (
            f"  DBMS_REDEFINITION.REDEF_TABLE(uname => {owner}, tname => "
            f"{table}, table_part_tablespace => {literal(move.target)});"
        )
        yield from ("END;", "/")
        return
    interim = literal(_INTERIM)
    yield comment(
        "a table without a primary key takes options_flag => "
        "DBMS_REDEFINITION.CONS_USE_ROWID in each call; ABORT_REDEF_TABLE gives up"
    )
    yield (
        f"CREATE TABLE {quoted(named[0], _INTERIM)} TABLESPACE "
        f"{quoted(move.target)} AS SELECT * FROM {quoted(*named)} WHERE 1 = 0;"
    )
    yield from ("DECLARE", "  errors PLS_INTEGER;", "BEGIN")
    yield f"  DBMS_REDEFINITION.CAN_REDEF_TABLE({owner}, {table});"
    yield f"  DBMS_REDEFINITION.START_REDEF_TABLE({owner}, {table}, {interim});"
    yield f"  DBMS_REDEFINITION.COPY_TABLE_DEPENDENTS({owner}, {table}, {interim}, num_errors => errors);"
    yield "  IF errors > 0 THEN RAISE_APPLICATION_ERROR(-20000, 'see DBA_REDEFINITION_ERRORS'); END IF;"
    yield f"  DBMS_REDEFINITION.SYNC_INTERIM_TABLE({owner}, {table}, {interim});"
    yield f"  DBMS_REDEFINITION.FINISH_REDEF_TABLE({owner}, {table}, {interim});"
    yield from ("END;", "/")
    yield f"DROP TABLE {quoted(named[0], _INTERIM)} PURGE;"


def _partition(move: Move, server: Server) -> Iterator[str]:
    named = _named(move)
    if named is None or len(named) != 3:
        yield from _left(_NAMELESS)
        return
    online = server.moves_online(ONLINE_PARTITION)
    yield comment("online: reads and writes go on" if online else "nobody writes the partition meanwhile")
    how = "UPDATE INDEXES ONLINE" if online else "UPDATE INDEXES"
    yield f"ALTER TABLE {quoted(*named[:2])} MOVE PARTITION {quoted(named[2])} TABLESPACE {quoted(move.target)} {how};"
    yield comment(
        "A partition that has subpartitions is none that is stored: MOVE SUBPARTITION each of them."
    )


def _index(move: Move, server: Server) -> Iterator[str]:
    named = _named(move)
    if named is None:
        yield from _left(_NAMELESS)
        return
    online = " ONLINE" if server.is_enterprise else ""
    part = f" PARTITION {quoted(named[2])}" if len(named) == 3 else ""
    yield comment("online: writes of its table go on" if online else "nobody writes its table meanwhile")
    yield f"ALTER INDEX {quoted(*named[:2])} REBUILD{part} TABLESPACE {quoted(move.target)}{online};"


def _lob(move: Move, server: Server) -> Iterator[str]:
    named = _named(move)
    if named is not None and len(named) == 3:
        online = " ONLINE" if server.moves_online(ONLINE_TABLE) else ""
        yield f"ALTER TABLE {quoted(*named[:2])} MOVE{online} LOB ({quoted(named[2])}) STORE AS (TABLESPACE {quoted(move.target)});"
        if not online:
            yield from _rebuild_query(named)
        return
    if named is None:
        yield from _left(_NAMELESS)
        return
    yield comment(
        "A LOB moves by table and column, which its segment's name does not tell. This prints the statement:"
    )
    yield (
        "SELECT 'ALTER TABLE \"' || owner || '\".\"' || table_name || '\" MOVE LOB (' || column_name || ') STORE AS (TABLESPACE "
        f"' || {literal(quoted(move.target))} || ');' AS run_this FROM dba_lobs"
        f" WHERE owner = {literal(named[0])} AND segment_name = {literal(named[1])};"
    )


def _temp(move: Move, server: Server) -> Iterator[str]:
    yield comment(
        "A tablespace of its own, for temporary space alone. "
        "Make it first where it is not there: CREATE TEMPORARY TABLESPACE "
        "… TEMPFILE '…' SIZE …. Sessions go over as they begin; users"
    )
    yield comment(
        "with a temporary tablespace of their own keep it (DBA_USERS). The old one stays, to go back."
    )
    yield f"ALTER DATABASE DEFAULT TEMPORARY TABLESPACE {quoted(move.target)};"


def _undo(move: Move, server: Server) -> Iterator[str]:
    yield comment(
        "A tablespace of its own, for undo alone. Make it first where it is not there: CREATE UNDO TABLESPACE … "
        "DATAFILE '…' SIZE …. In a cluster each instance has one of its own"
    )
    yield comment(
        "(SID = '…'). The old one is needed until its transactions have ended and undo_retention has passed."
    )
    yield f"ALTER SYSTEM SET UNDO_TABLESPACE = {quoted(move.target)};"


def _redo(move: Move, server: Server) -> Iterator[str]:
    yield comment(
        "left to you: add groups of the same size on the new tier, of each thread "
        "and standby logs too, switch, then drop the old ones when inactive:"
    )
    yield comment(
        "ALTER DATABASE ADD LOGFILE THREAD 1 GROUP … ('…') SIZE …; ALTER SYSTEM SWITCH LOGFILE; ALTER SYSTEM CHECKPOINT;"
    )
    yield "SELECT group#, thread#, bytes, status FROM v$log;"


def _space(move: Move, server: Server) -> Iterator[str]:
    """A whole tablespace, whose files go to another place."""
    name = move.object.removeprefix("tablespace ")
    online = server.moves_online(_ONLINE_FILE)
    if online:
        yield comment(
            "Its files move online, one after the other: put the new place into each statement that this prints."
        )
        command = "'ALTER DATABASE MOVE DATAFILE ''' || file_name || ''' TO ''NEW PLACE'';'"
    else:
        yield comment(
            "Before 12.1, and in Standard Edition, its files move while the tablespace "
            "is offline: copy each, then run what this prints, with the new place."
        )
        command = "'ALTER DATABASE RENAME FILE ''' || file_name || ''' TO ''NEW PLACE'';'"
    yield f"SELECT {command} AS run_this FROM dba_data_files WHERE tablespace_name = {literal(name)};"


def _nothing(move: Move, server: Server) -> Iterator[str]:
    yield from _left(f"Oracle has no object of the kind {move.kind}")


_KINDS: dict[str, Callable[[Move, Server], Iterator[str]]] = {
    "table": _table, "partition": _partition, "index": _index, "lob": _lob, "temp": _temp, "undo": _undo, "redo": _redo,
    "other": _space, "wal": _nothing, "toast": _nothing,
}  # fmt: skip
_STORED = frozenset({"table", "index"})
"""What storage clauses are set of by name."""


def _stored(move: Move, what: Literal["FLASH_CACHE", "BUFFER_POOL"], reverse: bool) -> Iterator[str]:
    """A storage clause that says where the object's blocks are kept; nothing is moved."""
    named = _named(move)
    if named is None or len(named) != 2:
        yield from _left(_NAMELESS)
        return
    kind = "INDEX" if move.kind == "index" else "TABLE"
    value = "DEFAULT" if reverse else "KEEP"
    yield f"ALTER {kind} {quoted(*named)} STORAGE ({what} {value});"


def _keep(move: Move, reverse: bool) -> Iterator[str]:
    """The keep pool, for what memory answers."""
    yield ""
    yield comment(
        f"{move.object}: no tier helps it, memory answers its reads. Kept there, which takes room in DB_KEEP_CACHE_SIZE:"
    )
    if move.kind in _STORED and is_plain(move.object):
        yield from _stored(move, "BUFFER_POOL", reverse)
    else:
        yield from _left(
            f"an object of the kind {move.kind} has no pool of its own, or its name holds a control character"
        )


def _check(moves: Sequence[Move]) -> Iterator[str]:
    pairs = [
        f"({literal(named[0])}, {literal(named[1])})"
        for move in moves
        if (named := _named(move)) and is_plain(move.object)
    ]
    if not pairs:
        return
    yield ""
    yield comment("Where they lie now, and what is unusable.")
    yield (
        "SELECT owner, segment_name, partition_name, tablespace_name, bytes FROM dba_segments"
        f" WHERE (owner, segment_name) IN ({', '.join(pairs)});"
    )
    yield "SELECT owner, index_name, status FROM dba_indexes WHERE status = 'UNUSABLE';"
