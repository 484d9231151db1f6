"""`plimsoll commits` with made readings: what is kept, and what is said of what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from plimsoll.base.errors import ExitStatus, WorldError
from plimsoll.cli.main import run as command
from plimsoll.context import Context
from plimsoll.facts import CommitWaits, Event, Run
from plimsoll.flows import commits as flow
from plimsoll.native import commit_probe
from plimsoll.observe import log_flushes
from plimsoll.observe.flushed_disks import FlushedDisks
from plimsoll.observe.log_flushes import Program
from plimsoll.observe.older_flushes import OlderFlushes
from plimsoll.observe.standby_waits import StandbyWaits
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.commits import CommitsRequest
from plimsoll.results import answer, compared_of, status
from plimsoll.results._comparing import run_doubts
from seen_commits import commit_counts, commit_row, under_way
from simulated import RefusingStore, context

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitRow, CommitUnderWay

Readings = list[tuple[list["CommitRow"], "CommitCounts"]]

OF_FIO = "commits of fio wait for the disk or something above it, which of both is not told"
"""Whose disk is not known here."""


def none_beside(proc: Path = Path("/nowhere")) -> flow.Beside:
    """Nothing is under way but what the probe says, or what these processes do."""
    return flow.Beside(OlderFlushes(proc, "x86_64"), StandbyWaits(proc), FlushedDisks(proc))


class Probe:
    """Gives readings one after the other, and then nothing new."""

    def __init__(self, readings: Readings, refusal: WorldError | None = None) -> None:
        self.readings = readings
        self.refusal = refusal
        self.is_seen = False
        self.reads_max = 1_000
        self.hanging: list[CommitUnderWay] = []
        self.ended: set[str] = set()

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        self.reads_max -= 1
        if self.reads_max < 0:
            raise WorldError("probe-unread", "could not read what the probe counted: gone", "hint")
        return self.readings.pop(0) if len(self.readings) > 1 else ([], self.readings[0][1])

    def see(self, executable: str) -> bool:
        if self.refusal is not None:
            raise self.refusal
        self.is_seen = executable not in self.ended
        return self.is_seen

    def see_standby_waits(self, executable: str) -> bool:
        raise WorldError("probe-refused", "the program has no SyncRepWaitForLSN", "hint")

    def leave(self) -> None:
        self.is_seen = False

    def is_within_calls(self) -> bool:
        return False

    def let_go(self) -> None:
        assert not self.is_seen

    def under_way(self) -> list[CommitUnderWay]:
        return self.hanging


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock())


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """Programs of PostgreSQL that run."""
    found: list[Program] = []
    monkeypatch.setattr(log_flushes, "postgres_programs", lambda: tuple(found))
    monkeypatch.setattr(log_flushes, "are_withheld", lambda: False)
    return found


def seen(ctx: Context, readings: Readings, refusal: WorldError | None = None) -> CommitWaits:
    """What was seen in readings a second apart, the first of which is from before."""
    probe = Probe([*readings, ([], readings[-1][1])], refusal)
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0), probe, none_beside())
    assert not probe.is_seen, "nothing is left behind"
    return found


def a_run(found: CommitWaits) -> Run:
    return Run.model_construct(kind="commits", results={"commits": found}, interrupted=False, notes=())


def test_what_was_before_is_left_out_and_all_that_follows_is_added_up(
    ctx: Context, programs: list[Program]
) -> None:
    none = commit_counts()
    found = seen(
        ctx, [([commit_row(commits=999)], none), ([commit_row()], none), ([commit_row(commits=20)], none)]
    )
    assert (found.duration_s, [row.commits for row in found.rows]) == (3.0, [30])
    assert [(cause.role, cause.cause, cause.share) for cause in found.causes] == [
        ("fio", "disk or above it", 1.0)
    ]
    assert (found.log_flushes_s, found.lost_commits, found.notes) == (None, 0, ())
    assert answer(a_run(found)) == f"{OF_FIO} (100 % of their time)"
    assert status(a_run(found)) is ExitStatus.DONE


def test_what_is_missing_is_told(ctx: Context, programs: list[Program]) -> None:
    before, after = commit_counts(lost_rows=5), commit_counts(lost_rows=6, lost_threads=2)
    found = seen(ctx, [([], before), ([commit_row()], after)])
    assert (found.lost_commits, [note.code for note in found.notes]) == (3, ["commits-lost"])
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART
    assert answer(a_run(found)).endswith("; 3 commits are missing")


def test_where_nothing_committed_that_is_the_answer(ctx: Context, programs: list[Program]) -> None:
    found = seen(ctx, [([], commit_counts())])
    assert answer(a_run(found)) == "no commit that waited was seen in 3 s"
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART
    (note,) = found.notes
    assert note.code == "commits-none"
    assert (
        note.message == "no commit that waited ended in the 3 s: watch for longer, or while something commits"
    )


def test_a_probe_that_never_fired_is_told(ctx: Context, programs: list[Program]) -> None:
    programs.append(Program("/proc/1/exe"))
    flushed, called = commit_row(command="postgres"), commit_row(command="postgres", kind="leader")
    none = commit_counts()
    silent = seen(ctx, [([], none), ([flushed], none)])
    note, gone = silent.notes
    assert (note.code, "none called XLogFlush" in note.message) == ("followers-unseen", True)
    assert gone.message.startswith("10 commits are of processes of databases that ended before their title")
    assert silent.log_flushes_s == pytest.approx(1.0)
    fired = seen(ctx, [([], none), ([flushed, called], none)])
    assert [note.code for note in fired.notes] == ["owners-gone"], "its title was never read"
    assert seen(ctx, [([], none), ([commit_row(command="fio")], none)]).notes == (), "its sessions were idle"


def test_what_is_unseen_of_postgresql_is_no_matter_where_other_roles_are_asked_for(
    ctx: Context, programs: list[Program]
) -> None:
    programs.append(Program("/proc/1/exe"))
    refusal = WorldError("probe-refused", "it has no XLogFlush", "hint")
    for wanted, told in (
        (("fio",), ()),
        (("fio", "client backend"), ("followers-unseen",)),
        ((), ("followers-unseen",)),
    ):
        none = commit_counts()
        probe = Probe([([], none), ([commit_row(command="fio")], none), ([], none)], refusal)
        asked = CommitsRequest(watched_s=3.0, roles=wanted)
        found = flow.watched(ctx, asked, probe, none_beside())
        codes = [note.code for note in found.notes if note.code != "filter-unmatched"]
        assert codes == [*told], wanted
        assert status(a_run(found)) is (ExitStatus.DONE_IN_PART if told else ExitStatus.DONE)


def test_seconds_that_are_not_like_the_watched_ones_reach_note_headline_and_status(
    ctx: Context, programs: list[Program]
) -> None:
    """A limit that is there whenever calls are not watched."""
    programs.append(Program("/proc/1/exe"))
    of_session = {
        "command": "postgres",
        "title": "postgres: alice shop [local] COMMIT",
        "owner_pid": 2**22 + 1,
    }
    called = commit_row(kind="leader", commits=50, flush_ns=50 * 10**6, **of_session)
    flushed = commit_row(commits=20, flush_ns=20 * 10**8, **of_session)
    none = commit_counts()
    found = seen(ctx, [([], none), ([called], none), ([flushed], none)])
    (note,) = found.notes
    assert note.code == "turns-apart"
    assert note.message.startswith(
        "write and flush of the log by client backend took 29.3 ms on average over all seconds, and 1 ms in those"
    )
    (cause,) = found.causes
    assert (cause.cause, cause.total_us_mean) == ("disk or above it", pytest.approx(100_000.0))
    assert "flushes took another time in the seconds in which calls were watched than in all" in answer(
        a_run(found)
    )
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART
    like = commit_row(commits=20, flush_ns=20 * 10**6, **of_session)
    found = seen(ctx, [([], none), ([called], none), ([like], none)])
    assert (found.notes, status(a_run(found))) == ((), ExitStatus.DONE)


def test_programs_that_nobody_may_look_at_are_told(
    ctx: Context, programs: list[Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the right to read /proc/PID/exe no program is found, which is not to say that nobody waits for another's flush."""
    none = commit_counts()
    monkeypatch.setattr(log_flushes, "are_withheld", lambda: True)
    found = seen(ctx, [([], none), ([commit_row(command="postgres")], none)])
    told = {note.code: note.message for note in found.notes}
    assert "with CAP_SYS_PTRACE alone; commits" in told["followers-unseen"]
    assert "; who waits for another's flush is not seen" in answer(a_run(found))
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART


