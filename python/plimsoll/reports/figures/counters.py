"""Rates of what a report counts, from whichever of its printed figures says them most exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from plimsoll.reports.figures.evidence import Evidence, Row, plain
from plimsoll.reports.figures.quantity import Quantity, ratio

Op = Literal["read", "write"]
OPS: tuple[Op, Op] = ("read", "write")
MIB = float(1 << 20)

_ELAPSED_SLACK_S = 0.3
"""Reports print elapsed time in minutes with two decimals."""
_CLUSTER_ROWS = ("*", "Sum")
"""How reports over several instances mark a row for all of them."""


@dataclass(frozen=True)
class Counters:
    """One report's figures as rates. Without `elapsed_s` only what is printed per second is known."""

    evidence: Evidence
    elapsed_s: float | None
    clustered: bool = False
    """Whether it is about several instances, whose elapsed times differ: totals are then not divided."""

    def activity(self, statistic: str) -> Quantity | None:
        """A statistic of the instance per second."""
        printed = self.evidence.find("instance_activity", "statistic", statistic, "per_s")
        divided = self.per_second(self.activity_total(statistic))
        return _tighter(divided, printed)

    def activity_total(self, statistic: str) -> Quantity | None:
        """A statistic of the instance in the whole interval."""
        return self.evidence.find("instance_activity", "statistic", statistic, "total", exact=True)

    def per_second(self, total: Quantity | None) -> Quantity | None:
        """A total over the elapsed time."""
        if total is None or not self.elapsed_s or self.clustered:
            return None
        value = total.value / self.elapsed_s
        slack = total.slack / self.elapsed_s + value * _ELAPSED_SLACK_S / self.elapsed_s
        return Quantity(
            value, slack, total.source, total.cells, f"{total.how} ÷ {self.elapsed_s:,.1f} s elapsed"
        )

    def io_profile(self, label: str, op: Op) -> Quantity | None:
        """A line of the IO Profile: requests or blocks per second, or MiB per second where the label says MB."""
        found = self.evidence.find("io_profile", "statistic", label, f"{op}_per_s")
        if found is None or "(MB)" not in label:
            return found
        return found.times(MIB, "as printed, in units of 1024 × 1024 bytes")

    def load(self, *labels: str) -> Quantity | None:
        """The first line of the Load Profile that has one of these labels, per second."""
        found = (self.evidence.find("load_profile", "statistic", label, "per_second") for label in labels)
        return next((known for known in found if known is not None), None)

    def iostat(self, view: str, name: str, column: str) -> Quantity | None:
        """A column of IOStat for a function or file type, over all instances that the report is about."""
        for row in self.evidence.labelled(view, _NAMES[view], name):
            if not self.clustered or row.get("aggregate") in _CLUSTER_ROWS:
                found = self.evidence.number(view, row, column)
                if found is not None:
                    return found
        return None

    def iostat_rows(self, view: str) -> Sequence[Row]:
        """Rows of single functions or file types, over all instances."""
        rows = self.evidence.rows(view)
        if self.clustered:
            rows = tuple(row for row in rows if row.get("aggregate") in _CLUSTER_ROWS)
        return [row for row in rows if plain(row[_NAMES[view]] or "") not in ("", "total")]

    def wait_us(self, view: str, event: str) -> Quantity | None:
        """The average wait for an event; None where it was not waited for, or the print rounds it to nothing."""
        average = self.evidence.find(view, "event", event, "avg_wait_us")
        waits = self.evidence.find(view, "event", event, "waits")
        total_s = self.evidence.find(view, "event", event, "total_wait_s")
        divided = None
        if waits is not None and total_s is not None:
            quotient = ratio(total_s, waits, "time ÷ waits")
            divided = None if quotient is None else quotient.times(1e6, quotient.how)
        found = _tighter(average, divided)
        return found if found is not None and found.value else None

    def instance_redo(self, number: int) -> Quantity | None:
        """Bytes of redo per second that one instance of a cluster made."""
        for row in self.evidence.labelled("rac_system_statistics", "statistic", "Redo Size (k)"):
            if row["instance_number"] == number:
                found = self.evidence.number("rac_system_statistics", row, "per_s")
                if found is not None:
                    return found.times(1024.0, "as printed, in units of 1024 bytes")
        return None

    def instances(self) -> Iterator[tuple[int, Row]]:
        """Each instance's row for all functions together, in reports over several."""
        if self.clustered:
            for row in self.evidence.labelled("iostat_by_function", "function", "total"):
                if row["instance_number"] is not None:
                    yield int(row["instance_number"]), row


_NAMES = {"iostat_by_function": "function", "iostat_by_filetype": "filetype"}


def _tighter(one: Quantity | None, other: Quantity | None) -> Quantity | None:
    """Of two prints of the same thing, the more exact one."""
    if one is None or other is None:
        return one if other is None else other
    return one if one.looseness <= other.looseness else other
