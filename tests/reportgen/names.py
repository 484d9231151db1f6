"""The names of Oracle's own things, and the words out of which the rest is invented."""

from __future__ import annotations

EVENTS = (
    ("db file sequential read", "User I/O"),
    ("db file scattered read", "User I/O"),
    ("direct path read", "User I/O"),
    ("direct path write temp", "User I/O"),
    ("log file sync", "Commit"),
    ("log file parallel write", "System I/O"),
    ("db file parallel write", "System I/O"),
    ("control file sequential read", "System I/O"),
    ("control file parallel write", "System I/O"),
    ("buffer busy waits", "Concurrency"),
    ("latch: shared pool", "Concurrency"),
    ("library cache: mutex X", "Concurrency"),
    ("enq: TX - row lock contention", "Application"),
    ("enq: KO - fast object checkpoint", "Application"),
    ("log file switch (checkpoint incomplete)", "Configuration"),
    ("SQL*Net more data to client", "Network"),
    ("gc cr block 2-way", "Cluster"),
    ("gc current block busy", "Cluster"),
    ("reliable message", "Other"),
    ("ASM file metadata operation", "Other"),
)
IDLE_EVENTS = (("SQL*Net message from client", "Idle"), ("rdbms ipc message", "Idle"))
TIME_MODEL = (
    "sql execute elapsed time",
    "DB CPU",
    "parse time elapsed",
    "hard parse elapsed time",
    "PL/SQL execution elapsed time",
    "connection management call elapsed time",
    "sequence load elapsed time",
    "repeated bind elapsed time",
)
OS_STATISTICS = (
    "BUSY_TIME",
    "IDLE_TIME",
    "IOWAIT_TIME",
    "SYS_TIME",
    "USER_TIME",
    "FREE_MEMORY_BYTES",
    "PHYSICAL_MEMORY_BYTES",
    "NUM_CPUS",
)
FUNCTIONS = ("Buffer Cache Reads", "Direct Reads", "Direct Writes", "DBWR", "LGWR", "Others", "RMAN")
FILETYPES = ("Data File", "Temp File", "Control File", "Log File", "Archive Log")
STATISTICS = (
    "CPU used by this session",
    "Number of read IOs issued",
    "bytes sent via SQL*Net to client",
    "consistent gets",
    "physical read total IO requests",
    "physical read total bytes",
    "physical write total IO requests",
    "physical write total multi block requests",
    "redo blocks written",
    "redo writes",
    "sorts (memory)",
    "table scans (short tables)",
    "transaction tables consistent reads - undo records applied",
)
ABSOLUTE_STATISTICS = ("logons current", "opened cursors current", "session pga memory max")
SEGMENT_LISTS = (
    ("Logical Reads", "Logical\nReads"),
    ("Physical Reads", "Physical\nReads"),
    ("Physical Writes", "Physical\nWrites"),
    ("Row Lock Waits", "Row\nLock\nWaits"),
)
LATCHES = (
    "cache buffers chains",
    "redo allocation",
    "row cache objects",
    "AQ Coord jobx_kwsbgsgn latch",
    "session allocation",
)
NAMESPACES = ("BODY", "CLUSTER", "INDEX", "SQL AREA", "TABLE/PROCEDURE", "TRIGGER")
DICTIONARY = (
    "dc_awr_control",
    "dc_global_oids",
    "dc_histogram_data",
    "dc_objects",
    "dc_segments",
    "dc_users",
)
ENQUEUES = (
    ("TX", "TX-Transaction (row lock contention)"),
    ("TM", "TM-DML"),
    ("CF", "CF-Controlfile Transaction"),
    ("KO", "KO-Multiple Object Checkpoint (fast object checkpoint)"),
)
BLOCK_CLASSES = ("data block", "undo header", "undo block", "segment header", "1st level bmb")
COMPONENTS = ("DEFAULT buffer cache", "java pool", "large pool", "PGA Target", "SGA Target", "shared pool")
PARAMETERS = (
    ("audit_file_dest", "/u09/app/oracle/admin/quayside/adump"),
    ("compatible", "11.2.0"),
    ("db_block_size", "8192"),
    ("db_recovery_file_dest", "+QUAY_RECO"),
    ("processes", "640"),
    ("undo_tablespace", "UNDOTBS1"),
)
FINDINGS = (
    "Top SQL Statements",
    'Top Segments by "User I/O" and "Cluster"',
    "Commits and Rollbacks",
    "Undersized Buffer Cache",
    "Hard Parse",
)
EFFICIENCY = (
    "Buffer Nowait %",
    "Redo NoWait %",
    "Buffer  Hit   %",
    "In-memory Sort %",
    "Library Hit   %",
    "Soft Parse %",
    "Execute to Parse %",
    "Latch Hit %",
    "Parse CPU to Parse Elapsd %",
    "% Non-Parse CPU",
)
DATABASES = ("QUAY", "HARBOUR", "DRYDOCK", "BALLAST", "CAPSTAN", "MOORING", "PILOT9")
HOSTS = ("pier-four", "lighthouse", "slip12", "bollard.port.example", "gangway-db-07.haven.example")
PLATFORMS = ("Linux x86 64-bit", "AIX-Based Systems (64-bit)", "Solaris[tm] OE (64-bit)")
OWNERS = ("FREIGHT", "PORTS", "CUSTOMS", "SYS")
TABLESPACES = ("HOLD_DATA", "HOLD_IDX", "SYSAUX", "SYSTEM", "UNDOTBS1", "TEMP", "ARCHIVE_MANIFESTS_2024_Q4")
OBJECTS = (
    "MANIFESTS",
    "CONTAINERS",
    "I_CONTAINERS_VESSEL",
    "BERTHS",
    "TARIFF_LINES_HISTORY_ALL",
    "SYS_LOB0000421C7$$",
)
KINDS = ("TABLE", "INDEX", "LOB", "TABLE PARTITION")
MODULES = ("berthing@quay (TNS V1-V3)", "JDBC Thin Client", "SQL*Plus", None)
STATEMENTS = (
    "select container_no, weight_kg from containers where vessel_id = :b1 and berth_no between :b2 and :b3 order by weight_kg",
    "insert into manifests (manifest_id, vessel_id, port_code, sealed_on) values (:1, :2, :3, sysdate)",
    "update berths set free_from = :b1 where berth_no = :b2 and (free_from < :b1 or free_from is null)",
    "begin tariffs.recalculate(:quarter); end;",
    "delete from tariff_lines where valid_to < add_months(sysdate, -84) /* ORA-01014 is no error here */",
)
