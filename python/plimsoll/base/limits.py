"""Every limit and default figure in one place, each with its reason."""

from __future__ import annotations

from typing import Final

DEFAULT_SLO: Final = "p99=10ms"
"""The objective of every verb that takes one, when none is given: one for all, so that their lines can be held against each other.
One I/O in a hundred slower than 10 ms is slow storage to any database. Flash does better: ask it for more, as p99=1ms; but small
virtual machines lose single milliseconds to their host."""

DEFAULT_BLOCK_BYTES: Final = 8192
"""Oracle's and PostgreSQL's usual block."""

DEFAULT_SCRATCH_BYTES: Final = 1 << 30
"""Size of a scratch file: far beyond device-side read-ahead, written in seconds on any flash."""

GENTLE_SCRATCH_BYTES: Final = 256 << 20
"""Size of a scratch file beside a running database: it is written slowly, so that nobody waits for it."""

NEW_FILE_BYTES_MIN: Final = 1 << 20
"""The smallest file that is made: with less, a few blocks would be measured."""

TARGET_BYTES_MIN: Final = 64 << 20
"""Below this the whole target fits a device's own cache, and a random pattern repeats itself within a second."""

PATH_TIMEOUT_S: Final = 5.0
"""How long a path to a server may be silent, where nothing else is asked for: disks that spin up, and servers that flush, are there
again by then, and a session that waits for longer is noticed."""

PATH_TIMEOUT_S_MIN: Final = 0.1
"""A busy server takes longer than less for one answer, and would be taken for lost."""

PATH_TIMEOUT_S_MAX: Final = 600.0
"""Nobody waits longer for a path."""

DEVICE_ENDS_BYTES: Final = 4 << 20
"""Read in full at both ends of a device before anything else: nearly all partition tables, labels and superblocks lie there."""

DEVICE_BUSY_TRIES: Final = 5
"""udev looks at a device for a moment after somebody has closed it; who still has it open after a second uses it."""

OUTSTANDING_MAX: Final = 512
"""I/Os in flight in an open-loop run; more wait in user space and are still timed from their intended start."""

TAIL_SAMPLES_MIN: Final = 30
"""I/Os that must lie beyond a quantile for its estimate to be worth printing: a trial has at least 30/(1-q) I/Os."""

SHAPE_RATE_SHARE: Final = 0.5
"""Of its rate alone, that a shape asks for where no rate is said: busy, and far from the limit, so that a slower neighbour can be
told from a queue of its own."""

WORK_TRIAL_S: Final = 10.0
"""Of a backup or a migration beside a demand: what an objective is held against at a time, and ten of its I/Os at 1 MB/s."""

WORK_SEARCH_S: Final = 120.0
"""What the search for its rate may take on a real storage, beside three mixes some four rates."""

WARM_UP_S: Final = 0.3
"""Left out at the start of each trial: queues fill, clocks and caches of the host settle."""

CALIBRATE_POINT_S: Final = 5.0
"""Measured time of each point of a calibration; ORION's own is 60, which makes a coffee break of the smallest matrix."""

CALIBRATE_IO_LATENCY_S: Final = 0.02
"""Highest mean latency of small reads, where nobody says: what CALIBRATE_IO takes by itself is 20 ms as well."""

CALIBRATE_DEPTH_MAX: Final = 512
"""Deepest queue of an adaptive calibration. Larger ones are queues in the tool; a fixed matrix may still ask for them."""

CALIBRATE_THREADS_MAX: Final = 64
"""The same where each I/O in flight, or each stream, is a thread of its own."""

CALIBRATE_BUFFER_BYTES_MAX: Final = 1 << 30
"""What an adaptive calibration takes for buffers of large I/Os."""

TRIAL_S: Final = 1.5
"""Shortest trial on a real device; long enough for ten windows in which drift can be seen. In equal time, more trials of 1.5 s
covered the truth more often than fewer of 2 s."""

TRIAL_S_MAX: Final = 300.0
"""A rate that needs a longer trial for its quantile is not tried: a disk of 100 I/Os per second takes half a minute for p99."""

