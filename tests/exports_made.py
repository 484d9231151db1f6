"""Exports of monitoring, made: what each tool writes of a load that is known, from `START` on in steps of `STEP_S`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plimsoll.demand.points import SeriesKey
from plimsoll.dialects import exports

START = datetime(2026, 3, 2, tzinfo=UTC)
STEP_S = 3_600
Rate = Callable[[int], float]
"""What happens per second in a step."""
LABELS = {"instance": "db1:9100", "job": "node", "device": "sda"}


def at(step: int) -> datetime:
    """When a step begins."""
    return START + timedelta(seconds=step * STEP_S)


def counted(rate: Rate, steps: int, start: float = 5_000.0) -> list[float]:
    """A counter at the beginning of each step, and at the end of the last."""
    made = [start]
    for step in range(steps):
        made.append(made[-1] + rate(step) * STEP_S)
    return made


def matrix(*series: tuple[dict[str, str], Sequence[tuple[float, str]]]) -> dict[str, Any]:
    """What Prometheus answers."""
    result = [{"metric": labels, "values": [list(value) for value in values]} for labels, values in series]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def prometheus(name: str, values: Sequence[float], **labels: str) -> dict[str, Any]:
    """A series of that name, a value at the beginning of each step."""
    named = {"__name__": name} if name else {}
    samples = [(at(step).timestamp(), repr(value)) for step, value in enumerate(values)]
    return matrix(({**named, **LABELS, **labels}, samples))


def sadf(reads: Rate, writes: Rate, steps: int, *, zone: str = "UTC") -> dict[str, Any]:
    """Of a host with one device; a report stands at the end of its interval."""
    statistics = [
        {
            "timestamp": {**_ended(step, zone), "interval": STEP_S},
            "io": {
                "tps": reads(step) + writes(step),
                "io-reads": {"rtps": reads(step), "bread": 16 * reads(step)},
                "io-writes": {"wtps": writes(step), "bwrtn": 32 * writes(step)},
            },
            "disk": [
                {
                    "disk-device": "sda",
                    "tps": reads(step) + writes(step),
                    "rkB": 8 * reads(step),
                    "wkB": 16 * writes(step),
                    "await": 2.5,
                    "util-percent": 40.0,
                }
            ],
        }
        for step in range(steps)
    ]
    return _host({"file-date": "2026-03-02", "timezone": zone}, statistics)


def _ended(step: int, zone: str) -> dict[str, str]:
    return {"date": f"{at(step + 1):%Y-%m-%d}", "time": f"{at(step + 1):%H:%M:%S}", "tz": zone}


def _host(more: dict[str, str], statistics: list[dict[str, Any]]) -> dict[str, Any]:
    return {"sysstat": {"hosts": [{"nodename": "db1", "sysname": "Linux", **more, "statistics": statistics}]}}


def iostat(reads: Rate, writes: Rate, steps: int, *, form: str = "%Y-%m-%dT%H:%M:%S%z") -> dict[str, Any]:
    """Of one device; the first report is a mean since the host was started."""
    statistics = [_iostat_report(at(0), 900.0, 900.0, form)]
    statistics += [_iostat_report(at(step + 1), reads(step), writes(step), form) for step in range(steps)]
    return _host({"date": "03/02/26"}, statistics)


def _iostat_report(ended: datetime, reads: float, writes: float, form: str) -> dict[str, Any]:
    disk = {"disk_device": "sda", "r/s": reads, "w/s": writes, "f/s": 5.0}
    disk |= {
        "rkB/s": 8 * reads,
        "wkB/s": 16 * writes,
        "r_await": 2.0 if reads else 0.0,
        "w_await": 0.5,
        "f_await": 1.0,
    }
    return {"timestamp": ended.strftime(form), "avg-cpu": {"user": 1.0}, "disk": [{**disk, "util": 40.0}]}


def cloudwatch(series: Mapping[str, Rate], steps: int) -> dict[str, Any]:
    """By label; newest first, as CloudWatch has it where nobody says otherwise."""
    order = list(reversed(range(steps)))
    results = [
        {
            "Id": f"m{number}",
            "Label": label,
            "Timestamps": [at(step).isoformat() for step in order],
            "Values": [rate(step) for step in order],
            "StatusCode": "Complete",
        }
        for number, (label, rate) in enumerate(series.items())
    ]
    return {"MetricDataResults": results, "Messages": []}


def performance_insights(series: Mapping[str, Rate], steps: int, *, ends: bool = True) -> dict[str, Any]:
    """By metric, at the end of each period or at its beginning."""
    lists = [
        {
            "Key": {"Metric": metric},
            "DataPoints": [
                {"Timestamp": at(step + ends).isoformat(), "Value": rate(step)} for step in range(steps)
            ],
        }
        for metric, rate in series.items()
    ]
    return {
        "AlignedStartTime": at(0).isoformat(),
        "AlignedEndTime": at(steps).isoformat(),
        "Identifier": "db-SHOP",
        "MetricList": lists,
    }


def pgwatch_rows(metric: str, columns: Mapping[str, Sequence[float]], **tags: str) -> list[dict[str, Any]]:
    """Lines of its JSON sink, a reading at the beginning of each step."""
    count = len(next(iter(columns.values())))
    return [
        {
            "metric": metric,
            "dbname": "shop",
            "custom_tags": None,
            "data": [{"epoch_ns": int(at(step).timestamp()) * 10**9, **tags, **_row(columns, step)}],
        }
        for step in range(count)
    ]


def _row(columns: Mapping[str, Sequence[float]], step: int) -> dict[str, float]:
    return {name: values[step] for name, values in columns.items()}


def lines(rows: Sequence[Any]) -> str:
    """JSON, a document on each line."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def pgwatch_table(columns: Mapping[str, Sequence[float]], tags: dict[str, str] | None = None) -> str:
    """A table of its database as CSV."""
    count = len(next(iter(columns.values())))
    made = [
        f"{at(step):%Y-%m-%d %H:%M:%S+00},shop,{_quoted(_row(columns, step))},{_quoted(tags) if tags else ''}"
        for step in range(count)
    ]
    return "\n".join(["time,dbname,data,tag_data", *made, ""])


