"""Oracle without Oracle: our side of the driver against a stand-in. `test_oracle_sql.py` has our SQL.

What a real server makes of it is not tested here, nor anywhere else; docs/databases.md says so.
"""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import pytest

import fake_oracledb
from fake_oracledb import LOGIN, SETTINGS
from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.context import Context
from plimsoll.databases import _oracle_errors as errors
from plimsoll.databases import _queries, open_database, oracle
from plimsoll.databases._oracle_reports import PUT_OFF_MINUTES
from plimsoll.databases._oracle_session import bound
from plimsoll.demand.deltas import Delta, Gap, difference
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.statements import statements

URL = "oracle://scott:tiger@db.example:1521/shop"
VIEWS = _queries.for_version("oracle", 19)
COUNTED = {
    "user commits": 100, "physical reads": 2000, "session logical reads": 50_000, "redo size": 1_000_000, "redo writes": 90,
}  # fmt: skip
WAITED = {"db file sequential read": (1500, 3_000_000), "log file parallel write": (90, 45_000)}


class Clock:
    """The fake server's clock and counters: each reading finds as much more."""

    def __init__(self) -> None:
        self.readings = 0

    def now(self, _: list[Any]) -> list[dict[str, Any]]:
        self.readings += 1
        return [{"server_now": datetime(2026, 3, 1, 12, 0, self.readings)}]  # noqa: DTZ001 - as the driver gives it

    def counted(self, _: list[Any]) -> list[dict[str, Any]]:
        return [{"name": name, "value": value * self.readings} for name, value in COUNTED.items()]

    def waited(self, _: list[Any]) -> list[dict[str, Any]]:
        return [
            {"event": event, "total_waits": waits * self.readings, "time_waited_micro": us * self.readings}
            for event, (waits, us) in WAITED.items()
        ]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> fake_oracledb.Server:
    made, clock = fake_oracledb.Server(), Clock()
    monkeypatch.setattr(fake_oracledb, "SERVER", made)
    monkeypatch.setitem(sys.modules, "oracledb", fake_oracledb)
    made.answers = {
        VIEWS["server"]: clock.now,
        VIEWS["login"]: [LOGIN],
        VIEWS["settings"]: [{"name": name, "value": value} for name, value in SETTINGS.items()],
        VIEWS["sysstat"]: clock.counted,
        VIEWS["system_event"]: clock.waited,
        VIEWS["moment"]: [{"sessions": 12}],
        VIEWS["process"]: [{"spid": "4242"}],
        VIEWS["report_choice"]: [{"packs": "DIAGNOSTIC+TUNING", "statspack": 0}],
        VIEWS["awr_interval"]: [{"minutes": 60}],
    }
    return made


def opened(ctx: Context, url: str = URL) -> Any:
    return open_database(ctx, url)


def test_without_the_driver_its_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "oracledb", None)
    with pytest.raises(PlimsollError) as missing:
        errors.driver()
    assert missing.value.id == "driver-missing"
    assert "'plimsoll-storage[oracle]'" in (missing.value.hint or "")


def test_what_a_snapshot_holds(ctx: Context, server: fake_oracledb.Server) -> None:
    with opened(ctx) as connection:
        before, after = connection.snapshot(), connection.snapshot()
        assert connection.dialect == "oracle"
        assert connection.database.version_number == 190300
        assert connection.database.block_bytes == 8192
        assert connection.database.direct_io is True
        assert connection.database.name == "SHOPDB/SHOP"
        assert "untried" in {note.code for note in connection.notes}
        delta = difference(before, after)
        counts = connection.counts(before, after)
    assert isinstance(delta, Delta), delta
    assert counts.commits == 100
    assert counts.block_reads == 2000
    assert counts.block_hits == 48_000
    assert counts.block_read_s == 3.0
    assert counts.log_bytes == 1_000_000
    assert counts.log_writes == 90
    assert counts.log_write_s == 0.045
    assert counts.log_syncs is None
    assert server.open == 0