TRIAL_SIMULATED_S_MAX: Final = 6 * 86_400.0
"""The same where time is virtual: one that drifts is made four times as long, and the engine takes no run of more than 30 days."""

TRIAL_SIMULATED_IOS: Final = 2_000_000
"""Virtual time costs next to nothing: so many I/Os make a trial on a simulated target exact within a percent or so."""

TRIAL_WINDOWS: Final = 10
"""Windows per trial, for the drift check."""

OTHERS_PROCESSORS_MAX: Final = 0.1
"""CPUs that other programs may have while we measure; more of them can make I/Os late that the storage did not."""

TRIAL_BRIEF_SHARE: Final = 1 / 3
"""Of a trial's length, for those that only show the way: ten I/Os beyond the quantile tell a miss from a hold."""

TRIAL_LIMITS: Final = 50.0
"""A trial lasts so many times the objective's limit: a queue that grows by 2 % of the rate reaches the limit by then."""

TRIAL_QUEUE_S_MAX: Final = 5.0
"""But no longer for that: with loose limits the budget is better spent on more trials, and the interval says what was not seen."""

TRIALS_CONFIRM: Final = 3
"""Fresh trials at the safe rate: fewer cannot tell chance from a storage that has changed, more take time from the line itself."""

LINE_BUDGET_S: Final = 60.0
"""Time for a line search on a real target: a steady one ends before, and the rest is for waiting until the host is quiet."""

CONTROL_RATE_SHARE: Final = 0.05
"""Of what the storage can do: a control trial's rate, at which no queue forms, so that what is late there is not the load's."""

CONTROL_S: Final = 0.5
"""Shortest control trial: five of them cost as much as one trial around the line."""

CONTROL_IOS: Final = 100
"""Fewest I/Os of a control trial, where they fit into two seconds: three late ones are then no chance for p99."""

CONTROLS_MAX: Final = 60
"""Controls that may miss one after the other where no budget ends the waiting: a minute."""

TRIALS_BUDGET: Final = 40.0
"""A quiet device needs some twenty trials for its line; one that needs twice as many will not become clearer by more of them."""

TRIALS_TO_END_MAX: Final = 4
"""Trials of a search that a long wait ended and that are made again to their end: after each, longer waits are waited out."""

WINDOW_S_MIN: Final = 0.01
"""The engine's shortest window: below it a window's own book-keeping would be measured."""

VOID_RETRIES_MAX: Final = 2
"""A trial voided by drift is repeated this often; then the line search says that the device is not steady."""

TRIALS_BESIDE_OTHERS_MAX: Final = 4
"""So many trials of a search that missed beside others on the device are void and made again; then they count."""

HOPELESS_FACTOR: Final = 50.0
"""A trial ends early once an I/O has waited this many times the objective: the queue only grows from there."""

RATE_PER_S_MAX: Final = 5_000_000.0
"""No single host of today submits more; a doubling search that reaches it was never brought to the limit."""

SNAPSHOT_PERIOD_S: Final = 1.0
"""Resolution of demand taken from a live database; bursts shorter than this are not seen, and that is said."""
MOMENT_PERIOD_S: Final = 60.0
"""Resolution of demand taken from a live Oracle Database, which counts some megabytes whole: of less, rates lose digits."""

AT_WORK_S_MAX: Final = 5.0
"""What sessions are at in one look says nothing of a longer time."""

CONNECT_TIMEOUT_S: Final = 10
"""How long a database may take to answer the first call."""

COUNTERS_LATE_S_MAX: Final = 1.0
"""PostgreSQL's sessions hand in their counters no more often than this (PGSTAT_MIN_INTERVAL in its pgstat.c)."""

LONG_TRANSACTION_S: Final = 2.0
"""A session hands in its counters when it is between transactions, at most once a second; older ones are surely late."""

SESSIONS_ENDED_SHARE_MIN: Final = 0.1
"""When more than this share of the sessions ends in an interval, their last counters may show there up to twice."""

STATEMENT_TIMEOUT_S: Final = 10
"""A reading of counters that takes longer is given up: it must never become a load of its own."""

