"""The snapshots of a spool: what each instance had counted at each moment, and what of it could not be read.

Each statement says with every line how many lines it prints, so that one that is missing is noticed. Of a line that stands there
twice the first counts; where the two are not the same neither does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property

from plimsoll.base.limits import SPOOL_PROBLEMS_MAX, SPOOL_SNAPSHOTS_MAX
from plimsoll.facts import ReportProblem
from plimsoll.facts.demand import CONTAINER_ROOT
from plimsoll.reports.spool.lines import DAMAGED, SpoolFact, facts_of
from plimsoll.reports.spool.numbers import number, whole_number

MOMENT, HISTORY = "plimsoll-collect", "plimsoll-history"
VERSION = "1"
CUT = "report-cut"
ROOT = CONTAINER_ROOT
_NUMBERED = 3
"""Values that stand before those of a fact: instance, number, and number of lines."""
_AGAIN = "Print collect.sql of this release with plimsoll demand --collector oracle, and run it again."

Key = tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """How many words name a fact of a letter, and how many numbers it has. `always`: a statement that never prints nothing.
    `fixed`: it prints the same names each time, be it with 0; of others a name comes with its first count.
    """

    keys: int
    numbers: int
    always: bool = True
    fixed: bool = False


SHAPES = {
    "S": Shape(1, 1, fixed=True),
    "W": Shape(2, 2),
    "B": Shape(2, 2),
    "H": Shape(2, 1, always=False),
    "J": Shape(1, 1, fixed=True),
    "O": Shape(2, 1, fixed=True),
    "F": Shape(1, 10),
    "U": Shape(1, 8),
    "X": Shape(2, 7),
    "Y": Shape(2, 7, always=False),
    "K": Shape(2, 1, always=False, fixed=True),
    "G": Shape(7, 1, always=False),
    "A": Shape(1, 4, always=False),
    "P": Shape(3, 4, always=False),
    "M": Shape(2, 1, always=False),
}
"""Facts that are counts, by letter; T, D and C say whose they are, V, Q and E stand around them."""
_HEADS = ("T", "D")
"""Statements that print something always."""


@dataclass(frozen=True)
class Row:
    """The numbers of one fact, and its line."""

    line: int
    values: tuple[Decimal | None, ...]


@dataclass
class Table:
    """What one statement printed, by instance and words."""

    of: int = 0
    seen: dict[int, SpoolFact] = field(default_factory=dict[int, SpoolFact])
    rows: dict[tuple[int, Key], Row] = field(default_factory=dict[tuple[int, Key], Row])

    @property
    def is_whole(self) -> bool:
        """Whether all its lines were read."""
        return 0 < self.of == len(self.rows)

    @cached_property
    def compared(self) -> dict[tuple[int, Key], Row]:
        """Rows by names as they are compared, once all are there."""
        return {(instance, squeezed(key)): row for (instance, key), row in self.rows.items()}


def squeezed(key: Key) -> Key:
    """A name without spaces, of which one may be lost where a line was wrapped."""
    return tuple(word.replace(" ", "") for word in key)


@dataclass(frozen=True)
class Instance:
    """One instance at the moment of a snapshot."""

    name: str
    host: str
    release: str
    is_clustered: bool
    started_at: datetime
    taken_at: datetime
    """With its zone."""


@dataclass(frozen=True)
class Database:
    """Whose instances they are."""

    db_id: int
    name: str
    platform: str
    is_container: bool
    block_bytes: int | None


@dataclass
class Snapshot:
    """One moment. `line` is where it begins."""

    line: int
    letters: str = ""
    """Of the statements that were to run."""
    decimal: str = "."
    is_ended: bool = False
    database: Database | None = None
    instances: dict[int, Instance] = field(default_factory=dict[int, Instance])
    containers: dict[str, str] = field(default_factory=dict[str, str])
    here: str | None = None
    """The container that the session was in."""
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    problems: list[ReportProblem] = field(default_factory=list[ReportProblem])
    views: dict[str, str] = field(default_factory=dict[str, str])
    """What each statement read, by letter."""
    is_past: bool = False
    """Whether AWR took it, and it comes from its history."""

    def forget_lines(self) -> None:
        """Drops what is only needed while its lines come: most of the memory."""
        for table in self.tables.values():
            table.seen = {}

    def table(self, letter: str) -> Table:
        """What a statement printed; nothing where it did not."""
        return self.tables.get(letter, Table())

    def view(self, letter: str) -> str:
        """For messages."""
        return self.views.get(letter, f"lines :{letter}|")


@dataclass
class Spool:
    """A file, read. `problems` are those that are of no snapshot."""

    snapshots: list[Snapshot] = field(default_factory=list[Snapshot])
    problems: list[ReportProblem] = field(default_factory=list[ReportProblem])


def read_spool(text: str) -> Spool:
    """All snapshots of a spool's text. Whatever it is, there is an answer."""
    reading = _Reading()
    for one in facts_of(text):
        reading.take(one)
    reading.finish(text.count("\n") + 1)
    return reading.spool


