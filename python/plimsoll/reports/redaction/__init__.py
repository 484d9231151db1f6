"""Reports and spools of databases without what names their owner: each name is another of the same length, each number stays.

A name is whatever is not known to be Oracle's own word, so that what nobody foresaw is masked and not shown. Nothing changes its
length or its place in the line: columns of text stay where they are, and so does everything that is read of a page.
"""

from __future__ import annotations

from plimsoll.reports.redaction.columns import content_of
from plimsoll.reports.redaction.pseudonyms import KEY_BYTES_MIN, Pseudonyms
from plimsoll.reports.redaction.redactor import Redactor, decoded, names_left, names_of
from plimsoll.reports.redaction.spool import redact_collected, redact_spool

__all__ = [
    "KEY_BYTES_MIN",
    "Pseudonyms",
    "Redactor",
    "content_of",
    "decoded",
    "names_left",
    "names_of",
    "redact_collected",
    "redact_spool",
]
