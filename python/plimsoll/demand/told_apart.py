"""Names for what is known of databases, several of which may be called the same.

By the number of their data where these differ. A standby has its primary's, and so has a machine that was copied: there by where
each is, if both are known of one time. One after the other they are one database that moved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from plimsoll.facts import Database

Span = tuple[float, float]
"""From when to when, in seconds since 1970."""
_APART_S = 1.0
"""Clocks of two servers, and rounding, make as much."""


@dataclass(frozen=True)
class Known:
    """What is known of a database, whatever it was taken from; without spans it is never two of one time."""

    name: str
    data: str
    """The number of its data, or where it is."""
    place: str = ""
    spans: Sequence[Span] = ()

    @staticmethod
    def of(database: Database, spans: Sequence[Span] = ()) -> Known:
        """Of a database that was watched in these spans; a server without one has no name."""
        return Known(database.name, data_of(database), database.location, spans)


def data_of(database: Database) -> str:
    """The number of its data; where it is, if there is none. All instances of a cluster have one."""
    number = database.system_identifier
    if number is None:
        return database.location
    return number.partition("/")[0] if database.kind == "oracle" else number


def names_apart(known: Iterable[Known]) -> list[str]:
    """A name each, in their order. A server without a database goes by where it was seen first."""
    found = list(_named(known))
    data: dict[str, dict[str, None]] = {}
    servers: dict[tuple[str, str], dict[str, list[Span]]] = {}
    for one in found:
        data.setdefault(one.name, {})[one.data] = None
        servers.setdefault((one.name, one.data), {}).setdefault(one.place, []).extend(one.spans)
    at_once = {key for key, spans in servers.items() if _meet(spans)}
    return [_name(one, len(data[one.name]) > 1, (one.name, one.data) in at_once) for one in found]


def _named(known: Iterable[Known]) -> Iterator[Known]:
    first: dict[str, str] = {}
    for one in known:
        place = first.setdefault(one.data, one.place)
        yield one if one.name else replace(one, name=place or one.data)


def _name(one: Known, by_data: bool, by_place: bool) -> str:
    marks = [mark for mark, is_needed in ((one.data, by_data), (one.place, by_place)) if is_needed]
    return f"{one.name} ({', '.join(marks)})" if marks else one.name


def _meet(spans: dict[str, list[Span]]) -> bool:
    """Whether two places are known of one time."""
    last: dict[str, float] = {}
    for begin_s, end_s, place in sorted(_placed(spans)):
        if any(other > begin_s + _APART_S for of, other in last.items() if of != place):
            return True
        last[place] = max(end_s, last.get(place, end_s))
    return False


def _placed(spans: dict[str, list[Span]]) -> Iterator[tuple[float, float, str]]:
    for place, of in spans.items():
        for begin_s, end_s in of:
            yield begin_s, end_s, place
