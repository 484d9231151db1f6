"""`hpccoutf.txt` of the HPC Challenge benchmark: the summary of NAME=VALUE at its end.

Its STREAM is as large as HPL's N makes it, and lies in a cache where N is small. Which BLAS it used stands nowhere in it, and with
the reference BLAS its DGEMM and HPL say nothing of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from plimsoll.base.errors import UnreadableError
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, number, text_of, together
from plimsoll.facts import ForeignFigure, Note

_KNOWN = ("1.5.0",)
_BEGIN, _END = "Begin of Summary section.", "End of Summary section."
_MARK = "HPC Challenge Benchmark"
_HEAD = re.compile(rf"{_MARK} version\b")
_LINE = re.compile(r"([A-Za-z]\w*)=(.*)")
_UNITS = (
    ("_Tflops", "Tflop/s"),
    ("_Gflops", "Gflop/s"),
    ("_GUPs", "GUP/s"),
    ("_GBytes", "GB/s"),
    ("_GBs", "GB/s"),
    ("_usec", "µs"),
)
_STREAM = re.compile(r"(?:Star|Single)STREAM_(?:Copy|Scale|Add|Triad)")
_SETTINGS = (
    "CommWorldProcs",
    "HPL_N",
    "HPL_NB",
    "HPL_nprow",
    "HPL_npcol",
    "DGEMM_N",
    "STREAM_VectorSize",
    "STREAM_Threads",
)
_ALWAYS = ("HPL_Tflops", "HPL_N")
"""HPL is a part of each run."""
_BLAS = "the result does not say which BLAS was used: with the reference BLAS its DGEMM and HPL say nothing of the CPU"
_TIME = re.compile(r"^Current time \((\d{9,11})\)", re.MULTILINE)
_WORD_BYTES = 8


class _Hpcc:
    def recognises(self, path: Path) -> bool:
        return _MARK in head_of(path)[:2_000]

    def read(self, path: Path) -> Imported:
        """Each run is a result: hpcc adds what it writes to a file that is there."""
        return together(_runs(text_of(path, "hpcc")), partial(_result, path))


READER = _Hpcc()


def _runs(text: str) -> Iterator[tuple[str, int]]:
    """The text of each run, and how many lines stand before it. What stands before the first is the first's."""
    lines = text.splitlines(keepends=True)
    heads = [at for at, line in enumerate(lines) if _HEAD.search(line)]
    # A rule of # stands above the name.
    begins = [at - 1 if at and not lines[at - 1].strip(" #\n") else at for at in heads]
    bounds = [0, *begins[1:], len(lines)]
    for begin, end in pairwise(bounds):
        yield "".join(lines[begin:end]), begin


def _result(path: Path, text: str, before: int) -> Imported:
    summary = summary_of(path, text, before)
    told, version = summary.told, summary.version
    for name in _ALWAYS:
        if name not in told:
            raise broken(path, summary.line, f"its summary has no {name}")
    settings = ((name, told[name]) for name in _SETTINGS if name in told)
    began = _TIME.search(text)
    tflops, size = (_counted(path, summary, name) for name in _ALWAYS)
    title = f"HPL {_shown(tflops)} Tflop/s, N {_shown(size)}"
    return imported(
        path, "hpcc", version, version in _KNOWN, _figures(path, summary), text, settings, title,
        datetime.fromtimestamp(int(began[1]), UTC) if began else None, (Note(code="hpcc-blas", message=_BLAS), *_notes(told)),
    )  # fmt: skip


@dataclass(frozen=True)
class Summary:
    """That of a run which succeeded, by name."""

    path: Path
    told: dict[str, str]
    lines: dict[str, int]
    """The line of the file that each stands in."""
    line: int
    """That in which it begins."""

    @property
    def version(self) -> str:
        """As `1.5.0`."""
        return ".".join(self.told.get(f"Version{part}", "?") for part in ("Major", "Minor", "Micro"))

    def number(self, name: str) -> float:
        """Raises UnreadableError `import-broken` where it has none of that name."""
        value = number(self.told.get(name, ""))
        if value is None:
            raise UnreadableError(
                "import-broken", f"{self.path}: its summary has no number {name}", "Look at it for FAILED."
            )
        return value


def summary_of(path: Path, text: str, before: int = 0) -> Summary:
    """Of the text of a run, which so many lines stand before.

    Raises UnreadableError `import-broken` for one that did not succeed.
    """
    told, lines, begin = dict[str, str](), dict[str, int](), before + 1
    for at, name, value in _summary(path, text, before):
        if told.setdefault(name, value) != value:
            raise broken(path, at, f"its summary has two values for {name}: {told[name]} and {value[:40]}")
        begin = at if not lines else begin
        lines.setdefault(name, at)
    if told.get("Success") != "1":
        said = told.get("Success")
        what = "its summary does not say so" if said is None else f"Success={said}"
        whose = f"the run that begins in line {before + 1:,}" if before else "the run"
        raise UnreadableError(
            "import-broken", f"{path}: {whose} did not succeed: {what}", "Look at it for FAILED."
        )
    return Summary(path, told, lines, begin)


def _summary(path: Path, text: str, before: int) -> Iterator[tuple[int, str, str]]:
    """Each line's number, name and value."""
    lines = text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.strip() == _BEGIN]
    if not starts:
        raise broken(path, before + max(1, len(lines)), "it has no summary: the run did not come to its end")
    for at, line in enumerate(lines[starts[-1] + 1 :], starts[-1] + 2):
        if line.strip() == _END:
            return
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise broken(path, before + at, f"it is no NAME=VALUE of a summary: '{line[:60]}'")
        yield before + at, found[1], found[2]
    raise broken(path, before + len(lines), "its summary has no end")


def _figures(path: Path, summary: Summary) -> Iterator[ForeignFigure]:
    for name in summary.told:
        unit = (
            "GB/s"
            if _STREAM.fullmatch(name)
            else next((unit for end, unit in _UNITS if name.endswith(end)), None)
        )
        if unit is not None:
            yield ForeignFigure(name=name, value=_counted(path, summary, name), unit=unit)


def _counted(path: Path, summary: Summary, name: str) -> float | None:
    """None: -1, which stands for what was not measured. Raises UnreadableError for what is no number, or below nothing."""
    said = summary.told[name]
    value = number(said)
    if value is None or (value < 0 and value != -1):
        raise broken(path, summary.lines[name], f"{name} is no figure of a test: '{said[:40]}'")
    return None if value < 0 else value


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.10g}"


def _notes(told: dict[str, str]) -> Iterator[Note]:
    words = number(told.get("STREAM_VectorSize", ""))
    if words is not None and words * _WORD_BYTES < 64 << 20:
        size = words * _WORD_BYTES / 2**20
        message = f"its STREAM had arrays of {size:.1f} MiB, which caches may hold: its figures need not be those of memory"
        yield Note(code="hpcc-stream-small", message=message)
