"""Settings that decide how the server's I/O looks, as far as somebody set them."""

from __future__ import annotations

from plimsoll.charts import Table
from plimsoll.facts import Demand
from plimsoll.results._activity._section import ActivitySection, unknown
from plimsoll.results._blocks import Block, Grid, Words

_EMPTY = "(empty)"


def _blocks(demand: Demand) -> list[Block]:
    values, defaults = demand.database.settings, demand.database.settings_defaults
    if defaults is None:
        return [unknown("Which settings are not at their defaults", "it is not kept with these snapshots")]
    if not defaults:
        return [Words("All settings of I/O, cache, WAL and checkpoints are at their defaults.")]
    rows = tuple(
        (name, values.get(name) or _EMPTY, default or _EMPTY) for name, default in sorted(defaults.items())
    )
    caption = (
        "Settings of I/O, cache, WAL and checkpoints that are not at their defaults, as of the last snapshot"
    )
    return [Grid(caption, Table(("setting", "value", "default"), rows, (False, False, False)))]


SECTION = ActivitySection(80, _blocks)
