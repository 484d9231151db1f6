"""Jobs of a job file, and jobs that were taken in from other tools, as people read them on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.cli.checks import check_lines
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, show_table, table
from plimsoll.dialects.fio.results import JobResult, job_results
from plimsoll.facts import Cell, LatencyUs, Run
from plimsoll.results import held_part_words, held_rate


def show(run: Run) -> None:
    """Rate and latency by job and class, then what each job ran with and cost."""
    results = list(job_results(run.cells))
    for words in _doubts(run.cells):
        say(words)
    show_table(_rates(results))
    for result, later in zip(results, [*results[1:], None], strict=False):
        say(_about(result))
        # The checks of a cell stand once, behind the last of its jobs.
        if later is None or later.phase != result.phase:
            for line in check_lines(result.cell.checks):
                say(f"  {line}")
    if any(result.service_us is not None for result in results):
        say("at a rate, latency counts from when each I/O was due; service is from when it was submitted")
    say_run(run)


def _doubts(cells: Sequence[Cell]) -> Iterable[str]:
    """What speaks against the figures, before they are read; a rate that went to another level is named with both."""
    from plimsoll.supply.failed_checks import failed_sentence

    if failed := failed_sentence(cells):
        yield failed
    for cell in cells:
        if cell.change is not None:
            yield f"{cell.workload.name}: {held_rate(cell)}; {held_part_words(cell)}"


def _rates(results: Iterable[JobResult]) -> Shown:
    made = table(
        "job",
        "op",
        "I/Os",
        "per s",
        "MB/s",
        "mean",
        "p50",
        "p99",
        "p99.9",
        "max",
        "service p99",
        text_columns=2,
        spare=("service p99", "p99.9", "mean", "I/Os", "max", "p50", "MB/s", "op"),
    )
    for result in results:
        for io in result.told_classes:
            service = "–" if io.service_us is None else format_us(io.service_us.p99)
            rates = (f"{io.ios:,}", format_rate(io.iops), f"{io.mb_per_s:,.1f}")
            made.add_row(result.group.name, io.op, *rates, *_latencies(io.latency_us), service)
    return made


def _latencies(spread: LatencyUs) -> tuple[str, ...]:
    return tuple(map(format_us, (spread.mean, spread.p50, spread.p99, spread.p999, spread.max)))


def _about(result: JobResult) -> str:
    cell, group = result.cell, result.group
    direct = "direct" if cell.direct else "through the page cache"
    words = f"{group.name}: engine {group.engine}, {direct}, {group.jobs} × depth {group.depth}, {format_seconds(result.runtime_s)}"
    if not result.alone:
        return words + _told(result) + _failed(result)
    cost = "unknown" if cell.cpu_us_per_io is None else f"{cell.cpu_us_per_io:.2f} µs"
    return f"{words}; CPU time {cost} per I/O" + _told(result) + _failed(result)


def _told(result: JobResult) -> str:
    """What another tool has told of submission and memory."""
    means = [io.submission_us.mean for io in result.classes if io.submission_us is not None]
    known = ", ".join(format_us(mean) for mean in means)
    submission = f"; submission {known} on average" if known else ""
    return submission + (f"; memory {result.group.memory}" if result.group.memory else "")


def _failed(result: JobResult) -> str:
    errors = sum(io.errors for io in result.classes)
    return f"; {errors:,} I/O{'' if errors == 1 else 's'} failed" if errors else ""
