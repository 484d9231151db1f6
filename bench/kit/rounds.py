"""Runs the tools of each case in turn, round after round, so that a drift of the machine favours none of them.

Processor time is the child's own, taken by wait4: the whole process with its start and the kernel's workers for its I/O, for
every tool alike. In each round the same command also runs for a moment, and `cpu_us_per_io_running` is what the further I/Os of
the long one cost: the processor time per I/O without the tool's start and end.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Figures = dict[str, float]
"""By name, with the unit last. `ios` is among them where a tool does I/O."""


@dataclass(frozen=True)
class Tool:
    """One command, and how to read what it prints. `brief` is the same command for a moment; empty where no I/O is counted.

    `statuses` are those with which it measured: ours ends with 1 when a truth check speaks against the target, as one does
    against a loop device in memory.
    """

    name: str
    command: tuple[str, ...]
    read: Callable[[Any], Figures]
    brief: tuple[str, ...] = ()
    statuses: tuple[int, ...] = (0,)
    said: Callable[[str], Any] = json.loads
    """From what it prints to what `read` wants."""
    input_bytes: float | None = None
    """What the whole command works through; its rate is then `mb_per_s`."""
    tries_max: int = 1
    """How often it is run where it fails, as one does that hangs and is ended by a timeout. What failed costs it nothing."""


@dataclass(frozen=True)
class Case:
    """Commands that are compared with each other."""

    name: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True)
class Sample:
    """One run of one tool."""

    case: str
    tool: str
    round: int
    figures: Figures


class ToolFailed(Exception):
    """A command ended with another status than 0."""


def run_rounds(cases: Sequence[Case], rounds: int, folder: Path) -> list[Sample]:
    """Every tool of every case once in each round. Raw output goes to `folder`/raw.tar.xz, figures to `folder`/samples.ndjson."""
    raw = folder / "raw"
    raw.mkdir()
    try:
        return _each_round(cases, rounds, folder)
    finally:
        pack(raw)


def pack(raw: Path) -> None:
    """One compressed file in the folder's place; the same files give the same bytes."""
    with tarfile.open(raw.with_name(f"{raw.name}.tar.xz"), "w:xz") as archive:
        for path in sorted(raw.iterdir()):
            member = tarfile.TarInfo(path.name)
            member.size = path.stat().st_size
            with path.open("rb") as content:
                archive.addfile(member, content)
    shutil.rmtree(raw)


def _each_round(cases: Sequence[Case], rounds: int, folder: Path) -> list[Sample]:
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as scratch, (folder / "samples.ndjson").open("w") as kept:
        # A store of the benchmark's own, so that nobody's results are added to.
        environment = {**os.environ, "PLIMSOLL_STORE": str(Path(scratch) / "store.sqlite")}
        for number in range(rounds):
            for case in cases:
                for tool in _in_turn(case.tools, number):
                    sample = _run(case, tool, number, folder, environment)
                    samples.append(sample)
                    kept.write(json.dumps(asdict(sample)) + "\n")
                    kept.flush()
                    print(_in_words(sample), file=sys.stderr, flush=True)
    return samples


def medians(samples: Sequence[Sample], case: str, tool: str) -> Figures:
    """Each figure's median over one tool's runs of a case, where every run has it."""
    own = [sample.figures for sample in samples if (sample.case, sample.tool) == (case, tool)]
    common = [name for name in own[0] if all(name in figures for figures in own)]
    return {name: statistics.median(figures[name] for figures in own) for name in common}


def _in_turn(tools: tuple[Tool, ...], number: int) -> tuple[Tool, ...]:
    """Each round begins with another tool."""
    first = number % len(tools)
    return tools[first:] + tools[:first]


@dataclass(frozen=True)
class _Spent:
    """What one run of a command took."""

    cpu_s: float
    wall_s: float
    peak_bytes: float


def _run(case: Case, tool: Tool, number: int, folder: Path, environment: dict[str, str]) -> Sample:
    for tries in range(1, tool.tries_max):
        try:
            return _run_once(case, tool, number, folder, environment)
        except ToolFailed as reason:
            print(f"try {tries}: {reason}", file=sys.stderr, flush=True)
    return _run_once(case, tool, number, folder, environment)


def _run_once(case: Case, tool: Tool, number: int, folder: Path, environment: dict[str, str]) -> Sample:
    output = folder / "raw" / f"{case.name}-{number:02d}-{tool.name}.json"
    if not tool.brief:
        figures, spent = _spend(tool, tool.command, output, environment)
        if tool.input_bytes is not None:
            figures = {**figures, "mb_per_s": tool.input_bytes / spent.wall_s / 1e6}
        return Sample(case.name, tool.name, number, {**figures, **asdict(spent)})
    brief, brief_spent = _spend(tool, tool.brief, output.with_suffix(".brief.json"), environment)
    figures, spent = _spend(tool, tool.command, output, environment)
    ios, cpu_s = figures["ios"], spent.cpu_s
    cpu = {
        "cpu_s": cpu_s,
        "cpu_us_per_io": cpu_s * 1e6 / ios,
        "cpu_us_per_io_running": (cpu_s - brief_spent.cpu_s) * 1e6 / (ios - brief["ios"]),
    }
    return Sample(case.name, tool.name, number, {**figures, **cpu})


def _spend(
    tool: Tool, command: tuple[str, ...], output: Path, environment: dict[str, str]
) -> tuple[Figures, _Spent]:
    """Runs the command to its end: what it measured, and what it and its own children took, in user and system mode."""
    with output.open("wb") as out, (output.parent.parent / "stderr.log").open("ab") as log:
        begin_s = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=log, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        wall_s = time.monotonic() - begin_s
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in tool.statuses:
        raise ToolFailed(f"{tool.name} ended with status {child.returncode}: {' '.join(command)}")
    spent = _Spent(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss * 1024.0)
    return tool.read(tool.said(output.read_text())), spent


def _in_words(sample: Sample) -> str:
    figures = "  ".join(f"{name} {value:,.5g}" for name, value in sample.figures.items())
    return f"round {sample.round + 1:2d}  {sample.case:28s} {sample.tool:14s} {figures}"
