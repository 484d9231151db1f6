"""What starts an agent: words of a shell, and names that can be nothing else than hosts."""

from __future__ import annotations

import subprocess

import pytest

from plimsoll.base.errors import UsageError
from plimsoll.cluster.launch import Launch, check_hosts
from plimsoll.requests.io import IoRequest


def test_ssh_is_told_where_its_options_end() -> None:
    asked = IoRequest.of_words({"target": ".", "hosts": ("db1", "db2")})
    command = Launch(asked.launcher, asked.agent).command("db1")
    assert command[0] == "ssh"
    assert command[-4:] == ["--", "db1", "plimsoll", "agent"]
    assert "BatchMode=yes" in command


def test_a_launcher_is_read_as_a_shell_would() -> None:
    launch = Launch("kubectl exec -i 'pod {host}' --", "/opt/plimsoll agent")
    assert launch.command("a") == ["kubectl", "exec", "-i", "pod a", "--", "/opt/plimsoll", "agent"]


@pytest.mark.parametrize("launch", [Launch("ssh 'x", "a"), Launch("", "a"), Launch("ssh {host}", "a '")])
def test_what_cannot_be_read_is_refused(launch: Launch) -> None:
    with pytest.raises(UsageError) as error:
        launch.command("a")
    assert error.value.id == "launcher-unreadable"


def test_a_launcher_that_does_not_say_where_the_name_goes_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        Launch("ssh -p 2222", "plimsoll agent").command("db1")
    assert error.value.id == "launcher-no-host"
    assert error.value.hint == "Say where the name goes, such as --launcher 'ssh -p 2222 {host}'"


@pytest.mark.parametrize(
    "launcher",
    [
        "sh -c", "bash", "/bin/sh", "sh -c 'true'", 'sh -c \'X=\\$"1" exec "$@"\'', "env", "env -u HOST A=1",
        "timeout 50 sh -c", "nice -n 1 bash -ec", "env A=1 sh -c", "env 'A=it is' bash --norc -e", "bash -e -c 'true'",
    ],
)  # fmt: skip
def test_the_launcher_that_is_proposed_starts_the_agent(launcher: str) -> None:
    """As a person would, who copies it from the hint into a shell."""
    with pytest.raises(UsageError) as error:
        Launch(launcher, "agent").command("db1")
    _, _, proposed = (error.value.hint or "").partition("--launcher ")
    words = subprocess.run(["sh", "-c", f"printf %s {proposed}"], capture_output=True, text=True, check=True)
    command = Launch(words.stdout, "printf '%s,' it 'starts now'").command("db1")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "it,starts now,"


@pytest.mark.parametrize(
    ("launcher", "proposed"),
    [
        ("sudo sh -c", """"sudo sh -c 'exec \\"\\$@\\"' {host}\""""),
        ("busybox sh -c", """"busybox sh -c 'exec \\"\\$@\\"' {host}\""""),
        ("bash -lc", """"bash -lc 'exec \\"\\$@\\"' {host}\""""),
        ("bash on.sh", "'bash on.sh {host}'"),
        ("kubectl exec -i --", "'kubectl exec -i -- {host}'"),
        ("env ssh -p 22", "'env ssh -p 22 {host}'"),
        ("su - me -c", None),
        ("fish -c", None),
        ("bash -O extglob", None),
        ("sh -c -e true", None),
        ("sh -c 'exec \"$@\"' a b", None),
        ("ssh gate sh -c", None),
        ("env -u", None),
    ],
)
def test_where_the_name_goes_is_shown_only_where_it_is_known(launcher: str, proposed: str | None) -> None:
    with pytest.raises(UsageError) as error:
        Launch(launcher, "agent").command("db1")
    example = f"Say where the name goes, such as --launcher {proposed}"
    assert error.value.hint == (example if proposed else "Write {host} where the name of the host goes.")


def test_what_to_try_by_hand_is_of_the_launcher_that_was_named() -> None:
    assert Launch("kubectl exec -i {host} --", "agent").by_hand("db-0") == "kubectl exec -i db-0 -- true"


@pytest.mark.parametrize("host", ["root@db1", "[fe80::1%eth0]", "pod/db-0", "db_1.example.com", "bücher"])
def test_names_of_hosts_as_launchers_take_them(host: str) -> None:
    check_hosts([host])


@pytest.mark.parametrize(
    "host",
    ["-oProxyCommand=id", "a b", "a\n", "\x1b[31m", "a;id", "$(id)", "`id`", "a|b", "a'b", "a&b", "a>b"],
)
def test_a_name_that_is_an_option_or_none_is_refused(host: str) -> None:
    with pytest.raises(UsageError) as error:
        check_hosts(["a", host])
    assert error.value.id == "host-name"


def test_one_host_twice_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        check_hosts(["a", "b", "a"])
    assert error.value.id == "hosts-twice"
    check_hosts(["a", "b"])
