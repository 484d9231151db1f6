"""`plimsoll trend --prometheus`: what a Prometheus is asked, what becomes of its answers, and that no secret is told."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

import exports_made as made
import plimsoll
from plimsoll.base import settings
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.ports.files import TooLargeError

DAYS = 20
SINCE = made.START.isoformat()
UNTIL = (made.START + timedelta(days=DAYS)).isoformat()
NAME = "node_disk_reads_completed_total"
DEVICE = "db1:9100/sda"


class Server(BaseHTTPRequestHandler):
    """A Prometheus with one counter, of a request a second, and with whatever a test puts in its place."""

    asked: ClassVar[list[dict[str, str]]] = []
    headers_seen: ClassVar[list[str | None]] = []
    instead: ClassVar[tuple[int, bytes] | None] = None

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        question = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.asked.append({"path": url.path, **question})
        self.headers_seen.append(self.headers["Authorization"])
        status, content = self.instead or (200, json.dumps(self._answer(question)).encode())
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://elsewhere.example/")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, question: dict[str, str]) -> dict[str, Any]:
        begin, end, step = (int(question[name]) for name in ("start", "end", "step"))
        named = {"__name__": NAME} if question["query"] == NAME else {}
        samples = [(at, str(at - 10**9)) for at in range(begin, end + 1, step)]
        return made.matrix(({**named, **made.LABELS}, samples))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is that of the class above
        """Says nothing."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Host and port of a server of the test's own."""
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.sqlite"))
    Server.asked.clear()
    Server.headers_seen.clear()
    monkeypatch.setattr(Server, "instead", None)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def asked(place: str, *queries: str, **words: Any) -> plimsoll.Trended:
    """What is answered of the days that are known."""
    given: dict[str, Any] = {"prometheus": f"http://{place}", "query": list(queries) or [NAME]}
    return plimsoll.trend(**{**given, "since": SINCE, "until": UNTIL, **words})


def test_a_counter_is_asked_for_by_name(place: str) -> None:
    (series,) = asked(place).series
    assert (series.database, series.metric, series.mean) == (DEVICE, "read_per_s", pytest.approx(1.0))
    (question,) = Server.asked
    assert question == {
        "path": "/api/v1/query_range",
        "query": NAME,
        "start": str(int(made.START.timestamp())),
        "end": str(int(made.START.timestamp()) + DAYS * 86_400),
        "step": "3600",
    }


def test_a_long_time_is_asked_for_in_parts_and_none_is_lost(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.flows.prometheus.PROMETHEUS_STEPS_MAX", 100)
    (series,) = asked(place).series
    assert len(Server.asked) == 5
    assert series.points == DAYS * 24
    assert series.gaps == 0


def test_an_expression_has_the_name_before_it(place: str) -> None:
    (series,) = asked(place, 'iops=rate(x{a="b"}[1h])').series
    assert series.metric == "iops"
    assert Server.asked[0]["query"] == 'rate(x{a="b"}[1h])'
    (own,) = asked(place, f"mine={NAME}").series
    assert (own.metric, own.mean) == ("mine", pytest.approx(1.0))


@pytest.mark.parametrize("query", ['up{job="a"}', "up==1", "up =~ 1"])
def test_what_stands_before_a_label_or_a_comparison_is_no_name(place: str, query: str) -> None:
    asked(place, query)
    assert Server.asked[0]["query"] == query


def test_a_window_shorter_than_the_step_is_told(place: str) -> None:
    notes = {note.code: note.message for note in asked(place, "iops=rate(x[5m])").run.notes}
    assert "[5m] is shorter than the step of 1 h" in notes["window-short"]
    assert "window-short" not in {note.code for note in asked(place, "iops=rate(x[1h])").run.notes}


def test_a_path_before_the_api_and_a_login_go_with_each_question(place: str) -> None:
    found = asked(place, prometheus=f"http://me:s3cr%40t@{place}/prom/")
    assert Server.asked[0]["path"] == "/prom/api/v1/query_range"
    assert Server.headers_seen == [f"Basic {b64encode(b'me:s3cr@t').decode()}"]
    assert "s3cr" not in found.run.model_dump_json()


def test_a_token_of_the_environment(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(settings.PROMETHEUS_TOKEN.name, "t0ken")
    asked(place)
    assert Server.headers_seen == ["Bearer t0ken"]
    monkeypatch.setenv(settings.PROMETHEUS_TOKEN.name, "t0ken\nX: y")
    with pytest.raises(UsageError) as caught:
        asked(place)
    assert caught.value.id == "prometheus-token"
    assert "t0ken" not in f"{caught.value}{caught.value.hint}"


@pytest.mark.parametrize(
    ("instead", "id", "told"),
    [
        ((401, b""), "prometheus-denied", "lets nobody ask without a login"),
        ((302, b""), "prometheus-unreachable", "answered 302 Found"),
        ((503, b"oh"), "prometheus-unreachable", "answered 503"),
        ((400, b'{"status": "error", "error": "1:3: parse error"}'), "query-refused", "1:3: parse error"),
        ((400, b"no"), "query-refused", "refused the query: Bad Request"),
        ((200, b"<html>"), "export-unreadable", "it is no answer of Prometheus"),
        (
            (200, b'{"status": "success", "data": {"resultType": "vector", "result": []}}'),
            "export-unreadable",
            "no matrix",
        ),
    ],
)
def test_what_is_no_answer_is_told_without_the_password(
    place: str, monkeypatch: pytest.MonkeyPatch, instead: tuple[int, bytes], id: str, told: str
) -> None:
    monkeypatch.setattr(Server, "instead", instead)
    with pytest.raises(PlimsollError) as caught:
        asked(place, prometheus=f"http://me:s3cret@{place}")
    assert caught.value.id == id
    assert told in caught.value.message
    assert "s3cret" not in f"{caught.value}{caught.value.hint}"


def test_a_server_that_is_away(place: str) -> None:
    with pytest.raises(WorldError, match="could not ask the Prometheus at") as caught:
        asked(place, prometheus="http://127.0.0.1:1")
    assert caught.value.id == "prometheus-unreachable"


def test_an_answer_without_end_is_cut_off(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.flows.prometheus.EXPORT_BYTES_MAX", 1_000)
    with pytest.raises(WorldError, match="longer than 1,000 bytes") as caught:
        asked(place)
    assert isinstance(caught.value.__cause__, TooLargeError)


@pytest.mark.parametrize(
    ("words", "id"),
    [
        ({"prometheus": "ftp://me:s3cret@host"}, "prometheus-url"),
        ({"prometheus": "http://me:s3cret@host:port"}, "prometheus-url"),
        ({"prometheus": "http://host/?a=b"}, "prometheus-url"),
        ({"prometheus": "prom:9090"}, "prometheus-url"),
        ({"query": []}, "query-missing"),
        ({"prometheus": None}, "option-idle"),
        ({"since": "soon"}, "moment-unreadable"),
        ({"since": UNTIL}, "query-short"),
        ({"step": 15.0, "since": "30000d"}, "query-long"),
    ],
)
def test_what_cannot_be_asked_is_refused(place: str, words: dict[str, Any], id: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked(place, **words)
    assert caught.value.id == id
    assert "s3cret" not in f"{caught.value}{caught.value.hint}"
    assert Server.asked == []
