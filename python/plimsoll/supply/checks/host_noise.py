"""Whether others had the CPUs: stolen time, waiting for a CPU, and what other programs used meanwhile."""

from __future__ import annotations

from plimsoll.base.limits import OTHERS_PROCESSORS_MAX, STEAL_PROCESSORS_MAX, WAITING_SHARE_MAX
from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check, Target
from plimsoll.native.engine import blocks
from plimsoll.supply.checks._cells import engines, is_virtual
from plimsoll.supply.checks._kind import Passive
from plimsoll.supply.readings import others_processors

_NAME = "host_noise"


def _judge(cell: Cell, target: Target) -> Check | None:
    """Waiting counts only while others use CPUs: our own kernel work also makes our threads wait."""
    if is_virtual(cell) or cell.host is None or cell.runtime_s <= 0:
        return None
    stolen, others = cell.host.steal_s / cell.runtime_s, others_processors(cell)
    waited = _waited(cell)
    figures = {"steal_processors": stolen, "others_processors": others}
    if waited is not None:
        figures["processor_wait_share"] = waited
    words = []
    if stolen > STEAL_PROCESSORS_MAX:
        words.append(f"the host of this virtual machine took {stolen:.2f} CPUs away")
    if waited is not None and waited > WAITING_SHARE_MAX and others > OTHERS_PROCESSORS_MAX:
        words.append(
            f"the measuring threads waited for a CPU {format_share(waited)} of the time while other programs had"
            f" {others:.2f} of them"
        )
    quiet = f"other programs had {others:.2f} CPUs, and {stolen:.2f} were stolen"
    reason = "; ".join(words) + ": I/Os may look slower than they are" if words else quiet
    return Check(name=_NAME, passed=not words, reason=reason, figures=figures)


def _waited(cell: Cell) -> float | None:
    """Not known of psync's threads, one for each I/O, which wait for each other."""
    return None if any(map(blocks, engines(cell))) else cell.processor_wait_share


CHECK = Passive(
    title="the machine was quiet",
    help="Looks at time stolen by the virtual machine's host, at the time that the measuring threads waited for a CPU, and at"
    " other programs' CPU time. Noise makes storage look slower, never faster, and is over tomorrow: it only warns.",
    judge=_judge,
)
