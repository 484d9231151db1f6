"""What stands in an export, before anything is made of it: JSON documents one after the other, or the rows of a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.base.jsontext import parse_json
from plimsoll.base.limits import EXPORT_SIGNS_MAX

_LAST_WORD = re.compile(r"[-+.\w]*\Z")
_TRAILING = "trailing characters"
_CUT = "EOF while parsing"


class Content:
    """One file, or an answer; `metric` is what somebody called it. Raises UsageError `export-unreadable` where it is no text."""

    def __init__(self, name: str, content: bytes, metric: str | None = None) -> None:
        self.name = name
        self.metric = metric
        try:
            self.text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.refused(f"it is not UTF-8 text, from byte {error.start + 1:,} on") from error
        self.why_unknown = "it is no export that is known here"

    @property
    def stem(self) -> str:
        """The file's name, which names what the export itself does not."""
        return Path(self.name).stem

    def refused(self, what: str, hint: str | None = None) -> UsageError:
        """The refusal of all of it."""
        return UsageError("export-unreadable", f"{self.name}: {what}", hint)

    @cached_property
    def documents(self) -> list[tuple[str, Any]]:
        """The JSON documents in it, each with its place: one, or one on each line; none where it is no JSON.

        A document that ends too early is there as far as it goes.
        """
        if self.text.lstrip()[:1] not in ("{", "["):
            return []
        if sum(map(self.text.count, "[{,")) > EXPORT_SIGNS_MAX:
            raise self.refused(
                f"it has more than {EXPORT_SIGNS_MAX:,} values", "Export a shorter time, or fewer series."
            )
        try:
            return [("", parse_json(self.text))]
        except ValueError as error:
            reason = str(error)
        if _TRAILING in reason:
            return list(self._lines())
        self.why_unknown = f"it is not JSON: {reason}"
        if _CUT in reason:
            self.cut = reason
            return self._as_far_as_it_goes()
        return []

    def _as_far_as_it_goes(self) -> list[tuple[str, Any]]:
        """Without the word at its end: of a number that is cut nobody knows how many digits are missing."""
        try:
            return [("", parse_json(_LAST_WORD.sub("", self.text), whole=False))]
        except ValueError:
            return []

    cut: str | None = None
    """Why a document is not whole."""
    lines_off: int = 0
    """Lines that are no JSON."""
    first_off: str = ""

    def _lines(self) -> Iterator[tuple[str, Any]]:
        for number, line in enumerate(self.text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                yield f"line {number:,}", parse_json(line)
            except ValueError:
                self.lines_off += 1
                self.first_off = self.first_off or f"line {number:,}: it is no JSON"

    @property
    def document(self) -> Any:
        """Its one document; None where it has none, or several."""
        return self.documents[0][1] if len(self.documents) == 1 else None

    @cached_property
    def columns(self) -> list[str]:
        """What stands on its first line as a table of CSV."""
        return next(csv.reader(io.StringIO(self.text[:_HEAD_SIGNS].partition("\n")[0])), [])

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Cells of its lines as CSV, each with the number of its line."""
        rows = csv.reader(io.StringIO(self.text, newline=""))
        try:
            for row in rows:
                yield rows.line_num, row
        except csv.Error as error:
            self.lines_off += 1
            self.first_off = self.first_off or f"line {rows.line_num:,}: it is not CSV: {error}"


_HEAD_SIGNS = 1 << 16