@pytest.mark.parametrize(
    ("container", "name"), [("CDB$ROOT", "SHOPDB"), ("SHOPDB", "SHOPDB"), (None, "SHOPDB"), ("CRM", "SHOPDB/CRM")]
)  # fmt: skip
def test_a_pluggable_database_is_named_with_its_container(
    ctx: Context, server: fake_oracledb.Server, container: str | None, name: str
) -> None:
    server.answers[VIEWS["login"]] = [LOGIN | {"container_name": container}]
    with opened(ctx) as connection:
        assert connection.database.name == name
        assert ("container-share" in {note.code for note in connection.notes}) == (container == "CRM")


def test_a_restart_is_a_gap(ctx: Context, server: fake_oracledb.Server) -> None:
    with opened(ctx) as connection:
        before = connection.snapshot()
        server.answers[VIEWS["login"]] = [LOGIN | {"started_at": datetime(2026, 3, 1, 11, 59)}]  # noqa: DTZ001
        found = difference(before, connection.snapshot())
    assert isinstance(found, Gap)
    assert "restarted" in found.reason


def test_an_instance_that_comes_or_goes_leaves_counts_unknown(
    ctx: Context, server: fake_oracledb.Server
) -> None:
    clock = Clock()
    readings = iter((2, 1))

    def counted(binds: list[Any]) -> list[dict[str, Any]]:
        clock.readings += 1
        return [*clock.counted(binds), {"name": "instances open", "value": next(readings)}]

    server.answers[VIEWS["sysstat"]] = counted
    with opened(ctx) as connection:
        before, after = connection.snapshot(), connection.snapshot()
        counts = connection.counts(before, after)
    assert counts.commits is None
    assert counts.unknown_because == "2 instances were open at the first reading and 1 at the last"
    assert isinstance(difference(before, after), Gap)


def test_the_alert_log_is_read_from_a_moment_on(ctx: Context, server: fake_oracledb.Server) -> None:
    server.answers[VIEWS["log_read"]] = [
        {"at": "2026-03-01 12:00:05", "kind": 1, "message": "Thread 1 cannot allocate new log, sequence 7"},
        {"at": "2026-03-01 12:00:06", "kind": 3, "message": "ORA-01555 caused by SQL statement below"},
        {"at": "2026-03-01 12:00:07", "kind": 2, "message": "Errors in file x.trc:\nORA-00600: internal error"},
        {"at": "2026-03-01 12:00:08", "kind": 3, "message": "ORA-00600: internal error code"},
    ]  # fmt: skip
    with opened(ctx) as connection:
        found = connection.log_since(connection.log_place())
    assert (found.fatals, found.errors, found.warnings, found.graves) == (1, 2, 1, 1)
    assert found.entries[0].grave
    assert server.said[-1][1] == ["2026-03-01 12:00:01.000000"]


def test_an_alert_log_that_may_not_be_seen_is_unknown(ctx: Context, server: fake_oracledb.Server) -> None:
    server.answers[VIEWS["log_read"]] = fake_oracledb.failure("ORA-00942", "table or view does not exist")
    with opened(ctx) as connection:
        found = connection.log_since(connection.log_place())
    assert found.warnings is None
    assert "does not exist" in found.reason


def test_unseen_waits_leave_times_unknown(ctx: Context, server: fake_oracledb.Server) -> None:
    server.answers[VIEWS["system_event"]] = []
    with opened(ctx) as connection:
        counts = connection.counts(connection.snapshot(), connection.snapshot())
    assert counts.block_read_s is None
    assert counts.log_write_s is None


@pytest.mark.parametrize(
    ("change", "direct"),
    [
        ({"filesystemio_options": "none"}, False),
        ({"filesystemio_options": "directio"}, True),
        ({"asm_files": 4}, True),
        ({"filesystemio_options": "none", "asm_files": 2}, None),
    ],
)
def test_direct_io(change: dict[str, Any], direct: bool | None) -> None:
    settings = SETTINGS | {"filesystemio_options": "none"} | change
    assert oracle._direct_io({k: str(v) for k, v in settings.items()}, LOGIN | change) is direct


