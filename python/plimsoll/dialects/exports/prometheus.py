"""An answer of Prometheus to `/api/v1/query_range`: a matrix of series, each with its labels.

Counters that were asked for by their name become rates. What an expression gives has no name, and takes that of the file, or of
`--query`; `rate(…[5m])` at a moment is a mean of the time before it, so that such values count for the step that ends there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isinf, isnan
from typing import Any, NamedTuple

from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._counters import RESET, steps
from plimsoll.dialects.exports._source import (
    Found,
    OffError,
    Source,
    listed,
    mapping,
    moment_of,
    scaled,
    shown,
)
from plimsoll.facts import Note


class _Known(NamedTuple):
    """What a name of an exporter stands for."""

    metric: str
    unit: float = 1.0
    is_counter: bool = True


_KNOWN = {
    "node_disk_reads_completed_total": _Known("read_per_s"),
    "node_disk_writes_completed_total": _Known("write_per_s"),
    "node_disk_read_bytes_total": _Known("read_mb_per_s", 1e-6),
    "node_disk_written_bytes_total": _Known("write_mb_per_s", 1e-6),
    "node_disk_read_time_seconds_total": _Known("read_time_s_per_s"),
    "node_disk_write_time_seconds_total": _Known("write_time_s_per_s"),
    "node_disk_flush_requests_total": _Known("flush_per_s"),
    "node_disk_io_time_seconds_total": _Known("busy_share"),
    "node_filesystem_avail_bytes": _Known("free_gb", 1e-9, is_counter=False),
    "pg_stat_database_xact_commit": _Known("commits_per_s"),
    "pg_stat_database_blks_read": _Known("blocks_read_per_s"),
    "pg_stat_database_blks_hit": _Known("blocks_hit_per_s"),
    "pg_stat_database_temp_bytes": _Known("temp_mb_per_s", 1e-6),
    "pg_stat_database_blk_read_time": _Known("block_read_time_s_per_s", 1e-3),
    "pg_stat_database_blk_write_time": _Known("block_write_time_s_per_s", 1e-3),
    "pg_database_size_bytes": _Known("size_gb", 1e-9, is_counter=False),
}
_COUNTER = "_total"
_RISES_MIN = 24
_RISES_SHARE = 0.9
"""Of the steps of a series: what a server has, and does not count, stands still now and then, or falls."""
_NAMES = ("instance", "datname", "device", "mountpoint")
"""Labels that say what a series is of, as its name has them."""
_SILENT = ("__name__", "job", *_NAMES)
_ALL = "all"
"""Of a series without labels: a sum of everything that was asked for."""


def _recognises(content: Content) -> bool:
    document = content.document
    return (
        isinstance(document, dict)
        and document.get("status") in ("success", "error")
        and ("data" in document or "errorType" in document)
    )


def _read(content: Content, found: Found) -> None:
    read_answers([content], found)


def read_answers(contents: Sequence[Content], found: Found) -> None:
    """Takes the parts of one answer as one: what tells its series apart is seen in all of them.

    Raises UsageError `export-unreadable`.
    """
    with found.part("data"):
        results = [result for content in contents for result in _results(content, found)]
        spare = _telling_labels(results)
        for index, result in enumerate(results):
            with found.part(f"result[{index}]"):
                _take(mapping(result), contents[0], spare, found)


def _results(content: Content, found: Found) -> Sequence[Any]:
    document = content.document
    if not isinstance(document, dict):
        raise content.refused("it is no answer of Prometheus", f"Ask for a range: {SOURCE.anew}.")
    if document.get("status") == "error":
        why = f"Prometheus refused the query: {shown(document.get('error'))}"
        raise content.refused(why, f"Ask for a range: {SOURCE.anew}.")
    data = document.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else None
    if not isinstance(data, dict) or kind != "matrix":
        raise content.refused(
            f"it is no matrix, but of the kind {shown(kind)}", f"Ask for a range: {SOURCE.anew}."
        )
    if document.get("isPartial") is True:
        found.off("the answer is partial by its own word: nodes of its storage did not answer")
    for warning in (*_texts(document, "warnings"), *_texts(document, "infos")):
        found.note("prometheus-says", f"{content.name}: Prometheus says: {shown(warning)}")
    return listed(data, "result")


def _texts(document: Mapping[str, Any], name: str) -> Sequence[str]:
    value = document.get(name)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else ()


def _telling_labels(results: Sequence[Any]) -> tuple[str, ...]:
    """Labels beside those of `_NAMES` in which series differ: without them two would be one."""
    labels = [labels for result in results if isinstance(labels := _labels(result), dict)]
    values: dict[str, Counter[str]] = {}
    for one in labels:
        for name, value in one.items():
            values.setdefault(name, Counter())[str(value)] += 1
    same = {name for name, found in values.items() if len(found) == 1 and found.total() == len(labels)}
    return tuple(sorted(values.keys() - same - {*_SILENT}))


def _labels(result: Any) -> Any:
    return result.get("metric") if isinstance(result, dict) else None


def _take(result: Mapping[str, Any], content: Content, spare: Sequence[str], found: Found) -> None:
    labels = mapping(result.get("metric"))
    if result.get("histograms"):
        found.off("its histograms are not read")
    database = _database(labels, spare)
    name = labels.get("__name__")
    readings = _readings(result, found)
    if not isinstance(name, str):
        _take_expression(readings, database, content.metric or content.stem, found)
        return
    readings = [(at_s, value) for at_s, value in readings if not isnan(value)]
    known = _known(name, content.metric)
    if known.is_counter:
        _take_counter(readings, database, known, found)
        return
    if name not in _KNOWN and _only_rises([value for _, value in readings]):
        message = f"{name} only rises, as a counter does: if it is one, ask for rate({name}[1h]), for what it stands at is no load"
        found.note("counter-likely", message)
    for at_s, value in readings:
        found.add(database, known.metric, at_s, value * known.unit)


def _only_rises(values: Sequence[float]) -> bool:
    """In most steps, and falls in none."""
    rises = [after - before for before, after in pairwise(values)]
    return (
        len(rises) >= _RISES_MIN
        and min(rises) >= 0
        and sum(rise > 0 for rise in rises) > _RISES_SHARE * len(rises)
    )


def _known(name: str, metric: str | None) -> _Known:
    """What a name stands for. With a name of somebody's own it stays in the unit that it has."""
    known = _KNOWN.get(name)
    is_counter = name.endswith(_COUNTER) if known is None else known.is_counter
    if metric is not None:
        return _Known(metric, is_counter=is_counter)
    if known is not None:
        return known
    return _Known(f"{name.removesuffix(_COUNTER)}_per_s" if is_counter else name, is_counter=is_counter)


