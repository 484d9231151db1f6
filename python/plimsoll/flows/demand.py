"""`plimsoll demand`: what a live database asks of storage; and demand from wherever it was kept."""

from __future__ import annotations

import os
import re
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plimsoll.base import settings
from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.base.jsontext import parse_json
from plimsoll.base.limits import (
    DEMAND_BYTES_MAX,
    DEMAND_BYTES_PER_S_MAX,
    DEMAND_FIGURE_MAX,
    DEMAND_INTERVALS_MAX,
    DEMAND_KEYS_MAX,
    DEMAND_PER_S_MAX,
    DEMAND_PER_S_MIN,
    DEMAND_SIGNS_MAX,
)
from plimsoll.context import Context
from plimsoll.databases import AskPassword, PrintsQueries, open_database
from plimsoll.demand.collect import collect
from plimsoll.demand.series import as_demand, check_single
from plimsoll.demand.workload import workload_of
from plimsoll.facts import Demand, Fact, ReportedDemand, Run, Workload
from plimsoll.flows.demand_moments import watch_moments
from plimsoll.flows.demand_reports import demand_of_reports
from plimsoll.flows.load import demand_under_pgbench
from plimsoll.flows.record import record
from plimsoll.ports import files
from plimsoll.requests.assess import AssessRequest

EMBEDDED = "embedded"
"""The database that Plimsoll starts and drives itself; left alone it would ask for nothing."""
_HEAD_BYTES = 64
_FILE_KEY = "plimsoll_demand"
_FILE_START = f'{{\n "{_FILE_KEY}": 1,\n'
"""By its first key a file of ours is known from other people's JSON, which is not replaced."""
_NOT_DEMAND = ("run", "unread_files", "unreached")
"""What `demand --json` prints beside the demand; that reports were not read is among its notes as well."""
_NEVER_NEGATIVE = ("duration_s", "resolution_s", "elapsed_s", "late_s_max", "burst_factor")
_BLOCK_BYTES_MAX = 1 << 20
_WAL_BLOCK = "wal_block_size"
_PAGE = re.compile(r"[1-9][0-9]{2,5}", re.ASCII)
_NO_SOURCE = "Name a stored run or file with --demand, or a live database with --database."


def learn_demand(
    ctx: Context,
    database: str | None,
    seconds: float,
    ask_password: AskPassword | None = None,
    *,
    relations: bool = False,
    licensed: bool = False,
) -> Run:
    """Watches the database, with `relations` each table too, stores and returns the run.

    `licensed` is the user's word for the Diagnostics Pack of an Oracle Database, whose AWR is then read as well. An interrupted
    run holds the intervals until then.
    """
    started_at = ctx.clock.now()
    location = database or settings.read(settings.DATABASE)
    if location is None:
        raise UsageError(
            "database-missing", "no database was named", "Name one with --database, or set PLIMSOLL_DATABASE."
        )
    demand = _watch(ctx, location, seconds, ask_password, relations, licensed)
    title = f"demand of {demand.database.name} at {demand.database.location}"
    return record(
        ctx, "demand", title, started_at, interrupted=ctx.cancel.is_set, demand=demand, notes=demand.notes
    )


def _watch(
    ctx: Context,
    location: str,
    seconds: float,
    ask_password: AskPassword | None,
    relations: bool,
    licensed: bool,
) -> Demand:
    if location == EMBEDDED:
        return demand_under_pgbench(ctx, seconds)
    with open_database(ctx, location, ask_password) as connection:
        if isinstance(connection, PrintsQueries) and not relations:
            return watch_moments(ctx, connection, seconds, licensed)
        return collect(ctx, connection, seconds, relations=relations)


def write_demand(demand: Demand | ReportedDemand, out: Path) -> None:
    """The demand as a JSON file for `--demand`. Raises WorldError `demand-refused`."""
    try:
        document = demand.model_dump_json(indent=1).removeprefix("{\n")
        files.write_text_atomically(out, f"{_FILE_START}{document}\n", _FILE_START)
    except OSError as error:
        raise world_error("demand-refused", f"write {out}", error, "Name another file with --out.") from error