def test_a_server_that_came_after_the_turn_is_no_matter_of_rights(
    ctx: Context, programs: list[Program]
) -> None:
    none = commit_counts()
    found = seen(ctx, [([], none), ([commit_row(command="postgres")], none)])
    told = {note.code: note.message for note in found.notes}["followers-unseen"]
    assert "no program of PostgreSQL ran when that began: watch for longer than 5 s" in told
    assert "CAP_SYS_PTRACE" not in told


def test_a_refusal_leaves_the_rest_and_is_told(ctx: Context, programs: list[Program]) -> None:
    programs.append(Program("/proc/1/exe"))
    refusal = WorldError("probe-refused", "the program has no XLogFlush", "hint")
    found = seen(ctx, [([], commit_counts()), ([commit_row()], commit_counts())], refusal)
    (note,) = found.notes
    assert (note.code, found.log_flushes_s, len(found.rows)) == ("followers-unseen", None, 1)
    assert "the program has no XLogFlush" in note.message
    assert answer(a_run(found)).endswith("; who waits for another's flush is not seen")
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART


def test_the_command_starts_the_probe_stores_and_takes_it_away(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    programs: list[Program],
) -> None:
    class InKernel(Probe):
        is_stopped = False

        def stop(self) -> None:
            self.is_stopped = True

    made = InKernel([([], commit_counts()), ([commit_row()], commit_counts()), ([], commit_counts())])
    monkeypatch.setattr(commit_probe, "start", lambda: made)
    monkeypatch.setattr(commit_probe, "read", lambda probe: probe.read())
    words = ["commits", "--runtime", "10ms", "--json", "--store", str(tmp_path / "store")]
    ended = command(words)
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (ended, told["kind"], made.is_stopped) == (0, "commits", True)
    assert told["data"]["causes"][0]["cause"] == "disk or above it"


