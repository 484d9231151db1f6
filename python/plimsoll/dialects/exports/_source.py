"""What a reader of exports is, and what readers fill: points of series, and what could not be read, each with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import nan
from typing import Any

from plimsoll.base.limits import EXPORT_FIGURE_MAX
from plimsoll.demand.points import AllPoints, SeriesKey, add_point, seconds_of
from plimsoll.dialects.exports._content import Content
from plimsoll.facts import Note

_EPOCH_S_MIN, _EPOCH_S_MAX = 3e8, 1e10
"""Seconds since 1970 of a time of ours: 1979 to 2286. Milliseconds lie beyond it."""


class OffError(Exception):
    """A part of an export that cannot be read, with the reason."""


@dataclass(frozen=True)
class Source:
    """One format of exports."""

    title: str
    """What it is, as messages call it."""
    recognises: Callable[[Content], bool]
    """Looks at little, and never raises for what is something else."""
    read: Callable[[Content, Found], None]
    anew: str
    """How it is exported, so that it can be done again: a command."""
    blind: tuple[Note, ...] = ()
    """What it cannot tell, whatever stands in it."""
    is_asked: bool = False
    """Whether somebody named each of its series when it was exported, so that all are wanted."""

    def take(self, content: Content, found: Found) -> None:
        """All that the content says, and what it cannot tell."""
        found.begin(content.name, self)
        self.read(content, found)
        if content.cut is not None:
            found.off(content.cut)
        for _ in range(content.lines_off):
            found.off(content.first_off)
        found.end()


@dataclass
class Found:
    """What exports hold, and what of them could not be read."""

    points: AllPoints = field(default_factory=dict)
    has_zones: bool = False
    """Whether times are known by a zone, and are taken to UTC."""
    is_local: bool = False
    """Whether times are those of a clock without one."""
    asked: set[SeriesKey] = field(default_factory=set)
    """Series that somebody asked for by name."""
    off_files: int = 0
    """Files of which some part could not be read."""
    notes: list[Note] = field(default_factory=list)
    _name: str = ""
    _source: Source | None = None
    _keys: set[SeriesKey] = field(default_factory=set)
    _offs: list[str] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)
    _seen: dict[SeriesKey, dict[float, float]] = field(default_factory=dict)

    def begin(self, name: str, source: Source) -> None:
        """What follows is of that file."""
        self._name, self._source, self._keys, self._offs = name, source, set(), []

    def end(self) -> None:
        """Tells what is off in that file, and what exports of its kind cannot tell."""
        assert self._source is not None, "a file was begun"
        if self._source.is_asked or not any(key.metric in _MAIN for key in self._keys):
            self.asked |= self._keys
        if self._offs:
            self.off_files += 1
            self.notes.append(Note(code="export-unread", message=self._told()))
        for note in self._source.blind:
            self.note(note.code, note.message)

    def _told(self) -> str:
        assert self._source is not None, "a file was begun"
        more = len(self._offs) - 1
        left = f", and {more:,} more {'part' if more == 1 else 'parts'}" if more else ""
        return f"{self._name}: {self._offs[0]}{left}; what was there is missing. Export it anew: {self._source.anew}"

    def off(self, what: str) -> None:
        """One more part that cannot be read, at the place that is read now."""
        place = ".".join(self._places).replace(".[", "[")
        self._offs.append(f"{place}: {what}" if place else what)

    def note(self, code: str, message: str) -> None:
        """Said once, however many files it is true of."""
        made = Note(code=code, message=message)
        if made not in self.notes:
            self.notes.append(made)

    @contextmanager
    def part(self, place: str) -> Iterator[None]:
        """A part that is told with its place, within the part around it, where it cannot be read; the rest is read."""
        self._places.append(place)
        try:
            yield
        except OffError as error:
            self.off(str(error))
        finally:
            self._places.pop()

    def add(
        self,
        database: str,
        metric: str,
        begin_s: float,
        value: float | None,
        *,
        duration_s: float = nan,
        weight: float = nan,
    ) -> None:
        """One more point; none where the value is not known. What two exports say of one moment is there once. Raises OffError."""
        if value is None:
            return
        if not math.isfinite(value) or abs(value) > EXPORT_FIGURE_MAX:
            raise OffError(f"{metric} is no figure below {EXPORT_FIGURE_MAX:.0e}")
        key = SeriesKey(database, metric)
        self._keys.add(key)
        said = self._seen.setdefault(key, {}).setdefault(begin_s, value)
        if said != value:
            message = f"{metric} of {database} is told twice for one moment, and differently; what was read first is taken"
            self.note("told-twice", message)
        elif len(self._seen[key]) > self._count(key):
            add_point(self.points, key, "", begin_s, duration_s, value, weight)

    def _count(self, key: SeriesKey) -> int:
        return len(self.points[key][""].value) if key in self.points else 0

    def seconds(self, moment: datetime) -> float:
        """Of a time, with or without a zone."""
        if moment.tzinfo is None:
            self.is_local = True
        else:
            self.has_zones = True
        return seconds_of(moment)


_MAIN = ("iops", "mb_per_s", "commits_per_s", "read_per_s", "write_per_s")
"""With any of these a file has what is shown where no metric is named, and the rest of it waits until it is."""


def moment_of(value: Any) -> datetime:
    """A time as exports write it: ISO 8601, or seconds since 1970. Raises OffError."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if not _EPOCH_S_MIN <= value <= _EPOCH_S_MAX:
            raise OffError(f"{value} is no time in seconds since 1970")
        return datetime.fromtimestamp(value, UTC)
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        raise OffError(f"'{shown(value)}' is no time") from None


def shown(value: Any) -> str:
    """A value as messages show it."""
    text = str(value)
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}…"


_SHOWN_MAX = 60


def number(of: Mapping[str, Any], name: str) -> float | None:
    """A figure that is not below 0; None where there is none. Raises OffError."""
    value = of.get(name)
    if value is None:
        return None
    if isinstance(value, str):
        value = _number_in(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise OffError(f"{name} '{shown(of.get(name))}' is no number")
    if value < 0:
        raise OffError(f"{name} {value:g} is below 0")
    return float(value)


def _number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def scaled(value: float | None, by: float) -> float | None:
    """In another unit; unknown stays unknown."""
    return None if value is None else value * by


def mapping(value: Any) -> Mapping[str, Any]:
    """An object. Raises OffError."""
    if not isinstance(value, Mapping):
        raise OffError(f"'{shown(value)}' is no object")
    return value


def listed(of: Mapping[str, Any], name: str) -> Sequence[Any]:
    """A list; an empty one where there is none. Raises OffError."""
    value = of.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise OffError(f"{name} is no list")
    return value


def worded(of: Mapping[str, Any], name: str) -> str:
    """A text that is not empty. Raises OffError."""
    value = of.get(name)
    if not isinstance(value, str) or not value.strip():
        raise OffError(f"it has no {name}")
    return value.strip()
