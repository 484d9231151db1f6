"""Reports without the names in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.api._asking import asks
from plimsoll.context import Context
from plimsoll.requests.redact import RedactRequest


@dataclass(frozen=True)
class RedactedFile:
    """What became of one file."""

    source: str
    out: str | None
    """Where it was written; None where no folder was named, or it could not be redacted."""
    problem: str | None
    reads_otherwise: bool
    """Whether its numbers read otherwise than before."""


@dataclass(frozen=True)
class RedactedReports:
    """All files; `text` is that of the only one where no folder was named."""

    files: Sequence[RedactedFile]
    text: str | None


@asks(RedactRequest)
def redact(ctx: Context, asked: RedactRequest) -> RedactedReports:
    """Reports without names, hosts, paths, SQL and binds, every number as it was, as `plimsoll redact`.

    Example:
        plimsoll.redact("awr/", out="to-send", key="names.key").files
        plimsoll.redact("awr.html").text
    """
    from plimsoll.flows.redact import redact_reports

    found = redact_reports(ctx, asked)
    files = [RedactedFile(one.source, one.out, one.problem, one.reads_otherwise) for one in found.files]
    return RedactedReports(files, found.text)
