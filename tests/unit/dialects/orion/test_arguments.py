"""ORION's command line: every option, every constraint, and what old scripts contain."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.dialects.orion.arguments import Arguments, parse, wants_help
from plimsoll.dialects.orion.grid import planned
from plimsoll.dialects.orion.options import OPTIONS, help_text


def error(line: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse(line.split())
    assert caught.value.status is ExitStatus.USAGE
    assert caught.value.hint
    return caught.value


def test_the_defaults_are_those_of_the_table() -> None:
    asked = parse(["-run", "simple"])
    assert asked == Arguments(run="simple", words=("-run", "simple"))
    assert (asked.testname, asked.size_small, asked.size_large, asked.type) == ("orion", 8, 1024, "rand")
    assert (asked.num_streamIO, asked.simulate, asked.stripe, asked.write) == (4, "concat", 1024, 0)
    assert (asked.duration, asked.matrix, asked.num_disks, asked.cache_size) == (60, "basic", None, None)
    assert (asked.storax, asked.hugenotneeded, asked.verbose) == ("skgfr", False, False)


# Each option with a value that is taken, beside what it needs.
TAKEN = {
    "run": ("-run normal", "normal"),
    "testname": ("-run simple -testname mytest", "mytest"),
    "num_disks": ("-run simple -num_disks 24", 24),
    "size_small": ("-run advanced -size_small 32", 32),
    "size_large": ("-run advanced -size_large 128", 128),
    "type": ("-run advanced -type seq", "seq"),
    "num_streamIO": ("-run advanced -type seq -num_streamIO 1", 1),
    "simulate": ("-run advanced -simulate RAID0", "raid0"),
    "stripe": ("-run advanced -simulate raid0 -stripe 2048", 2048),
    "write": ("-run advanced -write 100", 100),
    "cache_size": ("-run simple -cache_size 0", 0),
    "duration": ("-run simple -duration 1", 1),
    "matrix": ("-run advanced -matrix DETAILED", "detailed"),
    "num_small": ("-run advanced -matrix col -num_small 0", 0),
    "num_large": ("-run advanced -matrix row -num_large 3", 3),
    "storax": ("-run simple -storax SKGFR", "skgfr"),
    "hugenotneeded": ("-run simple -hugenotneeded", True),
    "verbose": ("-run simple -verbose", True),
    "help": ("-run simple -help", True),
}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_an_option_is_taken(option: object) -> None:
    name = getattr(option, "name", "")
    line, value = TAKEN[name]
    assert getattr(parse(line.split()), name) == value


def test_the_order_is_free() -> None:
    words = ["-num_small", "0", "-matrix", "col", "-run", "Advanced", "-hugenotneeded", "-type", "SEQ"]
    asked = parse(words)
    assert (asked.run, asked.matrix, asked.num_small, asked.type) == ("advanced", "col", 0, "seq")
    assert asked.words == tuple(words)


@pytest.mark.parametrize(
    "line",
    [
        "-run advanced -testname t -num_disks 4 -size_small 32 -size_large 1024 -type rand -matrix detailed",
        "-run advanced -testname t -num_disks 4 -simulate RAID0 -stripe 1024 -write 100 -type seq -matrix col -num_small 0",
        "-testname mytest -run advanced -matrix row -num_disks 5 -cache_size 51200 -simulate raid0 -write 0 -num_large 0",
        "-run oltp -write 50 -testname test1-4 -num_disks 4 -hugenotneeded",
        "-run simple -testname bmtfile-acfs -hugenotneeded",
    ],
)
def test_published_command_lines_are_taken(line: str) -> None:
    assert parse(line.split()).words == tuple(line.split())


@pytest.mark.parametrize(
    ("run", "matrix", "num_small", "num_large"),
    [
        ("simple", "basic", None, None),
        ("normal", "detailed", None, None),
        ("oltp", "row", None, 0),
        ("dss", "col", 0, None),
    ],
)
def test_a_kind_of_run_stands_for_an_advanced_one(
    run: str, matrix: str, num_small: int | None, num_large: int | None
) -> None:
    asked = parse(["-run", run])
    assert (asked.matrix, asked.num_small, asked.num_large) == (matrix, num_small, num_large)


@pytest.mark.parametrize("run", ["simple", "normal", "oltp", "dss", "advanced"])
def test_every_run_takes_a_duration(run: str) -> None:
    assert parse(["-run", run, "-duration", "5"]).duration == 5


@pytest.mark.parametrize(
    ("id", "line", "said"),
    [
        ("orion-option-missing", "-testname t", "option -run is missing"),
        (
            "orion-option-missing",
            "-run advanced -matrix point -num_large 1",
            "-matrix point needs option -num_small",
        ),
        (
            "orion-option-missing",
            "-run advanced -matrix point -num_small 1",
            "-matrix point needs option -num_large",
        ),
        ("orion-option-missing", "-run advanced -matrix row", "-matrix row needs option -num_large"),
        ("orion-option-missing", "-run advanced -matrix col", "-matrix col needs option -num_small"),
        (
            "orion-option-missing",
            "-run advanced -matrix max -num_small 1",
            "-matrix max needs option -num_large",
        ),
        ("orion-option-twice", "-run simple -run simple", "option -run is given twice"),
        ("orion-option-unknown", "-run simple -frob 1", "no option '-frob'"),
        ("orion-option-unknown", "-run simple extra", "no option 'extra'"),
        ("orion-option-unknown", "-RUN simple", "no option '-RUN'"),
        ("orion-option-unknown", "–run simple", "no option '–run'"),
        ("orion-option-unfit", "-run simple -type seq", "-type does not go with -run simple"),
        ("orion-option-unfit", "-run simple -write 10", "-write does not go with -run simple"),
        ("orion-option-unfit", "-run dss -matrix row", "-matrix does not go with -run dss"),
        ("orion-option-unfit", "-run oltp -num_large 0", "-num_large does not go with -run oltp"),
        ("orion-option-unfit", "-run advanced -num_streamIO 4", "-num_streamIO does not go with -type rand"),
        ("orion-option-unfit", "-run advanced -stripe 64", "-stripe does not go with -simulate concat"),
        ("orion-option-unfit", "-run advanced -num_small 1", "-num_small does not go with -matrix basic"),
        (
            "orion-option-unfit",
            "-run advanced -matrix row -num_large 1 -num_small 1",
            "-num_small does not go with -matrix row",
        ),
        ("orion-option-unfit", "-run advanced -matrix max -num_small 0 -num_large 0", "nothing to measure"),
        ("orion-option-unfit", "-run advanced -simulate raid0 -stripe 64", "I/Os of 1024 KB"),
        (
            "orion-option-unfit",
            "-run advanced -simulate raid0 -stripe 4 -matrix row -num_large 0",
            "-stripe 4 does not go with I/Os of 8 KB",
        ),
        ("orion-storax", "-run simple -storax asmlib", "needs libraries of Oracle"),
        ("orion-value", "-run quick", "-run quick is not known"),
        ("orion-value", "-run", "-run has no value"),
        ("orion-value", "-run simple -testname -verbose", "-testname has no value"),
        ("orion-value", "-run simple -testname dir/", "is not a name"),
        ("orion-value", "-run simple -num_disks 0", "-num_disks 0 is out of range"),
        ("orion-value", "-run simple -num_disks -1", "-num_disks -1 is not a whole number"),
        ("orion-value", "-run simple -num_disks ٣", "is not a whole number"),
        ("orion-value", "-run simple -duration 0", "-duration 0 is out of range"),
        ("orion-value", "-run simple -duration 1.5", "is not a whole number"),
        ("orion-value", "-run simple -cache_size 67108864", "out of range"),
        ("orion-value", "-run advanced -size_small 0", "out of range"),
        ("orion-value", "-run advanced -write 101", "out of range"),
        ("orion-value", f"-run advanced -size_large {'9' * 5000}", "out of range"),
        ("orion-value", "-run simple -storax tape", "-storax tape is not known"),
    ],
)
def test_what_does_not_fit_is_an_error_that_names_it(id: str, line: str, said: str) -> None:
    caught = error(line)
    assert caught.id == id
    assert said in caught.message


def test_bytes_for_megabytes_is_pointed_out() -> None:
    assert "megabytes, not bytes" in (error("-run simple -cache_size 67108864").hint or "")


def test_a_near_name_and_a_wrong_dash_are_pointed_out() -> None:
    assert "-num_streamIO" in (error("-run advanced -type seq -num_streamio 4").hint or "")
    assert "Write -run" in (error("—run simple").hint or "")


def test_sizes_outside_the_stated_range_are_taken_and_noted() -> None:
    asked = parse(["-run", "advanced", "-size_small", "1024", "-size_large", "8"])
    assert (asked.size_small, asked.size_large) == (1024, 8)
    assert [note.code for note in asked.notes] == ["orion-size", "orion-size"]
    assert parse(["-run", "advanced", "-size_small", "32", "-size_large", "128"]).notes == ()


def test_the_help_names_every_option() -> None:
    assert wants_help(["-help"])
    assert wants_help(["-run", "simple", "-help"])
    assert not wants_help([])
    assert all(f"  -{option.name} " in help_text() for option in OPTIONS)


@pytest.mark.parametrize(
    ("line", "stripe_kb"),
    [
        ("-run advanced -simulate raid0 -stripe 64 -matrix row -num_large 0", 64),
        ("-run advanced -simulate raid0 -stripe 9 -size_large 3 -matrix col -num_small 0", 9),
    ],
)
def test_a_stripe_holds_the_ios_that_there_are(line: str, stripe_kb: int) -> None:
    assert parse(line.split()).stripe == stripe_kb


WORDS = st.one_of(
    st.sampled_from([f"-{option.name}" for option in OPTIONS]),
    st.sampled_from(["simple", "oltp", "advanced", "seq", "raid0", "row", "point", "0", "1", "64", "1024"]),
    st.text(max_size=5),
)


@given(st.lists(WORDS, max_size=12))
def test_any_words_are_taken_or_refused(words: list[str]) -> None:
    with suppress(UsageError):
        asked = parse(["-run", "advanced", *words])
        assert planned(asked, asked.num_disks or 1)
