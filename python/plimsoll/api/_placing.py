"""Which objects of a database belong on which tier of storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import Placement, PlanRow
from plimsoll.requests.place import PlaceRequest

if TYPE_CHECKING:
    import polars


class Placed(Result):
    """Which object belongs on which tier; the frame has a row per object."""

    _columns = ("object", "from_tier", "tier", "bytes", "wait_s", "gain_s", "reason")

    @property
    def placement(self) -> Placement:
        """The plan, what it gains, how far from best it can be, and what every budget gains."""
        found = self.run.placement
        assert found is not None, "a placement run has a placement"
        return found

    def frame(self, of: Literal["plan", "curve", "tiers"] = "plan") -> polars.DataFrame:
        """A row per object, per point of the budget curve, or per tier before and after."""
        if of == "plan":
            return super().frame()
        return frame_of(self.placement.curve if of == "curve" else self.placement.tier_uses)

    def _parts(self) -> Sequence[PlanRow]:
        return self.placement.plan


@asks(PlaceRequest)
def place(ctx: Context, asked: PlaceRequest) -> Placed:
    """Which objects belong on which tier of storage, by counts of their I/Os, as `plimsoll place`. Nothing is moved.

    Example:
        found = plimsoll.place(objects="objects.csv", tiers="tiers.toml", interval="1h")
        found.placement.gain_s, found.placement.gap
        found.frame()  # a row per object
        found.frame("curve")  # what each budget gains
    """
    from plimsoll.flows.place import place_objects

    return Placed(place_objects(ctx, asked))
