"""Truth checks: whether a measured number is the storage's, and valid. Each gives one verdict on one cell.

One check, one file: `host_noise.py` is the check `host-noise`, and its verdict is named `host_noise`. A passive check looks at
the finished cell and its target and costs nothing, so all of them are always made. An active one measures a little more.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import cast

from plimsoll.base import registry
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Active, Look, Passive, Probe

__all__ = [
    "Active",
    "Look",
    "Passive",
    "Probe",
    "active_checks",
    "deciding",
    "is_always_made",
    "joined",
    "load",
    "names",
    "passive_checks",
    "with_checks",
]


def names() -> list[str]:
    """The checks' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Passive | Active:
    """The check called `name`. Raises UsageError `check-unknown`."""
    return cast(Passive | Active, registry.load(sys.modules[__name__], name, "CHECK"))


def passive_checks(cell: Cell, target: Target) -> tuple[Check, ...]:
    """The verdicts of all passive checks that apply to this cell."""
    entries = map(load, names())
    found = (entry.judge(cell, target) for entry in entries if isinstance(entry, Passive))
    return tuple(check for check in found if check is not None)


def with_checks(cell: Cell, target: Target, further: Sequence[Check] = ()) -> Cell:
    """The cell with the verdicts of all passive checks, and `further` ones behind them, which settle what those leave open."""
    answered = {check.name for check in further if check.passed is not None}
    kept = [
        check
        for check in passive_checks(cell, target)
        if check.passed is not None or _entry(check.name).settled_by not in answered
    ]
    return cell.model_copy(update={"checks": (*kept, *further)})


def joined(targets: Sequence[Target]) -> Target:
    """Several targets of one cell as checks see them: the whole span, and no device, because no single wire is between."""
    if len(targets) == 1:
        return targets[0]
    whole = sum(target.span_bytes for target in targets)
    return targets[0].model_copy(update={"span_bytes": whole, "device": None})


def active_checks(wanted: Iterable[str], probe: Probe) -> tuple[Check, ...]:
    """The verdicts of these active checks, which measure through `probe`."""
    entries = map(load, wanted)
    found = (entry.judge(probe) for entry in entries if isinstance(entry, Active))
    return tuple(check for check in found if check is not None)


def deciding(checks: Iterable[Check]) -> tuple[Check, ...]:
    """The failed ones that make the answer a no: the number is not valid. Others that failed only warn."""
    return tuple(check for check in checks if check.passed is False and _decides(check))


def is_always_made(verdict: str) -> bool:
    """Whether the verdict is a passive check's, which nobody has to ask for."""
    name = verdict.replace("_", "-")
    return name in names() and isinstance(load(name), Passive)


def _entry(verdict: str) -> Passive:
    return cast(Passive, load(verdict.replace("_", "-")))


def _decides(check: Check) -> bool:
    name = check.name.replace("_", "-")
    if name not in names():
        return True
    entry = load(name)
    decided = entry.decides_where if isinstance(entry, Passive) else None
    return entry.decides or (decided is not None and decided(check))
