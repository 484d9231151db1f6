"""Slices as they are written down: `slices.toml`, a `[[slice]]` for each database, and above them what is set aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from plimsoll.base.errors import UsageError, input_error
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import format_bytes, parse_bytes
from plimsoll.facts.slices import SliceDatabase
from plimsoll.host.topology.values import parse_list
from plimsoll.placement.slices.disk_tables import ByRuns, DiskTables, no_runs
from plimsoll.placement.slices.wanted import Division, Wanted
from plimsoll.placement.slices.words import ACCOUNT, COUNT_MAX, LISTENER, NAME, SERVICE
from plimsoll.placement.toml_text import NotTomlError, content_of, is_name, is_rate, shown
from plimsoll.ports import files

BYTES_MAX = 1 << 20
SLICES_MAX = 64
PLANNED_KEYS = ("cores", "one_node", "nodes")
HAND_KEYS = ("cpus", "mems")
KEYS = (
    "name", "memory", "shared_memory", "huge_page", "priority", "devices", "iops", "mb_per_s", "redo_mb_per_s",
    "database", "service", "account", "listener",
    *PLANNED_KEYS, *HAND_KEYS,
)  # fmt: skip
TOP_KEYS = ("housekeeping_cores", "log_writer_cores", "memory_free_share")
_HINT = "A [[slice]] has name, cores and memory; see `plimsoll help host slice plan`."
_LIST_HINT = 'Write numbers as the kernel does, such as "0-5" or "0,2".'
_SIZE_HINT = "Write a size such as '6g' or '512m'."
_SIZE_OF = {"memory": "6 GiB", "shared_memory": "4 GiB", "huge_page": "2 MiB"}
_BARE = re.compile(r"[0-9][0-9_]*(?:\.[0-9]+)?")
"""A number alone, of which nobody knows whether it is of bytes or of GiB."""
_COUNT_HINT = "Write a whole number of 1 or more."


class SliceFile:
    """What a file asks for, and how a message names the place of what it is about.

    Reading raises UsageError `slices-unreadable` with file and line, `file-missing`, WorldError `slices-unreadable`, and what
    `by_runs` raises.
    """

    def __init__(
        self,
        path: Path | str,
        kernel_name: Callable[[str], str] | None = None,
        by_runs: ByRuns = no_runs,
    ) -> None:
        """`kernel_name` tells what this host calls the disk that a path or a serial number names, `by_runs` what stored runs
        of a disk measured.
        """
        self.kernel_name: Callable[[str], str] = kernel_name or str
        try:
            text = files.read_input(path, BYTES_MAX).decode("utf-8-sig")
        except OSError as error:
            raise input_error("slices-unreadable", path, error) from error
        except UnicodeDecodeError as error:
            raise _off(path, 1, "it is not UTF-8 text", _HINT) from error
        self._path, self._lines = str(path), text.splitlines()
        self._starts = [
            number
            for number, line in enumerate(self._lines, 1)
            if re.match(r"\s*\[\[\s*[\"']?slice[\"']?\s*\]\]", line)
        ]
        try:
            self._content = content_of(text)
        except NotTomlError as error:
            raise _off(path, error.line, f"it is not TOML: {error.why}", _HINT) from error
        self._disks = DiskTables(
            self._content.get("disk", []),
            self._lines,
            self.kernel_name,
            lambda line, what, hint: _off(self._path, line, what, hint),
            by_runs,
        )
        self.division = self._division()

    def where(self, name: str, key: str) -> str:
        """File and line of a key of the slice of that name, as a message begins."""
        number = next(at for at, one in enumerate(self.division.slices) if one.name == name)
        return f"{self._path}, line {self._line(number, key):,}"

    def where_of_disk(self, device: str, key: str) -> str:
        """File and line of a key of that disk, as a message begins."""
        number = next(at for at, one in enumerate(self.division.disks) if one.device == device)
        return f"{self._path}, line {self._disks.line(number, key):,}"

    def _off_above(self, key: str, what: str, hint: str) -> UsageError:
        """An error about a key above all slices."""
        return _off(self._path, self._top_line(key), what, hint)

    def _division(self) -> Division:
        known = (*TOP_KEYS, "slice", "disk")
        unknown = [key for key in self._content if key not in known]
        if unknown:
            hint = f"{did_you_mean(unknown[0], known)}Above the slices there are {', '.join(TOP_KEYS)}."
            raise self._off_above(unknown[0], f"unknown key '{unknown[0]}'", hint)
        tables = self._content.get("slice", [])
        if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
            raise _off(self._path, 1, "it has no [[slice]]", _HINT)
        if len(tables) > SLICES_MAX:
            hint = "Divide the host among fewer databases."
            raise _off(self._path, 1, f"{len(tables)} slices are more than {SLICES_MAX}", hint)
        slices = tuple(_Slice(self, number, table).wanted() for number, table in enumerate(tables))
        self._check_single(slices, "name", lambda one: one.name)
        self._check_single(slices, "service", lambda one: one.service)
        return Division(
            slices,
            housekeeping_cores=self._top_count("housekeeping_cores", Division.housekeeping_cores),
            log_writer_cores=self._top_count("log_writer_cores", Division.log_writer_cores),
            memory_free_share=self._share(),
            disks=self._disks.disks(),
        )

    def _check_single(self, slices: Sequence[Wanted], key: str, of: Callable[[Wanted], str | None]) -> None:
        """That no two slices have the same there."""
        values = [of(one) for one in slices]
        for number, value in enumerate(values):
            if value is not None and value in values[:number]:
                what = f"'{value}' is the {key} of two slices"
                raise self.at(number, key, what, f"Give each a {key} of its own.")

    def _top_count(self, key: str, default: int) -> int:
        value = self._content.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= COUNT_MAX:
            raise self._off_above(
                key, f"{key}: {shown(value)} is not a number of cores", "Write a whole number, 0 or more."
            )
        return value

    def _share(self) -> float:
        value = self._content.get("memory_free_share", Division.memory_free_share)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
            hint = "Write a share of each node's memory, such as 0.1."
            raise self._off_above(
                "memory_free_share", f"memory_free_share: {shown(value)} is not below 1", hint
            )
        return float(value)

    def at(self, number: int, key: str, what: str, hint: str) -> UsageError:
        """An error about a key of the slice of that number."""
        return _off(self._path, self._line(number, key), what, hint)

    def _line(self, number: int, key: str) -> int:
        """Where a key stands in the table of that number, or where the table begins."""
        start = self._starts[number] if number < len(self._starts) else 1
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self._lines)
        mark = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=")
        return next((line for line in range(start, end + 1) if mark.match(self._lines[line - 1])), start)

    def _top_line(self, key: str) -> int:
        mark = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}\b")
        return next((number for number, line in enumerate(self._lines, 1) if mark.match(line)), 1)


def _off(path: object, line: int, what: str, hint: str) -> UsageError:
    return UsageError("slices-unreadable", f"{path}, line {line:,}: {what}", hint)


class _Slice:
    """Reads one table."""

    def __init__(self, file: SliceFile, number: int, table: Mapping[str, Any]) -> None:
        self._file, self._number, self._table = file, number, table

    def wanted(self) -> Wanted:
        """What it asks for."""
        self._check_keys()
        cpus, mems = self._numbers("cpus"), self._numbers("mems")
        found = Wanted(
            name=self._name(),
            cores=self._count("cores") if cpus is None else 0,
            memory_bytes=self._size("memory"),
            shared_bytes=self._size("shared_memory") if "shared_memory" in self._table else 0,
            huge_page_bytes=self._size("huge_page") if "huge_page" in self._table else None,
            priority=self._count("priority") if "priority" in self._table else 1,
            one_node=self._truth("one_node"),
            on_nodes=self._numbers("nodes"),
            devices=tuple(dict.fromkeys(map(self._file.kernel_name, self._names("devices")))),
            iops=self._rate("iops"),
            mb_per_s=self._rate("mb_per_s"),
            redo_mb_per_s=self._rate("redo_mb_per_s"),
            cpus=cpus,
            mems=mems,
            database=self._database(),
            service=self._word(
                "service", SERVICE, "the name of a systemd service", "postgresql@16-main.service"
            ),
            account=self._word("account", ACCOUNT, "the name of an account", "postgres"),
            listener=self._listener(),
        )
        self._check_huge_pages(found)
        return found

    def _check_keys(self) -> None:
        unknown = [key for key in self._table if key not in KEYS]
        if unknown:
            hint = f"{did_you_mean(unknown[0], KEYS)}A slice has {', '.join(KEYS)}."
            raise self._off(unknown[0], f"unknown key '{unknown[0]}'", hint)
        hand = [key for key in HAND_KEYS if key in self._table]
        if len(hand) == 1:
            raise self._off(hand[0], f"{hand[0]} is given alone", "A slice by hand has both cpus and mems.")
        mixed = [key for key in PLANNED_KEYS if key in self._table]
        if hand and mixed:
            hint = f"Leave out {mixed[0]}, or cpus and mems, which are then planned."
            raise self._off(mixed[0], f"{mixed[0]} is given beside cpus", hint)

    def _check_huge_pages(self, found: Wanted) -> None:
        page = found.huge_page_bytes
        if page is None and found.shared_bytes:
            hint = 'Write their size too, such as huge_page = "2m".'
            raise self._off(
                "shared_memory", "shared_memory lies in huge pages, and huge_page is missing", hint
            )
        if page is not None and not found.shared_bytes:
            hint = 'Write how much lies in them, such as shared_memory = "4g".'
            raise self._off("huge_page", "huge_page is given without shared_memory", hint)
        if page is not None and (page & (page - 1) or found.shared_bytes % page):
            below = found.shared_bytes // page * page
            hint = "Write a size that is a whole number of them: "
            hint += (
                f"{format_bytes(below)} or {format_bytes(below + page)}."
                if not page & (page - 1)
                else '"2m" or "1g".'
            )
            what = f"shared_memory is not a whole number of huge pages of {format_bytes(page)}"
            raise self._off("shared_memory", what, hint)
        if found.shared_bytes > found.memory_bytes:
            hint = "memory is all that the slice is given; write at least as much as shared_memory."
            raise self._off("memory", "memory is less than shared_memory", hint)

    def _name(self) -> str:
        name = self._table.get("name")
        if not isinstance(name, str) or NAME.fullmatch(name) is None:
            what = (
                "the slice has no name"
                if name is None
                else f"name: {shown(name)} cannot be that of a control group"
            )
            raise self._off("name", what, "Write letters, digits, '-', '_' and '.', such as name = \"db1\".")
        if name in ("housekeeping", "log-writers"):
            raise self._off(
                "name", f"'{name}' is the name of what is set aside", "Give the database another name."
            )
        return name

    def _count(self, key: str) -> int:
        value = self._table.get(key)
        if value is None:
            raise self._off(key, f"{key} is missing", _HINT)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= COUNT_MAX:
            raise self._off(key, f"{key}: {shown(value)} is not 1 or more", _COUNT_HINT)
        return value

    def _size(self, key: str) -> int:
        value = self._table.get(key)
        if value is None:
            raise self._off(key, f"{key} is missing", _HINT)
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise self._off(key, f"{key}: {shown(value)} is not a size", _SIZE_HINT)
        number = shown(value) if not isinstance(value, str) else value.strip()
        if _BARE.fullmatch(number):
            example = (
                f"{number} {'MiB' if key == 'huge_page' else 'GiB'}" if len(number) < 6 else _SIZE_OF[key]
            )
            what = f"{key}: {number} has no unit, and may be bytes, MiB or GiB"
            raise self._off(key, what, f'Write it with its unit, such as {key} = "{example}".')
        try:
            size = parse_bytes(number)
        except UsageError as error:
            raise self._off(key, f"{key}: {error.message}", _SIZE_HINT) from error
        if not 0 < size < 1 << 60:
            raise self._off(key, f"{key}: {shown(value)} is not a size", _SIZE_HINT)
        return size

    def _rate(self, key: str) -> float | None:
        value = self._table.get(key)
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not is_rate(value, 0):
            raise self._off(key, f"{key}: {shown(value)} is not a rate", "Write a plain number, 0 or more.")
        return float(value)

    def _truth(self, key: str) -> bool:
        value = self._table.get(key, False)
        if not isinstance(value, bool):
            raise self._off(key, f"{key}: {shown(value)} is neither true nor false", "Write true or false.")
        return value

    def _names(self, key: str) -> tuple[str, ...]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and is_name(one) for one in value):
            raise self._off(
                key, f"{key}: {shown(value)} is not a list of names", 'Write such as devices = ["nvme0n1"].'
            )
        return tuple(dict.fromkeys(one.strip() for one in value))

    def _database(self) -> SliceDatabase | None:
        value = self._table.get("database")
        known = get_args(SliceDatabase)
        if value is None or value in known:
            return value
        hint = f"{did_you_mean(str(value), known)}Write {' or '.join(known)}, or leave it out."
        raise self._off("database", f"database: {shown(value)} is none that is known", hint)

    def _listener(self) -> str | None:
        if "listener" in self._table and self._table.get("database") != "oracle":
            hint = 'Write database = "oracle" beside it, or leave it out.'
            raise self._off("listener", "listener is given, and the database is not oracle", hint)
        return self._word("listener", LISTENER, "the name of a listener", "LISTENER")

    def _word(self, key: str, form: re.Pattern[str], what: str, example: str) -> str | None:
        value = self._table.get(key)
        if value is None or (isinstance(value, str) and form.fullmatch(value)):
            return value
        raise self._off(key, f"{key}: {shown(value)} is not {what}", f'Write such as {key} = "{example}".')

    def _numbers(self, key: str) -> tuple[int, ...] | None:
        value = self._table.get(key)
        if value is None:
            return None
        try:
            found = parse_list(value) if isinstance(value, str) else _plain(value)
        except ValueError:
            found = frozenset()
        if not found:
            raise self._off(key, f"{key}: {shown(value)} is not a list of numbers", _LIST_HINT)
        return tuple(sorted(found))

    def _off(self, key: str, what: str, hint: str) -> UsageError:
        return self._file.at(self._number, key, what, hint)


def _plain(value: Any) -> frozenset[int]:
    """Of a number, or a list of them. Raises ValueError."""
    numbers = value if isinstance(value, list) else [value]
    if not all(
        isinstance(one, int) and not isinstance(one, bool) and 0 <= one < COUNT_MAX for one in numbers
    ):
        raise ValueError(value)
    return frozenset(numbers)
