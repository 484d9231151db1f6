"""The server around the window: in which state it began, what its log says, and how it is set."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.pages import proof_words
from plimsoll.pages._say import counted, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Folded, Points, Words


def applies(subject: Subject) -> bool:
    """Whether anything of it was kept."""
    proof = subject.run.proof
    return proof is not None and (proof.start, proof.server_settings, proof.server_log) != (None, None, None)


def blocks(subject: Subject) -> list[Block]:
    """The start, the log with its worst entries, then the settings, folded away."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    return [Words(proof_words.start_words(proof)), *_log(proof), *_settings(proof)]


def _log(proof: Proof) -> list[Block]:
    log = proof.server_log
    if log is None:
        return []
    rows = tuple((f"{one.severity} {one.at}".strip(), sentence(one.message)) for one in log.entries)
    return [Words(proof_words.log_words(log)), *([Points(rows)] if rows else [])]


def _settings(proof: Proof) -> list[Block]:
    found = proof.server_settings
    if found is None:
        return [Words("Which settings of the server are not its defaults is unknown.")]
    if not found:
        return [Words("All settings of the server are its defaults.")]
    text = "\n".join(f"{name} = {value}" for name, value in found.items())
    return [Folded(f"{counted(len(found), 'setting')} of the server that are not its defaults", text)]


SECTION = Section("How was the server?", "Its start, its log, and its settings.", 28, applies, blocks)
