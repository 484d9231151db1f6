"""A scheduler that wants certificates: those of Dask's configuration are shown; without them it is said how to name them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import deadly
from command import plimsoll
from dask_cluster import cluster
from plimsoll.base.errors import PlimsollError
from plimsoll.cluster.dask_address import address_of
from plimsoll.cluster.dask_executor import cluster_executor

distributed = pytest.importorskip(
    "distributed", reason="Dask is not installed: it is part of the extra cluster"
)
pytest.importorskip(
    "cryptography", reason="certificates are made by cryptography, which comes with mariadb and oracle"
)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One for all of them."""
    made = distributed.Security.temporary()
    folder = tmp_path_factory.mktemp("certificates")
    files = {name: folder / f"{name}.pem" for name in ("ca_file", "client_cert", "client_key")}
    for name, path in files.items():
        path.write_text(getattr(made, f"tls_{name}"))
    return files


@pytest.fixture(scope="module")
def address(certificates: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    files = [str(certificates[name]) for name in ("ca_file", "client_cert", "client_key")]
    options = ("--protocol", "tls", "--tls-ca-file", files[0], "--tls-cert", files[1], "--tls-key", files[2])
    with cluster(tmp_path_factory.mktemp("cluster"), workers=1, options=options) as made:
        assert made.address.startswith("tls://")
        yield made.address


def configured(monkeypatch: pytest.MonkeyPatch, ca_file: Path, cert: Path, key: Path) -> None:
    """As Dask's own configuration has them, which is read once by each process."""
    import dask.config

    values = {"ca-file": str(ca_file), "client": {"cert": str(cert), "key": str(key), "ciphers": None}}
    tls = dask.config.config["distributed"]["comm"]["tls"]
    for name, value in values.items():
        monkeypatch.setitem(tls, name, value)


def refused(address: str) -> PlimsollError:
    """By what a connection is refused."""
    with pytest.raises(PlimsollError) as caught, cluster_executor(address_of(address)):
        pass
    return caught.value


def test_with_certificates_it_works(
    certificates: dict[str, Path], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(monkeypatch, *certificates.values())
    with cluster_executor(address_of(address)) as executor:
        assert list(executor.apart(deadly.squares, [[2]])) == [[([2], [4])]]


def test_agents_are_started_and_heard_with_certificates_of_the_environment(
    certificates: dict[str, Path], address: str
) -> None:
    names = ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
    values = zip(names, certificates.values(), strict=True)
    told = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": str(path) for name, path in values}
    words = ("io", "sim:mean=100us", "--cluster", address, "--runtime", "5s", "--json")
    done = plimsoll(*words, timeout_s=60.0, powerless=False, **told)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["data"]["hosts"]) == 1


def test_without_certificates_it_says_how_to_name_them(address: str) -> None:
    error = refused(address)
    assert error.id == "cluster-certificates"
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in (error.hint or "")


def test_a_certificate_that_is_not_there_is_told(
    certificates: dict[str, Path], address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ca_file, _, key = certificates.values()
    configured(monkeypatch, ca_file, Path(os.devnull + "-none"), key)
    assert refused(address).id == "cluster-certificates"


def test_without_tls_a_scheduler_that_wants_it_is_not_reached(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.cluster.dask_client.CLUSTER_CONNECT_S", 2.0)
    plain = address.replace("tls://", "tcp://")
    error = refused(plain)
    assert error.id == "cluster-unreachable"
    assert error.message == f"what answers at {plain} may want TLS: it ended a connection without"
    assert error.hint == "Write tls://, and name the certificates in Dask's configuration."


def test_with_tls_a_scheduler_without_is_not_reached(
    certificates: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(monkeypatch, *certificates.values())
    with cluster(tmp_path, workers=0) as made:
        named = made.address.replace("tcp://", "tls://")
        error = refused(named)
    assert error.id == "cluster-unreachable"
    assert error.message.startswith(f"the Dask scheduler at {named} speaks no TLS: ")
    assert error.hint == "Write tcp://, or start scheduler and workers with certificates."


def test_strangers_certificates_are_refused(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.cluster.dask_client.CLUSTER_CONNECT_S", 2.0)
    other = distributed.Security.temporary()
    paths = []
    for name in ("ca_file", "client_cert", "client_key"):
        paths.append(tmp_path / name)
        paths[-1].write_text(getattr(other, f"tls_{name}"))
    configured(monkeypatch, *paths)
    assert refused(address).id == "cluster-unreachable"
