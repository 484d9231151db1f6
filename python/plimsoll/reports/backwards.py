"""Whether the time of a report runs backwards, by its moments or by the elapsed time that it prints."""

from __future__ import annotations

from plimsoll.facts import Report
from plimsoll.reports.spool import KIND as COLLECTOR


def backwards(report: Report) -> str | None:
    """What says so; None where nothing does.

    The collector tells the zones of its moments, so that clocks which are set back between them make its intervals no shorter.
    """
    begin, end = report.begin_time, report.end_time
    is_negative = report.elapsed_s is not None and report.elapsed_s < 0.0
    is_told = report.kind != COLLECTOR or is_negative
    if begin is not None and end is not None and end < begin and is_told:
        return f"the interval ends at {end}, before it begins at {begin}"
    if is_negative:
        return f"the report prints an elapsed time of {report.elapsed_s:,.10g} s"
    return None
