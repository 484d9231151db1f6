"""What was asked of a plan in words: which object must lie where, or must not, and which lie together. `*` stands for any
letters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.facts import HitCurve, Tier
from plimsoll.placement.choices import Wishes
from plimsoll.placement.scripts.moves import Dialect
from plimsoll.placement.scripts.oracle import Server

_NEAR_MAX = 2_000
"""Of so many names a near one is looked for."""


@dataclass(frozen=True)
class Terms:
    """Everything that was asked besides the best plan."""

    must: tuple[str, ...] = ()
    """`OBJECT=TIER`."""
    must_not: tuple[str, ...] = ()
    together: tuple[tuple[str, ...], ...] = ()
    """Names of objects that lie on one tier."""
    budget_bytes: int | None = None
    budget_per_month: float | None = None
    gain_s_min: float = 0.0
    hysteresis: float = 0.0
    memory_price_per_tb_month: float | None = None
    hits: HitCurve | None = None
    """What the buffer cache leaves by its size, where that was stated; it comes before the database's own advice."""
    dialect: Dialect | None = None
    """The database, whose statements move objects; None: not known."""
    server: Server = Server()
    """What an Oracle Database is, where it is one."""


def wishes_of(terms: Terms, names: Sequence[str], tiers: Sequence[Tier], clustered: bool) -> Wishes:
    """The terms by places of objects and tiers. Raises UsageError `pin-unreadable`, `pin-unknown`, `pins-contradict`."""
    must: dict[int, int] = {}
    must_not: dict[int, frozenset[int]] = {}
    for word in terms.must:
        objects, tier = _pin(word, names, tiers)
        for one in objects:
            if must.setdefault(one, tier) != tier:
                what = f"{names[one]} must lie on {tiers[must[one]].name} and on {tiers[tier].name}"
                raise UsageError("pins-contradict", what, "Remove one of the pins.")
    for word in terms.must_not:
        objects, tier = _pin(word, names, tiers)
        for one in objects:
            must_not[one] = must_not.get(one, frozenset()) | {tier}
    together = _merged(
        [frozenset(i for name in group for i in _matching(name, names)) for group in terms.together]
    )
    found = Wishes(
        must,
        must_not,
        together,
        terms.budget_bytes,
        terms.budget_per_month,
        terms.gain_s_min,
        terms.hysteresis,
        clustered,
    )
    _check(found, names, tiers)
    return found


def _pin(word: str, names: Sequence[str], tiers: Sequence[Tier]) -> tuple[list[int], int]:
    """Objects and the tier of `OBJECT=TIER`; a name of an object may hold `=`."""
    name, mark, tier = word.rpartition("=")
    if not mark or not name or not tier:
        raise UsageError(
            "pin-unreadable", f"'{word}' is not a pin", "Write OBJECT=TIER, such as SALES.ORDERS=flash."
        )
    known = [one.name for one in tiers]
    if tier not in known:
        hint = f"{did_you_mean(tier, known)}The tiers are {', '.join(known)}."
        raise UsageError("pin-unknown", f"'{word}': there is no tier {tier}", hint)
    return _matching(name, names), known.index(tier)


def _matching(name: str, names: Sequence[str]) -> list[int]:
    mark = re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)
    found = [index for index, one in enumerate(names) if mark.fullmatch(one)]
    if not found:
        near = did_you_mean(name, names) if len(names) <= _NEAR_MAX else ""
        raise UsageError(
            "pin-unknown",
            f"no object is called '{name}'",
            f"{near}Name objects as the inventory does; * stands for any letters.",
        )
    return found


def _merged(groups: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    """Groups that share an object are one."""
    found: list[frozenset[int]] = []
    for group in groups:
        touching = [one for one in found if one & group]
        found = [one for one in found if not one & group]
        found.append(group.union(*touching))
    return tuple(found)


def _check(wishes: Wishes, names: Sequence[str], tiers: Sequence[Tier]) -> None:
    for group in (*wishes.together, *(frozenset((one,)) for one in (*wishes.must, *wishes.must_not))):
        musts = {wishes.must[one] for one in group if one in wishes.must}
        barred = frozenset().union(*(wishes.must_not.get(one, frozenset()) for one in group))
        told = names[min(group)] + (" and what lies together with it" if len(group) > 1 else "")
        if len(musts) > 1:
            where = " and on ".join(tiers[tier].name for tier in sorted(musts))
            raise UsageError("pins-contradict", f"{told} must lie on {where}", "Remove one of the pins.")
        if musts & barred or len(barred) == len(tiers):
            raise UsageError("pins-contradict", f"pins leave no tier for {told}", "Remove one of the pins.")
