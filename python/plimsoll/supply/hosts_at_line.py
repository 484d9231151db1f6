"""What each of several hosts did at the line, and whether one of them is the reason why it is not higher.

All hosts get an equal part of the rate, and the objective has to hold on each. A line of equal hosts is therefore that of all
of them; beside a slow one the others could do more, which is to be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Self

from plimsoll.base.units import format_us
from plimsoll.facts import LatencyUs, Line, LineHost, Note, Slo, Trial
from plimsoll.native.latency import latency, quantile_us
from plimsoll.supply.trials import late_ratio, point_of

_LATE_MORE, _TAIL_LONGER = 3.0, 1.5
"""Times as many late I/Os as the others, in the median, and so much longer a tail: more than chance makes of equal hosts."""
_NEAR = 1.5
"""Times the line: far above it every host misses."""
_MISSED_MIN = 2


@dataclass(frozen=True)
class _Share:
    """What one host did in some trials."""

    host: str
    iops: float | None
    latency_us: LatencyUs | None
    late_ratio: float
    """Its I/Os beyond the limit over as many as may be, of the objective that is worst."""

    @classmethod
    def of(cls, trials: Sequence[Trial], slo: Slo, host: str) -> Self:
        parts = [part for trial in trials for part in trial.cell.hosts if part.name == host]
        hdrs = [part.latency_us.hdr for part in parts if part.latency_us.hdr is not None]
        seconds = sum(part.runtime_s for part in parts)
        own = [objective for objective in slo.objectives if objective.host == host]
        points = [[point_of(trial, objective) for trial in trials] for objective in own]
        return cls(
            host,
            sum(part.ios for part in parts) / seconds if seconds else None,
            latency(hdrs) if hdrs else None,
            max(map(late_ratio, points), default=0.0),
        )


def with_hosts(line: Line, slo: Slo, hosts: Sequence[LineHost]) -> Line:
    """The line with its hosts, and what each did in the trials at it. `slo` is that of each host."""
    trials = trials_at(line)
    if not trials:
        return line.but(hosts=tuple(hosts))
    shares = {host.name: _Share.of(trials, slo, host.name) for host in hosts}
    return line.but(hosts=tuple(_told(host, shares[host.name]) for host in hosts))


def _told(host: LineHost, share: _Share) -> LineHost:
    return host.but(iops=share.iops, latency_us=share.latency_us, late_ratio=share.late_ratio)


def trials_at(line: Line) -> list[Trial]:
    """The valid trials at the rate that is nearest to the line; none without a line."""
    wanted = line.line_iops
    valid = [trial for trial in line.trials if trial.held is not None]
    if wanted is None or not valid:
        return []
    rate = min((trial.rate for trial in valid), key=lambda one: abs(one - wanted))
    return [trial for trial in valid if trial.rate == rate]


def with_slow_host(line: Line, slo: Slo) -> Line:
    """The line with the host that is clearly slower than the others where it was missed. Named it is only then, as of equal hosts
    any may be the first that misses. `slo` is that of each host."""
    missed = _missed_near(line)
    shares = [_Share.of(missed, slo, host.name) for host in line.hosts]
    slow = _slow(shares, slo.quantile_max) if len(missed) >= _MISSED_MIN else None
    if slow is None:
        return line.but(limiting_host=None)
    others = [share for share in shares if share is not slow]
    note = _note(slo.quantile_max, slow, others)
    return line.but(limiting_host=slow.host, notes=(*line.notes, note))


def _missed_near(line: Line) -> list[Trial]:
    """Trials that missed not far above the line; where nothing ever held, all that missed."""
    rate_max = inf if line.line_iops is None else _NEAR * line.line_iops
    return [trial for trial in line.trials if trial.held is False and trial.rate <= rate_max]


def _slow(shares: Sequence[_Share], quantile: float) -> _Share | None:
    if len(shares) < 2:
        return None
    worst = max(shares, key=lambda share: share.late_ratio)
    others = [share for share in shares if share is not worst]
    is_late = worst.late_ratio > _LATE_MORE * median(share.late_ratio for share in others)
    own, theirs = _tail_us([worst], quantile), _tail_us(others, quantile)
    is_slow = own is not None and theirs is not None and own > _TAIL_LONGER * theirs
    return worst if is_late and is_slow else None


def _tail_us(shares: Sequence[_Share], quantile: float) -> float | None:
    """That quantile in the median of these hosts; of too few I/Os for it their longest."""
    spreads = [share.latency_us for share in shares if share.latency_us is not None]
    tails = [quantile_us(spread, quantile) or spread.max for spread in spreads]
    known = [tail for tail in tails if tail is not None]
    return median(known) if known else None


def _note(quantile: float, slow: _Share, others: Sequence[_Share]) -> Note:
    own, theirs = format_us(_tail_us([slow], quantile)), format_us(_tail_us(others, quantile))
    message = (
        f"{slow.host} is slower than the other hosts, and limits the line, as each gets an equal part of the rate: in the trials"
        f" that missed near the line its p{quantile * 100:.6g} was {own}, that of the others {theirs}"
    )
    return Note(code="slow-host", message=message)
