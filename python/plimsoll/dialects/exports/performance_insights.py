"""`aws pi get-resource-metrics`: what Performance Insights kept of an RDS or Aurora instance, such as its load in sessions.

A time stands where its period ends, or begins: the answer's own first and last time tell which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.demand.points import seconds_of
from plimsoll.dialects.exports._amazon import KNOWN, Known, add_series
from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._source import Found, OffError, Source, listed, mapping, moment_of, worded
from plimsoll.facts import Note

_LIST = "MetricList"


def _recognises(content: Content) -> bool:
    return isinstance(content.document, dict) and _LIST in content.document


def _read(content: Content, found: Found) -> None:
    document = mapping(content.document)
    identifier = document.get("Identifier")
    database = identifier if isinstance(identifier, str) and identifier else content.stem
    with found.part(_LIST):
        for index, series in enumerate(listed(document, _LIST)):
            with found.part(f"[{index}]"):
                _take(mapping(series), database, document, found)
    if document.get("NextToken"):
        found.off("NextToken: it is one page of several")


def _take(series: Mapping[str, Any], database: str, document: Mapping[str, Any], found: Found) -> None:
    key = mapping(series.get("Key"))
    name = worded(key, "Metric")
    if key.get("Dimensions"):
        message = f"{database}: parts of {name} by dimension are left out, and their sum is read"
        found.note("parts-left-out", message)
        return
    points = [mapping(point) for point in listed(series, "DataPoints")]
    times, values = ([point.get(name) for point in points] for name in ("Timestamp", "Value"))
    add_series(found, database, KNOWN.get(name, Known(name)), times, values, begins=_begins(document, times))


def _begins(document: Mapping[str, Any], times: Sequence[Any]) -> bool:
    """Whether times are those at which periods begin: of the first one then, and never of the end."""
    try:
        start, end = (
            seconds_of(moment_of(document.get(name))) for name in ("AlignedStartTime", "AlignedEndTime")
        )
        stands = {seconds_of(moment_of(time)) for time in times}
    except OffError:
        return False
    return start in stands and end not in stands


SOURCE = Source(
    title="an answer of Performance Insights",
    recognises=_recognises,
    read=_read,
    anew="aws pi get-resource-metrics --service-type RDS --identifier db-… --metric-queries …",
    blind=(
        Note(
            code="load-sampled",
            message="the load of Performance Insights is what sessions were seen at once a second: shorter waits are not counted",
        ),
        Note(
            code="averages",
            message="Performance Insights has a value for each period: peaks within it, and sizes of I/Os, are not known",
        ),
    ),
    is_asked=True,
)