def load_demand(ctx: Context, place: str) -> Demand:
    """Demand from a file, from reports, else from the stored run of that id.

    Raises UsageError `demand-unreadable`, `demand-none`, `demand-several`; WorldError `demand-unreadable`.
    """
    path = Path(place)
    if files.is_standard_input(path):
        return _from_input(ctx, path)
    if _holds_reports(path):
        return _from_reports(ctx, path)
    if path.suffix or "/" in place or os.path.isfile(path):
        return _from_file(path)
    run = ctx.store.load(place)
    if run.demand is None:
        raise UsageError(
            "demand-none",
            f"run {run.id} holds no demand",
            "Runs of plimsoll demand do; see plimsoll store list.",
        )
    return run.demand


def _holds_reports(path: Path) -> bool:
    """Whether it is a folder, or a file that is no JSON."""
    if os.path.isdir(path):
        return True
    try:
        with files.open_regular(path) as stream:
            head = stream.read(_HEAD_BYTES).lstrip()
    except OSError:
        return False
    return path.suffix != ".json" and bool(head) and not head.startswith((b"{", b"["))


def _from_input(ctx: Context, path: Path) -> Demand:
    """What comes in through standard input: a demand as JSON, or reports."""
    try:
        content = files.read_standard_input(DEMAND_BYTES_MAX)
    except OSError as error:
        hint = "Pipe in a demand, or a report."
        raise world_error("demand-unreadable", f"read {files.STANDARD_INPUT}", error, hint) from error
    if content[:_HEAD_BYTES].lstrip().startswith((b"{", b"[")):
        return parse_demand(content, files.STANDARD_INPUT)
    return _from_reports(ctx, path, content)


def _from_reports(ctx: Context, path: Path, piped: bytes | None = None) -> Demand:
    found = demand_of_reports(ctx, [path], piped)
    ctx.cancel.check()
    if not found.demand.intervals:
        first = next((report for report in found.unread if report.problems), None)
        why = "nothing in it is a report that is known here" if first is None else first.problems[0].message
        hint = (
            "Name a Statspack or AWR report, a folder or archive of them, or a file of plimsoll demand --out."
        )
        if os.path.isdir(path):
            raise WorldError("demand-unreadable", f"no report was found in {path}: {why}", hint)
        name = path if piped is None else files.STANDARD_INPUT
        raise UsageError("demand-unreadable", f"{name} holds neither a demand nor a report: {why}", hint)
    return _of_one(found.demand)


def _of_one(demand: ReportedDemand) -> Demand:
    """A demand from reports, which must be about one database."""
    check_single(demand)
    return as_demand(demand)


def _from_document(document: Any) -> Demand:
    _check_shape(document)
    if isinstance(document, dict) and document.get("source") == "reports":
        reported = ReportedDemand.model_validate(document)
        _check_figures(reported)
        _check_peak(reported)
        return _of_one(reported)
    demand = Demand.model_validate(document)
    _check_figures(demand)
    _check_peak(demand)
    return demand


def _check_peak(demand: Demand | ReportedDemand) -> None:
    """A verdict rests on the peak: one that no interval has was put in, or its interval taken out."""
    if demand.peak is not None and demand.peak not in demand.intervals:
        raise _Off("its peak is none of its intervals")


class _Off(Exception):
    """What is off in a document, and where."""


def _check_signs(content: bytes) -> None:
    """Before it is parsed: each of these signs is a value that takes some hundred bytes."""
    if sum(map(content.count, (b"[", b"{", b","))) > DEMAND_SIGNS_MAX:
        raise _Off(f"it has more than {DEMAND_SIGNS_MAX:,} values")


def _check_shape(document: Any) -> None:
    """Before facts are made of it: what is refused of a document takes memory as well."""
    if isinstance(document, dict) and isinstance(document.get("intervals"), list):
        count = len(document["intervals"])
        if count > DEMAND_INTERVALS_MAX:
            raise _Off(f"it has {count:,} intervals, and at most {DEMAND_INTERVALS_MAX:,} are read")
    left = [document]
    while left:
        found = left.pop()
        if isinstance(found, dict) and len(found) > DEMAND_KEYS_MAX:
            raise _Off(f"an object in it has {len(found):,} members, and none of a demand has so many")
        members: Any = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
        left += (member for member in members if isinstance(member, (dict, list)) and member)


