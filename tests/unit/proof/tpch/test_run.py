"""A proof against a real server: 22 right answers, and a wrong, failed, interrupted or lost one told for what it is."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
import pytest

from databases_fixture import PARENT
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.facts import Event, Progress, Proof, Snapshot
from plimsoll.ports import processes
from plimsoll.ports.clock import VirtualClock
from plimsoll.proof.tpch import TpchRequest, orders, queries, run_tpch, setup
from plimsoll.proof.tpch.run import _looking, geometric_mean_s

REQUEST = TpchRequest(scale=0.01)


def proof_of(ctx: Context, url: str, request: TpchRequest = REQUEST) -> Proof:
    with open_database(ctx, url) as connection:
        return run_tpch(ctx, connection, request).proof


def notes_of(proof: Proof) -> dict[str, str]:
    return {note.code: note.message for note in proof.notes}


@pytest.fixture
def instead(monkeypatch: pytest.MonkeyPatch) -> Mapping[int, str]:
    """SQL to be asked in place of a query's own."""
    texts: dict[int, str] = {}
    real = queries.query_text
    monkeypatch.setattr(
        queries,
        "query_text",
        lambda dialect, query, scale: texts[query] if query in texts else real(dialect, query, scale),
    )
    return texts


def stopping(ctx: Context, message: str) -> Context:
    """A context that is cancelled once that progress is told."""

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.message == message:
            ctx.cancel.set()

    return dataclasses.replace(ctx, events=stop)


def test_all_answers_are_right(ctx: Context, loaded_url: str) -> None:
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=2))
    assert {query.answer for query in proof.queries} == {"right"}
    assert proof.holds
    assert proof.doubts == ()
    for stream in range(3):
        asked = tuple(query.query for query in proof.queries if query.stream == stream)
        assert asked == orders.order_of(stream, 1)
    assert all(query.elapsed_s and query.elapsed_s > 0 for query in proof.queries)
    assert all(query.rows for query in proof.queries)
    assert proof.start is not None
    assert (proof.start.checkpoint, proof.start.log_switch) == (True, True)
    assert proof.server_settings
    assert proof.server_log is not None
    assert proof.settings["scale"] == "0.01"
    assert proof.settings["orders"] == "specification, appendix A"


def test_sessions_are_looked_at_each_second(ctx: Context, loaded_url: str) -> None:
    """Whatever the server answers: a look that fails is left out."""
    clock = VirtualClock()
    looks: list[Snapshot] = []
    with open_database(ctx, loaded_url) as connection:
        look = _looking(dataclasses.replace(ctx, clock=clock), connection, looks)
        for _ in range(9):
            look()
            clock.sleep(0.3)
        assert len(looks) == 2
        connection.close()
        clock.sleep(2.0)
        look()
    assert len(looks) == 2
    assert "at_work_cpu" in looks[0].moment


def test_rates_and_windows(ctx: Context, loaded_url: str) -> None:
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=2))
    window = proof.window
    assert window is not None
    for session in proof.sessions:
        assert session.whole
        assert session.operations == 22
        assert session.start is not None
        assert session.end is not None
        assert window.start <= session.start < session.end <= window.end
    power, *others = proof.sessions
    assert all(other.start and power.end and other.start >= power.end for other in others)
    assert proof.operations_per_s == pytest.approx(66 / window.duration_s)
    spent = {
        stream: sum(query.elapsed_s or 0 for query in proof.queries if query.stream == stream)
        for stream in range(3)
    }
    assert spent[0] + max(spent[1], spent[2]) <= window.duration_s
    reads, hits, logical = proof.physical_reads_per_s, proof.cache_hits_per_s, proof.logical_reads_per_s
    assert reads is not None
    assert hits is not None
    assert logical == pytest.approx(reads + hits)
    assert logical is not None
    # Each of the three streams goes through the 1,133 and more blocks of lineitem a dozen times.
    assert logical * window.duration_s > 3 * 12 * 1_100


def test_it_never_passes_for_a_result_of_the_tpc(ctx: Context, loaded_url: str) -> None:
    notes = notes_of(proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=1)))
    assert "not comparable to published TPC-H results" in notes["tpch-derived"]
    assert notes["tpch-power"].startswith("power run: 22 queries in")
    assert notes["tpch-throughput"].startswith("throughput run: 22 queries of 1 streams at once in")


def test_the_geometric_mean() -> None:
    assert geometric_mean_s([1.0, 100.0]) == pytest.approx(10)
    assert geometric_mean_s([0.0, 1.0]) == pytest.approx(1e-3)
    assert geometric_mean_s([math.e] * 22) == pytest.approx(math.e)


def test_plans_are_kept_with_the_power_run(ctx: Context, loaded_url: str) -> None:
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=1))
    plans = {query.query: query.plan for query in proof.queries if query.stream == 0}
    assert all("cost=" in (plan or "") and "actual" not in (plan or "") for plan in plans.values())
    assert "lineitem" in (plans[6] or "")
    assert all(query.plan is None for query in proof.queries if query.stream == 1)


