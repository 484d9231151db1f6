"""A report of a database without names, whatever its form: the head's names are learned, then each form goes its own way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from plimsoll.facts import Report
from plimsoll.reports.redaction.lines import Lines
from plimsoll.reports.redaction.masking import Masks, is_of_its_own
from plimsoll.reports.redaction.page import redact_page
from plimsoll.reports.redaction.pseudonyms import Pseudonyms

_IS_PAGE = re.compile(r"<(?:html|body|table|td|th|tr|h\d|p|pre)\b", re.IGNORECASE)
_HEAD_SIGNS = 20_000
_CODECS = {
    "utf-8-bom": "utf-8-sig",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gbk": "gb18030",
    "windows-1252": "cp1252",
}
"""What Python calls the encodings that the reader of reports tells apart."""
_OBEYED = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""What a terminal would obey, and no report has; ends of lines and pages, and tabs, stay."""
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_PACKED = (".gz", ".zip", ".tar", ".tgz")
_NAME_LENGTH_MAX = 150
_SUFFIXES = frozenset({"csv", "htm", "html", "lis", "log", "lst", "md", "out", "rpt", "sql", "text", "txt"})
"""What the name of a report ends with; anything else may be a name."""
_PARTS = re.compile(r"[^\W_]+")


class Redactor:
    """All reports of one call."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._masks = Masks(pseudonyms)

    def redacted(self, text: str, names: Iterable[str], dots_group: bool = False) -> str:
        """A file's text of as many characters, with its lines where they were.

        `names` are replaced wherever they stand; `dots_group` says that points part the groups of numbers.
        """
        self._masks.learn(names, dots_group)
        text = _OBEYED.sub("?", text)
        if _IS_PAGE.search(text[:_HEAD_SIGNS]):
            return redact_page(text, self._masks, self._lines)
        return self._lines(text)

    def file_name(self, path: str) -> str:
        """What to call a file: its own name without what may be a name in it, and no folder."""
        name = path.replace("\\", "/").rsplit("/", 1)[-1]
        name = name.removesuffix(next((end for end in _PACKED if name.lower().endswith(end)), ""))
        stem, dot, suffix = name.rpartition(".")
        if not dot or suffix.lower() not in _SUFFIXES:
            stem, suffix = name.lstrip("."), "txt"
        shown = re.sub(r"[^\w.-]|\s", "_", _ADDRESS.sub(lambda found: self._masks.whole(found[0]), stem))
        return f"{_PARTS.sub(lambda found: self._masks.prose(found[0]), shown)[:_NAME_LENGTH_MAX] or 'report'}.{suffix}"

    def survivors(self, text: str, names: Iterable[str]) -> bool:
        """Whether one of the names is still there, but for those that are words of Oracle's own."""
        self._masks.learn(names)
        return self._masks.knows_in(text)

    def _lines(self, text: str) -> str:
        return Lines(self._masks).redacted(text)


def decoded(content: bytes, encoding: str) -> str:
    """The text of a file as the reader of reports takes it, without a byte order mark."""
    codec = _CODECS.get(encoding, "utf-8")
    return content.decode(codec, "replace").removeprefix("\ufeff")


_NAMES = ("db_name", "unique_name", "instance", "host", "container")
"""What in a head is a name."""


def names_of(reports: Iterable[Report]) -> Iterator[str]:
    """The names that the heads of reports tell: of databases, instances, hosts and containers."""
    for report in reports:
        for _, name in _named(report):
            yield name


def names_left(before: Sequence[Report], after: Sequence[Report]) -> frozenset[str]:
    """Those that the heads of the same reports, read again, still tell where they told them before.

    Names of a letter or of digits are none, as nothing stands in their place.
    """
    if len(before) != len(after):
        old, new = set(names_of(before)), set(names_of(after))
        return frozenset(filter(is_of_its_own, old & new))
    left = (_left(*both) for both in zip(before, after, strict=True))
    return frozenset(filter(is_of_its_own, chain.from_iterable(left)))


def _left(before: Report, after: Report) -> set[str]:
    now = {(place, name.lower()) for place, name in _named(after)}
    return {name for place, name in _named(before) if (place, name.lower()) in now}


def _named(report: Report) -> Iterator[tuple[str, str]]:
    """Each name of a head with its place there."""
    for at, head in enumerate((report, *report.instances, *report.periods)):
        for field in _NAMES:
            if name := getattr(head, field, None):
                yield f"{field} of {at}", name
