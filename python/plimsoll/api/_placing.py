"""Which objects of a database belong on which tier of storage, and moving them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import FlashUse, FlashUses, Placement, PlanRow
from plimsoll.requests.place import PlaceRequest
from plimsoll.requests.place_apply import PlaceApplyRequest
from plimsoll.requests.place_flash import PlaceFlashRequest
from plimsoll.requests.place_query import PlaceQueryRequest
from plimsoll.requests.place_script import PlaceScriptRequest

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


class FlashCompared(Result):
    """What the same flash saves in each use; the frame has a row per use."""

    _columns = ("use", "possible", "gain_s", "gain_s_max", "flash_bytes", "price_per_month", "reason")

    @property
    def flash_uses(self) -> FlashUses:
        """Every use with what it saves, costs and takes, and the one that saves most."""
        return self.run.results["flash_uses"]

    @property
    def placement(self) -> Placement:
        """The plan of the use in parts."""
        return self.run.results["placement"]

    def _parts(self) -> Sequence[FlashUse]:
        return self.flash_uses.uses


@asks(PlaceFlashRequest)
def place_flash(ctx: Context, asked: PlaceFlashRequest) -> FlashCompared:
    """What the same flash saves as whole database, parts, side of a mirror and cache, as `plimsoll place flash`. Nothing is moved.

    Example:
        found = plimsoll.place_flash(objects="objects.csv", tiers="tiers.toml", interval="1h", flash_bytes="200g")
        found.flash_uses.best, found.flash_uses.reason
        found.frame()  # a row per use
    """
    from plimsoll.flows.place_flash import compare_uses

    return FlashCompared(compare_uses(ctx, asked))


@dataclass(frozen=True)
class Moved:
    """What was to be moved, and where everything is now."""

    database: str
    location: str
    confirmed: bool
    """Whether the database was confirmed by its name; nothing was moved without."""
    interrupted: bool
    steps: Sequence[Mapping[str, Any]]
    """Each object: `from`, `to`, `state` (done, to do, left), `reason`, `statement`, `lock`, `log`."""


@dataclass(frozen=True)
class Script:
    """Statements for a database of that kind."""

    dialect: str
    text: str


@asks(PlaceQueryRequest)
def place_query(ctx: Context, asked: PlaceQueryRequest) -> Script:
    """The SQL*Plus script that counts an Oracle Database's I/Os by object, as `plimsoll place query`.

    Example:
        pathlib.Path("objects.sql").write_text(plimsoll.place_query("oracle").text)
    """
    from plimsoll.placement.objects.oracle_samples import script

    return Script("oracle", script(asked.name))


@asks(PlaceScriptRequest)
def place_script(ctx: Context, asked: PlaceScriptRequest) -> Script:
    """A plan as a script that carries it out, or takes it back, as `plimsoll place script`. The plan is a run of `place`, or
    a file of its JSON.

    Example:
        found = plimsoll.place(objects="objects.csv", tiers="tiers.toml", interval="1h", store="runs.sqlite")
        there = plimsoll.place_script(found.run.id, store="runs.sqlite").text
        back = plimsoll.place_script(found.run.id, reverse=True, store="runs.sqlite").text
    """
    from plimsoll.flows.place_script import write_script

    return Script(asked.dialect, write_script(ctx, asked))


@asks(PlaceApplyRequest)
def place_apply(ctx: Context, asked: PlaceApplyRequest) -> Moved:
    """Carries out a plan on a PostgreSQL, or takes it back, as `plimsoll place apply`. Without `confirm` nothing is moved.

    Example:
        seen = plimsoll.place_apply("plan.json", database="postgresql://me@db.example/shop")
        [step["statement"] for step in seen.steps if step["state"] == "to do"]
        done = plimsoll.place_apply("plan.json", database="postgresql://me@db.example/shop", confirm="shop")
    """
    from plimsoll.flows.place_apply import apply_plan

    return Moved(**cast("Any", apply_plan(ctx, asked).data()))
