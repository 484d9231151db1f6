"""Provenance: what a stranger needs in order to repeat the run, and to judge whether it speaks of the same thing."""

from __future__ import annotations

from plimsoll.base.units import format_bytes, format_seconds
from plimsoll.charts import Subject
from plimsoll.facts import Cell, Database, Host, Run, Target
from plimsoll.pages._say import UNKNOWN, bytes_text, instant, name, or_unknown, percent, product
from plimsoll.pages._section import Section
from plimsoll.results import Block, Pairs

_ARRIVALS = {
    "closed": "closed loop, latency from submission",
    "poisson": "Poisson, latency from when each I/O was due",
    "uniform": "uniform, latency from when each I/O was due",
}


def applies(subject: Subject) -> bool:
    """Always."""
    return True


def blocks(subject: Subject) -> list[Block]:
    """Run, engine, target, device, database, host and versions, as far as the run has them."""
    run = subject.run
    cell = run.cell or (run.line.trials[0].cell if run.line is not None and run.line.trials else None)
    found: list[Block] = [Pairs("Run", _run(run))]
    if cell is not None:
        found.append(Pairs("Engine", _engine(cell)))
    if run.target is not None:
        found += [Pairs("Target", _target(run.target)), Pairs("Device", _device(run.target))]
    asked = run.proof or run.demand
    if asked is not None:
        found.append(Pairs("Database", _database(asked.database)))
    found.append(Pairs("Host", _host(run.provenance.host)))
    return [*found, Pairs("Versions", _versions(run))]


def _run(run: Run) -> tuple[tuple[str, str], ...]:
    return (
        ("command", run.provenance.command),
        ("run", run.id),
        ("kind", run.kind),
        ("started", instant(run.started_at)),
        ("took", format_seconds((run.ended_at - run.started_at).total_seconds())),
        ("ended", "interrupted" if run.interrupted else "as planned"),
    )


def _engine(cell: Cell) -> tuple[tuple[str, str], ...]:
    arrivals = _ARRIVALS[cell.arrivals.kind]
    total = sum(io.weight for io in cell.workload.classes)
    classes = "; ".join(
        f"{name(io.name)}: {io.pattern} {io.op} of {format_bytes(io.block_bytes)}, {percent(io.weight / total)}"
        + (", synced" if io.sync else "")
        + (f", {io.flush.call} after each {io.flush.every}" if io.flush and io.flush.every > 1 else "")
        + (f", each with {io.flush.call}" if io.flush and io.flush.every == 1 else "")
        for io in cell.workload.classes
    )
    return (
        ("engine", cell.engine),
        ("direct I/O", or_unknown(cell.direct)),
        ("arrivals", arrivals),
        ("jobs × depth", f"{cell.jobs} × {cell.depth}"),
        ("workload", classes),
    )


def _target(target: Target) -> tuple[tuple[str, str], ...]:
    system = target.file_system
    rows = [
        ("target", target.name),
        ("kind", target.kind + (" file, made by Plimsoll" if target.ours else "")),
        ("path", target.path),
        ("span", format_bytes(target.span_bytes)),
        ("direct I/O block", bytes_text(target.direct_alignment_bytes)),
        (
            "file system",
            UNKNOWN if system is None else f"{system.kind} on {system.source} at {system.mount_point}",
        ),
        ("mount options", UNKNOWN if system is None else system.options),
    ]
    if target.direct_error is not None:
        rows.append(("no direct I/O", target.direct_error))
    if target.contents is not None:
        contents = target.contents
        rows.append(("holes", bytes_text(contents.hole_bytes)))
        rows.append(("unwritten", bytes_text(contents.unwritten_bytes)))
        rows.append(("samples all zero", f"{contents.zero_samples:,} of {contents.samples:,}"))
    return tuple(rows)


def _device(target: Target) -> tuple[tuple[str, str], ...]:
    device = target.device
    if device is None:
        return (("device", UNKNOWN),)
    blocks_text = f"{bytes_text(device.logical_block_bytes)} logical, {bytes_text(device.physical_block_bytes)} physical"
    rows = [
        ("device", device.name),
        ("model", or_unknown(device.model)),
        ("serial", or_unknown(device.serial)),
        ("size", bytes_text(device.size_bytes)),
        ("spins", or_unknown(device.rotational)),
        ("scheduler", or_unknown(device.scheduler)),
        ("queue", or_unknown(device.queue_depth_max)),
        ("blocks", blocks_text),
        ("write cache", or_unknown(device.write_cache)),
        ("forced unit access", or_unknown(device.fua)),
    ]
    return tuple(rows + ([("built of", ", ".join(device.parents))] if device.parents else []))


def _database(database: Database) -> tuple[tuple[str, str], ...]:
    rows = [
        ("product", product(database)),
        ("database", database.name),
        ("location", database.location),
        ("identifier", or_unknown(database.system_identifier)),
        ("block", bytes_text(database.block_bytes)),
        ("direct I/O", or_unknown(database.direct_io)),
        ("times its I/O", or_unknown(database.io_timing)),
    ]
    return tuple(rows + sorted(database.settings.items()))


def _host(host: Host) -> tuple[tuple[str, str], ...]:
    return (
        ("host", host.hostname),
        ("kernel", host.kernel),
        ("distribution", or_unknown(host.distribution)),
        ("CPU", or_unknown(host.cpu_model)),
        ("CPUs", str(host.cpus)),
        ("memory", bytes_text(host.memory_bytes)),
        ("virtualization", or_unknown(host.virtualization)),
    )


def _versions(run: Run) -> tuple[tuple[str, str], ...]:
    provenance = run.provenance
    own = [("Plimsoll", provenance.plimsoll), ("Python", provenance.host.python)]
    return (*own, *sorted(provenance.versions.items()))


SECTION = Section("Provenance", "Where, with what and how the run was made.", 70, applies, blocks)