READING_S_MAX: Final = STATEMENT_TIMEOUT_S + 5.0
"""When a whole reading is given up from our side, for a server that does not keep its own limit. So has any other short answer."""

READING_BYTES_MAX: Final = 64 << 20
"""What a server may send in one reading: the counters of two hundred thousand tables fit."""

ANSWER_BYTES_MAX: Final = 256 << 20
"""What a server may send in answer to one statement of a proof or of the store: as much as the largest demand that is read."""

STORE_SERVER_S_MAX: Final = 60.0
"""Work in a store on a server, such as a save, is given up from our side after so long: most of it takes milliseconds."""

STORE_UPGRADE_S_MAX: Final = 600.0
"""The same for a change of its schema, which waits for others and may rewrite tables."""

STOP_STATEMENT_S_MAX: Final = 0.3
"""After an interrupt a server may take so long to end its statement; TERM leaves 0.6 s (`TERM_END_S`, `TERM_INTERRUPT_S`)."""

RECONNECT_S_MAX: Final = 60.0
"""How long a database that went away is waited for: a restart with crash recovery of some size fits in."""

RELATIONS_MAX: Final = 200
"""Tables kept in a demand, those with the most blocks read: beyond these nobody looks, and there may be a hundred thousand."""

EMBEDDED_START_S_MAX: Final = 30.0
"""How long the embedded database may take to answer; it takes a fifth of a second on an idle machine."""

SOCKET_PATH_BYTES_MAX: Final = 107
"""Longest path of a Unix socket (sun_path in unix(7), less the closing zero)."""

HEADROOM_RESOLUTION_S_MAX: Final = 60.0
"""Intervals longer than this hide bursts, so headroom needs a burst factor (docs/glossary.md, headroom)."""

TERM_INTERRUPT_S: Final = 1.2
"""After TERM a command may take so long to keep what it has measured; then it is interrupted where it is."""

TERM_END_S: Final = 1.8
"""And so long until it is ended by force: whoever sends TERM sends KILL next, and some wait for two seconds only."""

PROGRESS_AFTER_S: Final = 2.0
"""Anything longer shows progress with the time left."""

POLL_PERIOD_S: Final = 0.2
"""How often a running engine is asked how far it is."""

STOP_PERIOD_S: Final = 0.01
"""The same where engines on several hosts are to stop together."""

LIVE_PERIOD_S: Final = 1.0
"""How often live figures are told: people can follow, and a log of hours stays short."""

STORE_BUSY_S: Final = 30.0
"""How long a save waits while other processes write the store; each of them holds it for milliseconds."""

SNAPSHOT_BYTES_MAX: Final = 256 << 20
"""The largest snapshot that is taken out of a store: the counters of half a million tables fit."""

SNAPSHOTS_KEPT_S: Final = 400 * 86_400.0
"""How long a collector keeps snapshots by itself: a year, and the month that is compared with the same one of it."""

THINNED_TO_HOURS_S: Final = 14 * 86_400.0
"""From which age on a day of snapshots is thinned to one an hour: what somebody looks into is of this week or the last."""

THINNED_TO_DAYS_S: Final = 90 * 86_400.0
"""From which age on a day of snapshots is thinned to its first, its last and its busiest: an hour is rarely asked for later."""

UNWATCHED_S_MAX: Final = 7 * 86_400.0
"""No longer time without a snapshot makes older ones older: a collector may be off for a week, and a clock ahead for years."""

THINNED_ROWS_MAX: Final = 500
"""Rows of one kind that a day keeps which is thinned to a day, those that gained most in it."""

COLLECTOR_THINS_S: Final = 60.0
"""A collector with shorter steps does not thin: a day of it has so many snapshots that the next one would be late."""

INTERVALS_KEPT_S: Final = 5 * 366 * 86_400.0
"""How much longer than snapshots the rates of their intervals are kept: as long as storage is in use."""

SERIES_ENDED_S: Final = 86_400.0
"""How long no snapshot of a series was taken when it may be removed: its collector may be waiting for a server that is away."""

SERIES_INTERVALS_MAX: Final = 20_000
"""Intervals of one demand that is made of kept snapshots: four months of ten minutes, 100 MB of memory."""