@pytest.mark.parametrize(
    ("change", "code"),
    [({"is_cluster": "YES"}, "cluster-summed"), ({"database_role": "PHYSICAL STANDBY"}, "standby")],
)
def test_what_is_not_the_whole_database_is_told(
    ctx: Context, server: fake_oracledb.Server, change: dict[str, Any], code: str
) -> None:
    server.answers[VIEWS["login"]] = [LOGIN | change]
    with opened(ctx) as connection:
        assert code in {note.code for note in connection.notes}


def test_a_password_is_asked_for_once_and_kept(ctx: Context, server: fake_oracledb.Server) -> None:
    asked: list[str] = []

    def ask(location: str) -> str:
        asked.append(location)
        return "tiger"

    with open_database(ctx, URL.replace(":tiger", ""), ask) as connection:
        connection.reopen()
        connection.session("worker").close()
        assert "tiger" not in connection.database.model_dump_json()
    assert asked == ["scott@db.example:1521/shop"]
    assert server.given["service_name"] == "shop"
    assert server.open == 0


@pytest.mark.parametrize(
    ("url", "failure", "id"),
    [
        (URL.replace("tiger", "hunter2"), None, "database-password-wrong"),
        (URL.replace(":tiger", ""), None, "database-password-missing"),
        (URL, ("DPY-6005", "cannot connect to database (CONNECTION_ID=x1==)"), "database-unreachable"),
        (URL, ("ORA-12541", "Cannot connect. No listener"), "database-unreachable"),
        (URL, ("DPY-6001", 'Service "shop" is not registered with the listener'), "database-refused"),
        (URL, ("ORA-28000", "The account is locked."), "database-refused"),
        (URL.replace("scott:tiger@", ""), None, "database-url"),
        ("oracle://scott:tiger@db.example/", None, "database-url"),
        ("oracle://scott:tiger@db.example:port/shop", None, "database-url"),
        ("oracle://scott:tiger@db.example/shop?nonsense=1", None, "database-url"),
        ("oracle://scott:tiger@db.example/shop?mode=king", None, "database-url"),
    ],
)
def test_refused_logins(
    ctx: Context, server: fake_oracledb.Server, url: str, failure: tuple[str, str] | None, id: str
) -> None:
    if failure is not None:
        server.connect_failure = fake_oracledb.failure(*failure, fake_oracledb.OperationalError)
    with pytest.raises(PlimsollError) as refused, opened(ctx, url):
        pass
    error = refused.value
    assert error.id == id
    assert isinstance(error, UsageError) is (id == "database-url")
    assert error.message[0].islower()
    assert not error.message.endswith(".")
    assert (error.hint or "").endswith(".")
    assert "CONNECTION_ID" not in error.message
    assert "hunter2" not in f"{error.message} {error.hint}"
    assert "tiger" not in f"{error.message} {error.hint}"
    assert server.open == 0


def test_a_server_too_old(ctx: Context, server: fake_oracledb.Server) -> None:
    server.version = "11.2.0.4.0"
    with pytest.raises(PlimsollError) as refused, opened(ctx):
        pass
    assert refused.value.id == "database-too-old"
    assert server.open == 0


@pytest.mark.parametrize(
    ("code", "id"),
    [
        ("ORA-00942", "database-rights"),
        ("ORA-01031", "database-rights"),
        ("ORA-03113", "database-lost"),
        ("DPY-4011", "database-lost"),
        ("DPY-4024", "database-slow"),
        ("ORA-00904", "database-refused"),
    ],
)
def test_readings_that_fail(ctx: Context, server: fake_oracledb.Server, code: str, id: str) -> None:
    with opened(ctx) as connection:
        server.answers[VIEWS["sysstat"]] = fake_oracledb.failure(code, "Something Was Refused.")
        with pytest.raises(PlimsollError) as failed:
            connection.snapshot()
    assert failed.value.id == id
    assert code in failed.value.message or id == "database-slow"


