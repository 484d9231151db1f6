"""In which database and tablespace a file is, by where it lies below the folder of its server.

Sources: PostgreSQL manual, "Database File Layout", and src/backend/storage/file/fd.c for temporary files; MariaDB's knowledge base,
"InnoDB System Tablespaces", "InnoDB Temporary Tablespaces", "InnoDB Undo Log" and "Identifier to File Name Mapping".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

from plimsoll.observe.names_told import NONE, quoted

PG_DEFAULT, PG_GLOBAL = 1_663, 1_664
"""The tablespaces of `base` and `global` (pg_tablespace.dat)."""
_DELETED = " (deleted)"
_TEMPORARY = "pgsql_tmp"
_OF_DATABASE = re.compile(rf"(\d+|{_TEMPORARY})/.+")
_IN_TABLESPACE = re.compile(rf"PG_\d+_\d+/(\d+|{_TEMPORARY})/.+")
_LINKED = re.compile(r"pg_tblspc/(\d+)/(.+)")
_ELSEWHERE = re.compile(rf"(?P<folder>.+)/(?P<inside>PG_\d+_\d+/(?:\d+|{_TEMPORARY})/.+)")
_LOOKS_LIKE_DATA = re.compile(
    rf"/(?:base|PG_\d+_\d+)/(?:\d+|{_TEMPORARY})/|/global/\d+|\.ibd(?: \(deleted\))?$|/ibdata\d"
)
_ESCAPED = re.compile(r"@([0-9a-f]{4})")
_DEPTH_MAX = 2
"""The folder of a schema, and a file in it."""
_SYSTEM, _TEMPORARY_INNODB = "innodb_system", "innodb_temporary"


class PostgresPlace(NamedTuple):
    """A file of a PostgreSQL: numbers of its database and of its tablespace, `none`, or None where it is not known."""

    database: int | Literal["none", "global"] | None
    tablespace: int | Literal["none"] | None


class MariadbPlace(NamedTuple):
    """A file of a MariaDB or MySQL: names, `none` as they are told, or None where it is not known."""

    database: str | None
    tablespace: str | None


def looks_like_data(path: str) -> bool:
    """Whether a file may be a database's, for all that its path says."""
    return _LOOKS_LIKE_DATA.search(path) is not None


def postgres_place(folder: str, locations: Mapping[str, int], path: str) -> PostgresPlace | None:
    """Where a file of the cluster in `folder` is; None where it is none of it. `locations`: tablespaces that lie elsewhere."""
    if path.startswith(f"{folder}/"):
        return _in_cluster(path[len(folder) + 1 :].removesuffix(_DELETED))
    found = _ELSEWHERE.fullmatch(path)
    number = None if found is None else locations.get(found["folder"])
    return None if found is None or number is None else _in_tablespace(number, found["inside"])


def tablespace_folder(path: str) -> str | None:
    """The folder of the tablespace that a file may be in, outside its cluster."""
    found = _ELSEWHERE.fullmatch(path)
    return None if found is None else found["folder"]


def _in_cluster(inside: str) -> PostgresPlace:
    top, _, rest = inside.partition("/")
    if top == "base" and (found := _OF_DATABASE.fullmatch(rest)):
        return PostgresPlace(_database(found[1]), PG_DEFAULT)
    if top == "global" and rest != "pg_control":
        return PostgresPlace("global", PG_GLOBAL)
    if found := _LINKED.fullmatch(inside):
        return _in_tablespace(int(found[1]), found[2])
    return PostgresPlace("none", "none")


def _in_tablespace(number: int, inside: str) -> PostgresPlace:
    found = _IN_TABLESPACE.fullmatch(inside)
    return PostgresPlace(None if found is None else _database(found[1]), number)


def _database(folder: str) -> int | None:
    """A temporary file does not say whose it is."""
    return None if folder == _TEMPORARY else int(folder)


def mariadb_place(folder: str, path: str) -> MariadbPlace | None:
    """Where a file of the server with that folder is; None where it lies outside."""
    if not path.startswith(f"{folder}/"):
        return None
    parts = path[len(folder) + 1 :].removesuffix(_DELETED).split("/")
    name = parts[-1]
    if len(parts) == 1:
        return _at_top(name)
    if parts[0].startswith("#"):
        return _own(parts[0])
    if len(parts) > _DEPTH_MAX:
        return MariadbPlace(None, None)
    schema = _decoded(parts[0])
    if not name.endswith(".ibd"):
        return MariadbPlace(quoted(schema), NONE)
    return MariadbPlace(quoted(schema), quoted(f"{schema}/{_decoded(name.removesuffix('.ibd'))}"))


def _at_top(name: str) -> MariadbPlace:
    if re.fullmatch(r"ibdata\d+", name):
        return MariadbPlace(None, _SYSTEM)  # tables of any database may be in it
    if re.fullmatch(r"ibtmp\d+", name):
        return MariadbPlace(None, _TEMPORARY_INNODB)
    if re.fullmatch(r"undo_?\d+", name):
        return MariadbPlace(NONE, f"innodb_{name}")
    if name.endswith(".ibd"):
        return MariadbPlace(None, None)  # a tablespace of MySQL with a name of its own
    return MariadbPlace(NONE, NONE)


def _own(folder: str) -> MariadbPlace:
    """Folders of the server's own."""
    if folder == "#innodb_temp":
        return MariadbPlace(None, _TEMPORARY_INNODB)
    return MariadbPlace(NONE, NONE) if folder.startswith("#innodb_redo") else MariadbPlace(None, None)


def _decoded(name: str) -> str:
    """As it is called: the server writes `a-b` as `a@002db`. Letters of other alphabets, which have codes of their own, stay."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name)
