"""Databases, tablespaces and control groups of rows, with processes and a server that are made."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.databases import DataNames, NamesFiles
from plimsoll.facts.watch import WatchWord
from plimsoll.observe import belonging as module
from plimsoll.observe.belonging import Belonging
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.open_files import FileNumber
from plimsoll.observe.server_names import ServerNames
from seen_io import block_io

IDENTIFIER = 7_512_345_678_901_234_567


class Server:
    """Knows what it is given."""

    def __init__(self, databases: dict[int, str], tablespaces: dict[int, str], pid: int = 1) -> None:
        self.known = DataNames(databases, tablespaces, pid)
        self.database = SimpleNamespace(system_identifier=str(IDENTIFIER))
        self.asked = 0

    def data_names(self) -> DataNames:
        self.asked += 1
        return self.known


class Gone(Server):
    def data_names(self) -> DataNames:
        raise WorldError("database-lost", "the session broke", None)


def names(server: Server) -> ServerNames:
    return ServerNames(cast("NamesFiles", server))


class Host:
    """Processes with a command, and a folder that they work in."""

    def __init__(self, root: Path) -> None:
        self.root, self.proc = root, root / "proc"

    def process(self, pid: int, command: str, folder: str = "/nowhere", cgroup: str = "/") -> None:
        made = self.proc / str(pid)
        made.mkdir(parents=True, exist_ok=True)
        (made / "comm").write_text(f"{command}\n")
        (made / "cgroup").write_text(f"0::{cgroup}\n")
        if not (made / "cwd").is_symlink():
            (made / "cwd").symlink_to(self.folder(folder))

    def folder(self, name: str) -> str:
        return f"{self.root}{name}"

    def cluster(self, name: str, identifier: int = IDENTIFIER, **links: str) -> None:
        data = Path(self.folder(name))
        (data / "global").mkdir(parents=True)
        (data / "global" / "pg_control").write_bytes(identifier.to_bytes(8, sys.byteorder) + bytes(100))
        (data / "pg_tblspc").mkdir()
        for number, folder in links.items():
            (data / "pg_tblspc" / number.removeprefix("t")).symlink_to(self.folder(folder))

    def row(self, file: str | None, **given: Any) -> BlockIo:
        path = None if file is None else self.folder(file)
        return block_io(**{"file": path, "file_kind": "inode", "inode_number": 9, "started_ns": 1, **given})

    def belonging(self, *words: WatchWord, server: Server | None = None) -> Belonging:
        asked = words or ("database", "tablespace")
        made = Belonging(asked, None if server is None else names(server), self.proc)
        made.groups.is_running = lambda pid, started_ns: True
        return made


@pytest.fixture
def host(tmp_path: Path) -> Host:
    made = Host(tmp_path)
    made.cluster("/main", t16400="/fast")
    made.process(100, "postgres", "/main")
    made.process(300, "cp")
    return made


def labels(of: Belonging, *rows: BlockIo) -> list[tuple[str | None, str | None]]:
    return [(row.database, row.tablespace) for row in of.told(rows, Counter())]


def test_a_server_that_is_connected_to_tells_its_names(host: Host) -> None:
    server = Server({16_385: "shop"}, {1_663: "pg_default", 1_664: "pg_global", 16_400: "fast"}, pid=100)
    found = labels(
        host.belonging(server=server),
        host.row("/main/base/16385/1"),
        host.row("/fast/PG_18_202506291/16385/2"),
        host.row("/main/global/1262"),
        host.row("/main/base/pgsql_tmp/pgsql_tmp812.0"),
        host.row("/main/pg_wal/0001"),
        host.row("/main/base/16999/1"),
    )
    assert found == [
        ("shop", "pg_default"),
        ("shop", "fast"),
        ("global", "pg_global"),
        (None, "pg_default"),
        ("none", "none"),
        ("OID 16999", "pg_default"),
    ]


def test_without_a_connection_it_is_numbers_and_the_server_s_folder(host: Host) -> None:
    found = labels(
        host.belonging(),
        host.row("/main/base/16385/1"),
        host.row("/fast/PG_18_202506291/16385/2"),
        host.row("/main/global/1262"),
    )
    behind = f" of {host.folder('/main')}"
    assert found == [
        (f"OID 16385{behind}", f"pg_default{behind}"),
        (f"OID 16385{behind}", f"OID 16400{behind}"),
        (f"global{behind}", f"pg_global{behind}"),
    ]


def test_what_the_kernel_writes_of_a_server_s_file_is_of_its_database(host: Host) -> None:
    of_kernel = host.row("/main/base/5/1", role="kernel", pid=None, opened_by=100, started_ns=None)
    (found,) = labels(host.belonging(), of_kernel)
    assert found[0] == f"OID 5 of {host.folder('/main')}"


def test_several_servers_are_told_apart_also_a_standby_of_one_that_is_connected_to(host: Host) -> None:
    host.cluster("/standby")
    host.process(101, "postgres", "/standby")
    host.cluster("/other", identifier=IDENTIFIER + 1)
    host.process(102, "postgres", "/other")
    server = Server({5: "shop"}, {1_663: "pg_default"}, pid=100)
    rows = [
        host.row(f"/{name}/base/5/1", pid=pid)
        for name, pid in (("standby", 101), ("main", 100), ("other", 102))
    ]
    found = [database for database, _ in labels(host.belonging(server=server), *rows)]
    assert found == [f"shop of {host.folder('/standby')}", "shop", f"OID 5 of {host.folder('/other')}"]


def test_two_containers_with_one_path_are_told_apart(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.cluster("/other", identifier=IDENTIFIER + 1)
    host.process(102, "postgres", "/other")
    monkeypatch.setattr(module, "working_folder", lambda proc, pid: "/data")
    rows = [
        block_io(file="/data/base/5/1", file_kind="inode", inode_number=pid, pid=pid) for pid in (100, 102)
    ]
    found = [database for database, _ in labels(host.belonging(), *rows)]
    assert found == ["OID 5 of /data", f"OID 5 of /data ({IDENTIFIER + 1})"]


def test_a_path_alone_proves_nothing(host: Host) -> None:
    rows = [
        host.row("/main/base/5/1", role="cp", pid=300, opened_by=300),
        host.row("/elsewhere/base/5/1", pid=100, opened_by=100),
        host.row("/strange/PG_18_202506291/5/1", pid=100, opened_by=100),
        host.row("/x/shop/orders.ibd", role="cp", pid=300),
    ]
    assert labels(host.belonging(), *rows) == [(None, None)] * 4


def test_a_file_that_the_server_was_seen_to_use_is_its_whoever_reads_it(host: Host) -> None:
    of = host.belonging()
    number = FileNumber((8, 1), 9)
    (before,) = labels(of, host.row("/main/base/5/1", number=number))
    backup = host.row("/main/base/5/1", role="cp", pid=300, opened_by=300, number=number)
    assert labels(of, backup) == [before]


def test_a_tablespace_that_is_made_meanwhile_is_found(host: Host) -> None:
    of = host.belonging()
    assert labels(of, host.row("/new/PG_18_202506291/5/0"), host.row("/main/base/5/1"))[0] == (None, None)
    (Path(host.folder("/main")) / "pg_tblspc" / "16500").symlink_to(host.folder("/newer"))
    (found,) = labels(of, host.row("/newer/PG_18_202506291/5/1"))
    assert found[1] == f"OID 16500 of {host.folder('/main')}"


def test_a_database_that_is_made_meanwhile_is_asked_for_once_at_each_look(host: Host) -> None:
    server = Server({}, {1_663: "pg_default"}, pid=100)
    of = host.belonging(server=server)
    server.known = DataNames({5: "shop"}, {1_663: "pg_default"}, 100)
    rows = [host.row("/main/base/5/1"), host.row("/main/base/6/1"), host.row("/main/base/7/1")]
    assert [database for database, _ in labels(of, *rows)] == ["shop", "OID 6", "OID 7"]
    assert server.asked == 2


def test_a_database_that_is_just_being_made_has_its_name_once_it_is_there(host: Host) -> None:
    server = Server({}, {1_663: "pg_default"}, pid=100)
    of = host.belonging(server=server)
    row = host.row("/main/base/5/1", number=FileNumber((8, 1), 9))
    assert labels(of, row) == [("OID 5", "pg_default")]
    server.known = DataNames({5: "shop"}, {1_663: "pg_default"}, 100)
    assert labels(of, row) == [("shop", "pg_default")]


def test_a_database_keeps_the_name_by_which_it_was_met(host: Host) -> None:
    server = Server({5: "shop"}, {1_663: "pg_default"}, pid=100)
    of = host.belonging(server=server)
    server.known = DataNames({5: "renamed", 6: "new"}, {1_663: "pg_default"}, 100)
    rows = [host.row("/main/base/6/1"), host.row("/main/base/5/1")]
    assert [database for database, _ in labels(of, *rows)] == ["new", "shop"]


def test_a_server_that_is_gone_leaves_numbers_and_says_why(host: Host) -> None:
    of = host.belonging(server=Gone({}, {}))
    assert labels(of, host.row("/main/base/5/1")) == [("OID 5", "pg_default")]
    assert of.names is not None
    assert of.names.unknown_because == "the session broke"


def test_mariadb_by_the_folder_that_its_server_works_in(host: Host) -> None:
    host.process(400, "mariadbd", "/mysql")
    behind = f" of {host.folder('/mysql')}"
    rows = [
        host.row("/mysql/shop/orders.ibd", role="connection", pid=400),
        host.row("/mysql/ibdata1", role="kernel", pid=None, opened_by=400),
        host.row("/mysql/ib_logfile0", role="connection", pid=400),
        host.row("/far/shop/t.ibd", role="connection", pid=400),
    ]
    assert labels(host.belonging(), *rows) == [
        (f"shop{behind}", f"shop/orders{behind}"),
        (None, f"innodb_system{behind}"),
        ("none", "none"),
        (None, None),
    ]


def test_oracle_by_its_instance_and_its_files_say_no_tablespace(host: Host) -> None:
    rows = [
        host.row("/u01/users01.dbf", role="dbw0 ORCL", instance="ORCL"),
        host.row(None, role="lgwr ORCL", instance="ORCL", file_kind="unknown", inode_number=None),
        host.row("/u01/users01.dbf", role="dbw0 ORCLLONG…", instance=""),
    ]
    assert labels(host.belonging(), *rows) == [("SID ORCL", None), ("SID ORCL", None), (None, None)]


def test_what_is_no_database_s_is_none_and_what_may_be_one_s_is_unknown(host: Host) -> None:
    host.process(500, "ora_dbw0_X")
    kernels: dict[str, Any] = {"role": "kernel", "pid": None}
    rows = [
        host.row("/var/log/syslog", role="cp", pid=300),
        host.row("/var/log/syslog", **kernels, opened_by=300),
        host.row("/u01/users01.dbf", **kernels, opened_by=500),
        host.row("/var/log/syslog", **kernels),
        host.row(None, **kernels, file_kind="device", inode_number=None),
        host.row(None, **kernels, file_kind="unknown", inode_number=None),
        host.row(None, role="cp", pid=300),
    ]
    none, unknown = ("none", "none"), (None, None)
    assert labels(host.belonging(), *rows) == [none, none, unknown, unknown, none, unknown, unknown]


def test_the_control_group_is_that_of_who_asked(host: Host) -> None:
    host.process(100, "postgres", cgroup="/db.slice")
    rows = [
        host.row("/a"),
        host.row("/a", role="kernel", pid=None, started_ns=None),
        host.row("/a", role="postgres", pid=None, started_ns=None),
        host.row("/a", pid=999),
    ]
    unknown: Counter[WatchWord] = Counter()
    found = host.belonging("cgroup").told(rows, unknown)
    assert [row.cgroup for row in found] == ["/db.slice", "none", None, None]
    assert unknown == {"cgroup": 20}
    assert {row.database for row in found} == {None}, "nobody asked"


def test_nothing_is_asked_for_that_is_not_wanted(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*_: object) -> None:
        raise AssertionError("it was looked at")

    monkeypatch.setattr(Belonging, "_place", looked)
    host.belonging("cgroup").told([host.row("/main/base/5/1")], Counter())
    monkeypatch.undo()
    monkeypatch.setattr(Belonging, "_group", looked)
    host.belonging("database").told([host.row("/main/base/5/1")], Counter())


def test_flushes_are_of_no_file_and_not_counted_as_unknown(host: Host) -> None:
    unknown: Counter[WatchWord] = Counter()
    rows = [
        host.row(None, operation="flush", role="kernel", pid=None),
        host.row(None, operation="write", ios=3),
    ]
    host.belonging().told(rows, unknown)
    assert unknown == {"database": 3, "tablespace": 3}
