"""Plimsoll finds out how much database load a piece of storage can carry, and what to do about it."""

__version__ = "0.1.0"

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.api import Cancel as Cancel
    from plimsoll.api import PlimsollError as PlimsollError
    from plimsoll.api import advise as advise
    from plimsoll.api import again as again
    from plimsoll.api import assess as assess
    from plimsoll.api import buckets as buckets
    from plimsoll.api import calibrate as calibrate
    from plimsoll.api import calibrate_io as calibrate_io
    from plimsoll.api import commits as commits
    from plimsoll.api import compare as compare
    from plimsoll.api import fio as fio
    from plimsoll.api import host_audit as host_audit
    from plimsoll.api import host_bench_cpu as host_bench_cpu
    from plimsoll.api import host_bench_ladder as host_bench_ladder
    from plimsoll.api import host_bench_memory as host_bench_memory
    from plimsoll.api import host_bench_network as host_bench_network
    from plimsoll.api import host_show as host_show
    from plimsoll.api import host_slice_apply as host_slice_apply
    from plimsoll.api import host_slice_plan as host_slice_plan
    from plimsoll.api import host_slice_prove as host_slice_prove
    from plimsoll.api import host_slice_revert as host_slice_revert
    from plimsoll.api import host_slice_verify as host_slice_verify
    from plimsoll.api import host_slice_write as host_slice_write
    from plimsoll.api import import_ as import_
    from plimsoll.api import ladder as ladder
    from plimsoll.api import learn_demand as learn_demand
    from plimsoll.api import line as line
    from plimsoll.api import load as load
    from plimsoll.api import measure as measure
    from plimsoll.api import merge as merge
    from plimsoll.api import orion as orion
    from plimsoll.api import place as place
    from plimsoll.api import place_apply as place_apply
    from plimsoll.api import place_query as place_query
    from plimsoll.api import place_script as place_script
    from plimsoll.api import prove_order_entry as prove_order_entry
    from plimsoll.api import prove_slob as prove_slob
    from plimsoll.api import prove_tpch as prove_tpch
    from plimsoll.api import quantile_us as quantile_us
    from plimsoll.api import read as read
    from plimsoll.api import redact as redact
    from plimsoll.api import report as report
    from plimsoll.api import settle as settle
    from plimsoll.api import shapes as shapes
    from plimsoll.api import tag as tag
    from plimsoll.api import trend as trend
    from plimsoll.api import watch as watch
    from plimsoll.api import working_sets as working_sets

_PUBLIC = (
    "Cancel",
    "PlimsollError",
    "advise",
    "again",
    "assess",
    "buckets",
    "calibrate",
    "calibrate_io",
    "commits",
    "compare",
    "fio",
    "host_audit",
    "host_bench_cpu",
    "host_bench_ladder",
    "host_bench_memory",
    "host_bench_network",
    "host_show",
    "host_slice_apply",
    "host_slice_plan",
    "host_slice_prove",
    "host_slice_revert",
    "host_slice_verify",
    "host_slice_write",
    "import_",
    "ladder",
    "learn_demand",
    "line",
    "load",
    "measure",
    "merge",
    "orion",
    "place",
    "place_apply",
    "place_flash",
    "place_query",
    "place_script",
    "prove_order_entry",
    "prove_slob",
    "prove_tpch",
    "quantile_us",
    "read",
    "redact",
    "report",
    "settle",
    "shapes",
    "tag",
    "trend",
    "watch",
    "working_sets",
)


def __getattr__(name: str) -> Any:
    """What `plimsoll.api` offers, imported when it is first asked for: the command line must start at once."""
    if name in _PUBLIC:
        from plimsoll import api

        return getattr(api, name)
    raise AttributeError(f"module 'plimsoll' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