ROWS_WHOLE_S: Final = 86_400.0
"""How often a collector keeps all rows of a kind instead of those that changed: what is read for one moment is a day at most."""

ROWS_REACH_S: Final = 2 * ROWS_WHOLE_S
"""How far back the rows of a moment may reach: they follow those of a day, and that one, where it was thinned, its first."""

ROWS_KEPT_MAX: Final = 20_000
"""Changed rows of one kind that are kept with a snapshot, those that gained most: as many tables as a busy day touches."""

STATEMENTS_KEPT_MAX: Final = 500
"""The same of statements: beyond these nobody looks, and a server may know a hundred thousand."""

ROWS_READ_MAX: Final = 250_000
"""Rows of one kind that are read of a server: the tables and indexes of a hundred thousand tables, 100 MB of memory."""

SIZES_AT_ONCE: Final = 1_000
"""Relations whose sizes are asked for with one snapshot: some 20 ms of the server, and at one in ten minutes a day for 144,000."""

SIZES_S_MAX: Final = 2
"""When that is given up: files on a storage that is slow to tell how long they are."""

SIZE_LOCK_MS_MAX: Final = 100
"""How long a size may wait for whoever holds its table alone."""

STRETCHES_MAX: Final = 50
"""Stretches between restarts and other gaps of which rows are added up, the longest: for each of them a day of rows is read."""

TOP_ROWS: Final = 10
"""Rows of one kind that a demand holds, and a report shows, by each measure: as many as a screen has room for."""

WAITS_HELD_MAX: Final = 200
"""Waits, by process and event, that a demand holds, the most frequent: a server has some 250 names of waits, and few happen."""

WAITS_PERIOD_S: Final = 1.0
"""How often a collector looks at what sessions wait for: 600 looks in ten minutes tell a share of a tenth within 0.025."""

COLLECTOR_RETRY_S: Final = 5.0
"""How soon a collector asks a database that is away again: a server that starts is not kept busy by it."""

STORE_RETRY_S: Final = 0.005
"""How soon a new store is asked again while another process sets it up."""

THREAD_CPU_SHARE_MAX: Final = 0.92
"""A submitting thread that is busier than this is itself what the I/Os wait for."""

WAITING_SHARE_MAX: Final = 0.02
"""Measuring threads that wait longer than this for a CPU make more I/Os late than a 99th percentile forgives."""

STEAL_PROCESSORS_MAX: Final = 0.05
"""CPUs that the host of a virtual machine may take away: more of it stops our threads for milliseconds at a time."""

STEADY_WINDOW_ROUNDS: Final = 5
"""Rounds that must be alike (SNIA PTS 2.0.2)."""

STEADY_ROUNDS_MAX: Final = 25
"""Rounds after which a storage counts as not steady (SNIA PTS 2.0.2)."""

STEADY_RANGE_SHARE_MAX: Final = 0.20
"""Largest minus smallest round of the window, as a share of its mean (SNIA PTS 2.0.2)."""

STEADY_SLOPE_SHARE_MAX: Final = 0.10
"""Change of the fitted line over the window, as a share of its mean (SNIA PTS 2.0.2)."""

REPEATS_SPREAD_SHARE_MAX: Final = 0.10
"""Half of the 95 % interval over repeated runs, as a share of their mean: beyond it another five runs may say something else."""

AT_WORK_STILL_S: Final = 1.0
"""A time without any I/O that ends is one of standing still from here on."""

AT_WORK_FAR: Final = 10.0
"""And from so many times the median latency on: slow I/Os alone leave shorter gaps."""

CACHED_SPEEDUP_MIN: Final = 1.5
"""Reads that a cache answers are many times faster; a busy machine makes equal reads differ by less than this."""

MEDIUM_LATENCY_US_MIN: Final = 2.0
"""No block device answers half of its I/Os faster: the way over a bus, an interrupt and the kernel's block layer takes longer."""

MEMORY_IOPS_MIN: Final = 10_000.0
"""A target that lies in memory and does more is not held back by anything but memory and CPUs."""

MEMORY_MB_PER_S_MIN: Final = 1_000.0
"""The same for large I/Os."""

