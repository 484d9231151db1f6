"""Latency objectives as people write them: `p99=1ms`, or by class `small_read.p99=5ms,redo_write.p99=2ms`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_seconds
from plimsoll.facts import Objective, Slo, Workload

_TERM = re.compile(
    r"(?:(?P<io_class>[a-z][a-z0-9_]*)\.)?p(?P<digits>[0-9]+(?:\.[0-9]+)?)\s*(?:<=|=)\s*(?P<limit>.+)\Z"
)
_BARE = re.compile(r"[0-9.]+\s*")
_HINT = "Write it like p99=1ms, or by class like small_read.p99=5ms,redo_write.p99=2ms."


def parse_slo(text: str) -> Slo:
    """The objectives in `text`. p99 is 0.99, p999 and p99.9 are 0.999. Raises UsageError `slo-unreadable`."""
    terms = [term.strip() for term in text.split(",")]
    return Slo(text=",".join(terms), objectives=tuple(_parse_term(term) for term in terms))


def _parse_term(term: str) -> Objective:
    match = _TERM.match(term)
    if match is None:
        raise UsageError("slo-unreadable", f"cannot read '{term}' as a latency objective", _HINT)
    if _BARE.fullmatch(match["limit"]):
        # A limit of 5 would be five seconds here, and is meant as milliseconds by nearly everybody.
        hint = f"Write {term}ms for milliseconds, or {term}us or {term}s."
        raise UsageError("slo-unreadable", f"the limit in '{term}' has no unit", hint)
    try:
        limit_us = parse_seconds(match["limit"]) * 1e6
    except UsageError as error:
        message = f"in the latency objective '{term}': {error.message}"
        raise UsageError("slo-unreadable", message, _HINT) from error
    if limit_us <= 0:
        raise UsageError("slo-unreadable", f"the limit in '{term}' is not above zero", _HINT)
    return Objective(io_class=match["io_class"], quantile=_quantile(match["digits"], term), limit_us=limit_us)


def _quantile(digits: str, term: str) -> float:
    short = "." not in digits and len(digits) > 2 and digits.startswith("9")
    whole = f"{digits[:2]}.{digits[2:]}" if short else digits
    quantile = round(float(whole) / 100, 9)
    if not 0 < quantile < 1:
        raise UsageError("slo-unreadable", f"'{term}' does not name a quantile between p0 and p100", _HINT)
    return quantile


def check_classes(slo: Slo, workload: Workload) -> None:
    """Raises UsageError `slo-class-unknown` when an objective names a class that the workload has not."""
    known = [io.name for io in workload.classes]
    for objective in slo.objectives:
        if objective.io_class is not None and objective.io_class not in known:
            raise UsageError(
                "slo-class-unknown",
                f"the objective names class '{objective.io_class}', which the workload does not have",
                f"Its classes are: {', '.join(known)}.",
            )


def slo_of(text: str, workload: Workload) -> Slo:
    """The objectives in `text` that are about this workload: those of classes that it has, and those over all I/Os.

    There may be none. Raises UsageError `slo-unreadable`.
    """
    whole, names = parse_slo(text), {io.name for io in workload.classes}
    ours = tuple(one for one in whole.objectives if one.io_class is None or one.io_class in names)
    return whole.model_copy(update={"objectives": ours})


def slo_over(slo: Slo, hosts: Sequence[str]) -> Slo:
    """The same objectives, each of which must hold on every host: one that is slow is not hidden by the others."""
    each = (one.but(host=host) for host in hosts for one in slo.objectives)
    return slo.model_copy(update={"objectives": tuple(each)})
