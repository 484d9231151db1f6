"""`plimsoll host slice verify`: slices of this host held against the plan that was applied."""

from __future__ import annotations

from pathlib import Path

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.redact import redact_database
from plimsoll.context import Context
from plimsoll.databases import AskPassword, nodes_told, open_database
from plimsoll.demand.local import is_here
from plimsoll.facts import Run, SliceSharedMemory
from plimsoll.flows.host_slice_caps import try_caps
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.flows.watched_time import WatchedTime
from plimsoll.host.cpu_users import main_process
from plimsoll.placement.slices.applying.checking import check_slices, with_findings
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.journal import Journal
from plimsoll.placement.slices.applying.settings import folders_of
from plimsoll.placement.slices.applying.shared_memory import kernel_by_node, shared_memory_of, wrong_memory
from plimsoll.placement.slices.layout import Layout, layout_of
from plimsoll.ports.control_groups import members_of_all
from plimsoll.requests.host_slice_apply import HostSliceVerifyRequest


def verify_slices(
    ctx: Context, asked: HostSliceVerifyRequest, ask_password: AskPassword | None = None
) -> Run:
    """Looks, stores and returns the run.

    Raises UsageError `slices-none-applied`, `driver-database`, WorldError `server-elsewhere`, and what the journal, the database
    and `write_report` raise.
    """
    started_at = ctx.clock.now()
    journal = Journal(Path(asked.journal))
    with journal.locked():
        applied = journal.applied()
        layout = layout_of(applied.plan)
        found = check_slices(applied, layout, WatchedTime(ctx, asked.watched_s))
        if asked.caps_s is not None:
            tried = try_caps(ctx, layout, applied.hierarchy, asked.caps_s)
            found = with_findings(found.but(caps=tuple(tried.caps)), tried.findings)
        if asked.database is not None:
            memory = _shared_memory(ctx, asked.database, layout, applied.hierarchy, ask_password)
            found = with_findings(found.but(shared_memory=memory), wrong_memory(memory))
    run = record(
        ctx, "host", "slices of this host", started_at, interrupted=ctx.cancel.is_set, slice_checks=found
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _shared_memory(
    ctx: Context, database: str, layout: Layout, hierarchy: Hierarchy, ask_password: AskPassword | None
) -> SliceSharedMemory:
    """As the server counts it and as the kernel does: of the process that was asked, which has touched each page by then."""
    if not database.startswith(("postgresql:", "postgres:")):
        message = (
            f"--database names {redact_database(database)}, and PostgreSQL alone tells nodes of its memory"
        )
        raise UsageError(
            "driver-database", message, "Name the PostgreSQL of a slice, as postgresql://user@host/name."
        )
    with open_database(ctx, database, ask_password) as connection:
        where = connection.database.location
        if not is_here(connection):
            message = f"no process of the server at {where} is to be seen on this host"
            hint = "Run it on the server's own host, outside of containers, as root."
            raise WorldError("server-elsewhere", message, hint)
        session = connection.session("plimsoll shared memory")
        try:
            told = nodes_told(session, connection.database.version_number)
            kernel = None if session.server_process is None else kernel_by_node(session.server_process)
        finally:
            session.close()
        leader = main_process(connection.server_process)
        slices = [one.slice for one in layout.groups if one.slice.purpose == "database"]
        groups = {one.name: folders_of(layout, one, hierarchy) for one in layout.groups}
        inside = {name: members_of_all(folders) for name, folders in groups.items()}
        return shared_memory_of(slices, inside, leader, where, told, kernel)