class _Reading:
    """Takes one fact after the other."""

    def __init__(self) -> None:
        self.spool = Spool()
        self._open: Snapshot | None = None
        self._pending: list[ReportProblem] = []
        self._past: dict[int, Snapshot] | None = None
        """Snapshots of AWR by their ids, while its history is read."""
        self._letter = ""
        self._count = 0

    def take(self, one: SpoolFact | ReportProblem) -> None:
        if isinstance(one, ReportProblem):
            self._tell(self._named(one))
            return
        try:
            self._take(one)
        except ValueError as error:
            message = f"a line of type {one.letter} cannot be read: {error}"
            self._tell(ReportProblem(code=DAMAGED, line=one.line, message=message))

    def finish(self, line: int) -> None:
        """The end of the file. A problem behind the last snapshot is one of the file."""
        self._close(line)
        self.spool.problems += self._pending

    def _take(self, fact: SpoolFact) -> None:
        if fact.letter == "V":
            self._begin(fact)
        elif self._open is None:
            raise ValueError("it stands outside of a snapshot")
        elif fact.letter == "Q":
            letter, view = _of_length(fact.values, 2)
            self._letter = letter
            self._open.views[letter] = view
        elif fact.letter == "E":
            self._open.is_ended = True
            self._close(fact.line)
        elif self._past is None:
            _take_numbered(self._open, fact)
        else:
            self._take_past(self._past, fact)

    def _take_past(self, past: dict[int, Snapshot], fact: SpoolFact) -> None:
        """A fact of AWR's history is that of a moment, behind the id of its snapshot."""
        if not fact.letter.islower() or not fact.values:
            raise ValueError("its letter is none of AWR's history")
        snap_id = whole_number(fact.values[0])
        if snap_id not in past:
            if len(self.spool.snapshots) + len(past) >= SPOOL_SNAPSHOTS_MAX:
                raise ValueError(f"it begins snapshot {SPOOL_SNAPSHOTS_MAX + 1:,}, and no more are read")
            past[snap_id] = self._past_snapshot(fact.line)
        _take_numbered(past[snap_id], SpoolFact(fact.letter.upper(), fact.values[1:], fact.line))

    def _past_snapshot(self, line: int) -> Snapshot:
        """Of the database whose own moment stands before."""
        before = next((one for one in reversed(self.spool.snapshots) if not one.is_past), None)
        known = Snapshot(line) if before is None else before
        return Snapshot(
            line,
            decimal=known.decimal,
            database=known.database,
            containers=known.containers,
            here=known.here,
            is_past=True,
        )

    def _begin(self, fact: SpoolFact) -> None:
        self._close(fact.line)
        name, version, letters = _of_length(fact.values, 3)
        if name not in (MOMENT, HISTORY) or version != VERSION:
            message = (
                f"this snapshot is of version {version[:20]} of the collector, and version {VERSION} is read"
            )
            self._tell(ReportProblem(code="collector-version", line=fact.line, message=message, hint=_AGAIN))
            return
        if len(self.spool.snapshots) >= SPOOL_SNAPSHOTS_MAX:
            raise ValueError(f"it begins snapshot {SPOOL_SNAPSHOTS_MAX + 1:,}, and no more are read")
        self._open = Snapshot(fact.line, letters, problems=self._pending)
        self._past = {} if name == HISTORY else None
        self._pending = []
        self._letter = ""

    def _close(self, line: int) -> None:
        if self._open is None:
            return
        if self._past is None:
            self.spool.snapshots.append(self._open)
            self._open.forget_lines()
            for problem in _missing(self._open, line):
                self._tell(problem)
            self._open = None
        else:
            self._close_past(self._open, self._past, line)

    def _close_past(self, block: Snapshot, past: dict[int, Snapshot], line: int) -> None:
        """What is wrong with the block is so with each of its snapshots."""
        views = {letter.upper(): view for letter, view in block.views.items()}
        for one in past.values():
            one.letters, one.views, one.is_ended = block.letters.upper(), views, block.is_ended
            one.problems += block.problems
            self._open = one
            one.forget_lines()
            for problem in _missing(one, line):
                self._tell(problem)
        self.spool.snapshots += past.values()
        self._open = self._past = None
        if not past:
            self._pending += block.problems

    def _named(self, problem: ReportProblem) -> ReportProblem:
        if self._open is None or problem.code != "collector-refused" or not self._letter:
            return problem
        view = self._open.view(self._letter)
        return problem.model_copy(update={"section": view, "message": f"{view}: {problem.message}"})

    def _tell(self, problem: ReportProblem) -> None:
        self._count += 1
        if self._count > SPOOL_PROBLEMS_MAX:
            return
        if self._count == SPOOL_PROBLEMS_MAX:
            problem = ReportProblem(
                code="problems-many",
                line=problem.line,
                message="more problems follow, and are not told one by one",
            )
        (self._pending if self._open is None else self._open.problems).append(problem)


