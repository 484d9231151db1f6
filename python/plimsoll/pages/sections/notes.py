"""Everything that a reader of the figures must know: fallbacks with their reasons, warnings, things left out."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.charts import Subject
from plimsoll.facts import Note, Run
from plimsoll.pages._say import sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Points


def applies(subject: Subject) -> bool:
    """Whether there is any note."""
    return bool(_rows(subject.run))


def blocks(subject: Subject) -> list[Block]:
    """Each note once, with what it is about."""
    return [Points(tuple(_rows(subject.run)))]


def _rows(run: Run) -> list[tuple[str, str]]:
    """What each note is about and its words; a note met in several trials is told once, with their number."""
    trials = run.line.trials if run.line is not None else ()
    of_trials = [note for trial in trials for note in trial.cell.notes]
    rows = _unique("verdict", run.verdict.notes if run.verdict else ())
    rows += _unique("line", run.line.notes if run.line else ())
    for _, text, count in _counted(of_trials):
        rows.append((f"{count} of {len(trials)} trials", text))
    rows += _unique("measurement", run.cell.notes if run.cell else ())
    rows += _unique("proof", run.proof.notes if run.proof else ())
    rows += _unique("demand", run.demand.notes if run.demand else ())
    rows += _unique("target", run.target.notes if run.target else ())
    rows += _unique("run", run.notes)
    return [row for index, row in enumerate(rows) if row[1] not in {text for _, text in rows[:index]}]


def _unique(about: str, notes: Iterable[Note]) -> list[tuple[str, str]]:
    return [(about, text) for _, text, _ in _counted(notes)]


def _counted(notes: Iterable[Note]) -> list[tuple[str, str, int]]:
    """Code, sentence and how often, in the order in which they were met."""
    counts: dict[tuple[str, str], int] = {}
    for note in notes:
        key = (note.code, sentence(note.message))
        counts[key] = counts.get(key, 0) + 1
    return [(code, text, count) for (code, text), count in counts.items()]


SECTION = Section("Notes on the figures", "Fallbacks, warnings and things left out.", 60, applies, blocks)
