"""A proof: what the database did under the load, whether that is valid, and how it was driven."""

from __future__ import annotations

from plimsoll.base.units import format_us
from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.pages import proof_tables, proof_words
from plimsoll.pages._say import name, number, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid, Pairs, Points, Words

_COMMITS = "A commit is timed apart as well: it is a part of the operation that it ends, and none of its own."


def applies(subject: Subject) -> bool:
    """Whether the run is a proof."""
    return subject.run.proof is not None


def blocks(subject: Subject) -> list[Block]:
    """Doubts first, then operations with their latencies, the window and the workload's settings."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    shown: list[Block] = []
    if proof.doubts:
        shown += [
            Words("It is not valid, because:"),
            Points(
                tuple((f"reason {number}", sentence(doubt)) for number, doubt in enumerate(proof.doubts, 1))
            ),
        ]
    if proof.operations:
        whose = ", without the hosts that were lost" if proof_words.lost_hosts(proof) else ""
        caption = f"Operations over the window, warm-up left out{whose}"
        shown.append(Grid(caption, proof_tables.operations(proof)))
        if proof_words.has_commits(proof):
            shown.append(Words(_COMMITS))
    shown.append(
        Pairs("Window, by the server's clock", (*proof_words.window_rows(proof.window), *_rates(proof)))
    )
    return [*shown, Pairs("Workload", (("workload", proof_words.workload(proof)), *_settings(proof)))]


def _rates(proof: Proof) -> list[tuple[str, str]]:
    rows = []
    if proof.redo_mb_per_s is not None:
        rows.append(("redo", number(proof.redo_mb_per_s, 1, " MB per second")))
    if proof.lateness_us_max is not None:
        rows.append(("latest start of ours", format_us(proof.lateness_us_max)))
    return rows


def _settings(proof: Proof) -> list[tuple[str, str]]:
    return [(name(setting), value) for setting, value in proof.settings.items()]


SECTION = Section("What the database did", "Operations, latencies, window and settings.", 11, applies, blocks)
