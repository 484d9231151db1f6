"""In which database and tablespace a file is, by its path below its server's folder."""

from __future__ import annotations

import pytest

from plimsoll.observe.data_places import looks_like_data, mariadb_place, postgres_place

DATA = "/var/lib/postgresql/18/main"
LINKS = {"/mnt/fast": 16_400}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{DATA}/base/5/16384", (5, 1_663)),
        (f"{DATA}/base/5/16384.1 (deleted)", (5, 1_663)),
        (f"{DATA}/base/5/16384_fsm", (5, 1_663)),
        (f"{DATA}/base/5/t3_16390", (5, 1_663)),
        (f"{DATA}/base/5/pg_filenode.map", (5, 1_663)),
        (f"{DATA}/base/pgsql_tmp/pgsql_tmp812.0", (None, 1_663)),
        (f"{DATA}/base/pgsql_tmp/pgsql_tmp812.0.sharedfileset/0.0", (None, 1_663)),
        (f"{DATA}/global/1262", ("global", 1_664)),
        (f"{DATA}/global/pg_control", ("none", "none")),
        (f"{DATA}/pg_wal/000000010000000000000009", ("none", "none")),
        (f"{DATA}/pg_xact/0000", ("none", "none")),
        (f"{DATA}/pg_tblspc/16401/PG_18_202506291/5/16390", (5, 16_401)),
        (f"{DATA}/pg_tblspc/16401/PG_18_202506291/pgsql_tmp/pgsql_tmp1.0", (None, 16_401)),
        ("/mnt/fast/PG_18_202506291/16385/16390.2", (16_385, 16_400)),
        ("/mnt/fast/PG_18_202506291/pgsql_tmp/pgsql_tmp1.0", (None, 16_400)),
        ("/mnt/slow/PG_18_202506291/16385/16390", None),
        ("/mnt/fast/notes", None),
        (f"{DATA}2/base/5/16384", None),
        ("/var/log/syslog", None),
    ],
)
def test_files_of_postgresql(path: str, place: tuple[object, object] | None) -> None:
    found = postgres_place(DATA, LINKS, path)
    assert (None if found is None else tuple(found)) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/d/shop/orders.ibd", ("shop", "shop/orders")),
        ("/d/shop/orders#P#p0.ibd", ("shop", "shop/orders#P#p0")),
        ("/d/my@002dshop/a@0024b.ibd", ("my-shop", "my-shop/a$b")),
        ("/d/shop/orders.MAD", ("shop", "none")),
        ("/d/none/db.opt", ('"none"', "none")),
        ("/d/ibdata1", (None, "innodb_system")),
        ("/d/ibtmp1", (None, "innodb_temporary")),
        ("/d/#innodb_temp/temp_1.ibt", (None, "innodb_temporary")),
        ("/d/undo001", ("none", "innodb_undo001")),
        ("/d/undo_001", ("none", "innodb_undo_001")),
        ("/d/ib_logfile0", ("none", "none")),
        ("/d/#innodb_redo/#ib_redo7", ("none", "none")),
        ("/d/general.ibd", (None, None)),
        ("/d/#rocksdb/000012.sst", (None, None)),
        ("/d/backup/2026/x", (None, None)),
        ("/elsewhere/shop/orders.ibd", None),
    ],
)
def test_files_of_mariadb(path: str, place: tuple[object, object] | None) -> None:
    found = mariadb_place("/d", path)
    assert (None if found is None else tuple(found)) == place


def test_what_may_be_a_database_s_is_not_said_to_be_none() -> None:
    assert all(
        map(looks_like_data, ("/x/base/5/1", "/x/global/1262", "/t/PG_18_1/5/2", "/e/s/t.ibd", "/d/ibdata1"))
    )
    assert not any(
        map(looks_like_data, ("/var/log/syslog", "/srv/base/notes", "/x/pg_wal/0001", "/x/t.ibds"))
    )
