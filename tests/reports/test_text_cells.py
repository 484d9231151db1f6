"""Every table under a dashed ruler in the real text reports, accounted for by a count of its own: lines are cut where the ruler's
dashes end and nowhere else, and each piece with words in it must be a cell that was read from that line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pyarrow
import pytest

import report_corpus

_RULER = re.compile(r"[-~ ]*--[-~ ]*")
_TILDES = re.compile(r"\s*~~")
# `label: figure`, and the shares of ADDM's list.
_PAIR = re.compile(r":( |$)| \| ")
_ERROR = re.compile(r"(ORA|PLS)-\d+: |ERROR |truncate table ")
_HEADING_LINES_MAX = 5
_DASHES = re.compile(r"-+")
_BULLET = re.compile(r"\s*->")
_TITLE = re.compile(r"DB/Inst: | for DB: |^~~(BEGIN|END)-")
_STATEMENTS = re.compile(r"SQL ordered by|Complete List of SQL Text")
_CODECS = {"utf-8-bom": "utf-8-sig", "windows-1252": "cp1252"}
_ADDM = re.compile(r"^ *ADDM Report for Task|^ *(?:DETAILED )?ADDM REPORT", re.MULTILINE)
_LABEL_WIDTH_MIN = 4
_PIECES_MIN = 100

Ruler = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Line:
    """A line of the report below rulers: the last one, and those that are stacked with it."""

    number: int
    words: str
    rulers: tuple[Ruler, ...]

    def pieces(self, ruler: Ruler) -> Counter[str]:
        """What stands between the end of one column and the end of the next; the last one takes the rest."""
        cuts = [0, *(end for _, end in ruler[:-1]), max(len(self.words), ruler[-1][1])]
        pieces = (self.words[start:end].strip() for start, end in pairwise(cuts))
        return Counter(piece for piece in pieces if piece)


@pytest.mark.parametrize("name", report_corpus.named(form="text"))
def test_what_stands_under_rulers_is_read(name: str) -> None:
    path = report_corpus.needs(name)
    _, summary = report_corpus.read(path)
    cells, told = _cells_by_line(path), {problem["line"] for problem in summary["problems"]}
    everything = "\n".join("".join(words.split()) for words in report_cells(path)["text"].to_pylist())
    counted, lost = 0, list[tuple[int, str]]()
    for line in _ruled(path, summary["encoding"]):
        read = cells.get(line.number, Counter())
        counted += read.total()
        as_cells = any(_are_read(line.pieces(ruler), read) for ruler in line.rulers)
        # Statements and names on lines of their own go on in a cell that began elsewhere.
        within_one = "".join(line.words.split()) in everything
        if not (as_cells or within_one or line.number in told):
            lost.append((line.number, line.words))
    assert not lost, lost[:8]
    assert counted > _PIECES_MIN


def _are_read(pieces: Counter[str], cells: Counter[str]) -> bool:
    """A cell that is wrapped begins with the piece and goes on in the next line."""
    return all(any(cell.startswith(piece) for cell in cells) for piece in pieces - cells)


def report_cells(path: Path) -> pyarrow.RecordBatch:
    """All cells of the report."""
    report, _ = report_corpus.read(path)
    return pyarrow.record_batch(report.cells())


def _cells_by_line(path: Path) -> dict[int, Counter[str]]:
    by_line: dict[int, Counter[str]] = {}
    for cell in report_cells(path).select(["line", "text"]).to_pylist():
        if cell["text"]:
            by_line.setdefault(cell["line"], Counter())[cell["text"]] += 1
    return by_line


def _ruled(path: Path, encoding: str) -> Iterator[Line]:
    """The lines below rulers up to a blank one; in lists of statements up to the next section. ADDM has no rulers:
    dashes in its prose underline a title, or are part of a statement.
    """
    source = path.read_bytes().decode(_CODECS.get(encoding, encoding), "replace")
    source = _ADDM.split(source, maxsplit=1)[0]
    rulers: tuple[Ruler, ...] = ()
    waiting: list[Line] = []
    in_statements = False
    for number, raw in enumerate(source.split("\n"), 1):
        words = raw.strip("\f\r").rstrip()
        if _RULER.fullmatch(words):
            # The lines right above a ruler are headings, and those between two of them stack it on the one before.
            stacked = len(waiting) <= _HEADING_LINES_MAX
            yield from () if stacked else waiting[:-_HEADING_LINES_MAX]
            ruler = _ruler(words)
            rulers = ((ruler, *rulers) if stacked else (ruler,)) if len(ruler) > 1 else ()
            waiting = []
        elif _ends(words, in_statements):
            yield from waiting
            rulers, waiting = (), []
            in_statements = bool(_STATEMENTS.match(words)) or (in_statements and not words)
        elif rulers and words and not _PAIR.search(words):
            waiting.append(Line(number, words, rulers))
    yield from waiting


def _ends(words: str, in_statements: bool) -> bool:
    signs = (_TITLE.search, _TILDES.match, _BULLET.match, _ERROR.match)
    return (not words and not in_statements) or any(sign(words) for sign in signs)


def _ruler(words: str) -> Ruler:
    """The runs of dashes; labels may stand left of the first."""
    runs = tuple(match.span() for match in _DASHES.finditer(words))
    first = runs[0][0]
    return ((0, first - 1), *runs) if first >= _LABEL_WIDTH_MIN else runs
