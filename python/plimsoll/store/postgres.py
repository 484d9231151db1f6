"""The store in a PostgreSQL database, for a team: the same tables in a schema of their own, reached by `postgresql://` URL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from plimsoll.base import limits
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.base.redact import redact_word
from plimsoll.databases import _postgres_errors as session
from plimsoll.databases import _postgres_wire as wire
from plimsoll.store._referenced import referenced
from plimsoll.store.documents import DOCUMENTS, RunDocument, put_statement
from plimsoll.store.schema import TABLES

_SCHEMA = "plimsoll"
_BLOB_LOCK = 0x424C4F4253
"""Held together by all who add blobs, alone by who deletes them (the letters BLOBS)."""
_SCHEMA_LOCK = 0x504C494D534F4C4C
"""One number for all Plimsolls (the letters PLIMSOLL), under which they take turns in changing the schema."""

_VISIBLE_TABLES = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid)"
_COLUMNS = (
    "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
)
_TAKEN = """
SELECT relname FROM pg_class
WHERE relname = any(%s) AND pg_table_is_visible(oid) AND NOT (relkind = 'v' AND position(%s in pg_get_viewdef(oid)) > 0)
"""
_COMMIT_WAITS = (
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
)


_OWNERS = """
with place as (select oid, nspowner from pg_namespace where nspname = %s),
owner as (
    select datdba as oid from pg_database where datname = current_database()
    union select nspowner from place
    union select c.relowner from pg_class c join place on place.oid = c.relnamespace where c.relname = any(%s)
    union select p.proowner from pg_proc p join place on place.oid = p.pronamespace
    union select o.oprowner from pg_operator o join place on place.oid = o.oprnamespace
)
select r.rolname from owner join pg_roles r on r.oid = owner.oid
where not r.rolsuper and r.rolname <> 'pg_database_owner' and (select rolsuper from pg_roles where rolname = current_user)
order by 1 limit 1
"""
_RIGHTS = """
with place as (select oid from pg_namespace where nspname = %s),
ours as (select c.oid from pg_class c join place on place.oid = c.relnamespace where c.relname = any(%s))
select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on',
    case when not exists (select from place) then has_database_privilege(current_database(), 'CREATE')
    when not exists (select from ours) then has_schema_privilege((select oid from place), 'CREATE')
    else has_schema_privilege((select oid from place), 'USAGE')
        and (select bool_and(has_table_privilege(oid, 'INSERT')) from ours) end
"""
"""Whether nothing can be written, and whether this user may make a store there, or write into the one that is there."""
_GATHER_BEGIN = "SELECT lo_from_bytea(0, '')"
"""The server puts the parts of a document together in a large object, which is gone with the transaction.

