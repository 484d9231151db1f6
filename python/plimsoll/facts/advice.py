"""Advice: what a database waited for in an interval, what stands behind it, and whether faster storage would help.

Seconds are seconds of DB time, the time that sessions spent in calls to the database, all together.
"""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Many, Note, Several, Text

AdviceAnswer = Literal[
    "idle",
    "cpu-bound",
    "storage-bound",
    "commit-bound",
    "configuration-bound",
    "contention-bound",
    "cannot tell",
]
StorageHelps = Literal["yes", "a little", "no", "unknown"]
Severity = Literal["finding", "hint"]


_IN_PART = ("report-unread", "report-partial", "files-unreached", "nothing-read")
"""Codes of notes on what was named and could not be advised on, or not on all of it."""


class EvidenceCell(Fact):
    """A place of a report, or of a server's views, and what stands there."""

    file: Text
    """The report; of a server, its location."""
    section: Text
    """The title of the table, or the name of the view."""
    row: Text
    """The row's label."""
    heading: str
    """The column's."""
    line: int | None = None
    """Where it stands in the file, counted from 1; None where it is no file."""
    value: Text
    """Its text, as printed."""


class DbTimePart(Fact):
    """A share of the DB time of an interval, by what was waited for."""

    part: str
    """`cpu`, `single-block reads`, `commits` and so on; `not accounted for` is what is left."""
    db_time_s: float
    """Seconds of DB time."""
    share: float
    """Of the DB time of the interval, 0 to 1."""


class StorageWhatIf(Fact):
    """What other storage would take off the DB time, computed from waits and latencies."""

    name: str
    """What would be done."""
    read_latency_us: float | None = None
    """Latency of a single-block read then, in microseconds."""
    log_latency_us: float | None = None
    """Latency of a log write then, in microseconds."""
    saves_s: float
    """Seconds of DB time that would vanish."""
    saves_s_max: float
    """The same where a commit waits for two log writes, not for one."""
    saves_share: float
    """`saves_s` as a share of DB time, 0 to 1."""
    capped_by: Text | None = None
    """What kept it from being more."""
    source: Text
    """Where its latencies are from."""


class Finding(Fact):
    """What a rule found in one interval, with the cells that it stands on."""

    file: Text
    """The report of the interval; of a server, its location."""
    rule: str
    """The rule, by the name of its page in the manual."""
    title: str
    family: str
    """Findings of a family are about the same resource."""
    severity: Severity
    """A hint is worth a look, and no more: a ratio, or something that other cells speak against."""
    db_time_s: float | None
    """Seconds of DB time that it stands for; None where that cannot be computed."""
    db_time_share: float | None
    """The same as a share of DB time, 0 to 1."""
    storage_saves_s: float | None = None
    """Of these, what the faster storage of `what_if` would save; None where storage is not the matter, or it cannot be computed."""
    events: Several[str] = ()
    """The waits whose seconds it stands for. Findings of the same waits are counted once."""
    reason: Text
    advice: Text
    """What to do."""
    disproof: Text
    """What would show it to be wrong."""
    against: Several[Text] = ()
    """What speaks against it in the same interval."""
    evidence: Several[EvidenceCell]
    """The cells that it stands on."""


class IntervalVerdict(Fact):
    """What one interval amounts to."""

    file: Text
    """The report; of a server, its location."""
    system: Literal["oracle", "postgresql", "mariadb"] = "oracle"
    """Which kind of database."""
    db_name: str | None = None
    db_id: int | None = None
    """The database's number; many databases are called ORCL."""
    instance: str | None = None
    begin_time: str | None = None
    end_time: str | None = None
    elapsed_s: float | None = None
    db_time_s: float | None = None
    verdict: AdviceAnswer
    """What bounds the database."""
    cause: str | None = None
    """Which reads, or which of the causes of slow commits; None where the verdict says all."""
    reason: Text
    faster_storage_helps: StorageHelps
    """Whether faster storage would take time off."""
    what_if: Several[StorageWhatIf] = ()
    """Other storage, or a larger cache, side by side."""
    parts: Several[DbTimePart] = ()
    """Where the DB time went, most first."""
    evidence: Several[EvidenceCell] = ()
    """The cells of the reason."""


class StatementChange(Fact):
    """A statement that both of two intervals print among those that took longest."""

    statement: str
    """Its id."""
    before_s: float
    """Seconds that it took in the earlier interval."""
    after_s: float
    """Seconds in the later one."""
    plan_before: str | None = None
    """Hash of the plan that samples of the earlier interval met most; None where none is printed."""
    plan_after: str | None = None
    """The same of the later one."""


class Change(Fact):
    """What differs between two intervals of one database."""

    before: Text
    """The earlier report."""
    after: Text
    """The later one."""
    event: str
    """The wait that changed most, in seconds; or `CPU`."""
    before_s: float
    """Seconds in the earlier one."""
    after_s: float
    """Seconds in the later one."""
    reason: Text
    statements: Several[StatementChange] = ()
    """Those that changed most, or run with another plan now."""
    evidence: Several[EvidenceCell]
    """The cells of both."""


class RecurringFinding(Fact):
    """A finding that several intervals of a database have."""

    db_name: str | None
    db_id: int | None = None
    """The database's number."""
    rule: str
    """The rule, by the name of its page in the manual."""
    title: str
    interval_count: int
    """In how many intervals."""
    db_time_s: float
    """Seconds of DB time, all together."""
    worst_file: Text
    """The interval where it cost most."""
    worst_s: float
    """Seconds of DB time there."""


class Advice(Fact):
    """Advice on one or many intervals: the verdicts, then what was found, most DB time first."""

    verdicts: Many[IntervalVerdict]
    """One for each interval."""
    findings: Many[Finding]
    """Of all intervals, those that cost most first; hints after findings."""
    changes: Many[Change] = ()
    """Between intervals of one database that follow each other."""
    recurring: Many[RecurringFinding] = ()
    """Of several intervals of one database, ranked by the DB time lost."""
    notes: Several[Note] = ()

    @property
    def is_in_part(self) -> bool:
        """Whether something that was named has no verdict, or one on a part of it alone."""
        return (
            not self.verdicts
            or any(one.verdict == "cannot tell" for one in self.verdicts)
            or any(note.code in _IN_PART for note in self.notes)
        )
