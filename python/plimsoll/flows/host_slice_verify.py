"""`plimsoll host slice verify`: slices of this host held against the plan that was applied."""

from __future__ import annotations

from pathlib import Path

from plimsoll.context import Context
from plimsoll.facts import Run
from plimsoll.flows.host_slice_caps import try_caps
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.flows.watched_time import WatchedTime
from plimsoll.placement.slices.applying.checking import check_slices, with_findings
from plimsoll.placement.slices.applying.journal import Journal
from plimsoll.placement.slices.layout import layout_of
from plimsoll.requests.host_slice_apply import HostSliceVerifyRequest


def verify_slices(ctx: Context, asked: HostSliceVerifyRequest) -> Run:
    """Looks, stores and returns the run. Raises UsageError `slices-none-applied`, and what the journal and `write_report` raise."""
    started_at = ctx.clock.now()
    journal = Journal(Path(asked.journal))
    with journal.locked():
        applied = journal.applied()
        layout = layout_of(applied.plan)
        found = check_slices(applied, layout, WatchedTime(ctx, asked.watched_s))
        if asked.caps_s is not None:
            tried = try_caps(ctx, layout, applied.hierarchy, asked.caps_s)
            found = with_findings(found.but(caps=tuple(tried.caps)), tried.findings)
    run = record(
        ctx, "host", "slices of this host", started_at, interrupted=ctx.cancel.is_set, slice_checks=found
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run