def test_plans_as_executed_or_none(ctx: Context, loaded_url: str) -> None:
    analyzed = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, plans="analyzed"))
    assert all(
        "actual" in (query.plan or "") and "Buffers" in (query.plan or "") for query in analyzed.queries
    )
    none = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, plans="none"))
    assert all(query.plan is None for query in none.queries)


def test_a_changed_row_makes_a_wrong_answer_with_its_column(ctx: Context, copy: str) -> None:
    with psycopg.connect(copy, autocommit=True) as session:
        change = """
            update plimsoll_tpch.lineitem set l_discount = l_discount + 0.01
            where (l_orderkey, l_linenumber) = (
                select l_orderkey, l_linenumber from plimsoll_tpch.lineitem
                where l_shipdate between '1994-01-01' and '1994-12-31' and l_discount = 0.05 and l_quantity < 24
                order by l_orderkey limit 1)
        """
        assert session.execute(change).rowcount == 1
    proof = proof_of(ctx, copy)
    answers = {query.query: query for query in proof.queries}
    assert answers[6].answer == "wrong"
    assert answers[6].reason.startswith("column revenue adds up to 119")
    assert "instead of 1193053.2253" in answers[6].reason
    assert answers[1].answer == "wrong"
    named = {part.split()[1] for part in answers[1].reason.split("; ") if part.startswith("column")}
    assert named == {"sum_disc_price", "sum_charge"} | (named & {"avg_disc"})
    assert answers[4].answer == answers[13].answer == "right"
    assert not proof.holds
    assert any(
        doubt.startswith("query 6 gave a wrong answer in stream 0: column revenue") for doubt in proof.doubts
    )


def test_a_lost_row_is_told_by_the_count(ctx: Context, copy: str) -> None:
    with psycopg.connect(copy, autocommit=True) as session:
        session.execute("delete from plimsoll_tpch.lineitem where l_orderkey = 29158")
    found = {query.query: query for query in proof_of(ctx, copy).queries}
    assert found[18].answer == "wrong"
    assert "gave 1 rows instead of 2" in found[18].reason
    assert "29158" in found[18].reason


def test_a_scale_without_known_answers(ctx: Context, copy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(copy, autocommit=True) as session:
        (comment,) = session.execute("select obj_description('plimsoll_tpch'::regnamespace)").fetchone() or (
            "",
        )
        text = comment.replace('"0.01"', '"0.0105"')
        session.execute(f"comment on schema plimsoll_tpch is '{text}'".encode())
    proof = proof_of(ctx, copy, TpchRequest(scale=0.0105))
    assert {query.answer for query in proof.queries} == {"unknown"}
    assert proof.holds
    assert "no answers are known for scale 0.0105" in notes_of(proof)["tpch-answers-unknown"]


def test_a_query_that_fails_fails_alone(ctx: Context, loaded_url: str, instead: dict[int, str]) -> None:
    instead[20] = "select 1 / (count(*) - 5) from plimsoll_tpch.region"
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=1))
    failed = [query for query in proof.queries if query.query == 20]
    assert [query.answer for query in failed] == ["failed", "failed"]
    assert all("division by zero" in query.reason for query in failed)
    assert all(query.elapsed_s is None and query.rows is None for query in failed)
    assert [query.answer for query in proof.queries if query.query != 20] == ["right"] * 42
    assert not proof.holds
    assert any("query 20 failed in stream" in doubt for doubt in proof.doubts)
    assert "21 of 22 queries" in notes_of(proof)["tpch-power"]


def test_a_lost_session_keeps_what_came_before(
    ctx: Context, loaded_url: str, instead: dict[int, str]
) -> None:
    instead[20] = "select pg_terminate_backend(pg_backend_pid())"
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=1))
    assert [(query.query, query.answer) for query in proof.queries] == [
        (14, "right"), (2, "right"), (9, "right"), (20, "failed"),
    ]  # fmt: skip
    assert "terminating connection" in proof.queries[-1].reason
    assert not proof.holds
    assert any("stream 0 ended after 4 of 22 queries" in doubt for doubt in proof.doubts)
    assert "stream 1 did not begin" in proof.doubts
    assert proof.window is not None


def test_a_lost_server_keeps_what_came_before(
    ctx: Context, instead: dict[int, str], tpchgen: Path, wheel: Path
) -> None:
    with embedded.running(ctx, PARENT, {"fsync": "off"}, wheel) as server:

        def kill(event: Event) -> None:
            if isinstance(event, Progress) and event.message == "power run, 3 of 22 queries":
                known = processes.identity(server.process.pid)
                assert known is not None
                processes.send(known, 3)

        with open_database(ctx, server.url) as connection:
            setup(ctx, connection, REQUEST)
            instead[20] = "select pg_sleep(100)"
            proof = run_tpch(dataclasses.replace(ctx, events=kill), connection, REQUEST).proof
    assert [query.answer for query in proof.queries] == ["right"] * 3 + ["failed"]
    assert not proof.holds
    assert proof.physical_reads_per_s is None
    assert any("stream 0 ended after 4 of 22 queries" in doubt for doubt in proof.doubts)
    Proof.model_validate_json(proof.model_dump_json())


