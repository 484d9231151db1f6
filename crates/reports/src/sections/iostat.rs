//! The columns that all tables of I/O by function or by type of file have.

use super::view::{Column, bytes, number};
use crate::value::MIB;

/// Data and requests, in all and per second. Data without a suffix are megabytes.
pub const COLUMNS: &[Column] = &[
    bytes("read_bytes", &[("reads:data", MIB), ("readdatavolume", MIB)]),
    number("reads_per_s", READS),
    bytes("read_bytes_per_s", READ_BYTES),
    bytes("write_bytes", &[("writes:data", MIB), ("writedatavolume", MIB)]),
    number("writes_per_s", WRITES),
    bytes("write_bytes_per_s", WRITE_BYTES),
    number("requests", &[("requeststotal", 1.0)]),
    number("requests_per_s", &[("requestsios/s", 1.0)]),
    bytes("data_bytes", &[("mbtotal", MIB)]).about("read and written"),
    bytes("data_bytes_per_s", &[("mbiomb/s", MIB)]),
];

const READS: &[(&str, f64)] =
    &[("reqspersec", 1.0), ("readrequests/sec", 1.0), ("requestsreads/s", 1.0), ("readsrequests/sec*", 1.0)];
const WRITES: &[(&str, f64)] = &[
    ("reqspersec@2", 1.0),
    ("writerequests/sec", 1.0),
    ("requestswrites/s", 1.0),
    ("writesrequests/sec*", 1.0),
];
const READ_BYTES: &[(&str, f64)] =
    &[("datapersec", MIB), ("readdatavol/sec", MIB), ("mbreadmb/s", MIB), ("readsmb/sec*", MIB)];
const WRITE_BYTES: &[(&str, f64)] =
    &[("datapersec@2", MIB), ("writedatavol/sec", MIB), ("mbwritemb/s", MIB), ("writesmb/sec*", MIB)];
