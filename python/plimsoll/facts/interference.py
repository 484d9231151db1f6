"""What clients of different kinds do to each other when they share storage: each alone, and each beside the others."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Note
from plimsoll.facts.cell import Cell


class Encounter(Fact):
    """Clients at work at the same time. `paced` names the one that asked for a fixed rate, the same in all of its
    encounters; the others go as fast as they can. None: a client alone as fast as it can, from which its rate is derived."""

    together: tuple[str, ...]
    """Names of the clients, the measured one first."""
    paced: str | None = None
    """The client that asked for a fixed rate; None: each went as fast as it could."""
    rate_per_s: float | None = None
    """What the paced client asked for."""
    kept_up: bool | None = None
    """Whether it got that; if not, its latency grows for as long as the measurement lasts. None for a client that cannot fall
    behind: one without a rate, and the log writer, which pauses between writes for so long that it has that rate alone."""
    cell: Cell
    """What was measured."""


class Effect(Fact):
    """What neighbours do to one class of a paced client, as ratios to the same client alone at the same rate.

    Latency counts from when each I/O was due; that of log writes from their submission.
    """

    shape: str
    """The paced client."""
    io_class: str
    """Its class of I/O."""
    neighbours: tuple[str, ...]
    """Clients that were at work beside it."""
    p50_ratio: float | None
    """Median latency beside them / alone; None where the two cannot be compared."""
    p99_ratio: float | None
    """99th percentile beside them / alone; None where the two cannot be compared."""
    latency_us_p99_alone: float | None
    """99th percentile alone at the same rate, in microseconds."""
    latency_us_p99: float | None
    """99th percentile beside them, in microseconds."""
    lower_bound: bool
    """True: the client did not get its rate beside these neighbours, so its latency would have grown further."""


class Interference(Fact):
    """The interference matrix, the encounters it rests on, and what it says in words."""

    rate_share: float
    """Share of its throughput alone that each paced client asks for, 0 to 1."""
    shapes: tuple[str, ...]
    """Clients that took part."""
    encounters: tuple[Encounter, ...]
    effects: tuple[Effect, ...] = ()
    """Each paced client's classes beside each set of neighbours."""
    strongest: str | None = None
    """The strongest effect of one client on another, as a sentence; None when no pair was measured."""
    answers: tuple[str, ...] = ()
    """Whether reads slow writes down and whether readers block readers here, as sentences, where it was measured."""
    notes: tuple[Note, ...] = ()
