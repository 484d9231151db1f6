"""One host as its client knows it, and what its agent tells at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from plimsoll.cluster.clocks import Offset
from plimsoll.cluster.link import Link
from plimsoll.cluster.merge import Slice
from plimsoll.cluster.wire import Message
from plimsoll.facts import Cell, Target


@dataclass(frozen=True)
class Done:
    """What an agent tells at the end; its moments are by its own clock."""

    cell: Cell
    started_ns: int
    """When its measured time began."""
    first_ns: int | None
    """When its first I/O was submitted; None in virtual time."""
    last_s: float | None
    """When its last I/O ended, after the begin of the measured time."""

    @classmethod
    def of(cls, said: Message) -> Self:
        """Raises KeyError, TypeError, ValueError."""
        first_ns, last_s = said["first_ns"], said["last_s"]
        return cls(
            Cell.model_validate(said["cell"]),
            int(said["started_ns"]),
            None if first_ns is None else int(first_ns),
            None if last_s is None else float(last_s),
        )


@dataclass
class Post:
    """One host as the conductor knows it."""

    link: Link
    by_hand: str
    """What a person types to see whether it is reached."""
    boot: str = ""
    """Which boot of which machine it is."""
    ends_as_agent: bool = False
    """Whether the program that was started here is its agent itself, or ends by the agent's own status."""
    offset: Offset | None = None
    offset_after: Offset | None = None
    target: Target | None = None
    """What it is ready to measure; None before."""
    engine: str = ""
    """With which engine it is ready."""
    looked: list[Any] | None = None
    slices: dict[int, Slice] = field(default_factory=dict)
    done: Done | None = None
    heard_ns: int | None = None
    """When it said something the last time, by our clock."""
    ended: bool = False
    """It will say no more of the run: it has its result, or is lost."""
    gone: bool = False
    """Nothing can be asked of it any more."""
    gone_because: str | None = None
    """Why, where it went while more was to be measured, though it may have told all of the last run."""
    missed: str | None = None
    """That it was not ready at the moment of the begin, and by how much."""
    finished: bool = False
    """It has taken back what it made."""
    fills: bool = False
    """Whether it was heard to fill a file, which it may not have ended."""
    agent_by_hand: str = ""
    """What a person types to see whether its agent starts."""
    refused: bool = False
    """Whether it said itself that it goes no further: it then takes back what it made."""

    @property
    def host(self) -> str:
        """Its name."""
        return self.link.host

    @property
    def reach(self) -> str:
        """What to do where it is not reached."""
        return f"Try the same by hand: {self.by_hand}"

    @property
    def start(self) -> str:
        """What to do where it is reached, and its agent does not greet, or ended."""
        return f"Start its agent by hand, which greets with a line of JSON and ends: {self.agent_by_hand} </dev/null"

    def here_ns(self, there_ns: int) -> float:
        """A moment of its clock by ours."""
        assert self.offset is not None, "clocks are compared first"
        return there_ns - self.offset.ahead_ns
