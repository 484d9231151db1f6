"""A process that works for another: takes a function and a group of items, and sends back what it makes of them.

Run by `plimsoll.context.apart`. It ends when its input does, so that none is left where the
process that it works for was killed.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import IO, Any

from plimsoll.context import wire
from plimsoll.ports import processes
from plimsoll.ports.own_python import own_ends


def main(arguments: Sequence[str]) -> int:
    """Works until nobody asks any more."""
    asked, answers = own_ends(arguments)
    processes.be_ended_first()
    try:
        wire.send(answers, wire.READY)
        while True:
            _send(answers, _answer(wire.receive(asked)))
    except (EOFError, OSError):
        return 0


def packed_answer(packed: tuple[bytes, bytes]) -> bytes:
    """What a function makes of items, both packed and so is what comes of it: whoever hands that on has no use for any of it."""
    function, items = packed
    return pickle.dumps(pickle.loads(function)(pickle.loads(items)), pickle.HIGHEST_PROTOCOL)


def _answer(packed: bytearray) -> tuple[bool, Any]:
    """Whether it went well, and the result or the error. Without memory this process ends, and is named by that."""
    try:
        function, group = pickle.loads(packed)
        return True, function(group)
    except MemoryError:
        raise SystemExit(1) from None
    except Exception as error:  # noqa: BLE001  (it is raised again by who asked)
        return False, error


def _send(answers: IO[bytes], answer: tuple[bool, Any]) -> None:
    try:
        wire.send(answers, answer)
    except OSError:
        raise
    except MemoryError:
        raise SystemExit(1) from None
    except Exception as error:  # noqa: BLE001  (libraries have many ways not to pickle)
        # What does not pickle is a defect of ours, and no reason to be taken for one of the items.
        message = f"{type(error).__name__}: {error}; of a {type(answer[1]).__name__}"
        wire.send(answers, (False, RuntimeError(message)))
