"""What crosses an executor pickles: a folder read over a pool of processes gives what threads give."""

from __future__ import annotations

import gzip
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from plimsoll.context import Executor, LocalExecutor
from plimsoll.context.apart import Pieces
from plimsoll.flows.demand_reports import demand_of_reports
from plimsoll.flows.read import read_reports
from plimsoll.requests.read import ReadRequest
from reportgen.restamp import write_folder
from simulated import context

Item = TypeVar("Item")
Result = TypeVar("Result")


class Processes:
    """An executor whose functions, items and results cross to other processes and back."""

    is_elsewhere = False

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(function, items)

    def apart(
        self,
        function: Callable[[Sequence[Item]], Result],
        groups: Iterable[Sequence[Item]],
        warn: Callable[[str], None] = print,
    ) -> Iterator[Pieces[Item, Result]]:
        return LocalExecutor(2).apart(function, groups, warn)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Single reports, several in one file and in an archive, and what is no report."""
    folder = tmp_path_factory.mktemp("in")
    write_folder(folder, 4, rows=2)
    made = [path.read_bytes() for path in sorted(folder.iterdir())]
    (folder / "all.html").write_bytes(b"".join(made[:3]))
    (folder / "zipped.html.gz").write_bytes(gzip.compress(made[3]))
    (folder / "diary.txt").write_bytes(b"dear diary")
    return folder


def written(folder: Path, out: Path, executor: Executor) -> tuple[dict[str, bytes], list[str], str]:
    """Files that are written, summaries, and the demand."""
    with context(out / "journals") as made:
        ctx = replace(made, executor=executor)
        outcome = read_reports(ctx, ReadRequest((str(folder),), out=str(out / "tables"), file_format="csv"))
        demand = demand_of_reports(ctx, [folder]).demand.model_dump_json()
    files = {
        str(path.relative_to(out)): path.read_bytes()
        for path in (out / "tables").rglob("*")
        if path.is_file()
    }
    return files, list(outcome.collection.documents()), demand


def test_processes_give_what_threads_give(folder: Path, tmp_path: Path) -> None:
    by_threads = written(folder, tmp_path / "threads", LocalExecutor())
    by_processes = written(folder, tmp_path / "processes", Processes())
    assert len(by_threads[0]) > 20
    assert len(by_threads[1]) == 9
    assert by_processes == by_threads
