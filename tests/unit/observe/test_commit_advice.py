"""What would help, told to those whose commits it can change."""

from __future__ import annotations

import typing

import pytest

from plimsoll.facts.commits import CommitCauseName
from plimsoll.observe.commit_advice import advice_for

CAUSES = typing.get_args(CommitCauseName)
OF_SESSIONS = ("the log", "commit", "session", "pool", "pg_stat_activity")


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("role", ["dd", "fio", "systemd-journal", "checkpointer", "oracle-backup", "logger"])
def test_who_commits_for_no_session_is_not_told_what_sessions_are(role: str, cause: CommitCauseName) -> None:
    told = advice_for(cause, role).replace("Sessions do not wait", "")
    assert told.endswith(".")
    assert ("No process that was started with it flushed" in told) == (cause == "lock")
    assert not [words for words in OF_SESSIONS if words in told], told


@pytest.mark.parametrize(
    "role", ["client backend", "postgres", "walwriter", "mariadbd", "mysqld", "foreground ORCL", "lgwr ORCL"]
)
def test_who_commits_for_sessions_is_told_of_the_log_and_of_sessions(role: str) -> None:
    assert "Put the log on a device" in advice_for("disk", role)
    assert "keep fewer sessions" in advice_for("group commit", role)
    assert "synchronous_commit" in advice_for("standby", role)
    assert "a faster device would not help" in advice_for("lock", role)
    assert "before a faster device is bought" in advice_for("disk or above it", role)
    assert all(advice_for(cause, role).endswith(".") for cause in CAUSES)


def test_sessions_of_postgresql_whose_flushers_sleep_are_told_of_commit_delay_first() -> None:
    told = advice_for("group commit", "client backend", is_delayed=True)
    assert told.startswith("Look first at commit_delay, where it is set: ")
    assert told.index("commit_delay") < told.index("keep fewer sessions")
    seen = advice_for("group commit", "client backend", is_delayed=True, is_seen_asleep=True)
    assert seen.startswith("Set commit_delay to 0 or lower: ")
    for role in ("mariadbd", "dd"):
        assert "commit_delay" not in advice_for("group commit", role, is_delayed=True)
    assert "commit_delay" not in advice_for("disk", "client backend", is_delayed=True)


def test_a_checkpointer_is_told_to_spread_its_flushes_of_data() -> None:
    assert "checkpoint_completion_target" in advice_for("disk", "checkpointer")
    assert "checkpoint_completion_target" not in advice_for("run queue", "checkpointer")
