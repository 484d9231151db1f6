"""oranfstab: what it says is what is measured; what cannot be done as it says is refused with its line."""

from __future__ import annotations

import string
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.dialects.oranfstab import mount_of, parse
from plimsoll.supply.direct_nfs import on_server

TAB = """\
# two filers
server: filer1
local: 10.0.1.9
path: 10.0.1.5
local: 10.0.2.9
path:  10.0.2.5
nfs_version: nfsv3
dontroute
mnt_timeout: 60
export: /vol/oradata mount: /u02
export: /vol/redo    mount: /u02/redo
uid: 54321
gid: 54322

server: filer2
export: /vol/arch mount: /u03
"""


@pytest.fixture
def tab(tmp_path: Path) -> str:
    path = tmp_path / "oranfstab"
    path.write_text(TAB)
    return str(path)


@pytest.mark.parametrize(
    ("target", "url"),
    [
        ("/u02/FRDB/users 01.dbf", "nfs://filer1/vol/oradata/FRDB/users%2001.dbf?paths=10.0.1.5,10.0.2.5&local=10.0.1.9,10.0.2.9&uid=54321&gid=54322"),
        ("/u02/redo/", "nfs://filer1/vol/redo?paths=10.0.1.5,10.0.2.5&local=10.0.1.9,10.0.2.9&uid=54321&gid=54322"),
        ("/u02/redo2", "nfs://filer1/vol/oradata/redo2?paths=10.0.1.5,10.0.2.5&local=10.0.1.9,10.0.2.9&uid=54321&gid=54322"),
        ("/u03/x", "nfs://filer2/vol/arch/x"),
    ],
)  # fmt: skip
def test_a_path_below_a_mount_is_a_file_of_its_server(tab: str, target: str, url: str) -> None:
    assert on_server(target, tab) == url


def test_without_a_file_the_target_stays_as_it_is() -> None:
    assert on_server("data", None) == "data"


@pytest.mark.parametrize("target", ["/u020/x", "/data", "nfs://filer1/vol/oradata"])
def test_what_lies_below_no_mount_is_refused(tab: str, target: str) -> None:
    with pytest.raises(UsageError) as error:
        on_server(target, tab)
    assert error.value.id == "oranfstab-no-mount"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nfs_version: nfsv4.1", "nfs_version: nfsv4.1, and plimsoll speaks version 3 alone"),
        ("nfs_version: pnfs", "nfs_version: pnfs"),
        ("security_default: krb5", "security: krb5"),
    ],
)
def test_what_would_go_another_way_is_refused_with_the_name_to_take(
    tmp_path: Path, line: str, reason: str
) -> None:
    path = tmp_path / "oranfstab"
    path.write_text(f"server: f\n{line}\nexport: /e mount: /m\n")
    with pytest.raises(UsageError) as error:
        on_server("/m/x", str(path))
    assert error.value.id == "oranfstab-unfit"
    assert reason in error.value.message
    assert "nfs://f/e/x" in (error.value.hint or "")


@pytest.mark.parametrize(
    "krb5", ["export: /e mount: /m\nsecurity: krb5p", "export: /e mount: /m security: KRB5P"]
)
def test_security_is_that_of_its_export(tmp_path: Path, krb5: str) -> None:
    path = tmp_path / "oranfstab"
    path.write_text(f"server: f\n{krb5}\nexport: /w mount: /n\nsecurity: sys\n")
    assert on_server("/n/x", str(path)) == "nfs://f/w/x"
    with pytest.raises(UsageError, match="security: krb5p, and plimsoll has sys alone"):
        on_server("/m/x", str(path))


@pytest.mark.parametrize(
    ("server", "host"),
    [
        ("2001:db8::1", "[2001:db8::1]"),
        ("a:b\npath: 10.0.0.1", "[10.0.0.1]"),
        ("db_filer.x\npath: ::1", "db_filer.x"),
    ],
)
def test_a_server_is_written_as_a_url_takes_it(tmp_path: Path, server: str, host: str) -> None:
    path = tmp_path / "oranfstab"
    path.write_text(f"server: {server}\nDontroute\nexport: /e mount: /m\n")
    assert on_server("/m/x", str(path)).startswith(f"nfs://{host}/e/x")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "server: f path: 10.0.0.1\nexport: /e mount: /m\n",
            "line 1: 'server: f path: 10.0.0.1' has more than one value",
        ),
        ("server: f\nsecurity: sys\n", "line 2: security: stands before any export:"),
        ("", "names no server"),
        ("path: 10.0.0.1\n", "line 1: there is no server: before path:"),
        ("server: f\nways: 2\nexport: /e mount: /m\n", "line 2: nobody knows the key ways:"),
        ("server: f\nexport: /e\n", "line 2: 'export: /e' is not EXPORT mount: PLACE"),
        ("server: f\npath 10.0.0.1\n", "line 2: 'path 10.0.0.1' is no line of key: value"),
        ("server: f\n", "line 1: server f has no export:"),
        (
            "server: f\n" + "path: a\n" * 5 + "export: /e mount: /m\n",
            "has 5 lines path:, and Direct NFS takes 4",
        ),
        ("server: f\nlocal: b\nexport: /e mount: /m\n", "has 1 lines local: and 0 lines path:"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(text, "oranfstab")
    assert error.value.id == "oranfstab-unreadable"
    assert reason in error.value.message


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no"):
        on_server("/m", str(tmp_path / "none"))


@given(st.text(alphabet=string.printable, max_size=300))
def test_whatever_comes_is_read_or_refused(text: str) -> None:
    with suppress(PlimsollError):
        servers = parse(f"server: f\n{text}\nexport: /e mount: /m", "tab")
        assert mount_of(servers, "/m/x") is not None
