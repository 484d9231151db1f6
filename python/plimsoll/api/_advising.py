"""Advice on what databases wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.base.until_safe import UntilSafe
from plimsoll.context import Context
from plimsoll.facts import Advice, Finding, IntervalVerdict, Report
from plimsoll.requests.advise import AdviseRequest

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, repr=False)
class Advisory(Result):
    """What databases waited for, what stands behind it, and whether faster storage would help."""

    advice: Advice
    unread: tuple[Report, ...] = ()
    """Reports that could not be read; `problems` says why."""

    _columns: ClassVar[tuple[str, ...]] = (
        "file",
        "severity",
        "title",
        "db_time_s",
        "storage_saves_s",
        "reason",
    )

    @property
    def verdicts(self) -> Sequence[IntervalVerdict]:
        """One for each interval; of more than 500 each is made when it is asked for."""
        return self.advice.verdicts

    @property
    def findings(self) -> Sequence[Finding]:
        """Those that cost most DB time first; hints after findings. Of more than 500 intervals each is made when asked for."""
        return self.advice.findings

    def frame(self, of: Literal["findings", "verdicts"] = "findings") -> polars.DataFrame:
        """A row per finding, or per interval."""
        return frame_of(self.findings if of == "findings" else self.verdicts)

    def _parts(self) -> Sequence[Finding]:
        return self.findings


@asks(AdviseRequest)
def advise(ctx: Context, asked: AdviseRequest) -> Advisory:
    """What databases wait for by their reports, or by watching one, and whether faster storage would help, as `plimsoll advise`.

    Example:
        found = plimsoll.advise("awr/", read_latency="150us")
        found.verdicts[0].verdict, found.verdicts[0].reason
        found.frame()  # a row per finding
    """
    from plimsoll.flows.advise import advise_on, keep_advice
    from plimsoll.flows.report import write_report

    with UntilSafe() as until:
        found = advise_on(ctx, asked, until=until)
        run = keep_advice(ctx, found)
        if asked.out is not None and found.advice.verdicts:
            write_report(run, Path(asked.out))
        until.look_at(run.notes)
    return Advisory(run, found.advice, found.unread)
