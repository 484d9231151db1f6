"""`plimsoll host slice verify`: slices of this host held against the plan that was applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from plimsoll.base.errors import UsageError
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
        applied = journal.read()
        if applied is None:
            hint = (
                "Apply a plan with `plimsoll host slice apply`, or name the journal's folder with --journal."
            )
            raise UsageError(
                "slices-none-applied", f"no slices are applied: there is no {journal.path}", hint
            )
        layout = layout_of(applied.plan)
        found = check_slices(applied, layout, _waiting(ctx, asked.watched_s), asked.watched_s)
        if asked.caps_s is not None:
            tried = try_caps(ctx, layout, applied.hierarchy, asked.caps_s)
            found = with_findings(found.but(caps=tuple(tried.caps)), tried.findings)
    run = record(ctx, "host", "slices of this host", started_at, slice_checks=found)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _waiting(ctx: Context, watched_s: float) -> Callable[[], bool]:
    """Lets time pass between looks; says no when it is over, or somebody wants it to end."""
    end_s = ctx.clock.monotonic_s() + watched_s

    def wait() -> bool:
        left_s = end_s - ctx.clock.monotonic_s()
        if left_s <= 0 or ctx.cancel.is_set:
            return False
        ctx.clock.sleep(min(_EACH_S, left_s))
        return True

    return wait
