"""Sessions of MariaDB that run one statement after the other until they are killed: SOCKET SESSIONS STATEMENTS.

Statements are parted by `;`. `{id}` is a number from 1 to 10,000 each time, `{session}` the session's own, and `sleep MS` rests.
"""

from __future__ import annotations

import random
import sys
import threading
import time

import pymysql


def session(socket: str, number: int, script: str) -> None:
    """One session, for ever."""
    connection = pymysql.connect(unix_socket=socket, user="root", database="load", autocommit=True)
    chance = random.Random(number)
    steps = [step.strip() for step in script.split(";") if step.strip()]
    with connection.cursor() as cursor:
        while True:
            for step in steps:
                if step.startswith("sleep "):
                    time.sleep(float(step.removeprefix("sleep ")) / 1000)
                else:
                    cursor.execute(step.format(id=chance.randrange(10_000) + 1, session=number))


if __name__ == "__main__":
    for index in range(int(sys.argv[2])):
        threading.Thread(target=session, args=(sys.argv[1], index + 1, sys.argv[3])).start()
