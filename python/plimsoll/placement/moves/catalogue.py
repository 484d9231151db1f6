"""What a PostgreSQL server says of its objects and tablespaces. This alone tells how far moves have come: no note of ours does.

source: PostgreSQL manual, "System Catalogs", "The Cumulative Statistics System" (pg_stat_replication)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from plimsoll.databases import Session, database_id, reads_answers
from plimsoll.placement.scripts.names import parts
from plimsoll.placement.scripts.postgres import Storage

_STORAGE: dict[str, Storage] = {"r": "table", "m": "materialized view", "i": "index"}
_KINDS = {
    "p": "a partitioned table holds nothing itself: its partitions are moved",
    "I": "a partitioned index holds nothing itself: those of its partitions are moved",
    "S": "a sequence cannot be moved",
    "t": "a TOAST table moves with its table",
    "v": "a view holds nothing",
    "f": "a foreign table holds nothing here",
    "c": "a type holds nothing",
}
_DEFAULT_SPACE = """
cross join (
    select s.oid, s.spcname from pg_tablespace s join pg_database b on b.dattablespace = s.oid
    where b.datname = current_database()
) d
left join pg_tablespace t on t.oid = c.reltablespace
"""
_RELATIONS = f"""
select c.oid::int8, n.nspname, c.relname, c.relkind::text, c.relpersistence::text, c.oid < 16384,
    coalesce(t.spcname, d.spcname), case when c.relkind in ('r', 'm', 'i') then pg_table_size(c.oid) end,
    coalesce(i.indrelid, c.oid)::int8, coalesce(i.indisexclusion, false), coalesce(i.indisvalid, true)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
left join pg_index i on i.indexrelid = c.oid
{_DEFAULT_SPACE}
where n.nspname || '.' || c.relname = any(%s::text[])
"""
_OID = "select c.oid::int8 from pg_class c join pg_namespace n on n.oid = c.relnamespace where (n.nspname, c.relname) = (%s, %s)"
_HELD = """
select distinct n.nspname || '.' || c.relname
from pg_locks l join pg_class c on c.oid = l.relation join pg_namespace n on n.oid = c.relnamespace
where l.locktype = 'relation' and l.granted and l.mode = 'AccessExclusiveLock' and n.nspname || '.' || c.relname = any(%s::text[])
    and l.database = (select oid from pg_database where datname = current_database())
order by 1
"""
_INVALID = f"""
select c.oid::int8, n.nspname, c.relname, i.indrelid::int8, coalesce(t.spcname, d.spcname)
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
{_DEFAULT_SPACE}
where not i.indisvalid and i.indrelid = any(%s::oid[]) and c.relkind = 'i'
"""
_SPACES = "select spcname, pg_tablespace_location(oid) from pg_tablespace"
_SPACE_SIZE = "select pg_tablespace_size(oid) from pg_tablespace where spcname = %s"
_DATA_FOLDER = "select setting from pg_settings where name = 'data_directory'"
_DATABASE = """
select current_database(), b.oid::int8, (select system_identifier::text from pg_control_system()),
    pg_is_in_recovery(), s.spcname
from pg_database b join pg_tablespace s on s.oid = b.dattablespace where b.datname = current_database()
"""
_TEMP = """
select substr(word, length('temp_tablespaces=') + 1)
from pg_db_role_setting r join pg_database b on b.oid = r.setdatabase, unnest(r.setconfig) as word
where b.datname = current_database() and r.setrole = 0 and starts_with(word, 'temp_tablespaces=')
"""
_LAGS = """
select 'standby ' || coalesce(nullif(application_name, ''), host(client_addr), 'on this host'),
    pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(replay_lsn, flush_lsn, write_lsn))::int8
from pg_stat_replication where state is distinct from 'backup'
union all
select 'replication slot ' || slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::int8
from pg_replication_slots where restart_lsn is not null
"""
_LOG = """
select current_setting('wal_level') = 'minimal', pg_size_bytes(current_setting('max_wal_size')),
    current_setting('archive_mode') <> 'off' or exists (select from pg_replication_slots),
    case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 end
"""
_BUILT = """
select i.indexrelid::int8 from pg_locks l join pg_index i on i.indexrelid = l.relation
where l.pid = %s and l.locktype = 'relation' and l.granted and not i.indisvalid and i.indrelid = %s::oid and i.indexrelid <> %s::oid
    and l.database = (select oid from pg_database where datname = current_database())