def _of_length(values: Sequence[str], count: int) -> Sequence[str]:
    if len(values) != count:
        raise ValueError(f"it has {len(values)} values, and should have {count}")
    return values


def _take_numbered(snapshot: Snapshot, fact: SpoolFact) -> None:
    """A fact of one of the statements, with its number."""
    if len(fact.values) < _NUMBERED:
        raise ValueError(f"it has {len(fact.values)} values, and no number of its own")
    instance, place, of = map(whole_number, fact.values[:_NUMBERED])
    shape, head = SHAPES.get(fact.letter), _TAKERS.get(fact.letter)
    if shape is None and head is None:
        raise ValueError("its letter is none that is known")
    table = snapshot.tables.setdefault(fact.letter, Table(of))
    if not 1 <= place <= of or of != table.of:
        raise ValueError(f"it says that it is line {place} of {of}, and others are of {table.of}")
    before = table.seen.get(place)
    if before is not None:
        _check_twice(table, before, fact)
        return
    rest = fact.values[_NUMBERED:]
    if head is not None:
        head(snapshot, instance, rest)
        key, row = fact.values, Row(fact.line, ())
    else:
        assert shape is not None, "one of the two is known"
        rest = _of_length(rest, shape.keys + shape.numbers)
        key = tuple(rest[: shape.keys])
        row = Row(fact.line, tuple(number(text, snapshot.decimal) for text in rest[shape.keys :]))
    if (instance, key) in table.rows:
        raise ValueError(f"'{'|'.join(key)[:80]}' stands there twice")
    table.seen[place] = fact
    table.rows[instance, key] = row


def _check_twice(table: Table, before: SpoolFact, fact: SpoolFact) -> None:
    if before.values == fact.values:
        return
    table.rows = {key: row for key, row in table.rows.items() if row.line != before.line}
    raise ValueError(
        f"it says something else than line {before.line}, which has the same number; neither is used"
    )


def _take_instance(snapshot: Snapshot, number_: int, values: Sequence[str]) -> None:
    name, host, release, parallel, started, taken = _of_length(values, 6)
    moment = datetime.fromisoformat(taken)
    if moment.tzinfo is None:
        raise ValueError(f"'{taken[:40]}' has no time zone")
    begin = datetime.fromisoformat(started)
    if begin.tzinfo is not None:
        raise ValueError(f"'{started[:40]}' has a time zone")
    snapshot.instances[number_] = Instance(name, host, release, parallel == "YES", begin, moment)


def _take_database(snapshot: Snapshot, _: int, values: Sequence[str]) -> None:
    db_id, name, platform, cdb, block_bytes, fraction = _of_length(values, 6)
    if fraction not in ("1.5", "1,5"):
        raise ValueError(f"a half more than one is written '{fraction[:20]}'")
    known = whole_number(block_bytes) if block_bytes else None
    snapshot.database = Database(whole_number(db_id), name, platform, cdb == "YES", known)
    snapshot.decimal = fraction[1]


def _take_container(snapshot: Snapshot, _: int, values: Sequence[str]) -> None:
    con_id, name, here = _of_length(values, 3)
    snapshot.containers[con_id] = name
    if here == "here":
        snapshot.here = name


_TAKERS: dict[str, Callable[[Snapshot, int, Sequence[str]], None]] = {
    "T": _take_instance,
    "D": _take_database,
    "C": _take_container,
}


def _missing(snapshot: Snapshot, line: int) -> Iterator[ReportProblem]:
    """What a snapshot should hold and does not. `line` is where it ends."""
    if not snapshot.is_ended:
        message = "the spool is cut off here: the end of a snapshot is missing"
        yield ReportProblem(code=CUT, line=line, message=message)
    for letter in snapshot.letters:
        view, table = snapshot.view(letter), snapshot.tables.get(letter)
        if table is None:
            shape = SHAPES.get(letter)
            always = letter in _HEADS or (shape is not None and shape.always)
            if letter not in snapshot.views or always:
                message = f"{view}: nothing of it is there"
                yield ReportProblem(code="collector-lines-missing", line=line, section=view, message=message)
        elif not table.is_whole:
            message = f"{view}: {table.of - len(table.rows):,} of {table.of:,} lines are missing or damaged"
            yield ReportProblem(code="collector-lines-missing", line=line, section=view, message=message)