source: https://www.postgresql.org/docs/18/lo-funcs.html
"""
_GATHER = "SELECT lo_put(%s, %s, %s)"
_GATHERED = "convert_from(lo_get(?), 'UTF8')::jsonb"
_GATHER_END = "SELECT lo_unlink(%s)"
_ASKS = re.compile(r"search_path\s*=")
_SEARCH_PATH = re.compile(
    r"search_path\s*=\s*(?:\"(?P<quoted>[^\"$\\]+)\"|(?P<plain>[A-Za-z_][A-Za-z0-9_]*))(?=[\s,]|\Z)"
)


def schema_of(parameters: dict[str, Any]) -> str:
    """The schema that the URL asks for, else `plimsoll`."""
    asked = _SEARCH_PATH.search(str(parameters.get("options", "")))
    return (asked["quoted"] or asked["plain"]) if asked else _SCHEMA


def _check_schema(url: str) -> None:
    """That nothing is kept in another schema than the one that is asked for. Raises UsageError `store-location`."""
    options = " ".join(parse_qs(url.partition("?")[2]).get("options", []))
    if _ASKS.search(options) and not _SEARCH_PATH.search(options):
        message = f"cannot tell in which schema '{redact_word(url, location=True)}' is"
        hint = (
            "Write options=-csearch_path%3DNAME; letters of other scripts and signs in it need %22 around it."
        )
        raise UsageError("store-location", message, hint)


class PostgresDatabase:
    """A database on a server. Tables go to the schema `plimsoll`, or to that of `options=-csearch_path=NAME` in the URL."""

    dialect = "postgresql"
    document = "document::text"
    mark = "%s"
    is_ours_alone = False

    def __init__(self, url: str) -> None:
        """Raises UsageError `store-location`."""
        _check_schema(url)
        self._url = url
        self.display: str = f"the store {redact_word(url, location=True)}"

    def exists(self) -> bool:
        return True

    def check_place(self) -> None:
        """Raises WorldError `store-read-only`, `store-refused`, and what connecting raises."""
        schema = schema_of(session.parse_url(self._url))
        with self.connect() as connection:
            found = connection.execute(_RIGHTS, [schema, list(TABLES)]).fetchall()
        if len(found) != 1 or len(found[0]) != 2:
            raise self._failure("store-odd", "it does not answer as PostgreSQL does", _ODD)
        is_read_only, may_write = found[0]
        if is_read_only:
            raise self._failure("store-read-only", "it is read-only", _PRIMARY)
        if not may_write:
            raise self._failure("store-refused", "this user may not write there", _GRANT)

    @contextmanager
    def connect(self) -> Iterator[Any]:
        psycopg = session.driver()
        # Parsed anew each time: a password that was found is kept nowhere.
        parameters = session.parse_url(self._url)
        schema = schema_of(parameters)
        with self._translated(psycopg), session.connect(parameters, None) as connection:
            connection.row_factory = psycopg.rows.tuple_row
            # One transaction, so that its settings hold where a pooler gives each transaction another session of the server.
            with (
                wire.within(connection, limits.STORE_SERVER_S_MAX, limits.ANSWER_BYTES_MAX),
                connection.transaction(),
            ):
                session.pinned(connection, parameters, f'"{schema}", pg_temp', local=True)
                self._check_owner(connection, schema)
                yield connection

    def kept_open(self) -> AbstractContextManager[None]:
        """A connection is a transaction here, which nobody wants to be long."""
        return nullcontext()

    @contextmanager
    def transaction(self, connection: Any, *, alone: bool = False) -> Iterator[None]:
        """A commit that returned is on disk, whatever the server's default."""
        if alone:
            connection.limit_all(limits.STORE_UPGRADE_S_MAX, limits.ANSWER_BYTES_MAX)
        with connection.transaction():
            connection.execute(_COMMIT_WAITS)
            if alone:
                connection.execute("SELECT pg_advisory_xact_lock(%s)", [_SCHEMA_LOCK])
            yield
        if alone:
            connection.limit_all(limits.STORE_SERVER_S_MAX, limits.ANSWER_BYTES_MAX)

    def _check_owner(self, connection: Any, schema: str) -> None:
        """As a superuser, that nobody else could have put triggers or functions in our way. Raises WorldError `store-untrusted`."""
        for row in connection.execute(_OWNERS, [schema, list(TABLES)]):
            if len(row) != 1 or not isinstance(row[0], str):
                raise self._failure("store-odd", "it does not answer as PostgreSQL does", _ODD)
            owner = row[0]
            raise WorldError(
                "store-untrusted",
                f"cannot use {self.display} as a superuser: role {owner}, who is none, could have put anything into it",
                f"Log in as {owner} or as another role that is no superuser, or give a store a database of its own.",
            )

    def table_names(self, connection: Any) -> set[str]:
        return {row[0] for row in connection.execute(_VISIBLE_TABLES)}

    def column_names(self, connection: Any, table: str) -> set[str]:
        return {row[0] for row in connection.execute(_COLUMNS, [table])}

    def make_room(self, connection: Any) -> None:
        schema = schema_of(session.parse_url(self._url))
        if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchall():
            connection.execute(f'CREATE SCHEMA "{schema}"')

    def make_views(self, connection: Any, selects: Mapping[str, str]) -> None:
        for name, select in selects.items():
            self.replace_view(connection, name, select)

    def taken_names(self, connection: Any, names: Sequence[str]) -> set[str]:
        return {row[0] for row in connection.execute(_TAKEN, [list(names), DOCUMENTS])}

    def replace_view(self, connection: Any, name: str, select: str) -> None:
        psycopg = session.driver()
        with suppress(psycopg.errors.DependentObjectsStillExist), connection.transaction():
            connection.execute(f"DROP VIEW IF EXISTS {name}")
            connection.execute(f"CREATE VIEW {name} AS {select}")

    def put_document(self, connection: Any, document: RunDocument, *, again: bool) -> None:
        if document.size_bytes <= limits.DOCUMENT_TEXT_BYTES_MAX:
            self._put(connection, "?", again, [document.text, document.run_id])
            return
        # Psycopg and libpq would have a copy of it each.
        ((number,),) = connection.execute(_GATHER_BEGIN).fetchall()
        written_bytes = 0
        for piece in document.pieces():
            part = piece.encode()
            connection.execute(_GATHER, [number, written_bytes, part])
            written_bytes += len(part)
        self._put(connection, _GATHERED, again, [number, document.run_id])
        connection.execute(_GATHER_END, [number])

    def _put(self, connection: Any, document: str, again: bool, values: list[Any]) -> None:
        connection.execute(put_statement(document, again).replace("?", self.mark), values)

    def hold_blobs(self, connection: Any, *, to_delete: bool) -> None:
        lock = "pg_advisory_xact_lock" if to_delete else "pg_advisory_xact_lock_shared"
        connection.execute(f"SELECT {lock}(%s)", [_BLOB_LOCK])

    def give_back(self, connection: Any) -> None:
        """Left to the server's autovacuum."""

    def instant(self, value: datetime) -> datetime:
        return value

    @contextmanager
    def _translated(self, psycopg: Any) -> Iterator[None]:
        try:
            yield
        except psycopg.errors.DiskFull as error:
            raise self._failure("store-full", "no space is left on its disk", _FREE) from error
        except (psycopg.errors.ForeignKeyViolation, psycopg.errors.RestrictViolation) as error:
            raise referenced(self.display, _whose(error)) from error
        except psycopg.errors.ReadOnlySqlTransaction as error:
            raise self._failure("store-read-only", "it is read-only", _PRIMARY) from error
        except psycopg.errors.InsufficientPrivilege as error:
            raise self._failure("store-refused", session.one_line(str(error)), _GRANT) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise self._lost(error) from error
        except (UnicodeError, IndexError) as error:
            reason = f"it answered what no store answers: {printable(str(error))}"
            raise self._failure("store-odd", reason, _ODD) from error
        except psycopg.Error as error:
            raise self._failure("store-failed", session.one_line(str(error)), _REPORT) from error

    def _lost(self, error: Exception) -> WorldError:
        """The session is gone: the server ended it, or we did."""
        if wire.overrun(error) == "slow":
            return self._failure("store-slow", session.one_line(str(error)), _SLOW)
        if wire.overrun(error) == "odd":
            return self._failure("store-odd", session.one_line(str(error)), _ODD)
        return self._failure("store-lost", session.one_line(str(error)), _LOG)

    def _failure(self, id: str, reason: str, hint: str) -> WorldError:
        return WorldError(id, f"could not use {self.display}: {reason}", hint)


def _whose(error: Any) -> str:
    """The foreign key of a refusal, and the table that has it."""
    found = error.diag
    table = ".".join(filter(None, (found.schema_name, found.table_name)))
    return printable(f"{found.constraint_name or ''} of the table {table or 'that refused it'}".strip())


_LOG = "See the server's log, then repeat the command."
_SLOW = (
    "The server is overloaded, or does not answer any more; try again, or name another store with --store."
)
_ODD = "Whatever answers there may be no PostgreSQL; check host and port, or name another store with --store."
_FREE = "Free some space there, or name another store with --store."
_PRIMARY = "Name the primary server, or another store with --store."
_REPORT = "Report this with its whole text. Name another store with --store."
_GRANT = "Grant this user CREATE on the database, or on the schema and its tables, or name another store with --store."
