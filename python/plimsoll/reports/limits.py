"""Bounds of reading many reports, and of writing their tables."""

from __future__ import annotations

from typing import Final

FLEET_FILES_MIN: Final = 1000
"""So many files are read by processes apart: what it costs to start them is then a small part of the time."""

FLEET_GROUP_BYTES_MIN: Final = 8 << 20
"""A group of files is read by one process at once: less would cost more on the way than it takes to read."""

FLEET_PACKED_GROWTH: Final = 15
"""A packed file counts as so many times its length, or as what it says of itself if that is more: reports shrink 15 to 20 times."""

FLEET_GROUP_FILES_MAX: Final = 200
"""Files of a group: of small files more would make the last process that works keep all waiting."""

FLEET_GROUP_CUT: Final = 128
"""One name of so many ends a group, whatever stands before it: behind that, groups are the same after a file came or went."""

FLEET_CHANGED_TRIES: Final = 3
"""How often a group is read again of which a file was changed before another host had it."""

FLEET_KEPT_DAYS_MAX: Final = 7
"""What an ended command had read is forgotten then, as nobody will go on with it."""

READ_WAITING_BYTES_MAX: Final = 24 << 20
"""Rows of all tables that wait in memory until they are written."""

READ_PART_BYTES_MIN: Final = 5 << 20
"""Rows of one table that are written together: in Parquet a row group, which holds some 120,000 cells."""

READ_FILE_BYTES_MIN: Final = 24 << 20
"""A Parquet file is full then, and the next one begins."""

READ_FREED_KEPT_MS: Final = 100
"""Memory that was freed while reports are read is used again within this time, or given back: as long as some row groups take."""

READ_UNREADABLE_SHOWN_MAX: Final = 100
"""Reports that could not be read which people are shown by name; all of them are in the JSON of `plimsoll read`."""

READ_PROBLEMS_SHOWN_MAX: Final = 20
"""Problems of one report that people are shown; all of them are in the JSON."""
