"""What a load tells and leaves: progress with time left, an order on disk, and no lines lost unnoticed."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import open_database
from plimsoll.facts import Progress
from plimsoll.proof.tpch import TpchRequest, generator, load, queries, run_tpch, setup, status

REQUEST = TpchRequest(scale=0.01)


def test_progress_grows_to_its_end(loaded_events: tuple[Progress, ...]) -> None:
    told = [event for event in loaded_events if event.stage == "load"]
    shares = [event.share for event in told if event.share is not None]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert told[-1].finished
    assert all(event.left_s is not None for event in told if event.share)
    doing = {event.message.split()[0] for event in told}
    assert {"making", "indexing", "taking", "loaded"} <= doing


def test_the_steps_add_up(ctx: Context) -> None:
    for layout in ("indexed", "clustered"):
        gauge = load._Gauge(ctx, TpchRequest(scale=3, layout=layout))
        for table in generator.BYTES_AT_SCALE_1:
            gauge.copied(table, round(generator.bytes_of(table, 3)))
        names = ["indexes", "cluster"] if layout == "clustered" else ["indexes"]
        weights = {"indexes": load._INDEX_WEIGHT, "cluster": load._CLUSTER_WEIGHT}
        for name in names:
            for statement in queries.statements("postgres", name):
                gauge.step("some", load._table_in(statement), weights[name])
        for table in generator.BYTES_AT_SCALE_1:
            gauge.step("some", table, load._VACUUM_WEIGHT)
        gauge.step("end", "region", 0)
        assert gauge._done == pytest.approx(gauge._total)


def test_clustered_lies_by_date_and_answers_the_same(
    ctx: Context, empty: str, loaded_url: str, tpchgen: Path
) -> None:
    request = TpchRequest(scale=0.01, layout="clustered")
    with open_database(ctx, empty) as connection:
        marker = setup(ctx, connection, request).marker
        proof = run_tpch(ctx, connection, request).proof
    assert marker is not None
    assert marker.layout == proof.settings["layout"] == "clustered"
    assert [query.answer for query in proof.queries] == ["right"] * 22
    for url, by_date in ((empty, True), (loaded_url, False)):
        assert (correlation(url, "lineitem", "l_shipdate") > 0.99) is by_date
        assert (correlation(url, "orders", "o_orderdate") > 0.99) is by_date
    assert correlation(loaded_url, "lineitem", "l_orderkey") > 0.99


def correlation(url: str, table: str, column: str) -> float:
    """How far the order of rows on disk follows a column, by the server's statistics."""
    sql = "select correlation from pg_stats where schemaname = 'plimsoll_tpch' and tablename = %s and attname = %s"
    with psycopg.connect(url) as session:
        row = session.execute(sql, [table, column]).fetchone()
    assert row is not None
    return row[0]


def test_both_layouts_have_keys_and_indexes(loaded_url: str) -> None:
    with psycopg.connect(loaded_url) as session:
        rows = session.execute(
            "select tablename, indexdef from pg_indexes where schemaname = 'plimsoll_tpch'"
        ).fetchall()
        seen = "select min(reltuples) from pg_class where relnamespace = 'plimsoll_tpch'::regnamespace and relkind = 'r'"
        least = session.execute(seen).fetchone()
    assert len([1 for _, definition in rows if "UNIQUE" in definition]) == 8
    assert len(rows) == 17
    assert least == (5,)


def test_lost_lines_are_found_out(
    ctx: Context, empty: str, tpchgen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generator that leaves out the last order ends well, and is found out all the same."""
    careless = tmp_path / "tpchgen-cli"
    careless.write_text(
        f"#!{sys.executable}\n"
        "import subprocess, sys\n"
        f"status = subprocess.run([{str(tpchgen)!r}, *sys.argv[1:]]).returncode\n"
        "if '--output-dir' in sys.argv:\n"
        "    path = sys.argv[sys.argv.index('--output-dir') + 1] + '/orders.tbl'\n"
        "    lines = open(path).readlines()\n"
        "    open(path, 'w').writelines(lines[:-1])\n"
        "sys.exit(status)\n"
    )
    careless.chmod(0o755)
    monkeypatch.setattr(generator, "find_binary", lambda: careless)
    with open_database(ctx, empty) as connection:
        with pytest.raises(PlimsollError) as caught:
            setup(ctx, connection, REQUEST)
        assert caught.value.id == "tpch-rows"
        assert "orders: 14,999 rows were generated" in caught.value.message
        assert status(connection).state == "loading"


def test_without_the_generator_nothing_is_begun(
    ctx: Context, empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with open_database(ctx, empty) as connection:
        with pytest.raises(PlimsollError) as caught:
            setup(ctx, connection, REQUEST)
        assert caught.value.id == "tpchgen-missing"
        assert status(connection).state == "absent"
