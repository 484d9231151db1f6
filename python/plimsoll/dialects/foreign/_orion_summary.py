"""The summary file of ORION: what was asked, on which targets, and the best values found.

Words and capitals differ between versions (`Write: 0%` in 11.1, `Writes: 0%` in 12.1), the lines' meaning does not. Lines that
are not known are passed over, and so are latencies and histograms, which `_orion_histogram.py` reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice, takewhile
from pathlib import Path

from plimsoll.dialects.foreign._orion_lines import Lines, read_lines, shortened

_VERSION = re.compile(r"ORION VERSION\s+(\S.*)", re.IGNORECASE)
_FILES = re.compile(r"([0-9]{1,9}) files? found\.?", re.IGNORECASE)
_BEST = re.compile(
    r"(Maximum Large MBPS|Maximum Small IOPS|Minimum Small Latency)\s*=\s*([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*(usecs?|us|msecs?|ms)?"
    r"\s*@\s*Small=([0-9]{1,9}) and Large=([0-9]{1,9})",
    re.IGNORECASE,
)
_SIZE = re.compile(r"([0-9]{1,9})\s*KB", re.IGNORECASE)
_SHARE = re.compile(r"([0-9]{1,3})\s*%")
_SECONDS = re.compile(r"([0-9]{1,9})\s*seconds?", re.IGNORECASE)
_WHOLE = re.compile(r"([0-9]{1,9})")
_BYTES = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class Best:
    """A best value and its point; `unit` is empty where the file names none."""

    value: float
    unit: str
    small: int
    large: int


@dataclass
class Summary:
    """What the file says; what it does not say is None or empty."""

    lines: Lines
    version: str
    words: tuple[str, ...] = ()
    command_line: int | None = None
    """The line on which the words stand."""
    test: str | None = None
    small_kb: int | None = None
    large_kb: int | None = None
    write_percent: int | None = None
    seconds: int | None = None
    streams_depth: int | None = None
    sequential: bool = False
    smalls: tuple[int, ...] = ()
    larges: tuple[int, ...] = ()
    targets: list[tuple[str, int]] = field(default_factory=list)
    files: int | None = None
    best: dict[str, Best] = field(default_factory=dict)
    """By `mbps`, `iops` and `latency`."""

    def option(self, name: str) -> str | None:
        """The value of an option in the command line."""
        at = next((i for i, word in enumerate(self.words) if word == f"-{name}"), None)
        return self.words[at + 1].lower() if at is not None and at + 1 < len(self.words) else None


_BEST_NAMES = {
    "maximum large mbps": "mbps",
    "maximum small iops": "iops",
    "minimum small latency": "latency",
}


def read_summary(path: Path) -> Summary:
    """The summary. Raises UnreadableError `orion-unreadable` naming file and line."""
    lines = read_lines(path)
    numbered = [(number, line) for number, line in lines.numbered() if line]
    version = _VERSION.fullmatch(numbered[0][1]) if numbered else None
    if version is None:
        raise lines.broken(None, "its first line does not begin with ORION VERSION")
    found = Summary(lines, version[1])
    for at, (number, line) in enumerate(numbered[1:], start=1):
        _take(found, number, line, islice(numbered, at + 1, None))
    return found


def is_summary(text: str) -> bool:
    """Whether a file that begins so is a summary."""
    return text.lstrip("\ufeff \t\r\n")[:13].upper() == "ORION VERSION"


def _take(found: Summary, number: int, line: str, following: Iterator[tuple[int, str]]) -> None:
    key, colon, rest = line.partition(":")
    name = key.strip().lower().replace("commandline", "command line")
    if name in ("maximum", "minimum") or line.lower().startswith(("maximum ", "minimum ")):
        _take_best(found, number, line)
    elif match := _FILES.fullmatch(line):
        found.files = int(match[1])
    elif name == "name" and colon:
        _take_target(found, number, line)
    elif name == "command line" and colon:
        found.command_line, words = next(following, (number, ""))
        found.words = tuple(words.split())
    elif name in ("small columns", "large columns") and colon:
        loads = _loads(found.lines, number, rest, following)
        found.smalls, found.larges = (loads, found.larges) if name[0] == "s" else (found.smalls, loads)
    elif name == "test" and colon and found.test is None:
        found.test = rest.strip()
    elif name == "io types" and colon:
        found.sequential = "sequential" in rest.lower()
    elif name in _SETTINGS and colon:
        _SETTINGS[name](found, number, rest.strip())


def _take_best(found: Summary, number: int, line: str) -> None:
    match = _BEST.fullmatch(line)
    if match is None:
        raise found.lines.broken(number, f"cannot read '{shortened(line)}' as a best value")
    unit = (match[3] or "").lower()[:1]
    best = Best(float(match[2]), unit, int(match[4]), int(match[5]))
    found.best[_BEST_NAMES[" ".join(match[1].lower().split())]] = best


def _take_target(found: Summary, number: int, line: str) -> None:
    name, size_word, size = line.partition(":")[2].rpartition("Size:")
    if not (size_word and name.strip() and size.isascii() and _BYTES.fullmatch(size.strip())):
        raise found.lines.broken(number, f"cannot read '{shortened(line)}' as the name and size of a target")
    found.targets.append((name.strip(), int(size)))


def _loads(lines: Lines, number: int, rest: str, following: Iterator[tuple[int, str]]) -> tuple[int, ...]:
    """The loads of the line, and of those after it that go on with numbers alone."""
    more = takewhile(lambda line: not line[1].strip("0123456789, \t"), following)
    words = [word.strip() for text in (rest, *(text for _, text in more)) for word in text.split(",")]
    for word in filter(None, words):
        if not (word.isascii() and _WHOLE.fullmatch(word)):
            raise lines.broken(number, f"cannot read '{shortened(word)}' as a number of I/Os outstanding")
    return tuple(int(word) for word in words if word)


def _setting(attribute: str, pattern: re.Pattern[str], example: str) -> Callable[[Summary, int, str], None]:
    def take(found: Summary, number: int, text: str) -> None:
        match = pattern.fullmatch(text)
        if match is None:
            raise found.lines.broken(number, f"cannot read '{shortened(text)}'; it looks like {example}")
        setattr(found, attribute, int(match[1]))

    return take


_SETTINGS: dict[str, Callable[[Summary, int, str], None]] = {
    "small io size": _setting("small_kb", _SIZE, "8 KB"),
    "large io size": _setting("large_kb", _SIZE, "1024 KB"),
    "write": _setting("write_percent", _SHARE, "0%"),
    "writes": _setting("write_percent", _SHARE, "0%"),
    "duration for each data point": _setting("seconds", _SECONDS, "60 seconds"),
    "number of concurrent ios per stream": _setting("streams_depth", _WHOLE, "4"),
}
