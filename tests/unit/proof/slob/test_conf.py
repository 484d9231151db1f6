"""slob.conf and pgio.conf as their users have them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.proof.slob.conf import parse_conf, parse_settings, read_conf
from plimsoll.proof.slob.parameters import parameters

SLOB = """\
# a comment
UPDATE_PCT=25
SCAN_PCT=0
RUN_TIME=300
WORK_LOOP=0
SCALE=80M
SCAN_TABLE_SZ=1M
WORK_UNIT=64
REDO_STRESS=heavy
LOAD_PARALLEL_DEGREE=2

THREADS_PER_SCHEMA=4
DATABASE_STATISTICS_TYPE=statspack   # awr needs a licence
DO_HOTSPOT=TRUE
HOTSPOT_MB=8
HOTSPOT_OFFSET_MB=16
HOTSPOT_FREQUENCY=3
HOT_SCHEMA_FREQUENCY=0
THINK_TM_FREQUENCY=0
THINK_TM_MIN=.1
THINK_TM_MAX=.5
EXTERNAL_SCRIPT=''
"""
PGIO = """\
UPDATE_PCT=10
RUN_TIME=120
NUM_SCHEMAS=4
NUM_THREADS=2
WORK_UNIT=255
UPDATE_WORK_UNIT=8
SCALE=1G
DBNAME=pg10
CONNECT_STRING="pg10"
CREATE_BASE_TABLE=TRUE
"""


def test_slob_conf_is_read() -> None:
    found = parse_conf(SLOB, "slob.conf")
    made = parameters(**found.given)
    assert (made.update_pct, made.scale, made.work_unit, made.threads) == (25, 10_240, 64, 4)
    assert (made.hotspot, made.hotspot_offset, made.hotspot_frequency) == (1024, 2048, 3)
    assert (made.redo_stress, made.think_s_min) == ("HEAVY", 0.1)
    assert {note.code for note in found.notes} == {"slob-conf-elsewhere"}
    assert "EXTERNAL_SCRIPT" in found.notes[-1].message


def test_a_hot_spot_that_is_switched_off_is_off() -> None:
    assert (
        parse_conf(SLOB.replace("DO_HOTSPOT=TRUE", "DO_HOTSPOT=FALSE"), "x").given["hotspot_frequency"] == 0
    )


def test_pgio_conf_is_read() -> None:
    made = parameters(**parse_conf(PGIO, "pgio.conf").given)
    assert (made.schemas, made.threads, made.scale) == (4, 2, 131_072)
    assert (made.work_unit, made.blocks_updated) == (255, 8)


def test_older_names_are_known() -> None:
    assert parse_conf("SHARED_DATA_MODULUS=5\n", "x").given == {"hot_schema_frequency": 5}


def test_unknown_keys_are_named_with_their_line() -> None:
    (note,) = parse_conf("\nWORK_UNITS=3\n", "slob.conf").notes
    assert note.code == "slob-conf-unknown"
    assert note.message == "slob.conf:2: nobody knows WORK_UNITS; it was passed over"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("UPDATE_PCT\n", "slob.conf:1: what begins with UPDATE_PCT is not NAME=VALUE"),
        ("UPDATE_PCT=ten\n", "slob.conf:1: cannot read the value as UPDATE_PCT"),
        ("SCALE=80Q\n", "slob.conf:1: cannot read '80Q' as SCALE"),
        ("REDO_STRESS=much\n", "cannot read the value as REDO_STRESS"),
        ("SCALE='80M\n", "no closing quotation"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as refused:
        parse_conf(text, "slob.conf")
    assert refused.value.id == "slob-conf"


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "slob.conf"
    path.write_bytes(b"\xef\xbb\xbfUPDATE_PCT=30\r\n")
    assert read_conf(path).given == {"update_pct": 30}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no") as missing:
        read_conf(tmp_path / "none.conf")
    assert missing.value.id == "file-missing"
    with pytest.raises(Exception, match="could not read") as refused:
        read_conf(tmp_path)
    assert getattr(refused.value, "id", "") == "slob-conf-unreadable"


def test_settings_of_a_command_line_take_any_name() -> None:
    assert parse_settings(["HOTSPOT_MB=8", "think_s_max=2", "NUM_THREADS=3"]).given == {
        "hotspot": 1024, "think_s_max": 2.0, "threads": 3,
    }  # fmt: skip


def test_an_unknown_setting_of_a_command_line_is_an_error() -> None:
    with pytest.raises(UsageError, match="nobody knows HOTSPOTS") as refused:
        parse_settings(["HOTSPOTS=8"])
    assert "HOTSPOT_MB" in (refused.value.hint or "")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UsageError):
        assert all(isinstance(name, str) for name in parse_conf(text, "any").given)


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("UPDATE_PCT=1 2", "slob.conf:1: UPDATE_PCT has more than one value", "Write one value"),
        ("\nDO_HOTSPOT=maybe", "slob.conf:2: cannot read the value as DO_HOTSPOT", "Write TRUE or FALSE."),
        ("REDO_STRESS=MEDIUM", "cannot read the value as REDO_STRESS", "Write LITE or HEAVY."),
        ("UPDATE_PCT=51.5", "cannot read '51.5' as UPDATE_PCT", "Write a whole number."),
        ("RUN_TIME=soon", "cannot read the value as RUN_TIME", "Write seconds, or a time such as 5m."),
        (
            "SCALE=1\nUPDATE_PCT=101",
            "slob.conf:1: SCALE is 1, outside of 64 to",
            "It means: blocks of each table",
        ),
    ],
)
def test_values_that_cannot_be_are_refused_with_their_place(text: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_conf(text, "slob.conf")
    assert said in refused.value.message
    assert (refused.value.hint or "").startswith(hint)


def test_times_may_have_units() -> None:
    assert parse_conf("RUN_TIME=5m", "slob.conf").given == {"run_time_s": 300.0}


@pytest.mark.parametrize(
    "line",
    [
        'SYSDBA_PASSWD="hunter2',
        "SYSDBA_PASSWD=hunter2 again",
        "SYSDBA_PASSWD = hunter2",
        "SYSDBA_PASSWD hunter2",
        "CONNECT_STRING='me/hunter2@db",
        'MY_PASSWORD="hunter2',
    ],
)
def test_no_message_quotes_a_password(line: str) -> None:
    try:
        said = " ".join(note.message for note in parse_conf(line, "slob.conf").notes)
    except UsageError as error:
        said = f"{error.message} {error.hint}"
    assert line.partition("=")[0].split()[0] in said
    assert "hunter2" not in said


def test_a_line_that_only_hands_variables_on_sets_nothing() -> None:
    """SLOB's own file ends with one."""
    text = "UPDATE_PCT=10\nRUN_TIME=300\nexport UPDATE_PCT RUN_TIME WORK_LOOP\n  export SCALE # all\nexport THREADS_PER_SCHEMA=2\n"
    found = parse_conf(text, "slob.conf")
    assert found.given == {"update_pct": 10, "run_time_s": 300.0, "threads": 2}
    assert found.notes == ()
    text = "UPDATE_PCT=10;\nRUN_TIME=300 ; # seconds\nexport UPDATE_PCT;\ndeclare -x THREADS_PER_SCHEMA=2\n"
    assert parse_conf(text, "slob.conf").given == {"update_pct": 10, "run_time_s": 300.0, "threads": 2}


