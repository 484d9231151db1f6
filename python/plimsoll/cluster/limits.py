"""Limits of measurements on several hosts, each with its reason."""

from __future__ import annotations

from typing import Final

AGENT_ALIVE_S: Final = 1.0
"""How often client and agents on other hosts say that they are there."""

AGENT_SILENCE_S: Final = 14.0
"""After so long without a word the other side is taken for lost: a link that is cut says nothing, and TCP waits for minutes. Both
look once in `AGENT_ALIVE_S`, so that it is told within 15 seconds."""

AGENT_GREETING_S: Final = 60.0
"""How long an agent may take to greet: a login through two jump hosts, and a cold disk beneath Python."""

CLOCK_ERROR_SHARE_MAX: Final = 0.01
"""Of the measured time, that a host's clock may be uncertain by."""

AGENT_STOP_S: Final = 30.0
"""How long a host may take to end once it was told to stop; the engine gives I/Os that do not end up after as long."""

AGENT_END_S: Final = 60.0
"""How long after the end of the measured time a host may still be at work."""

AGENT_SERVER_END_S: Final = 660.0
"""The same where files of a server are measured, for which the engine waits ten minutes."""

PREPARED_BYTES_PER_S: Final = 100e6
"""How fast a host makes the random data of its buffers, at the least."""

READY_BYTES_PER_S: Final = 1e9
"""How fast it gets buffers that are not filled."""

LINE_ON_HOSTS_BUDGET_S: Final = 120.0
"""Time for a line search on real targets of several hosts: each must hold the objective by itself, and all agree on a moment before
each trial."""

CLUSTER_CONNECT_S: Final = 10.0
"""How long a scheduler may take to answer; one that is there does in milliseconds."""

CLUSTER_GREETING_SHARE: Final = 0.2
"""Of that time, after which one that has not greeted is asked what a web server would answer."""

CLUSTER_GREETING_BYTES_MAX: Final = 1 << 20
"""The length of a scheduler's greeting: some hundred bytes. Words of other servers, read as a length, are 2^56 and more."""

CLUSTER_BEGIN_S: Final = 20.0
"""How long all may take until there is a connection that Dask calls one."""

CLUSTER_ASKED_S: Final = 0.1
"""How often who waits for a cluster at the begin looks whether somebody asked to end."""

CLUSTER_CLOSE_ASKED_S: Final = 1.0
"""How long is waited for the end of a connection where somebody asked to end before there was any work, or the other side hangs."""

CLUSTER_ANSWER_S: Final = 20.0
"""How long a worker may take to say what it is: it loads Plimsoll meanwhile, perhaps from a file server."""

CLUSTER_LOOK_S: Final = 3.0
"""How often who waits for a worker looks whether it is there still, beside what the scheduler tells by itself. With the time that
an answer may take, and the end of the connection, one that hangs ends the command within the 15 seconds of a silent link."""

CLUSTER_TOLD_S: Final = 2.0
"""How long is waited for the word of the scheduler on a worker that a look found gone: it comes by another connection."""

CLUSTER_FAREWELL_S: Final = 1.0
"""How long a worker that ends in order may take to say so, and how long that is waited for before its loss counts as a death."""

CLUSTER_CLOSE_S: Final = 5.0
"""How long is waited for what is ended at workers and scheduler; they end the rest by themselves."""

CLUSTER_END_S: Final = 2.0
"""How long a worker waits for the end of processes that it has killed."""

CLUSTER_IDLE_S: Final = 30.0
"""A process that reads at a worker ends after so long without work, as where the command was killed."""

CLUSTER_THREADS_MAX: Final = 256
"""Groups at work at the same time: each takes a thread here, and the results of two wait."""

CLUSTER_ENDED_MAX: Final = 1000
"""Commands that a worker remembers to have ended, so that nothing of them is begun late; a name is 32 letters."""

CLUSTER_BYTES_MAX: Final = 256 << 20
"""Contents of groups that are at work or whose results wait: files in archives, and standard input. Each is in memory three times
while it is sent: as it is, packed, and within the call."""

CLUSTER_TASK_GROUPS_MAX: Final = 8
"""Groups that go to a worker as one task: it costs scheduler, worker and command together some 11 ms whatever is in it, and a group
takes 80 ms to read."""

CLUSTER_ANSWER_BYTES: Final = 4 << 20
"""Results of a task, about: of large ones fewer groups go at once, as those of two tasks for each thread wait in memory."""

CLUSTER_TAKE_S: Final = 2.0
"""How long a worker waits for words of an agent before it answers who asks for them that there are none. With the time that the
scheduler may take, one that hangs is known within the 15 seconds of a silent link."""

CLUSTER_AGENT_BYTES_MAX: Final = 128 << 20
"""Of an agent's words and of those to it, each, that wait at a worker: two of the longest lines."""

CLUSTER_AGENT_WORDS_MAX: Final = 16 << 10
"""The last bytes of an agent's standard error that wait at a worker: its last line is what is told."""

CLUSTER_PART_S: Final = 1.0
"""How long who hands words to an agent waits for its end once whoever told them is gone; the agent ends by itself."""

CLUSTER_REACH_S: Final = 2.0
"""How long is tried to reach a worker itself, to compare clocks more closely than by way of the scheduler."""
