"""Links that are cut under a load over NFS: nothing fails, nothing is lost, and the other paths go on as before.

ganesha in a network of its own serves a file in memory over three links, slow enough that any machine fills them. It runs as root
and only when it is named: `.venv/bin/pytest -m system tests/system/test_nfs_loss.py`. A link is cut at the client's end, at the
server's, and so that only answers are lost, in turn; each time the load itself says when it has given the path up, and when it is
back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kit import ganesha

from checked_load import CheckedLoad, check_written, checked_load, file_to_read, program
from command import here
from command_over_links import Command
from plimsoll.base.errors import ExitStatus
from shaped_links import CUTS, Links, exported, links

pytestmark = [pytest.mark.system, pytest.mark.timeout(900)]
LINKS, LINK_BITS_PER_S = 3, 200 * 10**6
TIMES = 50
BLOCK_BYTES, DEPTH = 64 << 10, 24
FILE_BYTES = 512 << 20
"""So much that a block is written again only when what was sent of it before has long been forgotten."""
TIMEOUT_S, BEYOND_S = 1.0, 0.2
NEAR = 0.05
AT_REST_S = 3.0
RECEIVED, SENT = 0, 1


@dataclass
class Served:
    """The file, as the client reaches it, and its folder on the server."""

    made: Links
    export: Path

    def url(self, paths: int = LINKS) -> str:
        named = f"paths={','.join(self.made.addresses[:paths])}"
        return ganesha.url(self.made.addresses[0], self.export, "data", named)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    program()
    content = file_to_read(FILE_BYTES // BLOCK_BYTES, BLOCK_BYTES)
    with links(LINKS) as made, exported(made, content) as export:
        for number in range(LINKS):
            made.shape(number, LINK_BITS_PER_S)
        yield Served(made, export)


@dataclass
class Rates:
    """Bytes that links carried in one direction, and for how long they were looked at."""

    made: Links
    direction: int
    moved: dict[int, float] = field(default_factory=dict)
    span_s: dict[int, float] = field(default_factory=dict)
    _since: dict[int, tuple[float, int]] = field(default_factory=dict)

    def begin(self, numbers: list[int]) -> None:
        self._since = {number: self._look(number) for number in numbers}

    def end(self) -> None:
        for number, (at_s, bytes_before) in self._since.items():
            now_s, bytes_now = self._look(number)
            self.moved[number] = self.moved.get(number, 0.0) + bytes_now - bytes_before
            self.span_s[number] = self.span_s.get(number, 0.0) + now_s - at_s

    def _look(self, number: int) -> tuple[float, int]:
        carried = self.made.carried(number)[self.direction]
        return time.monotonic(), carried

    def per_s(self) -> list[float]:
        return [self.moved[number] / self.span_s[number] for number in sorted(self.moved)]


def cut_in_turn(made: Links, load: CheckedLoad, direction: int) -> tuple[Rates, Rates]:
    """Cuts a link as often as was asked; what each carried before all of it, and what it carried while another one was cut."""
    at_rest, meanwhile = Rates(made, direction), Rates(made, direction)
    load.wait(lambda told: bool(told["losses"]))
    time.sleep(AT_REST_S / 3)  # Each path has got to its pace by then.
    at_rest.begin([*range(LINKS)])
    time.sleep(AT_REST_S)
    at_rest.end()
    for number in range(TIMES):
        path, way = number % LINKS, CUTS[number // LINKS % len(CUTS)]
        losses = load.told["losses"][path] + 1
        meanwhile.begin([one for one in range(LINKS) if one != path])
        made.cut(path, way)
        load.wait(lambda told, path=path, losses=losses: told["losses"][path] == losses)
        meanwhile.end()
        made.mend(path, way)
        load.wait(lambda told, back=number + 1: told["back"] == back)
    return at_rest, meanwhile


@pytest.mark.parametrize(("work", "direction"), [("read", RECEIVED), ("write", SENT)])
def test_a_link_that_is_cut_again_and_again_costs_nothing_but_the_timeout(
    served: Served, work: str, direction: int
) -> None:
    words = (served.url(), work, DEPTH, BLOCK_BYTES, TIMEOUT_S)
    with checked_load(served.made.at_client, *words) as load:
        at_rest, meanwhile = cut_in_turn(served.made, load, direction)
        seen = load.end()
    print(f"{seen['begun']} I/Os, slowest {seen['longest_ns'] / 1e9:.3f} s, {seen['resent']} asked again")
    print(f"each path at rest {at_rest.per_s()} and beside a cut one {meanwhile.per_s()} bytes/s")
    assert sum(seen["losses"]) == TIMES
    assert seen["resent"] >= TIMES
    assert (seen["failed"], seen["wrong"], seen["unasked"], seen["outages"]) == (0, 0, 0, 0)
    assert seen["begun"] == seen["ended"] == sum(seen["answers"]), "each once"
    assert meanwhile.per_s() == pytest.approx(at_rest.per_s(), rel=NEAR)
    assert seen["longest_ns"] <= (TIMEOUT_S + BEYOND_S) * 1e9
    if work == "write":
        check_written(served.export / "data", seen["last"], BLOCK_BYTES)


def test_the_command_tells_of_a_path_that_was_cut(served: Served, tmp_path: Path) -> None:
    times = ("--runtime", "6s", "--warm-up", "0s", "--path-timeout", f"{TIMEOUT_S}s")
    shape = ("--block", str(BLOCK_BYTES), "--depth", str(DEPTH))
    run = Command(served.made, tmp_path, served.url(), *shape, *times)
    # Samples of the file come first.
    run.wait_for_load(RECEIVED, 40 << 20)
    served.made.cut(1, "answers")
    status, ended = run.end()
    told = ended["data"]
    served.made.mend(1, "answers")
    assert status in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO)
    assert (told["errors"], told["outages"]) == (0, [])
    assert [path["losses"] for path in told["paths"]] == [0, 1, 0]
    assert told["latency_us"]["max"] <= (TIMEOUT_S + BEYOND_S) * 1e6


def test_where_all_links_are_cut_the_run_ends_and_keeps_what_it_measured(
    served: Served, tmp_path: Path
) -> None:
    shape = ("--block", str(BLOCK_BYTES), "--depth", str(DEPTH))
    times = ("--runtime", "120s", "--warm-up", "0s", "--path-timeout", "0.5s")
    run = Command(served.made, tmp_path, served.url(), *shape, *times)
    run.wait_for_load(RECEIVED, 40 << 20)
    for number in range(LINKS):
        served.made.cut(number, "server")
    try:
        status, ended = run.end()
    finally:
        for number in range(LINKS):
            served.made.mend(number, "server")
    told = ended["data"]
    assert (status, told["ended_early"]) == (ExitStatus.WORLD_FAILED, "errors")
    assert 0 < told["errors"] <= DEPTH
    assert told["ios"] > 0
    shown = here("store", "show", "latest", "--json", **run.environment)
    assert shown.returncode in (ExitStatus.DONE, ExitStatus.ANSWER_IS_NO), shown.stderr
    assert json.loads(shown.stdout)["data"]["results"]["cell"]["ios"] == told["ios"]
