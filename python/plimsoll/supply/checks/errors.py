"""Whether every I/O was answered: failed ones are faster, or slower, than those that count."""

from __future__ import annotations

from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive


def _judge(cell: Cell, target: Target) -> Check | None:
    figures = {"errors": float(cell.errors)}
    if cell.errors:
        reason = f"{cell.errors:,} I/Os failed beside {cell.ios:,} that did not"
        return Check(name="errors", passed=False, reason=reason, figures=figures)
    if cell.ios == 0 and cell.iops:
        reason = "the storage fell so far behind that no I/O due in the measured time was answered in it"
        return Check(name="errors", passed=False, reason=reason, figures=figures)
    if cell.ios == 0:
        return Check(name="errors", passed=False, reason="no I/O was completed", figures=figures)
    return Check(
        name="errors", passed=True, reason=f"all {cell.ios:,} I/Os were answered in full", figures=figures
    )


CHECK = Passive(
    title="every I/O was answered",
    help="Fails when an I/O failed, was answered in part only, or when none was completed at all; also where that was in another of"
    " several runs, in the rounds of --check steady, or while checks looked, and says in which. A command whose I/Os failed"
    " ends with status 4.",
    judge=_judge,
    decides=True,
)
