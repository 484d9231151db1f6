"""Answers of web servers, asked for by GET and never waited for beyond a time.

No redirection is followed: what goes with a request, such as a password, reaches the server that was named and no other.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult

from plimsoll.ports.files import TooLargeError

_CHUNK_BYTES = 1 << 16


class NoAnswerError(OSError):
    """What came is no answer of a web server, or came too slowly."""


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    reason: str
    content: bytes


def get(
    url: SplitResult, path: str, headers: Mapping[str, str], *, seconds_max: float, bytes_max: int
) -> Answer:
    """The answer of the server in `url` to that path, whole.

    Raises OSError: `TooLargeError` and `NoAnswerError` among them, and what the network says.
    """
    secure = url.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    assert url.hostname is not None, "the caller has looked"
    until_s = time.monotonic() + seconds_max
    connection = kind(url.hostname, url.port, timeout=seconds_max)
    try:
        connection.request("GET", path, headers={"Accept-Encoding": "identity", **headers})
        with connection.getresponse() as response:
            return Answer(response.status, response.reason, _content(response, until_s, bytes_max))
    except http.client.HTTPException as error:
        raise NoAnswerError(f"it did not answer as a web server does ({type(error).__name__})") from error
    finally:
        connection.close()


def _content(response: http.client.HTTPResponse, until_s: float, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    length = 0
    while chunk := response.read1(_CHUNK_BYTES):
        parts.append(chunk)
        length += len(chunk)
        if length > bytes_max:
            raise TooLargeError(None, bytes_max)
        if time.monotonic() > until_s:
            raise NoAnswerError("its answer takes too long")
    return b"".join(parts)
