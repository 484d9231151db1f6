"""The verb `trend`: where the load of databases goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.trend import TrendRequest


task = "judge"


@asks("trend.TrendRequest")
def command(asked: TrendRequest, place: Place) -> int:
    """Say where the load goes, and when it reaches a limit.

    Of weeks of reports, of stored demands, or of series in CSV files: growth, season by hour and weekday, lasting steps, hours
    unlike themselves, and the days until a limit with their interval. Of too little, or of what follows no rule, nothing is
    foretold.
    """
    from plimsoll.cli import output
    from plimsoll.cli.results.report import unread
    from plimsoll.cli.session import session
    from plimsoll.flows.trend import trend_of

    with session(place) as here:
        found = trend_of(here.ctx, asked, here.until)
        here.end_progress()
        for error in unread(found.unread):
            output.fail(error)
        return here.finish_run(found.run)
