"""An agent beside a worker, without Dask: what is handed in reaches it whole and once, and so does what it prints."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest

from agents_here import is_gone
from plimsoll.cluster import dask_agent
from plimsoll.ports import own_python

ECHO = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line); sys.stdout.flush()"
RUN = "run"


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    yield
    assert dask_agent._runs == {}, "each test forgets its run"


def program(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """What is started in place of an agent."""
    monkeypatch.setattr(dask_agent, "command_of_ours", lambda words: [sys.executable, "-c", script, *words])


def in_loop(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """As in a worker's; at the end nothing of the run is left."""

    async def whole() -> None:
        try:
            await asyncio.wait_for(work(), 60)
        finally:
            for one in list(dask_agent._runs.values()):
                one._process.kill()
                one._process.wait()
                one._next.cancel()
                one._take_rest()
                one._forget()

    asyncio.run(whole())


async def all_of(is_enough: Callable[[bytes, bytes, int | None], bool]) -> tuple[bytes, bytes, int | None]:
    """What the program printed, asked for as long as it takes."""
    out, errors, status = b"", b"", None
    while not is_enough(out, errors, status):
        told = await dask_agent.taken(RUN, len(out))
        out, errors, status = out + told.out, errors + told.errors, told.status
    return out, errors, status


def test_what_is_handed_in_comes_out_in_its_order(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, ECHO)
    pieces = [b"one\n", b"two\nth", b"ree\n"]

    async def work() -> None:
        dask_agent.begin(RUN)
        at = 0
        for piece in pieces:
            dask_agent.hand_in(RUN, at, piece)
            at += len(piece)
        dask_agent.end(RUN)
        assert await all_of(lambda out, errors, status: status is not None) == (b"".join(pieces), b"", 0)

    in_loop(work)


def test_what_is_told_again_counts_once_and_what_is_missing_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(monkeypatch, ECHO)

    async def work() -> None:
        dask_agent.begin(RUN)
        dask_agent.hand_in(RUN, 0, b"one\n")
        dask_agent.hand_in(RUN, 0, b"one\ntwo\n")
        refused = dask_agent.hand_in(RUN, 9, b"secret")
        assert isinstance(refused, ValueError), "a worker would log what is raised, with what was handed in"
        assert str(refused) == "input from 9 on, of which 8 are here"
        assert isinstance(dask_agent.hand_in("other", 0, b"secret"), dask_agent.UnknownRunError)
        first, _, _ = await all_of(lambda out, errors, status: out == b"one\ntwo\n")
        again = await dask_agent.taken(RUN, 4)
        assert again.out == first[4:], "it is there until it is known to have come"

    in_loop(work)


def test_more_than_a_pipe_holds_waits_and_nothing_of_it_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, ECHO)
    content = b"".join(b"%d\n" % number for number in range(300_000))

    async def work() -> None:
        dask_agent.begin(RUN)
        dask_agent.hand_in(RUN, 0, content)
        dask_agent.end(RUN)
        out, _, status = await all_of(lambda out, errors, status: status is not None)
        assert out == content
        assert status == 0

    in_loop(work)


def test_who_takes_nothing_holds_back_who_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "import sys\nsys.stdout.write('x' * 5_000_000)")
    monkeypatch.setattr(dask_agent, "CLUSTER_AGENT_BYTES_MAX", 1 << 20)

    async def work() -> None:
        dask_agent.begin(RUN)
        agent = dask_agent._runs[RUN]
        while not agent._is_paused:
            await asyncio.sleep(0.01)
        assert len(agent._said) < 3 << 20
        out, _, status = await all_of(lambda out, errors, status: status is not None)
        assert out == b"x" * 5_000_000
        assert status == 0

    in_loop(work)


@pytest.mark.parametrize(
    ("script", "status"),
    [("import sys; sys.exit(3)", 3), ("import os; os.kill(os.getpid(), 9)", -9)],
)
def test_how_it_ended_is_told_with_its_last_words(
    script: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(monkeypatch, f"import sys; print('why', file=sys.stderr, flush=True); {script}")

    async def work() -> None:
        dask_agent.begin(RUN)
        assert await all_of(lambda out, errors, status: status is not None) == (b"", b"why\n", status)

    in_loop(work)


def test_what_it_left_behind_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that holds its streams open."""
    script = "import subprocess, sys; print(subprocess.Popen(['sleep', '100']).pid)"
    program(monkeypatch, script)

    async def work() -> None:
        dask_agent.begin(RUN)
        out, _, status = await all_of(lambda out, errors, status: status is not None)
        assert status == 0
        pid = int(out)
        assert not is_gone(pid)
        os.kill(pid, 9)

    in_loop(work)


def test_one_that_nobody_asks_for_is_ended_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, ECHO)
    monkeypatch.setattr(dask_agent, "AGENT_SILENCE_S", 0.2)
    monkeypatch.setattr(dask_agent, "_LOOK_S", 0.05)

    async def work() -> None:
        dask_agent.begin(RUN)
        pid = dask_agent._runs[RUN]._process.pid
        while dask_agent._runs:
            await asyncio.sleep(0.05)
        assert is_gone(pid)
        with pytest.raises(dask_agent.UnknownRunError):
            await dask_agent.taken(RUN, 0)

    in_loop(work)


def test_one_that_does_not_heed_the_end_of_its_input_is_ended_by_force(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program(monkeypatch, "import time; time.sleep(1000)")
    monkeypatch.setattr(dask_agent, "AGENT_STOP_S", 0.2)
    monkeypatch.setattr(dask_agent, "_LOOK_S", 0.05)

    async def work() -> None:
        dask_agent.begin(RUN)
        dask_agent.end(RUN)
        _, _, status = await all_of(lambda out, errors, status: status is not None)
        assert status == -9

    in_loop(work)


def test_where_there_is_nothing_to_tell_the_answer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, ECHO)
    monkeypatch.setattr(dask_agent, "CLUSTER_TAKE_S", 0.05)

    async def work() -> None:
        dask_agent.begin(RUN)
        assert await dask_agent.taken(RUN, 0) == dask_agent.Taken(b"", b"", None)

    in_loop(work)


def test_of_many_last_words_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    program(monkeypatch, "import sys; sys.stderr.write('x' * 100_000 + 'end')")
    monkeypatch.setattr(dask_agent, "CLUSTER_AGENT_WORDS_MAX", 10)

    async def work() -> None:
        dask_agent.begin(RUN)
        while dask_agent._runs[RUN]._status is None:
            await asyncio.sleep(0.01)
        assert (await dask_agent.taken(RUN, 0)).errors == b"xxxxxxxend"

    in_loop(work)


@pytest.mark.parametrize(("message", "shown"), [("Run out-of-band function %r", 0), ("Starting %r", 1)])
def test_the_worker_does_not_log_each_call(
    message: str, shown: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program(monkeypatch, ECHO)
    log = logging.getLogger("distributed.worker")

    async def work() -> None:
        dask_agent.begin(RUN)
        with caplog.at_level(logging.INFO, logger=log.name):
            log.info(message, "loads")

    was = log.propagate
    log.propagate = True
    try:
        in_loop(work)
    finally:
        log.propagate = was
    assert len(caplog.records) == shown


def words_of(command: Sequence[str]) -> list[str]:
    """Behind the script."""
    return list(command[command.index("-c") + 3 :])


def test_the_agent_is_this_very_package() -> None:
    assert words_of(own_python.command_of_ours(["agent"])) == ["agent"]
