"""`plimsoll host slice verify`: slices of this host held against the plan that was applied."""

from __future__ import annotations

from pathlib import Path

from plimsoll.context import Context
from plimsoll.facts import Run
from plimsoll.flows.host_slice_caps import try_caps
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.placement.slices.applying.checking import check_slices, with_findings
from plimsoll.placement.slices.applying.journal import Journal
from plimsoll.placement.slices.layout import layout_of
from plimsoll.requests.host_slice_apply import HostSliceVerifyRequest

_EACH_S = 0.05
"""Between two looks at all threads: a short time in one place is then seen, and looking takes little."""


def verify_slices(ctx: Context, asked: HostSliceVerifyRequest) -> Run:
    """Looks, stores and returns the run. Raises UsageError `slices-none-applied`, and what the journal and `write_report` raise."""
    started_at = ctx.clock.now()
    journal = Journal(Path(asked.journal))
    with journal.locked():
        applied = journal.applied()
        layout = layout_of(applied.plan)
        found = check_slices(applied, layout, _Watch(ctx, asked.watched_s))
        if asked.caps_s is not None:
            tried = try_caps(ctx, layout, applied.hierarchy, asked.caps_s)
            found = with_findings(found.but(caps=tuple(tried.caps)), tried.findings)
    run = record(
        ctx, "host", "slices of this host", started_at, interrupted=ctx.cancel.is_set, slice_checks=found
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


class _Watch:
    """Lets time pass between looks; says no when it is over, or somebody wants it to end."""

    def __init__(self, ctx: Context, asked_s: float) -> None:
        self._ctx = ctx
        self._start_s = ctx.clock.monotonic_s()
        self._asked_s = asked_s

    @property
    def watched_s(self) -> float:
        """For how long it was, and no longer than was asked for."""
        return min(self._asked_s, self._ctx.clock.monotonic_s() - self._start_s)

    @property
    def is_cut(self) -> bool:
        """Whether somebody wants it to end."""
        return self._ctx.cancel.is_set

    def wait(self) -> bool:
        """Until the next look."""
        left_s = self._asked_s - self.watched_s
        if left_s <= 0 or self.is_cut:
            return False
        self._ctx.clock.sleep(min(_EACH_S, left_s))
        return True
