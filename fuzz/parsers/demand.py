"""Any bytes as a file of `--demand`: a demand of which a mix can be made, or a usage error."""

from __future__ import annotations

import json
from collections.abc import Iterator

import facts_builder
from plimsoll.base.errors import PlimsollError
from plimsoll.demand.series import demand_of
from plimsoll.demand.workload import workload_of
from plimsoll.flows.demand import parse_demand
from tiny_reports import activity, interval


def seeds() -> Iterator[bytes]:
    """Demands of a live database, bare and in the envelope of `--json`, and of a report."""
    live = facts_builder.demand().model_dump(mode="json")
    yield json.dumps(live).encode()
    yield json.dumps({"plimsoll": "1", "schema": 1, "kind": "demand", "data": {"run": "x", **live}}).encode()
    reported = demand_of([interval(activity({"physical read total IO requests": 90_000}))])
    yield reported.model_dump_json().encode()


def one(data: bytes) -> None:
    """Reads them."""
    try:
        demand = parse_demand(data, "input")
    except PlimsollError:
        return
    workload_of(demand)