DEVICE_BYTES_SHARE_MAX: Final = 0.02
"""What a device moved and what we moved may differ by so much of ours before a check says so."""

DEVICE_BYTES_SLACK: Final = 1 << 20
"""What a file system may write of its own beside a short run, in bytes: its journal, times of access."""

DEVICE_IOS_SHARE_MAX: Final = 0.01
"""By so much of ours a device may have counted fewer I/Os before they were merged."""

REPORT_BYTES_MAX: Final = 128 << 20
"""The largest report that is read: some forty times one of a cluster over a week. Whatever is longer is something else."""

SPOOL_SNAPSHOTS_MAX: Final = 3000
"""Snapshots of one spool of the collector that are read: two for each of the minutes of a day."""

SPOOL_PROBLEMS_MAX: Final = 5000
"""Problems of one spool of the collector that are told one by one: as many as of a report."""

DEMAND_BYTES_MAX: Final = 160 << 20
"""The largest demand that is read from a file: an interval takes 1.7 kilobytes at most, a day of seconds 139 MiB."""

DEMAND_SIGNS_MAX: Final = 6_000_000
"""Brackets, braces and commas in such a file: a day of seconds has 5.3 million, and takes about 1 GB."""

EXPORT_BYTES_MAX: Final = 128 << 20
"""The largest export of monitoring that is read: three months of minutes of a dozen series of Prometheus fit."""

EXPORT_SIGNS_MAX: Final = 6_000_000
"""Brackets, braces and commas in such a file: each is a value that takes some hundred bytes, so that all take about 1 GB."""

PROMETHEUS_STEPS_MAX: Final = 10_000
"""Steps of a question to Prometheus, which answers no more than 11,000 of each series; of a longer time it is asked in parts."""

PROMETHEUS_ASKED_MAX: Final = 200
"""Questions to Prometheus, of all queries and parts: more would be a load of its own."""

PROMETHEUS_S_MAX: Final = 120.0
"""How long an answer of Prometheus may take: its own limit for a query is two minutes, unless it is set otherwise."""

EXPORT_FIGURE_MAX: Final = 1e18
"""The highest figure that an export may hold: beyond it a number of bytes is not held exactly."""

DEMAND_KEYS_MAX: Final = 200
"""Members of one object in such a file: several times what any of ours has; to refuse one takes memory."""

DEMAND_INTERVALS_MAX: Final = 100_000
"""Intervals in such a file: more than a day has seconds."""

DEMANDS_MAX: Final = 100
"""Databases whose demands are held against one storage together: the best choice among more may take long to find."""

DEMAND_PER_S_MAX: Final = 1e12
"""The highest rate that a demand may hold, in I/Os or megabytes per second: far more than the storage of any machine does."""

DEMAND_BYTES_PER_S_MAX: Final = 1e18
"""The same in bytes per second."""

DEMAND_PER_S_MIN: Final = 1e-9
"""The lowest rate that is not zero: one in thirty years. Below it, what follows from a rate is no number any more."""

DEMAND_FIGURE_MAX: Final = 1e18
"""The highest of any other figure: beyond it a number of bytes or rows is not held exactly."""

ARCHIVE_DEPTH_MAX: Final = 3
"""Layers of packing that are opened: a packed report in an archive in an archive. Nobody goes deeper but by mistake or malice."""

ARCHIVE_RATIO_MAX: Final = 200
"""An archive that grows more than this is a bomb: HTML reports of many equal rows grow by a factor of forty at the most."""

ARCHIVE_FREE_BYTES: Final = 256 << 20
"""What an archive may hold before its growth is looked at; also a bomb is read so far without harm."""

ARCHIVE_MEMBERS_MAX: Final = 50_000
"""Files in one archive, those of archives within it included: a report for each hour of five years. Each is told of."""

ARCHIVE_PARTS_MAX: Final = 100_000
"""Parts of gzip in one archive. bgzip begins another one every 64 KB, so that so many hold 6 GB."""

ARCHIVE_DIRECTORY_BYTES_MAX: Final = 16 << 20
"""The longest directory of a zip: three hundred bytes for each file that it may have. Python makes a list of all of it at once."""

