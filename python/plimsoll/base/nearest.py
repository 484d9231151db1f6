"""The known word that was meant by one that is not known, or none: a guess that is far off helps nobody."""

from __future__ import annotations

from collections.abc import Iterable

_LETTERS_OF_A_SLIP = 4
"""One slip is believed for so many letters."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The one to which the fewest slips lead: a letter left out, added, changed, or two that changed places.

    None where that takes more slips than a person makes, or where two are as near. The beginning of a single known word means it.
    """
    found = _nearest(word, known)
    return found[0] if len(found) == 1 else None


def did_you_mean(word: str, known: Iterable[str], before: str = "") -> str:
    """The question that begins a hint, with a space behind it, of all that are as near; empty where no known word is near.

    `before` stands before each word.
    """
    found = [f"{before}{one}" for one in _nearest(word, known)]
    return f"Did you mean {' or '.join(found)}? " if found else ""


def _nearest(word: str, known: Iterable[str]) -> list[str]:
    words = list(known)
    begun = [one for one in words if one.startswith(word) and len(word.strip("-")) > 1]
    if len(begun) == 1:
        return begun
    slips = {one: _slips(word, one) for one in words}
    least = min(slips.values(), default=0)
    if least > max(1, len(word.strip("-")) // _LETTERS_OF_A_SLIP):
        return []
    return [one for one in words if slips[one] == least]


def _slips(word: str, other: str) -> int:
    """The optimal string alignment distance."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, start=1):
            slips = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and (letter, word[i - 2]) == (other[j - 2], wanted):
                slips = min(slips, earlier[j - 2] + 1)
            row.append(slips)
    return row[-1]
