"""A Dask cluster on this host for tests: a scheduler and workers, each a process that is ended by its number."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READY_S = 90.0
_SCHEDULER = re.compile(r"Scheduler at:\s+(\S+)")
_WORKER = re.compile(r"Start worker at:\s+(\S+)")
_REGISTERED = re.compile(r"Registered to:\s+(\S+)")
SELDOM = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "10s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "1m",
}
"""As docs/read.md advises: what Dask does many times a second, whether there is work or not."""
_QUIET = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")


def until(is_so: Callable[[], object]) -> None:
    """Waits for it, and fails where it does not come."""
    end_s = time.monotonic() + READY_S
    while not is_so():
        assert time.monotonic() < end_s, f"it did not come in {READY_S:g} s"
        threading.Event().wait(0.01)


class Process:
    """One of it, with what it says. `said` waits until it has said that."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._is_over = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def said(self, wanted: re.Pattern[str]) -> str:
        """The first group of what it said."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or self._found(wanted) is not None, READY_S)
            found = self._found(wanted)
            assert found is not None, "".join(self._lines)
            return found

    def kill(self) -> None:
        """At once, as by the kernel."""
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        """As its owner ends it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(20)
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _found(self, wanted: re.Pattern[str]) -> str | None:
        return next((match[1] for line in self._lines if (match := wanted.search(line))), None)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


class Cluster:
    """A scheduler, and workers that are started when they are wanted."""

    def __init__(
        self, place: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
    ) -> None:
        self._place, self._options = place, options
        self._environment = {"PYTHONPATH": os.pathsep.join(self.path()), **(environment or {})}
        words = ("scheduler", "--host", "127.0.0.1", "--port", "0", *_QUIET, *options)
        self.scheduler = Process(words, self._environment)
        self.workers: dict[str, Process] = {}
        self.named: dict[str, Process] = {}
        """Those that were given a name."""
        try:
            self.address = self.scheduler.said(_SCHEDULER)
        except BaseException:
            self.scheduler.end()
            raise

    def add(
        self,
        threads: int = 1,
        environment: Mapping[str, str] | None = None,
        nanny: bool = False,
        name: str | None = None,
    ) -> str:
        """One more worker, perhaps as the child of a nanny of Dask's; its address."""
        folder = str(self._place / f"worker-{len(self.workers)}")
        words = ("worker", self.address, "--host", "127.0.0.1", "--nthreads", str(threads), "--nworkers", "1")
        more = (
            "--nanny" if nanny else "--no-nanny",
            "--memory-limit",
            "0",
            "--local-directory",
            folder,
            *(() if name is None else ("--name", name)),
            *_QUIET,
            *self._options,
        )
        worker = Process((*words, *more), {**self._environment, **(environment or {})})
        try:
            address = worker.said(_WORKER)
            worker.said(_REGISTERED)
        except BaseException:
            worker.end()
            raise
        self.workers[address] = worker
        if name is not None:
            self.named[name] = worker
        return address

    @staticmethod
    def path() -> list[str]:
        """Where its processes find this package and the functions of the tests."""
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        return [str(ROOT / "python"), str(ROOT / "tests"), *(one for one in inherited if one)]

    def end_workers(self) -> None:
        """At once, and waits until the scheduler knows it; each of them, whatever is wrong with another."""
        workers, self.workers = self.workers, {}
        self.named.clear()
        with ExitStack() as rest:
            for address in workers:
                rest.callback(self.expect_removed, address)
            for worker in workers.values():
                rest.callback(worker.end)
                rest.callback(worker.kill)

    def expect_removed(self, address: str) -> None:
        """Waits until the scheduler knows that this worker is gone."""
        if self.scheduler.process.poll() is None:
            self.scheduler.said(re.compile(rf"Remove worker .*({re.escape(address)})\b"))

    def end(self) -> None:
        """All of it."""
        try:
            self.end_workers()
        finally:
            self.scheduler.end()


@contextmanager
def cluster(place: Path, workers: int = 2, **asked: Sequence[str] | Mapping[str, str]) -> Iterator[Cluster]:
    """Until the block ends, however it ends."""
    made = Cluster(place, **asked)  # type: ignore[arg-type]
    try:
        for _ in range(workers):
            made.add()
        yield made
    finally:
        made.end()