def test_a_store_that_takes_no_run_is_refused_before_anything_is_watched(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_probe, "start", lambda: pytest.fail("it was loaded"))
    with pytest.raises(WorldError, match="it is a folder"):
        flow.watch_commits(replace(ctx, store=RefusingStore()), CommitsRequest(watched_s=1.0))


def test_flushes_that_failed_reach_headline_and_status(ctx: Context, programs: list[Program]) -> None:
    found = seen(ctx, [([], commit_counts()), ([commit_row(errors=3)], commit_counts())])
    assert answer(a_run(found)).endswith("; 3 flushes of fio failed")
    assert status(a_run(found)) is ExitStatus.ANSWER_IS_NO


def test_the_role_whose_flushes_failed_is_named_beside_that_of_the_headline(
    ctx: Context, programs: list[Program]
) -> None:
    other = commit_row(owner_pid=101, command="mariadbd", commits=0, errors=1)
    found = seen(ctx, [([], commit_counts()), ([commit_row(), other], commit_counts())])
    told = answer(a_run(found))
    assert told.startswith(OF_FIO)
    assert told.endswith("; 1 flush of mariadbd failed")
    assert status(a_run(found)) is ExitStatus.ANSWER_IS_NO


def test_commits_that_hang_reach_headline_status_and_comparison(
    ctx: Context, programs: list[Program]
) -> None:
    probe = Probe([([], commit_counts()), ([commit_row()], commit_counts()), ([], commit_counts())])
    probe.hanging = [under_way(owner_pid=2**22 + 1), under_way(owner_pid=2**22 + 2, for_ns=1_000)]
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0), probe, none_beside())
    told = "1 commit hangs at the end, of ended for 1 min, waiting for its flush"
    assert answer(a_run(found)) == f"{OF_FIO} (100 % of their time); {told}"
    assert status(a_run(found)) is ExitStatus.ANSWER_IS_NO
    assert told in list(run_doubts(a_run(found)))
    probe.hanging = [under_way(for_ns=1_000)]
    at_work = flow.watched(ctx, CommitsRequest(watched_s=3.0), probe, none_beside())
    assert at_work.under_way is not None
    assert ("hang" in answer(a_run(at_work)), at_work.under_way[0].commits) == (False, 1)


