"""`plimsoll host audit`: what of a host costs its databases time or memory."""

from __future__ import annotations

from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import HostAudit, Run
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.flows.watched_time import WatchedTime
from plimsoll.host.audit import Host, audit, databases, watch_host
from plimsoll.host.topology import HostFiles, read_host
from plimsoll.requests.host_audit import HostAuditRequest

_ROOT = Path("/")


def audit_host(ctx: Context, asked: HostAuditRequest) -> Run:
    """Looks, stores and returns the run. Raises UsageError `audit-text`, `audit-process-missing`, and what `read_host` and
    `write_report` raise."""
    started_at = ctx.clock.now()
    files = read_host(asked.source)
    found = _of_this_host(ctx, asked, files) if asked.source is None else _of_recording(asked.source, files)
    where = "this host" if asked.source is None else f"the host in {asked.source}"
    run = record(
        ctx, "host", f"audit of {where}", started_at, interrupted=ctx.cancel.is_set, host_audit=found
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


def _of_this_host(ctx: Context, asked: HostAuditRequest, files: HostFiles) -> HostAudit:
    assert files.reader is not None, "the running system has files"
    found = databases(files.topology, asked.pids, _ROOT / "proc")
    watched = watch_host(
        files.reader, files.topology, found, lambda: WatchedTime(ctx, asked.watched_s), _ROOT
    )
    return audit(Host(files.reader, files.topology, _ROOT, found, watched))


def _of_recording(source: str, files: HostFiles) -> HostAudit:
    if files.reader is None:
        hint = "Record sys and proc of that host, as hwloc-gather-topology does, or run `plimsoll host audit` on it."
        message = f"{source} is a text of numactl --hardware, which tells no setting of the kernel"
        raise UsageError("audit-text", message, hint)
    return audit(Host(files.reader, files.topology, None))
