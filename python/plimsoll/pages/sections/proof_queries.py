"""The queries of a decision-support run: how long each took, what it gave, and whether that is right."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.pages import proof_tables, proof_words
from plimsoll.pages._section import Section
from plimsoll.results import Block, Folded, Grid, Words


def applies(subject: Subject) -> bool:
    """Whether queries were run."""
    return subject.run.proof is not None and bool(subject.run.proof.queries)


def blocks(subject: Subject) -> list[Block]:
    """A table for each way of running them, then the plans, folded away."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    shown: list[Block] = [
        Words(f"Of {proof_words.counted_queries(len(proof.queries))}: {proof_words.answers(proof.queries)}.")
    ]
    power = proof_words.power(proof)
    if power:
        shown.append(Grid("One after the other", proof_tables.queries(power)))
    streams = [query for query in proof.queries if query.stream]
    if streams:
        shown.append(Grid("In streams beside each other", proof_tables.queries(streams)))
    return [*shown, *_plans(proof)]


def _plans(proof: Proof) -> list[Block]:
    """One plan of each query: the power run's, else that of the first stream that has one."""
    found: dict[int, str] = {}
    for query in sorted(proof.queries, key=lambda query: query.stream):
        if query.plan:
            found.setdefault(query.query, query.plan)
    return [Folded(f"The plan of query {number}", found[number]) for number in sorted(found)]


SECTION = Section("The queries", "Time, rows and answer of each query.", 19, applies, blocks)