@pytest.mark.parametrize(
    "line",
    [
        "bogus hunter2",
        "hunter2",
        "UPDATE_PCT hunter2",
        "UPDATE_PCT=system/hunter2@h",
        "UPDATE_PCT=hunter2",
        "SCALE=hunter2",
        "RUN_TIME=7hunter2",
        "REDO_STRESS=hunter2",
        "DO_HOTSPOT=hunter2",
        "UPDATE_PCT=1 hunter2",
        "UPDATE_PCT='hunter2",
    ],
)
def test_a_value_that_cannot_be_read_is_not_quoted(line: str) -> None:
    """It may be a password that was written into the wrong line."""
    for read in (lambda: parse_conf(line, "slob.conf"), lambda: parse_settings([line])):
        with pytest.raises(UsageError) as refused:
            read()
        assert ":1: " in refused.value.message
        assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"


@pytest.mark.parametrize(
    "line",
    [
        "export UPDATE_PCT=20 SCALE=80M",
        "declare -x UPDATE_PCT=20 SCALE='80M'",
        'typeset -x UPDATE_PCT="20"   SCALE=80M ;',
        "export UPDATE_PCT=20 WORK_UNIT SCALE=80M  # and so on",
        "UPDATE_PCT=20 SCALE=80M",
    ],
)
def test_several_assignments_may_share_a_line(line: str) -> None:
    found = parse_conf(line, "slob.conf")
    assert found.given == {"update_pct": 20, "scale": 10_240}
    assert not found.notes


def test_each_name_of_a_shared_line_is_looked_at() -> None:
    found = parse_conf("export SYSDBA_PASSWD='a b' UPDATE_PCT=20 WORK_UNITS=3", "slob.conf")
    assert found.given == {"update_pct": 20}
    assert [note.code for note in found.notes] == ["slob-conf-elsewhere", "slob-conf-unknown"]
    assert not any("a b" in note.message for note in found.notes)
    with pytest.raises(UsageError, match="cannot read the value as SCALE"):
        parse_conf("export UPDATE_PCT=20 SCALE=much", "slob.conf")


@pytest.mark.parametrize("line", ["UPDATE_PCT=10 SCALE", "export UPDATE_PCT=10 20", "UPDATE_PCT=10 --x=3"])
def test_what_a_shell_would_run_is_refused(line: str) -> None:
    with pytest.raises(UsageError, match="UPDATE_PCT has more than one value"):
        parse_conf(line, "slob.conf")
