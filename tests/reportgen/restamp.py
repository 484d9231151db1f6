"""Copies of one report under other names: other databases, instances, snapshots and times, by exchanging bytes of equal length.

Rulers and paging stay as they are, since every stamp is as long as the one that it replaces. That is hundreds of times cheaper
than to set each report anew, and makes folders of thousands that sort into databases, instances and intervals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render
from reportgen.sections.head import moment

_BEGIN = datetime(2024, 3, 9, 8, 0, 3)  # noqa: DTZ001  (reports print local times without a zone)
_INTERVAL = timedelta(hours=1)
_INSTANCES = 2
_SNAPSHOTS = 24


@dataclass(frozen=True)
class Stamp:
    """Whom and which interval a copy claims to be about; all texts of a fixed length."""

    database: int
    instance: int
    interval: int

    @property
    def db_name(self) -> str:
        """Eight characters."""
        return f"QZ{self.database:06d}"

    @property
    def db_id(self) -> int:
        """Ten digits."""
        return 3_900_000_000 + self.database

    @property
    def instance_name(self) -> str:
        """Nine characters."""
        return f"qz{self.database:06d}{self.instance}"

    @property
    def begin_snap(self) -> int:
        """Five digits."""
        return 60_000 + self.interval

    @property
    def begin(self) -> datetime:
        """When the interval began."""
        return _BEGIN + self.interval * _INTERVAL

    def texts(self) -> tuple[str, ...]:
        """What of it is printed, each in the length that all stamps have."""
        ends = (self.begin, self.begin + _INTERVAL)
        times = [
            moment(time, pattern) for time in ends for pattern in ("%d-{}-%y %H:%M:%S", "%d-{}-%y %H:%M")
        ]
        snaps = (str(self.begin_snap), str(self.begin_snap + 1))
        return (self.db_name, self.db_name.lower(), str(self.db_id), self.instance_name, *times, *snaps)


_FIRST = Stamp(0, 1, 0)


class Template:
    """A set report that takes other stamps."""

    def __init__(self, facts: Facts, layout: Layout) -> None:
        self.layout = layout
        self._report = render(_stamped(facts), layout)
        self._places = {text.encode(): place for place, text in reversed(list(enumerate(_FIRST.texts())))}
        longest_first = sorted(self._places, key=len, reverse=True)
        self._pattern = re.compile(rb"(?<!\d)(?:" + b"|".join(map(re.escape, longest_first)) + rb")")

    def stamped(self, stamp: Stamp) -> bytes:
        """The report under another stamp, of the same length."""
        texts = [text.encode() for text in stamp.texts()]
        return self._pattern.sub(lambda match: texts[self._places[match[0]]], self._report)


def _stamped(facts: Facts) -> Facts:
    header = replace(
        facts.header,
        db_name=_FIRST.db_name,
        db_id=_FIRST.db_id,
        unique_name=_FIRST.db_name.lower(),
        begin_snap=_FIRST.begin_snap,
        end_snap=_FIRST.begin_snap + 1,
    )
    instance = replace(
        facts.first,
        name=_FIRST.instance_name,
        startup=_BEGIN - timedelta(days=50),
        begin=_FIRST.begin,
        end=_FIRST.begin + _INTERVAL,
    )
    return replace(facts, header=header, instances=(instance, *facts.instances[1:]))


def stamps(count: int) -> Iterator[Stamp]:
    """So many stamps: databases of two instances with a day of intervals each."""
    for number in range(count):
        rest, interval = divmod(number, _SNAPSHOTS)
        database, instance = divmod(rest, _INSTANCES)
        yield Stamp(database + 1, instance + 1, interval)


LAYOUTS = (
    (Layout("19"), ".html"),
    (Layout("12.1"), ".html"),
    (Layout("11.2.0.4"), ".html"),
    (Layout("19", Kind.AWR, Form.TEXT), ".txt"),
    (Layout("12.1", Kind.STATSPACK, Form.TEXT), ".lst"),
    (Layout("9.2", Kind.STATSPACK, Form.TEXT), ".lst"),
)


def write_folder(folder: Path, count: int, rows: int = 20, seed: int = 1) -> int:
    """Writes so many reports of mixed databases and layouts; the number of bytes."""
    facts = invent(seed, Scale(rows=rows))
    templates = [(Template(facts, layout), suffix) for layout, suffix in LAYOUTS]
    written = 0
    for number, stamp in enumerate(stamps(count)):
        # All reports of a database have one layout, as they have one release.
        template, suffix = templates[stamp.database % len(templates)]
        report = template.stamped(stamp)
        name = f"{number:05d}_{stamp.instance_name}_{stamp.begin_snap}{suffix}"
        (folder / name).write_bytes(report)
        written += len(report)
    return written
