//! The columns that tablespaces and files have in common.

use super::view::{Column, microseconds, number, text};

/// Requests, how long they took, and waits for buffers.
pub const COLUMNS: &[Column] = &[
    number("reads", &[("reads", 1.0)]),
    number("reads_per_s", &[("avreads/s", 1.0), ("avrds/s", 1.0)]),
    microseconds("avg_read_us", &[("avrd(ms)", 1e3)]),
    number("blocks_per_read", &[("avblks/rd", 1.0)]),
    number("single_block_reads_per_s", &[("1-bkrds/s", 1.0)]),
    microseconds("avg_single_block_read_us", &[("av1-bkrd(ms)", 1e3)]),
    number("optimized_reads_percent", &[("%optreads", 1.0)]),
    number("writes", &[("writes", 1.0)]),
    number("writes_per_s", &[("avwrites/s", 1.0), ("writesavg/s", 1.0)]),
    microseconds("avg_write_us", &[("avwrites(ms)", 1e3)]),
    number("buffer_waits", &[("bufferwaits", 1.0)]),
    microseconds("avg_buffer_wait_us", &[("avbufwt(ms)", 1e3)]),
    text("pdb", &[("pdbname", 1.0)]),
];