def _database(labels: Mapping[str, Any], spare: Sequence[str]) -> str:
    """`db1:9100/sda`, and in braces what else tells it from others."""
    names = "/".join(str(labels[name]) for name in _NAMES if labels.get(name))
    more = ",".join(f'{name}="{labels[name]}"' for name in spare if labels.get(name))
    return f"{names or ('' if more else _ALL)}{f'{{{more}}}' if more else ''}"


def _readings(result: Mapping[str, Any], found: Found) -> list[tuple[float, float]]:
    """Times and values; NaN, which is how Prometheus says that there is none, among them."""
    made: list[tuple[float, float]] = []
    for index, sample in enumerate(listed(result, "values")):
        with found.part(f"values[{index}]"):
            at_s, value = _reading(sample)
            made.append((found.seconds(moment_of(at_s)), value))
    return made


def _reading(sample: Any) -> tuple[float, float]:
    if not isinstance(sample, list) or len(sample) != 2:
        raise OffError(f"'{shown(sample)}' is no time with a value")
    try:
        value = float(sample[1])
    except (TypeError, ValueError):
        raise OffError(f"'{shown(sample[1])}' is no number") from None
    if isinf(value):
        raise OffError(f"'{shown(sample[1])}' is no number")
    return sample[0], value


def _take_counter(readings: list[tuple[float, float]], database: str, known: _Known, found: Found) -> None:
    for step in steps(readings):
        if step.per_s is None:
            found.note(RESET, f"{known.metric} of {database}: its counter began anew, which makes gaps")
        found.add(
            database, known.metric, step.begin_s, scaled(step.per_s, known.unit), duration_s=step.duration_s
        )


def _take_expression(readings: list[tuple[float, float]], database: str, metric: str, found: Found) -> None:
    """A value counts for the step that ends where it stands; how long that is, the closest two say."""
    times = sorted(at_s for at_s, _ in readings)
    step_s = min(
        (after - before for before, after in pairwise(times) if after > before),
        default=None,
    )
    if step_s is None:
        raise OffError("its values are too few to tell how long its step is")
    for at_s, value in readings:
        if not isnan(value):
            found.add(database, metric, at_s - step_s, value, duration_s=step_s)


SOURCE = Source(
    title="an answer of Prometheus",
    recognises=_recognises,
    read=_read,
    anew="curl 'http://HOST:9090/api/v1/query_range?query=…&start=…&end=…&step=1h'",
    blind=(
        Note(
            code="step-hides",
            message="Prometheus answers a value for each step: peaks within it are not known, and of a rate over a window that is"
            " shorter than the step only that window is seen",
        ),
    ),
    is_asked=True,
)
