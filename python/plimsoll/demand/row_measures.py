"""By what the first rows of a server are chosen and shown: what one gained of each measure, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plimsoll.demand.amounts import plus
from plimsoll.facts import Gains

Measure = Callable[[Gains], float | None]
STATEMENT_MEASURES: Mapping[str, Measure] = {
    "time": lambda gains: gains.get("exec_us"),
    "blocks read": lambda gains: gains.get("shared_blks_read"),
    "temporary files": lambda gains: plus(gains.get("temp_blks_read"), gains.get("temp_blks_written")),
    "WAL": lambda gains: gains.get("wal_bytes"),
}
"""By what the first statements are chosen, and shown."""
RELATION_MEASURES: Mapping[str, Measure] = {"blocks read": lambda gains: gains.get("blks_read")}
"""The same of relations."""
