"""Workers as hosts: how they are called, and which are meant."""

from __future__ import annotations

import shlex
import sys

import pytest

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError
from plimsoll.cluster.dask_address import Address, address_of
from plimsoll.cluster.dask_hosts import BRIDGE, ClusterLaunch, chosen, workers_by_name
from plimsoll.cluster.launch import Launch
from plimsoll.cluster.ways import names_of, way_of
from plimsoll.requests.io import IoRequest
from plimsoll.requests.prove_slob import ProveSlobRequest

ADDRESS = Address("tcp", "127.0.0.1", 8786)


@pytest.mark.parametrize(
    ("address", "given", "name"),
    [
        ("tcp://10.0.0.5:4711", "db1", "db1"),
        ("tcp://10.0.0.5:4711", 3, "3"),
        ("tcp://10.0.0.5:4711", "tcp://10.0.0.5:4711", "10.0.0.5:4711"),
        ("tls://[fe80::1]:4711", None, "[fe80::1]:4711"),
        ("tcp://10.0.0.5:4711", "-oProxyCommand=x", "10.0.0.5:4711"),
        ("tcp://10.0.0.5:4711", "a b", "10.0.0.5:4711"),
        ("tcp://10.0.0.5:4711", "a\n", "10.0.0.5:4711"),
        ("inproc://1/2", "", "1/2"),
    ],
)
def test_a_worker_is_called_as_hosts_may_be(address: str, given: object, name: str) -> None:
    assert workers_by_name({"workers": {address: {"name": given}}}) == {name: address}


def test_without_names_all_take_part() -> None:
    assert chosen(ADDRESS, {"b": "tcp://b:1", "a": "tcp://a:1"}, ()) == ("a", "b")
    assert chosen(ADDRESS, {"b": "tcp://b:1", "a": "tcp://a:1"}, ("b",)) == ("b",)


def test_a_worker_that_is_not_there_is_told_with_those_that_are() -> None:
    there = {f"w{number:02}": f"tcp://a:{number}" for number in range(23)}
    with pytest.raises(UsageError) as caught:
        chosen(ADDRESS, there, ("w01", "x"))
    assert caught.value.id == "cluster-worker-unknown"
    assert caught.value.message == "tcp://127.0.0.1:8786 has no worker x"
    assert (caught.value.hint or "").startswith("It has w00, w01, ")
    assert (caught.value.hint or "").endswith("w19 and 3 more. Without --hosts all of them take part.")


def test_a_cluster_without_workers_is_told() -> None:
    with pytest.raises(PlimsollError) as caught:
        chosen(ADDRESS, {}, ())
    assert caught.value.id == "cluster-no-workers"


def test_what_is_started_for_a_worker_is_what_a_person_may_type() -> None:
    launch = ClusterLaunch(ADDRESS, without_tls=True)
    words = [BRIDGE, "tcp://127.0.0.1:8786", "a", "--without-tls"]
    assert launch.command("a")[-4:] == words
    assert launch.agent_by_hand("a") == shlex.join([sys.executable, "-m", *words])
    assert launch.by_hand("a") == f"{launch.agent_by_hand('a')} </dev/null"
    assert ClusterLaunch(ADDRESS, without_tls=False).command("a")[-1] == "a"


def test_a_request_says_which_way_it_is() -> None:
    assert isinstance(way_of(IoRequest("sim:", hosts=("a",))), Launch)
    assert way_of(IoRequest("sim:", agents_cluster="tcp://127.0.0.1:8786")) == ClusterLaunch(ADDRESS, False)
    assert names_of(IoRequest("sim:", hosts=("a", "b"))) == ("a", "b")


def test_a_scheduler_elsewhere_without_tls_is_refused_before_anything_is_asked() -> None:
    asked = IoRequest("sim:", agents_cluster="tcp://192.0.2.1:8786")
    with pytest.raises(SafetyError) as caught:
        names_of(asked)
    assert caught.value.id == "cluster-without-tls"
    told = IoRequest("sim:", agents_cluster="tcp://192.0.2.1:8786", agents_without_tls=True)
    assert way_of(told) == ClusterLaunch(address_of("tcp://192.0.2.1:8786"), without_tls=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"cluster": "tcp://127.0.0.1:8786", "launcher": "ssh {host}"},
            "--launcher would have no effect with --cluster, whose workers start the agents",
        ),
        (
            {"cluster": "tcp://127.0.0.1:8786", "agent": "plimsoll agent"},
            "--agent would have no effect with --cluster, whose workers start the agents",
        ),
        ({"cluster_without_tls": True}, "--cluster-without-tls would have no effect without --cluster"),
        (
            {"cluster": "tcp://127.0.0.1:8786", "prefill": True},
            "--prefill would have no effect with --cluster",
        ),
        ({"own_storage": True}, "--own-storage would have no effect without --hosts or --cluster"),
    ],
)
def test_what_has_no_effect_beside_a_cluster_is_refused(words: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        IoRequest.of_words({"target": "sim:", **words})
    assert (caught.value.id, caught.value.message) == ("option-idle", message)


def test_a_sweep_is_of_one_host() -> None:
    with pytest.raises(UsageError) as caught:
        ProveSlobRequest.of_words({"action": "sweep", "cluster": "tcp://127.0.0.1:8786"})
    assert caught.value.message == "--cluster would have no effect on a sweep, which is of one host"
