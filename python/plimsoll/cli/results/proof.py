"""A proof as people read it on a terminal: the answer, why it is not valid, then the tables of the page."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_rate
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import show_figures
from plimsoll.facts import Prediction, Proof, Run, Sweep
from plimsoll.pages import proof_tables, proof_words


def show(run: Run) -> None:
    """The answer of a proof or a sweep, then everything that it rests on."""
    say(f"{proof_words.headline(run)}.")
    say(proof_words.reason(run))
    if run.proof is not None:
        _show_parts(run.proof)
    if run.sweep is not None:
        _show_sweep(run.sweep)
    if run.prediction is not None:
        _show_prediction(run.prediction)
    say_run(run)


def _show_parts(proof: Proof) -> None:
    if proof.operations:
        _print(proof_tables.operations(proof))
    _show_hosts(proof)
    _show_sessions(proof)
    _show_agreements(proof)
    _show_origin(proof)
    _show_commit(proof)
    _show_server(proof)
    if proof.conditions:
        _print(proof_tables.conditions(proof.conditions))
    if proof.queries:
        _print(proof_tables.queries(proof.queries))
    for number, doubt in enumerate(proof.doubts, 1):
        say(f"reason {number}: {doubt}")


def _show_hosts(proof: Proof) -> None:
    if proof.hosts is not None:
        say(f"hosts: {proof_words.host_words(proof)}")
        _print(proof_tables.hosts(proof.hosts))


def _show_sessions(proof: Proof) -> None:
    """How even they were, and those that are not valid; the page and `--json` have all of them."""
    if not proof.sessions:
        return
    say(f"sessions: {proof_words.session_words(proof)}")
    for session in proof.sessions:
        if not session.whole:
            say(f"{session.name}: {session.reason or 'it did not run through the window'}")


def _show_agreements(proof: Proof) -> None:
    if not proof.agreements:
        return
    say(f"counted twice: {proof_words.agreement_words(proof)}")
    _print(proof_tables.agreements(proof))
    for found in proof.agreements:
        if found.holds is not True:
            say(f"{found.what}: {found.reason}")


def _show_origin(proof: Proof) -> None:
    if proof.origin is None and proof.physical_reads_per_s is not None:
        found = "unknown" if proof.cache_hits_per_s is None else format_rate(proof.cache_hits_per_s)
        read = format_rate(proof.physical_reads_per_s)
        say(f"blocks per second: {read} read from outside the database's own cache, {found} found in it")
    if proof.origin is not None:
        say(proof_words.origin_words(proof.origin))
        _print(proof_tables.origin(proof))


def _show_server(proof: Proof) -> None:
    """Its state at the start and its log; the settings are on the page and in `--json`."""
    if proof.start is not None:
        say(f"server: {proof_words.start_words(proof)}")
    if proof.server_settings is not None:
        say(f"settings that are not defaults: {len(proof.server_settings)} (--json lists them)")
    if proof.server_log is not None:
        say(proof_words.log_words(proof.server_log))
        for one in proof.server_log.entries:
            say(f"  {one.severity} {one.at}: {one.message}")


def _show_commit(proof: Proof) -> None:
    if proof.commit is None:
        return
    say("what a commit waited for, by the server's counters:")
    _print(proof_tables.commit_parts(proof.commit))
    if more := proof_words.commit_words(proof.commit, proof_words.lost_hosts(proof)):
        say(more)


def _show_sweep(found: Sweep) -> None:
    _print(proof_tables.sweep(found))
    for name, value in proof_tables.scalability(found):
        say(f"{name}: {value}")


def _show_prediction(found: Prediction) -> None:
    say(f"prediction: {proof_words.prediction_words(found)}")


def _print(table: charts.Table) -> None:
    show_figures(table)
