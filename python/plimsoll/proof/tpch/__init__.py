"""TPC-H's eight tables and 22 queries as a proof of a real database: `setup` loads, `run_tpch` asks and judges, `drop` removes.

`request` says what is wanted; `generator` and `load` make the data; `schema` knows whose they are; `queries`, `orders` and
`streams` ask; `answers` judges; `run` makes the proof of it all.
"""

from plimsoll.proof.tpch.load import setup
from plimsoll.proof.tpch.request import Layout, Plans, TpchRequest
from plimsoll.proof.tpch.run import run_tpch
from plimsoll.proof.tpch.schema import Marker, TpchStatus, drop, foreign, status

__all__ = [
    "Layout",
    "Marker",
    "Plans",
    "TpchRequest",
    "TpchStatus",
    "drop",
    "foreign",
    "run_tpch",
    "setup",
    "status",
]
