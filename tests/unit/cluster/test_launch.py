"""What starts an agent: words of a shell, and names that can be nothing else than hosts."""

from __future__ import annotations

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


@pytest.mark.parametrize("launch", [Launch("ssh 'x", "a"), Launch("", "a"), Launch("ssh", "a '")])
def test_what_cannot_be_read_is_refused(launch: Launch) -> None:
    with pytest.raises(UsageError) as error:
        launch.command("a")
    assert error.value.id == "launcher-unreadable"


@pytest.mark.parametrize("host", ["-oProxyCommand=id", "a b", "a\n", "\x1b[31m"])
def test_a_name_that_is_an_option_or_none_is_refused(host: str) -> None:
    with pytest.raises(UsageError) as error:
        check_hosts(["a", host])
    assert error.value.id == "host-name"


def test_one_host_twice_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        check_hosts(["a", "b", "a"])
    assert error.value.id == "hosts-twice"
    check_hosts(["a", "b"])
