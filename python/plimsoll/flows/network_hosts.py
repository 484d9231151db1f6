"""Both ends of a path by the launcher: a server of iperf3 on one host, which ends with the tests, and a client on another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from plimsoll.base.errors import WorldError
from plimsoll.base.printable import printable
from plimsoll.cluster.far_program import FarProgram, far_program, launch_of
from plimsoll.cluster.launch import check_hosts
from plimsoll.context import Context
from plimsoll.host import iperf
from plimsoll.requests.host_bench_network import HostBenchNetworkRequest

_LISTENS_S = 20.0
"""A login may take its time."""
_LISTENS = "listening"
_SAID_LETTERS_MAX = 200


@contextmanager
def server_there(ctx: Context, asked: HostBenchNetworkRequest) -> Iterator[None]:
    """A server of iperf3 on the last of the hosts that were named; nothing where none was.

    Raises UsageError (`hosts-twice`, `host-name`, `launcher-no-host`, `launcher-unreadable`), WorldError `network-server`.
    """
    if not asked.hosts:
        yield
        return
    check_hosts(asked.hosts)
    host = asked.hosts[-1]
    words = [iperf.PROGRAM, "--server", "--port", str(asked.port), "--forceflush"]
    ctx.progress("network", f"starting {iperf.PROGRAM} on {host}")
    with ExitStack() as stack:
        try:
            program = stack.enter_context(far_program(launch_of(asked.launcher), host, words))
        except OSError as error:
            raise _failed(host, asked, f"the launcher cannot be run: {error.strerror or error}") from error
        _await(program, host, asked, lambda: ctx.cancel.is_set)
        yield


def _await(
    program: FarProgram, host: str, asked: HostBenchNetworkRequest, is_cut: Callable[[], bool]
) -> None:
    """Until it says that it listens."""
    said = ""
    for line in program.lines(_LISTENS_S, is_cut):
        if _LISTENS in line.lower():
            return
        said = said or line.strip(" -\n")  # the first one has the reason
    if is_cut():
        return
    reason = said or program.last_words
    ending = "it ended without a word" if program.ended else f"it did not listen within {_LISTENS_S:.0f} s"
    raise _failed(host, asked, printable(reason)[:_SAID_LETTERS_MAX] or ending)


def _failed(host: str, asked: HostBenchNetworkRequest, reason: str) -> WorldError:
    by_hand = launch_of(asked.launcher).by_hand(host)
    hint = (
        f"See whether {by_hand} works, whether iperf3 is installed there, and whether port {asked.port} is free:"
        " another one is named with --port."
    )
    return WorldError("network-server", f"iperf3 could not be started as a server on {host}: {reason}", hint)


def client_there(asked: HostBenchNetworkRequest) -> iperf.Runner:
    """What runs the client: on the first host where two were named, else here."""
    return iperf.run_here if len(asked.hosts) < 2 else _FarClient(asked)


class _FarClient:
    """Runs a command on the first host, and returns what it prints."""

    def __init__(self, asked: HostBenchNetworkRequest) -> None:
        self._asked = asked

    def __call__(self, command: list[str], patience_s: float, is_cut: Callable[[], bool]) -> str:
        host = self._asked.hosts[0]
        try:
            with far_program(launch_of(self._asked.launcher), host, command) as program:
                text = "".join(program.lines(patience_s, is_cut))
                if is_cut():
                    raise iperf.NotMeasured(iperf.CUT)
                if not program.ended:
                    raise iperf.NotMeasured(iperf.late(patience_s))
                if not text.strip():
                    raise iperf.NotMeasured(f"{host}: {program.last_words or 'it said nothing'}")
                return text
        except OSError as error:
            raise iperf.NotMeasured(
                f"{host}: the launcher cannot be run: {error.strerror or error}"
            ) from error
