"""The JSON Schema of every document that `--json` prints: facts from their classes, with what each field means.

Fields may be added between versions, so an object may hold more than its schema names. Documents that are no fact alone are told
here, in `_OWN`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

NAME = "envelopes.schema.json"
_DEFS = "#/$defs/"


def text() -> str:
    """The file as it is published."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """One schema: a document is one of the envelopes, each under `$defs` as `envelope-KIND`."""
    envelopes = {f"envelope-{kind}": _envelope(kind, data) for kind, data in sorted(data_by_kind().items())}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Documents that plimsoll prints with --json",
        "oneOf": [{"$ref": _DEFS + name} for name in envelopes],
        "$defs": {**envelopes, **_facts()},
    }


def data_by_kind() -> dict[str, dict[str, Any]]:
    """What `data` holds, by the document's kind: that of each kind of result that is one fact, and those told here."""
    from plimsoll.results import kinds

    found = {
        kind.envelope or name.replace("_", "-"): _with_run(kind.fact.__name__)
        for name, kind in kinds().items()
        if not get_args(kind.fact)
    }
    return {**found, **_OWN}


def _envelope(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    from plimsoll.cli.output import SCHEMA

    return _object(
        {
            "plimsoll": {"type": "string", "description": "Version that printed it."},
            "schema": {"const": SCHEMA},
            "kind": {"const": kind},
            "data": data,
            "distributions": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Latency distributions (HdrHistogram V2) in base64, by the SHA-256 that stands in `hdr`.",
            },
            "warnings": _many(_object({"code": _STRING, "message": _STRING}, "code", "message")),
        },
        "plimsoll", "schema", "kind", "data", "warnings",
    )  # fmt: skip


def _facts() -> dict[str, Any]:
    """Every fact, with the meaning of each field."""
    from pydantic.json_schema import JsonSchemaMode, models_json_schema

    import plimsoll.facts
    from plimsoll.facts import Fact
    from plimsoll.facts.meanings import meanings
    from plimsoll.results import kinds

    named = [getattr(plimsoll.facts, name) for name in plimsoll.facts.__all__]
    named += [(*get_args(kind.fact), kind.fact)[0] for kind in kinds().values()]
    facts = [one for one in named if isinstance(one, type) and issubclass(one, Fact) and one is not Fact]
    wanted: list[tuple[type[Fact], JsonSchemaMode]] = [(one, "serialization") for one in dict.fromkeys(facts)]
    _, made = models_json_schema(wanted, ref_template=_DEFS + "{model}")
    by_name = {one.__name__: one for one in _below(Fact)}
    for name, about in made["$defs"].items():
        about.pop("additionalProperties", None)
        about["description"] = " ".join((about.get("description") or "").split())
        for field, told in about["properties"].items():
            told.pop("title", None)
            told["description"] = meanings(by_name[name])[field]
    return dict(sorted(made["$defs"].items()))


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    """Every class that is made of this one."""
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_NUMBER = {"type": "number"}
_INTEGER = {"type": "integer"}
_ANY_OBJECT = {"type": "object"}


def _ref(fact: str) -> dict[str, Any]:
    return {"$ref": _DEFS + fact}


