"""What is said of a proof: headlines by outcome, doubts before figures, both counts, and what is unknown said as such."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll import charts, pages
from plimsoll.charts import Subject
from plimsoll.facts import CommitParts, CpuUse, HostSecond, Note, Proof, QueryResult, Run, ServerLog
from plimsoll.pages import _page, _proof, proof_tables, proof_words
from plimsoll.results import Block, Folded, Grid, Points, Words, answer


def run_with(name: str = "slob", **changes: Any) -> Run:
    run = facts_runs.prove_run(name)
    assert run.proof is not None
    return run.model_copy(update={"proof": run.proof.model_copy(update=changes)})


def proof_with(name: str = "slob", **changes: Any) -> Proof:
    proof = run_with(name, **changes).proof
    assert proof is not None
    return proof


def blocks(section: str, run: Run) -> list[Block]:
    return dict(_page._sections())[section].blocks(Subject(run))


def right(number: int, **changes: Any) -> QueryResult:
    base = {"query": number, "stream": 0, "elapsed_s": 2.5, "rows": 4, "answer": "right"}
    return QueryResult.model_validate(base | changes)


@pytest.mark.parametrize(
    ("run", "headline"),
    [
        (run_with(), "3,000 operations per second"),
        (run_with("late"), "This proof is not valid"),
        (run_with(operations_per_s=None), "Nothing was measured"),
        (
            run_with(operations_per_s=None, holds=False).model_copy(update={"interrupted": True}),
            "Interrupted before anything was measured",
        ),
        (run_with("tpch", holds=True, queries=(right(1), right(2))), "2 queries in 5 s"),
        (run_with("tpch", holds=True, queries=(right(1), right(2, elapsed_s=None))), "2 queries in unknown time"),
    ],
)  # fmt: skip
def test_headlines(run: Run, headline: str) -> None:
    assert proof_words.headline(run) == headline


def sweep_run(**changes: Any) -> Run:
    run = facts_runs.sweep_run()
    return run.model_copy(update={"sweep": facts_proofs.sweep().model_copy(update=changes)})


def test_headlines_of_sweeps() -> None:
    assert proof_words.headline(sweep_run()) == "More sessions pay up to 16: 2,910 operations per second"
    assert proof_words.headline(sweep_run(knee_sessions=None)) == "No knee up to 64 sessions"
    assert proof_words.headline(sweep_run(points=())) == "Nothing was measured"
    cut = sweep_run(knee_sessions=None).model_copy(update={"interrupted": True})
    assert proof_words.headline(cut) == "No knee up to 64 sessions, interrupted"


ALONE = CpuUse(server_share=0.8, own_share=0.12, others_share=0.03)


def busy(share: float) -> tuple[HostSecond, ...]:
    return tuple(
        second.model_copy(update={"idle_share": 1 - share, "iowait_share": 0.0})
        for second in facts_proofs.host_seconds()
    )


def unpredicted(name: str = "slob", **changes: Any) -> Run:
    return run_with(name, **changes).model_copy(update={"prediction": None})


def log(**counts: int) -> ServerLog:
    known: dict[str, Any] = {"panics": 0, "fatals": 0, "errors": 0, "warnings": 0, "graves": 0} | counts
    return ServerLog(source="log", reason="read from log", **known)


def test_the_end_of_the_database_comes_before_a_host_that_was_lost() -> None:
    gone = Note(code="database-lost", message="the server went away")
    run = run_with("hosts_lost").model_copy(update={"notes": (gone,)})
    assert proof_words.headline(run) == "This proof is not valid: the server went away"
    assert proof_words.headline(run_with("hosts_lost")).startswith("Lost: app2")


def test_what_was_fatal_to_a_session_of_the_server_is_in_the_headline() -> None:
    words = "3,000 operations per second, with 2 fatal errors in the server's log"
    assert proof_words.headline(run_with(server_log=log(fatals=2))) == words
    assert "log" not in proof_words.headline(run_with(server_log=log(errors=2, warnings=7)))
    assert "log" not in proof_words.headline(run_with("late", server_log=log(fatals=2)))


def test_the_server_around_the_window() -> None:
    start, words, entries, settings = blocks("proof-server", run_with())
    assert isinstance(start, Words)
    assert start.text == (
        "A checkpoint ended before the warm-up; the log was switched before it. The server made 1 checkpoint in the window. It"
        " wrote 21,300 whole pages into its log, as the first change of each after a checkpoint does."
    )
    assert isinstance(words, Words)
    assert words.text.startswith("The server's log has 1 error, 2 warnings from")
    assert isinstance(entries, Points)
    assert entries.rows[0] == ("error 2026-03-01 12:00:09 UTC", "Deadlock detected.")
    assert isinstance(settings, Folded)
    assert settings.summary == "3 settings of the server that are not its defaults"
    assert settings.text == "max_wal_size = 8GB\nshared_buffers = 2GB\nssl_passphrase_command = ***"


def test_what_is_unknown_of_the_server_is_said() -> None:
    told = [block.text for block in blocks("proof-server", run_with("late")) if isinstance(block, Words)]
    assert told == [
        "In which state the server was at the start is unknown.",
        "The server's log is unknown: permission denied.",
        "Which settings of the server are not its defaults is unknown.",
    ]
    quiet = blocks("proof-server", run_with(server_log=log(), server_settings={}))
    assert isinstance(quiet[1], Words)
    assert "has no warnings and no errors" in quiet[1].text
    assert quiet[2] == Words("All settings of the server are its defaults.")


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("tpch", {"holds": True, "queries": (right(1), right(2))}, "2 queries in 5 s"),
        ("slob", {"workload": "order_entry"}, "3,000 operations per second"),
    ],
)
def test_each_proof_tells_its_own_use_of_processors_from_that_of_others(
    name: str, changes: dict[str, Any], told: str
) -> None:
    for others_share, words in (
        (0.04, "CPU-bound (CPUs 97 % busy)"),
        (0.5, "on CPUs that were 97 % busy (other programs had 50 % of them)"),
    ):
        use = CpuUse(server_share=0.9 - others_share, own_share=0.07, others_share=others_share)
        run = unpredicted(name, host_seconds=busy(0.97), cpu_use=use, **changes)
        assert proof_words.headline(run) == f"{told}, {words}"


def test_a_proof_on_busy_processors_is_called_so_in_its_headline() -> None:
    words = "3,000 operations per second, CPU-bound (CPUs 97 % busy)"
    assert proof_words.headline(unpredicted(host_seconds=busy(0.97))) == words
    others = CpuUse(server_share=0.27, own_share=0.1, others_share=0.6)
    words = "3,000 operations per second, on CPUs that were 97 % busy (other programs had 60 % of them)"
    assert proof_words.headline(unpredicted(host_seconds=busy(0.97), cpu_use=others)) == words
    words = "3,000 operations per second, on CPUs that were 97 % busy (by whom is not known)"
    assert proof_words.headline(unpredicted(host_seconds=busy(0.97), cpu_use=None)) == words
    assert "CPU" not in proof_words.headline(unpredicted(host_seconds=busy(0.85)))
    assert "CPU" not in proof_words.headline(unpredicted(host_seconds=()))
    assert "CPU" not in proof_words.headline(run_with("late", host_seconds=busy(0.97)))


def test_waiting_for_io_is_not_being_busy() -> None:
    waiting = tuple(
        second.model_copy(update={"idle_share": 0.02, "iowait_share": 0.5})
        for second in facts_proofs.host_seconds()
    )
    assert "CPU" not in proof_words.headline(unpredicted(host_seconds=waiting))


def test_a_line_that_was_reached_says_more_than_busy_processors() -> None:
    reached = run_with(host_seconds=busy(0.97)).model_copy(update={"prediction": facts_proofs.prediction()})
    assert reached.prediction is not None
    assert reached.prediction.limited_by == "storage"
    assert "CPU" not in proof_words.headline(reached)


def test_a_sweep_says_what_held_back_the_sessions_beyond_its_knee() -> None:
    points = tuple(
        point.model_copy(
            update={"processors_busy_share": 0.95 if point.sessions > 16 else 0.5, "cpu_use": ALONE}
        )
        for point in facts_proofs.sweep().points
    )
    words = proof_words.headline(sweep_run(points=points))
    assert words == "More sessions pay up to 16: 2,910 operations per second, CPU-bound (CPUs 95 % busy)"
    words = proof_words.headline(sweep_run(points=points, knee_sessions=None))
    assert words == "No knee up to 64 sessions, CPU-bound (CPUs 95 % busy)"


def test_what_speaks_against_a_proof_is_said_first_and_nothing_for_it() -> None:
    words = proof_words.reason(run_with("late"))
    assert words.startswith("Session 5 did not run through the whole window")
    assert "Commits: the server counted 3.4 % more than the sessions" in words
    assert "Every session ran" not in words
    assert "counted the same" not in words


def test_many_doubts_are_counted_in_the_answer_and_listed_below() -> None:
    run = run_with("late", doubts=tuple(f"session {number} was late" for number in range(20)))
    assert "There are 17 more such reasons." in proof_words.reason(run)
    (points,) = [block for block in blocks("proof", run) if isinstance(block, Points)]
    assert len(points.rows) == 20


def test_what_speaks_for_a_proof_is_said_only_where_it_was_looked_at() -> None:
    assert "every session ran through the whole window, sessions and server counted the same" in (
        proof_words.reason(run_with()).lower()
    )
    bare = run_with(agreements=(), sessions=())
    assert not re.search("counted the same|every session", proof_words.reason(bare), re.IGNORECASE)


def test_both_counts_stand_side_by_side_with_their_difference() -> None:
    rows = {row[0]: row[1:] for row in proof_tables.agreements(proof_with("late")).rows}
    assert rows["commits"] == ("18,000", "18,612", "+3.40 %", "2 %", "no")
    rows = {row[0]: row[1:] for row in proof_tables.agreements(proof_with()).rows}
    assert rows["rows updated"] == ("288,000", "288,000", "none", "2 %", "yes")
    assert rows["scans"] == ("0", "unknown", "unknown", "2 %", "cannot tell")


def test_the_words_on_the_counts_are_those_of_the_worst() -> None:
    assert "differ by more than they may" in proof_words.agreement_words(proof_with("late"))
    assert "and agree" in proof_words.agreement_words(proof_with())
    uncounted = proof_with().agreements[-1:]
    assert "nothing could be compared" in proof_words.agreement_words(proof_with(agreements=uncounted))


def test_operations_show_what_they_touched_and_what_was_rolled_back_only_where_there_is_any() -> None:
    table = proof_tables.operations(proof_with())
    assert "rolled back" not in table.columns
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["select"]["blocks each"] == "16.0"
    assert rows["select"]["p99"] == "8.46 ms"
    assert rows["commit (a part)"]["blocks each"] == "–"
    orders = proof_tables.operations(proof_with("order_entry"))
    assert "blocks each" not in orders.columns
    assert orders.rows[0][orders.columns.index("rolled back")] == "164"


def test_sessions_are_told_from_the_opening_of_the_window() -> None:
    rows = proof_tables.sessions(proof_with("late")).rows
    assert rows[5] == ("session 5", "+1.800 s", "+30.010 s", "10,610", "no")
    assert rows[1] == ("session 1", "+0.003 s", "+30.002 s", "11,273", "yes")
    (points,) = [block for block in blocks("proof-sessions", run_with("late")) if isinstance(block, Points)]
    assert points.rows == (("session 5", "Its first operation began 1.8 s after the window opened."),)


def test_of_very_many_sessions_those_that_failed_are_shown() -> None:
    run = run_with(sessions=facts_proofs.sessions(500, 9_000, late=321))
    table = proof_tables.sessions(run.proof or facts_proofs.slob())
    assert len(table.rows) == proof_tables.SESSIONS_MAX
    assert [row[0] for row in table.rows if row[-1] == "no"] == ["session 321"]
    (grid,) = [block for block in blocks("proof-sessions", run) if isinstance(block, Grid)]
    assert grid.caption.endswith("64 of 500 sessions")


def test_instants_of_a_session_that_did_nothing_are_unknown() -> None:
    idle = proof_with().sessions[0].model_copy(update={"start": None, "end": None, "operations": 0})
    assert proof_tables.sessions(proof_with(sessions=(idle,))).rows[0][1:4] == ("unknown", "unknown", "0")


def commit(**changes: Any) -> CommitParts:
    found = facts_proofs.slob().commit
    assert found is not None
    return found.model_copy(update=changes)


def test_a_commits_parts_make_its_whole() -> None:
    rows = {row[0]: row[1:] for row in proof_tables.commit_parts(commit()).rows}
    assert rows["forcing the log to disk"] == ("480 µs", "80 %", "17,400")
    assert rows["all of it, as the sessions timed 18,000 commits"] == ("600 µs", "100 %", "")
    assert proof_words.commit_words(commit()) == ""


def test_parts_that_are_unknown_or_more_than_the_whole_are_said() -> None:
    rows = {row[0]: row[1:] for row in proof_tables.commit_parts(commit(log_sync_us=None, rest_us=None)).rows}
    assert rows["forcing the log to disk"][:2] == ("unknown", "unknown")
    assert "make 130 % of what the commits took" in proof_words.commit_words(commit(parts_share=1.3))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "The prediction was 5.2 % too high. The storage was at its limit"),
        ({"limited_by": "database"}, "The database was at its limit before the storage was"),
        ({"limited_by": "unknown"}, "Whether the storage was at its limit is not known."),
        ({"proved_iops": None, "error_share": None}, "There is nothing to compare."),
    ],
)
def test_a_prediction_is_told_with_what_it_may_be_compared_with(changes: dict[str, Any], words: str) -> None:
    assert words in proof_words.prediction_words(facts_proofs.prediction().model_copy(update=changes))


def test_queries_that_failed_have_no_figures_and_their_reason() -> None:
    rows = {row[0]: row[1:] for row in proof_tables.queries(facts_proofs.tpch().queries).rows}
    assert rows["Q20"] == ("unknown", "unknown", "failed: the statement was cancelled after 60 s")
    assert rows["Q15"][-1].startswith("wrong: ")
    assert len(rows) == 22


def test_streams_have_a_table_of_their_own_and_a_plan_is_shown_once() -> None:
    found = (
        right(1, plan="Seq Scan"),
        right(1, stream=1, plan="Index Scan"),
        right(2, stream=1, plan="Sort"),
    )
    shown = blocks("proof-queries", run_with("tpch", queries=found))
    assert [block.caption for block in shown if isinstance(block, Grid)] == [
        "One after the other", "In streams beside each other",
    ]  # fmt: skip
    plans = [(block.summary, block.text) for block in shown if isinstance(block, Folded)]
    assert plans == [("The plan of query 1", "Seq Scan"), ("The plan of query 2", "Sort")]


def test_a_plan_keeps_its_lines_and_stays_text() -> None:
    plan = "Sort <script>alert(1)</script>\n  ->  Seq Scan on lineitem\n        Filter: (a < 'b')"
    page = pages.build(run_with("tpch", queries=(right(1, plan=plan),)))
    assert "<script>alert" not in page
    assert "\n  -&gt;  Seq Scan on lineitem\n        Filter:" in page


def test_broken_conditions_come_first() -> None:
    run = run_with("order_entry")
    assert run.proof is not None
    broken = run.proof.conditions[1].model_copy(update={"holds": False, "reason": "4 orders lack a line"})
    changed = run_with("order_entry", conditions=(run.proof.conditions[0], broken, run.proof.conditions[2]))
    words, points = blocks("proof-conditions", changed)
    assert isinstance(words, Words)
    assert isinstance(points, Points)
    assert words.text.startswith("1 of 3 conditions are broken")
    assert [about for about, _ in points.rows] == [
        "order lines: broken", "warehouse balance: cannot tell", "district orders: holds",
    ]  # fmt: skip
    assert points.rows[0][1] == "Each order has as many lines as it says. 4 orders lack a line."


def test_origins_that_are_not_known_in_full_say_so() -> None:
    for name, words in (
        ("slob", "is known: "),
        ("late", "is not known in full: the server runs on another machine"),
    ):
        origin = proof_with(name).origin
        assert origin is not None
        assert words in proof_words.origin_words(origin)


def test_where_no_part_is_known_a_table_stands_in_for_the_picture() -> None:
    origin = facts_proofs.late().origin
    assert origin is not None
    run = run_with(
        "late", origin=origin.model_copy(update={"buffer_hits_per_s": None}), physical_reads_per_s=None
    )
    shown = [block for block in blocks("proof-counts", run) if isinstance(block, Grid)]
    assert [row[1] for row in shown[-1].table.rows] == ["unknown"] * 3


def test_a_window_that_never_opened_is_said() -> None:
    assert proof_words.window_rows(None) == (("window", "it never opened"),)
    moment = datetime(2025, 3, 14, 9, 26, 53, 45_999, UTC)
    assert proof_words.exact_instant(moment) == "2025-03-14 09:26:53.045 UTC"


def test_a_proof_of_which_almost_nothing_is_known_is_still_a_page() -> None:
    bare = Proof(
        workload="slob", database=facts_proofs.slob().database, settings={}, holds=False,
        doubts=("the server went away before the window opened",),
    )  # fmt: skip
    run = facts_runs.prove_run().model_copy(update={"proof": bare, "prediction": None, "interrupted": True})
    page = pages.build(run)
    assert "Interrupted before anything was measured" in page
    assert "The server went away before the window opened." in page
    assert re.findall(r"<b[^>]*>([^<]*)</b>", page) == ["unknown"] * 4


def test_commits_of_lost_hosts_are_in_one_table_and_not_in_the_other_which_is_said() -> None:
    said = "these commits are also those of app2, as far as they were told; the table of operations has the other hosts' alone."
    run = run_with("hosts_lost", commit=commit(parts_share=1.3))
    (words,) = [
        block for block in blocks("proof-counts", run) if isinstance(block, Words) and said in block.text
    ]
    assert "make 130 % of what the commits took" in words.text
    captions = [block.caption for block in blocks("proof", run) if isinstance(block, Grid)]
    assert captions == ["Operations over the window, warm-up left out, without the hosts that were lost"]
    assert "those of app2" not in str(blocks("proof-counts", run_with("hosts", commit=commit())))


def test_figures_without_hosts_that_were_lost_say_whose_they_are() -> None:
    run = facts_runs.prove_run("hosts_lost")
    figures = {what: words for what, _, words in _proof.figures(run)}
    assert figures["Operations"] == "per second, 4 sessions of app1"
    assert figures["p99"].startswith("select of app1, half within ")
    assert figures["Blocks asked for"].startswith("per second, both hosts, ")
    assert "The 4 sessions of app1 counted 1,500 operations per second." in proof_words.reason(run)
    chart = charts.load("proof-over-time")
    assert " operations per second of app1." in chart.words(Subject(run))
    drawn = str(chart.draw(Subject(run), 766).to_dict())
    assert "operations per second of app1" in drawn
    assert "latency of app1: p99" in drawn
    assert answer(run) == "1,500 operations per s of app1, not valid"
    whole = facts_runs.prove_run("hosts")
    assert {what: words for what, _, words in _proof.figures(whole)}["Operations"] == "per second, 8 sessions"
    assert "of app1" not in chart.words(Subject(whole))