def process(proc: Path, pid: int, title: str, state: str = "S", call: str = "0") -> None:
    """One of PostgreSQL's, with one thread, that waits in a call."""
    for folder in (proc / str(pid), proc / str(pid) / "task" / str(pid)):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stat").write_text(f"{pid} (postgres) {state} {' '.join(['1'] * 18)} 42 1 1\n")
    (folder / "syscall").write_text(f"{call} 0x5 0x0 0x0\n")
    (folder / "status").write_text("voluntary_ctxt_switches:\t7\n")
    (proc / str(pid) / "comm").write_text("postgres\n")
    (proc / str(pid) / "cmdline").write_text(f"{title}\0")


def test_what_hangs_since_before_the_probe_reaches_headline_and_status(
    ctx: Context, programs: list[Program], tmp_path: Path
) -> None:
    """A flush that began whenever the probe was not yet at work, and a session that no standby answers."""
    process(tmp_path, 2**22 + 1, "postgres: alice shop [local] COMMIT waiting for 0/3000148")
    process(tmp_path, 2**22 + 2, "postgres: walwriter", state="D", call="75")
    none = commit_counts()
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0), Probe([([], none)]), none_beside(tmp_path))
    assert found.under_way is not None
    hanging = sorted((one.kind, one.hanging, one.longest_s, one.longest_in) for one in found.under_way)
    assert hanging == [("standby", 1, 3.0, "queue"), ("sync", 1, 3.0, "flush")]
    assert answer(a_run(found)).startswith("no commit ended in 3 s; 2 commits hang at the end")
    assert status(a_run(found)) is ExitStatus.ANSWER_IS_NO


def test_where_threads_are_lost_none_is_said_to_hang_since_before(
    ctx: Context, programs: list[Program], tmp_path: Path
) -> None:
    process(tmp_path, 2**22 + 2, "postgres: walwriter", state="D", call="75")
    readings: Readings = [([], commit_counts()), ([], commit_counts(lost_threads=1))]
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0), Probe(readings), none_beside(tmp_path))
    assert found.under_way is not None
    assert [(one.commits, one.hanging) for one in found.under_way] == [(1, 0)]
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART


def test_a_program_that_is_gone_is_named_and_refuses_nothing(ctx: Context, programs: list[Program]) -> None:
    programs += [Program("/proc/7/exe", name="/usr/bin/postgres of process 7"), Program("/proc/8/exe")]
    none = commit_counts()
    probe = Probe([([], none), ([commit_row(kind="leader")], none), ([], none)])
    probe.ended = {"/proc/7/exe"}
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0), probe, none_beside())
    (note,) = found.notes
    assert (note.code, note.message.startswith("/usr/bin/postgres of process 7 ended")) == (
        "program-gone",
        True,
    )
    assert found.log_flushes_s == pytest.approx(1.0)
    assert status(a_run(found)) is ExitStatus.DONE


def test_a_program_of_a_process_that_ended_is_gone_and_one_that_is_refused_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(probe: object, executable: str) -> None:
        raise WorldError("probe-refused", f"could not see {executable}", "hint")

    monkeypatch.setattr(commit_probe, "see_log_flushes", refuse)
    monkeypatch.setattr(commit_probe, "see_standby_waits", refuse)
    probe = flow.InKernel(object())  # type: ignore[arg-type]
    for see in (probe.see, probe.see_standby_waits):
        assert see(f"/proc/{2**22 + 1}/exe") is False
        with pytest.raises(WorldError, match="could not see"):
            see("/proc/self/exe")


def test_the_headline_and_a_comparison_are_about_the_same_role(ctx: Context, programs: list[Program]) -> None:
    """The first role is one of which nothing can be told."""
    rows = [commit_row(owner_pid=2**22 + 1, command="slow", commits=3, flush_ns=10**10), commit_row()]
    found = seen(ctx, [([], commit_counts()), (rows, commit_counts())])
    assert [cause.role for cause in found.causes] == ["slow", "fio"]
    assert answer(a_run(found)).startswith("commits of fio wait for")
    first, second = compared_of(a_run(found))[1].figures(a_run(found))
    assert (first.name, first.title, first.value) == (
        "commits.fio.total_us_mean",
        "mean commit of fio",
        100.0,
    )
    assert second.name == "commits.slow.total_us_mean"


