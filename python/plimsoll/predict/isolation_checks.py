"""What makes trials beside noise say nothing: processes that were elsewhere, noise that was none, others that were at work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.units import counted, format_bytes
from plimsoll.facts import IsolationTrial, IsolationWrong, NoiseSeen
from plimsoll.host.noise import was_made

_OTHERS_SHARE_MAX = 0.1
"""Of a CPU that others in both slices may use meanwhile."""
_OTHERS_BYTES_PER_S_MAX = 1 << 20
"""Which they may read and write: an idle database writes less."""
_IOS_MIN = 100
"""Of fewer the 99th percentile is the slowest one."""


_OUTSIDE = "the measurement was not in its control group"
_SERVER_OUTSIDE = "processes of the server were not in their control group"


def wrong_in(trials: Sequence[IsolationTrial]) -> Iterator[IsolationWrong]:
    """Each thing once, with how many trials it is of."""
    found: dict[str, list[str]] = {}
    for trial in trials:
        for code, message in _of_trial(trial):
            found.setdefault(code, []).append(message)
    for code, messages in found.items():
        more = f" (in {len(messages)} of {counted(len(trials), 'trial')})"
        yield IsolationWrong(code=code, message=messages[0] + more)


def _of_trial(trial: IsolationTrial) -> Iterator[tuple[str, str]]:
    if not trial.in_group:
        yield "measurement-outside", _OUTSIDE if trial.server is None else _SERVER_OUTSIDE
    if trial.samples_outside:
        yield "measurement-elsewhere", "threads of the measurement were seen on CPUs that are not its own"
    if not trial.samples:
        yield "measurement-unseen", "no thread of the measurement was seen at work: where it ran is not known"
    if trial.done < _IOS_MIN and not trial.errors:
        what = "I/O" if trial.server is None else "operation"
        yield (
            "measurement-few",
            f"a trial had {counted(trial.done, what)}, too few for a p99: give it more --runtime",
        )
    if trial.server is not None and trial.server.doubts:
        yield "measurement-doubted", f"the server's run is none: {trial.server.doubts[0]}"
    yield from _of_noise(trial)
    yield from _of_others(trial)
    for check in () if trial.cell is None else trial.cell.checks:
        if check.name == "reached" and check.passed is False and not _is_on_disk(trial):
            yield "device-counts", check.reason


def _of_others(trial: IsolationTrial) -> Iterator[tuple[str, str]]:
    """Held against the time in which they were looked at."""
    cpu_s, io_bytes, seconds = trial.others_cpu_s, trial.others_io_bytes, trial.others_s or trial.runtime_s
    who = "other processes in both slices"
    if cpu_s is not None and cpu_s > _OTHERS_SHARE_MAX * seconds:
        yield "noise-others", f"{who} used {cpu_s:.1f} s of CPU time in {seconds:.1f} s"
    if io_bytes is not None and io_bytes > _OTHERS_BYTES_PER_S_MAX * seconds:
        yield (
            "noise-others",
            f"{who} read and wrote {format_bytes(io_bytes)} of storage in {seconds:.1f} s",
        )


def _is_on_disk(trial: IsolationTrial) -> bool:
    """Counters of a device are those of the noise as well."""
    return trial.noise is not None and trial.noise.kind == "disk"


def _of_noise(trial: IsolationTrial) -> Iterator[tuple[str, str]]:
    noise = trial.noise
    if noise is None:
        return
    if not noise.in_group:
        yield "noise-outside", f"noise of {noise.kind} was not in its control group"
    if noise.samples_outside:
        yield (
            "noise-elsewhere",
            f"threads of the noise of {noise.kind} were seen on CPUs that are not its own",
        )
    if not was_made(noise):
        many = "1 process" if noise.processes == 1 else f"{noise.processes} processes"
        said = f"{noise.cpu_s:.2f} s of CPU time of {many} in {noise.runtime_s:.1f} s"
        yield "noise-absent", f"noise of {noise.kind} hardly ran: {said}{_how_absent(noise)}"


def _how_absent(noise: NoiseSeen) -> str:
    if noise.ended_early:
        return f", and {noise.ended_early} of them ended before the trial did"
    if noise.still_s is None:
        return ", and one of them did nothing at all"
    return f", the last thing {noise.still_s:.1f} s before its end"
