"""A report as text, line by line: titles, notes and headings are prose, and the rows below a ruler are what the headings say.

Statements stand between the rows of sections called *SQL ordered by*, and in ADDM's findings behind the words that announce them;
there everything is secret but rows of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from plimsoll.reports.redaction.columns import Content, are_amounts, content_below, content_of
from plimsoll.reports.redaction.masking import Masks, known_label
from plimsoll.reports.redaction.vocabulary import begins_known, is_known

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_RULER = re.compile(r"[\s\f]*[-~=]{3,}(?:\s+[-~=]+)*\s*")
_RULER_RUN = re.compile(r"[-~=]+")
_TITLE = re.compile(
    r"(?:DB/Inst: |for DB: )(?P<names>.*?)(?P<snaps>\s*(?:Snaps: *[\d-]+[- ]*\d*|\([A-Z]\w\w \d+ [\d:]+ to ).*)?$"
)
_INSTANCE = re.compile(r"^[^\s/]+/[^\s/]+\s*$|\bInst")
_SQL_TITLE = re.compile(r"\bSQL (?:ordered by|Text)|\bSQL Statements?\b|\bTop SQL\b", re.IGNORECASE)
_PROSE_TITLE = re.compile(
    r"""(?:Load Profile|Instance Efficiency|Cache Sizes|Shared Pool Statistics|IO Profile|Host CPU|Instance CPU|Memory Statistics
    |Virtual Memory Paging|Time Model|Operating System Statistics|OS Statistics|Instance Activity|(?:Foreground\ |Background\ )?Wait
    |Top \d+|Latch|Mutex|Enqueue|Buffer (?:Pool|Wait)|PGA|SGA (?:Memory|breakdown)|Dictionary Cache|Library Cache|Process Memory
    |Resource Limit|Instance Recovery|Undo Segment|Java Pool|Streams Pool|Shared Pool Advisory|MTTR|Checkpoint
    |IOStat by (?:Fun|File)|Global (?:Cache|Enqueue)|Memory (?:Dyn|Res)|Rule|Statistics)""".replace(
        "\n    ", ""
    ),
    re.IGNORECASE,
)
_MINER = ("~~BEGIN-", "~~END-")
"""How AWR-Miner begins and ends a section."""
_NOTE = re.compile(r"\s*->")
_ADDM = re.compile(r"\bADDM (?:Report|Task)\b|DETAILED ADDM REPORT|ADDM:\d")
_ANNOUNCES_SQL = re.compile(
    r"\s*(?:RELEVANT OBJECT:\s*)?SQL\S* .{0,40}\bSQL_ID \S+(?: and PLAN_HASH\S* \d+)?\.?\s*", re.IGNORECASE
)
_ENDS_SQL = re.compile(
    r"\s*(?:(?:RELEVANT OBJECT|RATIONALE|ACTION|RECOMMENDATION \d+|FINDING \d+|SYMPTOMS?|ADDITIONAL INFORMATION)\b.*"
    r"|(?:Rationale|Action|Related Object|Symptoms?[\w ]*:?|Additional Information|Summary of Findings)\s*"
    r"|(?:Begründung|Aktion|Beziehungsobjekt|Symptome, die .*:|Zusätzliche Informationen)\s*"
    r"|(?:Recommendation|Finding|Empfehlung|Ergebnis) \d+:.*|.*\bADDM\b.* '[^']+'\s*|~{10,}.*|-{10,}.*|.*\bSQL_ID\b.*)"
)
_ROW_TOKEN = re.compile(r"-?[\d,.]*\d(?:[.,]?E[+-]\d+)?[%KMGT]?|[-#]+%?|N/A|[0-9a-z]{13}|\*")
_ROW_TOKENS_MIN = 3
_HEADING_LINES_MAX = 5
_IS_FIGURE = re.compile(r"[%#]|executions", re.IGNORECASE)
"""Of a heading over numbers."""
_FIGURE = re.compile(r"-?[\d,]*\.?\d+(?:[KMGT%]|E[+-]\d+)?|N/A|##+")
_CENTRED = 5
"""A ruler of one piece that begins so far to the right ends a table."""
_MODULE = re.compile(r"(\s*(?:Module|Action|PDB|Program|Service|Container):\s?)(.*)", re.DOTALL)


@dataclass(frozen=True)
class _Column:
    begin: int
    content: Content
    is_figure: bool
    """Whether nothing but a number stands in it."""
    is_amount: bool
    """Whether no address can stand in it."""


class Lines:
    """One pass over the lines of a text."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._columns: tuple[_Column, ...] = ()
        self._contents: frozenset[Content] = frozenset()
        self._is_sql = False
        self._in_statement = False
        self._is_addm = False
        """Whether it is among ADDM's findings, whose lines of dashes underline a title and are no ruler."""
        self._title = ""

    def redacted(self, text: str) -> str:
        """All of them."""
        lines = _LINE.findall(text)
        made: list[str] = []
        at = 0
        while at < len(lines):
            count = self._heading_lines(lines, at)
            if count:
                made += [self._headed(line) for line in lines[at : at + count]]
                made.append(lines[at + count])
                self._take_ruler(lines[at : at + count], lines[at + count])
                at += count + 1
            else:
                made.append(self._line(lines[at]))
                at += 1
        return "".join(made)

    def _heading_lines(self, lines: Sequence[str], at: int) -> int:
        """How many lines of headings begin here: those above a ruler, behind a blank line or of nothing but known words.

        Among statements there are none, but for the two rulers one below the other of a row that takes two lines.
        """
        before = lines[at - 1] if at else ""
        if self._in_statement or (self._is_sql and self._columns and not _RULER.fullmatch(before)):
            return 0
        is_free = not self._columns or not before.strip()
        for count, line in enumerate(lines[at : at + _HEADING_LINES_MAX + 1]):
            if not line.strip() or line.startswith(_MINER) or _TITLE.search(line) is not None:
                return 0
            if _RULER.fullmatch(line):
                return 0 if _is_end(line) else count
            if not is_free and not _is_heading(line):
                return 0
        return 0

    def _headed(self, line: str) -> str:
        self._is_addm = self._is_addm or bool(_ADDM.search(line))
        return self._masks.prose(line, cut=True)

    def _line(self, line: str) -> str:
        if not line.strip():
            return line
        if _RULER.fullmatch(line):
            if _is_end(line):
                self._end_table()
            return line
        if (title := _TITLE.search(line)) is not None and not self._is_of_statement(title):
            return self._titled(line, title)
        if line.startswith(_MINER):
            self._end_table()
            self._title, self._is_sql = "", False
        return self._masked(line)

    def _is_of_statement(self, title: re.Match[str]) -> bool:
        """Whether a statement only has words like those of a title, which names an instance or snapshots as well."""
        return self._is_sql and title["snaps"] is None and _INSTANCE.search(title["names"]) is None

    def _titled(self, line: str, title: re.Match[str]) -> str:
        self._end_table()
        self._title = line[: title.start()].strip()
        self._is_sql = bool(_SQL_TITLE.search(self._title))
        self._in_statement = self._is_addm = False
        begin, end = title.span("names")
        names = re.sub(r"\S+", lambda found: self._name(found[0]), line[begin:end])
        return self._masks.prose(line[: title.start()]) + line[title.start() : begin] + names + line[end:]

    def _name(self, word: str) -> str:
        return word if word == "Instance:" else self._masks.whole(word)

    def _end_table(self) -> None:
        self._columns, self._contents = (), frozenset()

    def _take_ruler(self, above: Sequence[str], ruler: str) -> None:
        begins = [run.start() for run in _RULER_RUN.finditer(ruler)]
        if self._is_addm and len(begins) == 1:
            self._end_table()
            return
        is_prose = bool(_PROSE_TITLE.match(above[0].strip()) or _PROSE_TITLE.match(self._title))
        headings = [
            " ".join(line[begin:end].strip() for line in above) for begin, end in pairwise([*begins, None])
        ]
        contents: list[Content] = [_content(heading, is_prose) for heading in headings]
        if "~" in _RULER_RUN.findall(ruler)[0] and len(headings) > 1:
            contents[1] = content_below(headings[:2])
        self._columns = tuple(
            _Column(begin, content, bool(_IS_FIGURE.search(heading)), is_amount)
            for begin, heading, content, is_amount in zip(
                begins, headings, contents, are_amounts(headings), strict=True
            )
        )
        self._contents = frozenset(column.content for column in self._columns)

    def _masked(self, line: str) -> str:
        if self._in_statement and not _ENDS_SQL.fullmatch(line.rstrip("\r\n\f")):
            return self._masks.secret(line)
        self._is_addm = self._is_addm or bool(_ADDM.search(line))
        self._in_statement = self._is_addm and bool(_ANNOUNCES_SQL.fullmatch(line))
        if self._columns and self._is_sql:
            return self._of_sql(line)
        return self._row(line) if self._columns and not _NOTE.match(line) else self._masks.prose(line)

    def _of_sql(self, line: str) -> str:
        tokens = line.split()
        if len(tokens) >= _ROW_TOKENS_MIN and all(map(_ROW_TOKEN.fullmatch, tokens)):
            return self._row(line)
        if self._is_row_of_words(line):
            return self._row(line)
        if (module := _MODULE.fullmatch(line)) is not None:
            return module[1] + self._masks.whole(module[2])
        return self._masks.secret(line)

    def _is_row_of_words(self, line: str) -> bool:
        """Whether each column of figures holds one, and the others nothing but known words."""
        cells = [(column, line[begin:end].strip()) for column, begin, end in self._places(line)]
        figures = [text for column, text in cells if column.is_figure]
        words = [word for column, text in cells if not column.is_figure for word in _WORDS.findall(text)]
        return bool(figures) and all(map(_FIGURE.fullmatch, figures)) and all(map(is_known, words))

    def _row(self, line: str) -> str:
        label = known_label(line)
        return line[:label] + self._cells(line, label)

    def _cells(self, line: str, start: int) -> str:
        """What stands from there on, by the columns."""
        if not self._masks.may_hold_amount(line) and not self._masks.may_hold_head(line):
            if self._contents == {"prose"}:
                return self._masks.prose(line[start:], cut=True)
            if self._contents == {"names"}:
                return self._masks.names(line[start:])
        places = [(column, max(begin, start), max(end, start)) for column, begin, end in self._places(line)]
        return "".join(self._cell(line[begin:end], column) for column, begin, end in places)

    def _places(self, line: str) -> list[tuple[_Column, int, int]]:
        """Where each column of this line begins and ends: a word that reaches over a begin belongs to the column before."""
        ends = [_next_blank(line, column.begin) for column in self._columns[1:]]
        begins, found = [0, *ends], [*ends, len(line)]
        return list(zip(self._columns, begins, found, strict=True))

    def _cell(self, text: str, column: _Column) -> str:
        if column.is_amount and self._masks.is_amount(text):
            return text
        content = column.content
        if content == "secret":
            return self._masks.secret(text)
        if content == "prose":
            return self._masks.prose(text, cut=True)
        return self._masks.hashes(text) if content == "hashes" else self._masks.names(text)


_WORDS = re.compile(r"[^\W\d_]\w*")


def _content(heading: str, is_prose: bool) -> Content:
    content = content_of(heading)
    return "prose" if content == "names" and is_prose else content


@lru_cache(maxsize=10_000)
def _is_heading(line: str) -> bool:
    """Whether a line may stand over columns: no number of more than a digit, nothing but known words or begins of them."""
    return not any(len(token) > 1 and _FIGURE.fullmatch(token) for token in line.split()) and all(
        is_known(word) or begins_known(word) for word in _WORDS.findall(line)
    )


def _is_end(ruler: str) -> bool:
    """Whether it ends a table: one piece that begins far to the right."""
    runs = ruler.split()
    return len(runs) == 1 and len(ruler) - len(ruler.lstrip()) >= _CENTRED


def _next_blank(line: str, begin: int) -> int:
    """The place, or where the word ends that reaches over it."""
    if begin >= len(line) or line[begin - 1].isspace():
        return min(begin, len(line))
    end = begin
    while end < len(line) and not line[end].isspace():
        end += 1
    return end