def _quoted(document: object) -> str:
    text = json.dumps(document).replace('"', '""')
    return f'"{text}"'


SECTIONS = ("servers", "samples", "stmt_list", "sample_stat_database", "sample_stat_io", "sample_settings")


def pg_profile(tables: Mapping[str, Sequence[dict[str, Any]]], *, quoted: bool = False) -> str:
    """What `export_data()` gives, as psql copies it."""
    named = [{"section_id": place, "relname": name} for place, name in enumerate(SECTIONS, 2)]
    rows: list[tuple[int, str]] = [
        (0, json.dumps({"extension": "pg_profile", "version": "4.11", "tab_list_section": 1})),
        (1, ", \n ".join(map(json.dumps, named)).join("[]")),
    ]
    rows += [(SECTIONS.index(name) + 2, json.dumps(row)) for name, found in tables.items() for row in found]
    if quoted:
        return "".join('{},"{}"\n'.format(section, text.replace('"', '""')) for section, text in rows)
    return "".join(f"{section}\t{_escaped(text)}\n" for section, text in rows)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def pg_profile_tables(reads: Rate, writes: Rate, steps: int) -> dict[str, list[dict[str, Any]]]:
    """A server with a database, a sample at the beginning of each step and at the end of the last."""
    samples = [
        {"server_id": 1, "sample_id": step + 1, "sample_time": at(step).isoformat()}
        for step in range(steps + 1)
    ]
    io = [
        {
            **_sampled(step),
            "backend_type": "client backend",
            "object": kind,
            "context": "normal",
            "reads": reads(step) * STEP_S if kind == "relation" else None,
            "writes": writes(step) * STEP_S / 2,
            "read_bytes": reads(step) * STEP_S * 8192 if kind == "relation" else None,
            "write_bytes": writes(step) * STEP_S * 4096,
            "read_time": reads(step) * STEP_S * 2.0 if kind == "relation" else None,
            "fsyncs": 0,
        }
        for step in range(steps)
        for kind in ("relation", "wal")
    ]
    databases = [
        {**_sampled(step), "datname": "shop", "xact_commit": 50 * STEP_S, "blks_read": 0, "datsize": 4e9}
        for step in range(steps)
    ]
    return {
        "servers": [{"server_id": 1, "server_name": "local"}],
        "samples": samples,
        "stmt_list": [{"server_id": 1, "queryid_md5": "x", "query": "select \"a\"\n\tfrom b where c = '\\'"}],
        "sample_stat_database": databases,
        "sample_stat_io": io,
        "sample_settings": [{"server_id": 1, "name": "work_mem"}],
    }


def _sampled(step: int) -> dict[str, Any]:
    return {"server_id": 1, "sample_id": step + 2, "stats_reset": at(-100).isoformat()}


def read(folder: Path, *contents: Any, name: str = "export.json") -> exports.Found:
    """What files of these contents say, and what follows from it."""
    found = exports.Found()
    for number, content in enumerate(contents):
        path = folder / (name if not number else f"{number}-{name}")
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        exports.read(path, found)
    exports.derive(found)
    return found


def values(found: exports.Found, database: str, metric: str) -> list[float]:
    """Of a series."""
    return list(found.points[SeriesKey(database, metric)][""].value)


def begins(found: exports.Found, database: str, metric: str) -> list[float]:
    """In steps after `START`."""
    start_s = START.timestamp()
    return [(one - start_s) / STEP_S for one in found.points[SeriesKey(database, metric)][""].begin_s]


def lengths(found: exports.Found, database: str, metric: str) -> set[float]:
    """How long the intervals of a series are."""
    return set(found.points[SeriesKey(database, metric)][""].duration_s)


def weights(found: exports.Found, database: str, metric: str) -> list[float]:
    """Of how many I/Os the means of a series are."""
    return list(found.points[SeriesKey(database, metric)][""].weight)


def codes(found: exports.Found) -> set[str]:
    """Of its notes."""
    return {note.code for note in found.notes}


def unread(found: exports.Found) -> list[str]:
    """What could not be read, as it is told."""
    return [note.message for note in found.notes if note.code == "export-unread"]


def examples() -> dict[str, str]:
    """A small export of each format, by its name."""
    documents = {
        "cloudwatch": cloudwatch({"shop ReadIOPS": _rising, "shop WriteIOPS": _rising}, 3),
        "iostat": iostat(_rising, _rising, 3),
        "performance-insights": performance_insights({"db.load.avg": _rising}, 3),
        "prometheus": prometheus("node_disk_reads_completed_total", counted(_rising, 3)),
        "sadf": sadf(_rising, _rising, 3),
    }
    rows = pgwatch_rows("db_stats", {"xact_commit": counted(_rising, 3), "blks_read": counted(_rising, 3)})
    return {
        **{name: json.dumps(document) for name, document in documents.items()},
        "pg-profile": pg_profile(pg_profile_tables(_rising, _rising, 2)),
        "pgwatch": lines(rows),
    }


def _rising(step: int) -> float:
    return 101.25 + step
