"""Progress as people see it, in a log and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import command
from plimsoll.cli.progress import in_sentences, words
from plimsoll.facts import Event, Live, Progress, Remark, Tick
from plimsoll.ports.clock import VirtualClock


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (Remark(stage="io", message="a word"), "a word"),
        (Remark(stage="io", message="a word", warning=True), "warning: a word"),
        (Progress(stage="prefill", message="writing"), "writing"),
        (
            Progress(stage="prefill", message="writing", share=0.256, left_s=75.0),
            "writing: 26 %, 1 min 15 s left",
        ),
        (Progress(stage="prefill", message="writing", share=1.0, left_s=0.0, finished=True), "writing"),
        (
            Live(
                stage="io",
                elapsed_s=1.0,
                left_s=4.0,
                iops=54_321.0,
                latency_us_p50=85.0,
                latency_us_p99=1234.0,
            ),
            "54,300 I/Os per second, p50 85 µs, p99 1.23 ms, 4 s left",
        ),
        (
            Live(stage="line", elapsed_s=1.0, iops=990.0, latency_us_p50=85.0, rate_per_s=1000.0),
            "990 I/Os per second of 1,000 asked, p50 85 µs, p99 unknown",
        ),
        (Live(stage="demand", elapsed_s=1.0, iops=990.0), "990 I/Os per second"),
        (
            Tick(stage="watch", elapsed_s=1.0, duration_s=1.0, left_s=4.0, iops=990.0, mb_per_s=8.11),
            "990 I/Os per second, 8.1 MB/s, 4 s left",
        ),
    ],
)
def test_an_event_in_words(event: Event, said: str) -> None:
    assert words(event) == said


def test_a_log_gets_remarks_stages_and_signs_of_life(capsys: pytest.CaptureFixture[str]) -> None:
    clock = VirtualClock()
    listen = in_sentences(clock)
    for second in range(12):
        listen(Progress(stage="line", message=f"trial {second}"))
        listen(Live(stage="line", elapsed_s=second, iops=100.0))
        clock.sleep(1.0)
    listen(Remark(stage="line", message="a word"))
    listen(Progress(stage="line", message="done", finished=True))
    assert capsys.readouterr().err.splitlines() == [
        "trial 0",
        "trial 5; 100 I/Os per second",
        "trial 10; 100 I/Os per second",
        "a word",
        "done",
    ]


@pytest.mark.parametrize("words_after", [(), ("--json",)])
def test_on_a_terminal_one_line_moves_and_results_go_out(
    words_after: tuple[str, ...], tmp_path: Path
) -> None:
    """Standard error is a terminal, standard output a file: as in `plimsoll line … > result`."""
    result = tmp_path / "result"
    shown = on_terminal("line", "sim:mean=100us", "--trial", "10s", *words_after, result=result)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "2,500 I/Os per second: p99" in plain
    assert re.search(r"trial \d+ of about \d+", plain)
    assert "run 20" not in plain
    assert "\x1b[?25h" in shown, "the cursor is shown again"
    out = result.read_text(encoding="utf-8")
    assert "\x1b" not in out
    if words_after:
        assert json.loads(out)["kind"] == "line"
    else:
        assert "I/Os per second" in out.splitlines()[0]
        assert out.splitlines()[-1].startswith("run ")


def on_terminal(*words: str, result: Path) -> str:
    """What a terminal showed of our standard error."""
    return on_terminal_running(command.command(*words), result)


def on_terminal_running(words: list[str], result: Path) -> str:
    """What a terminal showed of a program's standard error; standard output goes to the file."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}
    with open(result, "w", encoding="utf-8") as out:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    # Linux ends with an error when the other side has closed.
    with suppress(OSError):
        while piece := os.read(ours, 65536):
            shown += piece
    os.close(ours)
    assert child.wait(timeout=60) == 0
    return shown.decode()


