//! Limits of reading reports that a user may meet, in one place, with their reasons.

/// Numbers that may stand outside of tables, heads, findings and notes in a report that counts as read whole: a script's words around it. Real
/// reports have two at most.
pub const REPORT_UNREAD_NUMBERS_MAX: u32 = 10;
/// The share of a report's numbers that may do so, but for a lone one: in a report of a few hundred the ten above would be a table.
pub const REPORT_UNREAD_SHARE_MAX: f64 = 0.01;
/// Reports of one file that are read each for itself. No script puts so many into one.
pub const FILE_REPORTS_MAX: usize = 1000;
