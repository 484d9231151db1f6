"""What the fields of facts mean, for reference pages and JSON Schemas: the text below a field in its class, else that of its name.

`COMMON` holds what a name means in every fact that has it and says nothing of its own. A class says more where it has to.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from functools import cache
from typing import Any

COMMON = {
    "agreements": "Counts of the sessions beside the server's own of the same thing.",
    "arrivals": "How I/Os arrive: as fast as the depth allows, or at a rate.",
    "average_active_sessions": "Sessions at work, on average over the interval.",
    "begin_snap": "Number of the snapshot with which the interval begins.",
    "begin_time": "When the interval began, by the database's own clock.",
    "block_bytes": "Size of each I/O, in bytes.",
    "bytes_per_s": "Bytes per second; None where it is not known.",
    "cdb": "Whether it is a container database, with pluggable ones in it.",
    "cells": "What became of the cells of its tables.",
    "commits_per_s": "Commits per second; None where they are not counted.",
    "cpus": "Logical CPUs.",
    "database": "Which database, and the settings that decide how its I/O looks.",
    "db_id": "Oracle's number of the database (DBID).",
    "db_name": "Name of the database.",
    "db_time_s": "Seconds that sessions spent in calls to the database, all together (DB time).",
    "device": "The block device; empty or None where it is not known.",
    "devices": "Block devices beneath, by the kernel's names.",
    "duration_s": "How long it lasted, in seconds.",
    "edition": "Edition of the database software, as printed.",
    "elapsed_s": "Length of the interval in seconds, by the report.",
    "encounters": "Which clients were at work together, each with what was measured.",
    "end_snap": "Number of the snapshot with which the interval ends.",
    "end_time": "When the interval ended, by the database's own clock.",
    "ended_at": "When it ended.",
    "engine": "How I/Os were handed to the target: the name of an engine.",
    "errors": "I/Os that failed.",
    "headroom": "Line / what is asked: above 1 is room. None where it cannot be told.",
    "host": "The host's name, as printed.",
    "instance": "Name of the database instance.",
    "instance_number": "Number of the instance in its cluster.",
    "interrupted": "Whether it was ended early; what was measured until then is kept.",
    "ios": "How many I/Os.",
    "iops": "I/Os per second.",
    "jobs": "Submitting threads.",
    "latency_us": "How long the I/Os or operations took, in microseconds: a whole distribution and the figures quoted from it.",
    "latency_us_max": "Longest latency, in microseconds.",
    "latency_us_mean": "Mean latency, in microseconds.",
    "latency_us_p50": "Median latency, in microseconds.",
    "latency_us_p99": "99th percentile of latency, in microseconds; None where too few were counted, or none.",
    "latency_us_p999": "99.9th percentile of latency, in microseconds; None where too few were counted.",
    "limit_us": "What the latency may be at most, in microseconds.",
    "line_iops": "The line: I/Os per second at which the objective still holds.",
    "mb_per_s": "Megabytes (10^6 bytes) per second.",
    "measured_s": "Measured time of all measurements together, in seconds.",
    "message": "The sentence for people.",
    "notes": "What a reader must know of it: fallbacks, warnings, things left out.",
    "operations_per_s": "Operations per second, over the measured window.",
    "origins": "Where its figures come from: the cells of the report, and what was done with them.",
    "platform": "Operating system of the database's host, as printed.",
    "rac": "Whether the database is a cluster of instances (RAC).",
    "read_bytes": "Bytes that were read.",
    "read_bytes_per_s": "Bytes read per second.",
    "read_mb_per_s": "Megabytes (10^6 bytes) read per second.",
    "reads": "How many reads.",
    "reads_per_s": "Reads per second.",
    "reason": "Why, in a sentence or a few.",
    "release": "Release of the database software, as printed.",
    "role": "Role of the database, such as primary or physical standby, as printed.",
    "sections": "Its tables, in their order.",
    "server_log": "What the server's log says of the time of the run.",
    "service_us": "At a rate: how long they took from their submission, in microseconds.",
    "size_bytes": "Size in bytes.",
    "slo": "The latency objective, as it was asked for.",
    "stage": "Which part of the work it is about.",
    "startup_time": "When the instance was started, by its host's own clock.",
    "started_at": "When it began.",
    "streams_depth": "Large I/Os outstanding in each sequential stream.",
    "system_identifier": "The server's own number of its data, which tells one database from another.",
    "taken_at": "When it was read, by the server's own clock.",
    "title": "What it is, in a line.",
    "trials": "The measurements that it rests on.",
    "unique_name": "Name of the database that is unique among its copies (DB_UNIQUE_NAME).",
    "unknown": "Figures that are None, each with the reason.",
    "workload": "What was asked of the target: classes of I/O in their shares.",
    "write_bytes": "Bytes that were written.",
    "write_bytes_per_s": "Bytes written per second.",
    "write_mb_per_s": "Megabytes (10^6 bytes) written per second.",
    "writes": "How many writes.",
    "writes_per_s": "Writes per second.",
}


def meanings(fact: Any) -> dict[str, str]:
    """Each field of a class with what it means; empty where nobody has said."""
    ours = [kind for kind in reversed(fact.__mro__) if kind.__module__.startswith("plimsoll.")]
    said = {name: meaning for kind in ours for name, meaning in _own(kind).items()}
    return {name: said.get(name) or COMMON.get(name, "") for name in fact.model_fields}


@cache
def _own(fact: Any) -> dict[str, str]:
    """The texts below the fields of a class itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(fact)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        field.target.id: _text(below)
        for field, below in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
    }


def _text(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    said = value.value if isinstance(value, ast.Constant) else None
    return " ".join(said.split()) if isinstance(said, str) else ""