def _many(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _maybe(of: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_RUN = _maybe(_STRING)
"""The id under which a result is stored; null where it is not."""


def _with_run(fact: str, **more: Any) -> dict[str, Any]:
    """The fields of a fact beside the id of the run under which it is stored."""
    return {"allOf": [_ref(fact), _object({"run": _RUN, **more}, "run", *more)]}


_UNREAD = {"unread_files": _many(_ref("UnreadFile")), "unreached": _INTEGER}
"""What was named and is not in a result that is made of reports."""

_POINT = _object(
    {
        "small_depth": _INTEGER,
        "large_depth": _INTEGER,
        "small_iops": _maybe(_NUMBER),
        "large_mb_per_s": _maybe(_NUMBER),
        "small_latency_us": _maybe(_ref("LatencyUs")),
        "large_latency_us": _maybe(_ref("LatencyUs")),
        "cpu_us_per_io": _maybe(_NUMBER),
        "checks": _many(_ref("Check")),
    },
    "small_depth",
    "large_depth",
)
_PLACE = _maybe(_object({"small_depth": _INTEGER, "large_depth": _INTEGER}, "small_depth", "large_depth"))
_EXTREMES = ("max_small_iops", "max_large_mb_per_s", "min_small_latency_us")
_CALIBRATE = _object(
    {
        "run": _RUN,
        "interrupted": {"type": "boolean"},
        "cells": _many(_POINT),
        **{name: _maybe(_NUMBER) for name in _EXTREMES},
        **{f"{name}_at": _PLACE for name in _EXTREMES},
        "knee": _maybe(_ref("Knee")),
        "expected": _maybe(_ref("Expectation")),
        "io_calibration": _maybe(_ref("IoCalibration")),
        "links": _maybe(_ref("LinkBound")),
        "targets": _many(_ref("Target")),
    },
    "run", "interrupted", "cells", *_EXTREMES, "targets",
)  # fmt: skip
_REMOVED = _object(
    {"removed": _STRINGS, "freed_bytes": _maybe(_INTEGER), "dry_run": {"type": "boolean"}},
    "removed", "freed_bytes", "dry_run",
)  # fmt: skip
_ACTION = _object(
    {"action": {**_STRING, "description": "What was done; beside it stands what is there."}}, "action"
)
_HELD_IOPS = {
    **_NUMBER,
    "description": "After a fall for good the rate to which it fell, else that of `iops`.",
}
_PREDICTION_AND_SWEEP = {"prediction": _maybe(_ref("Prediction")), "sweep": _maybe(_ref("Sweep"))}
_COLUMN = _object(
    {"name": _STRING, "type": _STRING, "unit": _maybe(_STRING), "about": _STRING},
    "name", "type", "unit", "about",
)  # fmt: skip
_TABLE = _object({"name": _STRING, "about": _STRING, "columns": _many(_COLUMN)}, "name", "about", "columns")
_BESIDE_VERDICT = _object(
    {
        "work_window": {**_ref("WorkWindow"), "description": "With `--backup` or `--migrate`."},
        "consolidation": {**_ref("Consolidation"), "description": "With several of `--demand`."},
        "failover": {**_ref("Failover"), "description": "With `--node`, in place of `consolidation`."},
    }
)
_STEP = _object(
    {
        "object": _STRING,
        "kind": _STRING,
        "from": _STRING,
        "to": _STRING,
        "state": {"enum": ["done", "to do", "left"]},
        **{name: _maybe(_STRING) for name in ("reason", "statement", "lock", "log")},
        "bytes": _maybe(_INTEGER),
    },
    "object", "kind", "from", "to", "state", "reason", "statement", "lock", "log", "bytes",
)  # fmt: skip

_OWN: dict[str, dict[str, Any]] = {
    "assess": {"allOf": [_with_run("Verdict"), _BESIDE_VERDICT]},
    "calibrate": _CALIBRATE,
    "orion": {"allOf": [_CALIBRATE, _object({"files": _STRINGS}, "files")]},
    "orion-help": _object({"text": _STRING}, "text"),
    "io": _with_run("Cell", held_iops=_HELD_IOPS, target=_maybe(_ref("Target"))),
    "io-fill": _with_run("FillSweep", target=_maybe(_ref("Target"))),
    "calibrate-working-sets": _with_run("WorkingSetSweep", targets=_many(_ref("Target"))),
    "calibrate-ladder": _with_run(
        "TargetLadder", targets=_many(_ref("Target")), links=_maybe(_ref("LinkBound"))
    ),
    "fio": _many(_with_run("Cell")),
    "import": _many(
        {
            "anyOf": [
                _with_run("Cell", file=_STRING),
                _with_run("Calibration", file=_STRING),
                _with_run("ForeignBench", file=_STRING),
            ]
        }
    ),
    "read": _object(
        {
            "reports": _many(_ref("Report")),
            "interrupted": {"type": "boolean"},
            "unreached": {
                "type": "integer",
                "description": "Files that were then not read, or not all that is in them.",
            },
            "passed_over": _INTEGER,
            "files": _STRINGS,
            "runs": _STRINGS,
            "rows": {
                "type": "object",
                "additionalProperties": _many(_ANY_OBJECT),
                "description": "By table, with `--section`.",
            },
        },
        "reports", "interrupted", "unreached", "passed_over", "files", "runs", "rows",
    ),
    "redact": _object(
        {
            "files": _many(
                _object(
                    {
                        "source": _STRING,
                        "kinds": _STRINGS,
                        "out": _maybe(_STRING),
                        "problem": _maybe(_STRING),
                        "reads_otherwise": {"type": "boolean"},
                    },
                    "source", "kinds", "out", "problem", "reads_otherwise",
                )
            ),
            "text": {**_maybe(_STRING), "description": "Of the only file, without `--out`."},
        },
        "files", "text",
    ),
    "demand-collector": _object({"name": _STRING, "script": _STRING}, "name", "script"),
    "place-query": _object({"name": _STRING, "script": _STRING}, "name", "script"),
    "read-schema": _object({"tables": _many(_TABLE)}, "tables"),
    "demand": {"anyOf": [_with_run("Demand"), _with_run("ReportedDemand", **_UNREAD)]},
    "advise": _with_run("Advice", **_UNREAD),
    "trend": _with_run("Trend", **_UNREAD),
    "prove": {
        "allOf": [
            _object({"run": _RUN, "interrupted": {"type": "boolean"}, **_PREDICTION_AND_SWEEP}, "run"),
            {"anyOf": [_ref("Proof"), {"not": {"required": ["workload"]}}]},
        ]
    },
    "prove-slob": _ACTION,
    "prove-order-entry": _ACTION,
    "prove-tpch": _ACTION,
    "compare": {"allOf": [_ref("Comparison"), _object({"page": _maybe(_STRING)}, "page")]},
    "completion": _object({"shell": _STRING, "script": _STRING}, "shell", "script"),
    "help": _object({"verb": _STRING, "text": _STRING}, "verb", "text"),
    "help-man": _object({"files": _STRINGS}, "files"),
    "demo": _object(
        {"run": _STRING, "report": _STRING, "verdict": _maybe(_ref("Verdict"))}, "run", "report", "verdict"
    ),
    "host-slice-apply": _object(
        {
            "way": _STRING,
            "dry_run": {"type": "boolean"},
            "writes": _many(_STRING),
            "next_steps": _many(_STRING),
            "journal": _STRING,
        },
        "way", "dry_run", "writes", "next_steps", "journal",
    ),
    "host-slice-revert": _object(
        {"way": _STRING, "dry_run": {"type": "boolean"}, "undone": _many(_STRING), "changed": _many(_STRING)},
        "way", "dry_run", "undone", "changed",
    ),
    "host-slice-write": _object(
        {
            "folder": _STRING,
            "files": _many(_object({"path": _STRING, "kind": _STRING, "about": _STRING}, "path", "kind", "about")),
        },
        "folder", "files",
    ),
    "lab-disk": _ref("ServedDisk"),
    "lab-tiers": _ref("ServedTiers"),
    "place-script": _object({"dialect": _STRING, "script": _STRING}, "dialect", "script"),
    "place-apply": _object(
        {
            "database": _STRING,
            "location": _STRING,
            "confirmed": {"type": "boolean"},
            "interrupted": {"type": "boolean"},
            "steps": _many(_STEP),
        },
        "database", "location", "confirmed", "interrupted", "steps",
    ),
    "report": _object({"run": _STRING, "path": _STRING, "bytes": _INTEGER}, "run", "path", "bytes"),
    "run": _ref("Run"),
    "store-list": _object({"runs": _many(_ref("RunSummary"))}, "runs"),
    "demand-every": _object({"kept": _INTEGER, "series": _many(_ref("SnapshotSeries"))}, "kept", "series"),
    "store-snapshots": _object({"series": _many(_ref("SnapshotSeries"))}, "series"),
    "store-thin": _object(
        {"series": _many(_ref("ThinnedSeries")), "dry_run": {"type": "boolean"}}, "series", "dry_run"
    ),
    "store-forget": _object(
        {"series": _many(_ref("SnapshotSeries")), "dry_run": {"type": "boolean"}}, "series", "dry_run"
    ),
    "store-predictions": _object({"predictions": _many(_ref("PredictionSummary"))}, "predictions"),
    "store-tag": _object({"run": _STRING, "tags": _STRINGS}, "run", "tags"),
    "store-note": _object({"run": _STRING, "note": _ref("Note")}, "run", "note"),
    "store-export": _object({"run": _STRING, "files": _STRINGS}, "run", "files"),
    "store-delete": _REMOVED,
    "store-prune": _REMOVED,
    "error": _object(
        {"id": _STRING, "message": _STRING, "hint": _maybe(_STRING), "status": _INTEGER},
        "id", "message", "hint", "status",
    ),
}  # fmt: skip
