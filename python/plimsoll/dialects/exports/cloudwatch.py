"""`aws cloudwatch get-metric-data`: series of CloudWatch, such as those of an RDS instance.

An answer has labels in place of names and dimensions. A word of one that is a metric's name is taken for it, and the others for
what it is of: where there are none, that is the file's name. A time is that at which its period begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.dialects.exports._amazon import KNOWN, Known, add_series
from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._source import Found, OffError, Source, listed, mapping, shown
from plimsoll.facts import Note

_RESULTS = "MetricDataResults"
_COMPLETE = "Complete"


def _recognises(content: Content) -> bool:
    return isinstance(content.document, dict) and _RESULTS in content.document


def _read(content: Content, found: Found) -> None:
    document = mapping(content.document)
    with found.part(_RESULTS):
        results = listed(document, _RESULTS)
        twice = _labels_of_several(results)
        for index, result in enumerate(results):
            with found.part(f"[{index}]"):
                _take(mapping(result), content.stem, twice, found)
    if document.get("NextToken"):
        found.off("NextToken: it is one page of several")


def _labels_of_several(results: Sequence[Any]) -> set[str]:
    """Labels that several queries have: only their ids tell these apart."""
    ids: dict[str, set[str]] = {}
    for result in results:
        if isinstance(result, dict):
            ids.setdefault(str(result.get("Label")), set()).add(str(result.get("Id")))
    return {label for label, found in ids.items() if len(found) > 1}


def _take(result: Mapping[str, Any], stem: str, twice: set[str], found: Found) -> None:
    status = result.get("StatusCode", _COMPLETE)
    label = str(result.get("Label") or result.get("Id") or "")
    if not label:
        raise OffError("it has no Label")
    database, known = _named(label, stem)
    if label in twice:
        database = f"{database} ({shown(result.get('Id'))})"
    times, values = listed(result, "Timestamps"), listed(result, "Values")
    if len(times) != len(values):
        raise OffError(f"it has {len(times):,} Timestamps and {len(values):,} Values")
    add_series(found, database, known, times, values, begins=True)
    if status != _COMPLETE:
        raise OffError(f"its StatusCode is {shown(status)}: not all of it is there")


def _named(label: str, stem: str) -> tuple[str, Known]:
    """What a series is of, and its metric."""
    words = label.split()
    name = next((word for word in words if word in KNOWN), None)
    if name is None:
        return stem, Known(label)
    rest = " ".join(word for word in words if word != name)
    return rest or stem, KNOWN[name]


SOURCE = Source(
    title="an answer of CloudWatch",
    recognises=_recognises,
    read=_read,
    anew="aws cloudwatch get-metric-data --metric-data-queries … --start-time … --end-time …",
    blind=(
        Note(
            code="statistic-unknown",
            message="an answer of CloudWatch does not say which statistic was asked for: values are taken as averages",
        ),
        Note(
            code="averages",
            message="CloudWatch has a value for each period: peaks within it are not known, unless Maximum was asked for",
        ),
        Note(
            code="sizes-unknown",
            message="CloudWatch has reads and writes, and neither small and large ones nor the log's apart",
        ),
    ),
    is_asked=True,
)
