"""What speaks against an answer that rests on many measured points, in the words that stand beside it everywhere."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.base.sentences import capital
from plimsoll.facts import Cell
from plimsoll.supply.checks import deciding

_NOT_VALID = "not valid"
_ERRORS = "errors"
"""Its check says that I/Os failed, which is worse than that figures are not valid."""


def with_failed(answer: str, cells: Iterable[Cell]) -> str:
    """The answer, and behind it what the deciding checks of its points say."""
    return "; ".join(part for part in (answer, failed_words(cells)) if part)


def failed_sentence(cells: Iterable[Cell]) -> str:
    """`Not valid at 1 of 6 points: cliff.`, `Not valid: I/Os failed at 2 of 12 points.`, or nothing: it stands before an answer."""
    words = failed_words(cells)
    if not words:
        return ""
    return f"{capital(words)}." if words.startswith(_NOT_VALID) else f"Not valid: {words}."


def failed_words(cells: Iterable[Cell]) -> str:
    """`I/Os failed at 2 of 12 points; not valid at 3: cliff, reached`; nothing where no deciding check failed."""
    found = [{check.name for check in deciding(cell.checks)} for cell in cells]
    failed = sum(_ERRORS in names for names in found)
    others = [names - {_ERRORS} for names in found if names - {_ERRORS}]
    of_all = f" of {len(found)} points"
    parts = [f"I/Os failed at {failed}{of_all}"] if failed else []
    if others:
        names = ", ".join(sorted(set().union(*others)))
        parts.append(f"{_NOT_VALID} at {len(others)}{'' if failed else of_all}: {names}")
    return "; ".join(parts)
