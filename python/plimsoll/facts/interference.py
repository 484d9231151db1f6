"""What clients of different kinds do to each other when they share storage: each alone, and each beside the others."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note
from plimsoll.facts.cell import Cell


class Encounter(Fact):
    """Clients at work at the same time. `paced` names the one that asked for a fixed rate, the same in all of its
    encounters; the others go as fast as they can. None: a client alone as fast as it can, from which its rate is derived."""

    together: tuple[str, ...]
    paced: str | None = None
    rate_per_s: float | None = None
    """What the paced client asked for."""
    kept_up: bool | None = None
    """Whether it got that; if not, its latency grows for as long as the measurement lasts. None for a client that cannot fall
    behind: one without a rate, and the log writer, which pauses between writes for so long that it has that rate alone."""
    cell: Cell


class Effect(Fact):
    """What neighbours do to one class of a paced client, as ratios to the same client alone at the same rate.

    Latency counts from when each I/O was due; that of log writes from their submission.
    """

    shape: str
    io_class: str
    neighbours: tuple[str, ...]
    p50_ratio: float | None
    p99_ratio: float | None
    latency_us_p99_alone: float | None
    latency_us_p99: float | None
    lower_bound: bool
    """True: the client did not get its rate beside these neighbours, so its latency would have grown further."""


class Interference(Fact):
    """The interference matrix, the encounters it rests on, and what it says in words."""

    rate_share: float
    """Share of its throughput alone that each paced client asks for, 0 to 1."""
    shapes: tuple[str, ...]
    encounters: tuple[Encounter, ...]
    effects: tuple[Effect, ...] = ()
    strongest: str | None = None
    """The strongest effect of one client on another, as a sentence; None when no pair was measured."""
    answers: tuple[str, ...] = ()
    """Whether reads poison writes and whether readers block readers here, as sentences, where it was measured."""
    notes: tuple[Note, ...] = ()