@pytest.mark.parametrize(
    ("code", "id"),
    [
        ("ORA-01653", "database-full"),
        ("ORA-01013", "database-cancelled"),
        ("ORA-01092", "database-lost"),
        ("ORA-01950", "database-rights"),
        ("ORA-00942", "database-refused"),
    ],
)
def test_what_a_proof_is_refused(ctx: Context, server: fake_oracledb.Server, code: str, id: str) -> None:
    server.answers["refused"] = fake_oracledb.failure(code, "no")
    with opened(ctx) as connection:
        session = connection.session("worker")
        with pytest.raises(PlimsollError) as failed:
            session.run("select 'refused' from dual")
        session.close()
    assert failed.value.id == id


def test_a_session_speaks_as_the_driver_wants(ctx: Context, server: fake_oracledb.Server) -> None:
    server.answers["select 7"] = [{"n": 7}]
    server.answers["operate_1"] = [{"answer": "{}"}]
    with opened(ctx) as connection:
        session = connection.session("worker")
        assert session.server_process == 4242
        assert session.run("select 7 from dual") == [(7,)]
        (work,) = statements("oracle", "slob", "work", {"number": 1})
        assert session.run(work, (1, 2, "{}")) == [("{}",)]
        assert server.said[-1] == ("begin\n    plimsoll_slob.operate_1(:1, :2, :3);\nend;", [1, 2, "{}"])
        assert session.run("create table t (n number)") == []
        session.cancel()
        session.close()
        session.close()
        with pytest.raises(PlimsollError, match="not connected") as lost:
            session.run("select 7 from dual")
    assert lost.value.id == "database-lost"
    assert server.cancelled == 1
    assert fake_oracledb.defaults.fetch_lobs is False


def test_bulk_data_is_refused(ctx: Context, server: fake_oracledb.Server) -> None:
    with opened(ctx) as connection:
        session = connection.session("worker")
        with pytest.raises(UsageError) as refused:
            session.copy_in("copy t from stdin", [b"1"])
        session.close()
    assert refused.value.id == "database-no-bulk"
    assert server.open == 0


def test_a_process_that_may_not_be_seen_is_unknown(ctx: Context, server: fake_oracledb.Server) -> None:
    server.answers[VIEWS["process"]] = fake_oracledb.failure("ORA-00942", "table or view does not exist")
    with opened(ctx) as connection:
        assert connection.session("worker").server_process is None


def intervals(server: fake_oracledb.Server) -> list[Any]:
    return [binds[0] for text, binds in server.said if "modify_snapshot_settings" in text]


@pytest.fixture
def numbered(server: fake_oracledb.Server) -> fake_oracledb.Server:
    taken = iter(range(100, 200))
    for name in ("awr_snap", "statspack_snap"):
        server.answers[VIEWS[name].removesuffix("/\n").strip()] = lambda _: [{"taken": next(taken)}]
    return server


def test_awr_is_taken_around_the_work_and_its_interval_set_back(
    ctx: Context, numbered: fake_oracledb.Server
) -> None:
    with opened(ctx) as connection:
        session = connection.session("reports")
        with connection.report_pair(session, licensed=True) as pair:
            assert intervals(numbered) == [PUT_OFF_MINUTES]
        assert (pair.kind, pair.begin, pair.end, pair.reason) == ("awr", 100, 101, "")
    assert intervals(numbered) == [PUT_OFF_MINUTES, 60]


def test_a_proof_is_told_which_snapshots_go_with_it(ctx: Context, numbered: fake_oracledb.Server) -> None:
    with opened(ctx) as connection, connection.own_report(licensed=True) as told:
        assert not told
    assert [note.message for note in told] == ["snapshots 100 and 101 of awr were taken around it"]
    assert intervals(numbered) == [PUT_OFF_MINUTES, 60]


