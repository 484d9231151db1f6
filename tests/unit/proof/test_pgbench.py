"""What pgbench prints, read back; its password kept out of sight."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.ports import files, processes
from plimsoll.proof import pgbench

OUTPUT = """transaction type: <builtin: select only>
scaling factor: 8
number of transactions actually processed: 83601
number of failed transactions: 3 (0.004%)
latency average = 0.179 ms
latency stddev = 0.095 ms
initial connection time = 4.510 ms
tps = 5573.375477 (without initial connection time)
"""
PROGRESS = """pgbench (18.4)
progress: 1.0 s, 200.0 tps, lat 5.000 ms stddev 0.1, 0 failed
progress: 2.5 s, 400.0 tps, lat NaN ms stddev NaN, 0 failed
"""


def test_the_final_report() -> None:
    result = pgbench.parse_result(OUTPUT, PROGRESS, ended_early=False)
    assert (result.transactions, result.tps, result.failed) == (83601, 5573.375477, 3)
    assert result.latency_us_mean == pytest.approx(179)
    assert result.latency_us_stddev == pytest.approx(95)
    assert result.connect_s == pytest.approx(0.00451)
    assert [second.latency_us_mean for second in result.seconds] == [5000, None]


def test_without_a_report_the_lines_of_progress_are_added_up() -> None:
    result = pgbench.parse_result("", PROGRESS, ended_early=True)
    assert result.transactions == round(200 * 1.0 + 400 * 1.5)
    assert result.tps == pytest.approx(800 / 2.5)
    assert result.latency_us_mean is None


def test_nothing_printed_is_nothing_known() -> None:
    result = pgbench.parse_result("", "", ended_early=True)
    assert (result.transactions, result.tps, result.failed, result.seconds) == (None, None, None, ())


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_a_password_goes_to_the_environment(tmp_path_factory: pytest.TempPathFactory, secret: str) -> None:
    """In the login or in an option; what is left leads to the same place."""
    quoted = quote(secret, safe="")
    for url in (
        f"postgresql://me:{quoted}@db.example:5432/shop?sslmode=require",
        f"postgresql://db.example:5432/shop?user=me&password={quoted}&sslmode=require",
    ):
        login = pgbench.login_of(url, tmp_path_factory.getbasetemp())
        assert login.environment == {"PGPASSWORD": secret}
        assert conninfo_to_dict(login.words) == {
            "user": "me", "host": "db.example", "port": "5432", "dbname": "shop", "sslmode": "require",
        }  # fmt: skip


@pytest.mark.parametrize("typed", ["p?w#x", "p?user=x", "a=b:c", "%27%20user%3Droot"])
def test_a_password_ends_where_libpq_ends_it(tmp_path: Path, typed: str) -> None:
    login = pgbench.login_of(f"postgresql://me:{typed}@h/db", tmp_path)
    assert login.environment == {"PGPASSWORD": unquote(typed)}
    assert conninfo_to_dict(login.words) == {"user": "me", "host": "h", "dbname": "db"}


def test_a_passphrase_goes_to_a_file_that_nobody_else_can_read(tmp_path: Path) -> None:
    login = pgbench.login_of("postgresql://me@h/db?sslpassword=it%27s%20mine", tmp_path)
    path = Path(login.environment["PGSERVICEFILE"])
    assert path.parent == tmp_path
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text(encoding="utf-8") == "[plimsoll]\nsslpassword=it's mine\n"
    assert conninfo_to_dict(login.words) == {"user": "me", "host": "h", "dbname": "db", "service": "plimsoll"}


def test_a_url_without_a_password_needs_no_environment(tmp_path: Path) -> None:
    login = pgbench.login_of("postgresql://me@/shop?host=%2Ftmp%2Fx&port=5432", tmp_path)
    assert login.environment == {}
    assert conninfo_to_dict(login.words) == {"user": "me", "dbname": "shop", "host": "/tmp/x", "port": "5432"}


def test_a_missing_program_names_the_way_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pgbench, "_DEBIAN", tmp_path)
    with pytest.raises(PlimsollError) as caught:
        pgbench.find_binary(processes.Programs(tmp_path))
    assert caught.value.id == "pgbench-missing"
    assert "install" in (caught.value.hint or "").lower()


def test_a_run_against_a_real_server(ctx: Context, server_18: embedded.Server) -> None:
    pgbench.initialise(ctx, server_18.url, 1, programs=server_18.programs)
    seen: list[pgbench.Second] = []
    load = pgbench.start(
        ctx, server_18.url, seconds=2, clients=2, script="select-only", programs=server_18.programs
    )
    result = load.wait(seen.append)
    assert not result.ended_early
    assert result.failed == 0
    assert (result.transactions or 0) > 0
    assert len(seen) <= len(result.seconds)
    assert load.result() is result
    load.stop()


@pytest.mark.parametrize("script", ["selec 1;", "\\set n 1 +\nselect 1;"])
def test_a_script_that_fails_says_why(ctx: Context, server_18: embedded.Server, script: str) -> None:
    load = pgbench.start(ctx, server_18.url, seconds=5, clients=1, script=script, programs=server_18.programs)
    with pytest.raises(PlimsollError) as caught:
        load.wait()
    assert caught.value.id == "pgbench-failed"
    assert "\n" not in caught.value.message
    assert "error" in caught.value.message or "error" in (caught.value.hint or "").lower()
    load.stop()


def test_nobody_answers(ctx: Context, server_18: embedded.Server) -> None:
    with pytest.raises(PlimsollError) as caught:
        pgbench.initialise(ctx, "postgresql://u:hunter2@127.0.0.1:1/none", 1, programs=server_18.programs)
    assert caught.value.id == "pgbench-failed"
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"


def test_the_password_is_not_among_the_arguments(ctx: Context, server_18: embedded.Server) -> None:
    url = re.sub("//[^@]*@", "//plimsoll:hunter2@", server_18.url)
    load = pgbench.start(ctx, url, seconds=3, clients=1, script="select 1;", programs=server_18.programs)
    arguments = files.read_text(f"/proc/{load._process.pid}/cmdline") or ""
    load.stop()
    assert "hunter2" not in arguments
