"""`plimsoll place apply` is killed by SIGKILL at random moments and begun again: the layout is that of a run that nobody disturbed.

The moments come from seeds. The server goes on for a moment with what the killed command had asked for, as it does in life.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import command
from moved_plans import placement, tier
from moved_tables import Tables, own_folder, tables
from plimsoll.base.errors import ExitStatus, WorldError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import Placement
from plimsoll.flows.place_apply import apply_plan
from plimsoll.ports import files
from plimsoll.requests.place_apply import PlaceApplyRequest
from zygote import Zygote, zygote

pytestmark = pytest.mark.slow
PROGRAM = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from moving_process import work"
KILLS = 12


@pytest.fixture
def made(server_18: embedded.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tables]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with tables(server_18, rows=60_000) as found:
        yield found


def plan_file(folder: Path, plan: Placement) -> Path:
    """As `plimsoll place --json` prints it."""
    path = folder / "plan.json"
    path.write_text(json.dumps({"kind": "place", "data": plan.model_dump(mode="json")}))
    return path


def words(made: Tables, plan: Path, *more: str) -> list[str]:
    return ["place", "apply", str(plan), "--database", made.url, "--confirm", made.name, "--json", *more]


@pytest.fixture(scope="module")
def parent() -> Iterator[Zygote]:
    """The process off which the commands are forked that are killed."""
    with zygote(PROGRAM) as made:
        yield made


def kill_after(parent: Zygote, given: list[str], seconds: float) -> bool:
    """Starts the command and kills it so long after it began to move, when it may have ended. Says whether it began."""
    child = parent.started(*given)
    try:
        begun = any('"stage":"move"' in line for line in child.stdout)
        # Nothing reads its events meanwhile: they fit into the pipe.
        time.sleep(seconds)
    finally:
        with suppress(ProcessLookupError):
            child.send_kill()
        child.ended()
    return begun


def done(given: list[str]) -> dict[str, object]:
    found = command.here(*given)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random_moments_it_reaches_the_same_layout(
    made: Tables, parent: Zygote, tmp_path: Path, seed: int
) -> None:
    before, content = made.layout(), made.content()
    plan = plan_file(tmp_path, made.plan())
    ways = ([], ["--reverse"])
    layouts = []
    for way in ways:
        done(words(made, plan, *way))
        layouts.append((made.layout(), made.temp()))
    assert layouts[1] == (before, [])
    chance = random.Random(seed)
    for number in range(KILLS):
        way, wanted = ways[number // 3 % 2], layouts[number // 3 % 2]
        begun = kill_after(parent, words(made, plan, *way), chance.uniform(0.0, 0.35))
        assert begun or number % 3, "a command that has everything to move did not begin"
        if number % 3 == 2:
            told = done(words(made, plan, *way))
            assert (made.layout(), made.temp()) == wanted
            named = [note["message"] for note in told["warnings"]]  # type: ignore[index, union-attr]
            assert all(any(name in message for message in named) for name in made.invalid()), made.invalid()
            assert len(made.invalid()) <= 1
    assert made.content() == content


@pytest.fixture
def small(server_18: embedded.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tables]:
    """With a tablespace of 40 MiB, on a file system of its own."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounts are for root")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    place = Path("/var/tmp") / f"plimsoll-small-{os.getpid()}"
    place.mkdir(mode=0o755)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m,mode=755", "tmpfs", place], check=False)
    if mounted.returncode:
        place.rmdir()
        pytest.skip("nothing can be mounted here")
    try:
        with tables(server_18, rows=60_000, folder=own_folder(server_18, place / "data")) as found:
            yield found
    finally:
        subprocess.run(["umount", place], check=True)
        place.rmdir()


@pytest.mark.parametrize("first", ["public.orders", "public.orders_day"])
def test_a_tablespace_that_fills_up_stops_it_with_nothing_lost(
    small: Tables, tmp_path: Path, ctx: Context, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """It is seen before anything is copied; where somebody else fills it meanwhile, the server gives the copy up."""
    before, content = small.layout(), small.content()
    wanted = placement(
        [one for one in small.plan().plan if one.object == first], [tier("pg_default"), tier(small.fast, 1e9)]
    )
    plan = plan_file(tmp_path, wanted)
    filler = small.folder.parent / "filler"
    filler.write_bytes(bytes((40 << 20) - (256 << 10)))
    found = command.here(*words(small, plan))
    assert found.returncode == 4, found.stderr
    assert "not enough space: the tablespace" in found.stdout
    monkeypatch.setattr(files, "free_bytes", lambda path: 1 << 40)
    asked = PlaceApplyRequest(str(plan), database=small.url, confirm=small.name)
    with pytest.raises(WorldError, match=f"could not move {first}: could not extend file") as caught:
        apply_plan(ctx, asked)
    assert caught.value.id == "moves-full"
    assert (small.layout(), small.content(), small.invalid()) == (before, content, [])
    filler.unlink()
    assert apply_plan(ctx, asked).status is ExitStatus.DONE
    assert small.layout()[first.removeprefix("public.")] == small.fast
    assert small.content() == content
