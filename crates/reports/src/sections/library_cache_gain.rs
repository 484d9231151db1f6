//! The columns that advisories on the pools of the library cache have in common.

use super::view::{Column, bytes, number, seconds};
use crate::value::MIB;

/// What the library cache would hold, and what that would save.
pub const COLUMNS: &[Column] = &[
    bytes("library_cache_bytes", &[("estlcsize(m)", MIB), ("estdlibcachesize(m)", MIB)]),
    number("library_cache_objects", &[("estlcmemobj", 1.0), ("estdlibcachememobj", 1.0)]),
    seconds("time_saved_s", &[("estlctimesaved(s)", 1.0), ("estdlibcachetimesaved(s)", 1.0)]),
    number("time_saved_factor", &[("estlctimesavedfactr", 1.0), ("estdlctimesavedfactr", 1.0)]),
    seconds("load_s", &[("estlcloadtime(s)", 1.0)]),
    number("load_factor", &[("estlcloadtimefactr", 1.0)]),
    number(
        "object_hits",
        &[("estlcmemobjhits", 1.0), ("estlcmemobjhits(k)", 1000.0), ("estdlibcachememobjhits", 1.0)],
    ),
];
