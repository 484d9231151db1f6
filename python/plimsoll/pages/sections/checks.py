"""Whether the numbers are valid: every truth check with its verdict and its reason."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Check, Run
from plimsoll.pages._doubt import cells
from plimsoll.pages._say import name, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Points, Words

_VERDICTS = {True: "passed", False: "failed", None: "cannot tell"}


def applies(subject: Subject) -> bool:
    """Whether any cell of the run was checked."""
    return bool(_checks(subject.run))


def blocks(subject: Subject) -> list[Block]:
    """Failed checks first; a check that came out alike on several cells is told once."""
    checks = _checks(subject.run)
    failed = sum(check.passed is False for check in checks)
    words = (
        "Every check passed or found nothing to object to."
        if not failed
        else "Some checks failed: read them first."
    )
    rows = tuple(
        (f"{name(check.name)}: {_VERDICTS[check.passed]}", sentence(check.reason)) for check in checks
    )
    return [Words(words), Points(rows)]


def _checks(run: Run) -> list[Check]:
    """The checks of all cells of the run, the failed ones first."""
    found: dict[tuple[str, bool | None], Check] = {}
    of_line = () if run.line is None else run.line.checks
    for check in (*of_line, *(check for cell in cells(run) for check in cell.checks)):
        found.setdefault((check.name, check.passed), check)
    return sorted(found.values(), key=lambda check: (check.passed is not False, check.passed is None))


SECTION = Section("Is this result valid?", "The truth checks and what they found.", 12, applies, blocks)
