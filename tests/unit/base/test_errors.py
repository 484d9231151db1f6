"""Errors carry id, message, hint and the exit status of the contract."""

from __future__ import annotations

import pytest

from plimsoll.base import errors


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.UsageError, 2),
        (errors.SafetyError, 3),
        (errors.WorldError, 4),
        (errors.PlimsollError, 4),
    ],
)
def test_each_kind_has_its_exit_status(kind: type[errors.PlimsollError], status: int) -> None:
    error = kind("some-id", "what went wrong", "What to do.")
    assert (error.id, error.message, error.hint, int(error.status)) == (
        "some-id",
        "what went wrong",
        "What to do.",
        status,
    )
    assert str(error) == "what went wrong"


def test_an_interruption_ends_with_the_status_of_a_signal() -> None:
    assert (errors.Interrupted().id, int(errors.Interrupted().status)) == ("interrupted", 130)


def test_a_refusal_of_the_system_is_one_line_with_its_reason() -> None:
    error = errors.world_error(
        "target-forbidden", "open /x", PermissionError(13, "Permission denied"), "Ask root."
    )
    assert error.message == "could not open /x: permission denied"
    assert error.hint == "Ask root."


def test_a_refusal_without_an_errno_keeps_its_words() -> None:
    assert (
        errors.world_error("a-b", "do it", OSError("Out of luck")).message == "could not do it: out of luck"
    )


def test_what_an_error_quotes_has_no_password_in_it() -> None:
    error = errors.WorldError(
        "some-id", "no answer from postgresql://me:a b@db/x", "Try PGPASSWORD=tiger plimsoll."
    )
    assert (error.message, str(error)) == ("no answer from postgresql://me:***@db/x",) * 2
    assert error.hint == "Try PGPASSWORD=*** plimsoll."


def test_what_an_error_is_given_on_its_way_is_redacted_and_in_its_traceback() -> None:
    error = errors.WorldError("some-id", "all were lost")
    error.append("; a file of postgresql://me:a b@db/x may be left")
    told = "all were lost; a file of postgresql://me:***@db/x may be left"
    assert (error.message, str(error), error.args) == (told, told, (told,))
    error.append("")
    assert error.message == told