ARCHIVE_HEADER_BYTES_MAX: Final = 1 << 20
"""All names and attributes of one member of a tar file; made-up ones could ask for all memory."""

OUT_MARK_BYTES_MAX: Final = 64 << 20
"""The mark of a folder of tables lists every file in it, as JSON one for each report: half a million names of a hundred bytes."""

TOPOLOGY_FILE_BYTES_MAX: Final = 4 << 20
"""The longest file of a recorded topology that is read: /proc/cpuinfo of a thousand CPUs."""

TOPOLOGY_ARCHIVE_BYTES_MAX: Final = 64 << 20
"""The longest archive of a recorded topology: those of the largest machines have 100 KB."""

TOPOLOGY_KEPT_BYTES_MAX: Final = 128 << 20
"""All files of such an archive together, as they are held in memory: ten times those of 256 CPUs."""

TOPOLOGY_UNPACKED_BYTES_MAX: Final = 1 << 30
"""What may come out of it at all, files that are too long to be one of the kernel's among it; they are skipped."""

TOPOLOGY_MEMBERS_MAX: Final = 300_000
"""Files and folders in it: twenty times those of 256 CPUs."""

TOPOLOGY_LOOKED_AT_MAX: Final = 5_000
"""Names that are looked at for `sys` and `proc` in a folder that is said to be a recorded topology, and may be anything."""

TOPOLOGY_SETS_CPUS_MAX: Final = 1 << 20
"""CPUs in all unlike sets of CPUs of a topology: those of a kind divide the CPUs, of which no kernel has more than 8,192."""

JOURNAL_BYTES_MAX: Final = 16 << 20
"""A scratch journal has a few hundred bytes for each thing that was made; whatever is longer is no journal."""

FOLDER_DEPTH_MAX: Final = 100
"""Folders within folders: deeper than anybody's, and well within what a path may be long."""

WORK_THREADS_MAX: Final = 16
"""Threads for work over many items: more of them would hold so many reports at once that memory, not CPUs, is short."""

WORK_AHEAD_PER_THREAD: Final = 4
"""Items taken for each thread: some are worked on while the results of those before wait to be taken away."""

WORK_GROUPS_AHEAD_PER_THREAD: Final = 2
"""Of groups, which are megabytes each, one is worked on, and the results of one wait."""

WORK_THREAD_ROOM_BYTES: Final = 256 << 20
"""A thread for work starts where so much of a bounded address space (`ulimit -v`) is left: the C library may take half of it."""

PROOF_MEMORY_SHARE_MAX: Final = 0.4
"""Of the machine's memory, what the embedded database may take to hold all data: its sessions and the system need the rest."""

SERVER_LOG_BYTES_MAX: Final = 4 << 20
"""Of a server's log, what is read for one run: more entries than that are a server in trouble, which their beginning tells."""

SERVER_LOG_ENTRIES_MAX: Final = 10
"""Entries of a server's log that are kept with a proof; all of them are counted."""

SERVER_LOG_ENTRY_LENGTH_MAX: Final = 300
"""Characters of such an entry: its first line says what happened."""

SERVER_SETTINGS_MAX: Final = 1_000
"""Settings of a server that are kept with a proof: more than any server of today has."""

SERVER_SETTING_LENGTH_MAX: Final = 500
"""Characters of a setting's value that are kept."""

SWEEP_SESSIONS_MAX: Final = 64
"""Sessions beyond which a sweep does not go by itself: few servers are set to take more."""

DOCUMENT_BYTES_IN_MEMORY_MAX: Final = 8 << 20
"""A longer JSON document waits on disk until all of it is made: those of thousands of reports have hundreds of MB."""

DOCUMENT_TEXT_BYTES_MAX: Final = 16 << 20
"""A longer document of a run is a BLOB in SQLite, which needs no memory to make room for it, where text takes twice its length;
PostgreSQL gets it in parts."""

TAG_LENGTH_MAX: Final = 40
"""A tag is a word, and stands in a column of a list."""

TAGS_MAX: Final = 20
"""Of one run: more do not find it any better."""
