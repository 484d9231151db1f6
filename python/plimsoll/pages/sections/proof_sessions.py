"""The sessions one by one: that each ran through the whole window, and what it did in it."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.pages import proof_tables, proof_words
from plimsoll.pages._say import counted, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid, Points, Words


def applies(subject: Subject) -> bool:
    """Whether sessions were driven."""
    return subject.run.proof is not None and bool(subject.run.proof.sessions)


def blocks(subject: Subject) -> list[Block]:
    """How even they were, then each with its start and end."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    table = proof_tables.sessions(proof)
    caption = "First and last operation that count, from the window's opening"
    if len(table.rows) < len(proof.sessions):
        caption += f"; {len(table.rows)} of {counted(len(proof.sessions), 'session')}"
    broken = tuple(
        (session.name, sentence(session.reason))
        for session in proof.sessions
        if not session.whole and session.reason
    )[: proof_tables.SESSIONS_MAX]
    shown: list[Block] = [Words(proof_words.session_words(proof)), Grid(caption, table)]
    return [*shown, Points(broken)] if broken else shown


SECTION = Section("The sessions", "When each began, when it ended, what it did.", 22, applies, blocks)