SCRIPT = """
from plimsoll.cli.progress import on_terminal
from plimsoll.facts import Live, Progress, Remark
live = dict(elapsed_s=1.0, iops=54321.0, latency_us_p50=85.0, latency_us_p99=1234.0)
with on_terminal() as listen:
    listen(Live(stage="io", left_s=4.0, **live))
    listen(Progress(stage="line", message="trial 3 of about 14", share=0.21, left_s=75.0))
    listen(Live(stage="line", rate_per_s=60000.0, **live))
    listen(Remark(stage="line", message="a word"))
    listen(Progress(stage="line", message="finished", finished=True))
"""


def test_every_event_is_seen_on_a_terminal(tmp_path: Path) -> None:
    """Rate, percentiles and time left in one line, together with the stage."""
    shown = on_terminal_running([sys.executable, "-c", SCRIPT], result=tmp_path / "result")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    figures = "54,300 I/Os per second{}, p50 85 µs, p99 1.23 ms"
    assert figures.format("") + ", 4 s left" in plain
    assert "trial 3 of about 14: 21 %, 1 min 15 s left  " + figures.format(" of 60,000 asked") in plain
    assert "a word" in plain
    assert "finished" in plain
    assert shown.count("\x1b[?25h") == shown.count("\x1b[?25l") > 0, "the cursor is shown again"


TESTS = str(Path(__file__).resolve().parents[2])
ROWS = """
import sys
sys.path.append(sys.argv[1])
import facts_watch
from plimsoll.cli.progress import on_terminal
from plimsoll.facts import Progress, Tick
rows = tuple(facts_watch.row(file=f"/data/{number:03}\x1b[2J") for number in range(100))
with on_terminal() as listen:
    listen(Tick(stage="watch", elapsed_s=1.0, duration_s=1.0, iops=20000.0, mb_per_s=163.84, rows=rows))
    listen(Progress(stage="watch", message="watched", finished=True))
"""


def test_rows_move_on_a_terminal_and_there_are_no_more_than_it_holds(tmp_path: Path) -> None:
    shown = on_terminal_running([sys.executable, "-c", ROWS, TESTS], result=tmp_path / "result")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "20,000 I/Os per second, 163.8 MB/s" in plain
    assert r"/data/000\x1b[2J" in plain
    assert r"/data/050\x1b[2J" not in plain
    assert "\x1b[2J" not in shown
    assert "watched" in plain


@pytest.mark.parametrize("verb", ["calibrate", "shapes"])
def test_long_measurements_say_how_far_they_are(verb: str, tmp_path: Path) -> None:
    more = ["--runtime", "1s", "--shape", "simple"] if verb == "calibrate" else ["--runtime", "1s"]
    shown = on_terminal(verb, "sim:mean=100us", *more, result=tmp_path / "result")
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert re.search(r"(point|measurement) \d+ of \d+: \d+ %, [\d.]+ m?s left", plain), plain


def test_events_go_to_a_file_one_a_line(tmp_path: Path) -> None:
    """A remark for each trial, and progress after it; how often live figures come is tested with the engine."""
    place = tmp_path / "events"
    done = command.plimsoll("line", "sim:mean=100us", "--trial", "5s", "--events", place, "--json")
    lines = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
    kinds = [line["kind"] for line in lines]
    assert kinds.pop(0) == "begin"
    assert set(kinds) <= {"live", "progress", "remark"}
    trials = len(command.document(done)["data"]["trials"])
    assert kinds.count("remark") == trials
    assert kinds.count("progress") >= trials


NOTHING_TOLD = """
import sys
from plimsoll.cli.progress import on_terminal
with on_terminal() as listen:
    with listen.still():
        pass
    listen.stop()
    print("rich" in sys.modules)
from plimsoll.facts import Remark
with on_terminal() as listen:
    listen.stop()
    listen(Remark(stage="io", message="after the results"))
print("rich" in sys.modules)
"""


def test_what_draws_is_loaded_with_the_first_event(tmp_path: Path) -> None:
    """A command that is over in a moment tells nothing on its way."""
    shown = on_terminal_running([sys.executable, "-c", NOTHING_TOLD], result=tmp_path / "result")
    assert (tmp_path / "result").read_text() == "False\nTrue\n"
    assert "after the results" in shown
    assert shown.count("\x1b[?25h") >= shown.count("\x1b[?25l"), "the cursor is shown again"
