"""What an order-entry proof is asked to do: how much data, which mix of transactions, how many sessions and for how long.

Cardinalities, mix and times are those of the TPC-C specification (revision 5.11), so that the load has a shape that people know.
Results are not TPC-C results and not comparable with any.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from math import isclose
from typing import Any

from plimsoll.base.errors import UsageError

KINDS = ("new_order", "payment", "order_status", "delivery", "stock_level")
"""Transactions by their number in the SQL (functions/10_transact.sql)."""
NEW_ORDER, PAYMENT = KINDS[:2]
DISTRICTS = 10
ORDER_LINES_MAX = 15
"""Of an order (clause 2.4.1.3)."""
MIX: Mapping[str, float] = dict(zip(KINDS, (0.45, 0.43, 0.04, 0.04, 0.04), strict=True))
ITEMS = 100_000
CUSTOMERS_PER_DISTRICT = 3_000
_LAST_NAMES_MAX = 1_000
_ITEMS_MIN, _ITEMS_MAX = 100, 1_000_000
_CUSTOMERS_MIN, _CUSTOMERS_MAX = 10, 100_000
_WAREHOUSES_MAX = 100_000
_C_LAST_APART = 85
"""The constant of last names differs between load and run by 65 to 119, but neither 96 nor 112 (clause 2.1.6.1)."""


@dataclass(frozen=True)
class Scale:
    """How much data there is. Smaller `items` and `customers_per_district` than the specification's are for trying things."""

    warehouses: int = 1
    items: int = ITEMS
    customers_per_district: int = CUSTOMERS_PER_DISTRICT
    seed: int = 1

    def __post_init__(self) -> None:
        if not all(type(number) is int for number in asdict(self).values()):
            raise _wrong("a size of the data is no whole number", "Write it in digits.")
        _within("warehouses", self.warehouses, 1, _WAREHOUSES_MAX)
        _within("items", self.items, _ITEMS_MIN, _ITEMS_MAX)
        _within("customers per district", self.customers_per_district, _CUSTOMERS_MIN, _CUSTOMERS_MAX)
        _within("seed", self.seed, 0, 2**31 - 1)

    @property
    def is_specified(self) -> bool:
        """Whether the cardinalities are the specification's."""
        return (self.items, self.customers_per_district) == (ITEMS, CUSTOMERS_PER_DISTRICT)

    @property
    def last_names(self) -> int:
        """How many last names there are: each is borne by at least one customer of every district."""
        return min(_LAST_NAMES_MAX, self.customers_per_district)

    @property
    def c_last_load(self) -> int:
        """The constant of the non-uniform last names at the load."""
        return self.seed * 37 % 256

    @property
    def c_last_run(self) -> int:
        """The same in a run."""
        load = self.c_last_load
        return load + _C_LAST_APART if load + _C_LAST_APART <= 255 else load - _C_LAST_APART

    def numbers(self) -> dict[str, int]:
        """What the marker on the schema keeps, and the SQL reads there."""
        return {**asdict(self), "last_names": self.last_names, "c_last_load": self.c_last_load}

    @staticmethod
    def of(numbers: Mapping[str, Any]) -> Scale:
        """The scale that a marker tells of."""
        return Scale(
            numbers["warehouses"], numbers["items"], numbers["customers_per_district"], numbers["seed"]
        )


@dataclass(frozen=True)
class Options:
    """How a run goes. `seed` decides which keys each session asks for."""

    sessions: int = 4
    run_s: float = 60.0
    warm_up_s: float = 5.0
    mix: Mapping[str, float] = field(default_factory=lambda: MIX)
    seed: int = 1
    think_factor: float = 0.0
    """Keying and think times as a multiple of the specification's; 0 leaves them out."""
    ledger: bool = False
    """Each transaction also writes its session's own count, by which a crash is judged."""
    client_commits: bool = False
    """Each transaction is a call of its own, so that the client knows of each whether it was committed."""

    def __post_init__(self) -> None:
        _within("sessions", self.sessions, 1, 10_000)
        _within("run time", self.run_s, 1, 30 * 86_400)
        _within("warm-up", self.warm_up_s, 0, 86_400)
        _within("think factor", self.think_factor, 0, 1_000)
        _check_mix(self.mix)
        if self.client_commits and self.think_factor:
            raise _wrong(
                "calls of one transaction have no think times", "Leave out either think times or such calls."
            )

    def mix_ends(self) -> list[float]:
        """Where in 0 to 1 each kind but the last ends."""
        return [min(1.0, end) for end in accumulate(self.mix.get(kind, 0.0) for kind in KINDS[:-1])]


def terminal(scale: Scale, options: Options, session: int) -> str:
    """The JSON that makes a session's `plimsoll_orders.terminal`. Sessions go round the warehouses, then round their districts."""
    return json.dumps(
        {
            "session_id": session,
            "warehouse": session % scale.warehouses + 1,
            "district": session // scale.warehouses % DISTRICTS + 1,
            "warehouses": scale.warehouses,
            "items": scale.items,
            "customers": scale.customers_per_district,
            "last_names": scale.last_names,
            "c_last": scale.c_last_run,
            "c_customer": scale.seed * 101 % 1024,
            "c_item": scale.seed * 211 % 8192,
            "mix_ends": options.mix_ends(),
            "think_factor": options.think_factor,
            "ledger": options.ledger,
        }
    )


def _check_mix(mix: Mapping[str, float]) -> None:
    unknown = [name for name in mix if name not in KINDS]
    if unknown:
        raise _wrong(f"there is no transaction '{unknown[0]}'", f"There are {', '.join(KINDS)}.")
    if min(mix.values(), default=0.0) < 0 or not isclose(sum(mix.values()), 1.0, abs_tol=1e-6):
        shares = ", ".join(f"{name} {share:g}" for name, share in mix.items())
        raise _wrong(
            f"the shares of the mix must add up to 1: {shares}", "Give each as a number between 0 and 1."
        )


def _within(what: str, value: float, lowest: float, highest: float) -> None:
    if not lowest <= value <= highest:
        raise _wrong(
            f"{what} {value:g} is out of range", f"It may be from {lowest:,.10g} to {highest:,.10g}."
        )


def _wrong(reason: str, hint: str) -> UsageError:
    return UsageError("proof-options", f"cannot run order entry so: {reason}", hint)