def test_a_role_is_told_from_all_who_flush_the_log_also_where_only_it_is_asked_for(
    ctx: Context, programs: list[Program]
) -> None:
    titles = {"title": "postgres: alice shop [local] COMMIT", "command": "postgres"}
    follower = commit_row(owner_pid=2**22 + 1, kind="follower", flush_ns=0, queue_ns=10**9, **titles)
    writer = commit_row(owner_pid=2**22 + 2, command="postgres", title="postgres: walwriter", flush_ns=10**9)
    none = commit_counts()
    probe = Probe([([], none), ([follower, writer], none), ([], none)])
    asked = CommitsRequest(watched_s=3.0, roles=("client backend",))
    found = flow.watched(ctx, asked, probe, none_beside())
    assert [(one.role, one.cause) for one in found.causes] == [("client backend", "disk or above it")]
    assert [row.role for row in found.rows] == ["client backend"]
    assert "who flushes (walwriter) takes 100 ms for it" in found.causes[0].reason


def test_what_was_read_before_the_probe_was_gone_is_kept(ctx: Context, programs: list[Program]) -> None:
    programs.append(Program("/proc/1/exe"))
    none = commit_counts()
    probe = Probe([([], none), ([commit_row()], none), ([commit_row()], none), ([], none)])
    probe.reads_max = 4
    found = flow.watched(ctx, CommitsRequest(watched_s=9.0), probe, none_beside())
    assert (found.duration_s, found.log_flushes_s, found.under_way) == (2.0, pytest.approx(1.0), None)
    assert [row.commits for row in found.rows] == [20]
    assert [note.code for note in found.notes] == ["watch-broken-off"]
    assert answer(a_run(found)).endswith("; it ended before its time")
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART
    probe = Probe([([], none)])
    probe.reads_max = 1
    with pytest.raises(WorldError, match="gone"):
        flow.watched(ctx, CommitsRequest(watched_s=9.0), probe, none_beside())


def test_what_comes_before_the_first_turn_begins_is_not_of_the_turn(
    ctx: Context, programs: list[Program]
) -> None:
    """To see a program takes a while, in which its sessions go on; in the turn itself they flush nothing but the log."""

    class Slow(Probe):
        def see(self, executable: str) -> bool:
            ctx.clock.sleep(0.6)
            return super().see(executable)

    programs.append(Program("/proc/1/exe"))
    of_session = {"command": "postgres", "title": "postgres: alice shop [local] COMMIT"}
    flushed = commit_row(owner_pid=2**22 + 1, commits=129, **of_session)
    none = commit_counts()
    probe = Slow([([], none), ([flushed], none), ([], none)])
    (row,) = flow.watched(ctx, CommitsRequest(watched_s=1.0), probe, none_beside()).rows
    assert (row.commits, row.commits_per_s) == (129, pytest.approx(129 / 0.6))


def test_the_live_count_is_of_the_roles_that_are_asked_for(ctx: Context, programs: list[Program]) -> None:
    heard: list[str] = []

    def listen(event: Event) -> None:
        heard.append(getattr(event, "message", ""))

    none = commit_counts()
    others = commit_row(owner_pid=101, command="mariadbd", commits=1)
    probe = Probe([([], none), ([commit_row(), others], none), ([others, others], none), ([], none)])
    asked = CommitsRequest(watched_s=2.0, roles=("mariadbd",))
    flow.watched(replace(ctx, events=listen), asked, probe, none_beside())
    assert [words for words in heard if "since" in words] == [
        "1 commit since the look before",
        "2 commits since the look before",
    ]


def test_waits_for_a_standby_that_are_not_seen_are_told(ctx: Context, programs: list[Program]) -> None:
    programs.append(Program("/proc/1/exe", has_standby=True))
    found = seen(ctx, [([], commit_counts()), ([commit_row()], commit_counts())])
    assert [note.code for note in found.notes] == ["standby-unseen"]
    assert answer(a_run(found)).endswith("; who waits for a standby is not seen")
    assert status(a_run(found)) is ExitStatus.DONE_IN_PART


def test_a_role_that_committed_nothing_is_told_with_those_that_did(
    ctx: Context, programs: list[Program]
) -> None:
    none = commit_counts()
    probe = Probe([([], none), ([commit_row()], none), ([], none)])
    found = flow.watched(ctx, CommitsRequest(watched_s=3.0, roles=("nobody",)), probe, none_beside())
    assert found.rows == ()
    (note,) = [note for note in found.notes if note.code == "filter-unmatched"]
    assert "no commit of the role nobody was seen; roles that were seen: " in note.message