def test_the_interval_is_set_back_when_the_work_fails(ctx: Context, numbered: fake_oracledb.Server) -> None:
    with opened(ctx) as connection:
        session = connection.session("reports")
        with pytest.raises(RuntimeError, match="the work"), connection.report_pair(session, licensed=True):
            raise RuntimeError("the work")
    assert intervals(numbered) == [PUT_OFF_MINUTES, 60]


def test_the_interval_is_set_back_when_a_snapshot_is_refused(
    ctx: Context, numbered: fake_oracledb.Server
) -> None:
    numbered.answers[VIEWS["awr_snap"].removesuffix("/\n").strip()] = fake_oracledb.failure(
        "ORA-13509", "error"
    )
    with opened(ctx) as connection, connection.report_pair(connection.session("reports"), True) as pair:
        pass
    assert pair.begin is pair.end is None
    assert "ORA-13509" in pair.reason
    assert intervals(numbered) == [PUT_OFF_MINUTES, 60]


def test_an_interval_that_cannot_be_set_back_is_told(ctx: Context, numbered: fake_oracledb.Server) -> None:
    def set_interval(binds: list[Any]) -> Any:
        return fake_oracledb.failure("ORA-03113", "end-of-file") if binds == [60] else []

    numbered.answers[bound(VIEWS["awr_interval_set"]).strip()] = set_interval
    with opened(ctx) as connection, connection.report_pair(connection.session("reports"), True) as pair:
        pass
    assert "set them back to every 60 minutes" in pair.reason


@pytest.mark.parametrize(
    ("choice", "licensed", "kind", "reason"),
    [
        ({"packs": "DIAGNOSTIC+TUNING", "statspack": 1}, False, "statspack", ""),
        ({"packs": "DIAGNOSTIC+TUNING", "statspack": 0}, False, None, "--licensed diagnostics"),
        ({"packs": "NONE", "statspack": 1}, True, "statspack", "does not allow AWR"),
        ({"packs": "TUNING", "statspack": 0}, True, None, "does not allow AWR"),
        ({"packs": None, "statspack": 0}, True, None, "does not allow AWR"),
    ],
)
def test_without_the_pack_nothing_of_it_is_touched(
    ctx: Context,
    numbered: fake_oracledb.Server,
    choice: dict[str, Any],
    licensed: bool,
    kind: str | None,
    reason: str,
) -> None:
    numbered.answers[VIEWS["report_choice"]] = [choice]
    with opened(ctx) as connection, connection.report_pair(connection.session("reports"), licensed) as pair:
        pass
    assert pair.kind == kind
    assert (pair.begin is not None) is (kind is not None)
    assert reason in pair.reason
    assert bool(pair.reason) is bool(reason)
    touched = " ".join(text for text, _ in numbered.said).lower()
    assert "dbms_workload_repository" not in touched
    assert "dba_hist" not in touched


def test_tables_are_made_in_the_right_order(ctx: Context, server: fake_oracledb.Server) -> None:
    """What is sent for a setup, by its first words; nothing is sent that the driver would refuse for its form."""
    server.answers["dbms_rowid"] = [{"row_count": 64, "blocks": 64}]
    server.answers["dba_segments"] = [{"blocks": 0}]
    with opened(ctx) as connection:
        made = tables.setup(ctx, connection, parameters(scale=64, scan_table=64, load_parallel=1))
    assert made.one_row_per_block
    sent = [" ".join(text.split()[:3]) for text, _ in server.said]
    table = [
        "create table plimsoll_slob.cf1_1",
        "insert into plimsoll_slob.cf1_1",
        "alter table plimsoll_slob.cf1_1",
    ]
    at = sent.index(table[0])
    assert sent[at : at + 4] == [*table, "truncate table plimsoll_slob.cf1_1"]
    assert "create index plimsoll_slob.cf1_1_custid" in sent
    assert "create index plimsoll_slob.cf2_1_custid" not in sent