def test_ctrl_c_within_a_query(ctx: Context, loaded_url: str, instead: dict[int, str]) -> None:
    instead[9] = "select pg_sleep(100)"
    proof = proof_of(
        stopping(ctx, "power run, 2 of 22 queries"), loaded_url, TpchRequest(scale=0.01, streams=2)
    )
    assert [(query.query, query.answer) for query in proof.queries] == [(14, "right"), (2, "right")]
    assert not proof.holds
    assert proof.doubts[0] == "it was interrupted"
    assert "stream 0 ended after 2 of 22 queries" in proof.doubts
    assert "stream 2 did not begin" in proof.doubts
    assert notes_of(proof)["tpch-power"].startswith("power run: 2 of 22 queries")
    assert proof.sessions[0].whole is False


def test_ctrl_c_among_streams(
    ctx: Context, loaded_url: str, instead: dict[int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams that are all at work on a query that never ends; the power run before them is kept."""
    power = orders.order_of(0, 1)
    instead[99] = "select pg_sleep(100)"
    monkeypatch.setattr(orders, "QUERIES", (*orders.QUERIES, 99))
    monkeypatch.setattr(orders, "order_of", lambda stream, _seed: (99, 1) if stream else power)
    stopper = stopping(ctx, "2 streams, 0 of 4 queries")
    proof = proof_of(stopper, loaded_url, TpchRequest(scale=0.01, streams=2, plans="none"))
    assert [query.stream for query in proof.queries] == [0] * 22
    assert {query.answer for query in proof.queries} == {"right"}
    assert not proof.holds
    assert proof.doubts == (
        "it was interrupted",
        "stream 1 ended after 0 of 2 queries",
        "stream 2 ended after 0 of 2 queries",
    )


def test_ctrl_c_before_the_first_query(ctx: Context, loaded_url: str) -> None:
    proof = proof_of(stopping(ctx, "plan of query 3"), loaded_url)
    assert proof.queries == ()
    assert proof.window is None
    assert not proof.holds
    assert proof.doubts == ("it was interrupted", "stream 0 did not begin")


def test_no_session_for_a_stream(ctx: Context, loaded_url: str) -> None:
    """The power run is kept when the server has no room for all the streams."""
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, streams=200))
    assert [query.stream for query in proof.queries] == [0] * 22
    assert not proof.holds
    assert any("stream 200 did not begin" in doubt for doubt in proof.doubts)
    assert any("too many clients" in doubt or "connection slots" in doubt for doubt in proof.doubts)


def test_what_a_query_read_is_what_the_server_says_of_its_plan(ctx: Context, loaded: Any) -> None:
    """EXPLAIN (ANALYZE, BUFFERS) counts the same blocks by other means, and each process of a parallel plan."""
    with open_database(ctx, loaded.url) as connection:
        outcome = run_tpch(ctx, connection, REQUEST, loaded.server.cluster.data_folder)
    counted = {query.query: query for query in outcome.proof.queries}
    with psycopg.connect(loaded.url, autocommit=True) as session:
        for query in orders.order_of(0, 1):
            text = queries.query_text("postgres", query, "0.01")
            row = session.execute(f"explain (analyze, buffers, format json) {text}".encode()).fetchone()
            assert row is not None
            parts = [row[0][0]["Plan"], row[0][0]["Planning"]]
            asked = sum(part[f"Shared {how} Blocks"] for part in parts for how in ("Hit", "Read"))
            ours = (counted[query].block_reads or 0) + (counted[query].block_hits or 0)
            # What parsing and each starting worker read of the catalogue is the server's work, and stands in no plan.
            assert 0.99 * asked <= ours <= 1.01 * asked + 600, query
    assert all(query.device_read_bytes is not None for query in outcome.proof.queries)
    assert all(query.read_bytes == (query.block_reads or 0) * 8192 for query in outcome.proof.queries)


def test_power_runs_are_repeated_and_streams_are_not_counted(ctx: Context, loaded_url: str) -> None:
    proof = proof_of(ctx, loaded_url, TpchRequest(scale=0.01, repeats=2, streams=2, plans="none"))
    assert proof.holds
    assert [(query.stream, query.repeat) for query in proof.queries] == [
        *[(0, 1)] * 22, *[(0, 2)] * 22, *[(1, 1)] * 22, *[(2, 1)] * 22,
    ]  # fmt: skip
    assert [session.name for session in proof.sessions] == [
        "stream 0", "stream 0, repeat 2", "stream 1", "stream 2",
    ]  # fmt: skip
    known = {query.stream: query.block_hits is not None for query in proof.queries}
    assert known == {0: True, 1: False, 2: False}
    assert all(query.device_read_bytes is None for query in proof.queries)
    assert [note.message[:12] for note in proof.notes if note.code == "tpch-power"] == [
        "power run 1:", "power run 2:",
    ]  # fmt: skip