"""


@dataclass(frozen=True)
class Here:
    """The database of the session."""

    name: str
    oid: int
    system_identifier: str
    is_standby: bool
    default_space: str

    @property
    def id(self) -> str:
        """As a plan names it."""
        return database_id(self.system_identifier, self.oid)


@dataclass(frozen=True)
class Relation:
    """A table, an index, or what else has the name."""

    oid: int
    schema: str
    name: str
    kind: str
    persistence: str
    is_catalog: bool
    space: str
    size_bytes: int | None
    table_oid: int
    """Of an index its table, else itself."""
    is_exclusion: bool
    is_valid: bool

    @property
    def storage(self) -> Storage | None:
        """What moves it; None where nothing does."""
        return "exclusion index" if self.is_exclusion else _STORAGE.get(self.kind)

    @property
    def why_fixed(self) -> str | None:
        """Why it cannot be moved; None where it can."""
        if self.is_catalog:
            return "a catalog of the server stays where it is"
        if self.kind == "i" and self.schema == "pg_toast":
            return "the index of a TOAST table moves with its table"
        if self.persistence == "t":
            return "a temporary table ends with its session"
        return None if self.storage else _KINDS.get(self.kind, "nothing is known here that moves it")


@dataclass(frozen=True)
class Invalid:
    """An index that is not valid: being built, or left over."""

    oid: int
    schema: str
    name: str
    table_oid: int
    space: str

    @property
    def full_name(self) -> str:
        """With its schema."""
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True)
class Lag:
    """How far somebody is behind the log; None where this user may not know.

    A receiver that keeps the log alone replays nothing: it is as far as it has written. A base backup takes what is there.
    """

    who: str
    bytes: int | None


@dataclass(frozen=True)
class Log:
    """What the server does with its WAL."""

    is_minimal: bool
    """Whether whole tables are copied without it (wal_level)."""
    size_bytes_max: int
    """How much it lets pile up before a checkpoint (max_wal_size); a wish, not a limit."""
    is_held: bool
    """Whether an archive or a replication slot can keep it from being removed, however much it is."""
    written_bytes: int | None
    """How much was ever written; None on a standby."""


@reads_answers
def here(session: Session) -> Here:
    """Which database this is."""
    ((name, oid, identifier, is_standby, space),) = session.run(_DATABASE)
    return Here(str(name), int(oid), str(identifier), bool(is_standby), str(space))


@reads_answers
def relations(session: Session, names: Collection[str]) -> list[Relation]:
    """Whatever has one of these full names, each as the plan writes it."""
    return [Relation(*row) for row in session.run(_RELATIONS, [_in_full(names)])]


@reads_answers
def held(session: Session, names: Collection[str]) -> list[str]:
    """Which of these an ACCESS EXCLUSIVE lock is held on."""
    return [str(name) for (name,) in session.run(_HELD, [_in_full(names)])]


def _in_full(names: Collection[str]) -> list[str]:
    return sorted(set(names) | {".".join(found) for name in names if (found := parts(name))})


@reads_answers
def oid_of(session: Session, one: Relation) -> int | None:
    """What has its name now; None: nothing has."""
    rows = session.run(_OID, [one.schema, one.name])
    return int(rows[0][0]) if rows else None


@reads_answers
def invalid_indexes(session: Session, tables: Iterable[int]) -> list[Invalid]:
    """Indexes of these tables that are not valid."""
    return [Invalid(*row) for row in session.run(_INVALID, [sorted(set(tables))])]


@reads_answers
def locations(session: Session) -> dict[str, str]:
    """Where each tablespace lies on the server's machine; empty where the server does not say."""
    found = {str(name): str(location or "") for name, location in session.run(_SPACES)}
    folder = [str(row[0]) for row in session.run(_DATA_FOLDER)]
    return {name: location or (folder[0] if folder else "") for name, location in found.items()}


@reads_answers
def log_folder(session: Session) -> str:
    """Where the server writes its WAL; empty where it does not say."""
    folder = [str(row[0]) for row in session.run(_DATA_FOLDER)]
    return f"{folder[0]}/pg_wal" if folder else ""


@reads_answers
def log(session: Session) -> Log:
    """Its WAL now."""
    ((is_minimal, most, is_held, written),) = session.run(_LOG)
    return Log(bool(is_minimal), int(most), bool(is_held), None if written is None else int(written))


@reads_answers
def space_size(session: Session, space: str) -> int | None:
    """Bytes in a tablespace, of all databases; None where there is none of this name."""
    rows = session.run(_SPACE_SIZE, [space])
    return int(rows[0][0]) if rows else None


@reads_answers
def temp_setting(session: Session) -> str:
    """Where new sessions of this database put temporary files, as it was set for the database; empty: nothing was."""
    rows = session.run(_TEMP)
    return str(rows[0][0]) if rows else ""


@reads_answers
def lags(session: Session) -> list[Lag]:
    """Standbys and replication slots, and how far each is behind."""
    return [Lag(str(who), None if behind is None else int(behind)) for who, behind in session.run(_LAGS)]


@reads_answers
def built_by(session: Session, process: int | None, of: Relation) -> list[int]:
    """The index that this server process builds beside another one: it is not valid, and the process holds it locked from its
    first moment on.

    The view of progress names it only when all waiting is over.
    """
    return (
        []
        if process is None
        else [int(row[0]) for row in session.run(_BUILT, [process, of.table_oid, of.oid])]
    )
