"""The output of `plimsoll place query` in SQL*Plus: lines of a letter and values between bars, of which some are names.

A line of no known letter is what SQL*Plus says in between, and is masked as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.reports.redaction.masking import Masks
from plimsoll.reports.redaction.pseudonyms import Pseudonyms

_BAR = "\\7c"
"""A bar within a name."""
_NAMES: Mapping[str, tuple[int, ...]] = {
    "H": (),
    "I": (1, 3, 4),
    "S": (),
    "W": (),
    "T": (),
    "O": (),
    "G": (0, 1, 2, 4),
    "B": (0, 1, 2, 4),
    "C": (0, 1, 2),
    "P": (0, 1),
    "X": (0,),
    "F": (),
    "L": (),
    "D": (4, 5, 6, 8),
    "E": (),
}
"""Which values of a line are names; the others are words and numbers of the server's own."""


def redact_spool(text: str, pseudonyms: Pseudonyms) -> str:
    """The same lines with other names."""
    masks = Masks(pseudonyms)
    return "".join(_line(line, masks) for line in text.splitlines(keepends=True))


def _line(line: str, masks: Masks) -> str:
    body = line.rstrip("\r\n")
    letter, bar, rest = body.partition("|")
    names = _NAMES.get(letter.strip()) if bar else None
    if names is None:
        return masks.whole(line)
    values = rest.split("|")
    for at, value in enumerate(values):
        if at in names:
            values[at] = _BAR.join(masks.whole(part) for part in value.split(_BAR))
        elif letter.strip() in "SWT":
            values[at] = masks.prose(value)
    return f"{letter}|{'|'.join(values)}{line[len(body) :]}"
