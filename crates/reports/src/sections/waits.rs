//! The columns that all tables of wait events have.

use super::view::{Column, microseconds, number, seconds, text};

/// An event, how often and how long it was waited for.
pub const COLUMNS: &[Column] = &[
    text("event", &[("event", 1.0), ("waitevent", 1.0)]),
    text("wait_class", &[("waitclass", 1.0)]),
    number("waits", &[("waits", 1.0), ("eventwaits", 1.0)]),
    number("timeouts", &[("timeouts", 1.0)]),
    number(
        "timeouts_percent",
        &[("%time-outs", 1.0), ("%timout", 1.0), ("event%timeouts", 1.0), ("%timeouts", 1.0)],
    ),
    seconds(
        "total_wait_s",
        &[
            ("totalwaittime(s)", 1.0),
            ("totalwaittime(cs)", 0.01),
            ("waittimetotal(s)", 1.0),
            ("time(s)", 1.0),
        ],
    ),
    microseconds(
        "avg_wait_us",
        &[
            ("avgwait(ms)", 1e3),
            ("waitavg(ms)", 1e3),
            ("avgwait", 1.0),
            ("waittimeavgwait", 1.0),
            ("waittimeavg(ms)", 1e3),
        ],
    ),
    number("waits_per_txn", &[("waits/txn", 1.0)]),
    number(
        "db_time_percent",
        &[("%dbtime", 1.0), ("%totalcalltime", 1.0), ("waittime%dbtime", 1.0), ("%totalelatime", 1.0)],
    ),
    number("background_time_percent", &[("%bgtime", 1.0), ("waittime%bgtime", 1.0)]),
];