def _check_figures(demand: Demand | ReportedDemand) -> None:
    """That each figure is one that storage could be asked for."""
    left: list[tuple[str, Any]] = [("", demand)]
    while left:
        place, found = left.pop()
        members: Any = found.items() if isinstance(found, dict) else found
        for name, member in enumerate(members) if isinstance(found, tuple) else members:
            if isinstance(member, (Fact, tuple, dict)):
                left.append((f"{place}{name}.", member))
            elif isinstance(member, (int, float)) and (why := _off(str(name), member)) is not None:
                raise _Off(f"at {place}{name}, {why}")
    settings_of = demand.database.settings if isinstance(demand, Demand) else {}
    if not _PAGE.fullmatch(settings_of.get(_WAL_BLOCK, "8192")):
        raise _Off(f"at database.settings.{_WAL_BLOCK}, it is no size of a page")


def _off(name: str, figure: float) -> str | None:
    """Why a figure of that name cannot be."""
    rate = "_per_s" in name or name.endswith("iops")
    highest = DEMAND_FIGURE_MAX
    if rate:
        highest = DEMAND_BYTES_PER_S_MAX if "bytes" in name else DEMAND_PER_S_MAX
    if not isfinite(figure) or abs(figure) > highest:
        return f"the figure is not below {highest:.0e}"
    if figure < 0 and (rate or name.endswith(_NEVER_NEGATIVE) or "latency" in name):
        return "the figure is below 0"
    if rate and 0 < figure < DEMAND_PER_S_MIN:
        return f"the figure is neither 0 nor {DEMAND_PER_S_MIN:.0e} or more"
    if name == "block_bytes" and not 0 < figure <= _BLOCK_BYTES_MAX:
        return "it is no size of a block"
    return None


def _from_file(path: Path) -> Demand:
    """A file of `--out`, or the envelope that `demand --json` printed."""
    try:
        content = files.read_input(path, DEMAND_BYTES_MAX)
    except FileNotFoundError as error:
        raise UsageError(
            "demand-missing", f"there is no file {path}", "Make one with plimsoll demand --out FILE."
        ) from error
    except OSError as error:
        raise world_error(
            "demand-unreadable", f"read {path}", error, "Name a file that you can read."
        ) from error
    return parse_demand(content, str(path))


def parse_demand(content: bytes, name: str) -> Demand:
    """The demand in a file's content; `name` is for messages. Raises UsageError `demand-unreadable`, `demand-several`."""
    hint = "It should be a file of plimsoll demand --out FILE, or what plimsoll demand --json printed."
    try:
        _check_signs(content)
        document = parse_json(content)
        if isinstance(document, dict) and isinstance(document.get("data"), dict):
            document = {key: value for key, value in document["data"].items() if key not in _NOT_DEMAND}
        elif isinstance(document, dict):
            document.pop(_FILE_KEY, None)
        return _from_document(document)
    except _Off as error:
        raise UsageError("demand-unreadable", f"{name} does not hold a demand: {error}", hint) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the top"
        message = f"{name} does not hold a demand: at {place}, {first['msg'].lower()}"
        raise UsageError("demand-unreadable", message, hint) from error
    except ValueError as error:
        raise UsageError("demand-unreadable", f"{name} is not json: {str(error).lower()}", hint) from error


def demands_for(
    ctx: Context, asked: AssessRequest, ask_password: AskPassword | None = None
) -> tuple[Demand, ...]:
    """The demands that a verdict is to be about: kept, or one that is learnt now from a live database.

    Raises UsageError `demand-source`, and what the reading of either raises.
    """
    if bool(asked.demand) == (asked.database is not None):
        both = "both --demand and --database were given" if asked.demand else "no demand was named"
        raise UsageError("demand-source", both, _NO_SOURCE)
    if asked.demand:
        found = [load_demand(ctx, place) for place in asked.demand]
    else:
        learnt = learn_demand(ctx, asked.database, asked.watched_s, ask_password).demand
        assert learnt is not None, "a demand run has a demand"
        ctx.cancel.check()
        found = [learnt]
    if asked.burst_factor is None:
        return tuple(found)
    return tuple(demand.model_copy(update={"burst_factor": asked.burst_factor}) for demand in found)


def mix_of(demand: Demand) -> Workload:
    """The mix of the demand's peak. Raises UsageError `demand-empty`."""
    mix = workload_of(demand)
    if mix.workload is None:
        hint = "Watch the database while it works."
        raise UsageError("demand-empty", f"no mix can be made: {mix.notes[-1].message}", hint)
    return mix.workload
